// SPDX-License-Identifier: GPL-2.0
/*
 * The interpreter of eBPF, which replaces the BPF JIT in user space, and the check of the
 * programs.
 */
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <kunit/test.h>

#define MAX_INSNS	8

#define R0		BPF_REG_0
#define R1		BPF_REG_1
#define R2		BPF_REG_2
#define R6		BPF_REG_6
#define R9		BPF_REG_9
#define FP		BPF_REG_FP

#define INSN(code_, dst, src, off_, imm_)	\
	{ .code = (code_), .dst_reg = (dst), .src_reg = (src), .off = (off_), .imm = (imm_) }
#define MOV(dst, src)		INSN(BPF_ALU64 | BPF_MOV | BPF_X, dst, src, 0, 0)
#define MOV_IMM(dst, imm)	INSN(BPF_ALU64 | BPF_MOV | BPF_K, dst, 0, 0, imm)
#define ADD_IMM(dst, imm)	INSN(BPF_ALU64 | BPF_ADD | BPF_K, dst, 0, 0, imm)
#define LOAD(dst, base, off)	INSN(BPF_LDX | BPF_MEM | BPF_DW, dst, base, off, 0)
#define STORE(base, off, src)	INSN(BPF_STX | BPF_MEM | BPF_DW, base, src, off, 0)
#define JUMP(off)		INSN(BPF_JMP | BPF_JA, 0, 0, off, 0)
#define JUMP_IF_0(reg, off)	INSN(BPF_JMP | BPF_JEQ | BPF_K, reg, 0, off, 0)
#define CALL(imm)		INSN(BPF_JMP | BPF_CALL, 0, 0, 0, imm)
#define EXIT			INSN(BPF_JMP | BPF_EXIT, 0, 0, 0, 0)

/* The programs read @a and @b, and write @result. */
struct operands {
	u64 a;
	u64 b;
	u64 result;
};

KUNIT_DEFINE_ACTION_WRAPPER(free_prog, bpf_prog_free, struct bpf_prog *);

static struct bpf_prog *make_prog(struct kunit *test, const struct bpf_insn *insns, u32 n)
{
	struct bpf_prog *fp = bpf_prog_alloc(bpf_prog_size(n), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, fp);
	kunit_add_action_or_reset(test, free_prog, fp);
	memcpy(fp->insnsi, insns, n * sizeof(*insns));
	fp->len = n;
	fp->aux->stack_depth = 16;
	return fp;
}

static unsigned int run_insns(struct kunit *test, const struct bpf_insn *insns, u32 n, void *ctx)
{
	struct bpf_prog *fp = make_prog(test, insns, n);
	int err = -EINVAL;

	fp = bpf_prog_select_runtime(fp, &err);
	KUNIT_ASSERT_EQ(test, 0, err);
	KUNIT_ASSERT_TRUE(test, fp->jited);
	return fp->bpf_func(ctx, fp->insnsi);
}

/* Arithmetic: R1 = R1 OP R2 */

#define ALU64(op, off)		INSN(BPF_ALU64 | BPF_X | (op), R1, R2, off, 0)
#define ALU32(op, off)		INSN(BPF_ALU | BPF_X | (op), R1, R2, off, 0)
#define ALU64_IMM(op, off, imm)	INSN(BPF_ALU64 | BPF_K | (op), R1, 0, off, imm)
#define ALU32_IMM(op, off, imm)	INSN(BPF_ALU | BPF_K | (op), R1, 0, off, imm)
#define TO(class, order, bits)	INSN((class) | BPF_END | (order), R1, 0, 0, bits)

#define LITTLE			(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__)
#define NATIVE			(LITTLE ? BPF_TO_LE : BPF_TO_BE)
#define FOREIGN			(LITTLE ? BPF_TO_BE : BPF_TO_LE)
#define DIGITS			0x0102030405060708ULL

struct alu_param {
	const char *name;
	struct bpf_insn insn;
	u64 a;
	u64 b;
	u64 result;
};

