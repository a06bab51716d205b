/* SPDX-License-Identifier: GPL-2.0 */
/* Programs that obey the rules of the verifier, made of any bytes. */
#ifndef _KTAP_FUZZ_GENERATE_H
#define _KTAP_FUZZ_GENERATE_H

#include "program.h"

#define NR_VARS		5	/* of a function, beside its parameters */
#define NR_REGS		64	/* of a function */

/**
 * struct gen - a program being made
 * @p: the program
 * @data: choices that were not made yet; when there are none, the first one is made
 * @end: behind them
 * @f: the function being made
 * @top: first register that is free: parameters, variables and loops have the others
 * @depth: blocks around
 */
struct gen {
	struct program *p;
	const u8 *data;
	const u8 *end;
	struct ktap_function *f;
	u8 top;
	unsigned int depth;
};

/* A number below @n. */
static inline u32 pick(struct gen *g, u32 n)
{
	u32 x = 0;

	if (g->data < g->end)
		x = *g->data++;
	if (n > 256 && g->data < g->end)
		x |= *g->data++ << 8;
	return x % n;
}

/* True once in @n times, and not when all choices are made. */
static inline bool once_in(struct gen *g, u32 n)
{
	return pick(g, n) == n - 1;
}

void generate(struct program *p, const u8 *data, size_t size);

/* gen_value.c */

/* Gives its place, to patch a jump. */
u32 emit(struct gen *g, u8 op, u8 a, u8 b, u8 c, s32 d);

/*
 * Each of these takes one more register, @g->top, and writes it: a value that may be of
 * one of the types in @tags (0: any); the result of a built-in function.
 */
void gen_value(struct gen *g, u16 tags);
void gen_builtin(struct gen *g, u32 id);

/* Any string; any function; any global. */
u32 any_string(struct gen *g);
u32 any_function(struct gen *g);
u32 any_global(struct gen *g);
u8 any_variable(struct gen *g);

#endif /* _KTAP_FUZZ_GENERATE_H */
