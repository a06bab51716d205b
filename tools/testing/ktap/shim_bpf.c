// SPDX-License-Identifier: GPL-2.0
/*
 * Replacement for the BPF JIT: an interpreter of eBPF, written after RFC 9669.
 *
 * Some operations have a result in the RFC, but not in the code of every compiler of the
 * kernel: the kernel's verifier replaces divisions by zero, and not every machine ignores
 * the upper bits of the count of a shift.  These, and memory accesses that are not
 * aligned, abort the process.
 */
#include <stdlib.h>

#include <linux/compiler.h>
#include <linux/filter.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "jit/jit.h"

/* In registers that have no defined value, and in new stacks */
#define EBPF_GARBAGE	0xbadc0ffee0ddf00dULL

u64 __bpf_call_base(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5)
{
	abort();
}

static void ebpf_abort(const struct bpf_insn *insn, const char *what)
{
	fprintf(stderr, "eBPF: %s\ncode 0x%02x, dst r%u, src r%u, off %d, imm %d\n", what,
		insn->code, insn->dst_reg, insn->src_reg, insn->off, insn->imm);
	abort();
}

/* Arithmetic */

static u64 ebpf_shift_count(const struct bpf_insn *insn, u64 count, unsigned int bits)
{
	if (count >= bits)
		ebpf_abort(insn, "the count of a shift is too large");
	return count;
}

static u64 ebpf_move(const struct bpf_insn *insn, u64 b)
{
	switch (insn->off) {
	case 8:
		return (s8)b;
	case 16:
		return (s16)b;
	case 32:
		return (s32)b;
	default:
		return b;
	}
}

static u64 ebpf_divide_signed(const struct bpf_insn *insn, s64 a, s64 b, s64 least)
{
	if (a == least && b == -1)
		ebpf_abort(insn, "the quotient is too large");
	return BPF_OP(insn->code) == BPF_DIV ? a / b : a % b;
}

static u64 ebpf_divide(const struct bpf_insn *insn, u64 a, u64 b)
{
	bool wide = BPF_CLASS(insn->code) == BPF_ALU64;

	if (!b)
		ebpf_abort(insn, "division by zero");
	if (insn->off && wide)
		return ebpf_divide_signed(insn, a, b, S64_MIN);
	if (insn->off)
		return ebpf_divide_signed(insn, (s32)a, (s32)b, INT32_MIN);
	return BPF_OP(insn->code) == BPF_DIV ? a / b : a % b;
}

static u64 ebpf_swap(const struct bpf_insn *insn, u64 a)
{
	bool little = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, swap;

	if (BPF_CLASS(insn->code) == BPF_ALU64)
		swap = true;
	else
		swap = BPF_SRC(insn->code) == (little ? BPF_TO_BE : BPF_TO_LE);
	switch (insn->imm) {
	case 16:
		return swap ? __builtin_bswap16(a) : (u16)a;
	case 32:
		return swap ? __builtin_bswap32(a) : (u32)a;
	default:
		return swap ? __builtin_bswap64(a) : a;
	}
}

/* With 32 bits, the upper halves of @a and @b are 0, and that of the result is ignored. */
static u64 ebpf_alu(const struct bpf_insn *insn, u64 a, u64 b)
{
	bool wide = BPF_CLASS(insn->code) == BPF_ALU64;
	unsigned int bits = wide ? 64 : 32;

	switch (BPF_OP(insn->code)) {
	case BPF_ADD:
		return a + b;
	case BPF_SUB:
		return a - b;
	case BPF_MUL:
		return a * b;
	case BPF_DIV:
	case BPF_MOD:
		return ebpf_divide(insn, a, b);
	case BPF_OR:
		return a | b;
	case BPF_AND:
		return a & b;
	case BPF_XOR:
		return a ^ b;
	case BPF_NEG:
		return -a;
	case BPF_MOV:
		return ebpf_move(insn, b);
	case BPF_LSH:
		return a << ebpf_shift_count(insn, b, bits);
	case BPF_RSH:
		return a >> ebpf_shift_count(insn, b, bits);
	case BPF_ARSH:
		b = ebpf_shift_count(insn, b, bits);
		return wide ? (s64)a >> b : (s32)a >> b;
	}
	ebpf_abort(insn, "unknown opcode");
	return 0;
}

