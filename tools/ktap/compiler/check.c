// SPDX-License-Identifier: GPL-2.0
/*
 * Second pass over the tree, after all names are known: decide what each name
 * and call means, fold constants, and report errors. This file: statements.
 */
#include <string.h>

#include <linux/ktap.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"

static bool check_block(struct compiler *cc, struct node *list);

static void check_target(struct compiler *cc, struct node *n)
{
	struct node *base = n->a;

	if (n->kind == N_NAME)
		return;
	check_expr(cc, n);
	if (n->kind != N_INDEX && n->kind != N_FIELD) {
		if (n->kind != N_SELF)
			diag_error(&cc->diag, n->pos, "a built-in value cannot be assigned to");
		return;
	}
	if (base->kind == N_EVARG || (base->kind == N_CALL && base->str && base->call))
		diag_error(&cc->diag, base->pos,
			   "'%s' is a built-in value, not a table", base->str);
	check_written_keys(cc, n->list);
}

/* count(t, k, n) as a statement is t[k] += n. */
static void count_to_assign(struct compiler *cc, struct node *n)
{
	struct node *call = n->a, *index;

	if (call->kind != N_CALL || call->call != CALL_BUILTIN || call->ival != KTAP_FN_COUNT ||
	    list_len(call->list) < 2 || list_is_open(call->list))
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

/* Does the script end at this call? */
static bool is_last_call(const struct node *n)
{
	return n->kind == N_CALL && n->call == CALL_BUILTIN &&
	       (n->ival == KTAP_FN_EXIT || n->ival == KTAP_FN_ERROR);
}

static void check_for_in(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = n->a->kind == N_CALL ? node_builtin(n->a->a) : NULL;

	if (bi && bi->kind == BI_ITERATOR) {
		check_exprs(cc, n->a->list);
		check_builtin_call(cc, n->a, bi);
		/* pairs(t) is t */
		if (!bi->id && n->a->list)
			n->a = n->a->list;
	} else {
		check_expr(cc, n->a);
	}
	if (!(static_type(n->a) & (TYPE_TABLE | TYPE_AGG)))
		diag_error(&cc->diag, n->a->pos, "only a table can be iterated over, not %s",
			   type_text(cc, static_type(n->a)));
	check_block(cc, n->list);
}

void check_handler(struct compiler *cc, struct node *n)
{
	const struct func *f = n->kind == N_FUNC ? n->func : NULL;

	if (n->kind == N_NAME && !n->var && !n->sym->func && !n->sym->global) {
		diag_error(&cc->diag, n->pos, "unknown function '%s'", n->str);
		diag_note(&cc->diag, "a handler is written in braces, { ... }, or is a function: %s",
			  "its name, or function (e) { ... }");
		scope_suggest(cc, n->str, true);
		return;
	}
	if (n->kind == N_NAME && !n->var && !n->sym->global)
		f = n->sym->func;
	if (f && f->nparams > 1)
		diag_error(&cc->diag, n->pos,
			   "a handler is called with the event alone, '%s' takes %u arguments",
			   f->name, f->nparams);
}

bool check_is_in_process(const struct node *event)
{
	return event->kind != N_STR || !strncmp(event->str, "tick-", 5) ||
	       !strcmp(event->str, "trace_begin") || !strcmp(event->str, "trace_end");
}

/* Ticks and probes without an event have no fields. */
static bool may_have_fields(const struct node *event)
{
	for (; event; event = event->next) {
		if (event->kind != N_STR || (strncmp(event->str, "tick-", 5) &&
					     strncmp(event->str, "trace_", 6)))
			return true;
	}
	return false;
}

static void check_condition(struct compiler *cc, const struct node *n)
{
	/* a local was reported already */
	if (n->var || !n->sym || n->sym->global || n->sym->warned)
		return;
	if (n->sym->func || n->sym->builtin)
		diag_error(&cc->diag, n->pos, "the condition of a probe is a global, '%s' is a %s",
			   n->str, n->sym->func ? "function" : "built-in name");
	else
		diag_error(&cc->diag, n->pos,
			   "'%s' is never assigned: the probe would never be attached", n->str);
	n->sym->warned = true;
}

static void check_trace(struct compiler *cc, struct node *n)
{
	const char *what = n->b ? "condition" : "filter";
	bool in_event = true;
	struct node *event;

	if (n->func)
		pattern_filter(cc, n);
	if (n->b)
		check_condition(cc, n->b);
	for (event = n->list; event; event = event->next) {
		check_expr(cc, event);
		if (event->kind == N_STR)
			event_normalise(cc, event);
		else if (!(static_type(event) & TYPE_STRING))
			diag_error(&cc->diag, event->pos, "an event is a string, not %s",
				   type_text(cc, static_type(event)));
		else if (n->func)
			diag_error(&cc->diag, event->pos,
				   "a %s needs an event that is known at compile time", what);
		in_event &= !check_is_in_process(event);
	}
	check_handler(cc, n->a);
	if (n->a->kind == N_FUNC) {
		n->a->func->in_event = in_event;
		n->a->func->handler = may_have_fields(n->list);
	}
	if (n->func && !static_func(n->a))
		diag_error(&cc->diag, n->a->pos,
			   "a %s needs a handler that is known at compile time", what);
}

static void check_delete(struct compiler *cc, struct node *n)
{
	unsigned int type;

	if (n->a->kind == N_INDEX || n->a->kind == N_FIELD) {
		check_target(cc, n->a);
		return;
	}
	check_expr(cc, n->a);
	type = static_type(n->a);
	if (n->a->kind != N_SELF && !(type & (TYPE_TABLE | TYPE_AGG)))
		diag_error(&cc->diag, n->a->pos, "'delete' takes t[k], t.name or a table, not %s",
			   type_text(cc, type));
}

static void check_values(struct compiler *cc, const struct node *n)
{
	unsigned int targets = list_len(n->list), values = list_len(n->list2);

	if (targets > KTAP_MAX_REGS)
		diag_error(&cc->diag, list_at(n->list, KTAP_MAX_REGS)->pos,
			   "an assignment has at most %u variables", KTAP_MAX_REGS);
	if (values > targets)
		diag_error(&cc->diag, list_at(n->list2, targets)->pos,
			   "more values than variables in this assignment");
}

/* Report an x += y whose y has the wrong type. */
static void check_op_assign(struct compiler *cc, struct node *n)
{
	struct node left = { .kind = N_VARG }, whole = {
		.kind = N_BINARY, .op = n->op, .pos = n->pos, .a = &left, .b = n->b,
	};

	check_expr(cc, n->b);
	check_target(cc, n->a);
	fold_expr(cc, &whole);
}

static void check_aggregate(struct compiler *cc, struct node *n)
{
	unsigned int type;

	check_expr(cc, n->b);
	check_target(cc, n->a);
	if (n->a->kind == N_NAME && !n->a->var && !n->a->sym->global)
		diag_error(&cc->diag, n->a->pos, "'%s' is %s, not an aggregation", n->a->str,
			   n->a->sym->func ? "a function" : "a built-in value");
	type = static_type(n->b);
	if (!(type & (TYPE_INT | TYPE_NIL)))
		diag_error(&cc->diag, n->b->pos, "'<<<' adds integers, not %s",
			   type_text(cc, type));
}

static void check_for_num(struct compiler *cc, struct node *n)
{
	struct node *bounds[] = { n->a, n->b, n->c };
	unsigned int type;
	size_t i;

	for (i = 0; i < 3; i++) {
		check_expr(cc, bounds[i]);
		type = bounds[i] ? static_type(bounds[i]) : TYPE_INT;
		if (!(type & (TYPE_INT | TYPE_NIL)))
			diag_error(&cc->diag, bounds[i]->pos, "'for' counts integers, not %s",
				   type_text(cc, type));
	}
	if (n->c && (n->c->kind == N_INT || n->c->kind == N_NIL) && !n->c->ival)
		diag_error(&cc->diag, n->c->pos, "the step of 'for' is zero");
	check_block(cc, n->list);
}

/* Returns false if the statements after it are unreachable. */
static bool check_if(struct compiler *cc, struct node *n)
{
	bool goes_on = false, otherwise = false;
	struct node *arm;

	for (arm = n->list; arm; arm = arm->next) {
		check_expr(cc, arm->a);
		goes_on |= check_block(cc, arm->list);
		otherwise |= !arm->a;
	}
	return goes_on || !otherwise;
}

static bool check_stmt(struct compiler *cc, struct node *n)
{
	const struct builtin *bi;
	bool goes_on;
	struct node *i;

	switch (n->kind) {
	case S_ASSIGN:
		if (check_aggregation(cc, n))
			return true;
		check_exprs(cc, n->list2);
		for (i = n->list; i; i = i->next)
			check_target(cc, i);
		check_values(cc, n);
		return true;
	case S_LOCAL:
		if (check_aggregation(cc, n))
			return true;
		check_exprs(cc, n->list2);
		check_values(cc, n);
		return true;
	case S_OPASSIGN:
		check_op_assign(cc, n);
		return true;
	case S_AGGREGATE:
		check_aggregate(cc, n);
		return true;
	case S_CALL:
		bi = n->a->kind == N_CALL ? node_builtin(n->a->a) : NULL;
		check_expr(cc, n->a);
		if (n->a->kind != N_CALL && bi && bi->asserts)
			return true;
		if (n->a->kind != N_CALL) {
			diag_error(&cc->diag, n->pos, "the value of this is not used");
			return true;
		}
		goes_on = !is_last_call(n->a);
		count_to_assign(cc, n);
		return goes_on;
	case S_IF:
		return check_if(cc, n);
	case S_FORNUM:
		check_for_num(cc, n);
		return true;
	case S_FORC:
		if (n->a)
			check_stmt(cc, n->a);
		check_expr(cc, n->b);
		check_block(cc, n->list2);
		check_block(cc, n->list);
		return true;
	case S_FORIN:
		check_for_in(cc, n);
		return true;
	case S_WHILE:
	case S_REPEAT:
		check_expr(cc, n->a);
		check_block(cc, n->list);
		return true;
	case S_TRY:
		goes_on = check_block(cc, n->list);
		return check_block(cc, n->list2) || goes_on;
	case S_BREAK:
	case S_CONTINUE:
		return false;
	case S_RETURN:
		check_exprs(cc, n->list);
		if (list_len(n->list) > KTAP_MAX_ARGS)
			diag_error(&cc->diag, n->pos, "at most %u values can be returned",
				   KTAP_MAX_ARGS);
		return false;
	case S_DELETE:
		check_delete(cc, n);
		return true;
	case S_BLOCK:
		return check_block(cc, n->list);
	case S_TRACE:
		check_trace(cc, n);
		return true;
	default:
		return true;
	}
}

/* Returns false if the statements after it are unreachable. */
static bool check_block(struct compiler *cc, struct node *list)
{
	bool reached = true, warned = false;

	for (; list; list = list->next) {
		/* a function may be declared after a return */
		if (!reached && !warned && list->kind != S_FUNC) {
			diag_warn(&cc->diag, list->pos, "%s", cc->translation ?
				  "Unreachable statement" : "this is never reached");
			warned = true;
		}
		reached &= check_stmt(cc, list);
	}
	return reached;
}

static void check_unused(struct compiler *cc)
{
	const struct var *v;

	/* text that was not parsed may have used it, or it is one of a translated script */
	if (cc->syntax_errors || cc->translation)
		return;
	for (v = cc->all_vars; v; v = v->next)
		if (!v->used && v->name[0] != '_')
			diag_warn(&cc->diag, v->pos, "'%s' is never used", v->name);
}

void check_script(struct compiler *cc)
{
	struct func *f;

	cc->switches = switch_is_used(cc);
	for (f = cc->main; f; f = f->next) {
		if (!f->bound)
			continue;
		cc->func = f;
		check_block(cc, f->body);
	}
	check_unused(cc);
}
