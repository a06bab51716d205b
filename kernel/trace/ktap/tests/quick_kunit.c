// SPDX-License-Identifier: GPL-2.0
/*
 * Probes that need no activation: which they are, and what they compare.
 */
#include "data/agg.h"
#include "load/rewrite.h"
#include "tests/agg_fixture.h"
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
			&prog->funcs[HANDLER], true);
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
	KUNIT_EXPECT_EQ(test, -7, quick.constant);
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
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_COUNT, quick.act);
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

/* Kinds of numbers */
enum number { CONSTANT, TIME, FIELD, NUMBERS };

/*
 * An instruction that uses R[3], a key, and R[4], a number.  @field: the key is a field of the
 * event; @pair: the execname is its second part; @triple: and the CPU is its third one.  With
 * @fields, those can be operands.  @unused: what else the handler reads or makes.
 */
struct use {
	u8 op;
	u32 global;
	u32 key;
	enum number number;
	bool field;
	bool pair;
	bool triple;
	bool fields;
	bool loses;
	enum unused { NONE, UNUSED_FIELD, UNUSED_PAIR, UNUSED_VALUE, MANY_VALUES } unused;
};

static bool use_needs_object(struct use use)
{
	return use.op != KTAP_OP_SETG && use.op != KTAP_OP_ADDG && use.op != KTAP_OP_SETSELF;
}

static void put_operands(struct test_chunk *c, struct use use)
{
	unsigned int i;

	for (i = 0; i < 40 && use.unused >= UNUSED_VALUE; i++) {
		test_insn(c, KTAP_OP_CALLB, 1, 0, 0, KTAP_FN_PID);
		if (use.unused == UNUSED_VALUE)
			break;
	}
	if (use.unused == UNUSED_FIELD)
		test_insn(c, KTAP_OP_FIELD, 1, 0, 0, test_field(c, "g"));
	if (use.unused == UNUSED_PAIR) {
		test_insn(c, KTAP_OP_CALLB, 1, 0, 0, KTAP_FN_PID);
		test_insn(c, KTAP_OP_CALLB, 2, 0, 0, KTAP_FN_PID);
		test_insn(c, KTAP_OP_TUPLE, 1, 1, 2, 0);
	}
	if (use_needs_object(use))
		test_insn(c, KTAP_OP_GETG, 2, 0, 0, use.global);
	if (use.field)
		test_insn(c, KTAP_OP_FIELD, 3, 0, 0, test_field(c, "f"));
	else
		test_insn(c, KTAP_OP_CALLB, 3, 0, 0, use.key);
	if (use.pair) {
		test_insn(c, KTAP_OP_CALLB, 4, 0, 0, KTAP_FN_EXECNAME);
		test_insn(c, KTAP_OP_CALLB, 5, 0, 0, KTAP_FN_CPU);
		test_insn(c, KTAP_OP_TUPLE, 3, 3, use.triple ? 3 : 2, 0);
	}
	if (use.number == TIME)
		test_insn(c, KTAP_OP_CALLB, 4, 0, 0, KTAP_FN_NSECS);
	else if (use.number == FIELD)
		test_insn(c, KTAP_OP_FIELD, 4, 0, 0, test_field(c, "f"));
	else
		test_insn(c, KTAP_OP_INT, 4, 0, 0, -9);
}

static void put_use(struct test_chunk *c, struct use use)
{
	if (use.op == KTAP_OP_SETSELF)
		test_insn(c, use.op, 4, 0, 0, test_string(c, "t"));
	else if (!use_needs_object(use))
		test_insn(c, use.op, 4, 0, 0, use.global);
	else
		test_insn(c, use.op, 2, use.op == KTAP_OP_AGG ? 0 : 3, 4, 0);
	if (use.loses) {
		test_insn(c, KTAP_OP_NIL, 4, 4, 0, 0);
		test_insn(c, KTAP_OP_TSET, 2, 3, 4, 0);
	}
}

static void expect_operands(struct kunit *test, struct use use, const struct ktap_env *env,
			    const struct ktap_quick *quick)
{
	static const enum ktap_quick_value values[] = {
		[CONSTANT] = KTAP_QUICK_CONSTANT,
		[TIME] = KTAP_QUICK_TIME,
		[FIELD] = KTAP_QUICK_FIELD,
	};

	if (quick->act == KTAP_QUICK_STORE || quick->act == KTAP_QUICK_SUM)
		KUNIT_EXPECT_PTR_EQ(test, &env->globals[NUMBER], quick->global);
	else if (use_needs_object(use))
		KUNIT_EXPECT_PTR_EQ(test, (void *)env->globals[use.global].value.table,
				    (void *)quick->table);
	KUNIT_EXPECT_EQ(test, values[use.number], quick->number.value);
	KUNIT_EXPECT_EQ(test, use.number == CONSTANT ? -9 : 0, quick->constant);
	KUNIT_EXPECT_EQ(test, use.pair ? KTAP_QUICK_NAME : KTAP_QUICK_NO_VALUE,
			quick->parts[1].value);
	KUNIT_EXPECT_EQ(test, use.pair, quick->key.value == KTAP_QUICK_PAIR);
}

