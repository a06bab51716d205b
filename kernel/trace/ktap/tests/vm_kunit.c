// SPDX-License-Identifier: GPL-2.0
/*
 * The interpreter and the arena; arith_kunit.c has the results of arithmetic.
 */
#include <linux/minmax.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/ops.h"

#define EVENT	KTAP_LEVEL_TASK
#define PROCESS	KTAP_LEVEL_PROCESS

static void a_call_passes_arguments_and_results(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	/* f(10, 3): results a - b and c, which is nil; then one more than there is. */
	test_func(c, "main", 0, 6);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 7);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 10);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 3);
	test_insn(c, KTAP_OP_CALL, 1, 2, 3, 1);
	test_insn(c, KTAP_OP_JNNIL, 2, 0, 0, 3);
	test_insn(c, KTAP_OP_JNNIL, 3, 0, 0, 2);
	test_insn(c, KTAP_OP_ADD, 0, 0, 1, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	TEST_RET(c);
	test_func(c, "f", 3, 5);
	test_insn(c, KTAP_OP_SUB, 3, 0, 1, 0);
	test_insn(c, KTAP_OP_MOV, 4, 2, 0, 0);
	test_insn(c, KTAP_OP_RET, 3, 2, 0, 0);
	vm = test_vm(test, test_load(c), EVENT);
	test_expect_int(test, 14, test_run(test, vm, NULL, 0));
	/* Call through a value, with more arguments than parameters. */
	c->insns[1] = (struct ktap_code){ .op = KTAP_OP_FUNC, .a = 1, .d = 1 };
	c->insns[2] = (struct ktap_code){ .op = KTAP_OP_NIL, .a = 2, .b = 5 };
	c->insns[3] = (struct ktap_code){ .op = KTAP_OP_CALLV, .a = 1, .b = 4, .c = 3 };
	vm = test_vm(test, test_load(c), EVENT);
	test_expect_int(test, 7, test_run(test, vm, NULL, 0));
	c->insns[1] = (struct ktap_code){ .op = KTAP_OP_BOOL, .a = 1 };
	test_expect_error(test, test_vm(test, test_load(c), EVENT), -EINVAL,
			  "a boolean is called, only a function can be");
}

static struct test_chunk *endless_recursion(struct kunit *test, u8 nregs)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, nregs);
	test_insn(c, KTAP_OP_CALL, nregs - 1, 0, 0, 0);
	TEST_RET(c);
	return c;
}

static void call_depth_is_limited_by_the_stack(struct kunit *test)
{
	struct ktap_vm *vm;

	vm = test_vm(test, test_load(endless_recursion(test, 2)), EVENT);
	test_expect_error(test, vm, -ENOSPC, "calls nest too deep: 64 is the most");
	KUNIT_EXPECT_EQ(test, vm->ncalls, KTAP_EVENT_CALLS);
	vm = test_vm(test, test_load(endless_recursion(test, 250)), EVENT);
	test_expect_error(test, vm, -ENOSPC, "calls nest too deep: no room on the stack");
	vm = test_vm(test, test_load(endless_recursion(test, 2)), PROCESS);
	test_expect_error(test, vm, -ENOSPC, "calls nest too deep: 2000 is the most");
	vm = test_vm(test, test_load(endless_recursion(test, 250)), PROCESS);
	test_expect_error(test, vm, -ENOSPC, "calls nest too deep: no room on the stack");
}

static struct test_chunk *endless_loop(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -1);
	return c;
}

static void a_handler_has_a_budget(struct kunit *test)
{
	struct ktap_vm *vm = test_vm(test, test_load(endless_loop(test)), EVENT);

	vm->env->max_insns = 1000;
	test_expect_error(test, vm, -ETIME, "the handler used up its budget: max_insns is 1000");
	KUNIT_EXPECT_EQ(test, vm->pc, 1);
}

static void calls_and_built_ins_are_charged_too(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	u32 call;

	test_func(c, "main", 0, 1);
	call = test_insn(c, KTAP_OP_CALL, 0, 0, 0, 1);
	TEST_RET(c);
	test_func(c, "f", 0, 1);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	vm->env->max_insns = 1;
	test_expect_error(test, vm, -ETIME, "the handler used up its budget: max_insns is 1");
	c->insns[call] = (struct ktap_code){ .op = KTAP_OP_CALLB,
					     .d = KTAP_FN_PROBENAME };
	vm = test_vm(test, test_load(c), EVENT);
	vm->env->max_insns = 1;
	test_expect_error(test, vm, -ETIME, "the handler used up its budget: max_insns is 1");
}

