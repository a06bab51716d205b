// SPDX-License-Identifier: GPL-2.0
/* The code generator: expressions and conditions. */
#include <string.h>

#include <linux/ktap.h>

#include "compiler/chunk_write.h"
#include "compiler/codegen.h"

#define MAX_CONCAT	100	/* parts that one instruction joins */

_Static_assert(KTAP_OP_SHR - KTAP_OP_ADD == OP_SHR && KTAP_OP_SHRI - KTAP_OP_ADDI == OP_SHR,
	       "enum op has the order of the opcodes");

bool mentions(const struct node *n, int reg)
{
	const struct node *i;

	if (!n)
		return false;
	if (is_local(n) && n->var->reg == reg)
		return true;
	for (i = n->list; i; i = i->next)
		if (mentions(i, reg))
			return true;
	return mentions(n->a, reg) || mentions(n->b, reg) || mentions(n->c, reg);
}

bool needs_temporary(const struct gen *g, const struct node *n, int reg)
{
	if (!regs_is_local(g->regs, reg))
		return false;
	switch (n->kind) {
	case N_AND:
	case N_OR:
		if (needs_temporary(g, n->b, reg))
			return true;
		/* x = x && y writes x once */
		if (is_local(n->a) && n->a->var->reg == reg)
			return false;
		return g->tries || mentions(n->b, reg) || needs_temporary(g, n->a, reg);
	case N_COND:
		return needs_temporary(g, n->b, reg) || needs_temporary(g, n->c, reg);
	case N_TABLE:
		return g->tries || mentions(n, reg);
	default:
		return false;
	}
}

int gen_operand(struct gen *g, const struct node *n, int hint)
{
	if (is_local(n))
		return n->var->reg;
	if (hint < 0)
		hint = regs_take(g->regs, 1);
	gen_to(g, n, hint);
	return hint;
}

void gen_int(struct gen *g, int reg, int64_t val)
{
	if (val >= INT32_MIN && val <= INT32_MAX)
		emit(g, KTAP_OP_INT, reg, 0, 0, val);
	else
		emit(g, KTAP_OP_INTK, reg, 0, 0, chunk_int(g->cc, val));
}

/* A temporary may hold an operand until the result overwrites it. */
static int hint_of(struct gen *g, int reg)
{
	return regs_is_local(g->regs, reg) ? -1 : reg;
}

void gen_arith(struct gen *g, enum op op, int dst, int a, const struct node *b)
{
	struct pos pos = g->pos;
	unsigned int top = g->regs->top;
	int hint = hint_of(g, dst), r;

	/* * instructions take no constant divisor 0: division by it fails at run time */
	if (fits_imm32(b) && (b->ival || !op_divides(op))) {
		int32_t imm = op == OP_SHL || op == OP_SHR ? b->ival & 63 : b->ival;

		emit(g, KTAP_OP_ADDI + op, dst, a, 0, imm);
		return;
	}
	r = gen_operand(g, b, a == hint ? -1 : hint);
	g->pos = pos;
	emit(g, KTAP_OP_ADD + op, dst, a, r, 0);
	regs_release(g->regs, top);
}

static void gen_compare(struct gen *g, const struct node *n, int reg)
{
	int hint = hint_of(g, reg), a, b;

	a = gen_operand(g, n->a, hint);
	b = gen_operand(g, n->b, a == hint ? -1 : hint);
	g->pos = n->pos;
	switch (n->op) {
	case OP_LT:
		emit(g, KTAP_OP_LT, reg, a, b, 0);
		break;
	case OP_LE:
		emit(g, KTAP_OP_LE, reg, a, b, 0);
		break;
	case OP_GT:
		emit(g, KTAP_OP_LT, reg, b, a, 0);
		break;
	case OP_GE:
		emit(g, KTAP_OP_LE, reg, b, a, 0);
		break;
	case OP_IN:
		emit(g, KTAP_OP_THAS, reg, b, a, 0);
		break;
	default:
		emit(g, KTAP_OP_EQ, reg, a, b, 0);
		if (n->op == OP_NE)
			emit(g, KTAP_OP_NOT, reg, reg, 0, 0);
	}
}

