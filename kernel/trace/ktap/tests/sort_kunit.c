// SPDX-License-Identifier: GPL-2.0
/*
 * Sorting, and functions of the script that a built-in calls.
 */
#include <linux/bits.h>
#include <linux/string.h>

#include "tests/build.h"
#include "vm/vm.h"

#define PROCESS		KTAP_LEVEL_PROCESS
#define ENTRIES		6
#define NREGS		8	/* of main() */

/*
 * main(): a table with the keys 1 to 6 and these values, sorted; returns the
 * keys in that order, as digits.  The comparison is function 1, if there is one.
 */
static struct test_chunk *sorts(struct kunit *test, const s64 *values, bool compare)
{
	struct test_chunk *c = test_chunk(test);
	int i;

	test_func(c, "main", 0, NREGS);
	test_insn(c, KTAP_OP_NEWT, 1, 0, 0, 0);
	for (i = 0; i < ENTRIES; i++) {
		test_insn(c, KTAP_OP_INTK, 2, 0, 0, test_int(c, values[i]));
		test_insn(c, KTAP_OP_TSETI, 1, 0, 2, i + 1);
	}
	if (compare)
		test_insn(c, KTAP_OP_FUNC, 2, 0, 0, 1);
	test_insn(c, KTAP_OP_CALLB, 1, 1 + compare, 0, KTAP_FN_SORT);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_ITER, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_NEXT, 1, 0, 0, 3);
	test_insn(c, KTAP_OP_MULI, 0, 0, 0, 10);
	test_insn(c, KTAP_OP_ADD, 0, 0, 4, 0);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -4);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	return c;
}

static void expect_order(struct test_chunk *c, s64 want)
{
	struct ktap_vm *vm = test_vm(c->test, test_load(c), PROCESS);
	struct ktap_value v;
	int err;

	err = ktap_vm_run(vm, 0, NULL, 0, &v);
	KUNIT_EXPECT_EQ_MSG(c->test, err, 0, "%s", vm->message);
	KUNIT_EXPECT_EQ(c->test, v.i, want);
	KUNIT_EXPECT_EQ(c->test, vm->nested, 0);
	KUNIT_EXPECT_EQ(c->test, vm->top, NREGS);
}

static const s64 some_values[ENTRIES] = { 30, 10, 20, 10, 30, 40 };

static void a_table_is_sorted_by_value_then_by_key(struct kunit *test)
{
	expect_order(sorts(test, some_values, false), 615324);
}

/* The result of the comparison: its register, and the instructions that compute it. */
static struct test_chunk *sorts_by(struct kunit *test, struct ktap_code insn)
{
	struct test_chunk *c = sorts(test, some_values, true);

	test_func(c, "compare", 2, 4);
	c->insns[test_insn(c, 0, 0, 0, 0, 0)] = insn;
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	return c;
}

static void a_script_function_may_compare(struct kunit *test)
{
	struct test_chunk *c;

	/* v1 - v2: ascending, as in C; equal ones keep their order */
	c = sorts_by(test, (struct ktap_code){ .op = KTAP_OP_SUB, .a = 2, .b = 0, .c = 1 });
	expect_order(c, 243156);
	c = sorts_by(test, (struct ktap_code){ .op = KTAP_OP_SUB, .a = 2, .b = 1, .c = 0 });
	expect_order(c, 615324);
	/* v1 < v2 */
	c = sorts_by(test, (struct ktap_code){ .op = KTAP_OP_LT, .a = 2, .b = 0, .c = 1 });
	expect_order(c, 243156);
	c = sorts_by(test, (struct ktap_code){ .op = KTAP_OP_LT, .a = 2, .b = 1, .c = 0 });
	expect_order(c, 615324);
	/* No result, or a wrong type: no order. */
	c = sorts_by(test, (struct ktap_code){ .op = KTAP_OP_NIL, .a = 2, .b = 2 });
	expect_order(c, 123456);
	c = sorts_by(test, (struct ktap_code){ .op = KTAP_OP_STR, .a = 2 });
	expect_order(c, 123456);
}

static void each_comes_once(struct kunit *test, struct test_chunk *c)
{
	struct ktap_vm *vm = test_vm(test, test_load(c), PROCESS);
	u32 seen = 0, digits;
	struct ktap_value v;

	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
	for (digits = v.i; digits; digits /= 10)
		seen |= BIT(digits % 10);
	KUNIT_EXPECT_EQ(test, seen, 0x7e);
}

/* After the sort main() is unchanged: a call returns to it. */
static void the_caller_is_unchanged_after_sort(struct kunit *test)
{
	struct test_chunk *c = sorts(test, some_values, true);
	u32 ret = c->ninsns - 1;

	c->insns[ret] = (struct ktap_code){ .op = KTAP_OP_CALL, .a = 6, .c = 1, .d = 2 };
	test_insn(c, KTAP_OP_SUB, 0, 0, 6, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "compare", 2, 4);
	test_insn(c, KTAP_OP_SUB, 2, 0, 1, 0);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	test_func(c, "f", 0, 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 100000);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	expect_order(c, 143156);
}