static const struct alu_param alu_params[] = {
	{ "add", ALU64(BPF_ADD, 0), U64_MAX, 2, 1 },
	{ "add of an immediate", ALU64_IMM(BPF_ADD, 0, -3), 1, 0, -2 },
	{ "add of 32 bits", ALU32(BPF_ADD, 0), 0x1ffffffffULL, 2, 1 },
	{ "add of an immediate of 32 bits", ALU32_IMM(BPF_ADD, 0, -3), 1, 0, 0xfffffffe },
	{ "sub", ALU64(BPF_SUB, 0), 1, 2, -1 },
	{ "sub of 32 bits", ALU32(BPF_SUB, 0), 1, 2, 0xffffffff },
	{ "mul", ALU64(BPF_MUL, 0), 1ULL << 33, -3, -3ULL << 33 },
	{ "mul of 32 bits", ALU32(BPF_MUL, 0), 0x10001, 0x10001, 0x20001 },
	{ "div", ALU64(BPF_DIV, 0), -7, 2, 0x7ffffffffffffffcULL },
	{ "signed div", ALU64(BPF_DIV, 1), -7, 2, -3 },
	{ "div of 32 bits", ALU32(BPF_DIV, 0), -7, 2, 0x7ffffffc },
	{ "signed div of 32 bits", ALU32(BPF_DIV, 1), -7, 2, 0xfffffffd },
	{ "signed div by an immediate", ALU64_IMM(BPF_DIV, 1, -2), -7, 0, 3 },
	{ "mod", ALU64(BPF_MOD, 0), -7, 4, 1 },
	{ "signed mod", ALU64(BPF_MOD, 1), -7, 4, -3 },
	{ "mod of 32 bits", ALU32(BPF_MOD, 0), -7, 4, 1 },
	{ "signed mod of 32 bits", ALU32(BPF_MOD, 1), -7, 4, 0xfffffffd },
	{ "or", ALU64(BPF_OR, 0), 1ULL << 40, 6, 1ULL << 40 | 6 },
	{ "or of a negative immediate", ALU64_IMM(BPF_OR, 0, -16), 1, 0, -15 },
	{ "and", ALU64(BPF_AND, 0), 0xff00ff00ff00ULL, ~0xf00ULL, 0xff00ff00f000ULL },
	{ "and of 32 bits", ALU32(BPF_AND, 0), -1, -2, 0xfffffffe },
	{ "xor", ALU64(BPF_XOR, 0), -1, 5, ~5ULL },
	{ "xor of 32 bits", ALU32(BPF_XOR, 0), -1, 5, 0xfffffffa },
	{ "lsh", ALU64(BPF_LSH, 0), 3, 63, 1ULL << 63 },
	{ "lsh of 32 bits", ALU32(BPF_LSH, 0), 3, 31, 0x80000000 },
	{ "rsh", ALU64(BPF_RSH, 0), -1, 63, 1 },
	{ "rsh of 32 bits", ALU32(BPF_RSH, 0), -1, 31, 1 },
	{ "rsh by an immediate", ALU64_IMM(BPF_RSH, 0, 32), DIGITS, 0, DIGITS >> 32 },
	{ "arsh", ALU64(BPF_ARSH, 0), -16, 2, -4 },
	{ "arsh of 32 bits", ALU32(BPF_ARSH, 0), 0x80000000, 31, 0xffffffff },
	{ "neg", INSN(BPF_ALU64 | BPF_NEG, R1, 0, 0, 0), 5, 0, -5 },
	{ "neg of 32 bits", INSN(BPF_ALU | BPF_NEG, R1, 0, 0, 0), 5, 0, 0xfffffffb },
	{ "mov", ALU64(BPF_MOV, 0), 0, DIGITS, DIGITS },
	{ "mov of an immediate", ALU64_IMM(BPF_MOV, 0, -1), 0, 0, -1 },
	{ "mov of 32 bits", ALU32(BPF_MOV, 0), -1, -1, 0xffffffff },
	{ "mov of an immediate of 32 bits", ALU32_IMM(BPF_MOV, 0, -1), 0, 0, 0xffffffff },
	{ "movsx of 8 bits", ALU64(BPF_MOV, 8), 0, 0x1ff, -1 },
	{ "movsx of 16 bits", ALU64(BPF_MOV, 16), 0, 0x18000, -0x8000 },
	{ "movsx of 32 bits", ALU64(BPF_MOV, 32), 0, 0x180000000ULL, -0x80000000LL },
	{ "movsx of 8 to 32 bits", ALU32(BPF_MOV, 8), 0, 0x80, 0xffffff80 },
	{ "movsx of 16 to 32 bits", ALU32(BPF_MOV, 16), 0, 0x8000, 0xffff8000 },
	{ "swap of 16 bits", TO(BPF_ALU, FOREIGN, 16), DIGITS, 0, 0x0807 },
	{ "swap of 32 bits", TO(BPF_ALU, FOREIGN, 32), DIGITS, 0, 0x08070605 },
	{ "swap of 64 bits", TO(BPF_ALU, FOREIGN, 64), DIGITS, 0, 0x0807060504030201ULL },
	{ "no swap of 16 bits", TO(BPF_ALU, NATIVE, 16), DIGITS, 0, 0x0708 },
	{ "no swap of 32 bits", TO(BPF_ALU, NATIVE, 32), DIGITS, 0, 0x05060708 },
	{ "no swap of 64 bits", TO(BPF_ALU, NATIVE, 64), DIGITS, 0, DIGITS },
	{ "bswap of 16 bits", TO(BPF_ALU64, 0, 16), DIGITS, 0, 0x0807 },
	{ "bswap of 32 bits", TO(BPF_ALU64, 0, 32), DIGITS, 0, 0x08070605 },
	{ "bswap of 64 bits", TO(BPF_ALU64, 0, 64), DIGITS, 0, 0x0807060504030201ULL },
};

