// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions that do the work of several: when they are made, and that their results are
 * those of the ones that they replace.
 */
#include <linux/preempt.h>

#include <asm/byteorder.h>

#include "jit/jit.h"
#include "load/rewrite.h"
#include "tests/build.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/opcode.h"
#include "vm/ops.h"
#include "vm/run.h"

#define EVENT	KTAP_LEVEL_TASK
#define PROCESS	KTAP_LEVEL_PROCESS

enum { MAIN, FILTER, HANDLER };

/* The value of a field, less its number */
static s64 field_base = 1000;

static void event_field(struct ktap_vm *vm, u32 index, struct ktap_value *v)
{
	*v = KTAP_VALUE_INT(field_base + index);
}

static const struct ktap_event_ops event_ops = { .field = event_field };
static const struct ktap_event event = { .ops = &event_ops };

/* A chunk with the globals "n" and "m" and an empty function "main". */
static struct test_chunk *chunk(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_global(c, "n");
	test_global(c, "m");
	test_func(c, "main", 0, 1);
	TEST_RET(c);
	return c;
}

/* Run a probe with or without a filter; return the error. */
static int run(struct ktap_vm *vm, bool filter)
{
	const struct ktap_func *f = vm->env->prog->funcs;
	const struct ktap_func *first = filter ? &f[FILTER] : NULL;
	const struct ktap_func *handler = &f[filter ? HANDLER : FILTER];
	const struct ktap_native *native;
	int err;

	/* The code was changed. */
	ktap_jit_free(vm->env);
	native = ktap_jit_compile(vm->env, first, handler, "ktap_test");
	preempt_disable();
	err = ktap_vm_handle(vm, first, handler, native, &event, U64_MAX);
	preempt_enable();
	return err;
}

static struct ktap_value value_of(struct kunit *test, struct ktap_vm *vm, u32 n)
{
	struct ktap_value v;

	KUNIT_EXPECT_EQ(test, 0, ktap_global_get(vm, n, &v));
	return v;
}

static void expect_ops(struct kunit *test, const struct ktap_program *prog, u32 func,
		       const u8 *ops, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		KUNIT_EXPECT_EQ_MSG(test, ops[i], prog->funcs[func].code[i].op, "%u", i);
}

/* n += 5, m += 5 by the same register, n += -2 */
static struct test_chunk *additions(struct kunit *test, const char *event_name)
{
	struct test_chunk *c = chunk(test);

	test_func(c, "handler", 1, 2);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 5);
	test_insn(c, KTAP_OP_ADDG, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_ADDG, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, -2);
	test_insn(c, KTAP_OP_ADDG, 1, 0, 0, 0);
	TEST_RET(c);
	test_probe(c, event_name, KTAP_NONE, 1);
	return c;
}

static void additions_of_a_handler_are_one_instruction(struct kunit *test)
{
	static const u8 ops[] = { KTAP_OP_SUMI, KTAP_OP_SUM, KTAP_OP_SUM, KTAP_OP_SUMEND,
				  KTAP_OP_SUM, KTAP_OP_END };
	struct ktap_program *prog = test_load(additions(test, "a:b"));
	struct ktap_vm *vm = test_vm(test, prog, EVENT);
	u64 paid;

	KUNIT_EXPECT_EQ(test, 0, run(vm, false));
	paid = vm->env->max_insns - vm->budget;
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	expect_ops(test, prog, 1, ops, ARRAY_SIZE(ops));
	KUNIT_EXPECT_EQ(test, 0, run(vm, false));
	KUNIT_EXPECT_EQ(test, paid, vm->env->max_insns - vm->budget);
	test_expect_int(test, 6, value_of(test, vm, 0));
	test_expect_int(test, 10, value_of(test, vm, 1));
	/* A result that nobody needs is nil. */
	preempt_disable();
	vm->result = KTAP_VALUE_INT(1);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 1, NULL, 0, NULL));
	preempt_enable();
	KUNIT_EXPECT_EQ(test, KTAP_NIL, vm->result.tag);
}

