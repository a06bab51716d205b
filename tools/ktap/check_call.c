// SPDX-License-Identifier: GPL-2.0
/* What is called, and is it called rightly? */
#include <string.h>

#include <linux/ktap.h>

#include "ast.h"
#include "builtins.h"
#include "util.h"

/* Functions with a dot in their name; each has its own idea of arguments. */
enum member {
	MEMBER_PROBE,		/* (event, handler) */
	MEMBER_EDGE,		/* (handler); text is the event */
	MEMBER_TIMER,		/* (n, handler); text is the unit */
	MEMBER_PROFILE,		/* ("1ms", handler) */
	MEMBER_TABLE_NEW,	/* (narr, nrec) */
};

static const struct {
	const char *space;
	const char *name;
	enum member member;
	const char *text;
	unsigned int min, max;
} members[] = {
	{ "kdebug", "probe", MEMBER_PROBE, NULL, 2, 2 },
	{ "kdebug", "probe_begin", MEMBER_EDGE, "trace_begin", 1, 1 },
	{ "kdebug", "probe_end", MEMBER_EDGE, "trace_end", 1, 1 },
	{ "timer", "s", MEMBER_TIMER, "s", 2, 2 },
	{ "timer", "ms", MEMBER_TIMER, "ms", 2, 2 },
	{ "timer", "us", MEMBER_TIMER, "us", 2, 2 },
	{ "timer", "ns", MEMBER_TIMER, "ns", 2, 2 },
	{ "timer", "profile", MEMBER_PROFILE, NULL, 2, 2 },
	{ "table", "new", MEMBER_TABLE_NEW, NULL, 0, 2 },
};

static void check_arity(struct compiler *cc, const struct node *n, const char *name,
			unsigned int min, unsigned int max)
{
	unsigned int given = list_len(n->list);

	if (given >= min && given <= max)
		return;
	if (!max)
		diag_error(&cc->diag, n->pos, "%s() takes no arguments, %u given", name, given);
	else if (min == max)
		diag_error(&cc->diag, n->pos, "%s() takes %u argument%s, %u given", name, min,
			   min == 1 ? "" : "s", given);
	else if (given < min)
		diag_error(&cc->diag, n->pos, "%s() takes at least %u argument%s, %u given", name,
			   min, min == 1 ? "" : "s", given);
	else
		diag_error(&cc->diag, n->pos, "%s() takes at most %u argument%s, %u given", name,
			   max, max == 1 ? "" : "s", given);
}

static struct node *concat(struct compiler *cc, struct node *a, struct node *b)
{
	struct node *n = node_new(cc, N_BINARY, b->pos);

	n->op = OP_CONCAT;
	n->a = a;
	n->b = b;
	fold_expr(cc, n);
	return n;
}

/* Replaces the first argument. */
static void set_event(struct node *call, struct node *event)
{
	event->next = call->list->next;
	call->list->next = NULL;
	call->list = event;
}

static void check_table_new(struct compiler *cc, struct node *n)
{
	const struct node *arg;
	int64_t entries = 0;

	for (arg = n->list; arg; arg = arg->next) {
		if (arg->kind != N_INT || arg->ival < 0 || arg->ival > INT32_MAX) {
			diag_error(&cc->diag, arg->pos,
				   "table.new() takes constant sizes from 0 to %d", INT32_MAX);
			return;
		}
		entries += arg->ival;
	}
	n->call = CALL_NEWT;
	n->ival = entries > INT32_MAX ? INT32_MAX : entries;
}

static void check_member(struct compiler *cc, struct node *n, size_t i)
{
	struct node *event = n->list;

	check_exprs(cc, n->list);
	n->call = CALL_BUILTIN;
	n->ival = KTAP_FN_PROBE;
	if (list_len(n->list) < members[i].min || list_len(n->list) > members[i].max) {
		check_arity(cc, n, arena_printf(&cc->arena, "%s.%s", members[i].space,
						members[i].name),
			    members[i].min, members[i].max);
		return;
	}
	switch (members[i].member) {
	case MEMBER_TABLE_NEW:
		check_table_new(cc, n);
		return;
	case MEMBER_EDGE:
		n->list = node_str(cc, n->pos, members[i].text);
		n->list->next = event;
		break;
	case MEMBER_TIMER:
		set_event(n, concat(cc, concat(cc, node_str(cc, event->pos, "tick-"), event),
				    node_str(cc, event->pos, members[i].text)));
		break;
	case MEMBER_PROFILE:
		set_event(n, concat(cc, node_str(cc, event->pos, "profile-"), event));
		break;
	default:
		break;
	}
	event = n->list;
	if (event->kind == N_STR)
		event_normalise(cc, event);
	else if (is_const(event))
		diag_error(&cc->diag, event->pos, "an event is a string, not %s",
			   type_name(static_type(event)));
	if (static_type(event->next) != TYPE_ANY && static_type(event->next) != TYPE_FUNCTION)
		diag_error(&cc->diag, event->next->pos, "a handler is a function, not %s",
			   type_name(static_type(event->next)));
}