KUNIT_ARRAY_PARAM_DESC(alu, alu_params, name);

static void alu_has_the_result_of(struct kunit *test)
{
	const struct alu_param *p = test->param_value;
	const struct bpf_insn insns[] = {
		MOV(R6, R1), LOAD(R2, R1, 8), LOAD(R1, R1, 0),
		p->insn,
		STORE(R6, 16, R1), MOV_IMM(R0, 0), EXIT,
	};
	struct operands operands = { p->a, p->b };

	run_insns(test, insns, ARRAY_SIZE(insns), &operands);
	KUNIT_EXPECT_EQ(test, operands.result, p->result);
}

/* Conditions: R1 OP R2 */

#define JMP64(op)		INSN(BPF_JMP | BPF_X | (op), R1, R2, 1, 0)
#define JMP32(op)		INSN(BPF_JMP32 | BPF_X | (op), R1, R2, 1, 0)
#define JMP64_IMM(op, imm)	INSN(BPF_JMP | BPF_K | (op), R1, 0, 1, imm)
#define JMP32_IMM(op, imm)	INSN(BPF_JMP32 | BPF_K | (op), R1, 0, 1, imm)
#define UPPER			(1ULL << 32)

struct jump_param {
	const char *name;
	struct bpf_insn insn;
	u64 a;
	u64 b;
	bool jumps;
};

