// SPDX-License-Identifier: GPL-2.0
/*
 * Frames: open values, variable arguments, and functions that built-ins call.
 */
#include <linux/string.h>

#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/run.h"

#define EVENT	KTAP_LEVEL_TASK
#define PROCESS	KTAP_LEVEL_PROCESS

#define MULTI	KTAP_MULTI

/*
 * main() calls function 1 with 1, 2, …, @nargs, fixed ones, and returns its
 * first result.
 */
static struct test_chunk *call_with(struct kunit *test, unsigned int nargs)
{
	struct test_chunk *c = test_chunk(test);
	unsigned int i;

	test_func(c, "main", 0, 40);
	for (i = 0; i < nargs; i++)
		test_insn(c, KTAP_OP_INT, i, 0, 0, i + 1);
	test_insn(c, KTAP_OP_CALL, 0, nargs, 1, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	return c;
}

static void a_variadic_function_keeps_additional_arguments(struct kunit *test)
{
	static const s64 want[] = { 0, 1000, 12000, 12300, 12340, 12345, 12345 };
	struct test_chunk *c;
	unsigned int n, i;

	for (n = 0; n < ARRAY_SIZE(want); n++) {
		/* f(a, b, ...) returns a, b and the first three other arguments, as digits */
		c = call_with(test, n);
		test_variadic(c, "f", 2, 10);
		test_insn(c, KTAP_OP_VARG, 2, 0, 3, 0);
		test_insn(c, KTAP_OP_INT, 9, 0, 0, 0);
		for (i = 0; i < 5; i++)
			test_digit(c, 9, i);
		test_insn(c, KTAP_OP_RET, 9, 1, 0, 0);
		test_chunk_int(c, EVENT, n == 1 ? 10000 : want[n]);
	}
}

static void variable_arguments_are_passed_on(struct kunit *test)
{
	struct test_chunk *c = call_with(test, 4);

	/* f(a, ...) returns g(7, ...); g(a, b, c, d) returns them as digits */
	test_variadic(c, "f", 1, 3);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 7);
	test_insn(c, KTAP_OP_VARG, 2, 0, MULTI, 0);
	test_insn(c, KTAP_OP_CALL, 1, MULTI, MULTI, 2);
	test_insn(c, KTAP_OP_RET, 1, MULTI, 0, 0);
	test_func(c, "g", 4, 5);
	test_insn(c, KTAP_OP_INT, 4, 0, 0, 0);
	test_digit(c, 4, 0);
	test_digit(c, 4, 1);
	test_digit(c, 4, 2);
	test_digit(c, 4, 3);
	test_insn(c, KTAP_OP_RET, 4, 1, 0, 0);
	test_chunk_int(c, EVENT, 7234);
}

/* Nil is the value of the parameters without one; the charge is the same. */
static void missing_arguments_cost_nothing(struct kunit *test)
{
	static const s64 want[] = { 0, 100, 120, 123, 123 };
	struct test_chunk *c;
	struct ktap_vm *vm;
	unsigned int n, i;
	u64 left = 0;

	for (n = 0; n < ARRAY_SIZE(want); n++) {
		c = call_with(test, n);
		test_func(c, "f", 3, 4);
		test_insn(c, KTAP_OP_INT, 3, 0, 0, 0);
		for (i = 0; i < 3; i++)
			test_digit(c, 3, i);
		test_insn(c, KTAP_OP_RET, 3, 1, 0, 0);
		vm = test_vm(test, test_load(c), EVENT);
		/* A value from before must not become an argument. */
		for (i = 0; i < 40; i++)
			vm->stack[i] = KTAP_VALUE_INT(9);
		test_expect_int(test, want[n], test_run(test, vm, NULL, 0));
		/* main() has @n instructions more: less than a unit. */
		KUNIT_EXPECT_TRUE(test, !n || vm->budget == left);
		left = vm->budget;
	}
}

