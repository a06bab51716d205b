// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that need no activation: which they are, and what they compare.
 */
#include "data/agg.h"
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
enum body { NOTHING, ONE_SUM, TWO_SUMS, A_CALL, A_RESULT };

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
	if (body == A_CALL || body == A_RESULT)
		test_insn(c, KTAP_OP_CALLB, 1, 0, 0, KTAP_FN_PID);
	if (body == ONE_SUM || body == TWO_SUMS) {
		test_insn(c, KTAP_OP_INT, 1, 0, 0, -7);
		test_insn(c, KTAP_OP_ADDG, 1, 0, 0, 1);
	}
	if (body == TWO_SUMS)
		test_insn(c, KTAP_OP_ADDG, 1, 0, 0, 0);
	if (body == A_RESULT)
		test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	else
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
	KUNIT_EXPECT_EQ(test, -7, quick.number);
	quick = quick_of(test, KTAP_NONE, KTAP_OP_EQ, false, NOTHING);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_COUNT, quick.way);
	KUNIT_EXPECT_NULL(test, quick.global);
	quick = quick_of(test, KTAP_NONE, KTAP_OP_EQ, false, TWO_SUMS);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_PLAIN, quick.way);
	quick = quick_of(test, KTAP_FN_EXECNAME, KTAP_OP_EQ, false, ONE_SUM);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_PLAIN, quick.way);
	quick = quick_of(test, KTAP_NONE, KTAP_OP_EQ, false, A_CALL);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_PLAIN, quick.way);
	/* No instruction follows the last one of the program. */
	quick = quick_of(test, KTAP_NONE, KTAP_OP_EQ, false, A_RESULT);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_PLAIN, quick.way);
}

static void filters_that_compare_the_task_are_quick(struct kunit *test)
{
	struct ktap_quick quick;

	quick = quick_of(test, KTAP_FN_PID, KTAP_OP_EQ, false, A_CALL);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_TEST, quick.way);
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_PID, quick.value);
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_NO_ACT, quick.act);
	quick = quick_of(test, KTAP_FN_TID, KTAP_OP_EQ, true, ONE_SUM);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_TEST, quick.way);
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_TID, quick.value);
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_SUM, quick.act);
	KUNIT_EXPECT_NOT_NULL(test, quick.global);
	quick = quick_of(test, KTAP_FN_CPU, KTAP_OP_EQ, false, NOTHING);
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_CPU, quick.value);
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_NOTHING, quick.act);
	KUNIT_EXPECT_NULL(test, quick.global);
	/* The handler must not run before a filter of which nothing is known. */
	quick = quick_of(test, KTAP_FN_UID, KTAP_OP_EQ, false, ONE_SUM);
	KUNIT_EXPECT_EQ(test, KTAP_FIRE_PLAIN, quick.way);
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_NO_ACT, quick.act);
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

/* Globals of act_of(): a table, a histogram, an integer, and a table that changes */
enum { TABLE, HIST, NUMBER, CHANGES };

/* An instruction that uses R[3], a key, and R[4], a number */
struct use {
	u8 op;
	u32 global;
	u32 key;
	bool timed;
	bool loses;
};

/* The quick way of a handler that uses a global, after the top level has run */
static struct ktap_quick act_of(struct kunit *test, struct use use)
{
	bool set = use.op == KTAP_OP_SETG;
	struct test_chunk *c = test_chunk(test);
	struct ktap_quick quick;
	struct ktap_vm *vm;