static void ebpf_calculate(const struct bpf_insn *insn, u64 *r)
{
	bool wide = BPF_CLASS(insn->code) == BPF_ALU64;
	u64 a = r[insn->dst_reg], b, result;

	b = BPF_SRC(insn->code) == BPF_X ? r[insn->src_reg] : (s64)insn->imm;
	if (BPF_OP(insn->code) == BPF_END)
		result = ebpf_swap(insn, a);
	else if (wide)
		result = ebpf_alu(insn, a, b);
	else
		result = (u32)ebpf_alu(insn, (u32)a, (u32)b);
	r[insn->dst_reg] = result;
}

/* Conditions */

static bool ebpf_compares(u8 op, u64 a, u64 b, s64 as, s64 bs)
{
	switch (op) {
	case BPF_JEQ:
		return a == b;
	case BPF_JNE:
		return a != b;
	case BPF_JGT:
		return a > b;
	case BPF_JGE:
		return a >= b;
	case BPF_JLT:
		return a < b;
	case BPF_JLE:
		return a <= b;
	case BPF_JSET:
		return a & b;
	case BPF_JSGT:
		return as > bs;
	case BPF_JSGE:
		return as >= bs;
	case BPF_JSLT:
		return as < bs;
	default:
		return as <= bs;
	}
}

static bool ebpf_is_true(const struct bpf_insn *insn, const u64 *r)
{
	u64 a = r[insn->dst_reg], b;

	b = BPF_SRC(insn->code) == BPF_X ? r[insn->src_reg] : (s64)insn->imm;
	if (BPF_CLASS(insn->code) == BPF_JMP32)
		return ebpf_compares(BPF_OP(insn->code), (u32)a, (u32)b, (s32)a, (s32)b);
	return ebpf_compares(BPF_OP(insn->code), a, b, a, b);
}

/* Memory */

static void *ebpf_place(const struct bpf_insn *insn, u64 base, size_t size)
{
	u64 address = base + insn->off;

	if (address % size)
		ebpf_abort(insn, "the address is not aligned");
	return (void *)address;
}

#define EBPF_PLACE(type, base)	((type *)ebpf_place(insn, base, sizeof(type)))
#define EBPF_LOAD(type)		READ_ONCE(*EBPF_PLACE(type, base))
#define EBPF_STORE(type)	WRITE_ONCE(*EBPF_PLACE(type, base), v)

static u64 ebpf_load(const struct bpf_insn *insn, u64 base)
{
	bool sign = BPF_MODE(insn->code) == BPF_MEMSX;

	switch (BPF_SIZE(insn->code)) {
	case BPF_B:
		return sign ? EBPF_LOAD(s8) : EBPF_LOAD(u8);
	case BPF_H:
		return sign ? EBPF_LOAD(s16) : EBPF_LOAD(u16);
	case BPF_W:
		return sign ? (u64)EBPF_LOAD(s32) : EBPF_LOAD(u32);
	default:
		return EBPF_LOAD(u64);
	}
}

static void ebpf_store(const struct bpf_insn *insn, u64 base, u64 v)
{
	switch (BPF_SIZE(insn->code)) {
	case BPF_B:
		EBPF_STORE(u8);
		break;
	case BPF_H:
		EBPF_STORE(u16);
		break;
	case BPF_W:
		EBPF_STORE(u32);
		break;
	default:
		EBPF_STORE(u64);
	}
}

static void ebpf_atomic_add(const struct bpf_insn *insn, u64 *r)
{
	u64 base = r[insn->dst_reg], v = r[insn->src_reg], old;

	if (BPF_SIZE(insn->code) == BPF_W)
		old = __atomic_fetch_add(EBPF_PLACE(u32, base), v, __ATOMIC_SEQ_CST);
	else
		old = __atomic_fetch_add(EBPF_PLACE(u64, base), v, __ATOMIC_SEQ_CST);
	if (insn->imm & BPF_FETCH)
		r[insn->src_reg] = old;
}

/* Execution */

static void ebpf_call(const struct bpf_insn *insn, u64 *r)
{
	u64 (*fn)(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5) = __bpf_call_base + insn->imm;
	unsigned int i;

	r[BPF_REG_0] = fn(r[BPF_REG_1], r[BPF_REG_2], r[BPF_REG_3], r[BPF_REG_4], r[BPF_REG_5]);
	for (i = BPF_REG_1; i <= BPF_REG_5; i++)
		r[i] = EBPF_GARBAGE;
}