/* Long code without a loop and long keys are charged, too. */
static void long_code_and_long_keys_cost_more(struct kunit *test)
{
	struct test_chunk *c = test_large_chunk(test, 7000);
	struct ktap_vm *vm;
	char *key;
	int i;

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_CALL, 0, 0, 0, 1);
	TEST_RET(c);
	test_func(c, "f", 0, 1);
	for (i = 0; i < 6400; i++)
		test_insn(c, KTAP_OP_INT, 0, 0, 0, i);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	test_run(test, vm, NULL, 0);
	KUNIT_EXPECT_LT(test, vm->budget, vm->env->max_insns - 200);

	key = kunit_kzalloc(test, 4000, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, key);
	c = test_chunk(test);
	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_STR, 1, 0, 0, test_string_of(c, key, 4000));
	test_insn(c, KTAP_OP_TSET, 0, 1, 1, 0);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	test_run(test, vm, NULL, 0);
	KUNIT_EXPECT_LT(test, vm->budget, vm->env->max_insns - 60);
}

static void process_context_ends_with_the_session(struct kunit *test)
{
	struct ktap_vm *vm = test_vm(test, test_load(endless_loop(test)), PROCESS);
	bool abort = true;

	vm->abort = &abort;
	test_expect_error(test, vm, -EINTR, "the session ends");
}

static void concatenation_converts(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	u32 last;

	test_func(c, "main", 0, 6);
	test_insn(c, KTAP_OP_STR, 1, 0, 0, test_string(c, "a"));
	test_insn(c, KTAP_OP_INTK, 2, 0, 0, test_int(c, S64_MIN));
	test_insn(c, KTAP_OP_NIL, 3, 3, 0, 0);
	test_insn(c, KTAP_OP_BOOL, 4, 1, 0, 0);
	last = test_insn(c, KTAP_OP_STR, 5, 0, 0, test_string(c, ""));
	test_insn(c, KTAP_OP_CONCAT, 0, 1, 5, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_expect_str(test, "a-9223372036854775808niltrue",
			test_run(test, test_vm(test, test_load(c), EVENT), NULL, 0));
	c->insns[last] = (struct ktap_code){ .op = KTAP_OP_FUNC, .a = 5 };
	test_expect_error(test, test_vm(test, test_load(c), EVENT), -EINVAL, "'..' on a function");
}

/*
 * s = "keep" .. 1; then n strings that nothing holds; returns s.  The garbage looks
 * like the header of a large block in the arena.
 */
static struct test_chunk *much_garbage(struct kunit *test, s32 n)
{
	static const u32 forged[] = { 0x8000, 0, 0x8000, 0, 0x8000, 0, 0x8000, 0 };
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 6);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, test_string(c, "keep"));
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_CONCAT, 0, 0, 2, 0);
	test_insn(c, KTAP_OP_INTK, 1, 0, 0, test_int(c, n));
	test_insn(c, KTAP_OP_STR, 2, 0, 0, test_string_of(c, forged, sizeof(forged)));
	/* loop: R[4] = R[2] .. R[1] */
	test_insn(c, KTAP_OP_MOV, 3, 1, 0, 0);
	test_insn(c, KTAP_OP_CONCAT, 4, 2, 2, 0);
	test_insn(c, KTAP_OP_SUBI, 1, 1, 0, 1);
	test_insn(c, KTAP_OP_JGTI, 1, 0, 0, -4);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	return c;
}

static void strings_in_registers_survive_others(struct kunit *test)
{
	struct ktap_vm *vm = test_vm(test, test_load(much_garbage(test, 5000)), EVENT);

	test_expect_str(test, "keep1", test_run(test, vm, NULL, 0));
}

