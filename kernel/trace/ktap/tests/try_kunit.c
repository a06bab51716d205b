// SPDX-License-Identifier: GPL-2.0
/*
 * Errors that are caught, and those that cannot be.
 */
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/run.h"

#define EVENT	KTAP_LEVEL_TASK
#define PROCESS	KTAP_LEVEL_PROCESS

/* A constant of @len bytes. */
static u32 long_string(struct test_chunk *c, size_t len)
{
	char *text = kunit_kzalloc(c->test, len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(c->test, text);
	memset(text, 'x', len);
	return test_string_of(c, text, len);
}

static int canceled_text(struct ktap_vm *vm, struct ktap_value *v)
{
	return ktap_vm_error(vm, -ECANCELED, "exit");
}

/*
 * main(): R[0] = 1; try { f() } catch (R[1]) { return R[1] }; return R[0].
 * The test adds function 1.
 */
static struct test_chunk *try_call(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 4);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_CALL, 2, 0, 0, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	test_try(c, 1, 2, 3, 1);
	return c;
}

/* f(): error("bad"), unless the test replaces it. */
static struct test_chunk *try_error(struct kunit *test)
{
	struct test_chunk *c = try_call(test);

	test_func(c, "f", 0, 2);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, test_string(c, "bad"));
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_ERROR);
	TEST_RET(c);
	return c;
}

static void errors_are_caught(struct kunit *test)
{
	static const struct {
		struct ktap_code insn;		/* all registers are 0 */
		const char *want;
	} cases[] = {
		{ { .op = KTAP_OP_DIV }, "division by zero" },
		{ { .op = KTAP_OP_CALLV }, "an integer is called, only a function can be" },
		{ { .op = KTAP_OP_TGETI }, "an integer is indexed, only a table can be" },
		{ { .op = KTAP_OP_CALL, .d = 1 }, "calls nest too deep: 64 is the most" },
		{ { .op = KTAP_OP_CALLB, .b = 1, .d = KTAP_FN_ERROR }, "0" },
		{ { .op = KTAP_OP_CALLB, .d = KTAP_FN_TRACE, .b = 1 },
		  "trace works in trace_begin, trace_end, tick and at the top level" },
	};
	struct test_chunk *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		c = try_call(test);
		test_func(c, "f", 0, 2);
		test_insn(c, KTAP_OP_INT, 0, 0, 0, 0);
		c->insns[test_insn(c, 0, 0, 0, 0, 0)] = cases[i].insn;
		TEST_RET(c);
		test_chunk_str(c, EVENT, cases[i].want);
		/* In the function itself. */
		test_try(c, 5, 6, 7, 1);
		TEST_RET(c);
		test_chunk_int(c, EVENT, 1);
	}
	/* Without a try nothing is caught. */
	c = try_error(test);
	c->tries[0].first = cpu_to_le32(2);
	c->tries[0].end = cpu_to_le32(3);
	test_chunk_error(c, EVENT, -EINVAL, "bad");
}

static void the_innermost_try_catches_and_may_raise_again(struct kunit *test)
{
	struct test_chunk *c = try_call(test);

	/* f(): try { try { error("a") } catch (e) { error(e .. "b") } } catch (e) { … "c" } */
	test_func(c, "f", 0, 4);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, test_string(c, "a"));
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_ERROR);
	TEST_RET(c);
	test_insn(c, KTAP_OP_STR, 2, 0, 0, test_string(c, "b"));
	test_insn(c, KTAP_OP_CONCAT, 1, 1, 2, 0);
	test_insn(c, KTAP_OP_CALLB, 1, 1, 0, KTAP_FN_ERROR);
	TEST_RET(c);
	test_insn(c, KTAP_OP_STR, 2, 0, 0, test_string(c, "c"));
	test_insn(c, KTAP_OP_CONCAT, 1, 1, 2, 0);
	test_insn(c, KTAP_OP_CALLB, 1, 1, 0, KTAP_FN_ERROR);
	TEST_RET(c);
	test_try(c, 4, 6, 7, 1);
	test_try(c, 4, 10, 11, 1);
	test_chunk_str(c, EVENT, "abc");
}

