// SPDX-License-Identifier: GPL-2.0
/*
 * Frames: open values, variable arguments, errors that are caught, and
 * functions that built-ins call.
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

#define MULTI	KTAP_MULTI

/* Run function 0 of the chunk, which must succeed; return its result. */
static struct ktap_value run(struct test_chunk *c, enum ktap_level level)
{
	return test_run(c->test, test_vm(c->test, test_load(c), level), NULL, 0);
}

static void expect_int(struct test_chunk *c, enum ktap_level level, s64 want)
{
	test_expect_int(c->test, want, run(c, level));
}

static void expect_str(struct test_chunk *c, enum ktap_level level, const char *want)
{
	test_expect_str(c->test, want, run(c, level));
}

static struct ktap_vm *expect_error(struct test_chunk *c, enum ktap_level level, int err,
				    const char *message)
{
	struct ktap_vm *vm = test_vm(c->test, test_load(c), level);

	test_expect_error(c->test, vm, err, message);
	return vm;
}

/* R[@reg] = R[@reg] * 10 + R[@digit]: the digits of the result show the order. */
static void append_digit(struct test_chunk *c, u8 reg, u8 digit)
{
	test_insn(c, KTAP_OP_MULI, reg, reg, 0, 10);
	test_insn(c, KTAP_OP_ADD, reg, reg, digit, 0);
}

/* A constant of @len bytes. */
static u32 long_string(struct test_chunk *c, size_t len)
{
	char *text = kunit_kzalloc(c->test, len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(c->test, text);
	memset(text, 'x', len);
	return test_string_of(c, text, len);
}

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
			append_digit(c, 9, i);
		test_insn(c, KTAP_OP_RET, 9, 1, 0, 0);
		expect_int(c, EVENT, n == 1 ? 10000 : want[n]);
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
	append_digit(c, 4, 0);
	append_digit(c, 4, 1);
	append_digit(c, 4, 2);
	append_digit(c, 4, 3);
	test_insn(c, KTAP_OP_RET, 4, 1, 0, 0);
	expect_int(c, EVENT, 7234);
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
			append_digit(c, 3, i);
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
static void a_variadic_function_calls_others(struct kunit *test)
{
	struct test_chunk *c = call_with(test, 3);

	test_variadic(c, "f", 1, 6);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 5);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 6);
	test_insn(c, KTAP_OP_CALL, 2, 1, 1, 2);
	test_insn(c, KTAP_OP_VARG, 3, 0, 2, 0);
	append_digit(c, 0, 1);
	append_digit(c, 0, 2);
	append_digit(c, 0, 3);
	append_digit(c, 0, 4);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	/* g(...) has other variable arguments */
	test_variadic(c, "g", 0, 2);
	test_insn(c, KTAP_OP_VARG, 0, 0, 1, 0);
	test_insn(c, KTAP_OP_ADDI, 0, 0, 0, 3);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	expect_int(c, EVENT, 15923);
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
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_handle(vm, &funcs[1], &funcs[2], NULL, U64_MAX));
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

	ktap_start_init(&start, NULL, &f[3], 1000, 128);
	KUNIT_EXPECT_FALSE(test, start.plain);
	ktap_start_init(&start, NULL, &f[4], 1000, 128);
	KUNIT_EXPECT_FALSE(test, start.plain);
	/* A filter gets no argument. */
	ktap_start_init(&start, &f[5], &f[1], 1000, 128);
	KUNIT_EXPECT_FALSE(test, start.plain);
	KUNIT_EXPECT_EQ(test, 3, f[5].cost);
	ktap_start_init(&start, NULL, &f[5], 3, 128);
	KUNIT_EXPECT_FALSE(test, start.plain);
	ktap_start_init(&start, NULL, &f[5], 4, 128);
	KUNIT_EXPECT_TRUE(test, start.plain);
	KUNIT_EXPECT_EQ(test, 1, start.budget);
	KUNIT_EXPECT_EQ(test, 0, start.rest);
	ktap_start_init(&start, NULL, &f[5], 1000, 128);
	KUNIT_EXPECT_EQ(test, 125, start.budget);
	KUNIT_EXPECT_EQ(test, 1000 - 128, start.rest);
	/* The handler after a filter may be anything. */
	ktap_start_init(&start, &f[2], &f[3], 1000, U64_MAX);
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
		ktap_start_init(&start, filter, handler, vm->env->max_insns, U64_MAX);
		if (!start.plain)
			continue;
		KUNIT_EXPECT_EQ(test, 0, ktap_vm_handle(vm, filter, handler, &silent_event,
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
	expect_int(c, EVENT, -1);
	/* The called function may be a value before the open values, too. */
	c->insns[0] = (struct ktap_code){ .op = KTAP_OP_FUNC, .a = 0, .d = 2 };
	c->insns[1] = (struct ktap_code){ .op = KTAP_OP_INT, .a = 1, .d = 4 };
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_INT, .a = 2, .d = 7 };
	c->insns[3] = (struct ktap_code){ .op = KTAP_OP_CALL, .a = 1, .b = 2, .c = MULTI,
					  .d = 1 };
	c->insns[4] = (struct ktap_code){ .op = KTAP_OP_CALLV, .a = 0, .b = MULTI, .c = 1 };
	c->insns[5].a = 0;
	expect_int(c, EVENT, -3);
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

static int canceled_text(struct ktap_vm *vm, struct ktap_value *v)
{
	return ktap_vm_error(vm, -ECANCELED, "exit");
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
		append_digit(c, 1, 2);
	}
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_LEN);
	append_digit(c, 1, 0);
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
	expect_str(builtin_with(test, KTAP_FN_SUBSTR, 1), EVENT, "ext");
	expect_error(builtin_with(test, KTAP_FN_SUBSTR, 0), EVENT, -EINVAL,
		     "substr takes 2 to 3 arguments, got 1");
	expect_error(builtin_with(test, KTAP_FN_SUBSTR, 3), EVENT, -EINVAL,
		     "substr takes 2 to 3 arguments, got 4");
	expect_error(builtin_with(test, KTAP_FN_FORMAT, KTAP_MAX_ARGS), EVENT, -EINVAL,
		     "format takes 1 to 32 arguments, got 33");
	/* Types are checked when the values exist. */
	expect_error(builtin_with(test, KTAP_FN_STRCMP, 1), EVENT, -EINVAL,
		     "strcmp: argument 2 is an integer, which it does not take");
}