/* Values that an earlier run left on the stack are not roots. */
static void stale_registers_do_no_harm(struct kunit *test)
{
	struct test_chunk *c = much_garbage(test, 5000);
	struct ktap_vm *vm;
	u32 i;

	c->funcs[0].nregs = KTAP_MAX_REGS;
	vm = test_vm(test, test_load(c), EVENT);
	for (i = 0; i < vm->stack_size; i++)
		vm->stack[i] = (struct ktap_value){
			.blob = vm->arena.half[i % 2] + i * 8 % vm->arena.size,
			.tag = i % 17,
			.len = i * 101,
		};
	test_expect_str(test, "keep1", test_run(test, vm, NULL, 0));
	memset(vm->stack, 0xff, vm->stack_size * sizeof(*vm->stack));
	test_expect_str(test, "keep1", test_run(test, vm, NULL, 0));
}

static void empty_strings_survive_too(struct kunit *test)
{
	struct ktap_vm *vm = test_vm(test, test_load(much_garbage(test, 1)), EVENT);
	int i;

	vm->error = 0;
	vm->budget = 10000;
	vm->top = 1;
	vm->stack[0] = KTAP_VALUE_NIL;
	while (vm->arena.size - vm->arena.used > KTAP_MAX_STRLEN + 100)
		KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, 100));
	/* The last block of a full arena. */
	KUNIT_ASSERT_EQ(test, 0, ktap_make_string(vm, "", 0, &vm->stack[0]));
	KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, KTAP_MAX_STRLEN));
	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, 100 + i % 50));
	test_expect_str(test, "", vm->stack[0]);
}

static void too_many_live_strings_are_an_error(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	int i;

	/* Each string is twice as long as the previous one, up to 4096, and all are live. */
	test_func(c, "main", 0, 20);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, test_string(c, "0123456789abcdef"));
	for (i = 0; i < 17; i++) {
		test_insn(c, KTAP_OP_MOV, i + 1, i, 0, 0);
		test_insn(c, KTAP_OP_CONCAT, i + 1, i, 2, 0);
	}
	TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_EXPECT_EQ(test, ktap_vm_run(vm, 0, NULL, 0, NULL), -ENOMEM);
	vm = test_vm(test, test_load(c), PROCESS);
	KUNIT_EXPECT_EQ(test, ktap_vm_run(vm, 0, NULL, 0, NULL), 0);
	/* 16 << 8 is the maximum. */
	KUNIT_EXPECT_EQ(test, vm->stack[8].len, KTAP_MAX_STRLEN);
	KUNIT_EXPECT_EQ(test, vm->stack[9].len, KTAP_MAX_STRLEN);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.cut_strings), 9);
}

/* main: R[0] to R[4] are strings that leave room for two empty ones in the arena. */
static struct test_chunk *full_arena(struct kunit *test, u32 max_insns)
{
	static const char bytes[KTAP_MAX_STRLEN];
	struct test_chunk *c = test_large_chunk(test, max_insns);
	int i;

	/* With a header of 8 bytes each, and an empty one, of the 16120 bytes. */
	test_func(c, "main", 0, 16);
	test_insn(c, KTAP_OP_STR, 5, 0, 0, test_string_of(c, bytes, 4008));
	test_insn(c, KTAP_OP_STR, 6, 0, 0, test_string_of(c, "", 0));
	test_insn(c, KTAP_OP_NIL, 7, 15, 0, 0);
	for (i = 0; i < 4; i++)
		test_insn(c, KTAP_OP_CONCAT, i, 5, 1, 0);
	test_insn(c, KTAP_OP_CONCAT, 4, 6, 1, 0);
	return c;
}

/* Each string moves all live ones: without a charge, long code without a loop would be free. */
static void moves_in_the_arena_are_charged(struct kunit *test)
{
	const u64 one_move = (4 * 4016 + 2 * 16) / 64;
	struct test_chunk *c = full_arena(test, 2100);
	struct ktap_vm *vm;
	u64 paid;
	u32 i;

	for (i = 0; i < 50; i++)
		test_insn(c, KTAP_OP_CONCAT, 7, 6, 1, 0);
	i = TEST_RET(c);
	vm = test_vm(test, test_load(c), EVENT);
	test_run(test, vm, NULL, 0);
	paid = vm->env->max_insns - vm->budget;
	/* There is room for two. */
	KUNIT_EXPECT_GE(test, paid, 48 * one_move);
	KUNIT_EXPECT_LT(test, paid, 50 * one_move * 3 / 2);

	c->insns[i] = (struct ktap_code){ .op = KTAP_OP_CONCAT, .a = 7, .b = 6, .c = 1 };
	for (; i < 2000; i++)
		test_insn(c, KTAP_OP_CONCAT, 7, 6, 1, 0);
	TEST_RET(c);
	test_expect_error(test, test_vm(test, test_load(c), EVENT), -ETIME,
			  "the handler used up its budget: max_insns is 100000");
}