/* Frames above the one that catches are discarded; this one continues unchanged. */
static void a_frame_is_unchanged_after_a_caught_error(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	/* main calls g(1, 2, 3), which tries f(): that calls itself until it fails. */
	test_func(c, "main", 0, 6);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 9);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 2);
	test_insn(c, KTAP_OP_INT, 3, 0, 0, 3);
	test_insn(c, KTAP_OP_CALL, 1, 3, 1, 1);
	test_digit(c, 0, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_variadic(c, "g", 1, 4);
	test_insn(c, KTAP_OP_CALL, 1, 0, 0, 2);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_insn(c, KTAP_OP_VARG, 1, 0, 2, 0);
	test_digit(c, 0, 1);
	test_digit(c, 0, 2);
	test_insn(c, KTAP_OP_SUBI, 0, 0, 0, 120);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_try(c, 8, 9, 10, 3);
	test_func(c, "f", 0, 3);
	test_insn(c, KTAP_OP_CALL, 2, 0, 0, 2);
	TEST_RET(c);
	/* 9, then 123 - 120 */
	test_chunk_int(c, EVENT, 93);
	test_chunk_int(c, PROCESS, 93);
}

static const struct ktap_event_ops event_ops = { .text = canceled_text };
static const struct ktap_event event = { .ops = &event_ops };

static void some_errors_cannot_be_caught(struct kunit *test)
{
	struct test_chunk *c = try_error(test);
	bool abort = true;
	struct ktap_vm *vm;

	c->insns[5] = (struct ktap_code){ .op = KTAP_OP_JMP, .d = -1 };
	test_chunk_error(c, EVENT, -ETIME, "the handler used up its budget: max_insns is 100000");
	vm = test_vm(test, test_load(c), PROCESS);
	vm->abort = &abort;
	KUNIT_EXPECT_EQ(test, -EINTR, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_STREQ(test, vm->message, "the session ends");

	/* The error of exit(). */
	c->insns[4] = (struct ktap_code){ .op = KTAP_OP_CALLB, .d = KTAP_FN_ARGSTR };
	c->insns[5] = (struct ktap_code){ .op = KTAP_OP_CALLB, .b = 1, .d = KTAP_FN_TOSTRING };
	vm = test_vm(test, test_load(c), EVENT);
	vm->event = &event;
	KUNIT_EXPECT_EQ(test, -ECANCELED, ktap_vm_run(vm, 0, NULL, 0, NULL));
}

/* Not even if the remaining budget is enough for the handler. */
static void the_end_of_the_budget_cannot_be_caught(struct kunit *test)
{
	struct test_chunk *c = try_call(test);
	struct ktap_vm *vm;
	int i;

	test_func(c, "f", 0, 1);
	for (i = 0; i < 200; i++)
		test_insn(c, KTAP_OP_INT, 0, 0, 0, i);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	vm->env->max_insns = 20;
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
	/* The call now costs more than the remaining budget. */
	c->insns[0] = (struct ktap_code){ .op = KTAP_OP_CALLB, .b = 0, .d = KTAP_FN_ARGSTR };
	c->insns[1] = (struct ktap_code){ .op = KTAP_OP_CALLB, .b = 1, .d = KTAP_FN_TOSTRING };
	vm = test_vm(test, test_load(c), EVENT);
	vm->event = &event;
	vm->env->max_insns = 25;
	KUNIT_EXPECT_EQ(test, -ETIME, ktap_vm_run(vm, 0, NULL, 0, NULL));
}

/* Making room for the message in the arena exceeds the budget. */
static void a_message_beyond_the_budget_ends_the_run(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	u64 paid;
	u32 i;

	test_func(c, "main", 0, 8);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, long_string(c, 4016));
	test_insn(c, KTAP_OP_NIL, 1, 7, 0, 0);
	for (i = 1; i < 5; i++)
		test_insn(c, KTAP_OP_CONCAT, i, 0, 1, 0);
	test_insn(c, KTAP_OP_CONCAT, 5, 6, 1, 0);
	/* The last string may be freed. */
	test_insn(c, KTAP_OP_NIL, 4, 4, 0, 0);
	i = test_insn(c, KTAP_OP_DIV, 6, 7, 7, 0);
	test_insn(c, KTAP_OP_RET, 6, 1, 0, 0);
	test_try(c, i, i + 1, i + 1, 6);
	vm = test_vm(test, test_load(c), EVENT);
	test_expect_str(test, "division by zero", test_run(test, vm, NULL, 0));
	paid = vm->env->max_insns - vm->budget;
	vm->env->max_insns = paid - 100;
	KUNIT_EXPECT_EQ(test, -ETIME, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_NOT_NULL(test, vm->fault.func);
	KUNIT_EXPECT_EQ(test, vm->fault.pc, i);
}

/* An error that is caught repeatedly, without a jump back. */
static void repeated_tries_use_up_the_budget(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	bool abort = true;
	struct ktap_vm *vm;

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_DIV, 0, 0, 0, 0);
	TEST_RET(c);
	test_try(c, 1, 2, 1, 1);
	test_chunk_error(c, EVENT, -ETIME, "the handler used up its budget: max_insns is 100000");
	vm = test_vm(test, test_load(c), PROCESS);
	vm->abort = &abort;
	KUNIT_EXPECT_EQ(test, -EINTR, ktap_vm_run(vm, 0, NULL, 0, NULL));
}

