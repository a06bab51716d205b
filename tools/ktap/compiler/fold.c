// SPDX-License-Identifier: GPL-2.0
/* Evaluate operators of constants at compile time. */
#include <stdio.h>
#include <string.h>

#include <linux/ktap.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"

static void fold_to(struct node *n, const struct node *value)
{
	struct node *next = n->next;

	*n = *value;
	n->next = next;
	/* `true && f()` gives one value, as any operator */
	n->single = true;
}

static void become_int(struct node *n, int64_t val)
{
	n->kind = N_INT;
	n->ival = val;
	n->a = NULL;
	n->b = NULL;
}

static void become_bool(struct node *n, bool val)
{
	become_int(n, val);
	n->kind = N_BOOL;
}

static bool is_operand(const struct node *n)
{
	return n->kind == N_INT || n->kind == N_NIL;
}

static uint64_t shift_right(int64_t a, unsigned int n)
{
	/* an arithmetic shift, independent of the C compiler */
	return a < 0 ? ~(~(uint64_t)a >> n) : (uint64_t)a >> n;
}

static int64_t fold_divide(enum op op, int64_t a, int64_t b)
{
	if (b == -1)
		return op == OP_DIV ? (int64_t)-(uint64_t)a : 0;
	return op == OP_DIV ? a / b : a % b;
}

/* Integers wrap around, as at run time. */
static int64_t wrap_around(enum op op, int64_t x, int64_t y)
{
	uint64_t a = x, b = y;

	switch (op) {
	case OP_ADD: return a + b;
	case OP_SUB: return a - b;
	case OP_MUL: return a * b;
	case OP_DIV:
	case OP_MOD: return fold_divide(op, x, y);
	case OP_BAND: return a & b;
	case OP_BOR: return a | b;
	case OP_BXOR: return a ^ b;
	case OP_SHL: return a << (b & 63);
	default: return shift_right(x, b & 63);
	}
}

static const char *op_text(enum op op)
{
	static const char * const text[] = {
		"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>",
		"..", "==", "!=", "<", "<=", ">", ">=", "in", "~",
		"-", "~", "!",
	};

	return text[op];
}

/* Report an operand that would always fail at run time. */
static bool bad_operand(struct compiler *cc, const struct node *n, const struct node *operand)
{
	unsigned int type = static_type(operand);

	if (type & (TYPE_INT | TYPE_NIL))
		return false;
	diag_error(&cc->diag, n->pos, "'%s' takes integers, not %s", op_text(n->op),
		   type_text(cc, type));
	if (n->op == OP_ADD && type == TYPE_STRING)
		diag_note(&cc->diag, "to join strings, write a .. b");
	return true;
}

static bool op_commutes(enum op op)
{
	return op == OP_ADD || op == OP_MUL || op == OP_BAND || op == OP_BOR || op == OP_BXOR;
}

/* (x + 1) - 2 is x + -1: integers wrap, so the order does not matter. */
static void fold_chain(struct node *n)
{
	struct node *inner = n->a, *c = n->b;
	bool sum = n->op == OP_ADD || n->op == OP_SUB;

	if (c->kind != N_INT || inner->kind != N_BINARY || inner->b->kind != N_INT)
		return;
	if (sum && (inner->op == OP_ADD || inner->op == OP_SUB)) {
		c->ival = wrap_around(n->op, wrap_around(inner->op, 0, inner->b->ival), c->ival);
		n->op = OP_ADD;
	} else if (n->op == inner->op && op_commutes(n->op)) {
		c->ival = wrap_around(n->op, inner->b->ival, c->ival);
	} else {
		return;
	}
	n->a = inner->a;
}

static void fold_arithmetic(struct compiler *cc, struct node *n)
{
	struct node *a = n->a;

	if (bad_operand(cc, n, n->a) || bad_operand(cc, n, n->b))
		return;
	if (op_divides(n->op) && is_operand(n->b) && !n->b->ival) {
		diag_warn(&cc->diag, n->pos, "division by zero");
		return;
	}
	if (is_operand(n->a) && is_operand(n->b)) {
		become_int(n, wrap_around(n->op, n->a->ival, n->b->ival));
		return;
	}
	/* instructions take constants on the right */
	if (a->kind == N_INT && op_commutes(n->op)) {
		n->a = n->b;
		n->b = a;
	}
	fold_chain(n);
}

static const char *as_text(const struct node *n, char *buf, size_t size, size_t *len)
{
	switch (n->kind) {
	case N_STR:
		*len = n->len;
		return n->str;
	case N_INT:
		*len = snprintf(buf, size, "%lld", (long long)n->ival);
		return buf;
	case N_BOOL:
		*len = snprintf(buf, size, "%s", n->ival ? "true" : "false");
		return buf;
	default:
		*len = snprintf(buf, size, "nil");
		return buf;
	}
}