static void open_values_are_limited(struct kunit *test)
{
	struct test_chunk *c;

	/* 249 and one before them; 250 and one. */
	c = builtin_with(test, KTAP_FN_FORMAT, KTAP_MAX_REGS - 1);
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_CALL, .b = MULTI, .c = 1, .d = 1 };
	expect_int(c, EVENT, 1);
	c = builtin_with(test, KTAP_FN_FORMAT, KTAP_MAX_REGS);
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_CALL, .b = MULTI, .c = 1, .d = 1 };
	expect_error(c, EVENT, -E2BIG, "251 values at once; 250 is the most");
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_RET, .b = MULTI };
	expect_error(c, EVENT, -E2BIG, "251 values at once; 250 is the most");
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_CALLB, .b = MULTI,
					  .d = KTAP_FN_PRINT };
	expect_error(c, EVENT, -E2BIG, "251 values at once; 250 is the most");
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_RET, .a = 1, .b = MULTI };
	expect_int(c, EVENT, 1);
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
	expect_error(c, EVENT, -ENOSPC, "calls nest too deep: no room on the stack");
	expect_error(c, PROCESS, -E2BIG, "251 values at once; 250 is the most");
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
		expect_str(c, EVENT, cases[i].want);
		/* In the function itself. */
		test_try(c, 5, 6, 7, 1);
		TEST_RET(c);
		expect_int(c, EVENT, 1);
	}
	/* Without a try nothing is caught. */
	c = try_error(test);
	c->tries[0].first = cpu_to_le32(2);
	c->tries[0].end = cpu_to_le32(3);
	expect_error(c, EVENT, -EINVAL, "bad");
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
	expect_str(c, EVENT, "abc");
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
	append_digit(c, 0, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_variadic(c, "g", 1, 4);
	test_insn(c, KTAP_OP_CALL, 1, 0, 0, 2);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_insn(c, KTAP_OP_VARG, 1, 0, 2, 0);
	append_digit(c, 0, 1);
	append_digit(c, 0, 2);
	test_insn(c, KTAP_OP_SUBI, 0, 0, 0, 120);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_try(c, 8, 9, 10, 3);
	test_func(c, "f", 0, 3);
	test_insn(c, KTAP_OP_CALL, 2, 0, 0, 2);
	TEST_RET(c);
	/* 9, then 123 - 120 */
	expect_int(c, EVENT, 93);
	expect_int(c, PROCESS, 93);
}

static const struct ktap_event_ops event_ops = { .text = canceled_text };
static const struct ktap_event event = { .ops = &event_ops };

static void some_errors_cannot_be_caught(struct kunit *test)
{
	struct test_chunk *c = try_error(test);
	bool abort = true;
	struct ktap_vm *vm;

	c->insns[5] = (struct ktap_code){ .op = KTAP_OP_JMP, .d = -1 };
	expect_error(c, EVENT, -ETIME, "the handler used up its budget: max_insns is 100000");
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
	expect_error(c, EVENT, -ETIME, "the handler used up its budget: max_insns is 100000");
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
	v = run(c, EVENT);
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
	expect_str(c, EVENT, "no memory for more strings: one run has 16120 bytes");
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
	expect_str(c, EVENT, "no memory for the message of an error");
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
	test_insn(c, KTAP_OP_TGETI, 1, 1, 0, 0);
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
	KUNIT_EXPECT_STREQ(test, buf, "test.kp:3: error: a string is indexed, only a table can be\n"
			   "  in main (test.kp:3)\n");
}

static struct kunit_case frame_cases[] = {
	KUNIT_CASE(a_variadic_function_keeps_additional_arguments),
	KUNIT_CASE(variable_arguments_are_passed_on),
	KUNIT_CASE(missing_arguments_cost_nothing),
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

static struct kunit_suite frame_suite = {
	.name = "ktap_frame",
	.test_cases = frame_cases,
};

kunit_test_suite(frame_suite);
