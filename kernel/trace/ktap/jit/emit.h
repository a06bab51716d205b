/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writing instructions of eBPF.
 */
#ifndef _KTAP_EMIT_H
#define _KTAP_EMIT_H

#include <linux/filter.h>
#include <linux/types.h>

/*
 * Registers of the native code.  R0 to R5 are temporary.  FRAME is the address of register
 * 0 of the running function of the script; FP is the stack of the native code itself, of
 * which the uppermost value serves as an operand.
 */
#define EMIT_VM		BPF_REG_6	/* the activation */
#define EMIT_FRAME	BPF_REG_7
#define EMIT_FP		BPF_REG_10
#define EMIT_STACK	16		/* bytes */

/* Most instructions of a program: all of them are within reach of a jump. */
#define EMIT_MAX	32000

/**
 * struct ktap_emit - code being written
 * @insns: the instructions; NULL in the first pass, which only counts them
 * @n: number of instructions so far
 * @stack: EMIT_FP is used
 */
struct ktap_emit {
	struct bpf_insn *insns;
	u32 n;
	bool stack;
};

void ktap_emit(struct ktap_emit *e, u8 code, u8 dst, u8 src, s16 off, s32 imm);

static inline void ktap_emit_mov(struct ktap_emit *e, u8 dst, u8 src)
{
	ktap_emit(e, BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0);
}

static inline void ktap_emit_mov_imm(struct ktap_emit *e, u8 dst, s32 imm)
{
	ktap_emit(e, BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm);
}

/* A barrier against speculative execution (vm/fenced.c), where the CPU needs one */
static inline void ktap_emit_fence(struct ktap_emit *e)
{
	ktap_emit(e, BPF_ST | BPF_NOSPEC, 0, 0, 0, 0);
}

/* @op: BPF_ADD, ... */
static inline void ktap_emit_alu(struct ktap_emit *e, u8 op, u8 dst, u8 src)
{
	ktap_emit(e, BPF_ALU64 | op | BPF_X, dst, src, 0, 0);
}

static inline void ktap_emit_alu_imm(struct ktap_emit *e, u8 op, u8 dst, s32 imm)
{
	ktap_emit(e, BPF_ALU64 | op | BPF_K, dst, 0, 0, imm);
}

/* @size: BPF_W, BPF_DW, ... */
static inline void ktap_emit_load(struct ktap_emit *e, u8 size, u8 dst, u8 base, s16 off)
{
	ktap_emit(e, BPF_LDX | BPF_MEM | size, dst, base, off, 0);
}

static inline void ktap_emit_store(struct ktap_emit *e, u8 size, u8 base, s16 off, u8 src)
{
	ktap_emit(e, BPF_STX | BPF_MEM | size, base, src, off, 0);
}

static inline void ktap_emit_store_imm(struct ktap_emit *e, u8 size, u8 base, s16 off, s32 imm)
{
	ktap_emit(e, BPF_ST | BPF_MEM | size, base, 0, off, imm);
}

static inline void ktap_emit_exit(struct ktap_emit *e)
{
	ktap_emit(e, BPF_JMP | BPF_EXIT, 0, 0, 0, 0);
}

/* @dst = @imm, in as few instructions as its size allows */
void ktap_emit_u64(struct ktap_emit *e, u8 dst, u64 imm);

static inline void ktap_emit_address(struct ktap_emit *e, u8 dst, const void *p)
{
	ktap_emit_u64(e, dst, (unsigned long)p);
}

/* Call a function of the kernel with R1 to R5.  R0 gets its result. */
void ktap_emit_call(struct ktap_emit *e, const void *fn);

/* Jump to instruction @to.  The condition is @op, BPF_JEQ, ... */
void ktap_emit_jump(struct ktap_emit *e, u32 to);
void ktap_emit_jump_if(struct ktap_emit *e, u8 op, u8 dst, u8 src, u32 to);
void ktap_emit_jump_if_imm(struct ktap_emit *e, u8 op, u8 dst, s32 imm, u32 to);
/* The same for the lower half of @dst, which is the result of a function of type int. */
void ktap_emit_jump_if_int(struct ktap_emit *e, u8 op, u8 dst, s32 imm, u32 to);

/*
 * The same to an instruction that is written later.  They return the number of the jump for
 * ktap_emit_land() or ktap_emit_aim(), which completes it.
 */
static inline u32 ktap_emit_ahead(struct ktap_emit *e)
{
	ktap_emit_jump(e, e->n);
	return e->n - 1;
}

static inline u32 ktap_emit_ahead_if(struct ktap_emit *e, u8 op, u8 dst, u8 src)
{
	ktap_emit_jump_if(e, op, dst, src, e->n);
	return e->n - 1;
}

static inline u32 ktap_emit_ahead_if_imm(struct ktap_emit *e, u8 op, u8 dst, s32 imm)
{
	ktap_emit_jump_if_imm(e, op, dst, imm, e->n);
	return e->n - 1;
}

static inline u32 ktap_emit_ahead_if_int(struct ktap_emit *e, u8 op, u8 dst, s32 imm)
{
	ktap_emit_jump_if_int(e, op, dst, imm, e->n);
	return e->n - 1;
}

/* The jump @at leads to the next instruction. */
void ktap_emit_land(struct ktap_emit *e, u32 at);
/* It leads to @to. */
void ktap_emit_aim(struct ktap_emit *e, u32 at, u32 to);

#endif /* _KTAP_EMIT_H */
