// SPDX-License-Identifier: GPL-2.0
/*
 * Arithmetic, comparison and truth.
 */

#include <linux/kernel.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/arena.h"
#include "vm/env.h"
#include "vm/integer.h"
#include "vm/ops.h"
#include "vm/vm.h"

#define EVENT	KTAP_LEVEL_TASK
#define PROCESS	KTAP_LEVEL_PROCESS

struct arith_case {
	u8 op;
	s64 x;
	s64 y;
	s64 want;
};

static const struct arith_case arith_cases[] = {
	{ KTAP_OP_ADD, 2, 3, 5 },
	{ KTAP_OP_ADD, S64_MAX, 1, S64_MIN },
	{ KTAP_OP_SUB, 2, 3, -1 },
	{ KTAP_OP_SUB, S64_MIN, 1, S64_MAX },
	{ KTAP_OP_MUL, -4, 3, -12 },
	{ KTAP_OP_MUL, S64_MIN, -1, S64_MIN },
	{ KTAP_OP_MUL, 0x100000001LL, 0x100000001LL, 0x200000001LL },
	{ KTAP_OP_DIV, 7, 2, 3 },
	{ KTAP_OP_DIV, -7, 2, -3 },
	{ KTAP_OP_DIV, 7, -2, -3 },
	{ KTAP_OP_DIV, S64_MIN, -1, S64_MIN },
	{ KTAP_OP_DIV, S64_MIN, 2, S64_MIN / 2 },
	{ KTAP_OP_MOD, 7, 3, 1 },
	{ KTAP_OP_MOD, -7, 3, -1 },
	{ KTAP_OP_MOD, 7, -3, 1 },
	{ KTAP_OP_MOD, S64_MIN, -1, 0 },
	{ KTAP_OP_AND, 0xff, 0x0f, 0x0f },
	{ KTAP_OP_OR, 0xf0, 0x0f, 0xff },
	{ KTAP_OP_XOR, 0xff, 0x0f, 0xf0 },
	{ KTAP_OP_SHL, 1, 63, S64_MIN },
	{ KTAP_OP_SHL, 1, 64, 1 },
	{ KTAP_OP_SHL, -1, 1, -2 },
	{ KTAP_OP_SHR, -8, 1, -4 },
	{ KTAP_OP_SHR, S64_MIN, 63, -1 },
	{ KTAP_OP_SHR, 8, -63, 4 },
};

static void arithmetic_wraps_and_truncates(struct kunit *test)
{
	const struct arith_case *a;
	struct test_chunk *c;
	struct ktap_vm *vm;
	int i;

	for (i = 0; i < ARRAY_SIZE(arith_cases); i++) {
		a = &arith_cases[i];
		c = test_chunk(test);
		test_func(c, "main", 0, 3);
		test_insn(c, KTAP_OP_INTK, 0, 0, 0, test_int(c, a->x));
		test_insn(c, KTAP_OP_INTK, 1, 0, 0, test_int(c, a->y));
		test_insn(c, a->op, 2, 0, 1, 0);
		test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
		vm = test_vm(test, test_load(c), PROCESS);
		test_expect_int(test, a->want, test_run(test, vm, NULL, 0));
		if (a->y < S32_MIN || a->y > S32_MAX)
			continue;
		/* The opcode of the immediate form is 16 higher. */
		c->insns[2] = (struct ktap_code){ .op = a->op + 16, .a = 2, .b = 0,
						  .d = a->y };
		vm = test_vm(test, test_load(c), PROCESS);
		test_expect_int(test, a->want, test_run(test, vm, NULL, 0));
	}
}

static struct test_chunk *one_op(struct kunit *test, u8 op)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_NIL, 0, 2, 0, 0);
	test_insn(c, KTAP_OP_NIL, 0, 0, 0, 0);
	test_insn(c, op, 2, 0, 1, 0);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	return c;
}