/* The frame of the caller lies above them, and is unchanged. */
static void missing_arguments_stay_inside_the_frame(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_func(c, "f", 2, 2);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	vm->stack[2] = KTAP_VALUE_INT(77);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 1, NULL, 0, NULL));
	KUNIT_EXPECT_EQ(test, vm->stack[1].tag, KTAP_NIL);
	test_expect_int(test, 77, vm->stack[2]);
}

static void a_variadic_function_calls_others(struct kunit *test)
{
	struct test_chunk *c = call_with(test, 3);

	test_variadic(c, "f", 1, 6);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 5);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 6);
	test_insn(c, KTAP_OP_CALL, 2, 1, 1, 2);
	test_insn(c, KTAP_OP_VARG, 3, 0, 2, 0);
	test_digit(c, 0, 1);
	test_digit(c, 0, 2);
	test_digit(c, 0, 3);
	test_digit(c, 0, 4);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	/* g(...) has other variable arguments */
	test_variadic(c, "g", 0, 2);
	test_insn(c, KTAP_OP_VARG, 0, 0, 1, 0);
	test_insn(c, KTAP_OP_ADDI, 0, 0, 0, 3);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_chunk_int(c, EVENT, 15923);
}

/* The event is its first argument; its frame begins after that. */
static void the_handler_of_a_filter_may_be_variadic(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	const struct ktap_func *funcs;
	struct ktap_program *prog;
	struct ktap_vm *vm;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_func(c, "filter", 0, 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_variadic(c, "handler", 0, 3);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 40);
	test_insn(c, KTAP_OP_CALL, 1, 1, 1, 3);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	test_func(c, "g", 1, 1);
	test_insn(c, KTAP_OP_ADDI, 0, 0, 0, 2);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	prog = test_load(c);
	vm = test_vm(test, prog, EVENT);
	funcs = prog->funcs;
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_handle(vm, &funcs[1], &funcs[2], NULL, NULL, U64_MAX));
	test_expect_int(test, 42, vm->result);
}

/* Functions 1 and 2: filters; 3: variadic; 4: two parameters; 5: much straight code. */
static struct ktap_program *program_of_starts(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	unsigned int i;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_func(c, "false filter", 0, 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "true filter", 0, 3);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_variadic(c, "variadic", 0, 1);
	TEST_RET(c);
	test_func(c, "two parameters", 2, 2);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	test_func(c, "long", 1, 2);
	for (i = 0; i < 3 * KTAP_UNIT_WORK; i++)
		test_insn(c, KTAP_OP_INT, 1, 0, 0, i);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	return test_load(c);
}

static void only_simple_functions_start_plainly(struct kunit *test)
{
	struct ktap_program *prog = program_of_starts(test);
	const struct ktap_func *f = prog->funcs;
	struct ktap_start start;

	ktap_start_init(&start, NULL, &f[3], NULL, 1000, 128);
	KUNIT_EXPECT_FALSE(test, start.plain);
	ktap_start_init(&start, NULL, &f[4], NULL, 1000, 128);
	KUNIT_EXPECT_FALSE(test, start.plain);
	/* A filter gets no argument. */
	ktap_start_init(&start, &f[5], &f[1], NULL, 1000, 128);
	KUNIT_EXPECT_FALSE(test, start.plain);
	KUNIT_EXPECT_EQ(test, 3, f[5].cost);
	ktap_start_init(&start, NULL, &f[5], NULL, 3, 128);
	KUNIT_EXPECT_FALSE(test, start.plain);
	ktap_start_init(&start, NULL, &f[5], NULL, 4, 128);
	KUNIT_EXPECT_TRUE(test, start.plain);
	KUNIT_EXPECT_EQ(test, 1, start.budget);
	KUNIT_EXPECT_EQ(test, 0, start.rest);
	ktap_start_init(&start, NULL, &f[5], NULL, 1000, 128);
	KUNIT_EXPECT_EQ(test, 125, start.budget);
	KUNIT_EXPECT_EQ(test, 1000 - 128, start.rest);
	/* The handler after a filter may be anything. */
	ktap_start_init(&start, &f[2], &f[3], NULL, 1000, U64_MAX);
	KUNIT_EXPECT_TRUE(test, start.plain);
}

