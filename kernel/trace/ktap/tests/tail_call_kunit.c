// SPDX-License-Identifier: GPL-2.0
/*
 * Tail calls: which calls become tail calls, and where their frames are.
 */
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/builtin.h"

#define EVENT	KTAP_LEVEL_TASK
#define PROCESS	KTAP_LEVEL_PROCESS

#define MULTI	KTAP_MULTI

static const char too_deep[] = "calls nest too deep: 64 is the most";

static const struct ktap_code call_named = {
	.op = KTAP_OP_CALL, .a = 4, .b = 1, .c = MULTI, .d = 1,
};

static const struct ktap_code call_value = {
	.op = KTAP_OP_CALLV, .a = 3, .b = 1, .c = MULTI,
};

/*
 * main() returns the first value of f(@n).  f(n) returns 7 if n is 0, and else what is
 * there from register @ret on after @call of f(n - 1), which is instruction 7.  Errors may
 * be caught in instruction 9, which returns register 5.
 */
static struct test_chunk *count_down(struct kunit *test, s32 n, struct ktap_code call, u8 ret)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, n);
	test_insn(c, KTAP_OP_CALL, 0, 1, 1, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "f", 1, 6);
	test_insn(c, KTAP_OP_JEQI, 0, 0, 0, 6);
	test_insn(c, KTAP_OP_NIL, 1, 2, 0, 0);
	test_insn(c, KTAP_OP_FUNC, 3, 0, 0, 1);
	test_insn(c, KTAP_OP_SUBI, 4, 0, 0, 1);
	test_insn(c, call.op, call.a, call.b, call.c, call.d);
	test_insn(c, KTAP_OP_RET, ret, call.c, 0, 0);
	test_insn(c, KTAP_OP_RET, 5, 1, 0, 0);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 7);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	return c;
}

/* One function has no caller; with it there is one more frame. */
static void expect_int_without_room(struct test_chunk *c, s64 want, u32 stack_size)
{
	struct ktap_vm *vm = test_vm(c->test, test_load(c), EVENT);

	vm->max_calls = 1;
	vm->stack_size = stack_size;
	test_expect_int(c->test, want, test_run(c->test, vm, NULL, 0));
	vm->stack_size = stack_size - 1;
	test_expect_error(c->test, vm, -ENOSPC, "calls nest too deep: no room on the stack");
	vm->stack_size = KTAP_EVENT_STACK;
	vm->max_calls = KTAP_EVENT_CALLS;
}

static void a_tail_call_returns_all_results_of_the_callee(struct kunit *test)
{
	struct ktap_code calls[] = { call_named, call_value };
	struct test_chunk *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		struct ktap_code *call = &calls[i];

		c = count_down(test, 20000, *call, call->a);
		test_chunk_int(c, EVENT, 7);
		c = count_down(test, 100000, *call, call->a);
		test_chunk_int(c, PROCESS, 7);
		/* It returns another value before that. */
		test_chunk_error(count_down(test, 100, *call, call->a - 1), EVENT, -ENOSPC,
				 too_deep);
		/* A fixed number of results instead of all. */
		call->c = 1;
		test_chunk_error(count_down(test, 100, *call, call->a), EVENT, -ENOSPC, too_deep);
	}
}

static void a_call_inside_a_try_is_no_tail_call(struct kunit *test)
{
	const struct ktap_code calls[] = { call_named, call_value };
	struct test_chunk *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(calls); i++) {
		c = count_down(test, 100, calls[i], calls[i].a);
		test_try(c, 7, 8, 9, 5);
		test_chunk_str(c, EVENT, too_deep);
		/* Errors of the instructions before and after it may be caught. */
		c = count_down(test, 20000, calls[i], calls[i].a);
		test_try(c, 6, 7, 9, 5);
		test_try(c, 8, 9, 9, 5);
		test_chunk_int(c, EVENT, 7);
	}
}

static void tail_calls_need_one_frame(struct kunit *test)
{
	/* The only frame of f() has 6 registers, in place of the argument in main(). */
	expect_int_without_room(count_down(test, 1000, call_named, 4), 7, 6);
	expect_int_without_room(count_down(test, 1000, call_value, 3), 7, 6);
}