/* Registers are scanned, too, even if hardly anything is live. */
static void registers_scanned_by_the_arena_are_charged(struct kunit *test)
{
	struct ktap_vm *vm = test_vm(test, test_load(endless_loop(test)), EVENT);
	int i;

	for (vm->top = 0; vm->top < KTAP_EVENT_STACK; vm->top++)
		vm->stack[vm->top] = KTAP_VALUE_NIL;
	vm->budget = 100000;
	for (i = 0; i < 900; i++)
		KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, KTAP_MAX_STRLEN));
	/* There is room for three at a time. */
	KUNIT_EXPECT_LE(test, vm->budget, 100000 - 299 * (KTAP_EVENT_STACK / 16));
	vm->budget = 100;
	for (i = 0; i < 7 && ktap_arena_alloc(vm, KTAP_MAX_STRLEN); i++)
		;
	KUNIT_EXPECT_LT(test, i, 7);
	KUNIT_EXPECT_EQ(test, vm->error, -ETIME);
}

/* Garbage costs only the walk over it. */
static void garbage_costs_little(struct kunit *test)
{
	struct ktap_vm *vm = test_vm(test, test_load(endless_loop(test)), EVENT);
	int i;

	vm->top = 0;
	vm->budget = 10000;
	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, 1000));
	KUNIT_EXPECT_GT(test, vm->budget, 5000);
	vm->budget = 10000;
	for (i = 0; i < 1000; i++)
		KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, 8));
	KUNIT_EXPECT_GT(test, vm->budget, 9000);
}

static void many_registers_may_hold_one_string(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_value v;
	int i;

	/* 2 KiB, in 100 registers: it moves once. */
	test_func(c, "main", 0, 110);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, test_string(c, "0123456789abcdef"));
	for (i = 0; i < 7; i++) {
		test_insn(c, KTAP_OP_MOV, 1, 0, 0, 0);
		test_insn(c, KTAP_OP_CONCAT, 0, 0, 2, 0);
	}
	for (i = 1; i < 100; i++)
		test_insn(c, KTAP_OP_MOV, i, 0, 0, 0);
	for (i = 0; i < 100; i++)
		test_insn(c, KTAP_OP_CONCAT, 100, 99, 1, 0);
	test_insn(c, KTAP_OP_RET, 50, 1, 0, 0);
	v = test_run(test, test_vm(test, test_load(c), EVENT), NULL, 0);
	KUNIT_ASSERT_EQ(test, v.len, 2048);
	KUNIT_EXPECT_EQ(test, 0, memcmp(v.blob + 2032, "0123456789abcdef", 16));
}