/* SUM fails, and has another line than INT; or its error is caught there. */
static void an_addition_that_fails_does_so_at_its_place(struct kunit *test)
{
	struct test_chunk *c = additions(test, "a:b");
	struct ktap_value text = KTAP_VALUE_STR("x", 1);
	struct ktap_program *prog;
	struct ktap_vm *vm;
	u32 n;

	for (n = 0; n < 2; n++) {
		prog = test_load(c);
		KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
		vm = test_vm(test, prog, EVENT);
		vm->budget = 1000;
		KUNIT_EXPECT_EQ(test, 0, ktap_global_set(vm, n, &text));
		KUNIT_EXPECT_EQ(test, -EINVAL, run(vm, false));
		KUNIT_EXPECT_EQ(test, prog->funcs[1].first + 1 + n, vm->fault.pc);
	}
	test_expect_int(test, 5, value_of(test, vm, 0));
	/* The error of the first addition to n is caught, that of the second one is not. */
	test_try(c, 2, 3, 4, 1);
	prog = test_load(c);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	vm = test_vm(test, prog, EVENT);
	vm->budget = 1000;
	KUNIT_EXPECT_EQ(test, 0, ktap_global_set(vm, 0, &text));
	KUNIT_EXPECT_EQ(test, -EINVAL, run(vm, false));
	KUNIT_EXPECT_EQ(test, 5, vm->fault.pc);
}

/* The code of functions in process context, of callees and of values stays what it is. */
static void other_functions_are_not_rewritten(struct kunit *test)
{
	static const u8 ops[] = { KTAP_OP_INT, KTAP_OP_SUM, KTAP_OP_SUM, KTAP_OP_INT,
				  KTAP_OP_SUM, KTAP_OP_RET };
	struct ktap_program *prog = test_load(additions(test, "tick-1s"));
	struct test_chunk *c;

	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	expect_ops(test, prog, 1, ops, ARRAY_SIZE(ops));
	c = additions(test, "a:b");
	test_func(c, "caller", 1, 2);
	test_insn(c, KTAP_OP_CALL, 1, 0, 0, 1);
	TEST_RET(c);
	prog = test_load(c);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	expect_ops(test, prog, 1, ops, ARRAY_SIZE(ops));
	c->insns[c->ninsns - 2] = (struct ktap_code){ .op = KTAP_OP_FUNC, .a = 1, .d = 1 };
	prog = test_load(c);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	expect_ops(test, prog, 1, ops, ARRAY_SIZE(ops));
	/* No probe has it. */
	c = additions(test, "a:b");
	c->probes[0].handler = cpu_to_le32(MAIN);
	prog = test_load(c);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	expect_ops(test, prog, 1, ops, ARRAY_SIZE(ops));
}

/* A filter that compares "n" with 5, and a handler */
static struct test_chunk *comparison(struct kunit *test, u8 op, bool first, bool not)
{
	struct test_chunk *c = chunk(test);

	test_func(c, "filter", 0, 3);
	test_insn(c, KTAP_OP_GETG, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 5);
	test_insn(c, op, 0, first ? 2 : 1, first ? 1 : 2, 0);
	if (not)
		test_insn(c, KTAP_OP_NOT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "handler", 1, 2);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_probe(c, "a:b", FILTER, HANDLER);
	return c;
}

