// SPDX-License-Identifier: GPL-2.0
/*
 * Globals that are kept per CPU, and conditions of probes.
 */
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/opcode.h"
#include "vm/vm.h"

enum { MAIN, ADD, SET = ADD };

/* A program with a global, to which the function ADD adds its argument. */
static struct test_chunk *chunk_with_sum(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_global(c, "g");
	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_GETG, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "add", 1, 2);
	test_insn(c, KTAP_OP_ADDG, 0, 0, 0, 0);
	return c;
}

struct global_fixture {
	struct kunit *test;
	struct ktap_vm *vm;
	struct ktap_vm *handler;
};

static struct global_fixture with_sum(struct kunit *test)
{
	struct global_fixture f = { .test = test };
	struct test_chunk *c = chunk_with_sum(test);

	TEST_RET(c);
	f.vm = test_vm(test, test_load(c), KTAP_LEVEL_PROCESS);
	f.handler = test_vm_of(test, f.vm->env, KTAP_LEVEL_TASK);
	if (!IS_ENABLED(CONFIG_GENERIC_ATOMIC64))
		KUNIT_EXPECT_TRUE(test, f.vm->env->globals[0].sums);
	return f;
}

static int add(struct ktap_vm *vm, struct ktap_value v)
{
	bool handler = vm->level != KTAP_LEVEL_PROCESS;
	int err;

	if (handler)
		preempt_disable();
	err = ktap_vm_run(vm, ADD, &v, 1, NULL);
	if (handler)
		preempt_enable();
	return err;
}

static void set(struct global_fixture *f, struct ktap_value v)
{
	f->vm->budget = U64_MAX;
	KUNIT_EXPECT_EQ(f->test, 0, ktap_global_set(f->vm, 0, &v));
}

static void expect_value(struct global_fixture *f, struct ktap_value v)
{
	struct ktap_value result;

	KUNIT_EXPECT_EQ(f->test, 0, ktap_vm_run(f->vm, MAIN, NULL, 0, &result));
	KUNIT_EXPECT_TRUE(f->test, ktap_equal(&result, &v));
}

static void handlers_add_to_a_sum(struct kunit *test)
{
	struct global_fixture f = with_sum(test);

	expect_value(&f, KTAP_VALUE_NIL);
	KUNIT_EXPECT_EQ(test, 0, add(f.handler, KTAP_VALUE_INT(5)));
	expect_value(&f, KTAP_VALUE_INT(5));
	KUNIT_EXPECT_EQ(test, 0, add(f.handler, KTAP_VALUE_INT(-7)));
	KUNIT_EXPECT_EQ(test, 0, add(f.vm, KTAP_VALUE_INT(100)));
	KUNIT_EXPECT_EQ(test, 0, add(f.handler, KTAP_VALUE_NIL));
	expect_value(&f, KTAP_VALUE_INT(98));
	KUNIT_EXPECT_EQ(test, -EINVAL, add(f.handler, KTAP_VALUE_STR("a", 1)));
	expect_value(&f, KTAP_VALUE_INT(98));
}

static void a_written_value_replaces_the_sum(struct kunit *test)
{
	struct global_fixture f = with_sum(test);

	KUNIT_EXPECT_EQ(test, 0, add(f.handler, KTAP_VALUE_INT(5)));
	set(&f, KTAP_VALUE_INT(1000));
	expect_value(&f, KTAP_VALUE_INT(1000));
	KUNIT_EXPECT_EQ(test, 0, add(f.handler, KTAP_VALUE_INT(1)));
	expect_value(&f, KTAP_VALUE_INT(1001));
	set(&f, KTAP_VALUE_NIL);
	expect_value(&f, KTAP_VALUE_NIL);
	KUNIT_EXPECT_EQ(test, 0, add(f.handler, KTAP_VALUE_INT(0)));
	expect_value(&f, KTAP_VALUE_INT(0));
}

static void nothing_is_added_to_what_is_no_number(struct kunit *test)
{
	struct global_fixture f = with_sum(test);

	KUNIT_EXPECT_EQ(test, 0, add(f.handler, KTAP_VALUE_INT(5)));
	set(&f, KTAP_VALUE_STR("text", 4));
	KUNIT_EXPECT_EQ(test, -EINVAL, add(f.handler, KTAP_VALUE_INT(1)));
	expect_value(&f, KTAP_VALUE_STR("text", 4));
	set(&f, KTAP_VALUE_INT(7));
	KUNIT_EXPECT_EQ(test, 0, add(f.handler, KTAP_VALUE_INT(1)));
	expect_value(&f, KTAP_VALUE_INT(8));
}

