/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files that lower instructions: registers, values and tags.
 */
#ifndef _KTAP_LOWER_H
#define _KTAP_LOWER_H

#include <linux/stddef.h>

#include "jit/unit.h"
#include "vm/value.h"

#define R0	BPF_REG_0
#define R1	BPF_REG_1
#define R2	BPF_REG_2
#define R3	BPF_REG_3
#define R4	BPF_REG_4
#define VM	EMIT_VM
#define FRAME	EMIT_FRAME

/* An argument of a function of C, after the activation */
enum lower_operand {
	LOWER_NONE,
	LOWER_A,		/* the address of R[a] */
	LOWER_A1,		/* of R[a + 1] */
	LOWER_B,
	LOWER_C,
	LOWER_NB,		/* the number b */
	LOWER_NC,
	LOWER_D,
	LOWER_INTEGER,		/* the address of a value, the integer d */
	LOWER_STRING,		/* of string constant d */
	LOWER_SYMBOL,		/* of variable d of the kernel */
	LOWER_GLOBAL,		/* of global d */
};

struct lower_op;

typedef void lower_fn(struct ktap_unit *u, const struct ktap_code *insn,
		      const struct lower_op *op);

/**
 * struct lower_op - how an opcode is lowered
 * @lower: writes the code
 * @fn: the function of C that @lower calls, or NULL
 * @quick: one that it calls before, for most cases; it returns whether that was enough
 * @operands: its arguments after the activation
 * @local: it calls nothing, and goes nowhere but to its target, unless a guard fails
 * @op: the operation of eBPF that @lower uses
 */
struct lower_op {
	lower_fn *lower;
	const void *fn;
	const void *quick;
	u8 operands[3];
	bool local;
	u8 op;
};

/* Offset of R[@reg] from FRAME */
static inline s16 lower_value(const struct ktap_unit *u, u32 reg)
{
	return (u->shift + reg) * sizeof(struct ktap_value);
}

static inline s16 lower_tag(const struct ktap_unit *u, u32 reg)
{
	return lower_value(u, reg) + offsetof(struct ktap_value, tag);
}

static inline s16 lower_len(const struct ktap_unit *u, u32 reg)
{
	return lower_value(u, reg) + offsetof(struct ktap_value, len);
}

static inline bool lower_is_int(const struct ktap_unit *u, u8 operand)
{
	return ktap_is_int(u->prog, u->pc, operand);
}

/* The interpreter executes the instruction if R[@reg], which is @operand, is no integer. */
static inline void lower_want_int(struct ktap_unit *u, u32 reg, u8 operand)
{
	if (lower_is_int(u, operand))
		return;
	ktap_emit_load(&u->emit, BPF_W, R0, FRAME, lower_tag(u, reg));
	ktap_emit_jump_if_imm(&u->emit, BPF_JNE, R0, KTAP_INT, ktap_unit_step(u));
}

static inline void lower_load(struct ktap_unit *u, u8 dst, u32 reg)
{
	ktap_emit_load(&u->emit, BPF_DW, dst, FRAME, lower_value(u, reg));
}

/* A tag, and no length */
static inline void lower_set_tag(struct ktap_unit *u, s16 tag_at, u8 base, u32 tag)
{
	struct ktap_emit *e = &u->emit;

	if (KTAP_BIG_END_FIRST) {
		ktap_emit_store_imm(e, BPF_W, base, tag_at, tag);
		ktap_emit_store_imm(e, BPF_W, base, tag_at + 4, 0);
	} else {
		ktap_emit_store_imm(e, BPF_DW, base, tag_at, tag);
	}
}

/* R[@reg], which is @operand, becomes an integer whose value is stored apart from this. */
static inline void lower_set_int_tag(struct ktap_unit *u, u32 reg, u8 operand)
{
	if (!u->clean || !lower_is_int(u, operand))
		lower_set_tag(u, lower_tag(u, reg), FRAME, KTAP_INT);
}

static inline void lower_set_int(struct ktap_unit *u, u32 reg, u8 src, u8 operand)
{
	ktap_emit_store(&u->emit, BPF_DW, FRAME, lower_value(u, reg), src);
	lower_set_int_tag(u, reg, operand);
}

static inline void lower_set_bool(struct ktap_unit *u, u32 reg, u8 src)
{
	ktap_emit_store(&u->emit, BPF_DW, FRAME, lower_value(u, reg), src);
	lower_set_tag(u, lower_tag(u, reg), FRAME, KTAP_BOOL);
}

/* R[@reg] = @v, a value that lives as long as the code */
static inline void lower_set_value(struct ktap_unit *u, u32 reg, const struct ktap_value *v)
{
	struct ktap_emit *e = &u->emit;

	if ((s64)v->u == (s32)v->u) {
		ktap_emit_store_imm(e, BPF_DW, FRAME, lower_value(u, reg), v->u);
	} else {
		ktap_emit_u64(e, R1, v->u);
		ktap_emit_store(e, BPF_DW, FRAME, lower_value(u, reg), R1);
	}
	if (v->len) {
		ktap_emit_store_imm(e, BPF_W, FRAME, lower_tag(u, reg), v->tag);
		ktap_emit_store_imm(e, BPF_W, FRAME, lower_len(u, reg), v->len);
	} else {
		lower_set_tag(u, lower_tag(u, reg), FRAME, v->tag);
	}
}

/* lower.c: @dst = the operand, enum lower_operand */
void ktap_lower_operand(struct ktap_unit *u, const struct ktap_code *insn, u8 operand, u8 dst);
/* Call &lower_op.fn, and continue unless it returns an error. */
lower_fn ktap_lower_call_c;
/*
 * Call @quick, whose arguments are set.  It returns 1, a negative errno, or 0 if &lower_op.fn
 * has to do the work.
 */
void ktap_lower_call_quick(struct ktap_unit *u, const struct ktap_code *insn,
			   const struct lower_op *op, const void *quick);

/* lower_object.c */
lower_fn ktap_lower_get;
lower_fn ktap_lower_set;
lower_fn ktap_lower_add;
lower_fn ktap_lower_aggregate;
lower_fn ktap_lower_aggregate_keyed;

/* lower_jump.c */
lower_fn ktap_lower_jmp;
lower_fn ktap_lower_jump_truth;
lower_fn ktap_lower_jump_nil;
lower_fn ktap_lower_jump_equal_imm;
lower_fn ktap_lower_jump_order;
lower_fn ktap_lower_jump_order_imm;
lower_fn ktap_lower_for_loop;
lower_fn ktap_lower_loop;

#endif /* _KTAP_LOWER_H */