/* The quick way of a handler that uses a global, after the top level has run */
static struct ktap_quick act_of(struct kunit *test, struct use use)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_quick quick, fenced;
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
	test_func(c, "handler", 1, 6);
	put_operands(c, use);
	put_use(c, use);
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
	vm->env->fenced = true;
	ktap_quick_init(&fenced, vm->env, NULL, &vm->env->prog->funcs[HANDLER], use.fields);
	vm->env->fenced = false;
	ktap_quick_init(&quick, vm->env, NULL, &vm->env->prog->funcs[HANDLER], use.fields);
	KUNIT_EXPECT_EQ(test, quick.key.value ? KTAP_QUICK_NO_ACT : quick.act, fenced.act);
	if (quick.act > KTAP_QUICK_COUNT) {
		expect_operands(test, use, vm->env, &quick);
		KUNIT_EXPECT_EQ(test, KTAP_FIRE_ACT, quick.way);
	} else {
		KUNIT_EXPECT_EQ(test, quick.act ? KTAP_FIRE_COUNT : KTAP_FIRE_PLAIN, quick.way);
	}
	return quick;
}

/* Each kind of number */
static void expect_act(struct kunit *test, struct use use, enum ktap_quick_act act,
		       enum ktap_quick_value key)
{
	struct ktap_quick quick;

	for (use.number = 0; use.number < NUMBERS; use.number++) {
		use.fields = true;
		quick = act_of(test, use);
		KUNIT_EXPECT_EQ(test, act, quick.act);
		if (act)
			KUNIT_EXPECT_EQ(test, key, use.pair ? quick.parts[0].value :
								  quick.key.value);
		use.fields = false;
		quick = act_of(test, use);
		if (use.number == FIELD || use.field)
			KUNIT_EXPECT_EQ(test, KTAP_QUICK_NO_ACT, quick.act);
		else
			KUNIT_EXPECT_EQ(test, act, quick.act);
	}
}

/* A number that is known to be one: a field may be something else. */
static void expect_store(struct kunit *test, struct use use, enum ktap_quick_act act)
{
	use.fields = true;
	use.number = CONSTANT;
	KUNIT_EXPECT_EQ(test, act, act_of(test, use).act);
	use.number = TIME;
	KUNIT_EXPECT_EQ(test, act, act_of(test, use).act);
	use.number = FIELD;
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_NO_ACT, act_of(test, use).act);
}

static void handlers_that_use_one_object_are_quick(struct kunit *test)
{
	bool steady = BITS_PER_LONG == 64;

	expect_act(test, (struct use){ KTAP_OP_AGG, HIST, KTAP_FN_PID }, KTAP_QUICK_AGG,
		   KTAP_QUICK_NO_VALUE);
	if (!steady)
		return;
	expect_act(test, (struct use){ KTAP_OP_TADD, TABLE, KTAP_FN_PID }, KTAP_QUICK_ADD,
		   KTAP_QUICK_PID);
	expect_act(test, (struct use){ KTAP_OP_TADD, TABLE, KTAP_FN_EXECNAME }, KTAP_QUICK_ADD,
		   KTAP_QUICK_NAME);
	expect_act(test, (struct use){ KTAP_OP_TADD, TABLE, .field = true }, KTAP_QUICK_ADD,
		   KTAP_QUICK_FIELD);
	expect_act(test, (struct use){ KTAP_OP_TAGG, HIST, KTAP_FN_CPU }, KTAP_QUICK_AGG_KEYED,
		   KTAP_QUICK_CPU);
	expect_act(test, (struct use){ KTAP_OP_TAGG, HIST, KTAP_FN_CPU, .pair = true },
		   KTAP_QUICK_AGG_KEYED, KTAP_QUICK_CPU);
	expect_act(test, (struct use){ KTAP_OP_TADD, TABLE, .field = true, .pair = true },
		   KTAP_QUICK_ADD, KTAP_QUICK_FIELD);
}

static void handlers_that_set_a_number_are_quick(struct kunit *test)
{
	struct use sum = { KTAP_OP_ADDG, NUMBER, KTAP_FN_PID, TIME, .fields = true };

	KUNIT_EXPECT_EQ(test, KTAP_QUICK_SUM, act_of(test, sum).act);
	sum.number = FIELD;
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_SUM, act_of(test, sum).act);
	if (BITS_PER_LONG < 64)
		return;
	expect_store(test, (struct use){ KTAP_OP_SETG, NUMBER, KTAP_FN_PID }, KTAP_QUICK_STORE);
	expect_store(test, (struct use){ KTAP_OP_SETSELF, NUMBER, KTAP_FN_PID }, KTAP_QUICK_SELF);
	expect_store(test, (struct use){ KTAP_OP_TSET, TABLE, KTAP_FN_TID }, KTAP_QUICK_SET);
}

