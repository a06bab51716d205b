// SPDX-License-Identifier: GPL-2.0
/*
 * Check eBPF programs for mistakes that the BPF JITs do not expect: the kernel's verifier
 * finds them in programs of user space, but it does not see those of ktap.
 */
#include <stdlib.h>

#include <linux/filter.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/sections.h>

/* The fields that an opcode uses; all others must be 0 */
#define EBPF_KNOWN	BIT(0)
#define EBPF_DST	BIT(1)
#define EBPF_SRC	BIT(2)
#define EBPF_OFF	BIT(3)
#define EBPF_IMM	BIT(4)
#define EBPF_KEEPS	BIT(5)	/* does not write its dst_reg */

/* Registers as a set of bits */
#define EBPF_CALLER	(BIT(BPF_REG_1) | BIT(BPF_REG_2) | BIT(BPF_REG_3) | BIT(BPF_REG_4) | \
			 BIT(BPF_REG_5))
#define EBPF_AT_ENTRY	(BIT(BPF_REG_1) | BIT(BPF_REG_FP))
#define EBPF_ALL	0xffff	/* of an instruction that was not reached yet */

static u8 ebpf_alu_fields(u8 code)
{
	u8 operand = BPF_SRC(code) == BPF_X ? EBPF_SRC : EBPF_IMM;

	switch (BPF_OP(code)) {
	case BPF_ADD:
	case BPF_SUB:
	case BPF_MUL:
	case BPF_OR:
	case BPF_AND:
	case BPF_XOR:
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH:
		return EBPF_KNOWN | EBPF_DST | operand;
	case BPF_DIV:
	case BPF_MOD:
		return EBPF_KNOWN | EBPF_DST | EBPF_OFF | operand;
	case BPF_MOV:
		return EBPF_KNOWN | EBPF_DST | operand | (operand == EBPF_SRC ? EBPF_OFF : 0);
	case BPF_NEG:
		return operand == EBPF_IMM ? EBPF_KNOWN | EBPF_DST : 0;
	case BPF_END:
		if (BPF_CLASS(code) == BPF_ALU64 && BPF_SRC(code))
			return 0;
		return EBPF_KNOWN | EBPF_DST | EBPF_IMM;
	default:
		return 0;
	}
}

static u8 ebpf_jump_fields(u8 code)
{
	bool wide = BPF_CLASS(code) == BPF_JMP;

	switch (BPF_OP(code)) {
	case BPF_JA:
		if (BPF_SRC(code))
			return 0;
		return EBPF_KNOWN | (wide ? EBPF_OFF : EBPF_IMM);
	case BPF_CALL:
		return wide && !BPF_SRC(code) ? EBPF_KNOWN | EBPF_IMM : 0;
	case BPF_EXIT:
		return wide && !BPF_SRC(code) ? EBPF_KNOWN : 0;
	case BPF_JEQ:
	case BPF_JNE:
	case BPF_JGT:
	case BPF_JGE:
	case BPF_JLT:
	case BPF_JLE:
	case BPF_JSET:
	case BPF_JSGT:
	case BPF_JSGE:
	case BPF_JSLT:
	case BPF_JSLE:
		return EBPF_KNOWN | EBPF_KEEPS | EBPF_DST | EBPF_OFF |
		       (BPF_SRC(code) == BPF_X ? EBPF_SRC : EBPF_IMM);
	default:
		return 0;
	}
}