static void nil_counts_as_zero(struct kunit *test)
{
	struct test_chunk *c = one_op(test, KTAP_OP_ADD);

	test_expect_int(test, 0, test_run(test, test_vm(test, test_load(c), PROCESS), NULL, 0));
	c->insns[1] = (struct ktap_code){ .op = KTAP_OP_INT, .d = 5 };
	test_expect_int(test, 5, test_run(test, test_vm(test, test_load(c), PROCESS), NULL, 0));
	c->insns[2].c = 0;
	c->insns[2].b = 1;
	test_expect_int(test, 5, test_run(test, test_vm(test, test_load(c), PROCESS), NULL, 0));
}

static void arithmetic_on_other_types_is_an_error(struct kunit *test)
{
	struct test_chunk *c = one_op(test, KTAP_OP_ADD);

	c->insns[1] = (struct ktap_code){ .op = KTAP_OP_STR };
	test_expect_error(test, test_vm(test, test_load(c), PROCESS), -EINVAL,
			  "arithmetic on a string");
	c->insns[1] = (struct ktap_code){ .op = KTAP_OP_BOOL, .b = 1 };
	test_expect_error(test, test_vm(test, test_load(c), PROCESS), -EINVAL,
			  "arithmetic on a boolean");
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_NEG, .a = 2 };
	test_expect_error(test, test_vm(test, test_load(c), PROCESS), -EINVAL,
			  "arithmetic on a boolean");
}

static void division_by_zero_is_an_error(struct kunit *test)
{
	test_expect_error(test, test_vm(test, test_load(one_op(test, KTAP_OP_DIV)), PROCESS), -EDOM,
			  "division by zero");
	test_expect_error(test, test_vm(test, test_load(one_op(test, KTAP_OP_MOD)), PROCESS), -EDOM,
			  "division by zero");
}

/* The operands, as the instructions that load them. */
static const struct ktap_code operands[] = {
	{ .op = KTAP_OP_NIL },
	{ .op = KTAP_OP_BOOL, .b = 1 },
	{ .op = KTAP_OP_INT, .d = 1 },
	{ .op = KTAP_OP_INT, .d = 2 },
	{ .op = KTAP_OP_STR, .d = 1 },
	{ .op = KTAP_OP_STR, .d = 2 },
	{ .op = KTAP_OP_FUNC },
};

/* Order of two of them: -1, 0, 1; 2: none, and that is false; 3: an error. */
static int order_of(int i, int j)
{
	if (i == 0 || j == 0)
		return 2;
	if ((i == 2 || i == 3) && (j == 2 || j == 3))
		return i < j ? -1 : i > j;
	if ((i == 4 || i == 5) && (j == 4 || j == 5))
		return i < j ? -1 : i > j;
	return 3;
}

static void compare(struct kunit *test, u8 op, int i, int j, bool want, bool error)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_value result;
	struct ktap_vm *vm;
	int err;

	test_func(c, "main", 0, 2);
	test_string(c, "abc");
	test_string(c, "abcd");
	c->insns[test_insn(c, 0, 0, 0, 0, 0)] = operands[i];
	c->insns[test_insn(c, 0, 0, 0, 0, 0)] = operands[j];
	c->insns[1].a = 1;
	if (c->insns[1].op == KTAP_OP_NIL)
		c->insns[1].b = 1;
	if (op < KTAP_OP_JMP) {
		test_insn(c, op, 0, 0, 1, 0);
		test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	} else {
		test_insn(c, op, 0, 1, 0, 2);
		test_insn(c, KTAP_OP_BOOL, 0, 0, 0, 0);
		test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
		test_insn(c, KTAP_OP_BOOL, 0, 1, 0, 0);
		test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	}
	vm = test_vm(test, test_load(c), EVENT);
	err = ktap_vm_run(vm, 0, NULL, 0, &result);
	KUNIT_EXPECT_EQ_MSG(test, err, error ? -EINVAL : 0, "op %u of %d and %d", op, i, j);
	if (!error)
		KUNIT_EXPECT_EQ_MSG(test, result.u, (u64)want, "op %u of %d and %d", op, i, j);
}