static void a_compound_key_is_flattened(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_value v, part;
	size_t pos = 0;

	test_func(c, "main", 0, 6);
	test_insn(c, KTAP_OP_STR, 1, 0, 0, test_string(c, "name"));
	test_insn(c, KTAP_OP_INT, 2, 0, 0, -1);
	test_insn(c, KTAP_OP_NIL, 3, 3, 0, 0);
	test_insn(c, KTAP_OP_TUPLE, 0, 1, 3, 0);
	/* A key inside another one is flattened. */
	test_insn(c, KTAP_OP_BOOL, 1, 1, 0, 0);
	test_insn(c, KTAP_OP_TUPLE, 0, 0, 2, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	v = test_run(test, test_vm(test, test_load(c), EVENT), NULL, 0);
	KUNIT_ASSERT_EQ(test, v.tag, KTAP_TUPLE);
	KUNIT_EXPECT_TRUE(test, ktap_tuple_next(&v, &pos, &part));
	test_expect_str(test, "name", part);
	KUNIT_EXPECT_TRUE(test, ktap_tuple_next(&v, &pos, &part));
	test_expect_int(test, -1, part);
	KUNIT_EXPECT_TRUE(test, ktap_tuple_next(&v, &pos, &part));
	KUNIT_EXPECT_EQ(test, part.tag, KTAP_NIL);
	KUNIT_EXPECT_TRUE(test, ktap_tuple_next(&v, &pos, &part));
	KUNIT_EXPECT_EQ(test, part.tag, KTAP_BOOL);
	KUNIT_EXPECT_FALSE(test, ktap_tuple_next(&v, &pos, &part));
}

/* Make the same key in one pass and the general way, in an arena that held other bytes. */
static void expect_small_tuple(struct kunit *test, struct ktap_vm *vm, unsigned int n, bool small)
{
	struct ktap_value *r = vm->stack;

	memset(vm->arena.half[0], 0xa5, KTAP_EVENT_ARENA);
	vm->arena.cur = 0;
	vm->arena.used = 0;
	vm->budget = 10000;
	vm->top = 20;
	r[18] = KTAP_VALUE_NIL;
	KUNIT_ASSERT_EQ(test, small, ktap_op_small_tuple(vm, &r[18], r, n));
	KUNIT_ASSERT_EQ(test, 0, ktap_op_tuple(vm, &r[19], r, n));
	if (!small) {
		KUNIT_EXPECT_EQ(test, r[18].tag, KTAP_NIL);
		return;
	}
	KUNIT_EXPECT_EQ(test, r[18].tag, KTAP_TUPLE);
	KUNIT_EXPECT_TRUE(test, ktap_equal(&r[18], &r[19]));
	/* It is a block of the arena. */
	KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, KTAP_MAX_STRLEN));
	KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, KTAP_MAX_STRLEN));
	KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, KTAP_MAX_STRLEN));
	KUNIT_ASSERT_NOT_NULL(test, ktap_arena_alloc(vm, KTAP_MAX_STRLEN));
	KUNIT_EXPECT_EQ(test, r[18].tag, KTAP_TUPLE);
	KUNIT_EXPECT_TRUE(test, ktap_equal(&r[18], &r[19]));
}

static void small_compound_keys_are_made_in_one_pass(struct kunit *test)
{
	struct ktap_vm *vm = test_vm(test, test_load(much_garbage(test, 1)), EVENT);
	static const char name[] = "0123456789abcdefg";
	struct ktap_value *r = vm->stack;
	u32 len, i;

	for (len = 0; len < sizeof(name); len++) {
		r[0] = KTAP_VALUE_STR(name, len);
		r[1] = KTAP_VALUE_INT(-1);
		r[2] = KTAP_VALUE_STR(name + 1, min(len, 16));
		expect_small_tuple(test, vm, 2, len <= 16);
		expect_small_tuple(test, vm, 3, len <= 16);
	}
	/* The type of a pointer and the hidden part of an integer are not in the key. */
	r[0] = KTAP_VALUE_TYPED(1000, 7);
	r[1] = KTAP_VALUE_BOOL(true);
	r[2] = KTAP_VALUE_INT(5);
	r[2].len = 3;
	expect_small_tuple(test, vm, 3, true);
	/* Other parts, and many parts, take the general way. */
	r[3] = KTAP_VALUE_NIL;
	expect_small_tuple(test, vm, 4, false);
	r[3] = KTAP_VALUE_ARRAY(name, 1);
	expect_small_tuple(test, vm, 4, false);
	for (i = 0; i < 8; i++)
		r[i] = KTAP_VALUE_STR(name, 16);
	expect_small_tuple(test, vm, 7, true);
	expect_small_tuple(test, vm, 8, false);
	/* A full arena */
	vm->arena.used = vm->arena.size - 200 - vm->arena.size / 64;
	KUNIT_EXPECT_TRUE(test, ktap_op_small_tuple(vm, &r[18], r, 2));
	KUNIT_EXPECT_FALSE(test, ktap_op_small_tuple(vm, &r[18], r, 2));
}

/* An event whose field n is n, and whose text is "text\n". */
static void event_name(const struct ktap_event *ev, struct ktap_value *v)
{
	*v = KTAP_VALUE_STR("sys:event", 9);
}

static void event_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	*v = KTAP_VALUE_INT(index);
}

static void event_arg(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	*v = KTAP_VALUE_INT(100 + n);
}

static int event_text(struct ktap_vm *vm, struct ktap_value *v)
{
	return ktap_make_string(vm, "text\n", 5, v);
}

