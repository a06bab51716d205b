// SPDX-License-Identifier: GPL-2.0
/*
 * Macros and blocks that have a value.
 *
 * A call of a macro becomes a copy of its block, with the arguments in place of the
 * parameters, and with other names for its own variables.  A block in an expression then
 * leaves it: its statements come before the statement that the expression is in, and its
 * value is kept in a variable.
 */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

/* Nodes that the macros of a script may become: a call may have its argument many times. */
#define BT_MAX_NODES	20000

/* Maps and variables that a statement has read when a block in it is evaluated */
#define BT_MAX_READ	64

/**
 * struct bt_expansion - a call of a macro
 * @call: the call
 * @args: its arguments
 * @number: which makes the names of its variables its own
 */
struct bt_expansion {
	struct bt_script *s;
	const struct bt_macro *macro;
	const struct bt_node *call;
	struct bt_node *args;
	unsigned int number;
};

/*
 * The parts of a statement that were visited, in the order in which they are evaluated: maps and
 * variables, calls of functions of the script, and choices that have one
 */
struct bt_hoist {
	struct bt_script *s;
	struct bt_node *first;		/* statements that come before it */
	struct bt_node **last;
	struct bt_node *read[BT_MAX_READ];
	unsigned int nread;
	bool type_only;			/* nothing evaluates it */
};

static void bt_macro_list(struct bt_script *s, struct bt_node **link, unsigned int depth);
static void bt_flatten(struct bt_script *s, struct bt_node *block);
static void bt_hoist(struct bt_hoist *h, struct bt_node **link);

static struct bt_node *bt_macro_node(struct bt_script *s, const struct bt_node *like)
{
	struct bt_node *n = pool_alloc(&s->cc->pool, sizeof(*n));

	*n = *like;
	n->next = NULL;
	if (++s->copied == BT_MAX_NODES)
		bt_error(s, like->pos, NULL,
			 "macros, or blocks of several events, make this script too long");
	return n;
}

/* The argument for the parameter @n, or NULL. */
static const struct bt_node *bt_macro_argument(const struct bt_expansion *x,
					       const struct bt_node *n, enum bt_kind kind)
{
	const struct bt_node *param = x->macro->params, *arg = x->args;

	for (; param; param = param->next, arg = arg->next)
		if (param->kind == kind && !strcmp(param->text, n->text))
			return arg;
	return NULL;
}

static bool bt_names_variable(const struct bt_node *n)
{
	return n->kind == BN_VAR || n->kind == BN_LET || n->kind == BN_FOR || n->kind == BN_RANGE;
}

/* A parameter that is a type: sizeof(x*), (x *)y */
static void bt_macro_type(const struct bt_expansion *x, struct bt_node *n)
{
	const struct bt_node *arg = bt_macro_argument(x, n, BN_NAME);

	if (!arg || arg->kind != BN_TYPE)
		return;
	n->text = arg->text;
	n->stars += arg->stars;
}

static struct bt_node *bt_macro_copy(const struct bt_expansion *x, const struct bt_node *n)
{
	struct bt_node *first = NULL, **last = &first, *copy;
	const struct bt_expansion none = { .s = x->s };
	const struct bt_node *arg;

	for (; n && x->s->copied < BT_MAX_NODES; n = n->next, last = &copy->next) {
		arg = x->macro && n->kind == BN_NAME ? bt_macro_argument(x, n, BN_NAME) : NULL;
		if (arg) {
			struct bt_node alone = *arg;

			alone.next = NULL;
			copy = bt_macro_copy(&none, &alone);
			if (!copy)
				break;
			copy->item = n->item;
			*last = copy;
			continue;
		}
		copy = *last = bt_macro_node(x->s, n);
		if (x->macro && x->macro->library)
			copy->pos = x->call->pos;
		else if (x->macro && n->kind == BN_CALL)
			copy->within = x->call;
		if (x->macro && bt_names_variable(n)) {
			arg = bt_macro_argument(x, n, BN_VAR);
			copy->text = arg ? arg->text :
				pool_printf(&x->s->cc->pool, "%s__m%u", n->text, x->number);
		} else if (x->macro && n->kind == BN_MAP) {
			arg = bt_macro_argument(x, n, BN_MAP);
			copy->text = arg ? arg->text : n->text;
		}
		if (x->macro && (n->kind == BN_TYPE || n->kind == BN_CAST))
			bt_macro_type(x, copy);
		copy->a = bt_macro_copy(x, n->a);
		copy->b = bt_macro_copy(x, n->b);
		copy->c = bt_macro_copy(x, n->c);
	}
	return first;
}

