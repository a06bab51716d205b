// SPDX-License-Identifier: GPL-2.0
/* Check what is called, and with which arguments. */
#include <string.h>

#include <linux/ktap.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"
#include "compiler/suggest.h"
#include "compiler/util.h"

/* Functions with a dot in their name; each takes arguments of its own kind. */
enum member {
	MEMBER_PROBE,		/* (event, handler) */
	MEMBER_EDGE,		/* (handler); text is the event */
	MEMBER_TIMER,		/* (n, handler); text is the unit */
	MEMBER_NAMED,		/* (name, handler); text is before the name of the event */
	MEMBER_TABLE_NEW,	/* (narr, nrec) */
	MEMBER_PRINTF,		/* (n, ...); text is the format */
	MEMBER_CAST,		/* (type of a pointer, address) */
	MEMBER_BUILTIN,		/* those of the built-in function whose name is text */
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
	{ "kdebug", "trace_end", MEMBER_EDGE, "trace_end", 1, 1 },
	{ "kdebug", "tracepoint", MEMBER_NAMED, "*:", 2, 2 },
	{ "kdebug", "kprobe", MEMBER_NAMED, "probe:", 2, 2 },
	{ "kdebug", "dumpstack", MEMBER_BUILTIN, "print_backtrace", 0, 0 },
	{ "timer", "s", MEMBER_TIMER, "s", 2, 2 },
	{ "timer", "ms", MEMBER_TIMER, "ms", 2, 2 },
	{ "timer", "us", MEMBER_TIMER, "us", 2, 2 },
	{ "timer", "ns", MEMBER_TIMER, "ns", 2, 2 },
	{ "timer", "profile", MEMBER_NAMED, "profile-", 2, 2 },
	{ "timer", "tick", MEMBER_NAMED, "tick-", 2, 2 },
	{ "table", "new", MEMBER_TABLE_NEW, NULL, 0, 2 },
	{ "test", "plan", MEMBER_BUILTIN, "test.plan", 1, 2 },
	{ "test", "ok", MEMBER_BUILTIN, "test.ok", 1, 2 },
	{ "test", "is", MEMBER_BUILTIN, "test.is", 2, 3 },
	{ "test", "isnt", MEMBER_BUILTIN, "test.isnt", 2, 3 },
	{ "test", "skip", MEMBER_BUILTIN, "test.skip", 1, 2 },
	{ "test", "diag", MEMBER_BUILTIN, "test.diag", 1, 1 },
	{ "ffi", "cdef", MEMBER_BUILTIN, "cdef", 1, 1 },
	{ "ffi", "cast", MEMBER_CAST, "cast", 2, 2 },
	{ "ffi", "sizeof", MEMBER_BUILTIN, "sizeof", 1, 1 },
	{ "ffi", "offsetof", MEMBER_BUILTIN, "offsetof", 2, 2 },
	{ "ansi", "clear_screen", MEMBER_PRINTF, "\033[1;1H\033[J", 0, 0 },
	{ "ansi", "set_color", MEMBER_PRINTF, "\033[%dm", 1, 1 },
	{ "ansi", "set_color2", MEMBER_PRINTF, "\033[%d;%dm", 2, 2 },
	{ "ansi", "set_color3", MEMBER_PRINTF, "\033[%d;%d;%dm", 3, 3 },
	{ "ansi", "reset_color", MEMBER_PRINTF, "\033[0;0m", 0, 0 },
	{ "ansi", "new_line", MEMBER_PRINTF, "\n", 0, 0 },
};

const char *member_example(struct compiler *cc, const char *space)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(members); i++)
		if (!strcmp(members[i].space, space))
			break;
	return pool_printf(&cc->pool, "%s.%s(%s)", space, members[i].name,
			   members[i].max ? "..." : "");
}

bool check_arity(struct compiler *cc, const struct node *n, const char *name, unsigned int min,
		 unsigned int max)
{
	bool open = list_is_open(n->list);
	unsigned int given = list_len(n->list) - open;
	const char *least = open ? "at least " : "";

	if (given <= max && (open || given >= min))
		return true;
	if (!max)
		diag_error(&cc->diag, n->pos, "%s() takes no arguments, %s%u given", name, least,
			   given);
	else if (min == max)
		diag_error(&cc->diag, n->pos, "%s() takes %u argument%s, %s%u given", name, min,
			   min == 1 ? "" : "s", least, given);
	else if (given < min)
		diag_error(&cc->diag, n->pos, "%s() takes at least %u argument%s, %u given", name,
			   min, min == 1 ? "" : "s", given);
	else
		diag_error(&cc->diag, n->pos, "%s() takes at most %u argument%s, %s%u given", name,
			   max, max == 1 ? "" : "s", least, given);
	return false;
}