/*
 * Put the parts of a .. b .. c into adjacent registers; join them when there
 * are too many.
 */
static void gen_parts(struct gen *g, const struct node *n, int first)
{
	if (n->kind == N_BINARY && n->op == OP_CONCAT) {
		gen_parts(g, n->a, first);
		gen_parts(g, n->b, first);
		return;
	}
	if (g->regs->top - first >= MAX_CONCAT) {
		emit(g, KTAP_OP_CONCAT, first, first, g->regs->top - first, 0);
		regs_release(g->regs, first + 1);
	}
	gen_to(g, n, regs_take(g->regs, 1));
}

static void gen_concat(struct gen *g, const struct node *n, int reg)
{
	int first = g->regs->top;

	gen_parts(g, n, first);
	g->pos = n->pos;
	emit(g, KTAP_OP_CONCAT, reg, first, g->regs->top - first, 0);
}

static void gen_binary(struct gen *g, const struct node *n, int reg)
{
	int r;

	if (n->op == OP_CONCAT) {
		gen_concat(g, n, reg);
		return;
	}
	if (n->op > OP_CONCAT) {
		gen_compare(g, n, reg);
		return;
	}
	r = gen_operand(g, n->a, hint_of(g, reg));
	g->pos = n->pos;
	gen_arith(g, n->op, reg, r, n->b);
}

static void gen_unary(struct gen *g, const struct node *n, int reg)
{
	static const unsigned char ops[] = {
		[OP_NEG] = KTAP_OP_NEG, [OP_BNOT] = KTAP_OP_BNOT, [OP_NOT] = KTAP_OP_NOT,
	};
	int r = gen_operand(g, n->a, hint_of(g, reg));

	g->pos = n->pos;
	emit(g, ops[n->op], reg, r, 0, 0);
}

int gen_tuple(struct gen *g, const struct node *keys)
{
	struct pos pos = g->pos;
	int first = gen_list(g, keys);

	g->pos = pos;
	emit(g, KTAP_OP_TUPLE, first, first, g->regs->top - first, 0);
	return first;
}

static void gen_index(struct gen *g, const struct node *n, int reg)
{
	const struct node *key = n->list;
	int hint = hint_of(g, reg);
	int t = gen_operand(g, n->a, hint), k;

	g->pos = n->pos;
	if (!key->next && key->kind == N_STR) {
		emit(g, KTAP_OP_TGETS, reg, t, 0, chunk_string(g->cc, key->str, key->len));
	} else if (!key->next && fits_imm32(key)) {
		emit(g, KTAP_OP_TGETI, reg, t, 0, key->ival);
	} else {
		k = key->next ? gen_tuple(g, key) : gen_operand(g, key, t == hint ? -1 : hint);
		g->pos = n->pos;
		emit(g, KTAP_OP_TGET, reg, t, k, 0);
	}
}

static void gen_item(struct gen *g, const struct node *item, int table, int64_t *position)
{
	const struct node *key = item->list;
	int v, k;

	if (key && (key->next || (key->kind != N_STR && !fits_imm32(key)))) {
		k = key->next ? gen_tuple(g, key) : gen_operand(g, key, -1);
		v = gen_operand(g, item->b, -1);
		g->pos = item->pos;
		emit(g, KTAP_OP_TSET, table, k, v, 0);
		return;
	}
	v = gen_operand(g, item->b, -1);
	g->pos = item->pos;
	if (key && key->kind == N_STR)
		emit(g, KTAP_OP_TSETS, table, 0, v, chunk_string(g->cc, key->str, key->len));
	else
		emit(g, KTAP_OP_TSETI, table, 0, v, key ? key->ival : ++*position);
}

static void gen_table(struct gen *g, const struct node *n, int reg)
{
	const struct node *item, *last = NULL;
	unsigned int top = g->regs->top;
	int64_t position = 0;
	int first;

	for (item = n->list; item; item = item->next)
		if (!item->list)
			last = item;
	emit(g, KTAP_OP_NEWT, reg, 0, 0, 0);
	for (item = n->list; item; item = item->next) {
		if (item == last && is_open(item->b)) {
			first = gen_results(g, item->b, KTAP_MULTI);
			g->pos = item->pos;
			emit(g, KTAP_OP_TSETM, reg, first, 0, position + 1);
		} else {
			gen_item(g, item, reg, &position);
		}
		regs_release(g->regs, top);
	}
}