/* Adding up the sums at each event would cost more than they save. */
static void a_global_that_a_handler_reads_has_no_sum(struct kunit *test)
{
	struct test_chunk *c = chunk_with_sum(test);
	struct ktap_vm *vm;

	test_insn(c, KTAP_OP_GETG, 1, 0, 0, 0);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	KUNIT_EXPECT_FALSE(test, vm->env->globals[0].sums);
	KUNIT_EXPECT_EQ(test, 0, add(vm, KTAP_VALUE_INT(1)));
	KUNIT_EXPECT_EQ(test, vm->env->globals[0].value.i, 1);
}

/* Is a global per CPU that a handler of this event reads? */
static bool has_sum_despite(struct kunit *test, const char *event)
{
	struct test_chunk *c = chunk_with_sum(test);
	struct ktap_program *prog;
	u32 i;

	TEST_RET(c);
	test_probe(c, event, KTAP_NONE, test_func(c, "read", 1, 2));
	test_insn(c, KTAP_OP_GETG, 1, 0, 0, 0);
	TEST_RET(c);
	prog = test_load(c);
	for (i = 0; i < prog->ninsns; i++) {
		if (prog->code[i].op == KTAP_OP_ADDG)
			return false;
	}
	return true;
}

static void handlers_in_process_context_may_read_a_sum(struct kunit *test)
{
	static const struct {
		const char *event;
		bool process;
	} events[] = {
		{ "trace_begin", true }, { "trace_end", true }, { "BEGIN", true },
		{ "END", true }, { "tick-1s", true }, { "tick:ms:10", true },
		{ "interval:s:1", true }, { "trace_begin:x", false }, { "BEGIN:", false },
		{ "ticker:tick", false }, { "probe:tick-", false }, { "profile-99hz", false },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(events); i++)
		KUNIT_EXPECT_EQ(test, has_sum_despite(test, events[i].event), events[i].process);
}

static unsigned int changes;

static void count_change(struct ktap_env *env)
{
	changes++;
}

/* A program like that of with_sum(), whose global is the condition of a probe. */
static struct global_fixture with_condition(struct kunit *test)
{
	struct global_fixture f = { .test = test };
	struct test_chunk *c = chunk_with_sum(test);
	u32 probe;

	TEST_RET(c);
	probe = test_probe(c, "sched:sched_switch", KTAP_NONE, ADD);
	c->probes[probe].condition = cpu_to_le32(1);
	f.vm = test_vm(test, test_load(c), KTAP_LEVEL_PROCESS);
	f.handler = test_vm_of(test, f.vm->env, KTAP_LEVEL_TASK);
	f.vm->env->condition_changed = count_change;
	changes = 0;
	return f;
}

static void a_condition_has_no_sum(struct kunit *test)
{
	struct global_fixture f = with_condition(test);

	KUNIT_EXPECT_FALSE(test, f.vm->env->globals[0].sums);
	KUNIT_EXPECT_EQ(test, f.vm->env->prog->probe_defs[0].condition, 0);
}

static void expect_changes(struct global_fixture *f, unsigned int n, bool is)
{
	KUNIT_EXPECT_EQ(f->test, changes, n);
	KUNIT_EXPECT_EQ(f->test, ktap_global_is_true(f->vm->env, 0), is);
}

static void a_written_condition_is_reported_when_its_truth_changes(struct kunit *test)
{
	struct global_fixture f = with_condition(test);

	expect_changes(&f, 0, false);
	set(&f, KTAP_VALUE_INT(0));
	set(&f, KTAP_VALUE_BOOL(false));
	set(&f, KTAP_VALUE_NIL);
	expect_changes(&f, 0, false);
	set(&f, KTAP_VALUE_INT(-1));
	expect_changes(&f, 1, true);
	set(&f, KTAP_VALUE_BOOL(true));
	set(&f, KTAP_VALUE_STR("", 0));
	set(&f, KTAP_VALUE_STR("no", 2));
	expect_changes(&f, 1, true);
	set(&f, KTAP_VALUE_NIL);
	expect_changes(&f, 2, false);
}

static void an_addition_to_a_condition_is_reported_when_its_truth_changes(struct kunit *test)
{
	struct global_fixture f = with_condition(test);

	KUNIT_EXPECT_EQ(test, 0, add(f.handler, KTAP_VALUE_INT(0)));
	expect_changes(&f, 0, false);
	KUNIT_EXPECT_EQ(test, 0, add(f.handler, KTAP_VALUE_INT(2)));
	expect_changes(&f, 1, true);
	KUNIT_EXPECT_EQ(test, 0, add(f.handler, KTAP_VALUE_INT(-1)));
	expect_changes(&f, 1, true);
	KUNIT_EXPECT_EQ(test, 0, add(f.vm, KTAP_VALUE_INT(-1)));
	expect_changes(&f, 2, false);
}

