/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the code generator share. */
#ifndef KTAP_CODEGEN_H
#define KTAP_CODEGEN_H

#include "ast.h"

struct insn {
	unsigned char op, a, b, c;
	int32_t d;
	struct pos pos;
};

/* Jumps that wait for their target, chained through their distance. */
struct jumps {
	int last;
};

#define NO_JUMPS	((struct jumps) { .last = -1 })

struct loop {
	struct loop *outer;
	struct jumps breaks;
	struct jumps continues;
};

struct gen {
	struct compiler *cc;
	struct func *f;
	struct regs *regs;	/* of f */
	struct loop *loop;
	struct pos pos;		/* given to the instructions that come */
};

/* codegen.c */
unsigned int emit(struct gen *g, int op, int a, int b, int c, int32_t d);
void emit_jump(struct gen *g, int op, int a, int b, int c, struct jumps *jumps);
void emit_jump_back(struct gen *g, int op, int a, int b, int c, unsigned int target);
void jumps_here(struct gen *g, struct jumps *jumps);
void jumps_to(struct gen *g, struct jumps *jumps, unsigned int target);
/* The two halves of a 16-bit immediate. */
#define IMM_B(val)	((int)((val) & 0xff))
#define IMM_C(val)	((int)(((uint16_t)(val)) >> 8))

static inline bool fits_imm16(const struct node *n)
{
	return n->kind == N_INT && n->ival >= INT16_MIN && n->ival <= INT16_MAX;
}

static inline bool fits_imm32(const struct node *n)
{
	return n->kind == N_INT && n->ival >= INT32_MIN && n->ival <= INT32_MAX;
}

/* codegen_expr.c */
/* Leaves the value in a given register. */
void gen_to(struct gen *g, const struct node *n, int reg);
/*
 * Leaves the value in any register: that of a local itself, else `hint`, else
 * (hint < 0) a new temporary.
 */
int gen_operand(struct gen *g, const struct node *n, int hint);
/* Leaves the values of a list in neighbouring new temporaries; the first of them. */
int gen_list(struct gen *g, const struct node *list);
/* dst = R[a] op b, for the operators that have an opcode */
void gen_arith(struct gen *g, enum op op, int dst, int a, const struct node *b);
/* A key of several parts becomes one: returns its register. */
int gen_tuple(struct gen *g, const struct node *keys);
void gen_int(struct gen *g, int reg, int64_t val);
/* Leaves `want` results in new temporaries (at least one is taken); the first of them. */
int gen_call(struct gen *g, const struct node *n, unsigned int want);
/* Jumps if the truth of the value is `sense`. */
void gen_condition(struct gen *g, const struct node *n, bool sense, struct jumps *jumps);
bool mentions(const struct node *n, const struct var *v);

/* codegen_assign.c */
void gen_assign(struct gen *g, const struct node *n);
void gen_op_assign(struct gen *g, const struct node *n);
void gen_delete(struct gen *g, const struct node *n);

/* codegen_stmt.c: false if what follows cannot be reached */
bool gen_block(struct gen *g, const struct node *list);

#endif