static const struct ktap_event_ops event_ops = {
	.name = event_name,
	.field = event_field,
	.arg = event_arg,
	.text = event_text,
};

static const struct ktap_event event = { .ops = &event_ops };

static struct ktap_value run_event(struct kunit *test, struct test_chunk *c)
{
	struct ktap_value ev = { .tag = KTAP_EVENT, .blob = &event };
	struct ktap_vm *vm = test_vm(test, test_load(c), EVENT);

	vm->event = &event;
	return test_run(test, vm, &ev, 1);
}

/* A chunk whose main becomes a handler after it is loaded: see run_event(). */
static struct test_chunk *handler(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "handler", 1, 4);
	c->header.main = cpu_to_le32(1);
	return c;
}

static struct test_chunk *end_handler(struct test_chunk *c, u8 result)
{
	test_insn(c, KTAP_OP_RET, result, 1, 0, 0);
	test_func(c, "main", 0, 1);
	TEST_RET(c);
	return c;
}

static void an_event_has_fields_and_arguments(struct kunit *test)
{
	struct test_chunk *c;

	c = handler(test);
	test_field(c, "a");
	test_insn(c, KTAP_OP_FIELD, 1, 0, 0, test_field(c, "b"));
	test_expect_int(test, 1, run_event(test, end_handler(c, 1)));
	c = handler(test);
	test_field(c, "a");
	test_insn(c, KTAP_OP_TGETS, 1, 0, 0, test_string(c, "b"));
	test_expect_int(test, 1, run_event(test, end_handler(c, 1)));
	c = handler(test);
	test_insn(c, KTAP_OP_ARG, 1, 0, 0, 3);
	test_expect_int(test, 103, run_event(test, end_handler(c, 1)));
	c = handler(test);
	test_insn(c, KTAP_OP_CALLB, 1, 0, 0, KTAP_FN_PROBENAME);
	test_expect_str(test, "sys:event", run_event(test, end_handler(c, 1)));
	c = handler(test);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_TOSTRING);
	test_expect_str(test, "text\n", run_event(test, end_handler(c, 0)));
	/* Fields unknown to its source are nil. */
	c = handler(test);
	test_insn(c, KTAP_OP_CALLB, 1, 0, 0, KTAP_FN_RETVAL);
	KUNIT_EXPECT_EQ(test, run_event(test, end_handler(c, 1)).tag, KTAP_NIL);
}

static void text_of_an_event_is_a_string(struct kunit *test)
{
	struct test_chunk *c;

	c = handler(test);
	test_insn(c, KTAP_OP_CALLB, 1, 0, 0, KTAP_FN_ARGSTR);
	test_insn(c, KTAP_OP_STR, 2, 0, 0, test_string(c, "text"));
	test_insn(c, KTAP_OP_EQ, 3, 1, 2, 0);
	KUNIT_EXPECT_EQ(test, run_event(test, end_handler(c, 3)).u, 1);
	c = handler(test);
	test_insn(c, KTAP_OP_CALLB, 1, 0, 0, KTAP_FN_ARGSTR);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 1);
	test_insn(c, KTAP_OP_CONCAT, 3, 1, 2, 0);
	test_expect_str(test, "text1", run_event(test, end_handler(c, 3)));
	c = handler(test);
	test_insn(c, KTAP_OP_CALLB, 1, 0, 0, KTAP_FN_ARGSTR);
	test_insn(c, KTAP_OP_CALLB, 1, 1, 0, KTAP_FN_LEN);
	test_expect_int(test, 4, run_event(test, end_handler(c, 1)));
}

static void an_event_cannot_be_stored(struct kunit *test)
{
	struct ktap_value ev = { .tag = KTAP_EVENT, .blob = &event };
	struct test_chunk *c = handler(test);
	struct ktap_vm *vm;

	test_insn(c, KTAP_OP_SETG, 0, 0, 0, test_global(c, "g"));
	vm = test_vm(test, test_load(end_handler(c, 0)), EVENT);
	vm->event = &event;
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, &ev, 1, NULL));
	KUNIT_EXPECT_STREQ(test, vm->message, "an event cannot be kept: it ends with its handler");
}