static void a_write_that_is_dropped_changes_no_condition(struct kunit *test)
{
	struct global_fixture f = with_condition(test);
	unsigned long flags;

	KUNIT_ASSERT_TRUE(test, ktap_lock(&f.vm->env->globals[0].lock, &flags));
	KUNIT_EXPECT_EQ(test, 0, ktap_global_set(f.handler, 0, &(struct ktap_value){
		.tag = KTAP_INT, .i = 1,
	}));
	KUNIT_EXPECT_EQ(test, 0, ktap_global_add(f.handler, 0, &(struct ktap_value){
		.tag = KTAP_INT, .i = 1,
	}));
	ktap_unlock(&f.vm->env->globals[0].lock, flags);
	expect_changes(&f, 0, false);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&f.vm->env->counters.nmi_busy), 2);
}

static void a_program_without_globals_and_objects_takes_no_memory(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_env *env;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	env = test_vm(test, test_load(c), KTAP_LEVEL_PROCESS)->env;
	KUNIT_EXPECT_EQ(test, env->heap.bytes, 0);
	KUNIT_EXPECT_NULL(test, env->globals);
	KUNIT_EXPECT_NE(test, with_sum(test).vm->env->heap.bytes, 0);
}

static u64 cost_of_reading(struct ktap_vm *vm)
{
	struct ktap_value v;
	u64 left;

	vm->budget = U32_MAX;
	left = vm->budget;
	return ktap_global_get(vm, 0, &v) ? 0 : left - vm->budget;
}

static void reading_a_sum_costs_more_on_many_cpus(struct kunit *test)
{
	struct global_fixture f = with_sum(test);

	KUNIT_EXPECT_EQ(test, cost_of_reading(f.vm),
			IS_ENABLED(CONFIG_GENERIC_ATOMIC64) ? 0 : 1 + num_possible_cpus() / 8);
	KUNIT_EXPECT_EQ(test, cost_of_reading(with_condition(test).vm), 0);
}

/* A reader without the lock must notice it, and must be able to read again afterwards. */
static void each_write_changes_the_sequence_and_leaves_it_even(struct kunit *test)
{
	struct global_fixture f = with_condition(test);
	const struct ktap_global *g = &f.vm->env->globals[0];
	struct ktap_value v;
	u32 seq = READ_ONCE(g->seq);

	set(&f, KTAP_VALUE_INT(1));
	KUNIT_EXPECT_EQ(test, g->seq, seq + 2);
	KUNIT_EXPECT_EQ(test, 0, add(f.handler, KTAP_VALUE_INT(1)));
	KUNIT_EXPECT_EQ(test, g->seq, seq + 4);
	KUNIT_EXPECT_TRUE(test, ktap_global_read(g, &v));
	KUNIT_EXPECT_EQ(test, v.i, 2);
}

static void each_plain_write_changes_the_sequence_and_leaves_it_even(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	const struct ktap_global *g;
	struct ktap_value v;
	struct ktap_vm *vm;
	u32 seq;

	test_global(c, "g");
	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_func(c, "set", 1, 2);
	test_insn(c, KTAP_OP_SETG, 0, 0, 0, 0);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_PROCESS);
	g = &vm->env->globals[0];
	seq = READ_ONCE(g->seq);
	KUNIT_EXPECT_FALSE(test, g->slow);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, SET, &KTAP_VALUE_BOOL(true), 1, NULL));
	KUNIT_EXPECT_EQ(test, g->seq, seq + 2);
	KUNIT_EXPECT_TRUE(test, ktap_global_read(g, &v));
	KUNIT_EXPECT_EQ(test, v.tag, KTAP_BOOL);
}

static struct kunit_case global_cases[] = {
	KUNIT_CASE(handlers_add_to_a_sum),
	KUNIT_CASE(a_written_value_replaces_the_sum),
	KUNIT_CASE(nothing_is_added_to_what_is_no_number),
	KUNIT_CASE(a_global_that_a_handler_reads_has_no_sum),
	KUNIT_CASE(handlers_in_process_context_may_read_a_sum),
	KUNIT_CASE(a_program_without_globals_and_objects_takes_no_memory),
	KUNIT_CASE(reading_a_sum_costs_more_on_many_cpus),
	KUNIT_CASE(a_condition_has_no_sum),
	KUNIT_CASE(a_written_condition_is_reported_when_its_truth_changes),
	KUNIT_CASE(an_addition_to_a_condition_is_reported_when_its_truth_changes),
	KUNIT_CASE(a_write_that_is_dropped_changes_no_condition),
	KUNIT_CASE(each_write_changes_the_sequence_and_leaves_it_even),
	KUNIT_CASE(each_plain_write_changes_the_sequence_and_leaves_it_even),
	{ }
};

static struct kunit_suite global_suite = {
	.name = "ktap_global",
	.test_cases = global_cases,
};

kunit_test_suite(global_suite);