	test_global(c, "t");
	test_global(c, "h");
	test_global(c, "n");
	test_global(c, "c");
	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_SETG, 0, 0, 0, TABLE);
	test_insn(c, KTAP_OP_SETG, 0, 0, 0, CHANGES);
	test_insn(c, KTAP_OP_CALLB, 0, 0, 0, KTAP_FN_NEW_HIST);
	test_insn(c, KTAP_OP_SETG, 0, 0, 0, HIST);
	TEST_RET(c);
	test_func(c, "unused", 0, 1);
	TEST_RET(c);
	test_func(c, "handler", 1, 5);
	if (!set)
		test_insn(c, KTAP_OP_GETG, 2, 0, 0, use.global);
	test_insn(c, KTAP_OP_CALLB, 3, 0, 0, use.key);
	if (use.timed)
		test_insn(c, KTAP_OP_CALLB, 4, 0, 0, KTAP_FN_NSECS);
	else
		test_insn(c, KTAP_OP_INT, 4, 0, 0, -9);
	if (set)
		test_insn(c, use.op, 4, 0, 0, use.global);
	else
		test_insn(c, use.op, 2, use.op == KTAP_OP_AGG ? 0 : 3, 4, 0);
	if (use.loses) {
		test_insn(c, KTAP_OP_NIL, 4, 4, 0, 0);
		test_insn(c, KTAP_OP_TSET, 2, 3, 4, 0);
	}
	TEST_RET(c);
	test_func(c, "changer", 1, 2);
	test_insn(c, KTAP_OP_NEWT, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_SETG, 1, 0, 0, CHANGES);
	TEST_RET(c);
	test_probe(c, "a:b", KTAP_NONE, HANDLER);
	test_probe(c, "a:b", KTAP_NONE, HANDLER + 1);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_PROCESS);
	test_run(test, vm, NULL, 0);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(vm->env->prog));
	ktap_quick_init(&quick, vm->env, NULL, &vm->env->prog->funcs[HANDLER]);
	if (quick.act == KTAP_QUICK_STORE)
		KUNIT_EXPECT_PTR_EQ(test, &vm->env->globals[NUMBER], quick.global);
	else if (quick.act)
		KUNIT_EXPECT_PTR_EQ(test, (void *)vm->env->globals[use.global].value.table,
				    (void *)quick.table);
	if (quick.act)
		KUNIT_EXPECT_EQ(test, use.timed ? 0 : -9, quick.number);
	KUNIT_EXPECT_EQ(test, quick.act ? KTAP_FIRE_ACT : KTAP_FIRE_PLAIN, quick.way);
	return quick;
}

static void expect_act(struct kunit *test, struct use use, enum ktap_quick_act act,
		       enum ktap_quick_value key)
{
	struct ktap_quick quick;
	unsigned int timed;

	for (timed = 0; timed < 2; timed++) {
		use.timed = timed;
		quick = act_of(test, use);
		KUNIT_EXPECT_EQ(test, act, quick.act);
		if (!act)
			continue;
		KUNIT_EXPECT_EQ(test, key, quick.key);
		KUNIT_EXPECT_EQ(test, use.timed, quick.timed);
	}
}

static void handlers_that_use_one_object_are_quick(struct kunit *test)
{
	bool steady = BITS_PER_LONG == 64;

	expect_act(test, (struct use){ KTAP_OP_AGG, HIST, KTAP_FN_PID }, KTAP_QUICK_AGG,
		   KTAP_QUICK_NO_VALUE);
	if (!steady)
		return;
	expect_act(test, (struct use){ KTAP_OP_SETG, NUMBER, KTAP_FN_PID }, KTAP_QUICK_STORE,
		   KTAP_QUICK_NO_VALUE);
	expect_act(test, (struct use){ KTAP_OP_TADD, TABLE, KTAP_FN_PID }, KTAP_QUICK_ADD,
		   KTAP_QUICK_PID);
	expect_act(test, (struct use){ KTAP_OP_TADD, TABLE, KTAP_FN_EXECNAME }, KTAP_QUICK_ADD,
		   KTAP_QUICK_NAME);
	expect_act(test, (struct use){ KTAP_OP_TSET, TABLE, KTAP_FN_TID }, KTAP_QUICK_SET,
		   KTAP_QUICK_TID);
	expect_act(test, (struct use){ KTAP_OP_TAGG, HIST, KTAP_FN_CPU }, KTAP_QUICK_AGG_KEYED,
		   KTAP_QUICK_CPU);
}