static const struct jump_param jump_params[] = {
	{ "jeq", JMP64(BPF_JEQ), UPPER, UPPER, true },
	{ "jeq, upper half", JMP64(BPF_JEQ), UPPER, 0, false },
	{ "jeq of 32 bits", JMP32(BPF_JEQ), UPPER, 0, true },
	{ "jeq with an immediate", JMP64_IMM(BPF_JEQ, -1), -1, 0, true },
	{ "jeq with an immediate, upper half", JMP64_IMM(BPF_JEQ, -1), 0xffffffff, 0, false },
	{ "jeq with an immediate of 32 bits", JMP32_IMM(BPF_JEQ, -1), 0xffffffff, 0, true },
	{ "jne", JMP64(BPF_JNE), UPPER, 0, true },
	{ "jne of 32 bits", JMP32(BPF_JNE), UPPER, 0, false },
	{ "jgt", JMP64(BPF_JGT), -1, 1, true },
	{ "jgt, equal", JMP64(BPF_JGT), 1, 1, false },
	{ "jgt of 32 bits", JMP32(BPF_JGT), UPPER, 1, false },
	{ "jge", JMP64(BPF_JGE), 1, 1, true },
	{ "jge, less", JMP64(BPF_JGE), 0, 1, false },
	{ "jlt", JMP64(BPF_JLT), 1, -1, true },
	{ "jlt, equal", JMP64(BPF_JLT), 1, 1, false },
	{ "jle", JMP64(BPF_JLE), 1, 1, true },
	{ "jle, greater", JMP64(BPF_JLE), -1, 1, false },
	{ "jset", JMP64(BPF_JSET), 6, 4, true },
	{ "jset of no bit", JMP64(BPF_JSET), 6, 1, false },
	{ "jset of 32 bits", JMP32(BPF_JSET), UPPER, UPPER, false },
	{ "jsgt", JMP64(BPF_JSGT), 1, -1, true },
	{ "jsgt, less", JMP64(BPF_JSGT), -1, 1, false },
	{ "jsgt of 32 bits", JMP32(BPF_JSGT), 1, 0x80000000, true },
	{ "jsge", JMP64(BPF_JSGE), -1, -1, true },
	{ "jsge, less", JMP64(BPF_JSGE), -2, -1, false },
	{ "jslt", JMP64(BPF_JSLT), -1, 1, true },
	{ "jslt, greater", JMP64(BPF_JSLT), 1, -1, false },
	{ "jslt of an immediate of 32 bits", JMP32_IMM(BPF_JSLT, 0), 0x80000000, 0, true },
	{ "jsle", JMP64(BPF_JSLE), -1, -1, true },
	{ "jsle, greater", JMP64(BPF_JSLE), 0, -1, false },
};

KUNIT_ARRAY_PARAM_DESC(jump, jump_params, name);

static void jump_is_taken_if(struct kunit *test)
{
	const struct jump_param *p = test->param_value;
	const struct bpf_insn insns[] = {
		MOV_IMM(R0, 1), LOAD(R2, R1, 8), LOAD(R1, R1, 0),
		p->insn,
		MOV_IMM(R0, 0), EXIT,
	};
	struct operands operands = { p->a, p->b };

	KUNIT_EXPECT_EQ(test, run_insns(test, insns, ARRAY_SIZE(insns), &operands), p->jumps);
}

/* Memory: R1 points to the operands */

struct memory_param {
	const char *name;
	struct bpf_insn insn;
	u64 a;		/* memory before it */
	u64 b;		/* R2 before it */
	u64 a_then;
	u64 b_then;
};

