// SPDX-License-Identifier: GPL-2.0
/*
 * Globals that are kept per CPU.
 */
#include <linux/preempt.h>
#include <linux/string.h>

#include "tests/build.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/opcode.h"
#include "vm/vm.h"

enum { MAIN, ADD };

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
		KUNIT_EXPECT_NOT_NULL(test, f.vm->env->globals[0].sums);
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
	KUNIT_EXPECT_NULL(test, vm->env->globals[0].sums);
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

static struct kunit_case global_cases[] = {
	KUNIT_CASE(handlers_add_to_a_sum),
	KUNIT_CASE(a_written_value_replaces_the_sum),
	KUNIT_CASE(nothing_is_added_to_what_is_no_number),
	KUNIT_CASE(a_global_that_a_handler_reads_has_no_sum),
	KUNIT_CASE(handlers_in_process_context_may_read_a_sum),
	{ }
};

static struct kunit_suite global_suite = {
	.name = "ktap_global",
	.test_cases = global_cases,
};

kunit_test_suite(global_suite);