static void a_comparison_that_ends_a_filter_is_one_instruction(struct kunit *test)
{
	static const struct {
		u8 op;
		bool first;
		bool not;
		u8 made;
	} cases[] = {
		{ KTAP_OP_EQ, false, false, KTAP_OP_TESTEQ },
		{ KTAP_OP_EQ, true, false, KTAP_OP_TESTEQ },
		{ KTAP_OP_EQ, false, true, KTAP_OP_TESTNE },
		{ KTAP_OP_EQ, true, true, KTAP_OP_TESTNE },
		{ KTAP_OP_LT, false, false, KTAP_OP_TESTLT },
		{ KTAP_OP_LT, true, false, KTAP_OP_TESTGT },
		{ KTAP_OP_LT, false, true, KTAP_OP_TESTGE },
		{ KTAP_OP_LT, true, true, KTAP_OP_TESTLE },
		{ KTAP_OP_LE, false, false, KTAP_OP_TESTLE },
		{ KTAP_OP_LE, true, false, KTAP_OP_TESTGE },
		{ KTAP_OP_LE, false, true, KTAP_OP_TESTGT },
		{ KTAP_OP_LE, true, true, KTAP_OP_TESTLT },
	};
	struct ktap_value values[] = {
		KTAP_VALUE_INT(4), KTAP_VALUE_INT(5), KTAP_VALUE_INT(6), KTAP_VALUE_INT(-1),
		KTAP_VALUE_INT(S64_MIN), KTAP_VALUE_INT(S64_MAX), KTAP_VALUE_INT(1LL << 32 | 5),
		KTAP_VALUE_NIL, KTAP_VALUE_STR("5", 1), KTAP_VALUE_BOOL(true), KTAP_VALUE_PTR(5),
	};
	struct ktap_vm *vm, *other;
	unsigned int i, k;
	int err;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct test_chunk *c = comparison(test, cases[i].op, cases[i].first, cases[i].not);

		vm = test_vm(test, test_load(c), EVENT);
		KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(vm->env->prog));
		other = test_vm(test, test_load(c), EVENT);
		KUNIT_EXPECT_EQ(test, cases[i].made, vm->env->prog->funcs[FILTER].code[1].op);
		for (k = 0; k < ARRAY_SIZE(values); k++) {
			KUNIT_EXPECT_EQ(test, 0, ktap_global_set(vm, 0, &values[k]));
			KUNIT_EXPECT_EQ(test, 0, ktap_global_set(other, 0, &values[k]));
			err = run(other, true);
			KUNIT_EXPECT_EQ_MSG(test, err, run(vm, true), "case %u, value %u", i, k);
			KUNIT_EXPECT_EQ_MSG(test, !other->handler, !vm->handler,
					    "case %u, value %u", i, k);
			KUNIT_EXPECT_EQ(test, other->budget, vm->budget);
			if (!err && !vm->handler)
				KUNIT_EXPECT_EQ(test, KTAP_EVENT, vm->result.tag);
			if (err)
				KUNIT_EXPECT_EQ(test, other->fault.pc, vm->fault.pc);
		}
		/* Alone, it returns its result. */
		KUNIT_EXPECT_EQ(test, 0, ktap_global_set(vm, 0, &values[1]));
		KUNIT_EXPECT_EQ(test, 0, ktap_global_set(other, 0, &values[1]));
		KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, FILTER, NULL, 0, NULL));
		KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(other, FILTER, NULL, 0, NULL));
		KUNIT_EXPECT_EQ(test, ktap_is_true(&other->result), ktap_is_true(&vm->result));
	}
}