/* Join two constants; NULL if the result is too long. */
static struct node *fold_join(struct compiler *cc, const struct node *x, const struct node *y)
{
	char xbuf[32], ybuf[32], *s;
	size_t xlen, ylen;
	const char *xtext = as_text(x, xbuf, sizeof(xbuf), &xlen);
	const char *ytext = as_text(y, ybuf, sizeof(ybuf), &ylen);
	struct node *n;

	if (xlen + ylen > KTAP_MAX_STRLEN)
		return NULL;
	s = pool_alloc(&cc->pool, xlen + ylen + 1);
	memcpy(s, xtext, xlen);
	memcpy(s + xlen, ytext, ylen);
	n = node_new(cc, N_STR, x->pos);
	n->str = s;
	n->len = xlen + ylen;
	return n;
}

static bool is_concat(const struct node *n)
{
	return n->kind == N_BINARY && n->op == OP_CONCAT;
}

static bool bad_part(struct compiler *cc, const struct node *n, const struct node *part)
{
	unsigned int type = static_type(part);

	if (type & (TYPE_STRING | TYPE_INT | TYPE_BOOL | TYPE_NIL))
		return false;
	diag_error(&cc->diag, n->pos, "'..' joins strings, integers, booleans and nil, not %s",
		   type_text(cc, type));
	return true;
}

/* "a" .. "b", and x .. "a" .. "b" */
static void fold_concat(struct compiler *cc, struct node *n)
{
	struct node *joined;

	if (bad_part(cc, n, n->a) || bad_part(cc, n, n->b) || !is_const(n->b))
		return;
	if (is_const(n->a)) {
		joined = fold_join(cc, n->a, n->b);
		if (joined)
			fold_to(n, joined);
	} else if (is_concat(n->a) && is_const(n->a->b)) {
		joined = fold_join(cc, n->a->b, n->b);
		if (!joined)
			return;
		n->b = joined;
		n->a = n->a->a;
	}
}

static bool fold_equal(const struct node *a, const struct node *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == N_STR)
		return a->len == b->len && !memcmp(a->str, b->str, a->len);
	return a->ival == b->ival;
}

static int compare_strings(const struct node *a, const struct node *b)
{
	int c = memcmp(a->str, b->str, a->len < b->len ? a->len : b->len);

	return c ? c : (a->len > b->len) - (a->len < b->len);
}

static void fold_order(struct compiler *cc, struct node *n)
{
	const struct node *a = n->a, *b = n->b;
	unsigned int ta = static_type(a), tb = static_type(b);
	int c;

	if (!(ta & tb & (TYPE_INT | TYPE_STRING)) && !((ta | tb) & TYPE_NIL)) {
		diag_error(&cc->diag, n->pos,
			   "'%s' compares two integers or two strings, not %s and %s",
			   op_text(n->op), type_text(cc, ta), type_text(cc, tb));
		return;
	}
	if (!is_const(a) || !is_const(b))
		return;
	if (ta == TYPE_NIL || tb == TYPE_NIL) {
		become_bool(n, false);
		return;
	}
	c = a->kind == N_STR ? compare_strings(a, b) : (a->ival > b->ival) - (a->ival < b->ival);
	become_bool(n, n->op == OP_LT ? c < 0 : n->op == OP_LE ? c <= 0 :
		       n->op == OP_GT ? c > 0 : c >= 0);
}

static void fold_binary(struct compiler *cc, struct node *n)
{
	switch (n->op) {
	case OP_CONCAT:
		fold_concat(cc, n);
		break;
	case OP_EQ:
	case OP_NE:
		if (is_const(n->a) && is_const(n->b))
			become_bool(n, fold_equal(n->a, n->b) == (n->op == OP_EQ));
		break;
	case OP_LT:
	case OP_LE:
	case OP_GT:
	case OP_GE:
		fold_order(cc, n);
		break;
	case OP_IN:
		break;
	default:
		fold_arithmetic(cc, n);
	}
}

static void fold_unary(struct compiler *cc, struct node *n)
{
	if (n->op == OP_NOT) {
		if (is_const(n->a))
			become_bool(n, !const_truth(n->a));
		return;
	}
	if (bad_operand(cc, n, n->a) || !is_operand(n->a))
		return;
	become_int(n, n->op == OP_NEG ? (int64_t)-(uint64_t)n->a->ival : ~n->a->ival);
}

void fold_expr(struct compiler *cc, struct node *n)
{
	switch (n->kind) {
	case N_UNARY:
		fold_unary(cc, n);
		break;
	case N_BINARY:
		fold_binary(cc, n);
		break;
	case N_AND:
	case N_OR:
		if (is_const(n->a))
			fold_to(n, const_truth(n->a) == (n->kind == N_AND) ? n->b : n->a);
		break;
	case N_COND:
		if (is_const(n->a))
			fold_to(n, const_truth(n->a) ? n->b : n->c);
		break;
	default:
		break;
	}
}