static struct node *make_concat(struct compiler *cc, struct node *a, struct node *b)
{
	struct node *n = node_new(cc, N_BINARY, b->pos);

	n->op = OP_CONCAT;
	n->a = a;
	n->b = b;
	fold_expr(cc, n);
	return n;
}

static void set_event(struct node *call, struct node *event)
{
	event->next = call->list->next;
	call->list->next = NULL;
	call->list = event;
}

static void check_registration(struct compiler *cc, const struct node *n)
{
	struct node *event = n->list, *handler = event->next;

	if (handler->kind == N_FUNC)
		handler->func->in_event = !check_is_in_process(event);
	if (event->kind == N_STR)
		event_normalise(cc, event);
	else if (!(static_type(event) & TYPE_STRING))
		diag_error(&cc->diag, event->pos, "an event is a string, not %s",
			   type_text(cc, static_type(event)));
	if (!(static_type(handler) & TYPE_FUNCTION))
		diag_error(&cc->diag, handler->pos, "a handler is a function, not %s",
			   type_text(cc, static_type(handler)));
}

static const struct builtin table_new = { .name = "table.new", .type = TYPE_TABLE };

/* With constant sizes the call becomes an instruction. */
static void check_table_new(struct compiler *cc, struct node *n)
{
	const struct node *arg;
	bool constant = true;
	int64_t entries = 0;

	for (arg = n->list; arg; arg = arg->next) {
		if (!(static_type(arg) & TYPE_INT) ||
		    (arg->kind == N_INT && (arg->ival < 0 || arg->ival > INT32_MAX))) {
			diag_error(&cc->diag, arg->pos, "table.new() takes sizes from 0 to %d",
				   INT32_MAX);
			return;
		}
		constant &= arg->kind == N_INT;
		entries += arg->ival;
	}
	if (!constant) {
		n->ival = KTAP_FN_TABLE_NEW;
		n->builtin = &table_new;
		return;
	}
	n->call = CALL_NEWT;
	n->ival = entries > INT32_MAX ? INT32_MAX : entries;
}

static void check_integers(struct compiler *cc, const struct node *arg)
{
	for (; arg; arg = arg->next)
		if (!(static_type(arg) & TYPE_INT))
			diag_error(&cc->diag, arg->pos, "a colour is an integer, not %s",
				   type_text(cc, static_type(arg)));
}

/* ffi.cast() takes the type of the pointer, cast() that of its target. */
static void name_target(struct compiler *cc, struct node *type)
{
	size_t len = type && type->kind == N_STR ? type->len : 0;

	if (!len || type->str[len - 1] != '*')
		return;
	for (len--; len && type->str[len - 1] == ' '; len--)
		;
	type->str = pool_strndup(&cc->pool, type->str, len);
	type->len = len;
}

static void check_member(struct compiler *cc, struct node *n, size_t i)
{
	struct node *arg = n->list;

	check_exprs(cc, n->list);
	if (members[i].member == MEMBER_CAST)
		name_target(cc, n->list);
	if (members[i].member == MEMBER_BUILTIN || members[i].member == MEMBER_CAST) {
		check_builtin_call(cc, n, builtin_find(members[i].text));
		return;
	}
	n->call = CALL_BUILTIN;
	n->ival = KTAP_FN_PROBE;
	if (!check_arity(cc, n, pool_printf(&cc->pool, "%s.%s", members[i].space,
					    members[i].name), members[i].min, members[i].max))
		return;
	switch (members[i].member) {
	case MEMBER_TABLE_NEW:
		check_table_new(cc, n);
		return;
	case MEMBER_PRINTF:
		check_integers(cc, arg);
		n->ival = KTAP_FN_PRINTF;
		n->list = node_str(cc, n->pos, members[i].text);
		n->list->next = arg;
		return;
	default:
		break;
	}
	if (list_is_open(n->list)) {
		diag_error(&cc->diag, arg->pos, "%s.%s() needs its arguments one by one",
			   members[i].space, members[i].name);
		return;
	}
	if (members[i].member == MEMBER_EDGE) {
		n->list = node_str(cc, n->pos, members[i].text);
		n->list->next = arg;
	} else if (members[i].member == MEMBER_TIMER) {
		set_event(n, make_concat(cc, make_concat(cc, node_str(cc, arg->pos, "tick-"), arg),
					 node_str(cc, arg->pos, members[i].text)));
	} else if (members[i].member == MEMBER_NAMED) {
		set_event(n, make_concat(cc, node_str(cc, arg->pos, members[i].text), arg));
	}
	check_registration(cc, n);
}