static const struct memory_param memory_params[] = {
	{ "load", LOAD(R2, R1, 0), DIGITS, 0, DIGITS, DIGITS },
	{ "load of 32 bits", INSN(BPF_LDX | BPF_MEM | BPF_W, R2, R1, 0, 0),
	  0x8000000180000001ULL, 0, 0x8000000180000001ULL, 0x80000001 },
	{ "load of 16 bits", INSN(BPF_LDX | BPF_MEM | BPF_H, R2, R1, 0, 0),
	  0x8001800180018001ULL, 0, 0x8001800180018001ULL, 0x8001 },
	{ "load of 8 bits", INSN(BPF_LDX | BPF_MEM | BPF_B, R2, R1, 7, 0),
	  0x8181818181818181ULL, 0, 0x8181818181818181ULL, 0x81 },
	{ "signed load of 32 bits", INSN(BPF_LDX | BPF_MEMSX | BPF_W, R2, R1, 4, 0),
	  0x8000000180000001ULL, 0, 0x8000000180000001ULL, -0x7fffffffLL },
	{ "signed load of 16 bits", INSN(BPF_LDX | BPF_MEMSX | BPF_H, R2, R1, 2, 0),
	  0x8001800180018001ULL, 0, 0x8001800180018001ULL, -0x7fff },
	{ "signed load of 8 bits", INSN(BPF_LDX | BPF_MEMSX | BPF_B, R2, R1, 0, 0),
	  0x8181818181818181ULL, 0, 0x8181818181818181ULL, -0x7f },
	{ "store", STORE(R1, 0, R2), 0, DIGITS, DIGITS, DIGITS },
	{ "store of 32 bits", INSN(BPF_STX | BPF_MEM | BPF_W, R1, R2, LITTLE ? 0 : 4, 0),
	  -1, DIGITS, 0xffffffff05060708ULL, DIGITS },
	{ "store of 16 bits", INSN(BPF_STX | BPF_MEM | BPF_H, R1, R2, LITTLE ? 0 : 6, 0),
	  -1, DIGITS, 0xffffffffffff0708ULL, DIGITS },
	{ "store of 8 bits", INSN(BPF_STX | BPF_MEM | BPF_B, R1, R2, LITTLE ? 0 : 7, 0),
	  -1, DIGITS, 0xffffffffffffff08ULL, DIGITS },
	{ "store of an immediate", INSN(BPF_ST | BPF_MEM | BPF_DW, R1, 0, 0, -2),
	  0, 0, -2, 0 },
	{ "store of an immediate of 32 bits",
	  INSN(BPF_ST | BPF_MEM | BPF_W, R1, 0, LITTLE ? 0 : 4, -2), 0, 0, 0xfffffffe, 0 },
	{ "store of an immediate of 16 bits",
	  INSN(BPF_ST | BPF_MEM | BPF_H, R1, 0, LITTLE ? 0 : 6, -2), 0, 0, 0xfffe, 0 },
	{ "store of an immediate of 8 bits",
	  INSN(BPF_ST | BPF_MEM | BPF_B, R1, 0, LITTLE ? 0 : 7, -2), 0, 0, 0xfe, 0 },
	{ "atomic add", INSN(BPF_STX | BPF_ATOMIC | BPF_DW, R1, R2, 0, BPF_ADD),
	  0xffffffff, 3, 0x100000002ULL, 3 },
	{ "atomic add of 32 bits",
	  INSN(BPF_STX | BPF_ATOMIC | BPF_W, R1, R2, LITTLE ? 0 : 4, BPF_ADD),
	  0xffffffff, 3, 2, 3 },
	{ "atomic fetch and add",
	  INSN(BPF_STX | BPF_ATOMIC | BPF_DW, R1, R2, 0, BPF_ADD | BPF_FETCH), 40, 3, 43, 40 },
};

KUNIT_ARRAY_PARAM_DESC(memory, memory_params, name);

static void memory_has_the_value_of(struct kunit *test)
{
	const struct memory_param *p = test->param_value;
	const struct bpf_insn insns[] = {
		MOV(R6, R1), LOAD(R2, R1, 8),
		p->insn,
		STORE(R6, 16, R2), MOV_IMM(R0, 0), EXIT,
	};
	struct operands operands = { p->a, p->b };

	run_insns(test, insns, ARRAY_SIZE(insns), &operands);
	KUNIT_EXPECT_EQ(test, operands.a, p->a_then);
	KUNIT_EXPECT_EQ(test, operands.result, p->b_then);
}

static void stack_ends_at_r10(struct kunit *test)
{
	const struct bpf_insn insns[] = {
		MOV_IMM(R2, 20), STORE(FP, -16, R2),
		INSN(BPF_ST | BPF_MEM | BPF_DW, FP, 0, -8, 22),
		MOV(R1, FP), ADD_IMM(R1, -16),
		LOAD(R0, R1, 0), LOAD(R2, FP, -8),
		INSN(BPF_ALU64 | BPF_ADD | BPF_X, R0, R2, 0, 0), EXIT,
	};

	KUNIT_EXPECT_EQ(test, run_insns(test, insns, ARRAY_SIZE(insns), NULL), 42);
}

/* Control flow */

static void wide_immediate_takes_two_places(struct kunit *test)
{
	const struct bpf_insn insns[] = {
		INSN(BPF_LD | BPF_DW | BPF_IMM, R2, 0, 0, 0x85060708), INSN(0, 0, 0, 0, 0x01020304),
		STORE(R1, 16, R2), MOV_IMM(R0, 7), EXIT,
	};
	struct operands operands = { };

	KUNIT_EXPECT_EQ(test, run_insns(test, insns, ARRAY_SIZE(insns), &operands), 7);
	KUNIT_EXPECT_EQ(test, operands.result, 0x0102030485060708ULL);
}