static void other_ends_of_filters_are_not_rewritten(struct kunit *test)
{
	struct test_chunk *c = comparison(test, KTAP_OP_EQ, false, false);
	struct ktap_program *prog;

	/* Another register is returned. */
	c->insns[4].a = 1;
	prog = test_load(c);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	KUNIT_EXPECT_EQ(test, KTAP_OP_INT, prog->funcs[FILTER].code[1].op);
	KUNIT_EXPECT_EQ(test, KTAP_OP_DECIDE, prog->funcs[FILTER].code[3].op);
	/* The integer is compared with itself. */
	c = comparison(test, KTAP_OP_EQ, false, false);
	c->insns[3].b = 2;
	prog = test_load(c);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	KUNIT_EXPECT_EQ(test, KTAP_OP_INT, prog->funcs[FILTER].code[1].op);
	/* It is not compared. */
	c = comparison(test, KTAP_OP_ADD, false, false);
	prog = test_load(c);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	KUNIT_EXPECT_EQ(test, KTAP_OP_INT, prog->funcs[FILTER].code[1].op);
	/* The filter is a handler, too. */
	c = comparison(test, KTAP_OP_EQ, false, false);
	test_probe(c, "a:c", KTAP_NONE, FILTER);
	prog = test_load(c);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	KUNIT_EXPECT_EQ(test, KTAP_OP_INT, prog->funcs[FILTER].code[1].op);
	KUNIT_EXPECT_EQ(test, KTAP_OP_RET, prog->funcs[FILTER].code[3].op);
}

/* "n" is set by the top level, "m" as the argument says; the handler returns both. */
static struct test_chunk *constants(struct kunit *test, u8 op)
{
	struct test_chunk *c = test_chunk(test);
	u32 text = test_string(c, "text");

	test_global(c, "n");
	test_global(c, "m");
	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 5);
	test_insn(c, KTAP_OP_SETG, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, text);
	test_insn(c, KTAP_OP_SETG, 0, 0, 0, 1);
	TEST_RET(c);
	test_func(c, "handler", 1, 4);
	test_insn(c, KTAP_OP_GETG, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_GETG, 2, 0, 0, 1);
	test_insn(c, KTAP_OP_INT, 3, 0, 0, 1);
	if (op)
		test_insn(c, op, 3, 0, 0, op == KTAP_OP_CALL ? MAIN : 0);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	test_probe(c, "a:b", KTAP_NONE, 1);
	return c;
}

static void globals_of_the_top_level_are_constants(struct kunit *test)
{
	static const u8 changes[] = { KTAP_OP_SETG, KTAP_OP_ADDG, KTAP_OP_CALL };
	struct ktap_program *prog = test_load(constants(test, 0));
	struct ktap_vm *vm = test_vm(test, prog, EVENT);
	struct test_chunk *c;
	int i;

	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, MAIN, NULL, 0, NULL));
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	KUNIT_EXPECT_EQ(test, KTAP_OP_GETC, prog->funcs[1].code[0].op);
	KUNIT_EXPECT_EQ(test, KTAP_OP_GETC, prog->funcs[1].code[1].op);
	KUNIT_EXPECT_EQ(test, 0, run(vm, false));
	test_expect_str(test, "text", vm->result);
	test_expect_int(test, 5, vm->stack[1]);
	/* The text is a copy, like that of any other global. */
	KUNIT_EXPECT_TRUE(test, vm->result.blob != vm->env->globals[1].value.blob);

	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		prog = test_load(constants(test, changes[i]));
		KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
		KUNIT_EXPECT_EQ(test, KTAP_OP_GETG, prog->funcs[1].code[0].op);
	}
	/* The top level runs again. */
	for (i = 0; i < 2; i++) {
		c = constants(test, 0);
		test_probe(c, i ? "a:c" : "trace_begin", KTAP_NONE, MAIN);
		prog = test_load(c);
		KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
		KUNIT_EXPECT_EQ(test, KTAP_OP_GETG, prog->funcs[1].code[0].op);
	}
}

/* The handler sets n, m, self.a and self.b to a field, in this order; @more follows. */
static struct test_chunk *sets(struct kunit *test, struct ktap_code more, u32 *names)
{
	struct test_chunk *c = test_chunk(test);