struct bt_node *bt_copy(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_expansion none = { .s = s };

	return bt_macro_copy(&none, n);
}

static const struct bt_macro *bt_macro_find(const struct bt_script *s, const struct bt_node *n)
{
	const struct bt_macro *macro = s->macros;

	while (macro && (strcmp(macro->name, n->text) ||
			 bt_list_length(macro->params) != bt_list_length(n->a)))
		macro = macro->next;
	return macro;
}

static const struct bt_macro *bt_macro_of(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_macro *macro;

	if (n->kind != BN_CALL && n->kind != BN_NAME)
		return NULL;
	macro = bt_macro_find(s, n);
	if (macro || bt_is_builtin(n->text) || bt_fn_find(s, n->text))
		return macro;
	bt_library_add(s, n->text);
	return bt_macro_find(s, n);
}

/* Are the arguments what the macro may change? */
static bool bt_macro_accepts(struct bt_script *s, const struct bt_macro *macro,
			     const struct bt_node *n)
{
	const struct bt_node *param = macro->params, *arg = n->a;

	for (; param; param = param->next, arg = arg->next) {
		if (param->kind == BN_VAR && arg->kind != BN_VAR) {
			bt_error(s, arg->pos, NULL, "%s() takes a variable for $%s", n->text,
				 param->text);
			return false;
		}
		if (param->kind == BN_MAP && (arg->kind != BN_MAP || arg->a)) {
			bt_error(s, arg->pos, NULL, "%s() takes a map for @%s", n->text,
				 param->text);
			return false;
		}
	}
	return true;
}

/* A function without arguments may be called without parentheses. */
static void bt_macro_call(struct bt_script *s, struct bt_node *n)
{
	if (n->kind == BN_NAME && bt_is_function(n->text) && !bt_is_builtin(n->text) &&
	    !bt_is_declared(s, n->text))
		n->kind = BN_CALL;
}

/* Replace the node by the block of its macro, if it has one. */
static void bt_macro_expand(struct bt_script *s, struct bt_node **link, unsigned int depth)
{
	const struct bt_macro *macro = bt_macro_of(s, *link);
	struct bt_expansion x = { s, macro, *link, (*link)->a, 0 };
	struct bt_node *block;

	if (!macro)
		bt_macro_call(s, *link);
	if (!macro || !bt_macro_accepts(s, macro, *link))
		return;
	x.number = ++s->expansions;
	if (depth == BT_MAX_DEPTH) {
		bt_error(s, (*link)->pos, NULL, "the macro %s() calls itself", macro->name);
		return;
	}
	block = bt_macro_copy(&x, macro->body);
	if (!block || s->cc->diag.nerrors)
		return;
	bt_macro_list(s, &block->a, depth + 1);
	block->next = (*link)->next;
	block->comment = (*link)->comment;
	block->item = (*link)->item;
	*link = block;
}

static void bt_macro_list(struct bt_script *s, struct bt_node **link, unsigned int depth)
{
	for (; *link && !s->cc->diag.nerrors; link = &(*link)->next) {
		bt_macro_list(s, &(*link)->a, depth);
		bt_macro_list(s, &(*link)->b, depth);
		bt_macro_list(s, &(*link)->c, depth);
		bt_macro_expand(s, link, depth);
	}
}

/* delete(@map[key]), clear(@map), zero(@map) */
static bool bt_removes_from(const struct bt_node *n, const struct bt_node *map)
{
	return n->kind == BN_CALL && map->kind == BN_MAP && n->a && n->a->kind == BN_MAP &&
	       (!strcmp(n->text, "delete") || !strcmp(n->text, "clear") ||
		!strcmp(n->text, "zero")) && !strcmp(n->a->text, map->text);
}