static void comparisons_depend_on_the_types(struct kunit *test)
{
	int i, j, order;
	bool error;

	for (i = 0; i < ARRAY_SIZE(operands); i++) {
		for (j = 0; j < ARRAY_SIZE(operands); j++) {
			order = order_of(i, j);
			error = order == 3;
			compare(test, KTAP_OP_EQ, i, j, i == j, false);
			compare(test, KTAP_OP_JEQ, i, j, i == j, false);
			compare(test, KTAP_OP_JNE, i, j, i != j, false);
			compare(test, KTAP_OP_LT, i, j, order == -1, error);
			compare(test, KTAP_OP_JLT, i, j, order == -1, error);
			compare(test, KTAP_OP_JNLT, i, j, order != -1, error);
			compare(test, KTAP_OP_LE, i, j, order == -1 || order == 0, error);
			compare(test, KTAP_OP_JLE, i, j, order == -1 || order == 0, error);
			compare(test, KTAP_OP_JNLE, i, j, order != -1 && order != 0, error);
		}
	}
}

/* All comparisons with an immediate, of a register that holds @x. */
static u32 immediate_mask(struct kunit *test, struct ktap_code x, s16 imm, bool *error)
{
	struct test_chunk *c;
	struct ktap_value v;
	u32 mask = 0;
	u8 op;

	*error = false;
	for (op = KTAP_OP_JEQI; op <= KTAP_OP_JNGEI; op++) {
		c = test_chunk(test);
		test_func(c, "main", 0, 1);
		c->insns[test_insn(c, 0, 0, 0, 0, 0)] = x;
		test_insn(c, op, 0, imm & 0xff, (u16)imm >> 8, 2);
		test_insn(c, KTAP_OP_INT, 0, 0, 0, 0);
		test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
		test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
		test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
		if (ktap_vm_run(test_vm(test, test_load(c), EVENT), 0, NULL, 0, &v))
			*error = true;
		else
			mask |= v.u << (op - KTAP_OP_JEQI);
	}
	return mask;
}

static void immediates_are_signed_16_bit_integers(struct kunit *test)
{
	struct ktap_code x = { .op = KTAP_OP_INT, .d = -300 };
	bool error;

	/* From bit 0: == != < <= > >= and the last four negated. */
	KUNIT_EXPECT_EQ(test, immediate_mask(test, x, -300, &error), 0x169);
	KUNIT_EXPECT_FALSE(test, error);
	KUNIT_EXPECT_EQ(test, immediate_mask(test, x, -299, &error), 0x30e);
	KUNIT_EXPECT_EQ(test, immediate_mask(test, x, S16_MIN, &error), 0x0f2);
	x.op = KTAP_OP_NIL;
	x.d = 0;
	KUNIT_EXPECT_EQ(test, immediate_mask(test, x, 0, &error), 0x3c2);
	KUNIT_EXPECT_FALSE(test, error);
	x.op = KTAP_OP_STR;
	immediate_mask(test, x, 0, &error);
	KUNIT_EXPECT_TRUE(test, error);
}

static void expect_decimal(struct kunit *test, s64 i)
{
	char want[32], got[32], *first;

	snprintf(want, sizeof(want), "%lld", (long long)i);
	got[31] = '\0';
	first = ktap_decimal_put(i, got + 31);
	KUNIT_EXPECT_STREQ(test, first, want);
	KUNIT_EXPECT_EQ(test, ktap_decimal_len(i), strlen(want));
	*ktap_decimal_append(i, got) = '\0';
	KUNIT_EXPECT_STREQ(test, got, want);
	KUNIT_EXPECT_LE(test, strlen(want), KTAP_INTEGER_TEXT);
}