static void jumps_go_both_ways(struct kunit *test)
{
	const struct bpf_insn insns[] = {
		MOV_IMM(R0, 1), JUMP(2),
		ADD_IMM(R0, 40), EXIT,
		ADD_IMM(R0, 1), INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, -4),
	};

	KUNIT_EXPECT_EQ(test, run_insns(test, insns, ARRAY_SIZE(insns), NULL), 42);
}

static void loop_ends(struct kunit *test)
{
	const struct bpf_insn insns[] = {
		MOV_IMM(R0, 0), MOV_IMM(R2, 6),
		ADD_IMM(R0, 7), ADD_IMM(R2, -1), JUMP_IF_0(R2, 1), JUMP(-4),
		EXIT,
	};

	KUNIT_EXPECT_EQ(test, run_insns(test, insns, ARRAY_SIZE(insns), NULL), 42);
}

static u64 called(u64 r1, u64 r2, u64 r3, u64 r4, u64 r5)
{
	return r1 + 10 * r2 + 100 * r3 + 1000 * r4 + 10000 * r5;
}

static void call_has_arguments_and_result(struct kunit *test)
{
	const struct bpf_insn insns[] = {
		MOV_IMM(R9, 3),
		MOV_IMM(R1, 1), MOV_IMM(R2, 2), MOV_IMM(BPF_REG_3, 3),
		MOV_IMM(BPF_REG_4, 4), MOV_IMM(BPF_REG_5, 5),
		CALL(BPF_CALL_IMM(called)),
		INSN(BPF_ALU64 | BPF_MUL | BPF_X, R0, R9, 0, 0), EXIT,
	};

	KUNIT_EXPECT_EQ(test, run_insns(test, insns, ARRAY_SIZE(insns), NULL), 3 * 54321);
}

static void compiler_without_memory_compiles_nothing(struct kunit *test)
{
	const struct bpf_insn insns[] = { MOV_IMM(R0, 0), EXIT };
	struct bpf_prog *fp = make_prog(test, insns, ARRAY_SIZE(insns));
	int err = -EINVAL;

	shim_fail_at = 1;
	fp = bpf_prog_select_runtime(fp, &err);
	KUNIT_EXPECT_EQ(test, 0, err);
	KUNIT_EXPECT_FALSE(test, fp->jited);
}

/* The check */

struct refused_param {
	const char *message;
	u32 at;
	struct bpf_insn insns[MAX_INSNS];
};