static void check_space(struct compiler *cc, struct node *n, const char *space)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		if (!strcmp(members[i].space, space) && !strcmp(members[i].name, n->a->str)) {
			check_member(cc, n, i);
			return;
		}
	}
	diag_error(&cc->diag, n->a->pos, "'%s' has no function '%s'", space, n->a->str);
}

/* x.tostring(), x.field(n); anything else is a function kept in a table. */
static void check_method(struct compiler *cc, struct node *n)
{
	struct node *object = n->a->a;

	if (!strcmp(n->a->str, "set_retval")) {
		diag_error(&cc->diag, n->pos,
			   "`set_retval()` is not available in this version of ktap");
		return;
	}
	check_expr(cc, n->a->a);
	check_exprs(cc, n->list);
	if (!strcmp(n->a->str, "tostring")) {
		check_arity(cc, n, "tostring", 0, 0);
		n->ival = KTAP_FN_TOSTRING;
	} else if (!strcmp(n->a->str, "field")) {
		check_arity(cc, n, "field", 1, 1);
		n->ival = KTAP_FN_EVENT_FIELD;
	} else {
		n->call = CALL_VALUE;
		return;
	}
	n->call = CALL_BUILTIN;
	object->next = n->list;
	n->list = object;
}

static void check_builtin_call(struct compiler *cc, struct node *n, const struct builtin *bi)
{
	static const char missing[] = "`%s()` is not available in this version of ktap";

	n->call = CALL_BUILTIN;
	n->ival = bi->id;
	switch (bi->kind) {
	case BI_MISSING:
		diag_error(&cc->diag, n->pos, missing, bi->name);
		return;
	case BI_ARG:
		check_arity(cc, n, bi->name, 0, 0);
		n->kind = N_EVARG;
		return;
	case BI_ARGS:
	case BI_SCRIPTARGS:
	case BI_SPACE:
		diag_error(&cc->diag, n->pos, "'%s' is no function", bi->name);
		return;
	default:
		break;
	}
	if (!strcmp(bi->name, "pairs")) {
		diag_error(&cc->diag, n->pos, "pairs() stands only in 'for (k, v in pairs(t))'");
		return;
	}
	if (bi->id == KTAP_FN_COUNT && list_len(n->list) < 2) {
		diag_error(&cc->diag, n->pos, missing, "count");
		diag_note(&cc->diag, "count(t, key[, n]), which adds to a table, is");
		return;
	}
	check_arity(cc, n, bi->name, bi->min, bi->max);
	if (bi->id == KTAP_FN_PRINTF)
		check_format(cc, n);
	if (bi->arg0 != TYPE_ANY && n->list && static_type(n->list) != TYPE_ANY &&
	    static_type(n->list) != bi->arg0)
		diag_error(&cc->diag, n->list->pos, "%s() takes %s first, not %s", bi->name,
			   type_name(bi->arg0), type_name(static_type(n->list)));
}

static void check_named_call(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = node_builtin(n->a);
	struct func *f = NULL;

	check_exprs(cc, n->list);
	if (n->a->var)
		f = n->a->var->constant;
	else if (!n->a->sym->global)
		f = n->a->sym->func;
	if (f) {
		n->call = CALL_DIRECT;
		n->func = f;
		check_arity(cc, n, f->name, f->nparams, f->nparams);
	} else if (n->a->var || n->a->sym->global) {
		n->call = CALL_VALUE;
		if (!n->a->var && n->a->sym->automatic)
			diag_error(&cc->diag, n->pos, "'%s' is a table here, not a function",
				   n->a->str);
	} else if (bi) {
		check_builtin_call(cc, n, bi);
	} else if (!cc->syntax_errors && !n->a->sym->warned) {
		diag_error(&cc->diag, n->pos, "unknown function '%s'", n->a->str);
		scope_suggest(cc, n->a->str);
	}
}

void check_call(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = n->a->kind == N_FIELD ? node_builtin(n->a->a) : NULL;

	if (list_len(n->list) > KTAP_MAX_ARGS) {
		diag_error(&cc->diag, n->pos, "a call has at most %u arguments", KTAP_MAX_ARGS);
		return;
	}
	if (bi && bi->kind == BI_SPACE) {
		check_space(cc, n, bi->name);
	} else if (n->a->kind == N_FIELD) {
		check_method(cc, n);
	} else if (n->a->kind == N_NAME) {
		check_named_call(cc, n);
	} else {
		check_expr(cc, n->a);
		check_exprs(cc, n->list);
	}
}