/* No entry is lost or duplicated, whatever the function returns. */
static void an_inconsistent_comparison_keeps_all_entries(struct kunit *test)
{
	static const struct ktap_code answers[] = {
		{ .op = KTAP_OP_BOOL, .a = 2, .b = 1 },
		{ .op = KTAP_OP_INT, .a = 2, .d = -1 },
		{ .op = KTAP_OP_INT, .a = 2, .d = 1 },
		{ .op = KTAP_OP_MUL, .a = 2, .b = 0, .c = 1 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(answers); i++)
		each_comes_once(test, sorts_by(test, answers[i]));
}

static void a_comparison_may_fail(struct kunit *test)
{
	struct test_chunk *c;
	struct ktap_vm *vm;
	u32 sort = 1 + 2 * ENTRIES + 1, ret;
	char buf[400];

	c = sorts_by(test, (struct ktap_code){ .op = KTAP_OP_TGETI, .a = 2 });
	test_lines(c);
	vm = test_vm(test, test_load(c), PROCESS);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, NULL, 0, NULL));
	ktap_vm_backtrace(vm, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, buf,
			   "test.kp:23: error: an integer is indexed, only a table can be\n"
			   "  in compare (test.kp:23)\n"
			   "  in main (test.kp:15)\n");
	KUNIT_EXPECT_EQ(test, vm->nested, 0);

	/* The caller of sort may catch the error, */
	c = sorts(test, some_values, true);
	KUNIT_ASSERT_EQ(test, c->insns[sort].d, KTAP_FN_SORT);
	ret = test_insn(c, KTAP_OP_INT, 0, 0, 0, 17);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_try(c, sort, sort + 1, ret, 7);
	test_func(c, "compare", 2, 4);
	test_insn(c, KTAP_OP_TGETI, 2, 0, 0, 0);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	expect_order(c, 17);
	/* and so may the comparison itself. */
	test_insn(c, KTAP_OP_SUB, 2, 0, 1, 0);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	test_try(c, ret + 2, ret + 3, ret + 4, 3);
	expect_order(c, 243156);
}

/* compare() sorts in turn, and so on: each level recurses in C. */
static void nesting_of_built_ins_and_functions_is_limited(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_TSETI, 0, 0, 1, 1);
	test_insn(c, KTAP_OP_TSETI, 0, 0, 1, 2);
	test_insn(c, KTAP_OP_FUNC, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_CALLB, 0, 2, 0, KTAP_FN_SORT);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), PROCESS);
	KUNIT_EXPECT_EQ(test, -ENOSPC, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_STREQ(test, vm->message,
			   "functions that built-ins call nest too deep: 4 is the most");
	KUNIT_EXPECT_EQ(test, vm->fault.ncalls, 4);
}

/* Strings in registers move while a built-in calls the script. */
static void a_called_function_may_use_up_the_arena(struct kunit *test)
{
	struct test_chunk *c = sorts(test, some_values, true);
	char text[1000];
	u32 big;
	int i;

	memset(text, 'x', sizeof(text));
	big = test_string_of(c, text, sizeof(text));
	/* R[0] = "1" .. text, which must still exist after the sort. */
	test_func(c, "compare", 2, 8);
	test_insn(c, KTAP_OP_STR, 3, 0, 0, big);
	test_insn(c, KTAP_OP_STR, 4, 0, 0, big);
	for (i = 0; i < 100; i++)
		test_insn(c, KTAP_OP_CONCAT, 5, 3, 2, 0);
	test_insn(c, KTAP_OP_SUB, 2, 0, 1, 0);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	expect_order(c, 243156);
}

static void a_comparison_ends_with_the_session(struct kunit *test)
{
	struct test_chunk *c = sorts_by(test, (struct ktap_code){ .op = KTAP_OP_JMP, .d = -1 });
	bool abort = true;
	struct ktap_vm *vm;

	vm = test_vm(test, test_load(c), PROCESS);
	vm->abort = &abort;
	KUNIT_EXPECT_EQ(test, -EINTR, ktap_vm_run(vm, 0, NULL, 0, NULL));
}

static struct kunit_case sort_cases[] = {
	KUNIT_CASE(a_table_is_sorted_by_value_then_by_key),
	KUNIT_CASE(a_script_function_may_compare),
	KUNIT_CASE(the_caller_is_unchanged_after_sort),
	KUNIT_CASE(an_inconsistent_comparison_keeps_all_entries),
	KUNIT_CASE(a_comparison_may_fail),
	KUNIT_CASE(nesting_of_built_ins_and_functions_is_limited),
	KUNIT_CASE(a_called_function_may_use_up_the_arena),
	KUNIT_CASE(a_comparison_ends_with_the_session),
	{}
};

static struct kunit_suite sort_suite = {
	.name = "ktap_sort",
	.test_cases = sort_cases,
};

kunit_test_suite(sort_suite);