static u8 ebpf_fields(u8 code)
{
	u8 mode = BPF_MODE(code), size = BPF_SIZE(code);

	switch (BPF_CLASS(code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return ebpf_alu_fields(code);
	case BPF_JMP:
	case BPF_JMP32:
		return ebpf_jump_fields(code);
	case BPF_LD:
		return mode == BPF_IMM && size == BPF_DW ? EBPF_KNOWN | EBPF_DST | EBPF_IMM : 0;
	case BPF_LDX:
		if (mode != BPF_MEM && (mode != BPF_MEMSX || size == BPF_DW))
			return 0;
		return EBPF_KNOWN | EBPF_DST | EBPF_SRC | EBPF_OFF;
	case BPF_ST:
		if (code == (BPF_ST | BPF_NOSPEC))
			return EBPF_KNOWN | EBPF_KEEPS;
		if (mode != BPF_MEM)
			return 0;
		return EBPF_KNOWN | EBPF_KEEPS | EBPF_DST | EBPF_OFF | EBPF_IMM;
	default:
		if (mode == BPF_ATOMIC && (size == BPF_W || size == BPF_DW))
			return EBPF_KNOWN | EBPF_KEEPS | EBPF_DST | EBPF_SRC | EBPF_OFF | EBPF_IMM;
		return mode == BPF_MEM ? EBPF_KNOWN | EBPF_KEEPS | EBPF_DST | EBPF_SRC | EBPF_OFF :
					 0;
	}
}

static bool ebpf_is_jump(const struct bpf_insn *insn)
{
	return BPF_CLASS(insn->code) == BPF_JMP || BPF_CLASS(insn->code) == BPF_JMP32;
}

static bool ebpf_is_wide_load(const struct bpf_insn *insn)
{
	return insn->code == (BPF_LD | BPF_DW | BPF_IMM);
}

static bool ebpf_is_atomic(const struct bpf_insn *insn)
{
	return BPF_CLASS(insn->code) == BPF_STX && BPF_MODE(insn->code) == BPF_ATOMIC;
}

/* The size of its memory access */
static int ebpf_size(const struct bpf_insn *insn)
{
	switch (BPF_SIZE(insn->code)) {
	case BPF_B:
		return 1;
	case BPF_H:
		return 2;
	case BPF_W:
		return 4;
	default:
		return 8;
	}
}

/* One instruction */

static const char *ebpf_check_fields(const struct bpf_insn *insn)
{
	u8 fields = ebpf_fields(insn->code);

	if (!(fields & EBPF_KNOWN))
		return "unknown opcode";
	if (insn->dst_reg > BPF_REG_FP || insn->src_reg > BPF_REG_FP)
		return "unknown register";
	if ((!(fields & EBPF_DST) && insn->dst_reg) || (!(fields & EBPF_SRC) && insn->src_reg) ||
	    (!(fields & EBPF_OFF) && insn->off) || (!(fields & EBPF_IMM) && insn->imm))
		return "a reserved field is not 0";
	if (fields & EBPF_DST && !(fields & EBPF_KEEPS) &&
	    insn->dst_reg == BPF_REG_FP)
		return "writes R10";
	return NULL;
}

static const char *ebpf_check_alu(const struct bpf_insn *insn)
{
	bool wide = BPF_CLASS(insn->code) == BPF_ALU64, imm = BPF_SRC(insn->code) == BPF_K;

	switch (BPF_OP(insn->code)) {
	case BPF_DIV:
	case BPF_MOD:
		if (insn->off && insn->off != 1)
			return "the offset of a division is neither 0 nor 1";
		return imm && !insn->imm ? "division by an immediate 0" : NULL;
	case BPF_LSH:
	case BPF_RSH:
	case BPF_ARSH:
		if (imm && (insn->imm < 0 || insn->imm >= (wide ? 64 : 32)))
			return "the immediate count of a shift is too large";
		return NULL;
	case BPF_MOV:
		if (insn->off && insn->off != 8 && insn->off != 16 && (!wide || insn->off != 32))
			return "the offset of a move is no number of bits";
		return NULL;
	case BPF_END:
		if (insn->imm != 16 && insn->imm != 32 && insn->imm != 64)
			return "the immediate of a swap is no number of bits";
		return NULL;
	default:
		return NULL;
	}
}

static const char *ebpf_check_memory(const struct bpf_prog *fp, const struct bpf_insn *insn)
{
	bool loads = BPF_CLASS(insn->code) == BPF_LDX;
	u8 base = loads ? insn->src_reg : insn->dst_reg;

	if (ebpf_is_atomic(insn) && (insn->imm & ~BPF_FETCH) != BPF_ADD)
		return "unknown atomic operation";
	if (ebpf_is_atomic(insn) && insn->imm & BPF_FETCH && insn->src_reg == BPF_REG_FP)
		return "writes R10";
	if (base != BPF_REG_FP)
		return NULL;
	if (insn->off < -(s64)fp->aux->stack_depth || insn->off + ebpf_size(insn) > 0)
		return "accesses memory outside of the stack";
	return insn->off % ebpf_size(insn) ? "accesses the stack at an unaligned place" : NULL;
}

static const char *ebpf_check_call(const struct bpf_insn *insn)
{
	const char *fn = (const char *)__bpf_call_base + insn->imm;

	return fn < __executable_start || fn >= etext ? "calls what is no function" : NULL;
}

static const char *ebpf_check_insn(const struct bpf_prog *fp, const struct bpf_insn *insn)
{
	const char *what = ebpf_check_fields(insn);

	if (what)
		return what;
	switch (BPF_CLASS(insn->code)) {
	case BPF_ALU:
	case BPF_ALU64:
		return ebpf_check_alu(insn);
	case BPF_ST:
		return insn->code == (BPF_ST | BPF_NOSPEC) ? NULL : ebpf_check_memory(fp, insn);
	case BPF_LDX:
	case BPF_STX:
		return ebpf_check_memory(fp, insn);
	case BPF_JMP:
		return BPF_OP(insn->code) == BPF_CALL ? ebpf_check_call(insn) : NULL;
	default:
		return NULL;
	}
}

/* The order of execution */

static bool ebpf_falls_through(const struct bpf_insn *insn)
{
	return !ebpf_is_jump(insn) ||
	       (BPF_OP(insn->code) != BPF_JA && BPF_OP(insn->code) != BPF_EXIT);
}

/* Returns false if it does not jump. */
static bool ebpf_jumps(const struct bpf_insn *insn, u32 at, s64 *to)
{
	if (!ebpf_is_jump(insn) || BPF_OP(insn->code) == BPF_CALL ||
	    BPF_OP(insn->code) == BPF_EXIT)
		return false;
	*to = (s64)at + 1 +
	      (insn->code == (BPF_JMP32 | BPF_JA) ? insn->imm : insn->off);
	return true;
}

static const char *ebpf_check_order(const struct bpf_prog *fp, const bool *second, u32 at)
{
	const struct bpf_insn *insn = &fp->insnsi[at];
	s64 to;

	if (ebpf_jumps(insn, at, &to)) {
		if (to < 0 || to >= fp->len)
			return "jumps out of the program";
		if (second[to])
			return "jumps into an instruction";
	}
	if (ebpf_falls_through(insn) && at + 1 + ebpf_is_wide_load(insn) >= fp->len)
		return "the program has no end";
	return NULL;
}

/* Find the second halves of the instructions that have two. */
static const char *ebpf_check_halves(const struct bpf_prog *fp, bool *second, u32 *at)
{
	const struct bpf_insn *half;

	for (*at = 0; *at < fp->len; ++*at) {
		if (!ebpf_is_wide_load(&fp->insnsi[*at]))
			continue;
		if (++*at == fp->len) {
			--*at;
			return "its second half is missing";
		}
		half = &fp->insnsi[*at];
		if (half->code || half->dst_reg || half->src_reg || half->off)
			return "is no second half";
		second[*at] = true;
	}
	return NULL;
}

/* Registers */

static u16 ebpf_reads(const struct bpf_insn *insn)
{
	u8 fields = ebpf_fields(insn->code);
	u16 reads = 0;

	if (fields & EBPF_SRC)
		reads |= BIT(insn->src_reg);
	switch (BPF_CLASS(insn->code)) {
	case BPF_LD:
	case BPF_LDX:
		return reads;
	case BPF_ALU:
	case BPF_ALU64:
		return BPF_OP(insn->code) == BPF_MOV ? reads : reads | BIT(insn->dst_reg);
	default:
		if (insn->code == (BPF_JMP | BPF_EXIT))
			return BIT(BPF_REG_0);
		return fields & EBPF_DST ? reads | BIT(insn->dst_reg) : reads;
	}
}

/* The registers that have a value after it, if @has have one before. */
static u16 ebpf_writes(const struct bpf_insn *insn, u16 has)
{
	u8 fields = ebpf_fields(insn->code);

	if (insn->code == (BPF_JMP | BPF_CALL))
		return (has & ~EBPF_CALLER) | BIT(BPF_REG_0);
	if (ebpf_is_atomic(insn) && insn->imm & BPF_FETCH)
		return has | BIT(insn->src_reg);
	if (fields & EBPF_DST && !(fields & EBPF_KEEPS))
		return has | BIT(insn->dst_reg);
	return has;
}

static bool ebpf_flow_to(u16 *has, u16 from)
{
	u16 old = *has;

	*has &= from;
	return *has != old;
}

/* Returns true if more has to be done. */
static bool ebpf_flow(const struct bpf_prog *fp, u16 *has)
{
	const struct bpf_insn *insn;
	bool changed = false;
	u16 after;
	s64 to;
	u32 i;

	for (i = 0; i < fp->len; i++) {
		insn = &fp->insnsi[i];
		if (has[i] == EBPF_ALL)
			continue;
		after = ebpf_writes(insn, has[i]);
		if (ebpf_falls_through(insn))
			ebpf_flow_to(&has[i + 1 + ebpf_is_wide_load(insn)], after);
		if (ebpf_jumps(insn, i, &to))
			changed |= ebpf_flow_to(&has[to], after) && to <= i;
	}
	return changed;
}

static const char *ebpf_check_registers(const struct bpf_prog *fp, u16 *has, u32 *at)
{
	memset(has, 0xff, fp->len * sizeof(*has));
	has[0] = EBPF_AT_ENTRY;
	while (ebpf_flow(fp, has))
		;
	for (*at = 0; *at < fp->len; ++*at) {
		if (has[*at] != EBPF_ALL && ebpf_reads(&fp->insnsi[*at]) & ~has[*at])
			return "reads a register that has no value";
	}
	return NULL;
}

static const char *ebpf_check_all(const struct bpf_prog *fp, bool *second, u16 *has, u32 *at)
{
	const char *what = ebpf_check_halves(fp, second, at);

	if (what)
		return what;
	for (*at = 0; *at < fp->len; ++*at) {
		if (second[*at])
			continue;
		what = ebpf_check_insn(fp, &fp->insnsi[*at]) ?: ebpf_check_order(fp, second, *at);
		if (what)
			return what;
	}
	return ebpf_check_registers(fp, has, at);
}

const char *shim_bpf_check(const struct bpf_prog *fp, u32 *at)
{
	const char *what;
	bool *second;
	u16 *has;

	*at = 0;
	if (!fp->len)
		return "there is no instruction";
	if (fp->aux->stack_depth > MAX_BPF_STACK)
		return "the stack is too large";
	second = calloc(fp->len, sizeof(*second));
	has = calloc(fp->len, sizeof(*has));
	what = ebpf_check_all(fp, second, has, at);
	free(second);
	free(has);
	return what;
}