static void other_uses_are_runs(struct kunit *test)
{
	struct use lost = { KTAP_OP_TADD, TABLE, KTAP_FN_PID, .loses = true };

	/* a key that is not known, a table that changes or is not steady, a wrong object */
	expect_act(test, (struct use){ KTAP_OP_TADD, TABLE, KTAP_FN_UID }, KTAP_QUICK_NO_ACT, 0);
	expect_act(test, (struct use){ KTAP_OP_TADD, CHANGES, KTAP_FN_PID }, KTAP_QUICK_NO_ACT, 0);
	expect_act(test, lost, KTAP_QUICK_NO_ACT, 0);
	expect_act(test, (struct use){ KTAP_OP_TADD, HIST, KTAP_FN_PID }, KTAP_QUICK_NO_ACT, 0);
	expect_act(test, (struct use){ KTAP_OP_TAGG, TABLE, KTAP_FN_PID }, KTAP_QUICK_NO_ACT, 0);
	expect_act(test, (struct use){ KTAP_OP_AGG, TABLE, KTAP_FN_PID }, KTAP_QUICK_NO_ACT, 0);
	/* a store of another type elsewhere */
	expect_act(test, (struct use){ KTAP_OP_SETG, CHANGES, KTAP_FN_PID }, KTAP_QUICK_NO_ACT, 0);
}

/* Without an activation, a number is added only where nothing must be made or emptied. */
static void aggregations_are_tried(struct kunit *test)
{
	struct ktap_value v, key = KTAP_VALUE_INT(7);
	struct test_chunk *c = test_chunk(test);
	bool steady = BITS_PER_LONG == 64;
	struct ktap_total total;
	struct ktap_agg *agg;
	struct ktap_vm *vm;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_PROCESS);
	vm->env->steady = steady;
	vm->budget = U32_MAX;
	KUNIT_ASSERT_EQ(test, 0, ktap_agg_new(vm, &ktap_agg_hist, &v));
	agg = v.agg;
	KUNIT_EXPECT_FALSE(test, ktap_agg_try_keyed(agg, &key, 5));
	KUNIT_EXPECT_EQ(test, 0, ktap_agg_add_keyed(vm, agg, &key, 5));
	KUNIT_EXPECT_FALSE(test, ktap_agg_try_keyed(agg, &key, 5));
	KUNIT_EXPECT_EQ(test, 0, ktap_agg_add_keyed(vm, agg, &key, 5));
	KUNIT_EXPECT_EQ(test, steady, ktap_agg_try_keyed(agg, &key, 5));
	KUNIT_EXPECT_FALSE(test, ktap_agg_try_keyed(agg, &key, S64_MIN));
	/* The other CPU may have an empty shard. */
	preempt_disable();
	KUNIT_EXPECT_EQ(test, 0, ktap_agg_add(vm, agg, 3));
	KUNIT_EXPECT_TRUE(test, ktap_agg_try(agg, -4));
	preempt_enable();
	ktap_agg_read(vm->env, agg, &total);
	KUNIT_EXPECT_EQ(test, 2, total.count);
	KUNIT_EXPECT_EQ(test, -4, total.min);
}

static struct kunit_case quick_cases[] = {
	KUNIT_CASE(handlers_that_only_count_are_quick),
	KUNIT_CASE(filters_that_compare_the_task_are_quick),
	KUNIT_CASE(relations_are_those_of_the_filter),
	KUNIT_CASE(handlers_that_use_one_object_are_quick),
	KUNIT_CASE(other_uses_are_runs),
	KUNIT_CASE(aggregations_are_tried),
	KUNIT_CASE(passes_lead_to_a_measured_run),
	{}
};

static struct kunit_suite quick_suite = {
	.name = "ktap_quick",
	.test_cases = quick_cases,
};

kunit_test_suite(quick_suite);