static void integers_have_all_digits(struct kunit *test)
{
	u64 power = 1, bit;
	int i;

	for (i = 0; i < 20; i++, power *= 10) {
		expect_decimal(test, power - 1);
		expect_decimal(test, power);
		expect_decimal(test, power + 1);
		expect_decimal(test, -power);
		expect_decimal(test, 1 - power);
	}
	for (bit = 1; bit; bit <<= 1) {
		expect_decimal(test, bit - 1);
		expect_decimal(test, bit);
		expect_decimal(test, ~bit);
	}
}

/* The last part is an integer: it is cut between its digits, before them, or not at all. */
static void joined_text_is_cut_and_counted(struct kunit *test)
{
	static const char tail[] = "-12345";
	struct test_chunk *c = test_chunk(test);
	struct ktap_value *r;
	struct ktap_vm *vm;
	unsigned int room;
	const char *end;
	char *x;

	test_func(c, "main", 0, 4);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	vm->budget = 100000;
	vm->top = 4;
	r = vm->stack;
	x = kunit_kzalloc(test, KTAP_MAX_STRLEN, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, x);
	memset(x, 'x', KTAP_MAX_STRLEN);
	for (room = 0; room < 8; room++) {
		r[0] = KTAP_VALUE_STR(x, KTAP_MAX_STRLEN - 4 - 3 - room);
		r[1] = KTAP_VALUE_BOOL(true);
		r[2] = KTAP_VALUE_NIL;
		r[3] = KTAP_VALUE_INT(-12345);
		atomic_long_set(&vm->env->counters.cut_strings, 0);
		KUNIT_ASSERT_EQ(test, 0, ktap_op_concat(vm, &r[0], &r[0], 4));
		KUNIT_EXPECT_EQ(test, r[0].len, KTAP_MAX_STRLEN - max(room, 6U) + 6);
		KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.cut_strings), room < 6);
		end = r[0].blob + KTAP_MAX_STRLEN - room;
		KUNIT_EXPECT_EQ(test, 0, memcmp(end - 7, "truenil", 7));
		KUNIT_EXPECT_EQ(test, 0, memcmp(end, tail, min(room, 6U)));
	}
}

/* Join @n parts: integers, and strings of @len bytes.  Check the text and its price. */
static void expect_joined(struct kunit *test, struct ktap_vm *vm, unsigned int n, u32 len)
{
	char *want = kunit_kzalloc(test, 10 * 100, GFP_KERNEL), *end = want;
	char *x = kunit_kzalloc(test, 100, GFP_KERNEL);
	struct ktap_value *r = vm->stack;
	unsigned int i, numbers = 0;
	u32 cost;

	KUNIT_ASSERT_NOT_NULL(test, want);
	KUNIT_ASSERT_NOT_NULL(test, x);
	memset(x, 'x', len);
	for (i = 0; i < n; i++) {
		if (i % 3 == 1) {
			r[i] = KTAP_VALUE_INT(i % 2 ? S64_MIN : 12345);
			end += sprintf(end, "%lld", r[i].i);
			numbers++;
		} else {
			r[i] = KTAP_VALUE_STR(x, len);
			memcpy(end, x, len);
			end += len;
		}
	}
	cost = (end - want) / 64 + n / 16 + 2 * numbers;
	vm->budget = cost;
	vm->error = 0;
	KUNIT_EXPECT_EQ(test, -ETIME, ktap_op_concat(vm, &r[10], &r[0], n));
	vm->error = 0;
	vm->budget = 1000;
	KUNIT_ASSERT_EQ(test, 0, ktap_op_concat(vm, &r[10], &r[0], n));
	KUNIT_EXPECT_EQ(test, 1000 - cost, vm->budget);
	KUNIT_EXPECT_EQ(test, r[10].tag, KTAP_STR);
	KUNIT_ASSERT_EQ(test, r[10].len, end - want);
	KUNIT_EXPECT_EQ(test, 0, memcmp(r[10].blob, want, end - want));
}

