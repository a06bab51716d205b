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
	"u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "size_t", "ssize_t", "string",
};

static bool bt_at_type(struct bt_parser *p)
{
	struct bt_lexer lx = p->lx;
	struct bt_token t;

	if (p->tok.kind != BT_NAME)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(bt_type_words); i++)
		if (!strcmp(p->tok.text, bt_type_words[i]))
			return true;
	/* a typedef: (name *) and then an operand */
	bt_lex_next(&lx, &t);
	if (strcmp(t.op, "*"))
		return false;
	bt_lex_next(&lx, &t);
	return !strcmp(t.op, ")");
}

/* Parse a type up to its ')'; returns it without the last '*'. */
static const char *bt_parse_type(struct bt_parser *p, unsigned int *stars)
{
	const char *text = "";

	*stars = 0;
	for (; p->tok.kind == BT_NAME && !p->failed; bt_next(p))
		text = pool_printf(&p->cc->pool, "%s%s%s", text, *text ? " " : "", p->tok.text);
	while (bt_accept(p, "*"))
		++*stars;
	if (*stars > 1)
		text = pool_printf(&p->cc->pool, "%s *", text);
	return text;
}

static struct bt_node *bt_parse_cast(struct bt_parser *p, struct pos pos)
{
	struct bt_node *n = bt_node(p, BN_CAST, pos);
	unsigned int stars;

	n->text = bt_parse_type(p, &stars);
	n->pointer = stars;
	bt_expect(p, ")");
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

/* "(" has been read: a cast, a tuple, or an expression in parentheses */
static struct bt_node *bt_parse_paren(struct bt_parser *p, struct pos pos)
{
	struct bt_node *n, *items;

	if (bt_at_type(p))
		return bt_parse_cast(p, pos);
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

/* sizeof(struct x), offsetof(struct x, member): the type as a string */
static struct bt_node *bt_parse_type_argument(struct bt_parser *p)
{
	struct bt_node *n = bt_node(p, BN_STR, p->tok.pos);
	unsigned int stars;

	if (!bt_at_type(p))
		bt_fail(p, p->tok.pos, "write sizeof(struct NAME)", "expected a type");
	n->text = pool_printf(&p->cc->pool, "\"%s\"", bt_parse_type(p, &stars));
	if (stars)
		n->text = "\"void *\"";
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
	if (strcmp(t->text, "sizeof") && strcmp(t->text, "offsetof")) {
		n->a = bt_parse_list(p, ")");
		return n;
	}
	n->a = bt_parse_type_argument(p);
	if (bt_accept(p, ","))
		n->a->next = bt_parse_member_argument(p);
	bt_expect(p, ")");
	return n;
}

static struct bt_node *bt_parse_primary(struct bt_parser *p)
{
	struct bt_token t = p->tok;
	struct bt_node *n;

	if (bt_is(p, "{"))
		return bt_parse_block(p);
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

struct bt_node *bt_parse_unary(struct bt_parser *p)
{
	struct bt_token t = p->tok;
	struct bt_node *n;

	if (!strcmp(t.op, "&"))
		bt_fail(p, t.pos, "addresses of members: offsetof(struct NAME, member)",
			"'&' takes no address in ktap");
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

	if (level == ARRAY_SIZE(bt_levels))
		return bt_parse_unary(p);
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

struct bt_node *bt_parse_expr(struct bt_parser *p)
{
	struct bt_node *n, *choice;
	struct pos pos = p->tok.pos;

	if (!bt_enter(p))
		return bt_node(p, BN_INT, pos);
	n = bt_parse_binary(p, 0);
	pos = p->tok.pos;
	if (bt_accept(p, "?")) {
		choice = bt_node(p, BN_CHOICE, pos);
		choice->a = n;
		choice->b = bt_parse_expr(p);
		bt_expect(p, ":");
		choice->c = bt_parse_expr(p);
		n = choice;
	}
	if (bt_is(p, "++") || bt_is(p, "--"))
		bt_fail(p, p->tok.pos, "make it a statement of its own",
			"'%s' has no value in ktap", p->tok.op);
	p->depth--;
	return n;
}