	test_global(c, "n");
	test_global(c, "m");
	names[0] = test_string(c, "a");
	names[1] = test_string(c, "b");
	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_STR, 0, 0, 0, names[0]);
	test_insn(c, KTAP_OP_SETG, 0, 0, 0, 1);
	TEST_RET(c);
	test_func(c, "handler", 1, 6);
	test_insn(c, KTAP_OP_FIELD, 1, KTAP_NEED_NOTHING, 0, test_field(c, "f"));
	test_insn(c, KTAP_OP_ADDI, 1, 1, 0, 5);
	test_insn(c, KTAP_OP_NIL, 2, 2, 0, 0);
	test_insn(c, KTAP_OP_STR, 3, 0, 0, names[0]);
	test_insn(c, KTAP_OP_SETG, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_SETG, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_SETSELF, 1, 0, 0, names[0]);
	test_insn(c, KTAP_OP_SETSELF, 1, 0, 0, names[1]);
	test_insn(c, more.op, more.a, 0, 0, more.op == KTAP_OP_SETG || more.op == KTAP_OP_ADDG ?
		  more.d : names[more.d]);
	test_insn(c, KTAP_OP_GETSELF, 4, 0, 0, names[0]);
	test_insn(c, KTAP_OP_RET, 4, 1, 0, 0);
	test_probe(c, "a:b", KTAP_NONE, 1);
	return c;
}

/* The first of these sets */
#define FIRST_SET	4

static void sets_of_integers_are_made(struct kunit *test)
{
	static const struct {
		struct ktap_code more;
		u32 stays;		/* the set that is not replaced, by its place; or none */
	} cases[] = {
		{ { .op = KTAP_OP_SETG, .a = 1, .d = 0 }, 4 },
		{ { .op = KTAP_OP_SETG, .a = 2, .d = 0 }, 0 },
		{ { .op = KTAP_OP_SETG, .a = 3, .d = 1 }, 1 },
		{ { .op = KTAP_OP_ADDG, .a = 1, .d = 0 }, 0 },
		{ { .op = KTAP_OP_SETSELF, .a = 2, .d = 0 }, 4 },
		{ { .op = KTAP_OP_SETSELF, .a = 3, .d = 0 }, 2 },
		{ { .op = KTAP_OP_SETSELF, .a = 3, .d = 1 }, 3 },
		{ { .op = KTAP_OP_ADDSELF, .a = 1, .d = 1 }, 3 },
	};
	static const u8 ops[][4] = {
		{ KTAP_OP_SETGN, KTAP_OP_SETGN, KTAP_OP_SETSELFN, KTAP_OP_SETSELFN },
		{ KTAP_OP_SETG, KTAP_OP_SETG, KTAP_OP_SETSELF, KTAP_OP_SETSELF },
	};
	struct ktap_program *prog;
	unsigned int i, k;
	u32 names[2];
	bool stays;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		prog = test_load(sets(test, cases[i].more, names));
		KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
		for (k = 0; k < 4; k++) {
			stays = !IS_ENABLED(CONFIG_64BIT) || k == cases[i].stays;
			KUNIT_EXPECT_EQ_MSG(test, ops[stays][k],
					    prog->funcs[1].code[FIRST_SET + k].op,
					    "case %u, set %u", i, k);
		}
	}
}

/* Sets that are not replaced because of another function than the handler */
static void sets_of_other_functions_count(struct kunit *test)
{
	const struct ktap_code more = { .op = KTAP_OP_SETSELF, .a = 1, .d = 0 };
	struct ktap_program *prog;
	struct test_chunk *c;
	u32 names[2], i;

	/* A handler of another event, and a function in process context */
	for (i = 0; i < 2; i++) {
		c = sets(test, more, names);
		test_func(c, "other", 0, 1);
		test_insn(c, KTAP_OP_STR, 0, 0, 0, names[0]);
		test_insn(c, KTAP_OP_SETG, 0, 0, 0, 0);
		TEST_RET(c);
		if (i)
			test_probe(c, "trace_end", KTAP_NONE, 2);
		else
			test_probe(c, "a:c", KTAP_NONE, 2);
		prog = test_load(c);
		KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
		KUNIT_EXPECT_EQ(test, KTAP_OP_SETG, prog->funcs[1].code[FIRST_SET].op);
	}
	/* The condition of a probe */
	c = sets(test, more, names);
	c->probes[0].condition = cpu_to_le32(1);
	prog = test_load(c);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	KUNIT_EXPECT_EQ(test, KTAP_OP_SETG, prog->funcs[1].code[FIRST_SET].op);
	/* Fields that only the top level sets to something else */
	c = sets(test, more, names);
	c->insns[1] = (struct ktap_code){ .op = KTAP_OP_SETSELF, .d = names[1] };
	prog = test_load(c);
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	KUNIT_EXPECT_EQ(test, KTAP_OP_SETSELF, prog->funcs[1].code[FIRST_SET + 3].op);
}