/* Up to 8 parts of up to 64 bytes are joined at once, if the arena has room for such ones. */
static void text_is_joined_in_two_ways(struct kunit *test)
{
	static const u32 lens[] = { 0, 1, 3, 7, 8, 63, 64, 65 };
	struct test_chunk *c = test_chunk(test);
	struct ktap_value first;
	struct ktap_vm *vm;
	unsigned int n, i;

	test_func(c, "main", 0, 12);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	vm->top = 12;
	for (n = 1; n < 10; n++) {
		for (i = 0; i < ARRAY_SIZE(lens); i++) {
			vm->arena.used = 0;
			expect_joined(test, vm, n, lens[i]);
			/* The next block does not overlap. */
			first = vm->stack[10];
			vm->stack[11] = first;
			expect_joined(test, vm, n, lens[i]);
			KUNIT_EXPECT_TRUE(test, ktap_equal(&first, &vm->stack[10]));
			KUNIT_EXPECT_TRUE(test, vm->stack[10].blob >=
					  first.blob + max(first.len, 1U));
			while (ktap_arena_has_room(&vm->arena, 520))
				KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, 8));
			expect_joined(test, vm, n, lens[i]);
			KUNIT_EXPECT_TRUE(test, ktap_equal(&first, &vm->stack[11]));
		}
	}
}

/* Adds 1 if its argument is true, 10 if it is false, and 100 if "not" of it is false. */
static s64 truth_of(struct kunit *test, struct ktap_value v)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "f", 1, 3);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_JF, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_ADDI, 1, 1, 0, 1);
	test_insn(c, KTAP_OP_JT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_ADDI, 1, 1, 0, 10);
	test_insn(c, KTAP_OP_NOT, 2, 0, 0, 0);
	test_insn(c, KTAP_OP_JT, 2, 0, 0, 1);
	test_insn(c, KTAP_OP_ADDI, 1, 1, 0, 100);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	c->header.main = cpu_to_le32(test_func(c, "main", 0, 1));
	TEST_RET(c);
	return test_run(test, test_vm(test, test_load(c), KTAP_LEVEL_TASK), &v, 1).i;
}

static void nil_false_and_0_are_not_true(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 10, truth_of(test, KTAP_VALUE_NIL));
	KUNIT_EXPECT_EQ(test, 10, truth_of(test, KTAP_VALUE_BOOL(false)));
	KUNIT_EXPECT_EQ(test, 10, truth_of(test, KTAP_VALUE_INT(0)));
	KUNIT_EXPECT_EQ(test, 101, truth_of(test, KTAP_VALUE_BOOL(true)));
	KUNIT_EXPECT_EQ(test, 101, truth_of(test, KTAP_VALUE_INT(S64_MIN)));
	KUNIT_EXPECT_EQ(test, 101, truth_of(test, KTAP_VALUE_STR("", 0)));
	/* A function is true, even number 0. */
	KUNIT_EXPECT_EQ(test, 101, truth_of(test, (struct ktap_value){ .tag = KTAP_FUNC }));
}

static struct kunit_case arith_kunit_cases[] = {
	KUNIT_CASE(text_is_joined_in_two_ways),
	KUNIT_CASE(arithmetic_wraps_and_truncates),
	KUNIT_CASE(nil_counts_as_zero),
	KUNIT_CASE(arithmetic_on_other_types_is_an_error),
	KUNIT_CASE(division_by_zero_is_an_error),
	KUNIT_CASE(comparisons_depend_on_the_types),
	KUNIT_CASE(immediates_are_signed_16_bit_integers),
	KUNIT_CASE(integers_have_all_digits),
	KUNIT_CASE(joined_text_is_cut_and_counted),
	KUNIT_CASE(nil_false_and_0_are_not_true),
	{}
};

static struct kunit_suite arith_suite = {
	.name = "ktap_arith",
	.test_cases = arith_kunit_cases,
};

kunit_test_suite(arith_suite);