/* Reading a field may fail, which is counted, whether or not it is used. */
static void unused_operands_with_effects_make_runs(struct kunit *test)
{
	struct use use = { KTAP_OP_AGG, HIST, KTAP_FN_PID, .fields = true };

	use.unused = UNUSED_FIELD;
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_NO_ACT, act_of(test, use).act);
	use.number = FIELD;
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_NO_ACT, act_of(test, use).act);
	use.unused = UNUSED_PAIR;
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_NO_ACT, act_of(test, use).act);
	use.unused = UNUSED_VALUE;
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_AGG, act_of(test, use).act);
	use.unused = MANY_VALUES;
	KUNIT_EXPECT_EQ(test, KTAP_QUICK_NO_ACT, act_of(test, use).act);
}

static void other_uses_are_runs(struct kunit *test)
{
	struct use triple = { KTAP_OP_TADD, TABLE, KTAP_FN_PID, .pair = true, .triple = true };
	struct use lost = { KTAP_OP_TADD, TABLE, KTAP_FN_PID, .loses = true };

	/* a key that is not known or has three parts, a table that changes, a wrong object */
	expect_act(test, (struct use){ KTAP_OP_TADD, TABLE, KTAP_FN_UID }, KTAP_QUICK_NO_ACT, 0);
	expect_act(test, (struct use){ KTAP_OP_TADD, TABLE, KTAP_FN_UID, .pair = true },
		   KTAP_QUICK_NO_ACT, 0);
	expect_act(test, triple, KTAP_QUICK_NO_ACT, 0);
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

/* Both ways of adding a number choose the same bucket. */
static void tries_choose_the_bucket_of_runs(struct kunit *test)
{
	static const s64 numbers[] = { S64_MIN, -50, -1, 0, 1, 7, 8, 299, 300, 301, S64_MAX };
	struct ktap_agg_shape shapes[] = {
		ktap_agg_stats, ktap_agg_hist, test_hist(test, 2), test_lhist(test, -50, 300, 7),
	};
	struct ktap_vm *vm = test_vm_at_work(test, KTAP_LEVEL_PROCESS);
	struct ktap_total total;
	struct ktap_agg *agg;
	unsigned int i, j;
	u64 *buckets;

	for (i = 0; i < ARRAY_SIZE(shapes); i++) {
		agg = test_agg(test, vm, &shapes[i]);
		KUNIT_EXPECT_TRUE(test, ktap_agg_may_try(agg, false));
		preempt_disable();
		for (j = 0; j < ARRAY_SIZE(numbers); j++) {
			KUNIT_EXPECT_EQ(test, 0, ktap_agg_add(vm, agg, numbers[j]));
			KUNIT_EXPECT_TRUE(test, ktap_agg_try(agg, numbers[j]));
		}
		preempt_enable();
		buckets = kunit_kzalloc(test, (shapes[i].nbuckets + 1) * sizeof(*buckets),
					GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, buckets);
		if (shapes[i].nbuckets)
			KUNIT_EXPECT_EQ(test, 0, ktap_agg_read_buckets(vm, agg, buckets));
		for (j = 0; j < shapes[i].nbuckets; j++)
			KUNIT_EXPECT_EQ_MSG(test, buckets[j] % 2, 0, "shape %u, bucket %u", i, j);
		ktap_agg_read(vm->env, agg, &total);
		KUNIT_EXPECT_EQ(test, 2 * ARRAY_SIZE(numbers), total.count);
	}
}

static struct kunit_case quick_cases[] = {
	KUNIT_CASE(handlers_that_only_count_are_quick),
	KUNIT_CASE(filters_that_compare_the_task_are_quick),
	KUNIT_CASE(relations_are_those_of_the_filter),
	KUNIT_CASE(handlers_that_use_one_object_are_quick),
	KUNIT_CASE(handlers_that_set_a_number_are_quick),
	KUNIT_CASE(unused_operands_with_effects_make_runs),
	KUNIT_CASE(other_uses_are_runs),
	KUNIT_CASE(aggregations_are_tried),
	KUNIT_CASE(tries_choose_the_bucket_of_runs),
	KUNIT_CASE(passes_lead_to_a_measured_run),
	{}
};

static struct kunit_suite quick_suite = {
	.name = "ktap_quick",
	.test_cases = quick_cases,
};

kunit_test_suite(quick_suite);