static void gen_name(struct gen *g, const struct node *n, int reg)
{
	if (is_local(n)) {
		if (n->var->reg != reg)
			emit(g, KTAP_OP_MOV, reg, n->var->reg, 0, 0);
	} else if (n->var) {
		emit(g, KTAP_OP_FUNC, reg, 0, 0, n->var->constant->index);
	} else if (n->sym->global) {
		emit(g, KTAP_OP_GETG, reg, 0, 0, n->sym->index);
	} else if (n->sym->func) {
		emit(g, KTAP_OP_FUNC, reg, 0, 0, n->sym->func->index);
	} else {
		emit(g, KTAP_OP_NIL, reg, reg, 0, 0);
	}
}

static void gen_filter_name(struct gen *g, const struct node *n, int reg)
{
	struct jumps end = NO_JUMPS;

	emit(g, KTAP_OP_FIELD, reg, n->a ? KTAP_NEED_NOTHING : KTAP_NEED_NAME, 0,
	     chunk_field(g->cc, n->str));
	if (!n->a)
		return;
	emit_jump(g, KTAP_OP_JNNIL, reg, 0, 0, &end);
	gen_to(g, n->a, reg);
	jumps_here(g, &end);
}

void gen_to(struct gen *g, const struct node *n, int reg)
{
	unsigned int top = g->regs->top;

	g->pos = n->pos;
	switch (n->kind) {
	case N_NIL:
		emit(g, KTAP_OP_NIL, reg, reg, 0, 0);
		break;
	case N_BOOL:
		emit(g, KTAP_OP_BOOL, reg, n->ival, 0, 0);
		break;
	case N_INT:
		gen_int(g, reg, n->ival);
		break;
	case N_STR:
		emit(g, KTAP_OP_STR, reg, 0, 0, chunk_string(g->cc, n->str, n->len));
		break;
	case N_NAME:
		gen_name(g, n, reg);
		break;
	case N_SCRIPTARG:
		emit(g, KTAP_OP_INT, reg, 0, 0, n->ival);
		emit(g, KTAP_OP_CALLB, reg, 1, 0, KTAP_FN_SCRIPTARG);
		break;
	case N_UNARY:
		gen_unary(g, n, reg);
		break;
	case N_BINARY:
		gen_binary(g, n, reg);
		break;
	case N_AND:
	case N_OR:
		gen_logical(g, n, reg);
		break;
	case N_COND:
		gen_choice(g, n, reg);
		break;
	case N_INDEX:
		gen_index(g, n, reg);
		break;
	case N_FIELD: {
		int r = gen_operand(g, n->a, hint_of(g, reg));

		g->pos = n->pos;
		emit(g, KTAP_OP_TGETS, reg, r, 0, chunk_string(g->cc, n->str, strlen(n->str)));
		break;
	}
	case N_SYMBOL:
		emit(g, KTAP_OP_SYMBOL, reg, 0, 0, chunk_string(g->cc, n->str, n->len));
		break;
	case N_SELF:
		emit(g, KTAP_OP_GETSELF, reg, 0, 0, chunk_string(g->cc, n->str, strlen(n->str)));
		break;
	case N_CALL:
	case N_VARG:
		gen_call_to(g, n, reg);
		break;
	case N_FUNC:
		emit(g, KTAP_OP_FUNC, reg, 0, 0, n->func->index);
		break;
	case N_EVFIELD:
		emit(g, KTAP_OP_FIELD, reg, n->ival, 0, chunk_field(g->cc, n->str));
		break;
	case N_EVARG:
		emit(g, KTAP_OP_ARG, reg, 0, 0, n->ival);
		break;
	case N_FILTERNAME:
		gen_filter_name(g, n, reg);
		break;
	default:
		gen_table(g, n, reg);
	}
	regs_release(g->regs, top);
}

