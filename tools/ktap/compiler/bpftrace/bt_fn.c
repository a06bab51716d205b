// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the script: fn NAME($x : TYPE) : TYPE { ... }
 *
 * They become functions of ktap.  A parameter and the value have one part: a number, a string,
 * a pointer.
 */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

/* void is no type of a value: NULL. */
static struct bt_node *bt_fn_parse_type(struct bt_parser *p, bool result)
{
	struct bt_node *n = bt_node(p, BN_TYPE, p->tok.pos);

	if (p->tok.kind != BT_NAME)
		bt_fail(p, p->tok.pos, "int64, string, struct NAME *",
			"expected a type, found '%s'", bt_found(p));
	n->text = bt_parse_type(p, &n->stars);
	/* the size of a string is not needed */
	if (!strcmp(n->text, "string") && bt_accept(p, "[")) {
		if (p->tok.kind == BT_INT)
			bt_next(p);
		bt_expect(p, "]");
	}
	if (strcmp(n->text, "void") || n->stars)
		return n;
	if (!result)
		bt_fail(p, n->pos, NULL, "a parameter cannot be void");
	return NULL;
}

static struct bt_node *bt_fn_parse_param(struct bt_parser *p, const struct bt_fn *fn)
{
	struct bt_node *n = bt_node(p, BN_LET, p->tok.pos);

	if (p->tok.kind != BT_VAR)
		bt_fail(p, p->tok.pos, "fn NAME($x : int64) : int64 { return $x; }",
			"expected a parameter of the function, found '%s'", bt_found(p));
	n->text = p->tok.text;
	for (const struct bt_node *other = fn->params; other && !p->failed; other = other->next)
		if (!strcmp(other->text, n->text))
			bt_fail(p, n->pos, NULL, "%s() has two parameters $%s", fn->name, n->text);
	bt_next(p);
	bt_expect(p, ":");
	n->c = bt_fn_parse_type(p, false);
	return n;
}

/* Words that mean something else where a function is called */
static bool bt_fn_is_word(const char *name)
{
	static const char * const words[] = {
		"BEGIN", "END", "if", "else", "while", "for", "unroll", "let", "return", "break",
		"continue", "fn", "macro", "import", "config", "subprog", "struct", "union",
		"enum", "typedef", "typeof", "comptime", "true", "false", "_",
	};

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], name))
			return true;
	return false;
}

void bt_fn_check_macro(struct bt_parser *p, const char *name)
{
	if (bt_fn_find(p->script, name))
		bt_fail(p, p->tok.pos, "another name", "there is a function %s() already", name);
}

static bool bt_fn_is_macro(const struct bt_script *s, const char *name)
{
	const struct bt_macro *macro = s->macros;

	while (macro && strcmp(macro->name, name))
		macro = macro->next;
	return macro;
}

void bt_fn_parse(struct bt_parser *p)
{
	struct bt_fn *fn = pool_alloc(&p->cc->pool, sizeof(*fn));
	struct bt_node **last = &fn->params;

	fn->comment = p->tok.comment;
	bt_next(p);
	fn->pos = p->tok.pos;
	fn->name = p->tok.text;
	if (p->tok.kind != BT_NAME)
		bt_fail(p, p->tok.pos, NULL, "expected the name of a function, found '%s'",
			bt_found(p));
	else if (bt_fn_is_word(fn->name))
		bt_fail(p, p->tok.pos, "another name", "'%s' is a word of the language", fn->name);
	else if (bt_is_builtin(fn->name) || bt_is_function(fn->name))
		bt_fail(p, p->tok.pos, "another name", "bpftrace has '%s' already", fn->name);
	else if (bt_fn_is_macro(p->script, fn->name))
		bt_fail(p, p->tok.pos, "another name", "there is a macro %s already", fn->name);
	else if (bt_fn_find(p->script, fn->name))
		bt_fail(p, p->tok.pos, NULL, "there are two functions %s()", fn->name);
	bt_next(p);
	bt_expect(p, "(");
	while (!p->failed && !bt_is(p, ")")) {
		*last = bt_fn_parse_param(p, fn);
		last = &(*last)->next;
		if (!bt_accept(p, ","))
			break;
	}
	bt_expect(p, ")");
	if (!bt_accept(p, ":"))
		bt_fail(p, p->tok.pos, "fn NAME() : void { } has none",
			"expected ':' and the type of the value, found '%s'", bt_found(p));
	fn->result = bt_fn_parse_type(p, true);
	p->fn = fn;
	fn->body = bt_parse_block(p);
	p->fn = NULL;
	*p->script->last_function = fn;
	p->script->last_function = &fn->next;
}

