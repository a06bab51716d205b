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

void bt_fn_parse(struct bt_parser *p)
{
	struct bt_fn *fn = pool_alloc(&p->cc->pool, sizeof(*fn)), **link = &p->script->functions;
	struct bt_node **last = &fn->params;

	fn->comment = p->tok.comment;
	bt_next(p);
	fn->pos = p->tok.pos;
	fn->name = p->tok.text;
	if (p->tok.kind != BT_NAME)
		bt_fail(p, p->tok.pos, NULL, "expected the name of a function, found '%s'",
			bt_found(p));
	else if (bt_is_builtin(fn->name) || bt_is_function(fn->name))
		bt_fail(p, p->tok.pos, "another name", "bpftrace has '%s' already", fn->name);
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
	fn->ours = bt_our_name(p->script, fn->name, "_fn");
	while (*link)
		link = &(*link)->next;
	*link = fn;
}

const struct bt_fn *bt_fn_find(const struct bt_script *s, const char *name)
{
	const struct bt_fn *fn = s->functions;

	while (fn && strcmp(fn->name, name))
		fn = fn->next;
	return fn;
}

const struct bt_type *bt_fn_type(struct bt_script *s, const struct bt_fn *fn)
{
	return fn->result ? bt_type_of(s, fn->result) : &bt_any;
}

/* "int64", "struct sock *", "string", for messages */
static const char *bt_fn_type_name(struct bt_script *s, const struct bt_node *type)
{
	static const char stars[] = "********";

	return pool_printf(&s->cc->pool, "%s%s%.*s", type->text, type->stars ? " " : "",
			   type->stars, stars);
}

/* Can a parameter or the value of a function have this value? */
static bool bt_fn_accepts(const struct bt_type *wanted, const struct bt_type *type)
{
	bool text = wanted->kind == BT_STRING;

	if (bt_is_compound(type))
		return false;
	if (type->kind == BT_ANY || wanted->kind == BT_ANY)
		return true;
	return text == (type->kind == BT_STRING) && type->kind != BT_STACK;
}

static void bt_fn_check_types(struct bt_script *s, const struct bt_fn *fn)
{
	const struct bt_node *param = fn->params;

	for (; param; param = param->next)
		if (bt_is_compound(bt_type_of(s, param->c)))
			bt_error(s, param->c->pos, "a pointer: struct NAME *",
				 "a parameter of a function has no parts");
	if (fn->result && bt_is_compound(bt_type_of(s, fn->result)))
		bt_error(s, fn->result->pos, "a pointer: struct NAME *",
			 "the value of a function has no parts");
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
		if (!bt_fn_accepts(bt_type_of(s, param->c), bt_type_of(s, arg)))
			bt_error(s, arg->pos, NULL, "%s() takes %s for $%s", n->text,
				 bt_fn_type_name(s, param->c), param->text);
		else
			bt_value(s, arg);
		bt_put(s, n->pos, param->next ? ", " : "");
	}
	bt_put(s, n->pos, ")");
}

void bt_fn_return(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_node *result = s->fn->result;

	bt_put(s, n->pos, "return");
	if (!n->a && !result)
		return;
	if (!n->a)
		bt_error(s, n->pos, "return VALUE;", "%s() returns %s", s->fn->name,
			 bt_fn_type_name(s, result));
	else if (!result)
		bt_error(s, n->a->pos, "return;", "%s() returns void", s->fn->name);
	else if (!bt_fn_accepts(bt_type_of(s, result), bt_type_of(s, n->a)))
		bt_error(s, n->a->pos, NULL, "%s() returns %s", s->fn->name,
			 bt_fn_type_name(s, result));
	if (!n->a || !result)
		return;
	bt_put(s, n->pos, " ");
	bt_value(s, n->a);
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