static void expect_sets(struct kunit *test, bool native)
{
	const struct ktap_code more = { .op = KTAP_OP_SETSELF, .a = 2, .d = 0 };
	struct ktap_program *prog;
	size_t available = 0;
	struct ktap_vm *vm;
	u32 names[2], round;

	test_enable_jit(test, native);
	prog = test_load(sets(test, more, names));
	vm = test_vm(test, prog, EVENT);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, MAIN, NULL, 0, NULL));
	KUNIT_ASSERT_EQ(test, 0, ktap_rewrite_events(prog));
	/* Before, n is nil and m a string; and there are no fields. */
	for (round = 0; round < 4; round++) {
		field_base = 1000 * round;
		KUNIT_EXPECT_EQ(test, 0, run(vm, false));
		test_expect_int(test, 1000 * round + 5, value_of(test, vm, 0));
		test_expect_int(test, 1000 * round + 5, value_of(test, vm, 1));
		KUNIT_EXPECT_EQ(test, KTAP_NIL, vm->result.tag);
		KUNIT_EXPECT_EQ(test, 0, ktap_self_get(vm, names[1], &vm->stack[0]));
		test_expect_int(test, 1000 * round + 5, vm->stack[0]);
		/* The later rounds take and leave nothing. */
		if (round)
			KUNIT_EXPECT_EQ(test, available, vm->env->heap.available);
		available = vm->env->heap.available;
	}
	field_base = 1000;
}

static void sets_of_integers_replace_any_value(struct kunit *test)
{
	expect_sets(test, false);
}

static void native_sets_of_integers_replace_any_value(struct kunit *test)
{
	expect_sets(test, true);
}

/* A filter whose value is a field, or "n" if the event has none; @skip: more code before */
static struct test_chunk *field_or_global(struct kunit *test, u8 need, bool skip)
{
	struct test_chunk *c = chunk(test);

	test_func(c, "filter", 0, 2);
	if (skip)
		test_insn(c, KTAP_OP_INT, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_FIELD, 0, need, 0, test_field(c, "f"));
	test_insn(c, KTAP_OP_JNNIL, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_GETG, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "handler", 1, 2);
	TEST_RET(c);
	test_probe(c, "a:b", FILTER, HANDLER);
	return c;
}

static s64 run_field(struct kunit *test, struct test_chunk *c, u32 pc)
{
	struct ktap_program *prog = test_load(c);
	struct ktap_vm *vm = test_vm(test, prog, EVENT);
	struct ktap_value result, v = KTAP_VALUE_INT(7);

	ktap_rewrite_missing_field(prog, &prog->funcs[FILTER], prog->funcs[FILTER].first + pc);
	test_compile(test, vm->env);
	KUNIT_EXPECT_EQ(test, 0, ktap_global_set(vm, 0, &v));
	vm->event = &event;
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, FILTER, NULL, 0, &result));
	return result.i;
}

