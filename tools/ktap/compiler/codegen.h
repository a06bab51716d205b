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

/* Instructions from `first` up to, not including, `end`: errors in them go to `handler`. */
struct try {
	unsigned int first, end, handler;
	int reg;
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
	unsigned int tries;	/* around the current statement */
	bool overflow;		/* of registers, and reported */
	struct pos pos;		/* given to the instructions that come */
};

/* What can be assigned to, but for locals: all of it evaluated. */
struct place {
	enum { PLACE_GLOBAL, PLACE_SELF, PLACE_KEY, PLACE_STRING, PLACE_INTEGER } kind;
	int table;		/* register, as is key */
	int key;
	int32_t d;		/* global, string or integer */
	struct jumps dropped;	/* taken when there is no room for its table */
	struct pos pos;
};

/* codegen.c */
unsigned int emit(struct gen *g, int op, int a, int b, int c, int32_t d);
void emit_jump(struct gen *g, int op, int a, int b, int c, struct jumps *jumps);
void emit_jump_back(struct gen *g, int op, int a, int b, int c, unsigned int target);
void jumps_here(struct gen *g, struct jumps *jumps);
void jumps_to(struct gen *g, struct jumps *jumps, unsigned int target);

static inline bool fits_imm16(const struct node *n)
{
	return n->kind == N_INT && n->ival >= INT16_MIN && n->ival <= INT16_MAX;
}

static inline bool fits_imm32(const struct node *n)
{
	return n->kind == N_INT && n->ival >= INT32_MIN && n->ival <= INT32_MAX;
}

static inline bool is_local(const struct node *n)
{
	return n->kind == N_NAME && n->var && !n->var->constant;
}

/* codegen_expr.c */
/* Leaves the value in a given register. */
void gen_to(struct gen *g, const struct node *n, int reg);
/*
 * Leaves the value in any register: that of a local itself, else `hint`, else
 * (hint < 0) a new temporary.
 */
int gen_operand(struct gen *g, const struct node *n, int hint);
/* dst = R[a] op b, for the operators that have an opcode */
void gen_arith(struct gen *g, enum op op, int dst, int a, const struct node *b);
/* A key of several parts becomes one: returns its register. */
int gen_tuple(struct gen *g, const struct node *keys);
void gen_int(struct gen *g, int reg, int64_t val);
/* Is the local in that register read? */
bool mentions(const struct node *n, int reg);
/*
 * Would gen_to() write the register of a local more than once?  Then what is
 * read of it in between would be wrong, and after an error that is caught it
 * would hold neither the old value nor the new one.
 */
bool needs_temporary(const struct gen *g, const struct node *n, int reg);

/* codegen_call.c */
/* Leaves the values of a list, one of each node, in neighbouring new temporaries; the first. */
int gen_list(struct gen *g, const struct node *list);
/* The same; an open node at the end gives all.  *count is their number, or KTAP_MULTI. */
int gen_open_list(struct gen *g, const struct node *list, unsigned int *count);
/*
 * Leaves `want` values (KTAP_MULTI: all) of a call or of "..." in new temporaries
 * (at least one is taken); the first of them.
 */
int gen_results(struct gen *g, const struct node *n, unsigned int want);
void gen_call_to(struct gen *g, const struct node *n, int reg);

/* codegen_cond.c */
/* Jumps if the truth of the value is `sense`. */
void gen_condition(struct gen *g, const struct node *n, bool sense, struct jumps *jumps);
/* && and || as values, and ?: */
void gen_logical(struct gen *g, const struct node *n, int reg);
void gen_choice(struct gen *g, const struct node *n, int reg);

/* codegen_place.c */
void gen_place(struct gen *g, const struct node *n, struct place *p);
void place_get(struct gen *g, const struct place *p, int reg);
void place_set(struct gen *g, const struct place *p, int reg);
void place_add(struct gen *g, const struct place *p, int reg);
void gen_delete(struct gen *g, const struct node *n);
void gen_aggregate(struct gen *g, const struct node *n);

/* codegen_assign.c */
void gen_assign(struct gen *g, const struct node *n);
void gen_op_assign(struct gen *g, const struct node *n);

/* codegen_stmt.c: false if what follows cannot be reached */
bool gen_block(struct gen *g, const struct node *list);

/* optimise.c: fewer jumps, no code that cannot be reached */
void optimise(struct compiler *cc, struct func *f);

#endif
