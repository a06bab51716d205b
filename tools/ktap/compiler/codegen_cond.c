// SPDX-License-Identifier: GPL-2.0
/* The code generator: conditions, and values that depend on them. */
#include <linux/ktap.h>

#include "compiler/codegen.h"

/* The two halves of a 16-bit immediate. */
#define IMM_B(val)	((int)((val) & 0xff))
#define IMM_C(val)	((int)(((uint16_t)(val)) >> 8))

/*
 * && and
 *
 * give the operand that decided; skip the second one if the first decides.
 */
void gen_logical(struct gen *g, const struct node *n, int reg)
{
	struct jumps end = NO_JUMPS;

	gen_to(g, n->a, reg);
	g->pos = n->pos;
	emit_jump(g, n->kind == N_AND ? KTAP_OP_JF : KTAP_OP_JT, reg, 0, 0, &end);
	gen_to(g, n->b, reg);
	jumps_here(g, &end);
}

void gen_choice(struct gen *g, const struct node *n, int reg)
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

static enum op mirror_op(enum op op)
{
	switch (op) {
	case OP_LT: return OP_GT;
	case OP_LE: return OP_GE;
	case OP_GT: return OP_LT;
	case OP_GE: return OP_LE;
	default: return op;
	}
}

/*
 * With nil, neither a < b nor a >= b is true: "not less" has opcodes of its
 * own.
 */
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
		op = mirror_op(op);
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
		/*
		 * && is false if one operand is false,
		 *
		 * is true if one is true
		 */
		bool decides = n->kind == N_OR;
		struct jumps skip = NO_JUMPS;

		if (decides == sense)
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