static const struct ktap_event silent_event = { .ops = &(const struct ktap_event_ops){ } };

static void a_plain_start_does_what_the_others_do(struct kunit *test)
{
	struct ktap_program *prog = program_of_starts(test);
	struct ktap_vm *vm = test_vm(test, prog, EVENT);
	const struct ktap_func *f = prog->funcs, *filter, *handler;
	struct ktap_value want;
	struct ktap_start start;
	u64 budget;
	u32 top;
	int i;

	for (i = 0; i < 3 * 4; i++) {
		filter = i % 3 ? &f[i % 3] : NULL;
		handler = &f[2 + i / 3];
		ktap_start_init(&start, filter, handler, NULL, vm->env->max_insns, U64_MAX);
		if (!start.plain)
			continue;
		KUNIT_EXPECT_EQ(test, 0, ktap_vm_handle(vm, filter, handler, NULL, &silent_event,
							U64_MAX));
		KUNIT_EXPECT_TRUE(test, vm->handler == (i % 3 == 1 ? handler : NULL));
		want = vm->result;
		budget = vm->budget;
		top = vm->top;
		vm->speculation = 5;
		vm->execname_len = 5;
		vm->arena.used = 5;
		vm->top = 5;
		KUNIT_EXPECT_EQ(test, 0, ktap_vm_start(vm, &start, &silent_event));
		KUNIT_EXPECT_TRUE(test, vm->handler == (i % 3 == 1 ? handler : NULL));
		KUNIT_EXPECT_TRUE(test, ktap_equal(&want, &vm->result));
		KUNIT_EXPECT_EQ(test, budget, vm->budget);
		KUNIT_EXPECT_EQ(test, 0, vm->rest);
		KUNIT_EXPECT_EQ(test, top, vm->top);
		KUNIT_EXPECT_EQ(test, 0, vm->speculation);
		KUNIT_EXPECT_EQ(test, 0, vm->execname_len);
		KUNIT_EXPECT_EQ(test, 0, vm->arena.used);
		KUNIT_EXPECT_EQ(test, 0, vm->after);
	}
}

static void function_values_can_be_variadic(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 4);
	test_insn(c, KTAP_OP_FUNC, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 4);
	test_insn(c, KTAP_OP_INT, 3, 0, 0, 5);
	test_insn(c, KTAP_OP_CALLV, 1, 2, MULTI, 0);
	test_insn(c, KTAP_OP_CALL, 1, MULTI, 1, 2);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	test_variadic(c, "f", 0, 1);
	test_insn(c, KTAP_OP_VARG, 0, 0, MULTI, 0);
	test_insn(c, KTAP_OP_RET, 0, MULTI, 0, 0);
	test_func(c, "minus", 2, 3);
	test_insn(c, KTAP_OP_SUB, 2, 0, 1, 0);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	test_chunk_int(c, EVENT, -1);
	/* The called function may be a value before the open values, too. */
	c->insns[0] = (struct ktap_code){ .op = KTAP_OP_FUNC, .a = 0, .d = 2 };
	c->insns[1] = (struct ktap_code){ .op = KTAP_OP_INT, .a = 1, .d = 4 };
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_INT, .a = 2, .d = 7 };
	c->insns[3] = (struct ktap_code){ .op = KTAP_OP_CALL, .a = 1, .b = 2, .c = MULTI,
					  .d = 1 };
	c->insns[4] = (struct ktap_code){ .op = KTAP_OP_CALLV, .a = 0, .b = MULTI, .c = 1 };
	c->insns[5].a = 0;
	test_chunk_int(c, EVENT, -3);
}

/* Formatting needs so much of the arena that all other strings move, several times. */
static int greedy_text(struct ktap_vm *vm, struct ktap_value *v)
{
	void *p;
	int i;

	for (i = 0; i < 100; i++) {
		p = ktap_arena_alloc(vm, 400);
		if (!p)
			return vm->error;
		memset(p, 'x', 400);
	}
	return ktap_make_string(vm, "text\n", 5, v);
}

