// SPDX-License-Identifier: GPL-2.0
/* The second pass over the tree: what each name and expression means. */
#include <string.h>

#include <linux/ktap.h>

#include "ast.h"
#include "builtins.h"

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
	scope_suggest(cc, s->name, false);
}

/* A builtin read as a value, without (). */
static void check_builtin_name(struct compiler *cc, struct node *n, const struct builtin *bi)
{
	switch (bi->kind) {
	case BI_VALUE:
		n->kind = N_CALL;
		n->call = CALL_BUILTIN;
		n->ival = bi->id;
		n->builtin = bi;
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
	case BI_SELF:
		diag_error(&cc->diag, n->pos, "self takes names only: self.name");
		break;
	case BI_FUNCTION:
	case BI_ITERATOR:
		diag_error(&cc->diag, n->pos, "'%s' is a built-in function and can only be called",
			   bi->name);
		break;
	case BI_SPACE:
		diag_error(&cc->diag, n->pos,
			   "'%s' stands only in front of its functions, as in %s",
			   bi->name, member_example(cc, bi->name));
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

#define INDEXED		(TYPE_TABLE | TYPE_AGG | TYPE_EVENT | TYPE_POINTER | TYPE_NIL)

/* What is looked into. */
static void check_indexed(struct compiler *cc, const struct node *n)
{
	if (!(static_type(n) & INDEXED))
		diag_error(&cc->diag, n->pos, "only a table can be indexed, not %s",
			   type_text(cc, static_type(n)));
}

static void check_key(struct compiler *cc, const struct node *key)
{
	if (!(static_type(key) & ~(TYPE_TABLE | TYPE_AGG | TYPE_FUNCTION | TYPE_EVENT)))
		diag_error(&cc->diag, key->pos, "%s cannot be a key",
			   type_text(cc, static_type(key)));
}

static void check_keys(struct compiler *cc, const struct node *n, const struct node *keys)
{
	if (list_len(keys) > KTAP_MAX_ARGS)
		diag_error(&cc->diag, n->pos, "a key has at most %u parts", KTAP_MAX_ARGS);
	for (; keys; keys = keys->next)
		check_key(cc, keys);
}

void check_written_keys(struct compiler *cc, const struct node *keys)
{
	if (keys && !keys->next && static_type(keys) == TYPE_NIL)
		diag_warn(&cc->diag, keys->pos, "nil cannot be a key");
}

static void check_index(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = node_builtin(n->a);

	check_exprs(cc, n->list);
	check_keys(cc, n, n->list);
	if (bi && bi->kind == BI_SCRIPTARGS) {
		if (n->list->next || list_is_open(n->list))
			diag_error(&cc->diag, n->pos, "arg takes one number");
		n->kind = N_CALL;
		n->call = CALL_BUILTIN;
		n->ival = bi->id;
		n->builtin = bi;
		return;
	}
	check_expr(cc, n->a);
	check_indexed(cc, n->a);
}

static void check_field(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = node_builtin(n->a);

	if (bi && (bi->kind == BI_ARGS || bi->kind == BI_SELF)) {
		n->kind = bi->kind == BI_SELF ? N_SELF : N_EVFIELD;
		n->a = NULL;
		return;
	}
	check_expr(cc, n->a);
	check_indexed(cc, n->a);
}

static void check_items(struct compiler *cc, struct node *item)
{
	for (; item; item = item->next) {
		check_exprs(cc, item->list);
		check_keys(cc, item, item->list);
		check_written_keys(cc, item->list);
		check_expr(cc, item->b);
	}
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
		check_items(cc, n->list);
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