static bool bt_changes(const struct bt_script *s, const struct bt_node *n,
		       const struct bt_node *what);

/* Does the function of the script that is called change the map? */
static bool bt_call_changes(const struct bt_script *s, const struct bt_node *n,
			    const struct bt_node *what)
{
	struct bt_fn *fn = n->kind == BN_CALL && what->kind == BN_MAP ? bt_fn_find(s, n->text) :
			   NULL;

	if (!fn || fn->visited)
		return false;
	fn->visited = true;
	return bt_changes(s, fn->body, what);
}

/* Does a statement, or one within it, change the same map or variable? */
static bool bt_changes(const struct bt_script *s, const struct bt_node *n,
		       const struct bt_node *what)
{
	for (; n; n = n->next) {
		if (n->kind == BN_ASSIGN && n->a->kind == what->kind &&
		    !strcmp(n->a->text, what->text))
			return true;
		if (bt_removes_from(n, what) || bt_call_changes(s, n, what))
			return true;
		if (bt_changes(s, n->a, what) || bt_changes(s, n->b, what) ||
		    bt_changes(s, n->c, what))
			return true;
	}
	return false;
}

/* Has if, and else if, an else? Then each of the blocks has a value. */
static bool bt_has_all_branches(const struct bt_node *n)
{
	while (n && n->kind == BN_IF)
		n = n->c;
	return n;
}

/* Take the value, the last expression, from a block; NULL: it has none. */
static struct bt_node *bt_take_value(struct bt_node *block)
{
	struct bt_node **last = &block->a, *value;

	while (*last && (*last)->next)
		last = &(*last)->next;
	if (*last && (*last)->kind == BN_IF && bt_has_all_branches(*last)) {
		value = *last;
		for (struct bt_node *n = value; n->kind == BN_IF; n = n->c)
			n->kind = BN_CHOICE;
		*last = NULL;
		return value;
	}
	if (!*last || (*last)->kind != BN_EXPR || !(*last)->value)
		return NULL;
	value = (*last)->a;
	*last = NULL;
	return value;
}

static void bt_hoist_put(struct bt_hoist *h, struct bt_node *statements)
{
	*h->last = statements;
	while (*h->last)
		h->last = &(*h->last)->next;
}

/* A variable that keeps a value; returns its declaration. */
static struct bt_node *bt_keep_value(struct bt_script *s, const struct bt_node *block,
				     struct bt_node *value)
{
	struct bt_node *let = bt_macro_node(s, block);

	*let = (struct bt_node) {
		.kind = BN_LET, .pos = block->pos, .op = "", .b = value,
		.text = pool_printf(&s->cc->pool, "value__m%u", ++s->expansions),
	};
	return let;
}

static void bt_rename(struct bt_node *n, const char *from, const char *to)
{
	for (; n; n = n->next) {
		if (bt_names_variable(n) && !strcmp(n->text, from))
			n->text = to;
		bt_rename(n->a, from, to);
		bt_rename(n->b, from, to);
		bt_rename(n->c, from, to);
	}
}

/* Variables that a block declares are not seen outside of it, even if its statements leave it. */
static void bt_rename_declared(struct bt_script *s, struct bt_node *block)
{
	const char *name;

	for (struct bt_node *n = block->a; n; n = n->next) {
		if (n->kind != BN_LET)
			continue;
		/* its own value has another variable of that name */
		name = n->text;
		n->text = pool_printf(&s->cc->pool, "%s__m%u", name, ++s->expansions);
		bt_rename(n->next, name, n->text);
	}
}

