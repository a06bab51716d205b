// SPDX-License-Identifier: GPL-2.0
/*
 * Detect aggregations as DTrace and bpftrace write them: n[comm] = count().
 *
 * In ktap this would replace the counted value by an empty aggregation at each
 * event. So a handler of an event may not do it, unless the script adds to that
 * variable with <<<. The message says what to write instead.
 */
#include <string.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"
#include "compiler/util.h"

#define MAX_PARTS	4	/* arguments whose text a message uses */
#define MAX_ADVICE_TEXT	60	/* longer texts are not quoted */

/* The use of the value of a call in the other language. */
enum aggregator {
	AGGREGATOR_COUNT,
	AGGREGATOR_STATS,
	AGGREGATOR_HIST,
	AGGREGATOR_LHIST,
	AGGREGATOR_SUM,		/* these read an aggregation in ktap */
	AGGREGATOR_READER,
};

static const struct {
	const char *name;
	enum aggregator does;
	bool foreign;		/* a function of another language */
} aggregators[] = {
	{ "count", AGGREGATOR_COUNT, false },
	{ "stats", AGGREGATOR_STATS, false },
	{ "hist", AGGREGATOR_HIST, false },
	{ "quantize", AGGREGATOR_HIST, true },
	{ "lhist", AGGREGATOR_LHIST, false },
	{ "lquantize", AGGREGATOR_LHIST, true },
	{ "sum", AGGREGATOR_SUM, false },
	{ "avg", AGGREGATOR_READER, false },
	{ "min", AGGREGATOR_READER, false },
	{ "max", AGGREGATOR_READER, false },
};

/* TARGET = NAME(PARTS), as it is written in the script. */
struct aggregation {
	struct pos pos;
	const char *name;
	const char *target;
	const char *root;	/* the variable that contains the target */
	bool local, self, fed;
	const struct node *args;
	unsigned int nargs;
	const char *parts[MAX_PARTS];
};

static struct pos aggregation_start(const struct node *n)
{
	while (n->kind == N_INDEX || n->kind == N_FIELD || n->kind == N_CALL)
		n = n->a;
	return n->pos;
}

static const char *aggregation_text_at(struct compiler *cc, struct pos pos, const char **end)
{
	const struct ktap_script *file = &cc->diag.files[pos.file];
	const char *p = file->text;

	*end = p + file->len;
	for (uint32_t line = 1; line < pos.line; line++)
		p = (const char *)memchr(p, '\n', *end - p) + 1;
	return p + pos.col - 1;
}

/*
 * Trim blanks; return @other if the text does not fit on a line of a message.
 */
static const char *aggregation_cut(struct compiler *cc, const char *from, const char *to,
				   const char *other)
{
	while (from < to && strchr(" \t\r\n", *from))
		from++;
	while (from < to && strchr(" \t\r\n", to[-1]))
		to--;
	if (from == to || to - from > MAX_ADVICE_TEXT || memchr(from, '\n', to - from))
		return other;
	return pool_printf(&cc->pool, "%.*s", (int)(to - from), from);
}

/* Return the end of the string literal that begins at @p. */
static const char *aggregation_skip_string(const char *p, const char *end)
{
	char quote = *p++;

	while (p < end && *p != quote)
		p += *p == '\\' && end - p > 1 ? 2 : 1;
	return p < end ? p + 1 : p;
}

/* Split the text in the parentheses into arguments. */
static void aggregation_split(struct compiler *cc, struct aggregation *a, const struct node *call)
{
	const char *end, *p = aggregation_text_at(cc, call->pos, &end), *from;
	unsigned int depth = 0, n = 0;

	for (n = 0; n < MAX_PARTS; n++)
		a->parts[n] = "v";
	p = memchr(p, '(', end - p);
	if (!p)
		return;
	from = ++p;
	for (n = 0; p < end && n < MAX_PARTS; p++) {
		if (*p == '"' || *p == '\'') {
			p = aggregation_skip_string(p, end) - 1;
		} else if ((*p == ',' || *p == ')') && !depth) {
			a->parts[n++] = aggregation_cut(cc, from, p, "v");
			if (*p == ')')
				return;
			from = p + 1;
		}
		depth += strchr("([{", *p) && *p;
		depth -= strchr(")]}", *p) && *p;
	}
}

static void aggregation_read(struct compiler *cc, struct aggregation *a, const struct node *n)
{
	const struct node *target = n->list, *root = target, *call = n->list2;
	const char *from, *end;

	while (root->kind == N_INDEX || root->kind == N_FIELD)
		root = root->a;
	a->root = root->kind == N_NAME ? root->str : "t";
	a->local = root->var;
	a->self = !a->local && node_builtin(root) && node_builtin(root)->kind == BI_SELF;
	a->fed = root->sym && root->sym->fed;
	a->target = a->root;
	if (target->kind != N_NAME) {
		from = aggregation_text_at(cc, aggregation_start(target), &end);
		a->target = aggregation_cut(cc, from, aggregation_text_at(cc, n->pos, &end),
					    "t[k]");
	}
	a->pos = call->pos;
	a->args = call->list;
	a->nargs = list_len(call->list);
	aggregation_split(cc, a, call);
}