void bt_fn_name(struct bt_script *s)
{
	for (struct bt_fn *fn = s->functions; fn; fn = fn->next)
		fn->ours = bt_our_name(s, fn->name, "_fn");
}

struct bt_fn *bt_fn_find(const struct bt_script *s, const char *name)
{
	struct bt_fn *fn = s->functions;

	while (fn && strcmp(fn->name, name))
		fn = fn->next;
	return fn;
}

const struct bt_type *bt_fn_type(struct bt_script *s, const struct bt_fn *fn)
{
	return fn->result ? bt_fn_value_type(s, fn->result) : &bt_any;
}

/* "int64", "struct sock *", "string", for messages */
static const char *bt_fn_type_name(struct bt_script *s, const struct bt_node *type)
{
	static const char stars[] = "********";

	return pool_printf(&s->cc->pool, "%s%s%.*s", type->text, type->stars ? " " : "",
			   type->stars, stars);
}

const struct bt_type *bt_fn_value_type(struct bt_script *s, const struct bt_node *type)
{
	if (!type->stars && !strcmp(type->text, "string"))
		return &bt_string;
	return bt_type_of(s, type);
}

static bool bt_fn_is_number(const struct bt_type *t)
{
	return t->kind == BT_INTEGER || t->kind == BT_BOOLEAN || t->kind == BT_ENUM;
}

/* Do two pointers point to the same?  A pointer to void points to anything. */
static bool bt_fn_same_target(const struct bt_type *x, const struct bt_type *y)
{
	if (x == y || x->kind == BT_ANY || y->kind == BT_ANY)
		return true;
	if (x->kind == BT_STRUCT && y->kind == BT_STRUCT)
		return x->name && y->name && !strcmp(x->name, y->name);
	if (x->kind == BT_POINTER && y->kind == BT_POINTER)
		return bt_fn_same_target(x->of, y->of);
	return bt_fn_is_number(x) && bt_fn_is_number(y) && x->size == y->size;
}

/* Can a parameter or the value of a function have this value? */
static bool bt_fn_accepts(const struct bt_type *wanted, const struct bt_type *type)
{
	if (type->kind == BT_ANY)
		return true;
	if (wanted->kind == BT_STRING)
		return type->kind == BT_STRING;
	if (wanted->kind == BT_POINTER && type->kind == BT_POINTER)
		return bt_fn_same_target(wanted->of, type->of);
	return bt_fn_is_number(type) || type->kind == BT_POINTER;
}

/* Does the declared type have this value as it is? */
static bool bt_fn_fits(const struct bt_type *wanted, const struct bt_type *type,
		       const struct bt_node *n)
{
	int64_t value;

	/* neither can be, and was reported */
	if (wanted->kind == BT_ANY || wanted->kind >= BT_TUPLE)
		return true;
	if (wanted->kind == BT_POINTER)
		return wanted->of->kind != BT_STRUCT ||
		       (type->kind == BT_POINTER && type->of->kind == BT_STRUCT);
	if (wanted->kind != BT_INTEGER || type->kind != BT_INTEGER)
		return wanted->kind == type->kind || wanted->kind == BT_STRING;
	if (wanted->size == 8)
		return true;
	/* += gives a variable more bits than its type says */
	return bt_constant_value(n, &value) && value >= 0 &&
	       !(value >> (8 * wanted->size - !wanted->is_unsigned));
}

/* Write the value as one of the declared type, as a cast does. */
static void bt_fn_convert(struct bt_script *s, const struct bt_node *declared,
			  const struct bt_node *n)
{
	struct bt_node alone = *n, cast = *declared;

	if (bt_fn_fits(bt_fn_value_type(s, declared), bt_type_of(s, n), n)) {
		bt_value(s, n);
		return;
	}
	alone.next = NULL;
	cast.kind = BN_CAST;
	cast.pos = n->pos;
	cast.a = &alone;
	bt_value(s, &cast);
}