static void open_values_beyond_the_frame_survive_others(struct kunit *test)
{
	static const struct ktap_event_ops ops = { .text = greedy_text };
	static const struct ktap_event event = { .ops = &ops };
	struct test_chunk *c = test_chunk(test);
	struct ktap_value v;
	struct ktap_vm *vm;
	int i;

	/* main() returns format("%s …", f()); f() gives strings made on the way, and argstr. */
	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, test_string(c, "%s %s %s %s %s"));
	test_insn(c, KTAP_OP_CALL, 1, 0, MULTI, 1);
	test_insn(c, KTAP_OP_CALLB, 0, MULTI, 0, KTAP_FN_FORMAT);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "f", 0, 5);
	for (i = 0; i < 4; i++) {
		test_insn(c, KTAP_OP_INT, i, 0, 0, i);
		test_insn(c, KTAP_OP_CONCAT, i, i, 1, 0);
	}
	test_insn(c, KTAP_OP_CALLB, 4, 0, 0, KTAP_FN_ARGSTR);
	test_insn(c, KTAP_OP_RET, 0, 5, 0, 0);
	vm = test_vm(test, test_load(c), EVENT);
	vm->event = &event;
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
	test_expect_str(test, "0 1 2 3 text", v);
	KUNIT_EXPECT_EQ(test, vm->top, 2);
}

static void a_table_constructor_takes_open_values(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_value v;
	struct ktap_vm *vm;
	s32 i;

	/* t = { f() } from key -1 on, f() gives 3, nil, 5; returns t[-1] t[0] t[1] #t */
	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 8);
	test_insn(c, KTAP_OP_TSETI, 0, 0, 1, 0);
	test_insn(c, KTAP_OP_CALL, 1, 0, MULTI, 1);
	test_insn(c, KTAP_OP_TSETM, 0, 1, 0, -1);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 0);
	for (i = -1; i <= 1; i++) {
		test_insn(c, KTAP_OP_TGETI, 2, 0, 0, i);
		test_digit(c, 1, 2);
	}
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_LEN);
	test_digit(c, 1, 0);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	test_func(c, "f", 0, 3);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 3);
	test_insn(c, KTAP_OP_NIL, 1, 1, 0, 0);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 5);
	test_insn(c, KTAP_OP_RET, 0, 3, 0, 0);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_ASSERT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &v));
	KUNIT_EXPECT_EQ(test, v.i, 3052);
	KUNIT_EXPECT_EQ(test, vm->top, 3);
}

/* main() gives print what a function of @n results gives, and one more. */
static struct test_chunk *builtin_with(struct kunit *test, u32 id, unsigned int n)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, test_string(c, "text"));
	test_insn(c, KTAP_OP_CALL, 1, 0, MULTI, 1);
	test_insn(c, KTAP_OP_CALLB, 0, MULTI, 0, id);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "f", 0, n ?: 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	if (n > 1)
		test_insn(c, KTAP_OP_NIL, 1, n - 1, 0, 0);
	test_insn(c, KTAP_OP_RET, 0, n, 0, 0);
	return c;
}

static void built_ins_take_no_more_open_values_than_arguments(struct kunit *test)
{
	test_chunk_str(builtin_with(test, KTAP_FN_SUBSTR, 1), EVENT, "ext");
	test_chunk_error(builtin_with(test, KTAP_FN_SUBSTR, 0), EVENT, -EINVAL,
			 "substr takes 2 to 3 arguments, got 1");
	test_chunk_error(builtin_with(test, KTAP_FN_SUBSTR, 3), EVENT, -EINVAL,
			 "substr takes 2 to 3 arguments, got 4");
	test_chunk_error(builtin_with(test, KTAP_FN_FORMAT, KTAP_MAX_ARGS), EVENT, -EINVAL,
			 "format takes 1 to 32 arguments, got 33");
	/* Types are checked when the values exist. */
	test_chunk_error(builtin_with(test, KTAP_FN_STRCMP, 1), EVENT, -EINVAL,
			 "strcmp: argument 2 is an integer, which it does not take: it takes a string");
}

