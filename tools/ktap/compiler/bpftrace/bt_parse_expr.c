// SPDX-License-Identifier: GPL-2.0
/* Parse expressions of bpftrace. */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

/* Binary operators by level, the loosest first. */
static const char * const bt_levels[][5] = {
	{ "||" }, { "&&" }, { "|" }, { "^" }, { "&" }, { "==", "!=" },
	{ "<", "<=", ">", ">=" }, { "<<", ">>" }, { "+", "-" }, { "*", "/", "%" },
};

/* Words that begin the name of a type in a cast. */
static const char * const bt_type_words[] = {
	"struct", "union", "enum", "unsigned", "signed", "char", "short", "int", "long", "void",
	"bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
	"int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t",
	"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "size_t", "ssize_t", "string", "const",
};

bool bt_is_type_word(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(bt_type_words); i++)
		if (!strcmp(name, bt_type_words[i]))
			return true;
	return false;
}

static bool bt_is_operand(const struct bt_token *t)
{
	return t->kind == BT_NAME || t->kind == BT_INT || t->kind == BT_STR || t->kind == BT_VAR ||
	       t->kind == BT_MAP || t->kind == BT_PARAM || !strcmp(t->op, "(");
}

/*
 * In parentheses, another name before an operand is a typedef, unless it has a meaning, and so is
 * a name with a '*'.
 */
static bool bt_at_type(struct bt_parser *p)
{
	struct bt_lexer lx = p->lx;
	struct bt_token t;
	bool star;

	if (p->tok.kind != BT_NAME)
		return false;
	if (bt_is_type_word(p->tok.text) || bt_integer_typedef(p->tok.text))
		return true;
	bt_lex_next(&lx, &t);
	star = !strcmp(t.op, "*");
	if (star)
		bt_lex_next(&lx, &t);
	if (strcmp(t.op, ")") || star)
		return star && !strcmp(t.op, ")");
	bt_lex_next(&lx, &t);
	return bt_is_operand(&t) && !bt_is_builtin(p->tok.text);
}

const char *bt_parse_type(struct bt_parser *p, unsigned char *stars)
{
	const char *text = "";

	*stars = 0;
	for (; p->tok.kind == BT_NAME && !p->failed; bt_next(p))
		if (strcmp(p->tok.text, "const") && strcmp(p->tok.text, "volatile"))
			text = pool_printf(&p->cc->pool, "%s%s%s", text, *text ? " " : "",
					   p->tok.text);
	for (; bt_is(p, "*"); bt_next(p))
		if (++*stars > 8)
			bt_fail(p, p->tok.pos, NULL, "a type has at most 8 '*'");
	return text;
}

/* [8] or [] after the type of a cast */
static int bt_parse_array_size(struct bt_parser *p)
{
	int size = -1;

	if (p->tok.kind == BT_INT) {
		size = p->tok.value;
		if (p->tok.value < 1 || p->tok.value > BT_MAX_LEAVES)
			bt_fail(p, p->tok.pos, NULL, "an array of a cast has 1 to %u elements",
				BT_MAX_LEAVES);
		bt_next(p);
	}
	bt_expect(p, "]");
	return size;
}

static struct bt_node *bt_parse_cast(struct bt_parser *p, struct pos pos)
{
	struct bt_node *n = bt_node(p, BN_CAST, pos);

	n->text = bt_parse_type(p, &n->stars);
	if (bt_accept(p, "["))
		n->array = bt_parse_array_size(p);
	if (n->array && (n->stars || bt_is(p, "*") || bt_is(p, "[")))
		bt_fail(p, pos, "(TYPE *)x, whose elements are x[0], x[1] ...",
			"no cast to pointers and arrays of each other");
	bt_expect(p, ")");
	n->a = bt_parse_unary(p);
	return n;
}

/* (typeof(x))y is a cast, and (typeof(x)) alone is the type. */
static struct bt_node *bt_parse_typeof_cast(struct bt_parser *p, struct pos pos)
{
	struct bt_node *type = bt_parse_type_argument(p), *n;

	bt_expect(p, ")");
	if (p->failed || !(bt_is_operand(&p->tok) || bt_is(p, "-") || bt_is(p, "~") ||
			   bt_is(p, "!") || bt_is(p, "{")))
		return type;
	n = bt_node(p, BN_CAST, pos);
	n->c = type;
	n->a = bt_parse_unary(p);
	return n;
}

struct bt_node *bt_parse_list(struct bt_parser *p, const char *end)
{
	struct bt_node *first = NULL, **last = &first;