static void symbols_need_process_context(struct kunit *test)
{
	unsigned long frame = 0x10;
	struct ktap_value stack = { .blob = &frame, .tag = KTAP_KSTACK, .len = sizeof(frame) };
	struct test_chunk *c = handler(test);
	struct ktap_value result;
	struct ktap_vm *vm;

	test_insn(c, KTAP_OP_INT, 1, 0, 0, 5);
	test_insn(c, KTAP_OP_TUPLE, 0, 0, 2, 0);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_TOSTRING);
	end_handler(c, 0);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, &stack, 1, NULL));
	stack = KTAP_VALUE_BOOL(true);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, &stack, 1, &result));
	test_expect_str(test, "true, 5", result);
}

static void some_built_ins_need_process_context(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_PRINT_HIST);
	TEST_RET(c);
	test_expect_error(test, test_vm(test, test_load(c), EVENT), -EPERM,
			  "print_hist works in trace_begin, trace_end, tick and at the top level");
}

static void an_iteration_survives_overwritten_registers(struct kunit *test)
{
	static const struct ktap_code scribbles[] = {
		{ .op = KTAP_OP_INT, .a = 1, .d = -1 },
		{ .op = KTAP_OP_INT, .a = 2, .d = 77 },
		{ .op = KTAP_OP_STR, .a = 1 },
		{ .op = KTAP_OP_FUNC, .a = 2 },
		{ .op = KTAP_OP_NIL, .a = 0, .b = 2 },
		{ .op = KTAP_OP_INT, .a = 0, .d = 4096 },
		{ .op = KTAP_OP_NEWT, .a = 0 },
	};
	struct test_chunk *c;
	struct ktap_vm *vm;
	int i, err;

	for (i = 0; i < ARRAY_SIZE(scribbles); i++) {
		c = test_chunk(test);
		test_func(c, "main", 0, 5);
		test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
		test_insn(c, KTAP_OP_INT, 1, 0, 0, 1);
		test_insn(c, KTAP_OP_TSETI, 0, 0, 1, 1);
		test_insn(c, KTAP_OP_TSETI, 0, 0, 1, 2);
		test_insn(c, KTAP_OP_ITER, 0, 0, 0, 0);
		test_insn(c, KTAP_OP_NEXT, 0, 0, 0, 2);
		c->insns[test_insn(c, 0, 0, 0, 0, 0)] = scribbles[i];
		test_insn(c, KTAP_OP_JMP, 0, 0, 0, -3);
		TEST_RET(c);
		vm = test_vm(test, test_load(c), EVENT);
		err = ktap_vm_run(vm, 0, NULL, 0, NULL);
		/* It may be endless: the budget ends it. */
		KUNIT_EXPECT_TRUE(test, err == 0 || err == -EINVAL || err == -ETIME);
	}
}

/* for (i = first, last, step) n = n * 10 + i; gives n. */
static struct test_chunk *counting(struct kunit *test, s64 first, s64 last, s64 step)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 5);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_INTK, 1, 0, 0, test_int(c, first));
	test_insn(c, KTAP_OP_INTK, 2, 0, 0, test_int(c, last));
	test_insn(c, KTAP_OP_INTK, 3, 0, 0, test_int(c, step));
	test_insn(c, KTAP_OP_FORPREP, 1, 0, 0, 3);
	test_insn(c, KTAP_OP_MULI, 0, 0, 0, 10);
	test_insn(c, KTAP_OP_ADD, 0, 0, 4, 0);
	test_insn(c, KTAP_OP_FORLOOP, 1, 0, 0, -3);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	return c;
}

static void counting_loops_end_at_integer_limits(struct kunit *test)
{
	static const struct {
		s64 first;
		s64 last;
		s64 step;
		s64 want;
	} loops[] = {
		{ 1, 5, 1, 12345 },
		{ 1, 5, 2, 135 },
		{ 5, 1, -2, 531 },
		{ 5, 5, 1, 5 },
		{ 5, 5, -1, 5 },
		{ 6, 5, 1, 0 },
		{ 5, 6, -1, 0 },
		{ S64_MAX, S64_MAX, 1, S64_MAX },
		{ S64_MAX - 1, S64_MAX, S64_MAX, S64_MAX - 1 },
		{ S64_MIN, S64_MIN, S64_MIN, S64_MIN },
		{ S64_MIN, S64_MAX, S64_MAX, S64_MAX - 11 },
		{ 0, S64_MIN, S64_MIN, S64_MIN },
	};
	struct ktap_vm *vm;
	int i;

	for (i = 0; i < ARRAY_SIZE(loops); i++) {
		vm = test_vm(test, test_load(counting(test, loops[i].first, loops[i].last,
						      loops[i].step)), EVENT);
		test_expect_int(test, loops[i].want, test_run(test, vm, NULL, 0));
	}
	test_expect_error(test, test_vm(test, test_load(counting(test, 1, 2, 0)), EVENT), -EINVAL,
			  "the step of 'for' is zero");
}