/* Report statements that come before this one, and change what it has read before them. */
static void bt_check_order(struct bt_hoist *h, struct pos pos, const struct bt_node *statements,
			   unsigned int nread)
{
	const char *what = statements && statements->kind == BN_LET ? "value" : "block";

	if (statements && nread == BT_MAX_READ)
		bt_error(h->s, pos, "assign its value to a variable before",
			 "this statement reads more than %u variables before the block",
			 BT_MAX_READ - 1);
	for (unsigned int i = 0; statements && i < nread; i++) {
		for (struct bt_fn *fn = h->s->functions; fn; fn = fn->next)
			fn->visited = false;
		if (bt_changes(h->s, statements, h->read[i]))
			bt_error(h->s, pos, "assign its value to a variable before",
				 "this %s changes %c%s, which is read before", what,
				 h->read[i]->kind == BN_MAP ? '@' : '$', h->read[i]->text);
	}
}

/*
 * Statements come before this one: the first @nread parts that are calls, which they may change or
 * be changed by, are evaluated before them, and kept in variables.
 */
static void bt_keep_calls(struct bt_hoist *h, unsigned int nread)
{
	struct bt_node *n, *call, *let;

	for (unsigned int i = 0; i < nread && !h->s->cc->diag.nerrors; i++) {
		n = h->read[i];
		if (n->kind == BN_VAR || n->kind == BN_MAP)
			continue;
		call = bt_macro_node(h->s, n);
		*call = *n;
		call->next = NULL;
		let = bt_keep_value(h->s, n, call);
		bt_check_order(h, n->pos, let, i);
		bt_hoist_put(h, let);
		*n = (struct bt_node) {
			.kind = BN_VAR, .pos = n->pos, .op = "", .text = let->text,
			.item = n->item, .next = n->next,
		};
	}
}

/*
 * sizeof({ statements; x }): let $value; if (false) { statements; $value = x }. The variable, which
 * is returned, has the type.
 */
static struct bt_node *bt_type_of_block(struct bt_hoist *h, struct bt_node *block,
					struct bt_node *value)
{
	struct bt_node *let = bt_keep_value(h->s, block, NULL), *never = bt_macro_node(h->s, block);
	struct bt_node *body = bt_macro_node(h->s, block), *set = bt_macro_node(h->s, block);
	struct bt_node *var = bt_macro_node(h->s, let);

	*var = (struct bt_node) {
		.kind = BN_VAR, .pos = block->pos, .op = "", .text = let->text,
	};
	*set = (struct bt_node) {
		.kind = BN_ASSIGN, .pos = block->pos, .op = "=", .text = "",
		.a = bt_macro_node(h->s, var), .b = value,
	};
	*set->a = *var;
	*body = *block;
	body->next = NULL;
	for (struct bt_node **last = &body->a;; last = &(*last)->next) {
		if (*last)
			continue;
		*last = set;
		break;
	}
	*never = (struct bt_node) {
		.kind = BN_IF, .pos = block->pos, .op = "", .text = "",
		.a = bt_macro_node(h->s, block), .b = body,
	};
	*never->a = (struct bt_node) {
		.kind = BN_BOOL, .pos = block->pos, .op = "", .text = "false",
	};
	bt_hoist_put(h, let);
	bt_hoist_put(h, never);
	return var;
}

static void bt_hoist_block(struct bt_hoist *h, struct bt_node **link)
{
	struct bt_node *block = *link, *value, *let;
	unsigned int nread = h->nread;
	enum bt_map_kind kind;

	bt_rename_declared(h->s, block);
	value = bt_take_value(block);
	if (!value) {
		bt_error(h->s, block->pos, "its last expression, without ';', is its value",
			 "this block has no value");
		return;
	}
	bt_flatten(h->s, block);
	if (block->a && h->type_only) {
		value->next = NULL;
		*link = bt_type_of_block(h, block, value);
		(*link)->next = block->next;
		return;
	}
	if (block->a)
		bt_keep_calls(h, nread);
	bt_check_order(h, block->pos, block->a, nread);
	bt_hoist_put(h, block->a);
	value->next = NULL;
	bt_hoist(h, &value);
	/* @ = { ...; avg(x) } */
	if (block->a && !(value->kind == BN_CALL && bt_map_function(value->text, &kind))) {
		let = bt_keep_value(h->s, block, value);
		bt_hoist_put(h, let);
		value = bt_macro_node(h->s, let);
		value->kind = BN_VAR;
		value->b = NULL;
		/* what the value has read is kept */
		h->nread = nread;
	}
	value->next = block->next;
	*link = value;
}