	while (!p->failed && !bt_is(p, end)) {
		*last = bt_parse_expr(p);
		last = &(*last)->next;
		if (!bt_accept(p, ","))
			break;
	}
	bt_expect(p, end);
	return first;
}

/* Is it NAME = in a tuple whose items have names? */
static bool bt_at_item_name(struct bt_parser *p)
{
	struct bt_lexer lx = p->lx;
	struct bt_token t;

	if (p->tok.kind != BT_NAME)
		return false;
	bt_lex_next(&lx, &t);
	return !strcmp(t.op, "=");
}

/* (x=1, y=2) */
static struct bt_node *bt_parse_record(struct bt_parser *p, struct pos pos)
{
	struct bt_node *n = bt_node(p, BN_TUPLE, pos), **last = &n->a;
	const char *name;

	while (!p->failed && !bt_is(p, ")")) {
		name = p->tok.text;
		if (!bt_at_item_name(p))
			bt_fail(p, p->tok.pos, "either all items have a name, or none",
				"expected the name of an item, found '%s'", bt_found(p));
		bt_next(p);
		bt_expect(p, "=");
		*last = bt_parse_expr(p);
		(*last)->item = name;
		last = &(*last)->next;
		if (!bt_accept(p, ","))
			break;
	}
	bt_expect(p, ")");
	return n;
}

/* "(" has been read: a cast, a tuple, or an expression in parentheses */
static struct bt_node *bt_parse_paren(struct bt_parser *p, struct pos pos)
{
	struct bt_node *n, *items;

	if (bt_is_word(p, "typeof"))
		return bt_parse_typeof_cast(p, pos);
	if (bt_at_type(p))
		return bt_parse_cast(p, pos);
	if (bt_at_item_name(p))
		return bt_parse_record(p, pos);
	if (bt_is(p, ")"))
		bt_fail(p, pos, "(x,) has one", "a tuple without items is no value in ktap");
	n = bt_parse_expr(p);
	if (!bt_is(p, ",")) {
		bt_expect(p, ")");
		return n;
	}
	items = n;
	if (bt_accept(p, ","))
		items->next = bt_parse_list(p, ")");
	n = bt_node(p, BN_TUPLE, pos);
	n->a = items;
	return n;
}

static struct bt_node *bt_parse_sized_type(struct bt_parser *p);

/* A type, typeof(TYPE or expression), or an expression that has it */
struct bt_node *bt_parse_type_argument(struct bt_parser *p)
{
	struct bt_node *n;

	if (bt_is_word(p, "typeof")) {
		bt_next(p);
		bt_expect(p, "(");
		n = bt_parse_sized_type(p);
		bt_expect(p, ")");
		return n;
	}
	if (!bt_at_type(p))
		return bt_parse_expr(p);
	n = bt_node(p, BN_TYPE, p->tok.pos);
	n->text = bt_parse_type(p, &n->stars);
	return n;
}

/* TYPE[8], TYPE *[8], TYPE[8] * of sizeof(): an array, and a pointer to one */
static struct bt_node *bt_parse_sized_type(struct bt_parser *p)
{
	struct bt_node *n = bt_parse_type_argument(p), *array;

	while (n->kind == BN_TYPE || n->kind == BN_INDEX) {
		array = bt_node(p, BN_INDEX, p->tok.pos);
		if (n->kind == BN_INDEX && bt_accept(p, "*")) {
			n = bt_node(p, BN_TYPE, array->pos);
			n->text = "void";
			n->stars = 1;
			continue;
		}
		if (!bt_accept(p, "["))
			break;
		array->a = n;
		array->b = bt_parse_expr(p);
		bt_expect(p, "]");
		n = array;
	}
	return n;
}

static struct bt_node *bt_parse_member_argument(struct bt_parser *p)
{
	struct bt_node *n = bt_node(p, BN_STR, p->tok.pos);
	size_t start = p->tok.start, end = start;

	while (!p->failed && !bt_is(p, ")") && p->tok.kind != BT_END) {
		end = p->tok.end;
		bt_next(p);
	}
	n->text = pool_printf(&p->cc->pool, "\"%.*s\"", (int)(end - start), p->lx.text + start);
	return n;
}

/* bpftrace has pid, pid() and __builtin_pid. */
static const char *bt_plain_name(const char *name)
{
	static const char prefix[] = "__builtin_";
	size_t len = strlen(prefix);

	return !strncmp(name, prefix, len) && bt_is_builtin(name + len) ? name + len : name;
}

static struct bt_node *bt_parse_name(struct bt_parser *p, const struct bt_token *t)
{
	struct bt_node *n = bt_node(p, BN_NAME, t->pos);