static void a_missing_field_is_not_read(struct kunit *test)
{
	struct test_chunk *c;

	KUNIT_EXPECT_EQ(test, 7, run_field(test, field_or_global(test, KTAP_NEED_NOTHING, false),
					   0));
	KUNIT_EXPECT_EQ(test, 7, run_field(test, field_or_global(test, KTAP_NEED_NOTHING, true),
					   1));
	/* An event must have it. */
	KUNIT_EXPECT_EQ(test, 1000, run_field(test, field_or_global(test, KTAP_NEED_NAME, false),
					      0));
	/* The alternative reads the register of the field. */
	c = field_or_global(test, KTAP_NEED_NOTHING, false);
	c->insns[3] = (struct ktap_code){ .op = KTAP_OP_MOV, .a = 0, .b = 0 };
	KUNIT_EXPECT_EQ(test, 1000, run_field(test, c, 0));
	/* It writes another one. */
	c = field_or_global(test, KTAP_NEED_NOTHING, false);
	c->insns[3].a = 1;
	KUNIT_EXPECT_EQ(test, 1000, run_field(test, c, 0));
	/* The test is of another register. */
	c = field_or_global(test, KTAP_NEED_NOTHING, true);
	c->insns[3].a = 1;
	KUNIT_EXPECT_EQ(test, 1000, run_field(test, c, 1));
}

/* i = 0; while (i < 3) { i += 1; @n instructions that are jumped over } */
static struct test_chunk *loop_over(struct kunit *test, unsigned int n)
{
	struct test_chunk *c = test_large_chunk(test, n + 10);
	unsigned int i;

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_JGEI, 0, 3, 0, n + 3);
	test_insn(c, KTAP_OP_ADDI, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, n);
	for (i = 0; i < n; i++)
		test_insn(c, KTAP_OP_NEWT, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -4 - (s32)n);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	return c;
}

static void the_end_of_a_loop_has_its_cost(struct kunit *test)
{
	static const struct {
		unsigned int n;
		bool fits;
	} loops[] = { { 0, true }, { 100, true }, { 21844, true }, { 21845, false } };
	const struct ktap_code *back;
	struct ktap_program *prog;
	struct ktap_vm *vm;
	unsigned int i;
	u32 cost;

	for (i = 0; i < ARRAY_SIZE(loops); i++) {
		prog = test_load(loop_over(test, loops[i].n));
		vm = test_vm(test, prog, EVENT);
		back = &prog->code[4 + loops[i].n];
		cost = 1 + ktap_straight_cost(prog, 1, 5 + loops[i].n);
		KUNIT_EXPECT_EQ(test, loops[i].fits, cost <= U16_MAX);
		KUNIT_EXPECT_EQ(test, loops[i].fits ? cost : 0, back->b | back->c << 8);
		vm->env->max_insns = 1000000;
		test_expect_int(test, 3, test_run(test, vm, NULL, 0));
		KUNIT_EXPECT_EQ(test, vm->env->max_insns - vm->budget,
				prog->funcs[MAIN].cost + 3 * cost);
	}
}

static struct kunit_case rewrite_cases[] = {
	KUNIT_CASE(the_end_of_a_loop_has_its_cost),
	KUNIT_CASE(additions_of_a_handler_are_one_instruction),
	KUNIT_CASE(an_addition_that_fails_does_so_at_its_place),
	KUNIT_CASE(other_functions_are_not_rewritten),
	KUNIT_CASE(a_comparison_that_ends_a_filter_is_one_instruction),
	KUNIT_CASE(other_ends_of_filters_are_not_rewritten),
	KUNIT_CASE(globals_of_the_top_level_are_constants),
	KUNIT_CASE(sets_of_integers_are_made),
	KUNIT_CASE(sets_of_other_functions_count),
	KUNIT_CASE(sets_of_integers_replace_any_value),
	KUNIT_CASE(native_sets_of_integers_replace_any_value),
	KUNIT_CASE(a_missing_field_is_not_read),
	{}
};

static struct kunit_suite rewrite_suite = {
	.name = "ktap_rewrite",
	.test_cases = rewrite_cases,
};

kunit_test_suite(rewrite_suite);