/* Neither && nor || has all of its operands evaluated, nor has a choice. */
static bool bt_is_choice(const struct bt_node *n)
{
	return n->kind == BN_CHOICE ||
	       (n->kind == BN_BINARY && (!strcmp(n->op, "&&") || !strcmp(n->op, "||")));
}

static struct bt_node *bt_not(struct bt_script *s, struct bt_node *n)
{
	struct bt_node *not = bt_macro_node(s, n);

	*not = (struct bt_node) {
		.kind = BN_UNARY, .pos = n->pos, .op = "!", .text = "", .a = n,
	};
	return not;
}

/* true or false */
static struct bt_node *bt_logical(struct bt_script *s, struct bt_node *n)
{
	n->next = NULL;
	return bt_is_logic(n) ? n : bt_not(s, bt_not(s, n));
}

/* { @statements; $NAME = @value; } */
static struct bt_node *bt_assign_block(struct bt_hoist *branch, const char *name,
				       struct bt_node *value)
{
	struct bt_node *block = bt_macro_node(branch->s, value);
	struct bt_node *set = bt_macro_node(branch->s, value);
	struct bt_node *var = bt_macro_node(branch->s, value);

	*block = (struct bt_node) { .kind = BN_BLOCK, .pos = value->pos, .op = "", .text = "" };
	*set = (struct bt_node) {
		.kind = BN_ASSIGN, .pos = value->pos, .op = "=", .text = "", .a = var, .b = value,
	};
	*var = (struct bt_node) { .kind = BN_VAR, .pos = value->pos, .op = "", .text = name };
	value->next = NULL;
	*branch->last = set;
	block->a = branch->first;
	return block;
}

/*
 * One of the operands has statements: the choice becomes a variable, which an if statement sets.
 * @n: && and || are { let $v = !!a; if ($v) { ...; $v = !!b } }
 */
static struct bt_node *bt_make_if(struct bt_hoist *h, struct bt_node *n, struct bt_hoist *yes,
				  struct bt_hoist *no)
{
	bool logic = n->kind == BN_BINARY;
	struct bt_node *let = bt_keep_value(h->s, n, logic ? bt_logical(h->s, n->a) : NULL);
	struct bt_node *cond = bt_macro_node(h->s, n), *value = bt_macro_node(h->s, n);

	*value = (struct bt_node) { .kind = BN_VAR, .pos = n->pos, .op = "", .text = let->text };
	*cond = (struct bt_node) { .kind = BN_IF, .pos = n->pos, .op = "", .text = "" };
	if (logic) {
		cond->a = bt_macro_node(h->s, value);
		if (*n->op == '|')
			cond->a = bt_not(h->s, cond->a);
		cond->b = bt_assign_block(yes, let->text, bt_logical(h->s, n->b));
	} else {
		cond->a = n->a;
		cond->b = bt_assign_block(yes, let->text, n->b);
		cond->c = bt_assign_block(no, let->text, n->c);
	}
	bt_hoist_put(h, let);
	bt_hoist_put(h, cond);
	return value;
}

static void bt_note_read(struct bt_hoist *h, struct bt_node *n)
{
	if (h->nread < BT_MAX_READ)
		h->read[h->nread++] = n;
}

/* The operands of a choice may read these before what comes after it. */
static void bt_note_choice(struct bt_hoist *h, const struct bt_hoist *branch)
{
	for (unsigned int i = 0; i < branch->nread; i++)
		bt_note_read(h, branch->read[i]);
}

/* Has it a call of a function of the script? */
static bool bt_has_call(const struct bt_hoist *branch)
{
	for (unsigned int i = 0; i < branch->nread; i++)
		if (branch->read[i]->kind != BN_VAR && branch->read[i]->kind != BN_MAP)
			return true;
	return false;
}

