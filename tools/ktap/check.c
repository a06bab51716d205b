// SPDX-License-Identifier: GPL-2.0
/*
 * The second pass over the tree, when all names are known: it settles what
 * each name and call means, folds constants and reports what cannot work.
 */
#include <string.h>

#include <linux/ktap.h>

#include "ast.h"
#include "builtins.h"

static void check_block(struct compiler *cc, struct node *list);

void check_exprs(struct compiler *cc, struct node *list)
{
	for (; list; list = list->next)
		check_expr(cc, list);
}

static void unknown_name(struct compiler *cc, struct node *n)
{
	struct sym *s = n->sym;

	if (s->warned || cc->syntax_errors)
		return;
	s->warned = true;
	diag_warn(&cc->diag, n->pos, "'%s' is read but never assigned", s->name);
	scope_suggest(cc, s->name);
}

/* A builtin read as a value, without (). */
static void check_builtin_name(struct compiler *cc, struct node *n, const struct builtin *bi)
{
	switch (bi->kind) {
	case BI_VALUE:
		n->kind = N_CALL;
		n->call = CALL_BUILTIN;
		n->ival = bi->id;
		break;
	case BI_ARG:
		n->kind = N_EVARG;
		n->ival = bi->id;
		break;
	case BI_ARGS:
		diag_error(&cc->diag, n->pos, "args needs the name of a field: args.name");
		break;
	case BI_SCRIPTARGS:
		diag_error(&cc->diag, n->pos,
			   "arg needs a number: arg[1] is the first argument of the script");
		break;
	case BI_FUNCTION:
		diag_error(&cc->diag, n->pos, "'%s' is a built-in function and can only be called",
			   bi->name);
		break;
	case BI_SPACE:
		diag_error(&cc->diag, n->pos,
			   "'%s' stands only in front of its functions, as in %s",
			   bi->name, !strcmp(bi->name, "kdebug") ? "kdebug.probe(...)" :
			   !strcmp(bi->name, "timer") ? "timer.s(...)" : "table.new(...)");
		break;
	default:
		diag_error(&cc->diag, n->pos, "`%s` is not available in this version of ktap",
			   bi->name);
	}
}

/* In a filter a name is a field of the event before it is anything else. */
static void check_filter_name(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = node_builtin(n);
	struct node *other = NULL;

	if (n->sym->func && !n->sym->global)
		return;
	if (n->sym->global || (bi && (bi->kind == BI_VALUE || bi->kind == BI_ARG))) {
		other = node_new(cc, N_NAME, n->pos);
		other->str = n->str;
		other->sym = n->sym;
		if (bi)
			check_builtin_name(cc, other, bi);
	}
	n->kind = N_FILTERNAME;
	n->a = other;
}

static void check_name(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = node_builtin(n);

	if (n->var)
		return;
	if (cc->func->filter)
		check_filter_name(cc, n);
	else if (bi)
		check_builtin_name(cc, n, bi);
	else if (!n->sym->global && !n->sym->func)
		unknown_name(cc, n);
}

/* Those that pattern_filter() has left. */
static void check_pattern(struct compiler *cc, const struct node *n)
{
	if (!cc->func->filter || (n->op != OP_EQ && n->op != OP_NE))
		return;
	if ((pattern_subject(n->a) && pattern_is(n->b)) ||
	    (pattern_subject(n->b) && pattern_is(n->a))) {
		diag_error(&cc->diag, n->pos,
			   "a pattern of functions is for ftrace:function, alone or in an '&&'");
		diag_note(&cc->diag, "elsewhere it stands in the event: trace probe:vfs_* { ... }");
	}
}

static void check_index(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = node_builtin(n->a);

	check_exprs(cc, n->list);
	if (bi && bi->kind == BI_SCRIPTARGS) {
		if (n->list->next)
			diag_error(&cc->diag, n->pos, "arg takes one number");
		n->kind = N_CALL;
		n->call = CALL_BUILTIN;
		n->ival = bi->id;
		return;
	}
	check_expr(cc, n->a);
	if (list_len(n->list) > KTAP_MAX_ARGS)
		diag_error(&cc->diag, n->pos, "a key has at most %u parts", KTAP_MAX_ARGS);
}

static void check_field(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = node_builtin(n->a);

	if (bi && bi->kind == BI_ARGS)
		n->kind = N_EVFIELD;
	else
		check_expr(cc, n->a);
}

void check_expr(struct compiler *cc, struct node *n)
{
	if (!n)
		return;
	switch (n->kind) {
	case N_NAME:
		check_name(cc, n);
		break;
	case N_INDEX:
		check_index(cc, n);
		break;
	case N_FIELD:
		check_field(cc, n);
		break;
	case N_CALL:
		check_call(cc, n);
		break;
	case N_TABLE:
		check_exprs(cc, n->list);
		break;
	case N_STR:
		if (n->len > KTAP_MAX_STRLEN)
			diag_error(&cc->diag, n->pos, "a string has at most %u bytes",
				   KTAP_MAX_STRLEN);
		break;
	case N_BINARY:
		check_pattern(cc, n);
		__attribute__((fallthrough));
	default:
		check_expr(cc, n->a);
		check_expr(cc, n->b);
		check_expr(cc, n->c);
		fold_expr(cc, n);
	}
}

static void check_target(struct compiler *cc, struct node *n)
{
	struct node *base = n->a;

	if (n->kind == N_NAME)
		return;
	check_expr(cc, base);
	check_exprs(cc, n->list);
	if (base->kind == N_EVARG || (base->kind == N_CALL && base->str && base->call))
		diag_error(&cc->diag, base->pos,
			   "'%s' is a built-in value, not a table", base->str);
}