	n->text = bt_plain_name(t->text);
	if (!strcmp(t->text, "true") || !strcmp(t->text, "false")) {
		n->kind = BN_BOOL;
		return n;
	}
	if (!bt_accept(p, "("))
		return n;
	if (bt_is_builtin(n->text) && bt_accept(p, ")"))
		return n;
	n->kind = BN_CALL;
	if (!strcmp(t->text, "container_of")) {
		n->a = bt_parse_expr(p);
		bt_expect(p, ",");
		n->a->next = bt_parse_type_argument(p);
		bt_expect(p, ",");
		n->a->next->next = bt_parse_list(p, ")");
		return n;
	}
	if (!strcmp(t->text, "sizeof") || !strcmp(t->text, "offsetof")) {
		n->a = bt_parse_sized_type(p);
		if (bt_accept(p, ","))
			n->a->next = bt_parse_member_argument(p);
		bt_expect(p, ")");
		return n;
	}
	if (!strcmp(t->text, "typeof")) {
		n = bt_parse_sized_type(p);
		bt_expect(p, ")");
		return n;
	}
	n->a = bt_parse_list(p, ")");
	n->end = p->last.col;
	return n;
}

/* if (CONDITION) { VALUE } else { VALUE } */
static struct bt_node *bt_parse_choice(struct bt_parser *p)
{
	struct bt_node *n = bt_parse_condition(p, BN_CHOICE);

	if (!bt_is_word(p, "else"))
		bt_fail(p, p->tok.pos, NULL, "expected 'else', found '%s'", bt_found(p));
	bt_next(p);
	n->c = bt_is_word(p, "if") && bt_enter(p) ? bt_parse_choice(p) : bt_parse_block(p);
	return n;
}

static struct bt_node *bt_parse_primary(struct bt_parser *p)
{
	struct bt_token t = p->tok;
	struct bt_node *n;

	if (bt_is(p, "{"))
		return bt_parse_block(p);
	if (bt_is_word(p, "if"))
		return bt_parse_choice(p);
	bt_next(p);
	switch (t.kind) {
	case BT_INT:
		n = bt_node(p, BN_INT, t.pos);
		n->value = t.value;
		break;
	case BT_STR:
		n = bt_node(p, BN_STR, t.pos);
		break;
	case BT_MAP:
		n = bt_node(p, BN_MAP, t.pos);
		if (bt_accept(p, "["))
			n->a = bt_parse_list(p, "]");
		/* @m[(a, b)] is @m[a, b] */
		if (n->a && n->a->kind == BN_TUPLE && !n->a->next)
			n->a = n->a->a;
		break;
	case BT_VAR:
		n = bt_node(p, BN_VAR, t.pos);
		break;
	case BT_PARAM:
		n = bt_node(p, BN_PARAM, t.pos);
		n->value = t.value;
		break;
	case BT_NAME:
		return bt_parse_name(p, &t);
	default:
		if (!strcmp(t.op, "("))
			return bt_parse_paren(p, t.pos);
		bt_fail(p, t.pos, NULL, t.kind == BT_END ?
			"the script ends within an expression" :
			"expected an expression, found '%s'", t.text);
		n = bt_node(p, BN_INT, t.pos);
	}
	n->text = t.text;
	return n;
}

static struct bt_node *bt_parse_member(struct bt_parser *p, struct bt_node *of)
{
	struct bt_node *n = bt_node(p, BN_FIELD, p->tok.pos);

	n->a = of;
	n->text = p->tok.text;
	n->value = p->tok.kind == BT_INT ? p->tok.value : -1;
	if (p->tok.kind != BT_NAME && p->tok.kind != BT_INT)
		bt_fail(p, p->tok.pos, NULL, "expected the name of a member, found '%s'",
			bt_found(p));
	bt_next(p);
	return n;
}

static struct bt_node *bt_parse_postfix(struct bt_parser *p)
{
	struct bt_node *n = bt_parse_primary(p), *index;
	struct pos pos;

	while (!p->failed) {
		pos = p->tok.pos;
		if (bt_accept(p, ".") || bt_accept(p, "->")) {
			n = bt_parse_member(p, n);
		} else if (bt_accept(p, "[")) {
			index = bt_node(p, BN_INDEX, pos);
			index->a = n;
			index->b = bt_parse_expr(p);
			bt_expect(p, "]");
			n = index;
		} else {
			break;
		}
	}
	return n;
}

/* x++ in an expression is { let $old = x; x++; $old }, and ++x is { x++; x } */
static struct bt_node *bt_step(struct bt_parser *p, struct bt_node *of, const char *op,
			       struct pos pos, bool before)
{
	struct bt_node *block = bt_node(p, BN_BLOCK, pos), *step = bt_node(p, BN_ASSIGN, pos);
	struct bt_node *old = bt_node(p, BN_LET, pos), *value = bt_node(p, BN_EXPR, pos);