static void open_values_are_limited(struct kunit *test)
{
	struct test_chunk *c;

	/* 249 and one before them; 250 and one. */
	c = builtin_with(test, KTAP_FN_FORMAT, KTAP_MAX_REGS - 1);
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_CALL, .b = MULTI, .c = 1, .d = 1 };
	test_chunk_int(c, EVENT, 1);
	c = builtin_with(test, KTAP_FN_FORMAT, KTAP_MAX_REGS);
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_CALL, .b = MULTI, .c = 1, .d = 1 };
	test_chunk_error(c, EVENT, -E2BIG, "251 values at once; 250 is the most");
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_RET, .b = MULTI };
	test_chunk_error(c, EVENT, -E2BIG, "251 values at once; 250 is the most");
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_CALLB, .b = MULTI,
					  .d = KTAP_FN_PRINT };
	test_chunk_error(c, EVENT, -E2BIG, "251 values at once; 250 is the most");
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_RET, .a = 1, .b = MULTI };
	test_chunk_int(c, EVENT, 1);
}

static void variable_arguments_need_room_on_the_stack(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	/* f(...) calls f(1, ...), again and again. */
	test_variadic(c, "f", 0, 2);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_VARG, 1, 0, MULTI, 0);
	test_insn(c, KTAP_OP_CALL, 0, MULTI, 0, 0);
	TEST_RET(c);
	test_chunk_error(c, EVENT, -ENOSPC, "calls nest too deep: no room on the stack");
	test_chunk_error(c, PROCESS, -E2BIG, "251 values at once; 250 is the most");
	/* No room for the results: the frame uses the last values of the stack. */
	c = test_chunk(test);
	test_variadic(c, "f", 0, 2);
	test_insn(c, KTAP_OP_VARG, 1, 0, MULTI, 0);
	test_insn(c, KTAP_OP_RET, 1, MULTI, 0, 0);
	vm = test_vm(test, test_load(c), EVENT);
	vm->stack_size = 2;
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
	vm->stack_size = 1;
	KUNIT_EXPECT_EQ(test, -ENOSPC, ktap_vm_run(vm, 0, NULL, 0, NULL));
	vm->stack_size = KTAP_EVENT_STACK;
}

static void many_values_are_charged(struct kunit *test)
{
	struct test_chunk *c = builtin_with(test, KTAP_FN_PRINT, 240);
	struct ktap_vm *vm;
	u64 few;

	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_RET, .b = MULTI };
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, NULL));
	few = vm->env->max_insns - vm->budget;
	KUNIT_EXPECT_GE(test, few, 1 + 240 / 16);
}

static struct kunit_case frame_cases[] = {
	KUNIT_CASE(a_variadic_function_keeps_additional_arguments),
	KUNIT_CASE(variable_arguments_are_passed_on),
	KUNIT_CASE(missing_arguments_cost_nothing),
	KUNIT_CASE(missing_arguments_stay_inside_the_frame),
	KUNIT_CASE(a_variadic_function_calls_others),
	KUNIT_CASE(the_handler_of_a_filter_may_be_variadic),
	KUNIT_CASE(only_simple_functions_start_plainly),
	KUNIT_CASE(a_plain_start_does_what_the_others_do),
	KUNIT_CASE(function_values_can_be_variadic),
	KUNIT_CASE(open_values_beyond_the_frame_survive_others),
	KUNIT_CASE(a_table_constructor_takes_open_values),
	KUNIT_CASE(built_ins_take_no_more_open_values_than_arguments),
	KUNIT_CASE(open_values_are_limited),
	KUNIT_CASE(variable_arguments_need_room_on_the_stack),
	KUNIT_CASE(many_values_are_charged),
	{}
};

static struct kunit_suite frame_suite = {
	.name = "ktap_frame",
	.test_cases = frame_cases,
};

kunit_test_suite(frame_suite);