/* The handler is before a lot of code: catching is like a jump back. */
static void going_back_to_a_catch_handler_is_charged_like_a_jump(struct kunit *test)
{
	struct test_chunk *c = test_large_chunk(test, 4000);
	struct ktap_vm *vm;
	u32 i;

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	for (i = 0; i < 3200; i++)
		test_insn(c, KTAP_OP_MOV, 1, 0, 0, 0);
	/* It fails ten times. */
	test_insn(c, KTAP_OP_ADDG, 0, 0, 0, test_global(c, "g"));
	test_insn(c, KTAP_OP_GETG, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_JGEI, 1, 10, 0, 1);
	i = test_insn(c, KTAP_OP_CALLB, 1, 1, 0, KTAP_FN_ERROR);
	TEST_RET(c);
	test_try(c, i, i + 1, 1, 1);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_GE(test, vm->env->max_insns - vm->budget, 9 * 3200 / 32);
}

/* An instruction that may wait for a lock has ten times the weight of others. */
static void code_without_loops_is_charged(struct kunit *test)
{
	static const struct {
		u8 op;
		u64 units;
	} kinds[] = { { KTAP_OP_INT, 3200 / 32 }, { KTAP_OP_GETG, 3200 * 10 / 32 } };
	struct test_chunk *c;
	struct ktap_vm *vm;
	unsigned int k, i;
	u64 paid;

	for (k = 0; k < ARRAY_SIZE(kinds); k++) {
		c = test_large_chunk(test, 4000);
		test_func(c, "main", 0, 2);
		test_insn(c, KTAP_OP_CALL, 0, 0, 0, 1);
		TEST_RET(c);
		test_func(c, "long", 0, 2);
		test_global(c, "g");
		for (i = 0; i < 3200; i++)
			test_insn(c, kinds[k].op, 1, 0, 0, 0);
		TEST_RET(c);
		vm = test_vm(test, test_load(c), EVENT);
		KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
		paid = vm->env->max_insns - vm->budget;
		KUNIT_EXPECT_GE(test, paid, kinds[k].units);
		KUNIT_EXPECT_LE(test, paid, kinds[k].units + 2);
	}
}