static void an_error_has_a_backtrace(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	char buf[400];

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_NIL, 0, 1, 0, 0);
	test_insn(c, KTAP_OP_CALL, 0, 0, 0, 1);
	TEST_RET(c);
	test_func(c, "f", 0, 2);
	test_insn(c, KTAP_OP_NIL, 0, 1, 0, 0);
	test_insn(c, KTAP_OP_DIV, 0, 0, 1, 0);
	TEST_RET(c);
	test_lines(c);
	c->lines[4].column = cpu_to_le16(9);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_EXPECT_EQ(test, -EDOM, ktap_vm_run(vm, 0, NULL, 0, NULL));
	KUNIT_EXPECT_EQ(test, ktap_vm_backtrace(vm, buf, sizeof(buf)), strlen(buf));
	KUNIT_EXPECT_STREQ(test, buf, "test.kp:5:9: error: division by zero\n"
			   "  in f (test.kp:5)\n"
			   "  in main (test.kp:2)\n");
	/* The text may be cut. */
	KUNIT_EXPECT_EQ(test, ktap_vm_backtrace(vm, buf, 10), 9);
	KUNIT_EXPECT_STREQ(test, buf, "test.kp:5");
}

static void deep_backtraces_are_cut(struct kunit *test)
{
	struct ktap_vm *vm = test_vm(test, test_load(endless_recursion(test, 2)), PROCESS);
	char buf[800];
	size_t len;

	KUNIT_EXPECT_EQ(test, -ENOSPC, ktap_vm_run(vm, 0, NULL, 0, NULL));
	len = ktap_vm_backtrace(vm, buf, sizeof(buf));
	KUNIT_EXPECT_LT(test, len, sizeof(buf) - 1);
	KUNIT_EXPECT_TRUE(test, strstr(buf, "\n  and 1985 more\n"));
}

static struct kunit_case vm_cases[] = {
	KUNIT_CASE(a_call_passes_arguments_and_results),
	KUNIT_CASE(call_depth_is_limited_by_the_stack),
	KUNIT_CASE(a_handler_has_a_budget),
	KUNIT_CASE(calls_and_built_ins_are_charged_too),
	KUNIT_CASE(long_code_and_long_keys_cost_more),
	KUNIT_CASE(process_context_ends_with_the_session),
	KUNIT_CASE(concatenation_converts),
	KUNIT_CASE(strings_in_registers_survive_others),
	KUNIT_CASE(stale_registers_do_no_harm),
	KUNIT_CASE(empty_strings_survive_too),
	KUNIT_CASE(too_many_live_strings_are_an_error),
	KUNIT_CASE(moves_in_the_arena_are_charged),
	KUNIT_CASE(registers_scanned_by_the_arena_are_charged),
	KUNIT_CASE(garbage_costs_little),
	KUNIT_CASE(many_registers_may_hold_one_string),
	KUNIT_CASE(a_compound_key_is_flattened),
	KUNIT_CASE(small_compound_keys_are_made_in_one_pass),
	KUNIT_CASE(an_event_has_fields_and_arguments),
	KUNIT_CASE(text_of_an_event_is_a_string),
	KUNIT_CASE(an_event_cannot_be_stored),
	KUNIT_CASE(symbols_need_process_context),
	KUNIT_CASE(some_built_ins_need_process_context),
	KUNIT_CASE(an_iteration_survives_overwritten_registers),
	KUNIT_CASE(counting_loops_end_at_integer_limits),
	KUNIT_CASE(an_error_has_a_backtrace),
	KUNIT_CASE(deep_backtraces_are_cut),
	{}
};

static struct kunit_suite vm_suite = {
	.name = "ktap_vm",
	.test_cases = vm_cases,
};

kunit_test_suite(vm_suite);