static void variadic_tail_calls_need_one_frame(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1000);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 8);
	test_insn(c, KTAP_OP_CALL, 0, 2, 1, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	/* f(n, ...) returns g(n - 1, ...), or the first variable argument. */
	test_variadic(c, "f", 1, 3);
	test_insn(c, KTAP_OP_JEQI, 0, 0, 0, 4);
	test_insn(c, KTAP_OP_SUBI, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_VARG, 2, 0, MULTI, 0);
	test_insn(c, KTAP_OP_CALL, 1, MULTI, MULTI, 2);
	test_insn(c, KTAP_OP_RET, 1, MULTI, 0, 0);
	test_insn(c, KTAP_OP_VARG, 0, 0, 1, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	/* g(n, a, b, c, ...) returns f(n - 1, a): it gets less than it has parameters for. */
	test_variadic(c, "g", 4, 6);
	test_insn(c, KTAP_OP_JEQI, 0, 0, 0, 4);
	test_insn(c, KTAP_OP_SUBI, 4, 0, 0, 1);
	test_insn(c, KTAP_OP_MOV, 5, 1, 0, 0);
	test_insn(c, KTAP_OP_CALL, 4, 2, MULTI, 1);
	test_insn(c, KTAP_OP_RET, 4, MULTI, 0, 0);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	/* Two arguments, and the frame of g(). */
	expect_int_without_room(c, 8, 8);
}

/* The function that the kernel calls has no caller in the script: its frame stays. */
static void a_tail_call_in_the_outermost_function_keeps_its_frame(struct kunit *test)
{
	struct test_chunk *c = count_down(test, 1000, call_named, 4);
	struct ktap_vm *vm;
	char buf[256];

	c->insns[1].c = MULTI;
	c->insns[2].b = MULTI;
	/* An argument of main(), and the frame of f(). */
	c->insns[1].a = 1;
	c->insns[2].a = 1;
	c->insns[0].a = 1;
	expect_int_without_room(c, 7, 7);
	/* It is in the backtrace; replaced frames are not. */
	c->insns[10] = (struct ktap_code){ .op = KTAP_OP_DIV };
	vm = test_vm(test, test_load(c), EVENT);
	test_expect_error(test, vm, -EDOM, "division by zero");
	ktap_vm_backtrace(vm, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, buf,
			   "ktap: error: division by zero\n  in f\n  (tail calls)\n  in main\n");
	/* Without frames the backtrace is empty. */
	c->insns[0].d = 0;
	vm = test_vm(test, test_load(c), EVENT);
	test_expect_error(test, vm, -EDOM, "division by zero");
	ktap_vm_backtrace(vm, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, buf, "ktap: error: division by zero\n  in f\n  in main\n");
}

static void errors_of_tail_calls_reach_the_first_caller(struct kunit *test)
{
	struct test_chunk *c = count_down(test, 1000, call_named, 4);
	struct ktap_vm *vm;

	/* main(): try { return f(1000) } catch (R[1]) { return R[1] } */
	test_try(c, 1, 2, 2, 1);
	c->insns[2].a = 1;
	c->insns[1].a = 1;
	c->insns[0].a = 1;
	c->insns[10] = (struct ktap_code){ .op = KTAP_OP_DIV };
	vm = test_vm(test, test_load(c), EVENT);
	test_expect_str(test, "division by zero", test_run(test, vm, NULL, 0));
	KUNIT_EXPECT_EQ(test, vm->ncalls, 0);
	/* First the called value is not a function, then there is no room for a frame. */
	c->insns[7] = call_value;
	c->insns[8].a = 3;
	c->insns[5] = (struct ktap_code){ .op = KTAP_OP_INT, .a = 3 };
	test_chunk_str(c, EVENT, "an integer is called, only a function can be");
	c->insns[5] = (struct ktap_code){ .op = KTAP_OP_FUNC, .a = 3, .d = 2 };
	test_func(c, "large", 0, KTAP_MAX_REGS);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	vm->stack_size = 100;
	test_expect_str(test, "calls nest too deep: no room on the stack",
			test_run(test, vm, NULL, 0));
	vm->stack_size = KTAP_EVENT_STACK;
}

/* Strings of the arguments move with them, and are unchanged. */
static void arguments_of_tail_calls_survive_others(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 5000);
	test_insn(c, KTAP_OP_CONCAT, 1, 0, 1, 0);
	test_insn(c, KTAP_OP_CALL, 0, 2, 1, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	/* f(n, s) makes a string that becomes garbage, and another that is passed on. */
	test_func(c, "f", 2, 5);
	test_insn(c, KTAP_OP_JEQI, 0, 0, 0, 5);
	test_insn(c, KTAP_OP_SUBI, 3, 0, 0, 1);
	test_insn(c, KTAP_OP_CONCAT, 4, 0, 2, 0);
	test_insn(c, KTAP_OP_CONCAT, 4, 1, 1, 0);
	test_insn(c, KTAP_OP_CALL, 3, 2, MULTI, 1);
	test_insn(c, KTAP_OP_RET, 3, MULTI, 0, 0);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	test_chunk_str(c, EVENT, "5000");
}

static void endless_tail_calls_use_up_the_budget(struct kunit *test)
{
	struct test_chunk *c = count_down(test, -1, call_named, 4);
	bool abort = true;
	struct ktap_vm *vm;

	test_chunk_error(c, EVENT, -ETIME, "the handler used up its budget: max_insns is 100000");
	vm = test_vm(test, test_load(c), PROCESS);
	vm->abort = &abort;
	test_expect_error(test, vm, -EINTR, "the session ends");
	vm->abort = NULL;
}

static struct kunit_case tail_call_cases[] = {
	KUNIT_CASE(a_tail_call_returns_all_results_of_the_callee),
	KUNIT_CASE(a_call_inside_a_try_is_no_tail_call),
	KUNIT_CASE(tail_calls_need_one_frame),
	KUNIT_CASE(variadic_tail_calls_need_one_frame),
	KUNIT_CASE(a_tail_call_in_the_outermost_function_keeps_its_frame),
	KUNIT_CASE(errors_of_tail_calls_reach_the_first_caller),
	KUNIT_CASE(arguments_of_tail_calls_survive_others),
	KUNIT_CASE(endless_tail_calls_use_up_the_budget),
	{}
};

static struct kunit_suite tail_call_suite = {
	.name = "ktap_tail_call",
	.test_cases = tail_call_cases,
};

kunit_test_suite(tail_call_suite);