static void bt_hoist_choice(struct bt_hoist *h, struct bt_node **link)
{
	struct bt_hoist yes = { .s = h->s, .last = &yes.first };
	struct bt_hoist no = { .s = h->s, .last = &no.first };
	struct bt_node *n = *link, *value;
	unsigned int nread = h->nread;

	bt_hoist(h, &n->a);
	bt_hoist(&yes, &n->b);
	bt_hoist(&no, &n->c);
	if (!yes.first && !no.first && (bt_has_call(&yes) || bt_has_call(&no))) {
		/* the whole choice is kept */
		bt_note_read(h, n);
		return;
	}
	if (!yes.first && !no.first) {
		bt_note_choice(h, &yes);
		bt_note_choice(h, &no);
		return;
	}
	bt_keep_calls(h, nread);
	bt_check_order(h, n->pos, yes.first, nread);
	bt_check_order(h, n->pos, no.first, nread);
	/* the variable keeps what the operands have read */
	h->nread = nread;
	value = bt_make_if(h, n, &yes, &no);
	value->next = n->next;
	*link = value;
}

/* sizeof(x), is_str(x): they do not evaluate it */
static bool bt_is_type_question(const struct bt_node *n)
{
	return n->kind == BN_CALL && (!strcmp(n->text, "sizeof") || !strncmp(n->text, "is_", 3)) &&
	       strcmp(n->text, "is_err");
}

static void bt_hoist(struct bt_hoist *h, struct bt_node **link)
{
	unsigned int nread;
	const char *item;
	struct bt_node *n;
	bool type_only;

	for (; *link && !h->s->cc->diag.nerrors; link = &(*link)->next) {
		n = *link;
		item = n->item;
		nread = h->nread;
		if (n->kind == BN_BLOCK || bt_is_choice(n)) {
			if (n->kind == BN_BLOCK)
				bt_hoist_block(h, link);
			else
				bt_hoist_choice(h, link);
			(*link)->item = item;
			continue;
		}
		type_only = h->type_only;
		h->type_only |= bt_is_type_question(n);
		bt_hoist(h, &n->a);
		bt_hoist(h, &n->b);
		bt_hoist(h, &n->c);
		h->type_only = type_only;
		if (bt_is_type_question(n))
			h->nread = nread;
		if (n->kind == BN_VAR || n->kind == BN_MAP ||
		    (n->kind == BN_CALL && bt_fn_find(h->s, n->text)))
			bt_note_read(h, n);
	}
}

static bool bt_has_parts(const struct bt_node *n)
{
	return n->a || n->b || n->c;
}

/* A statement that is a block: its value is not used, but what that does is done. */
static void bt_flatten_unused(struct bt_script *s, struct bt_node *statement)
{
	struct bt_node *block = statement->a, *value = bt_take_value(block), **last = &block->a;

	while (*last)
		last = &(*last)->next;
	if (value && (value->kind == BN_CALL || value->kind == BN_BLOCK ||
		      value->kind == BN_CHOICE)) {
		*last = bt_macro_node(s, statement);
		(*last)->a = value;
		(*last)->value = 0;
	} else if (value && bt_has_parts(value)) {
		*last = bt_keep_value(s, block, value);
	}
	statement->kind = BN_BLOCK;
	statement->a = block->a;
	bt_flatten(s, statement);
}

static void bt_flatten_if(struct bt_script *s, struct bt_node *n)
{
	struct bt_node *block;

	bt_flatten(s, n->b);
	if (!n->c)
		return;
	if (n->c->kind == BN_BLOCK) {
		bt_flatten(s, n->c);
		return;
	}
	/* else if: what its condition needs is evaluated only then */
	block = bt_macro_node(s, n->c);
	block->kind = BN_BLOCK;
	block->a = n->c;
	bt_flatten(s, block);
	n->c = block->a == n->c ? n->c : block;
}