	if (of->kind != BN_VAR && of->kind != BN_MAP)
		bt_fail(p, pos, NULL, "'%s' changes a variable or a map", op);
	step->op = op;
	step->a = of;
	value->value = 1;
	value->a = bt_node(p, of->kind, pos);
	*value->a = *of;
	if (before) {
		block->a = step;
		step->next = value;
		return block;
	}
	old->text = pool_printf(&p->cc->pool, "old__s%u", ++p->script->expansions);
	old->b = bt_node(p, of->kind, pos);
	*old->b = *of;
	value->a = bt_node(p, BN_VAR, pos);
	value->a->text = old->text;
	block->a = old;
	old->next = step;
	step->next = value;
	return block;
}

struct bt_node *bt_parse_unary(struct bt_parser *p)
{
	struct bt_token t = p->tok;
	struct bt_node *n;

	if (!strcmp(t.op, "&"))
		bt_fail(p, t.pos, "addresses of members: offsetof(struct NAME, member)",
			"'&' takes no address in ktap");
	if (bt_is(p, "++") || bt_is(p, "--")) {
		bt_next(p);
		return bt_step(p, bt_parse_postfix(p), t.op, t.pos, true);
	}
	if (strcmp(t.op, "!") && strcmp(t.op, "-") && strcmp(t.op, "~") && strcmp(t.op, "*"))
		return bt_parse_postfix(p);
	if (!bt_enter(p))
		return bt_node(p, BN_INT, t.pos);
	bt_next(p);
	n = bt_node(p, *t.op == '*' ? BN_DEREF : BN_UNARY, t.pos);
	n->op = t.op;
	n->a = bt_parse_unary(p);
	p->depth--;
	return n;
}

static bool bt_at_level(const struct bt_parser *p, unsigned int level)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(bt_levels[0]) && bt_levels[level][i]; i++)
		if (bt_is(p, bt_levels[level][i]))
			return true;
	return false;
}

static struct bt_node *bt_parse_binary(struct bt_parser *p, unsigned int level)
{
	struct bt_node *n, *left;
	unsigned int height = 0;

	if (level == ARRAY_SIZE(bt_levels)) {
		n = bt_parse_unary(p);
		if (bt_is(p, "++") || bt_is(p, "--")) {
			n = bt_step(p, n, p->tok.op, p->tok.pos, false);
			bt_next(p);
		}
		return n;
	}
	left = bt_parse_binary(p, level + 1);
	while (!p->failed && bt_at_level(p, level)) {
		if (++height > BT_MAX_DEPTH)
			bt_fail(p, p->tok.pos, NULL, "this expression has too many operators");
		n = bt_node(p, BN_BINARY, p->tok.pos);
		n->op = p->tok.op;
		bt_next(p);
		n->a = left;
		n->b = bt_parse_binary(p, level + 1);
		left = n;
	}
	return left;
}

/* x ?: y is { let $x = x; $x ? $x : y }: *@n becomes the variable, @value what uses it. */
static struct bt_node *bt_keep(struct bt_parser *p, struct bt_node **n, struct bt_node *value)
{
	struct bt_node *block = bt_node(p, BN_BLOCK, (*n)->pos);
	struct bt_node *let = bt_node(p, BN_LET, (*n)->pos);

	let->text = pool_printf(&p->cc->pool, "value__s%u", ++p->script->expansions);
	let->b = *n;
	let->next = bt_node(p, BN_EXPR, (*n)->pos);
	let->next->value = 1;
	let->next->a = value;
	block->a = let;
	*n = bt_node(p, BN_VAR, (*n)->pos);
	(*n)->text = let->text;
	return block;
}

struct bt_node *bt_parse_expr(struct bt_parser *p)
{
	struct bt_node *n, *choice, *block = NULL;
	struct pos pos = p->tok.pos;

	if (!bt_enter(p))
		return bt_node(p, BN_INT, pos);
	n = bt_parse_binary(p, 0);
	pos = p->tok.pos;
	if (bt_accept(p, "?")) {
		choice = bt_node(p, BN_CHOICE, pos);
		if (bt_is(p, ":") && n->kind != BN_VAR && n->kind != BN_PARAM && n->kind != BN_INT)
			block = bt_keep(p, &n, choice);
		choice->a = n;
		choice->b = bt_is(p, ":") ? n : bt_parse_expr(p);
		bt_expect(p, ":");
		choice->c = bt_parse_expr(p);
		n = block ? block : choice;
	}
	p->depth--;
	return n;
}