/* EXIT is the end of the program. */
static const struct refused_param refused_params[] = {
	{ "there is no instruction", 0, { } },
	{ "unknown opcode", 0, { INSN(BPF_ALU64 | 0xe0, R0, 0, 0, 0), EXIT } },
	{ "unknown opcode", 0, { INSN(BPF_LDX | BPF_MEMSX | BPF_DW, R0, R1, 0, 0), EXIT } },
	{ "unknown opcode", 0, { INSN(BPF_LD | BPF_W | BPF_ABS, 0, 0, 0, 0), EXIT } },
	{ "unknown opcode", 0, { INSN(BPF_JMP32 | BPF_CALL, 0, 0, 0, 0), EXIT } },
	{ "unknown opcode", 0, { INSN(BPF_JMP | BPF_JA | BPF_X, 0, 0, 0, 0), EXIT } },
	{ "unknown opcode", 0, { INSN(BPF_ALU64 | BPF_NEG | BPF_X, R1, 0, 0, 0), EXIT } },
	{ "unknown opcode", 0, { INSN(BPF_STX | BPF_ATOMIC | BPF_B, R1, R1, 0, 0), EXIT } },
	{ "unknown register", 0, { MOV_IMM(11, 0), EXIT } },
	{ "unknown register", 1, { MOV_IMM(R0, 0), MOV(R0, 11), EXIT } },
	{ "a reserved field is not 0", 0, { INSN(BPF_ALU64 | BPF_MOV, R0, R1, 0, 0), EXIT } },
	{ "a reserved field is not 0", 0, { INSN(BPF_ALU64 | BPF_MOV, R0, 0, 1, 0), EXIT } },
	{ "a reserved field is not 0", 0, { INSN(BPF_ALU | BPF_MOV | BPF_X, R0, R1, 0, 1), EXIT } },
	{ "a reserved field is not 0", 0, { INSN(BPF_JMP | BPF_JA, R1, 0, 0, 0), EXIT } },
	{ "a reserved field is not 0", 0, { INSN(BPF_JMP | BPF_CALL, 0, 1, 0, 0), EXIT } },
	{ "a reserved field is not 0", 1, { MOV_IMM(R0, 0),
	  INSN(BPF_JMP | BPF_EXIT, R1, 0, 0, 0) } },
	{ "writes R10", 0, { MOV(FP, R1), EXIT } },
	{ "writes R10", 0, { LOAD(FP, R1, 0), EXIT } },
	{ "writes R10", 0, { INSN(BPF_STX | BPF_ATOMIC | BPF_DW, R1, FP, 0, BPF_ADD | BPF_FETCH),
	  EXIT } },
	{ "the offset of a division is neither 0 nor 1", 0, { ALU64(BPF_DIV, 2), EXIT } },
	{ "division by an immediate 0", 0, { ALU64_IMM(BPF_DIV, 0, 0), EXIT } },
	{ "division by an immediate 0", 0, { ALU32_IMM(BPF_MOD, 1, 0), EXIT } },
	{ "the immediate count of a shift is too large", 0, { ALU64_IMM(BPF_LSH, 0, 64), EXIT } },
	{ "the immediate count of a shift is too large", 0, { ALU32_IMM(BPF_RSH, 0, 32), EXIT } },
	{ "the immediate count of a shift is too large", 0, { ALU64_IMM(BPF_ARSH, 0, -1), EXIT } },
	{ "the offset of a move is no number of bits", 0, { ALU64(BPF_MOV, 1), EXIT } },
	{ "the offset of a move is no number of bits", 0, { ALU32(BPF_MOV, 32), EXIT } },
	{ "the immediate of a swap is no number of bits", 0, { TO(BPF_ALU, BPF_TO_BE, 8), EXIT } },
	{ "unknown atomic operation", 0, { INSN(BPF_STX | BPF_ATOMIC | BPF_DW, R1, R1, 0, 0x30),
	  EXIT } },
	{ "accesses memory outside of the stack", 0, { STORE(FP, -24, R1), EXIT } },
	{ "accesses memory outside of the stack", 0, { STORE(FP, 0, R1), EXIT } },
	{ "accesses memory outside of the stack", 0, { LOAD(R0, FP, -4), EXIT } },
	{ "accesses the stack at an unaligned place", 0, { STORE(FP, -12, R1), EXIT } },
	{ "calls what is no function", 0, { CALL(S32_MAX), EXIT } },
	{ "jumps out of the program", 0, { JUMP(-2), EXIT } },
	{ "jumps out of the program", 0, { JUMP_IF_0(R1, 1), EXIT } },
	{ "jumps out of the program", 0, { INSN(BPF_JMP32 | BPF_JA, 0, 0, 0, S32_MAX), EXIT } },
	{ "jumps into an instruction", 0, { JUMP(1),
	  INSN(BPF_LD | BPF_DW | BPF_IMM, R0, 0, 0, 0), INSN(0, 0, 0, 0, 0), EXIT } },
	{ "is no second half", 1, { INSN(BPF_LD | BPF_DW | BPF_IMM, R0, 0, 0, 0), EXIT } },
	{ "its second half is missing", 1, { EXIT, INSN(BPF_LD | BPF_DW | BPF_IMM, R0, 0, 0, 0) } },
	{ "the program has no end", 2, { MOV_IMM(R0, 0), EXIT, MOV_IMM(R0, 0) } },
	{ "the program has no end", 2, { MOV_IMM(R0, 0), EXIT, JUMP_IF_0(R1, -3) } },
	/* No register has a value, except R1 and R10. */
	{ "reads a register that has no value", 0, { EXIT } },
	{ "reads a register that has no value", 0, { MOV(R0, R2), EXIT } },
	{ "reads a register that has no value", 0, { STORE(R1, 0, R2), EXIT } },
	{ "reads a register that has no value", 0, { STORE(R2, 0, R1), EXIT } },
	{ "reads a register that has no value", 0, { LOAD(R0, R2, 0), EXIT } },
	{ "reads a register that has no value", 0, { ADD_IMM(R0, 1), EXIT } },
	{ "reads a register that has no value", 0, { JUMP_IF_0(R0, 0), EXIT } },
	/* R0 gets one on one of two ways only */
	{ "reads a register that has no value", 2, { JUMP_IF_0(R1, 1), MOV_IMM(R0, 0), EXIT } },
	/* R2 has one in the first round of a loop, R1 has none after a call. */
	{ "reads a register that has no value", 2, { MOV_IMM(R0, 0), MOV_IMM(R2, 0),
	  MOV(R1, R2), CALL(0), JUMP_IF_0(R0, -3), EXIT } },
	{ "reads a register that has no value", 1, { CALL(0), MOV(R2, R1), EXIT } },
};

