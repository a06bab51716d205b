// SPDX-License-Identifier: GPL-2.0
/* The code generator: expressions and conditions. */
#include <string.h>

#include <linux/ktap.h>

#include "chunk.h"
#include "codegen.h"

#define MAX_CONCAT	100	/* parts that one instruction joins */

_Static_assert(KTAP_OP_SHR - KTAP_OP_ADD == OP_SHR && KTAP_OP_SHRI - KTAP_OP_ADDI == OP_SHR,
	       "enum op has the order of the opcodes");

static bool is_local(const struct node *n)
{
	return n->kind == N_NAME && n->var && !n->var->constant;
}

bool mentions(const struct node *n, const struct var *v)
{
	const struct node *i;

	if (!n)
		return false;
	if (n->kind == N_NAME && n->var == v)
		return true;
	for (i = n->list; i; i = i->next)
		if (mentions(i, v))
			return true;
	return mentions(n->a, v) || mentions(n->b, v) || mentions(n->c, v);
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

int gen_list(struct gen *g, const struct node *list)
{
	int first = g->regs->top;

	for (; list; list = list->next)
		gen_to(g, list, regs_take(g->regs, 1));
	return first;
}

void gen_int(struct gen *g, int reg, int64_t val)
{
	if (val >= INT32_MIN && val <= INT32_MAX)
		emit(g, KTAP_OP_INT, reg, 0, 0, val);
	else
		emit(g, KTAP_OP_INTK, reg, 0, 0, chunk_int(g->cc, val));
}

/* The register of a temporary may hold an operand until the result overwrites it. */
static int hint_of(struct gen *g, int reg)
{
	return regs_is_local(g->regs, reg) ? -1 : reg;
}

void gen_arith(struct gen *g, enum op op, int dst, int a, const struct node *b)
{
	struct pos pos = g->pos;
	unsigned int top = g->regs->top;
	int hint = hint_of(g, dst), r;

	if (fits_imm32(b)) {
		int32_t imm = op == OP_SHL || op == OP_SHR ? b->ival & 63 : b->ival;

		emit(g, KTAP_OP_ADDI + op, dst, a, 0, imm);
		return;
	}
	r = gen_operand(g, b, a == hint ? -1 : hint);
	g->pos = pos;
	emit(g, KTAP_OP_ADD + op, dst, a, r, 0);
	regs_release(g->regs, top);
}

static bool commutes(enum op op)
{
	return op == OP_ADD || op == OP_MUL || op == OP_BAND || op == OP_BOR || op == OP_BXOR;
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

/* Puts the parts of a .. b .. c side by side; joins them when they get too many. */
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
	const struct node *a = n->a, *b = n->b;
	int r;

	if (n->op == OP_CONCAT) {
		gen_concat(g, n, reg);
		return;
	}
	if (n->op > OP_CONCAT) {
		gen_compare(g, n, reg);
		return;
	}
	if (commutes(n->op) && fits_imm32(a)) {
		a = n->b;
		b = n->a;
	}
	r = gen_operand(g, a, hint_of(g, reg));
	g->pos = n->pos;
	gen_arith(g, n->op, reg, r, b);
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

/* && and || give the operand that decided; the second is not evaluated in vain. */
static void gen_logical(struct gen *g, const struct node *n, int reg)
{
	struct jumps end = NO_JUMPS;

	gen_to(g, n->a, reg);
	g->pos = n->pos;
	emit_jump(g, n->kind == N_AND ? KTAP_OP_JF : KTAP_OP_JT, reg, 0, 0, &end);
	gen_to(g, n->b, reg);
	jumps_here(g, &end);
}

static void gen_choice(struct gen *g, const struct node *n, int reg)
{
	struct jumps other = NO_JUMPS, end = NO_JUMPS;

	gen_condition(g, n->a, false, &other);
	gen_to(g, n->b, reg);
	g->pos = n->pos;
	emit_jump(g, KTAP_OP_JMP, 0, 0, 0, &end);
	jumps_here(g, &other);
	gen_to(g, n->c, reg);
	jumps_here(g, &end);
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

static void gen_table(struct gen *g, const struct node *n, int reg)
{
	const struct node *item;
	int64_t position = 0;
	int v, k;

	emit(g, KTAP_OP_NEWT, reg, 0, 0, 0);
	for (item = n->list; item; item = item->next) {
		const struct node *key = item->a;
		unsigned int top = g->regs->top;

		if (key && key->kind != N_STR && !fits_imm32(key)) {
			k = gen_operand(g, key, -1);
			v = gen_operand(g, item->b, -1);
			g->pos = item->pos;
			emit(g, KTAP_OP_TSET, reg, k, v, 0);
		} else {
			v = gen_operand(g, item->b, -1);
			g->pos = item->pos;
			if (key && key->kind == N_STR)
				emit(g, KTAP_OP_TSETS, reg, 0, v,
				     chunk_string(g->cc, key->str, key->len));
			else
				emit(g, KTAP_OP_TSETI, reg, 0, v, key ? key->ival : ++position);
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

	emit(g, KTAP_OP_FIELD, reg, 0, 0, chunk_field(g->cc, n->str));
	if (!n->a)
		return;
	emit_jump(g, KTAP_OP_JNNIL, reg, 0, 0, &end);
	gen_to(g, n->a, reg);
	jumps_here(g, &end);
}

int gen_call(struct gen *g, const struct node *n, unsigned int want)
{
	unsigned int nargs = list_len(n->list), used;
	int base = g->regs->top;

	if (n->call == CALL_VALUE)
		gen_to(g, n->a, regs_take(g->regs, 1));
	if (n->call != CALL_NEWT)
		gen_list(g, n->list);
	used = g->regs->top - base;
	regs_take(g->regs, want > used ? want - used : !used);
	g->pos = n->pos;
	switch (n->call) {
	case CALL_VALUE:
		emit(g, KTAP_OP_CALLV, base, nargs, want, 0);
		break;
	case CALL_DIRECT:
		emit(g, KTAP_OP_CALL, base, nargs, want, n->func->index);
		break;
	case CALL_BUILTIN:
		emit(g, KTAP_OP_CALLB, base, nargs, 0, n->ival);
		if (want > 1)
			emit(g, KTAP_OP_NIL, base + 1, base + want - 1, 0, 0);
		break;
	default:
		emit(g, KTAP_OP_NEWT, base, 0, 0, n->ival);
		if (want > 1)
			emit(g, KTAP_OP_NIL, base + 1, base + want - 1, 0, 0);
	}
	regs_release(g->regs, base + (want ? want : 1));
	return base;
}

static void gen_call_to(struct gen *g, const struct node *n, int reg)
{
	int base;

	/* the topmost temporary can be the first argument itself */
	if (!regs_is_local(g->regs, reg) && (unsigned int)reg + 1 == g->regs->top)
		regs_release(g->regs, reg);
	base = gen_call(g, n, 1);
	if (base != reg)
		emit(g, KTAP_OP_MOV, reg, base, 0, 0);
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
	case N_CALL:
		gen_call_to(g, n, reg);
		break;
	case N_FUNC:
		emit(g, KTAP_OP_FUNC, reg, 0, 0, n->func->index);
		break;
	case N_EVFIELD:
		emit(g, KTAP_OP_FIELD, reg, 0, 0, chunk_field(g->cc, n->str));
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

static enum op mirrored(enum op op)
{
	switch (op) {
	case OP_LT: return OP_GT;
	case OP_LE: return OP_GE;
	case OP_GT: return OP_LT;
	case OP_GE: return OP_LE;
	default: return op;
	}
}

/* With nil neither a < b nor a >= b holds: "not less" has its own opcodes. */
static void gen_compare_jump(struct gen *g, const struct node *n, bool sense,
			     struct jumps *jumps)
{
	static const unsigned char imm[][2] = {
		[OP_EQ] = { KTAP_OP_JNEI, KTAP_OP_JEQI },
		[OP_NE] = { KTAP_OP_JEQI, KTAP_OP_JNEI },
		[OP_LT] = { KTAP_OP_JNLTI, KTAP_OP_JLTI },
		[OP_LE] = { KTAP_OP_JNLEI, KTAP_OP_JLEI },
		[OP_GT] = { KTAP_OP_JNGTI, KTAP_OP_JGTI },
		[OP_GE] = { KTAP_OP_JNGEI, KTAP_OP_JGEI },
	};
	static const unsigned char regs[][2] = {
		[OP_EQ] = { KTAP_OP_JNE, KTAP_OP_JEQ },
		[OP_NE] = { KTAP_OP_JEQ, KTAP_OP_JNE },
		[OP_LT] = { KTAP_OP_JNLT, KTAP_OP_JLT },
		[OP_LE] = { KTAP_OP_JNLE, KTAP_OP_JLE },
		[OP_GT] = { KTAP_OP_JNLT, KTAP_OP_JLT },
		[OP_GE] = { KTAP_OP_JNLE, KTAP_OP_JLE },
	};
	const struct node *left = n->a, *right = n->b;
	enum op op = n->op;
	int a, b;

	if (fits_imm16(left) || left->kind == N_NIL) {
		left = n->b;
		right = n->a;
		op = mirrored(op);
	}
	a = gen_operand(g, left, -1);
	g->pos = n->pos;
	if (right->kind == N_NIL && (op == OP_EQ || op == OP_NE)) {
		emit_jump(g, sense == (op == OP_EQ) ? KTAP_OP_JNIL : KTAP_OP_JNNIL, a, 0, 0, jumps);
		return;
	}
	if (fits_imm16(right)) {
		emit_jump(g, imm[op][sense], a, IMM_B(right->ival), IMM_C(right->ival), jumps);
		return;
	}
	b = gen_operand(g, right, -1);
	g->pos = n->pos;
	if (op == OP_GT || op == OP_GE)
		emit_jump(g, regs[op][sense], b, a, 0, jumps);
	else
		emit_jump(g, regs[op][sense], a, b, 0, jumps);
}

void gen_condition(struct gen *g, const struct node *n, bool sense, struct jumps *jumps)
{
	unsigned int top = g->regs->top;
	int r;

	if (is_const(n)) {
		g->pos = n->pos;
		if (const_truth(n) == sense)
			emit_jump(g, KTAP_OP_JMP, 0, 0, 0, jumps);
	} else if (n->kind == N_UNARY && n->op == OP_NOT) {
		gen_condition(g, n->a, !sense, jumps);
	} else if (n->kind == N_AND || n->kind == N_OR) {
		struct jumps skip = NO_JUMPS;

		/* one operand alone decides when it is false (&&) or true (||) */
		if ((n->kind == N_OR) == sense)
			gen_condition(g, n->a, sense, jumps);
		else
			gen_condition(g, n->a, !sense, &skip);
		gen_condition(g, n->b, sense, jumps);
		jumps_here(g, &skip);
	} else if (n->kind == N_BINARY && n->op >= OP_EQ && n->op <= OP_GE) {
		gen_compare_jump(g, n, sense, jumps);
	} else {
		r = gen_operand(g, n, -1);
		g->pos = n->pos;
		emit_jump(g, sense ? KTAP_OP_JT : KTAP_OP_JF, r, 0, 0, jumps);
	}
	regs_release(g->regs, top);
}