/* Return the next instruction, or NULL at the end. */
static const struct bpf_insn *ebpf_jump(const struct bpf_insn *insn, u64 *r)
{
	switch (BPF_OP(insn->code)) {
	case BPF_EXIT:
		return NULL;
	case BPF_CALL:
		ebpf_call(insn, r);
		return insn + 1;
	case BPF_JA:
		return insn + 1 + (BPF_CLASS(insn->code) == BPF_JMP32 ? insn->imm : insn->off);
	default:
		return insn + 1 + (ebpf_is_true(insn, r) ? insn->off : 0);
	}
}

static const struct bpf_insn *ebpf_step(const struct bpf_insn *insn, u64 *r)
{
	switch (BPF_CLASS(insn->code)) {
	case BPF_JMP:
	case BPF_JMP32:
		return ebpf_jump(insn, r);
	case BPF_LD:
		r[insn->dst_reg] = (u32)insn[0].imm | (u64)insn[1].imm << 32;
		return insn + 2;
	case BPF_LDX:
		r[insn->dst_reg] = ebpf_load(insn, r[insn->src_reg]);
		break;
	case BPF_STX:
		if (BPF_MODE(insn->code) == BPF_ATOMIC)
			ebpf_atomic_add(insn, r);
		else
			ebpf_store(insn, r[insn->dst_reg], r[insn->src_reg]);
		break;
	case BPF_ST:
		if (insn->code == (BPF_ST | BPF_NOSPEC)) {
			barrier_nospec();
			break;
		}
		ebpf_store(insn, r[insn->dst_reg], (s64)insn->imm);
		break;
	default:
		ebpf_calculate(insn, r);
	}
	return insn + 1;
}

static unsigned int ebpf_run(const void *ctx, const struct bpf_insn *insn)
{
	const struct bpf_prog *fp = container_of(insn, struct bpf_prog, insnsi[0]);
	u32 i, slots = DIV_ROUND_UP(fp->aux->stack_depth, sizeof(u64));
	u64 stack[slots + 1], r[MAX_BPF_REG];

	for (i = 0; i < slots; i++)
		stack[i] = EBPF_GARBAGE;
	for (i = 0; i < MAX_BPF_REG; i++)
		r[i] = EBPF_GARBAGE;
	r[BPF_REG_1] = (unsigned long)ctx;
	r[BPF_REG_FP] = (unsigned long)(stack + slots);
	while (insn)
		insn = ebpf_step(insn, r);
	return r[BPF_REG_0];
}

/* Programs */

/* KTAP_JIT=0 in the environment is `echo 0 >ktap/jit` of tracefs. */
static void __attribute__((constructor)) ebpf_switch(void)
{
	const char *jit = getenv("KTAP_JIT");

	if (jit)
		ktap_jit_enabled = strcmp(jit, "0") != 0;
}

struct bpf_prog *bpf_prog_alloc(unsigned int size, gfp_t gfp_extra_flags)
{
	struct bpf_prog *fp = kvzalloc(size, gfp_extra_flags);

	if (!fp)
		return NULL;
	fp->aux = kzalloc(sizeof(*fp->aux), gfp_extra_flags);
	if (!fp->aux) {
		kvfree(fp);
		return NULL;
	}
	fp->aux->prog = fp;
	fp->jit_requested = 1;
	return fp;
}

struct bpf_prog *bpf_prog_select_runtime(struct bpf_prog *fp, int *err)
{
	void *image;
	u32 at;
	const char *what = shim_bpf_check(fp, &at);

	if (what) {
		fprintf(stderr, "eBPF of %.*s: instruction %u of %u\n", BPF_OBJ_NAME_LEN,
			fp->aux->name, at, fp->len);
		ebpf_abort(&fp->insnsi[at], what);
	}
	/* The compilers of the kernel need memory. */
	image = kvmalloc(1, GFP_KERNEL);
	kvfree(image);
	*err = 0;
	fp->jited = !!image;
	fp->bpf_func = image ? ebpf_run : NULL;
	return fp;
}

void bpf_prog_free(struct bpf_prog *fp)
{
	kfree(fp->aux);
	kvfree(fp);
}