KUNIT_ARRAY_PARAM_DESC(refused, refused_params, message);

static u32 count_insns(const struct bpf_insn *insns)
{
	static const struct bpf_insn none;
	u32 n;

	for (n = MAX_INSNS; n && !memcmp(&insns[n - 1], &none, sizeof(none)); n--)
		;
	return n;
}

static void check_refuses(struct kunit *test)
{
	const struct refused_param *p = test->param_value;
	struct bpf_prog *fp = make_prog(test, p->insns, count_insns(p->insns));
	const char *message;
	u32 at;

	message = shim_bpf_check(fp, &at);
	KUNIT_ASSERT_NOT_NULL(test, message);
	KUNIT_EXPECT_STREQ(test, message, p->message);
	KUNIT_EXPECT_EQ(test, at, p->at);
}

static void check_limits_the_stack(struct kunit *test)
{
	const struct bpf_insn insns[] = { STORE(FP, -512, R1), MOV_IMM(R0, 0), EXIT };
	struct bpf_prog *fp = make_prog(test, insns, ARRAY_SIZE(insns));
	u32 at;

	fp->aux->stack_depth = MAX_BPF_STACK;
	KUNIT_EXPECT_NULL(test, shim_bpf_check(fp, &at));
	fp->aux->stack_depth = MAX_BPF_STACK + 8;
	KUNIT_EXPECT_STREQ(test, shim_bpf_check(fp, &at), "the stack is too large");
}

/* A register that is lost on one way may be read on another. */
static void check_follows_each_way(struct kunit *test)
{
	const struct bpf_insn insns[] = {
		MOV(R6, R1), JUMP_IF_0(R1, 3),
		CALL(0), MOV(R1, R6), JUMP(-4),
		LOAD(R0, R1, 0), EXIT,
		/* not reached */
		MOV(R0, R2), EXIT,
	};
	struct bpf_prog *fp = make_prog(test, insns, ARRAY_SIZE(insns));
	u32 at;

	KUNIT_EXPECT_NULL(test, shim_bpf_check(fp, &at));
}

static struct kunit_case bpf_cases[] = {
	KUNIT_CASE_PARAM(alu_has_the_result_of, alu_gen_params),
	KUNIT_CASE_PARAM(jump_is_taken_if, jump_gen_params),
	KUNIT_CASE_PARAM(memory_has_the_value_of, memory_gen_params),
	KUNIT_CASE(stack_ends_at_r10),
	KUNIT_CASE(wide_immediate_takes_two_places),
	KUNIT_CASE(jumps_go_both_ways),
	KUNIT_CASE(loop_ends),
	KUNIT_CASE(call_has_arguments_and_result),
	KUNIT_CASE(compiler_without_memory_compiles_nothing),
	KUNIT_CASE_PARAM(check_refuses, refused_gen_params),
	KUNIT_CASE(check_limits_the_stack),
	KUNIT_CASE(check_follows_each_way),
	{}
};

static struct kunit_suite bpf_suite = {
	.name = "ktap_bpf",
	.test_cases = bpf_cases,
};

kunit_test_suite(bpf_suite);
