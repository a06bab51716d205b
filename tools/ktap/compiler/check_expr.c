// SPDX-License-Identifier: GPL-2.0
/* Second pass over the tree: what each name and expression means. */
#include <string.h>

#include <linux/ktap.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"
#include "compiler/cdef.h"

void check_exprs(struct compiler *cc, struct node *list)
{
	for (; list; list = list->next)
		check_expr(cc, list);
}

static void event_field(struct node *n, const char *name, enum ktap_field_need need)
{
	n->kind = N_EVFIELD;
	n->str = name;
	n->ival = need;
	n->a = NULL;
	n->list = NULL;
}

/* An enumerator of a C declaration */
static bool check_constant(struct compiler *cc, struct node *n)
{
	const struct cdef_name *constant = cdef_find_name(cc, n->str);

	if (!constant || constant->what != CDEF_IS_CONSTANT)
		return false;
	n->kind = N_INT;
	n->ival = constant->value;
	n->a = NULL;
	n->sym = NULL;
	return true;
}

static void unknown_name(struct compiler *cc, struct node *n)
{
	struct sym *s = n->sym;

	if (cc->func->handler) {
		event_field(n, n->str, KTAP_NEED_NAME);
		return;
	}
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
		diag_note(&cc->diag, "if the field may be missing: args[\"name\"]");
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
	case BI_WRITTEN:
		diag_error(&cc->diag, n->pos, "'%s' is a built-in function and can only be called",
			   bi->name);
		break;
	case BI_SPACE:
		diag_error(&cc->diag, n->pos,
			   "'%s' can only be used with its functions, as in %s",
			   bi->name, member_example(cc, bi->name));
		break;
	default:
		diag_error(&cc->diag, n->pos, "'%s' is a function: " BUILTIN_USE_UADDR,
			   bi->name);
	}
}

/* In a filter, a name is first of all a field of the event. */
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

	if (n->var || (!bi && !n->sym->global && !n->sym->func && check_constant(cc, n)))
		return;
	/* a condition is no field */
	if (cc->func->filter && !n->op)
		check_filter_name(cc, n);
	else if (bi)
		check_builtin_name(cc, n, bi);
	else if (!n->sym->global && !n->sym->func)
		unknown_name(cc, n);
}

/* Report patterns that pattern_filter() could not move into the event. */
static void check_pattern(struct compiler *cc, const struct node *n)
{
	if (!cc->func->filter || (n->op != OP_EQ && n->op != OP_NE))
		return;
	if ((pattern_subject(n->a) && pattern_is(n->b)) ||
	    (pattern_subject(n->b) && pattern_is(n->a))) {
		diag_error(&cc->diag, n->pos,
			   "a pattern of functions works only for ftrace:function, alone or in an '&&'");
		diag_note(&cc->diag, "elsewhere, write it in the event: trace probe:vfs_* { ... }");
	}
}

/* Does a constant contain '*' or '?' that is not escaped by a backslash? */
static bool check_is_wild(const struct node *n)
{
	size_t i;

	if (n->kind != N_STR || n->len < 2)
		return false;
	for (i = 0; i < n->len; i++) {
		if (n->str[i] == '\\')
			i++;
		else if (n->str[i] == '*' || n->str[i] == '?')
			return true;
	}
	return false;
}

static void check_wild_comparison(struct compiler *cc, const struct node *n)
{
	bool first = check_is_wild(n->a);

	if ((n->op != OP_EQ && n->op != OP_NE) || is_const(first ? n->b : n->a) ||
	    !(first || check_is_wild(n->b)))
		return;
	diag_warn(&cc->diag, n->pos, "'%s' compares all of a string, with every '*' and '?'",
		  n->op == OP_EQ ? "==" : "!=");
	diag_note(&cc->diag, n->op == OP_EQ ? "to match a pattern: s ~ \"a*\"" :
					      "for no match write !(s ~ \"a*\")");
}

/* s ~ pattern is glob(s, pattern). */
static void check_match(struct compiler *cc, struct node *n)
{
	struct node *s = n->a, *pattern = n->b;

	check_expr(cc, s);
	check_expr(cc, pattern);
	s->single = true;
	pattern->single = true;
	s->next = pattern;
	n->kind = N_CALL;
	n->call = CALL_BUILTIN;
	n->builtin = builtin_find("glob");
	n->ival = n->builtin->id;
	n->list = s;
	n->a = NULL;
	n->b = NULL;
	if (!(static_type(s) & (TYPE_STRING | TYPE_NIL)))
		diag_error(&cc->diag, s->pos, "'~' matches a string, not %s%s",
			   type_text(cc, static_type(s)), s->kind == N_UNARY && s->op == OP_NOT ?
			   "; for no match write !(s ~ pattern)" : "");
	if (!(static_type(pattern) & TYPE_STRING))
		diag_error(&cc->diag, pattern->pos, "a pattern is a string, not %s",
			   type_text(cc, static_type(pattern)));
}

#define INDEXED		(TYPE_TABLE | TYPE_AGG | TYPE_EVENT | TYPE_POINTER | TYPE_NIL)
/* An integer is the index of a part. */
#define HAS_PARTS	(TYPE_STRING | TYPE_STACK)

/* Check the left side of an index or a field. */
static void check_indexed(struct compiler *cc, const struct node *n, unsigned int indexed)
{
	if (!(static_type(n) & indexed))
		diag_error(&cc->diag, n->pos, "only a table can be indexed, not %s",
			   type_text(cc, static_type(n)));
	else
		return;
	if (static_type(n) == TYPE_STRING)
		diag_note(&cc->diag, "s[n] is byte n of a string, substr(s, first, n) a part of it; '..' joins strings");
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

static bool is_field_name(const struct node *key)
{
	return !key->next && key->kind == N_STR && key->len && strlen(key->str) == key->len;
}

static void check_index(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = node_builtin(n->a);

	check_exprs(cc, n->list);
	check_keys(cc, n, n->list);
	if (bi && bi->kind == BI_ARGS && is_field_name(n->list)) {
		event_field(n, n->list->str, KTAP_NEED_NOTHING);
		return;
	}
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
	check_indexed(cc, n->a, list_len(n->list) == 1 && static_type(n->list) & TYPE_INT ?
		      INDEXED | HAS_PARTS : INDEXED);
}

bool check_is_ffi_c(const struct node *n)
{
	const struct builtin *bi = n->kind == N_FIELD && !strcmp(n->str, "C") ?
				   node_builtin(n->a) : NULL;

	return bi && bi->kind == BI_SPACE && !strcmp(bi->name, "ffi");
}

static void check_field(struct compiler *cc, struct node *n)
{
	const struct builtin *bi = node_builtin(n->a);

	if (check_is_ffi_c(n->a)) {
		if (!check_constant(cc, n))
			diag_error(&cc->diag, n->pos, "no constant '%s' is declared by cdef",
				   n->str);
		return;
	}
	if (bi && (bi->kind == BI_ARGS || bi->kind == BI_SELF)) {
		n->kind = bi->kind == BI_SELF ? N_SELF : N_EVFIELD;
		n->ival = KTAP_NEED_FIELD;
		n->a = NULL;
		return;
	}
	check_expr(cc, n->a);
	check_indexed(cc, n->a, INDEXED);
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
		if (n->op == OP_MATCH) {
			check_match(cc, n);
			break;
		}
		check_pattern(cc, n);
		check_wild_comparison(cc, n);
		__attribute__((fallthrough));
	default:
		check_expr(cc, n->a);
		check_expr(cc, n->b);
		check_expr(cc, n->c);
		fold_expr(cc, n);
	}
}
