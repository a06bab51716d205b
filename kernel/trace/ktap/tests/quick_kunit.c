// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that need no activation: which they are, and what they compare.
 */
#include "load/rewrite.h"
#include "tests/build.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/opcode.h"
#include "vm/overhead.h"
#include "vm/quick.h"
#include "vm/vm.h"

enum { MAIN, FILTER, HANDLER };

/* Contents of a handler, besides its return */
enum body { NOTHING, ONE_SUM, TWO_SUMS, A_CALL };

/* The quick way of a probe whose filter compares the value of @fn with 5, if @fn is known. */
static struct ktap_quick quick_of(struct kunit *test, u32 fn, u8 op, bool first, enum body body)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_program *prog;
	struct ktap_quick quick;
	struct ktap_vm *vm;

	test_global(c, "n");
	test_global(c, "m");
	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_func(c, "filter", 0, 3);
	test_insn(c, KTAP_OP_CALLB, 1, 0, 0, fn == KTAP_NONE ? KTAP_FN_PID : fn);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 5);
	test_insn(c, op, 0, first ? 2 : 1, first ? 1 : 2, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "handler", 1, 2);
	if (body == A_CALL)
		test_insn(c, KTAP_OP_CALLB, 1, 0, 0, KTAP_FN_PID);
	if (body == ONE_SUM || body == TWO_SUMS) {
		test_insn(c, KTAP_OP_INT, 1, 0, 0, -7);
		test_insn(c, KTAP_OP_ADDG, 1, 0, 0, 1);
	}
	if (body == TWO_SUMS)
		test_insn(c, KTAP_OP_ADDG, 1, 0, 0, 0);
	TEST_RET(c);
	test_probe(c, "a:b", fn == KTAP_NONE ? KTAP_NONE : FILTER, HANDLER);
	prog = test_load(c);
	KUNIT_ASSERT_NOT_NULL(test, prog);
	vm = test_vm(test, prog, KTAP_LEVEL_TASK);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	ktap_quick_init(&quick, vm->env, fn == KTAP_NONE ? NULL : &prog->funcs[FILTER],
			&prog->funcs[HANDLER]);
	if (quick.global)
		KUNIT_EXPECT_PTR_EQ(test, &vm->env->globals[1], quick.global);
	return quick;
}

static void handlers_that_only_count_are_quick(struct kunit *test)
{
	struct ktap_quick quick;

	quick = quick_of(test, KTAP_NONE, KTAP_OP_EQ, false, ONE_SUM);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_COUNT, quick.way);
	KUNIT_EXPECT_NOT_NULL(test, quick.global);
	KUNIT_EXPECT_EQ(test, -7, quick.addend);
	quick = quick_of(test, KTAP_NONE, KTAP_OP_EQ, false, NOTHING);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_COUNT, quick.way);
	KUNIT_EXPECT_NULL(test, quick.global);
	quick = quick_of(test, KTAP_NONE, KTAP_OP_EQ, false, TWO_SUMS);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_PLAIN, quick.way);
	quick = quick_of(test, KTAP_NONE, KTAP_OP_EQ, false, A_CALL);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_PLAIN, quick.way);
}

static void filters_that_compare_the_task_are_quick(struct kunit *test)
{
	struct ktap_quick quick;

	quick = quick_of(test, KTAP_FN_PID, KTAP_OP_EQ, false, A_CALL);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_TEST, quick.way);
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_PID, quick.value);
	KUNIT_EXPECT_FALSE(test, quick.counts);
	quick = quick_of(test, KTAP_FN_TID, KTAP_OP_EQ, true, ONE_SUM);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_TEST, quick.way);
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_TID, quick.value);
	KUNIT_EXPECT_TRUE(test, quick.counts);
	KUNIT_EXPECT_NOT_NULL(test, quick.global);
	quick = quick_of(test, KTAP_FN_CPU, KTAP_OP_EQ, false, NOTHING);
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_CPU, quick.value);
	KUNIT_EXPECT_TRUE(test, quick.counts);
	KUNIT_EXPECT_NULL(test, quick.global);
	/* The handler must not run before a filter of which nothing is known. */
	quick = quick_of(test, KTAP_FN_UID, KTAP_OP_EQ, false, ONE_SUM);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_PLAIN, quick.way);
	KUNIT_EXPECT_FALSE(test, quick.counts);
}

static void expect_relation(struct kunit *test, u8 op, bool first, bool below, bool equal,
			    bool above)
{
	struct ktap_quick quick = quick_of(test, KTAP_FN_PID, op, first, A_CALL);

	KUNIT_EXPECT_EQ(test, KTAP_FIRE_TEST, quick.way);
	KUNIT_EXPECT_EQ(test, below, ktap_quick_passes(&quick, 4));
	KUNIT_EXPECT_EQ(test, equal, ktap_quick_passes(&quick, 5));
	KUNIT_EXPECT_EQ(test, above, ktap_quick_passes(&quick, 6));
	KUNIT_EXPECT_EQ(test, below, ktap_quick_passes(&quick, -1));
	KUNIT_EXPECT_EQ(test, below, ktap_quick_passes(&quick, S64_MIN));
	KUNIT_EXPECT_EQ(test, above, ktap_quick_passes(&quick, S64_MAX));
}

static void relations_are_those_of_the_filter(struct kunit *test)
{
	expect_relation(test, KTAP_OP_EQ, false, false, true, false);
	expect_relation(test, KTAP_OP_LT, false, true, false, false);
	expect_relation(test, KTAP_OP_LE, false, true, true, false);
	expect_relation(test, KTAP_OP_LT, true, false, false, true);
	expect_relation(test, KTAP_OP_LE, true, false, true, true);
}

/* Runs that are not measured count until one is due. */
static void passes_lead_to_a_measured_run(struct kunit *test)
{
	struct ktap_overhead m;
	int i;

	ktap_overhead_init(&m, 0);
	m.countdown = 5;
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_TRUE(test, ktap_overhead_passes(&m));
	KUNIT_EXPECT_FALSE(test, ktap_overhead_passes(&m));
	KUNIT_EXPECT_FALSE(test, ktap_overhead_passes(&m));
	KUNIT_EXPECT_TRUE(test, ktap_overhead_is_due(&m));
}

static struct kunit_case quick_cases[] = {
	KUNIT_CASE(handlers_that_only_count_are_quick),
	KUNIT_CASE(filters_that_compare_the_task_are_quick),
	KUNIT_CASE(relations_are_those_of_the_filter),
	KUNIT_CASE(passes_lead_to_a_measured_run),
	{}
};

static struct kunit_suite quick_suite = {
	.name = "ktap_quick",
	.test_cases = quick_cases,
};

kunit_test_suite(quick_suite);
