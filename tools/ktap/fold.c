// SPDX-License-Identifier: GPL-2.0
/* Operators whose operands are constants are evaluated by the compiler. */
#include <stdio.h>
#include <string.h>

#include <linux/ktap.h>

#include "ast.h"
#include "builtins.h"

static void become(struct node *n, const struct node *value)
{
	struct node *next = n->next;

	*n = *value;
	n->next = next;
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
	/* arithmetic, whatever the C compiler's >> does */
	return a < 0 ? ~(~(uint64_t)a >> n) : (uint64_t)a >> n;
}

static int64_t divide(enum op op, int64_t a, int64_t b)
{
	if (b == -1)
		return op == OP_DIV ? (int64_t)-(uint64_t)a : 0;
	return op == OP_DIV ? a / b : a % b;
}

/* Wraps around as the machine does. */
static int64_t arithmetic(enum op op, int64_t x, int64_t y)
{
	uint64_t a = x, b = y;

	switch (op) {
	case OP_ADD: return a + b;
	case OP_SUB: return a - b;
	case OP_MUL: return a * b;
	case OP_DIV:
	case OP_MOD: return divide(op, x, y);
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
		"..", "==", "!=", "<", "<=", ">", ">=", "in", "-", "~", "!",
	};

	return text[op];
}

/* An operand that can only fail at run time fails here. */
static bool bad_operand(struct compiler *cc, const struct node *n, const struct node *operand)
{
	int type = static_type(operand);

	if (type == TYPE_ANY || type == TYPE_INT || type == TYPE_NIL)
		return false;
	diag_error(&cc->diag, n->pos, "'%s' takes integers, not %s", op_text(n->op),
		   type_name(type));
	return true;
}

static void fold_arithmetic(struct compiler *cc, struct node *n)
{
	if (bad_operand(cc, n, n->a) || bad_operand(cc, n, n->b))
		return;
	if ((n->op == OP_DIV || n->op == OP_MOD) && is_operand(n->b) && !n->b->ival) {
		diag_error(&cc->diag, n->pos, "division by zero");
		return;
	}
	if (is_operand(n->a) && is_operand(n->b))
		become_int(n, arithmetic(n->op, n->a->ival, n->b->ival));
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

static void fold_concat(struct compiler *cc, struct node *n)
{
	char abuf[32], bbuf[32], *s;
	size_t alen, blen;
	const char *a, *b;

	if (!is_const(n->a) || !is_const(n->b))
		return;
	a = as_text(n->a, abuf, sizeof(abuf), &alen);
	b = as_text(n->b, bbuf, sizeof(bbuf), &blen);
	if (alen + blen > KTAP_MAX_STRLEN)
		return;
	s = arena_alloc(&cc->arena, alen + blen + 1);
	memcpy(s, a, alen);
	memcpy(s + alen, b, blen);
	n->kind = N_STR;
	n->str = s;
	n->len = alen + blen;
	n->a = NULL;
	n->b = NULL;
}

static bool equal(const struct node *a, const struct node *b)
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
	int ta = static_type(a), tb = static_type(b), c;

	if (ta == TYPE_NIL || tb == TYPE_NIL) {
		if (is_const(a) && is_const(b))
			become_bool(n, false);
		return;
	}
	if (ta != TYPE_ANY && tb != TYPE_ANY &&
	    (ta != tb || (ta != TYPE_INT && ta != TYPE_STRING))) {
		diag_error(&cc->diag, n->pos,
			   "'%s' compares two integers or two strings, not %s and %s",
			   op_text(n->op), type_name(ta), type_name(tb));
		return;
	}
	if (!is_const(a) || !is_const(b))
		return;
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
			become_bool(n, equal(n->a, n->b) == (n->op == OP_EQ));
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
			become(n, const_truth(n->a) == (n->kind == N_AND) ? n->b : n->a);
		break;
	case N_COND:
		if (is_const(n->a))
			become(n, const_truth(n->a) ? n->b : n->c);
		break;
	default:
		break;
	}
}

int static_type(const struct node *n)
{
	static const unsigned char types[] = {
		[N_NIL] = TYPE_NIL, [N_BOOL] = TYPE_BOOL, [N_INT] = TYPE_INT,
		[N_STR] = TYPE_STRING, [N_TABLE] = TYPE_TABLE, [N_FUNC] = TYPE_FUNCTION,
	};
	size_t i;

	switch (n->kind) {
	case N_UNARY:
		return n->op == OP_NOT ? TYPE_BOOL : TYPE_INT;
	case N_BINARY:
		return n->op < OP_CONCAT ? TYPE_INT : n->op == OP_CONCAT ? TYPE_STRING : TYPE_BOOL;
	case N_CALL:
		if (n->call == CALL_NEWT)
			return TYPE_TABLE;
		if (n->call != CALL_BUILTIN)
			return TYPE_ANY;
		for (i = 0; i < nbuiltins; i++)
			if (builtins[i].kind <= BI_FUNCTION && builtins[i].id == n->ival)
				return builtins[i].type;
		return TYPE_ANY;
	default:
		return n->kind < sizeof(types) ? types[n->kind] : TYPE_ANY;
	}
}
