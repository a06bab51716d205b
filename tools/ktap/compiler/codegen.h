/* SPDX-License-Identifier: GPL-2.0 */
/* Interfaces between the parts of the code generator. */
#ifndef KTAP_CODEGEN_H
#define KTAP_CODEGEN_H

#include "compiler/ast.h"

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

/* Jumps whose target is unknown yet, chained through their distances. */
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
	struct pos pos;		/* of the next instructions */
};

/*
 * A target of an assignment other than a local, with all its parts evaluated.
 */
struct lvalue {
	enum { PLACE_GLOBAL, PLACE_SELF, PLACE_KEY, PLACE_STRING, PLACE_INTEGER } kind;
	int table;		/* register, as is key */
	int key;
	int32_t d;		/* global, string or integer */
	struct jumps dropped;	/* jumps taken if there is no room for its table */
	struct pos pos;
};

/* codegen.c */
unsigned int emit(struct gen *g, int op, int a, int b, int c, int32_t d);
void emit_jump(struct gen *g, int op, int a, int b, int c, struct jumps *jumps);
/* End a loop: jump to @target, the beginning of a round. */
void emit_jump_back(struct gen *g, const struct node *loop, int op, int a, unsigned int target);
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
/* Put the value into the given register. */
void gen_to(struct gen *g, const struct node *n, int reg);
/*
 * Put the value into some register: that of a local itself, else `hint`, else
 * (hint < 0) a new temporary.
 */
int gen_operand(struct gen *g, const struct node *n, int hint);
/* dst = R[a] op b, for the operators that have an opcode */
void gen_arith(struct gen *g, enum op op, int dst, int a, const struct node *b);
/* Make one key of several parts; returns its register. */
int gen_tuple(struct gen *g, const struct node *keys);
void gen_int(struct gen *g, int reg, int64_t val);
/* Does @n read the local in that register? */
bool mentions(const struct node *n, int reg);
/*
 * Would gen_to() write the register of a local more than once? Then reads of
 * the local between the writes would be wrong, and after a caught error it
 * would hold neither the old nor the new value.
 */
bool needs_temporary(const struct gen *g, const struct node *n, int reg);

/* codegen_call.c */
/*
 * Put the values of a list, one of each node, into adjacent new temporaries;
 * returns the first.
 */
int gen_list(struct gen *g, const struct node *list);
/*
 * Like gen_list(), with all values of an open node at the end. *count is their
 * number, or KTAP_MULTI.
 */
int gen_open_list(struct gen *g, const struct node *list, unsigned int *count);
/*
 * Put `want` values (KTAP_MULTI: all) of a call or of "..." into new
 * temporaries, at least one; returns the first.
 */
int gen_results(struct gen *g, const struct node *n, unsigned int want);
void gen_call_to(struct gen *g, const struct node *n, int reg);

/* codegen_cond.c */
/* Jump if the truth of the value is `sense`. */
void gen_condition(struct gen *g, const struct node *n, bool sense, struct jumps *jumps);
/* && and || as values, and ?: */
void gen_logical(struct gen *g, const struct node *n, int reg);
void gen_choice(struct gen *g, const struct node *n, int reg);

/* codegen_lvalue.c */
void gen_lvalue(struct gen *g, const struct node *n, struct lvalue *p);
void lvalue_get(struct gen *g, const struct lvalue *p, int reg);
void lvalue_set(struct gen *g, const struct lvalue *p, int reg);
void lvalue_add(struct gen *g, const struct lvalue *p, int reg);
void gen_delete(struct gen *g, const struct node *n);
void gen_aggregate(struct gen *g, const struct node *n);

/* codegen_assign.c */
void gen_assign(struct gen *g, const struct node *n);
void gen_op_assign(struct gen *g, const struct node *n);

/* codegen_stmt.c: returns false if the statements after it are unreachable */
bool gen_block(struct gen *g, const struct node *list);

/* optimise.c: fewer jumps, no code that cannot be reached */
void optimise(struct compiler *cc, struct func *f);

#endif