static void bt_fn_check_type(struct bt_script *s, const struct bt_node *type, const char *what)
{
	const struct bt_type *t = bt_fn_value_type(s, type);

	if (t->kind >= BT_TUPLE)
		bt_error(s, type->pos, "a pointer: struct NAME *", "%s of a function has no parts",
			 what);
	else if (t->kind == BT_ANY)
		bt_error(s, type->pos, "int64, string, struct NAME *",
			 "'%s' is no type that a function can have", type->text);
}

static void bt_fn_check_types(struct bt_script *s, const struct bt_fn *fn)
{
	for (const struct bt_node *param = fn->params; param; param = param->next)
		bt_fn_check_type(s, param->c, "a parameter");
	if (fn->result)
		bt_fn_check_type(s, fn->result, "the value");
}

void bt_fn_call(struct bt_script *s, const struct bt_node *n, const struct bt_fn *fn,
		bool statement)
{
	const struct bt_node *param = fn->params, *arg = n->a;
	unsigned int given = bt_list_length(arg), wanted = bt_list_length(param);

	if (given != wanted) {
		bt_error(s, n->pos, NULL, "%s() takes %u argument%s, %u given", n->text, wanted,
			 wanted == 1 ? "" : "s", given);
		return;
	}
	if (!fn->result && !statement)
		bt_error(s, n->pos, NULL, "%s() has no value", n->text);
	bt_put(s, n->pos, "%s(", fn->ours);
	for (; param; param = param->next, arg = arg->next) {
		if (!bt_fn_accepts(bt_fn_value_type(s, param->c), bt_type_of(s, arg)))
			bt_error(s, arg->pos, NULL, "%s() takes %s for $%s", n->text,
				 bt_fn_type_name(s, param->c), param->text);
		else
			bt_fn_convert(s, param->c, arg);
		bt_put(s, n->pos, param->next ? ", " : "");
	}
	bt_put(s, n->pos, ")");
}

void bt_fn_return(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *result = s->fn->result;
	bool wrong;

	bt_put(s, n->pos, "return");
	if (!n->a && !result)
		return;
	wrong = n->a && result &&
		!bt_fn_accepts(bt_fn_value_type(s, result), bt_type_of(s, n->a));
	if (!n->a)
		bt_error(s, n->pos, "return VALUE;", "%s() returns %s", s->fn->name,
			 bt_fn_type_name(s, result));
	else if (!result)
		bt_error(s, n->a->pos, "return;", "%s() returns void", s->fn->name);
	else if (wrong)
		bt_error(s, n->a->pos, NULL, "%s() returns %s", s->fn->name,
			 bt_fn_type_name(s, result));
	if (!n->a || !result || wrong)
		return;
	bt_put(s, n->pos, " ");
	bt_fn_convert(s, result, n->a);
}

/* Does each way through the statements end with return? */
static bool bt_fn_ends(const struct bt_node *n)
{
	for (; n; n = n->next) {
		if (n->kind == BN_JUMP && !strcmp(n->op, "return"))
			return true;
		if (n->kind == BN_BLOCK && bt_fn_ends(n->a))
			return true;
		if (n->kind == BN_IF && n->c && bt_fn_ends(n->b->a) &&
		    bt_fn_ends(n->c->kind == BN_IF ? n->c : n->c->a))
			return true;
	}
	return false;
}

bool bt_fn_is_of_event(const char *name)
{
	static const char * const names[] = {
		"args", "func", "probe", "probetype", "retval", "usermode",
	};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(names[i], name))
			return true;
	return !strncmp(name, "arg", 3) && name[3] >= '0' && name[3] <= '9';
}

const struct bt_probe *bt_fn_probe(struct bt_script *s, const struct bt_fn *fn)
{
	struct bt_probe *probe = pool_alloc(&s->cc->pool, sizeof(*probe));

	probe->events = pool_alloc(&s->cc->pool, sizeof(*probe->events));
	*probe->events = (struct bt_event) { .pos = fn->pos, .text = "" };
	return probe;
}

void bt_fn_head(struct bt_script *s, const struct bt_fn *fn)
{
	bt_fn_check_types(s, fn);
	if (fn->result && !bt_fn_ends(fn->body->a))
		bt_error(s, fn->pos, "return VALUE; at its end",
			 "%s() may end without a value", fn->name);
	bt_put(s, fn->pos, "function %s(", fn->ours);
	for (const struct bt_node *param = fn->params; param; param = param->next)
		bt_put(s, param->pos, "%s%s", bt_var_find(s, param->text)->ours,
		       param->next ? ", " : "");
	bt_put(s, fn->pos, ") {");
}