static void check_space(struct compiler *cc, struct node *n, const char *space)
{
	unsigned int distance = edit_limit(n->a->str) + 1, d;
	const char *best = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(members); i++) {
		if (strcmp(members[i].space, space))
			continue;
		d = edit_distance(members[i].name, n->a->str);
		if (!d) {
			check_member(cc, n, i);
			return;
		}
		if (d < distance) {
			distance = d;
			best = members[i].name;
		}
	}
	diag_error(&cc->diag, n->a->pos, "'%s' has no function '%s'", space, n->a->str);
	/* The first ktap had it. */
	if (!strcmp(space, "ffi") && !strcmp(n->a->str, "new"))
		diag_note(&cc->diag,
			  "scripts make no objects of C: a table has members, { x = 1 }, and elements, { 1, 2 }");
	else if (best)
		diag_note(&cc->diag, "did you mean '%s.%s'?", space, best);
}

/* In event.set_retval(n), the event precedes the argument. */
static void check_set_retval(struct compiler *cc, struct node *n)
{
	n->ival = KTAP_FN_SET_RETVAL;
	n->builtin = builtin_find("set_retval");
	cc->acts = true;
	if (check_arity(cc, n, "set_retval", 1, 1) && !(static_type(n->list) & TYPE_INT))
		diag_error(&cc->diag, n->list->pos, "set_retval() takes an integer, not %s",
			   type_text(cc, static_type(n->list)));
}

/*
 * x.tostring(), x.field(n) or x.set_retval(n), or one that switches a probe; any
 * other x.name() calls a function from a table.
 */
static void check_method(struct compiler *cc, struct node *n)
{
	struct node *object = n->a->a;

	if (check_is_ffi_c(object)) {
		check_kernel_call(cc, n);
		return;
	}
	if (check_switch(cc, n))
		return;
	check_expr(cc, n->a);
	check_exprs(cc, n->list);
	if (n->a->kind != N_FIELD)
		return;
	if (!strcmp(n->a->str, "tostring")) {
		check_arity(cc, n, "tostring", 0, 0);
		n->ival = KTAP_FN_TOSTRING;
		n->builtin = builtin_find("tostring");
	} else if (!strcmp(n->a->str, "field")) {
		check_arity(cc, n, "field", 1, 1);
		n->ival = KTAP_FN_EVENT_FIELD;
	} else if (!strcmp(n->a->str, "set_retval")) {
		check_set_retval(cc, n);
	} else {
		return;
	}
	n->call = CALL_BUILTIN;
	object->next = n->list;
	n->list = object;
}

struct func *static_func(const struct node *n)
{
	if (n->kind == N_FUNC)
		return n->func;
	if (n->kind != N_NAME)
		return NULL;
	if (n->var)
		return n->var->constant;
	return !n->sym || n->sym->global ? NULL : n->sym->func;
}

static void check_named_call(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = node_builtin(n->a);
	struct func *f = static_func(n->a);

	check_exprs(cc, n->list);
	if (f) {
		n->call = CALL_DIRECT;
		n->func = f;
		if (check_arity(cc, n, f->name, f->nparams,
				f->variadic ? KTAP_MAX_ARGS : f->nparams) &&
		    n->a->kind == N_NAME && n->a->sym && n->a->sym->written)
			check_written_call(cc, n, n->a->sym->builtin);
	} else if (n->a->var || n->a->sym->global) {
		n->call = CALL_VALUE;
		if (!n->a->var && n->a->sym->automatic)
			diag_error(&cc->diag, n->pos, "'%s' is %s here, not a function", n->a->str,
				   n->a->sym->aggregated ? "an aggregation" : "a table");
	} else if (bi && (bi->kind == BI_VALUE || bi->kind == BI_FUNCTION)) {
		check_builtin_call(cc, n, bi);
	} else if (bi) {
		check_other_call(cc, n, bi);
	} else if (!cc->syntax_errors && !n->a->sym->warned) {
		diag_error(&cc->diag, n->pos, "unknown function '%s'", n->a->str);
		scope_suggest(cc, n->a->str, true);
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