/*
 * Is this expression certainly no aggregation? Its names are not resolved yet.
 */
static bool aggregation_is_plain(const struct node *n)
{
	const struct builtin *bi;

	if (n->kind == N_UNARY || n->kind == N_BINARY || is_const(n))
		return true;
	if (n->kind == N_FIELD) {
		bi = node_builtin(n->a);
		return bi && bi->kind == BI_ARGS;
	}
	bi = node_builtin(n->kind == N_CALL ? n->a : n);
	return bi && (bi->kind == BI_ARG || !strcmp(bi->name, "retval") ||
		      (bi->kind <= BI_FUNCTION && !(bi->type & TYPE_AGG)));
}

/*
 * Return the call that makes such an aggregation: "hist()", or with arguments.
 */
static const char *aggregation_maker(struct compiler *cc, const struct aggregation *a,
				     const char *name, unsigned int first)
{
	const char *text = "";

	for (unsigned int i = first; i < a->nargs && i < MAX_PARTS; i++)
		text = pool_printf(&cc->pool, "%s%s%s", text, i > first ? ", " : "", a->parts[i]);
	return pool_printf(&cc->pool, "%s(%s)", name, text);
}

static void aggregation_distribution(struct compiler *cc, const struct aggregation *a,
				     const char *value, const char *maker)
{
	const char *takes = *maker == 'h' ? "hist(bits)" : "lhist(min, max, step)";

	if (a->self)
		diag_error(&cc->diag, a->pos,
			   "%s makes an empty distribution; to add a value to one, write %s <<< %s",
			   takes, a->target, value);
	else
		diag_error(&cc->diag, a->pos,
			   "%s makes an empty distribution; write %s <<< %s, and at the top level %s = %s",
			   takes, a->target, value, a->root, maker);
}

/* Is it an error? Yes, unless another statement adds to the target with <<<. */
static bool aggregation_is_useless(const struct aggregation *a)
{
	return !a->fed && !a->local && !a->self;
}

static bool aggregation_hist_is_meant(struct compiler *cc, const struct aggregation *a,
				      bool foreign)
{
	bool made = !a->nargs || (a->nargs == 1 && is_const(a->args));
	const char *value = made && !foreign ? "v" : a->parts[0];

	if (made && !foreign && !aggregation_is_useless(a))
		return false;
	aggregation_distribution(cc, a, value, aggregation_maker(cc, a, "hist", made ? 0 : 1));
	return true;
}

static bool aggregation_lhist_is_meant(struct compiler *cc, const struct aggregation *a,
				       bool foreign)
{
	bool made = a->nargs == 3 && !foreign;

	if (made ? !aggregation_is_useless(a) : a->nargs != 4)
		return false;
	aggregation_distribution(cc, a, made ? "v" : a->parts[0],
				 aggregation_maker(cc, a, "lhist", made ? 0 : 1));
	return true;
}

static bool aggregation_is_meant(struct compiler *cc, const struct aggregation *a, size_t which)
{
	switch (aggregators[which].does) {
	case AGGREGATOR_COUNT:
		if (a->nargs || !aggregation_is_useless(a))
			return false;
		diag_error(&cc->diag, a->pos,
			   "count() makes an empty aggregation; to count, write %s += 1",
			   a->target);
		return true;
	case AGGREGATOR_STATS:
		if (!a->nargs && !aggregation_is_useless(a))
			return false;
		diag_error(&cc->diag, a->pos,
			   "stats() makes an empty aggregation; to add a value, write %s <<< %s",
			   a->target, a->parts[0]);
		return true;
	case AGGREGATOR_HIST:
		return aggregation_hist_is_meant(cc, a, aggregators[which].foreign);
	case AGGREGATOR_LHIST:
		return aggregation_lhist_is_meant(cc, a, aggregators[which].foreign);
	case AGGREGATOR_SUM:
		if (a->nargs != 1 || !aggregation_is_plain(a->args))
			return false;
		diag_error(&cc->diag, a->pos,
			   "sum(a) reads an aggregation; to add up, write %s += %s", a->target,
			   a->parts[0]);
		return true;
	default:
		if (a->nargs != 1 || !aggregation_is_plain(a->args))
			return false;
		diag_error(&cc->diag, a->pos,
			   "%s(a) reads an aggregation; write %s <<< %s, and show %s(%s)", a->name,
			   a->target, a->parts[0], a->name, a->target);
		return true;
	}
}

bool check_aggregation(struct compiler *cc, const struct node *n)
{
	const struct node *call = n->list2;
	const struct builtin *bi;
	struct aggregation a = { 0 };

	if (!cc->func->in_event || !call || call->kind != N_CALL || call->a->kind != N_NAME ||
	    call->next || n->list->next)
		return false;
	bi = node_builtin(call->a);
	if (static_func(call->a) || call->a->var || call->a->sym->global)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(aggregators); i++) {
		a.name = aggregators[i].name;
		if (strcmp(call->a->str, a.name) || !bi != aggregators[i].foreign)
			continue;
		aggregation_read(cc, &a, n);
		return aggregation_is_meant(cc, &a, i);
	}
	return false;
}