/* Each round evaluates the whole condition: while (true) { ...; if (!x) break; } */
static void bt_flatten_while(struct bt_script *s, struct bt_node *n)
{
	struct bt_hoist h = { .s = s, .last = &h.first };
	struct bt_node *end, *leave;

	bt_hoist(&h, &n->a);
	bt_flatten(s, n->b);
	if (!h.first)
		return;
	end = bt_macro_node(s, n);
	end->kind = BN_IF;
	end->a = bt_macro_node(s, n);
	*end->a = (struct bt_node) {
		.kind = BN_UNARY, .pos = n->pos, .op = "!", .text = "", .a = n->a,
	};
	end->b = bt_macro_node(s, n);
	leave = bt_macro_node(s, n);
	*end->b = (struct bt_node) { .kind = BN_BLOCK, .pos = n->pos, .op = "", .text = "" };
	*leave = (struct bt_node) { .kind = BN_JUMP, .pos = n->pos, .op = "break", .text = "" };
	end->b->a = leave;
	end->c = NULL;
	n->a = bt_macro_node(s, n);
	*n->a = (struct bt_node) { .kind = BN_BOOL, .pos = n->pos, .op = "", .text = "true" };
	*h.last = end;
	end->next = n->b->a;
	n->b->a = h.first;
}

static void bt_flatten_statement(struct bt_hoist *h, struct bt_node *n)
{
	switch (n->kind) {
	case BN_BLOCK:
		bt_flatten(h->s, n);
		break;
	case BN_EXPR:
		if (n->a->kind == BN_BLOCK)
			bt_flatten_unused(h->s, n);
		else
			bt_hoist(h, &n->a);
		break;
	case BN_IF:
		bt_hoist(h, &n->a);
		bt_flatten_if(h->s, n);
		break;
	case BN_WHILE:
		bt_flatten_while(h->s, n);
		break;
	case BN_UNROLL:
	case BN_FOR:
	case BN_RANGE:
		bt_hoist(h, &n->a);
		bt_hoist(h, &n->c);
		bt_flatten(h->s, n->b);
		break;
	case BN_ASSIGN:
		/* With += the target is read first, with = only its key, at last. */
		if (strcmp(n->op, "="))
			bt_hoist(h, &n->a);
		bt_hoist(h, &n->b);
		if (!strcmp(n->op, "="))
			bt_hoist(h, &n->a);
		break;
	case BN_LET:
		bt_hoist(h, &n->b);
		break;
	case BN_JUMP:
		bt_hoist(h, &n->a);
		break;
	default:
		break;
	}
}

/* Move blocks in the expressions of a block to where they are statements. */
static void bt_flatten(struct bt_script *s, struct bt_node *block)
{
	struct bt_node **link = &block->a, *n;
	struct bt_hoist h;

	while (*link && !s->cc->diag.nerrors) {
		n = *link;
		h = (struct bt_hoist){ .s = s, .last = &h.first };
		bt_flatten_statement(&h, n);
		*h.last = n;
		*link = h.first;
		link = &n->next;
	}
}

/* A filter that needs statements becomes an if statement after them. */
static void bt_expand_filter(struct bt_script *s, struct bt_probe *probe)
{
	struct bt_hoist h = { .s = s, .last = &h.first };
	struct bt_node *block, *cond;

	bt_hoist(&h, &probe->filter);
	if (!h.first || s->cc->diag.nerrors)
		return;
	cond = bt_macro_node(s, probe->body);
	block = bt_macro_node(s, probe->body);
	*cond = (struct bt_node) {
		.kind = BN_IF, .pos = probe->filter->pos, .op = "", .text = "",
		.a = probe->filter, .b = probe->body,
	};
	*h.last = cond;
	block->a = h.first;
	probe->body = block;
	probe->filter = NULL;
}

void bt_expand_macros(struct bt_script *s)
{
	for (struct bt_fn *fn = s->functions; fn && !s->cc->diag.nerrors; fn = fn->next)
		bt_macro_list(s, &fn->body->a, 0);
	for (struct bt_fn *fn = s->functions; fn && !s->cc->diag.nerrors; fn = fn->next)
		bt_flatten(s, fn->body);
	for (struct bt_probe *probe = s->probes; probe; probe = probe->next) {
		bt_macro_list(s, &probe->filter, 0);
		bt_macro_list(s, &probe->body->a, 0);
		if (s->cc->diag.nerrors)
			return;
		bt_expand_filter(s, probe);
		bt_flatten(s, probe->body);
	}
}