static void long_messages_are_cut(struct kunit *test)
{
	struct test_chunk *c = try_error(test);
	struct ktap_value v;

	c->insns[4].d = long_string(c, 300);
	v = test_chunk_run(c, EVENT);
	KUNIT_EXPECT_EQ(test, v.tag, KTAP_STR);
	KUNIT_EXPECT_EQ(test, v.len, 255);
}

/* The message exists even if no string can be allocated. */
static void a_full_arena_can_be_caught(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	u32 first;
	int i;

	test_func(c, "main", 0, 32);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, long_string(c, KTAP_MAX_STRLEN / 2));
	test_insn(c, KTAP_OP_NIL, 1, 31, 0, 0);
	first = c->ninsns;
	for (i = 1; i < 10; i++)
		test_insn(c, KTAP_OP_CONCAT, i, 0, 1, 0);
	/* The handler fills the arena, byte by byte. */
	test_insn(c, KTAP_OP_STR, 12, 0, 0, test_string(c, "y"));
	test_insn(c, KTAP_OP_RET, 11, 1, 0, 0);
	test_try(c, first, c->ninsns - 2, c->ninsns - 2, 11);
	test_chunk_str(c, EVENT, "no memory for more strings: one run has 16120 bytes");
}

static void an_error_message_needs_no_memory(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	u32 first;
	int i;

	/* After six strings there is no room for a message. */
	test_func(c, "main", 0, 32);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, long_string(c, 2500));
	test_insn(c, KTAP_OP_STR, 31, 0, 0, long_string(c, 1000));
	for (i = 1; i < 7; i++)
		test_insn(c, KTAP_OP_CONCAT, i, 0, 1, 0);
	test_insn(c, KTAP_OP_CONCAT, 7, 31, 1, 0);
	first = test_insn(c, KTAP_OP_CONCAT, 8, 31, 1, 0);
	TEST_RET(c);
	/* All strings are still in use.  The error is cleared: otherwise ARG would see it. */
	test_insn(c, KTAP_OP_ARG, 12, 0, 0, 0);
	test_insn(c, KTAP_OP_RET, 11, 1, 0, 0);
	test_try(c, first, first + 1, first + 2, 11);
	test_chunk_str(c, EVENT, "no memory for the message of an error");
}

static void the_backtrace_is_that_of_the_uncaught_error(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	char buf[400];

	/* main(): try { f() } catch (R[1]) { R[1][0] } */
	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_CALL, 2, 0, 0, 1);
	TEST_RET(c);
	test_insn(c, KTAP_OP_TGET, 1, 1, 1, 0);
	TEST_RET(c);
	test_try(c, 0, 1, 2, 1);
	test_func(c, "f", 0, 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_ERROR);
	TEST_RET(c);
	test_lines(c);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, NULL, 0, NULL));
	ktap_vm_backtrace(vm, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, buf,
			   "test.kp:3: error: the index of a string is an integer, not a string\n"
			   "  in main (test.kp:3)\n");
}

static struct kunit_case try_cases[] = {
	KUNIT_CASE(errors_are_caught),
	KUNIT_CASE(the_innermost_try_catches_and_may_raise_again),
	KUNIT_CASE(a_frame_is_unchanged_after_a_caught_error),
	KUNIT_CASE(some_errors_cannot_be_caught),
	KUNIT_CASE(the_end_of_the_budget_cannot_be_caught),
	KUNIT_CASE(a_message_beyond_the_budget_ends_the_run),
	KUNIT_CASE(repeated_tries_use_up_the_budget),
	KUNIT_CASE(going_back_to_a_catch_handler_is_charged_like_a_jump),
	KUNIT_CASE(code_without_loops_is_charged),
	KUNIT_CASE(long_messages_are_cut),
	KUNIT_CASE(a_full_arena_can_be_caught),
	KUNIT_CASE(an_error_message_needs_no_memory),
	KUNIT_CASE(the_backtrace_is_that_of_the_uncaught_error),
	{}
};

static struct kunit_suite try_suite = {
	.name = "ktap_try",
	.test_cases = try_cases,
};

kunit_test_suite(try_suite);
