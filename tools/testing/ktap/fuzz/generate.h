/* SPDX-License-Identifier: GPL-2.0 */
/* Make programs that the verifier accepts in most cases; any bytes select their parts. */
#ifndef _KTAP_FUZZ_GENERATE_H
#define _KTAP_FUZZ_GENERATE_H

#include "program.h"

#define NR_VARS		5	/* of a function, without its parameters */
#define NR_REGS		64	/* of a function */

/**
 * struct gen - a program being made
 * @p: the program
 * @data: bytes that were not used yet; each selects one choice. Without a byte the first
 *	choice is taken
 * @end: end of these bytes
 * @f: the function being made
 * @top: first free register: parameters, variables and loops use those before it
 * @depth: nesting depth of blocks and values
 */
struct gen {
	struct program *p;
	const u8 *data;
	const u8 *end;
	struct ktap_function *f;
	u8 top;
	unsigned int depth;
};

/* A number less than @n. */
static inline u32 pick(struct gen *g, u32 n)
{
	u32 x = 0;

	if (g->data < g->end)
		x = *g->data++;
	if (n > 256 && g->data < g->end)
		x |= *g->data++ << 8;
	return x % n;
}

/* True in one of @n cases, but false if no bytes are left. */
static inline bool once_in(struct gen *g, u32 n)
{
	return pick(g, n) == n - 1;
}

void generate(struct program *p, const u8 *data, size_t size);

/* gen_value.c */

/* Add an instruction. Returns its index. */
u32 emit(struct gen *g, u8 op, u8 a, u8 b, u8 c, s32 d);

/*
 * Both write a value to register @g->top, and increment @g->top.  The value of the first
 * may have one of the types in @tags (0: any type).  The value of the second is the result
 * of a built-in function.
 */
void gen_value(struct gen *g, u16 tags);
void gen_builtin(struct gen *g, u32 id);

/* The index of any string, function or global; the register of any variable. */
u32 any_string(struct gen *g);
u32 any_function(struct gen *g);
u32 any_global(struct gen *g);
u8 any_variable(struct gen *g);

#endif /* _KTAP_FUZZ_GENERATE_H */