/* count(t, k, n) as a statement is t[k] += n. */
static void count_to_assign(struct compiler *cc, struct node *n)
{
	struct node *call = n->a, *index;

	if (call->call != CALL_BUILTIN || call->ival != KTAP_FN_COUNT ||
	    list_len(call->list) < 2)
		return;
	index = node_new(cc, N_INDEX, call->pos);
	index->a = call->list;
	index->list = index->a->next;
	n->kind = S_OPASSIGN;
	n->op = OP_ADD;
	n->pos = call->pos;
	n->b = index->list->next ? index->list->next : node_int(cc, call->pos, 1);
	index->a->next = NULL;
	index->list->next = NULL;
	n->a = index;
}

static void check_for_in(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = n->a->kind == N_CALL ? node_builtin(n->a->a) : NULL;

	if (bi && !strcmp(bi->name, "pairs")) {
		if (list_len(n->a->list) != 1) {
			diag_error(&cc->diag, n->a->pos, "pairs() takes one table");
			return;
		}
		n->a = n->a->list;
	}
	check_expr(cc, n->a);
	if (is_const(n->a) || n->a->kind == N_FUNC)
		diag_error(&cc->diag, n->a->pos, "only a table can be iterated over, not %s",
			   type_name(static_type(n->a)));
	check_block(cc, n->list);
}

static void check_handler(struct compiler *cc, struct node *n)
{
	const struct func *f = n->kind == N_FUNC ? n->func : NULL;

	if (n->kind == N_NAME && !n->var && !n->sym->func && !n->sym->global) {
		diag_error(&cc->diag, n->pos, "unknown function '%s'", n->str);
		scope_suggest(cc, n->str);
		return;
	}
	if (n->kind == N_NAME && !n->var && !n->sym->global)
		f = n->sym->func;
	if (f && f->nparams > 1)
		diag_error(&cc->diag, n->pos,
			   "a handler is called with the event alone, '%s' takes %u arguments",
			   f->name, f->nparams);
}

static void check_trace(struct compiler *cc, struct node *n)
{
	struct node *event;

	if (n->func)
		pattern_filter(cc, n);
	for (event = n->list; event; event = event->next) {
		check_expr(cc, event);
		if (event->kind == N_STR)
			event_normalise(cc, event);
		else if (is_const(event))
			diag_error(&cc->diag, event->pos, "an event is a string, not %s",
				   type_name(static_type(event)));
		else if (n->func)
			diag_error(&cc->diag, event->pos,
				   "a filter needs an event that is known at compile time");
	}
	check_handler(cc, n->a);
}

static void check_values(struct compiler *cc, const struct node *n)
{
	unsigned int targets = list_len(n->list), values = list_len(n->list2);

	if (values > targets)
		diag_error(&cc->diag, list_at(n->list2, targets)->pos,
			   "more values than variables in this assignment");
}

static void check_stmt(struct compiler *cc, struct node *n)
{
	struct node *i;

	switch (n->kind) {
	case S_ASSIGN:
		check_exprs(cc, n->list2);
		for (i = n->list; i; i = i->next)
			check_target(cc, i);
		check_values(cc, n);
		break;
	case S_LOCAL:
		check_exprs(cc, n->list2);
		check_values(cc, n);
		break;
	case S_OPASSIGN:
		check_expr(cc, n->b);
		check_target(cc, n->a);
		if (n->op < OP_CONCAT) {
			/* what its right side alone shows to be wrong */
			struct node probe = { .kind = N_BINARY, .op = n->op, .pos = n->pos };
			struct node left = { .kind = N_NAME };

			probe.a = &left;
			probe.b = n->b;
			fold_expr(cc, &probe);
		}
		break;
	case S_CALL:
		check_expr(cc, n->a);
		count_to_assign(cc, n);
		break;
	case S_IF:
		for (i = n->list; i; i = i->next) {
			check_expr(cc, i->a);
			check_block(cc, i->list);
		}
		break;
	case S_FORNUM:
		check_expr(cc, n->c);
		if (n->c && n->c->kind == N_INT && !n->c->ival)
			diag_error(&cc->diag, n->c->pos, "the step of 'for' is zero");
		check_expr(cc, n->a);
		check_expr(cc, n->b);
		check_block(cc, n->list);
		break;
	case S_FORC:
		if (n->a)
			check_stmt(cc, n->a);
		check_expr(cc, n->b);
		check_block(cc, n->list2);
		check_block(cc, n->list);
		break;
	case S_FORIN:
		check_for_in(cc, n);
		break;
	case S_RETURN:
		check_exprs(cc, n->list);
		if (list_len(n->list) > KTAP_MAX_ARGS)
			diag_error(&cc->diag, n->pos, "at most %u values can be returned",
				   KTAP_MAX_ARGS);
		break;
	case S_DELETE:
		check_expr(cc, n->a);
		break;
	case S_TRACE:
		check_trace(cc, n);
		break;
	default:
		check_expr(cc, n->a);
		check_block(cc, n->list);
	}
}

static void check_block(struct compiler *cc, struct node *list)
{
	for (; list; list = list->next)
		check_stmt(cc, list);
}

void check_script(struct compiler *cc)
{
	struct func *f;

	for (f = cc->main; f; f = f->next) {
		if (!f->bound)
			continue;
		cc->func = f;
		if (f->nparams > KTAP_MAX_ARGS)
			diag_error(&cc->diag, f->pos, "a function has at most %u parameters",
				   KTAP_MAX_ARGS);
		check_block(cc, f->body);
	}
}
