// SPDX-License-Identifier: GPL-2.0
/*
 * Native code: what is compiled, and what the two ways of execution share.
 *
 * All other tests run native code, too, if it is switched on.
 */
#include <linux/filter.h>
#include <linux/moduleparam.h>
#include <linux/string.h>

#include "data/heap.h"
#include "jit/call.h"
#include "jit/jit.h"
#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/run.h"

#define EVENT	KTAP_LEVEL_TASK
#define PROCESS	KTAP_LEVEL_PROCESS

#define MULTI	KTAP_MULTI

#ifdef CONFIG_KTAP_JIT

/* With jit_kunit.native=0 on the command line of the kernel, all tests are interpreted. */
module_param_named(native, ktap_jit_enabled, ulong, 0400);

/* An activation whose functions are compiled.  Tests are skipped where that cannot be. */
static struct ktap_vm *native_vm(struct test_chunk *c, enum ktap_level level)
{
	struct ktap_vm *vm;

	test_enable_jit(c->test, 1);
	vm = test_vm(c->test, test_load(c), level);
	if (!vm->env->prog->funcs[0].native)
		kunit_skip(c->test, "the BPF JIT is switched off");
	return vm;
}

/* The same chunk, interpreted */
static struct ktap_vm *interpreted_vm(struct test_chunk *c, enum ktap_level level)
{
	struct ktap_vm *vm;

	test_enable_jit(c->test, 0);
	vm = test_vm(c->test, test_load(c), level);
	KUNIT_ASSERT_NULL(c->test, vm->env->prog->funcs[0].native);
	return vm;
}

/*
 * Run function 0 in both ways, with each budget up to @most.  Each run must end with the
 * same result, error, place and rest of the budget.
 */
static void expect_same(struct test_chunk *c, enum ktap_level level, u64 most)
{
	struct ktap_vm *native = native_vm(c, level), *vm = interpreted_vm(c, level);
	struct kunit *test = c->test;
	struct ktap_value x, y;
	u64 budget;

	for (budget = 1; budget <= most; budget++) {
		native->env->max_insns = budget;
		vm->env->max_insns = budget;
		KUNIT_EXPECT_EQ(test, ktap_vm_run(vm, 0, NULL, 0, &x),
				ktap_vm_run(native, 0, NULL, 0, &y));
		KUNIT_EXPECT_EQ(test, x.tag, y.tag);
		if (x.tag == KTAP_INT || x.tag == KTAP_BOOL)
			KUNIT_EXPECT_EQ(test, x.i, y.i);
		KUNIT_EXPECT_EQ(test, vm->budget, native->budget);
		KUNIT_EXPECT_EQ(test, vm->fault.pc, native->fault.pc);
		KUNIT_EXPECT_EQ(test, vm->ncalls, native->ncalls);
		KUNIT_EXPECT_EQ(test, 0, strcmp(vm->message, native->message));
	}
}

static struct test_chunk *returns_42(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 42);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	return c;
}

static void functions_are_interpreted_when_native_code_is_off(struct kunit *test)
{
	struct ktap_vm *vm = interpreted_vm(returns_42(test), EVENT);

	KUNIT_EXPECT_EQ(test, 0, vm->env->native_bytes);
	test_expect_int(test, 42, test_run(test, vm, NULL, 0));
}

/* As all other tests do, this one leaves the switch as it is. */
static void functions_are_native_if_the_switch_is_on(struct kunit *test)
{
	struct ktap_env *env = test_vm(test, test_load(returns_42(test)), EVENT)->env;
	bool native = env->prog->funcs[0].native;

	if (ktap_jit_enabled && !native)
		kunit_skip(test, "the BPF JIT is switched off");
	KUNIT_EXPECT_EQ(test, !!ktap_jit_enabled, native);
	KUNIT_EXPECT_EQ(test, native ? KTAP_JIT_NATIVE : KTAP_JIT_OFF, env->jit_outcome);
	KUNIT_EXPECT_EQ(test, native, !!env->native_bytes);
	kunit_info(test, "native code is %s", native ? "on" : "off");
}

static void sessions_may_be_forbidden_native_code(struct kunit *test)
{
	struct ktap_env *env = interpreted_vm(returns_42(test), EVENT)->env;
	const struct ktap_func *func = env->prog->funcs;

	test_enable_jit(test, 1);
	env->jit_forbidden = true;
	KUNIT_EXPECT_NULL(test, ktap_jit_compile(env, NULL, func, "test"));
	KUNIT_EXPECT_EQ(test, env->jit_outcome, KTAP_JIT_FORBIDDEN);
	KUNIT_EXPECT_EQ(test, 0, env->native_bytes);
	env->jit_forbidden = false;
	if (!ktap_jit_compile(env, NULL, func, "test"))
		KUNIT_EXPECT_EQ(test, env->jit_outcome, KTAP_JIT_OFF);
}

static unsigned int barriers_of(const struct ktap_native *native)
{
	const struct bpf_prog *prog = native->prog;
	unsigned int i, n = 0;

	for (i = 0; i < prog->len; i++)
		n += prog->insnsi[i].code == (BPF_ST | BPF_NOSPEC);
	return n;
}

static void a_barrier_is_before_each_instruction_of_those_without_rights(struct kunit *test)
{
	struct ktap_vm *vm = native_vm(returns_42(test), EVENT);
	const struct ktap_func *func = vm->env->prog->funcs;

	vm->env->fenced = true;
	test_compile(test, vm->env);
	KUNIT_ASSERT_NOT_NULL(test, func->native);
	KUNIT_EXPECT_EQ(test, func->ninsns, barriers_of(func->native));
	test_expect_int(test, 42, test_run(test, vm, NULL, 0));
	vm->env->fenced = false;
	test_compile(test, vm->env);
	KUNIT_ASSERT_NOT_NULL(test, func->native);
	KUNIT_EXPECT_EQ(test, 0, barriers_of(func->native));
}

static void the_same_functions_are_compiled_once(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	const struct ktap_native *native;
	struct ktap_func *func;
	struct ktap_vm *vm;
	size_t bytes;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	vm = native_vm(c, EVENT);
	func = vm->env->prog->funcs;
	native = func->native;
	bytes = vm->env->native_bytes;
	KUNIT_EXPECT_GT(test, bytes, 0);
	KUNIT_EXPECT_PTR_EQ(test, native, ktap_jit_compile(vm->env, NULL, func, "again"));
	KUNIT_EXPECT_EQ(test, bytes, vm->env->native_bytes);
	/* A filter makes other code of it. */
	KUNIT_EXPECT_TRUE(test, native != ktap_jit_compile(vm->env, func, func, "other"));
	ktap_jit_free(vm->env);
	KUNIT_EXPECT_EQ(test, 0, vm->env->native_bytes);
	KUNIT_EXPECT_NULL(test, func->native);
}

static void long_functions_are_interpreted(struct kunit *test)
{
	struct test_chunk *c = test_large_chunk(test, 20001);
	struct ktap_vm *vm;
	int i;

	test_enable_jit(test, 1);
	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	for (i = 0; i < 19999; i++)
		test_insn(c, KTAP_OP_ADDI, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_EXPECT_NULL(test, vm->env->prog->funcs[0].native);
	KUNIT_EXPECT_EQ(test, 0, vm->env->native_bytes);
	test_expect_int(test, 20000, test_run(test, vm, NULL, 0));
}

static void functions_beyond_the_memory_limit_are_interpreted(struct kunit *test)
{
	struct ktap_vm *vm = native_vm(returns_42(test), EVENT);
	struct ktap_env *env = vm->env;
	size_t max = env->heap.max;

	env->heap.max = 8 * env->native_bytes - 1;
	test_compile(test, env);
	KUNIT_EXPECT_NULL(test, env->prog->funcs[0].native);
	KUNIT_EXPECT_EQ(test, 0, env->native_bytes);
	test_expect_int(test, 42, test_run(test, vm, NULL, 0));
	env->heap.max += 8;
	test_compile(test, env);
	KUNIT_EXPECT_NOT_NULL(test, env->prog->funcs[0].native);
	env->heap.max = max;
}

static void all_budgets_end_at_the_same_instruction(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 12);
	test_insn(c, KTAP_OP_INT, 8, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 5);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 1);
	test_insn(c, KTAP_OP_FORPREP, 0, 0, 0, 6);
	test_insn(c, KTAP_OP_FUNC, 9, 0, 0, 1);
	test_insn(c, KTAP_OP_MOV, 10, 3, 0, 0);
	test_insn(c, KTAP_OP_CALLV, 9, 1, 1, 0);
	test_insn(c, KTAP_OP_CALL, 9, 1, 1, 2);
	test_insn(c, KTAP_OP_ADD, 8, 8, 9, 0);
	test_insn(c, KTAP_OP_FORLOOP, 0, 0, 0, -6);
	test_insn(c, KTAP_OP_RET, 8, 1, 0, 0);
	/* Counts down to 0; its call is a tail call. */
	test_func(c, "down", 1, 3);
	test_insn(c, KTAP_OP_JEQI, 0, 0, 0, 3);
	test_insn(c, KTAP_OP_SUBI, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_CALL, 1, 1, MULTI, 1);
	test_insn(c, KTAP_OP_RET, 1, MULTI, 0, 0);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 3);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	/* It is so short that it has no frame. */
	test_func(c, "twice", 1, 2);
	test_insn(c, KTAP_OP_ADD, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	expect_same(c, EVENT, 120);
	test_expect_int(test, 30, test_run(test, native_vm(c, EVENT), NULL, 0));
}

/* As the compiler makes them: the end of the inner loop is a jump back to the outer one. */
static void inner_loops_end_by_a_jump_back(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 12);
	test_insn(c, KTAP_OP_NEWT, 9, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_TSETI, 9, 0, 0, 1);
	test_insn(c, KTAP_OP_INT, 8, 0, 0, 0);
	/* three times through a table with one value, 1 */
	test_insn(c, KTAP_OP_INT, 10, 0, 0, 3);
	test_insn(c, KTAP_OP_JEQI, 10, 0, 0, 6);
	test_insn(c, KTAP_OP_SUBI, 10, 10, 0, 1);
	test_insn(c, KTAP_OP_MOV, 0, 9, 0, 0);
	test_insn(c, KTAP_OP_ITER, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_NEXT, 0, 0, 0, -5);
	test_insn(c, KTAP_OP_ADD, 8, 8, 4, 0);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -3);
	/* from 1 to 2, to 1, and to 0, which is no round */
	test_insn(c, KTAP_OP_INT, 10, 0, 0, 3);
	test_insn(c, KTAP_OP_JEQI, 10, 0, 0, 8);
	test_insn(c, KTAP_OP_SUBI, 10, 10, 0, 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_MOV, 1, 10, 0, 0);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 1);
	test_insn(c, KTAP_OP_FORPREP, 0, 0, 0, -6);
	test_insn(c, KTAP_OP_ADD, 8, 8, 3, 0);
	test_insn(c, KTAP_OP_FORLOOP, 0, 0, 0, -2);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -9);
	test_insn(c, KTAP_OP_RET, 8, 1, 0, 0);
	expect_same(c, EVENT, 80);
	test_expect_int(test, 7, test_run(test, native_vm(c, EVENT), NULL, 0));
}

/* The compiler never writes to these registers; a chunk that was made by hand may. */
static void a_loop_over_what_is_no_integer_is_broken(struct kunit *test)
{
	struct test_chunk *c;
	struct ktap_vm *vm;
	unsigned int reg;

	for (reg = 0; reg < 3; reg++) {
		c = test_chunk(test);
		test_func(c, "main", 0, 6);
		test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
		test_insn(c, KTAP_OP_INT, 1, 0, 0, 3);
		test_insn(c, KTAP_OP_INT, 2, 0, 0, 1);
		test_insn(c, KTAP_OP_FORPREP, 0, 0, 0, 2);
		test_insn(c, KTAP_OP_BOOL, reg, 1, 0, 0);
		test_insn(c, KTAP_OP_FORLOOP, 0, 0, 0, -2);
		TEST_RET(c);
		expect_same(c, EVENT, 20);
		vm = native_vm(c, EVENT);
		KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, NULL, 0, NULL));
		KUNIT_EXPECT_STREQ(test, vm->message, "broken loop");
	}
}

/* Division by -1 is inline if the number is a constant: it wraps, and does not trap. */
static void division_by_minus_one_wraps(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_SHLI, 0, 0, 0, 63);
	test_insn(c, KTAP_OP_DIVI, 1, 0, 0, -1);
	test_insn(c, KTAP_OP_MODI, 2, 0, 0, -1);
	test_insn(c, KTAP_OP_ADD, 1, 1, 2, 0);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	expect_same(c, EVENT, 3);
	test_expect_int(test, S64_MIN, test_run(test, native_vm(c, EVENT), NULL, 0));
}

/* sort_pairs() calls native code within native code, which ends with a tail call. */
static void built_ins_call_native_functions(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	int i;

	test_func(c, "main", 0, 6);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	for (i = 0; i < 5; i++) {
		test_insn(c, KTAP_OP_INT, 1, 0, 0, i * 3 % 5);
		test_insn(c, KTAP_OP_TSETI, 0, 0, 1, i);
	}
	test_insn(c, KTAP_OP_FUNC, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 2, 0, KTAP_FN_SORT);
	/* The values in their order, as digits */
	test_insn(c, KTAP_OP_INT, 5, 0, 0, 0);
	test_insn(c, KTAP_OP_ITER, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_NEXT, 0, 0, 0, 3);
	test_insn(c, KTAP_OP_MULI, 5, 5, 0, 10);
	test_insn(c, KTAP_OP_ADD, 5, 5, 4, 0);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, -4);
	test_insn(c, KTAP_OP_RET, 5, 1, 0, 0);
	test_func(c, "greater", 2, 6);
	test_insn(c, KTAP_OP_MOV, 2, 1, 0, 0);
	test_insn(c, KTAP_OP_MOV, 3, 0, 0, 0);
	test_insn(c, KTAP_OP_CALL, 2, 2, MULTI, 2);
	test_insn(c, KTAP_OP_RET, 2, MULTI, 0, 0);
	test_func(c, "less", 2, 3);
	test_insn(c, KTAP_OP_LT, 2, 0, 1, 0);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	vm = native_vm(c, PROCESS);
	KUNIT_EXPECT_NOT_NULL(test, vm->env->prog->funcs[1].native);
	test_expect_int(test, 43210, test_run(test, vm, NULL, 0));
	test_expect_int(test, 43210, test_run(test, interpreted_vm(c, PROCESS), NULL, 0));
	expect_same(c, PROCESS, 3);
}

static void functions_that_are_values_are_compiled_if_something_calls_them(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_diag *diag = test_diag(test);
	struct ktap_func *f;
	struct ktap_vm *vm;
	int i;

	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_FUNC, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 2, 0, KTAP_FN_SORT);
	test_insn(c, KTAP_OP_FUNC, 1, 0, 0, 2);
	TEST_RET(c);
	test_func(c, "long", 2, 4);
	for (i = 0; i < 9; i++)
		test_insn(c, KTAP_OP_INT, 2, 0, 0, 1);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	test_func(c, "short", 0, 1);
	TEST_RET(c);
	vm = native_vm(c, PROCESS);
	f = vm->env->prog->funcs;
	ktap_jit_free(vm->env);
	KUNIT_EXPECT_EQ(test, 0, ktap_jit_compile_values(vm->env, diag));
	KUNIT_EXPECT_NULL(test, f[0].native);
	KUNIT_EXPECT_NOT_NULL(test, f[1].native);
	KUNIT_EXPECT_NULL(test, f[2].native);
}

/* The function after it begins with a call. */
static void short_functions_do_not_pay(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_diag *diag = test_diag(test);
	struct ktap_env *env;
	struct ktap_func *f;

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_func(c, "f", 0, 1);
	test_insn(c, KTAP_OP_CALL, 0, 0, 0, 0);
	TEST_RET(c);
	test_func(c, "value", 0, 1);
	test_insn(c, KTAP_OP_FUNC, 0, 0, 0, 2);
	TEST_RET(c);
	env = native_vm(c, PROCESS)->env;
	f = env->prog->funcs;
	KUNIT_EXPECT_FALSE(test, ktap_jit_pays(env, &f[0], false));
	KUNIT_EXPECT_FALSE(test, ktap_jit_pays(env, &f[0], true));
	KUNIT_EXPECT_TRUE(test, ktap_jit_pays(env, &f[1], true));
	KUNIT_EXPECT_TRUE(test, ktap_jit_pays(env, &f[2], false));
	KUNIT_EXPECT_FALSE(test, ktap_jit_pays(env, &f[2], true));
	/* No built-in calls a function. */
	ktap_jit_free(env);
	KUNIT_EXPECT_EQ(test, 0, ktap_jit_compile_values(env, diag));
	KUNIT_EXPECT_NULL(test, f[2].native);
}

/* A session of CONFIG_KTAP_JIT_ALWAYS */
static struct ktap_env *always_env(struct test_chunk *c)
{
	struct ktap_env *env = native_vm(c, PROCESS)->env;

	ktap_jit_free(env);
	env->jit_always = true;
	return env;
}

static void short_functions_are_compiled_if_nothing_is_interpreted(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_diag *diag = test_diag(test);
	struct ktap_env *env;
	struct ktap_func *f;

	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_FUNC, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 2, 0, KTAP_FN_SORT);
	TEST_RET(c);
	test_func(c, "short", 0, 1);
	TEST_RET(c);
	env = always_env(c);
	f = env->prog->funcs;
	KUNIT_EXPECT_TRUE(test, ktap_jit_pays(env, &f[1], true));
	/* The file ktap/jit has no effect. */
	test_enable_jit(test, 0);
	KUNIT_EXPECT_EQ(test, 0, ktap_jit_compile_main(env, diag));
	KUNIT_EXPECT_EQ(test, 0, ktap_jit_compile_values(env, diag));
	KUNIT_EXPECT_NOT_NULL(test, f[0].native);
	KUNIT_EXPECT_NOT_NULL(test, f[1].native);
	KUNIT_EXPECT_EQ(test, 0, diag->len);
	env->jit_always = false;
	KUNIT_EXPECT_FALSE(test, ktap_jit_pays(env, &f[1], true));
}

static void scripts_are_refused_if_nothing_is_interpreted(struct kunit *test)
{
	struct test_chunk *c = test_large_chunk(test, 20001);
	struct ktap_diag *diag = test_diag(test);
	struct ktap_env *env;
	int i;

	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_FUNC, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 2, 0, KTAP_FN_SORT);
	TEST_RET(c);
	test_func(c, "f", 0, 2);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	for (i = 0; i < 19990; i++)
		test_insn(c, KTAP_OP_ADDI, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_lines(c);
	env = always_env(c);
	KUNIT_EXPECT_EQ(test, 0, ktap_jit_compile_main(env, diag));
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, ktap_jit_compile_values(env, diag));
	KUNIT_EXPECT_NOT_NULL(test, strstr(diag->text, "f cannot be compiled, and this kernel"));
	KUNIT_EXPECT_NOT_NULL(test, strstr(diag->text, " it is too long, with the functions that"));
	/* The place of the function: its first line */
	KUNIT_EXPECT_NOT_NULL(test, strstr(diag->text, ":5:"));
	ktap_jit_free(env);
	diag->len = 0;
	env->heap.max = 0;
	KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, ktap_jit_compile_main(env, diag));
	KUNIT_EXPECT_NOT_NULL(test, strstr(diag->text, ": try -m\n"));
	KUNIT_EXPECT_NULL(test, env->prog->funcs[0].native);
}

/* The guard of the second addition fails in the callee, which has no frame until then. */
static void errors_of_short_functions_have_their_place(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 4);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_BOOL, 1, 1, 0, 0);
	test_insn(c, KTAP_OP_CALL, 0, 2, 1, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "add", 2, 4);
	test_insn(c, KTAP_OP_ADDI, 2, 0, 0, 1);
	test_insn(c, KTAP_OP_ADD, 3, 2, 1, 0);
	test_insn(c, KTAP_OP_RET, 3, 1, 0, 0);
	test_lines(c);
	expect_same(c, EVENT, 30);
	vm = native_vm(c, EVENT);
	test_expect_error(test, vm, -EINVAL, "arithmetic on a boolean");
	KUNIT_EXPECT_EQ(test, 5, vm->fault.pc);
	KUNIT_EXPECT_EQ(test, 1, vm->fault.ncalls);
}

/* main(): return f(1).  f has @ninsns instructions, and @nregs registers, and adds 1 often. */
static struct test_chunk *calls_function_of(struct kunit *test, u32 ninsns, u8 nregs)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_CALL, 1, 1, 1, 1);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	test_func(c, "f", 1, nregs);
	while (--ninsns)
		test_insn(c, KTAP_OP_ADDI, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	return c;
}

/* Run function 0.  Has it made a frame for a call? */
static bool makes_frame(struct kunit *test, struct ktap_vm *vm, s64 want)
{
	vm->calls[0].insn = NULL;
	test_expect_int(test, want, test_run(test, vm, NULL, 0));
	return vm->calls[0].insn;
}

static void functions_of_up_to_twelve_instructions_have_no_frame(struct kunit *test)
{
	u32 ninsns;

	for (ninsns = 11; ninsns < 14; ninsns++) {
		struct test_chunk *c = calls_function_of(test, ninsns, 1);

		KUNIT_EXPECT_EQ(test, ninsns > 12,
				makes_frame(test, native_vm(c, EVENT), ninsns));
		KUNIT_EXPECT_TRUE(test, makes_frame(test, interpreted_vm(c, EVENT), ninsns));
		expect_same(c, EVENT, 8);
	}
}

/* f(n): if (n) n -= 1; then a jump to the next instruction, or back until n is 0 */
static void only_functions_without_loops_have_no_frame(struct kunit *test)
{
	struct test_chunk *c;
	int loop;

	for (loop = 0; loop < 2; loop++) {
		c = test_chunk(test);
		test_func(c, "main", 0, 2);
		test_insn(c, KTAP_OP_INT, 1, 0, 0, 3);
		test_insn(c, KTAP_OP_CALL, 1, 1, 1, 1);
		test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
		test_func(c, "f", 1, 1);
		test_insn(c, KTAP_OP_JEQI, 0, 0, 0, 2);
		test_insn(c, KTAP_OP_SUBI, 0, 0, 0, 1);
		test_insn(c, KTAP_OP_JNEI, 0, 0, 0, loop ? -2 : 0);
		test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
		KUNIT_EXPECT_EQ(test, loop,
				makes_frame(test, native_vm(c, EVENT), loop ? 0 : 2));
		expect_same(c, EVENT, 12);
	}
}

/* It must have the registers, the call and the budget that its frame would take. */
static void a_function_without_a_frame_needs_room_for_one(struct kunit *test)
{
	struct ktap_vm *vm = native_vm(calls_function_of(test, 2, 5), EVENT);
	u32 size = vm->stack_size, calls = vm->max_calls;

	vm->max_calls = 1;
	vm->stack_size = 6;
	KUNIT_EXPECT_FALSE(test, makes_frame(test, vm, 2));
	vm->stack_size = 5;
	test_expect_error(test, vm, -ENOSPC, "calls nest too deep: no room on the stack");
	vm->stack_size = size;
	vm->max_calls = 0;
	test_expect_error(test, vm, -ENOSPC, "calls nest too deep: 0 is the most");
	vm->max_calls = calls;
	KUNIT_EXPECT_FALSE(test, makes_frame(test, vm, 2));
}

static u32 number_of_calls(const struct ktap_native *native, const void *fn)
{
	const struct bpf_insn *insn = native->insns, *end = insn + native->prog->len;
	u32 n = 0;

	for (; insn < end; insn++)
		n += insn->code == (BPF_JMP | BPF_CALL) && insn->imm == BPF_CALL_IMM(fn);
	return n;
}

/* The first addition has one guard, the second one has two. */
static void the_guards_of_an_instruction_share_the_way_out(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 2);
	test_insn(c, KTAP_OP_CALL, 0, 2, 1, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "add", 2, 3);
	test_insn(c, KTAP_OP_ADDI, 2, 0, 0, 1);
	test_insn(c, KTAP_OP_ADD, 2, 0, 1, 0);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	vm = native_vm(c, EVENT);
	KUNIT_EXPECT_EQ(test, 2, number_of_calls(vm->env->prog->funcs[0].native,
						 ktap_jit_make_frame));
	KUNIT_EXPECT_FALSE(test, makes_frame(test, vm, 3));
}

/* A third result is nil.  The second one replaces the register that the first one was in. */
static void a_function_without_a_frame_returns_several_values(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 5);
	test_insn(c, KTAP_OP_CALL, 1, 0, 3, 1);
	test_digit(c, 1, 2);
	test_insn(c, KTAP_OP_JNIL, 3, 0, 0, 1);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 0);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	test_func(c, "f", 0, 4);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 9);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 4);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, 2);
	test_insn(c, KTAP_OP_RET, 1, 2, 0, 0);
	vm = native_vm(c, EVENT);
	KUNIT_EXPECT_FALSE(test, makes_frame(test, vm, 42));
	expect_same(c, EVENT, 8);
}

static void errors_are_caught_across_frames(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 4);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 7);
	test_insn(c, KTAP_OP_CALL, 1, 0, 1, 1);
	test_insn(c, KTAP_OP_JMP, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_ADDI, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_try(c, 1, 2, 3, 2);
	test_func(c, "f", 0, 3);
	test_insn(c, KTAP_OP_CALL, 0, 0, 1, 2);
	TEST_RET(c);
	test_func(c, "g", 0, 3);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_DIV, 0, 0, 0, 0);
	TEST_RET(c);
	expect_same(c, EVENT, 60);
	test_expect_int(test, 8, test_run(test, native_vm(c, EVENT), NULL, 0));
}

/*
 * The error of the second addition is caught by the caller of its frame, at the instruction
 * that follows the addition.
 */
static void an_error_continues_at_the_next_instruction_of_another_frame(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;
	u32 depth;

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_CALL, 0, 1, 1, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_func(c, "f", 1, 2);
	test_insn(c, KTAP_OP_ADDI, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_CALL, 1, 1, 1, 1);
	test_insn(c, KTAP_OP_ADDI, 1, 1, 0, 1);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	test_try(c, 4, 5, 6, 1);
	vm = native_vm(c, EVENT);
	for (depth = 3; depth < 9; depth += 2) {
		vm->max_calls = depth;
		test_expect_str(test, "arithmetic on a string", test_run(test, vm, NULL, 0));
	}
	vm->max_calls = KTAP_EVENT_CALLS;
}

static void variable_arguments_reach_native_functions(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	int i;

	test_func(c, "main", 0, 6);
	for (i = 0; i < 4; i++)
		test_insn(c, KTAP_OP_INT, i, 0, 0, i + 1);
	test_insn(c, KTAP_OP_CALL, 0, 4, 1, 1);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	test_variadic(c, "f", 1, 8);
	test_insn(c, KTAP_OP_VARG, 1, 0, 3, 0);
	for (i = 1; i < 4; i++)
		test_digit(c, 0, i);
	test_insn(c, KTAP_OP_MOV, 4, 0, 0, 0);
	test_insn(c, KTAP_OP_RET, 4, 1, 0, 0);
	expect_same(c, EVENT, 20);
	test_expect_int(test, 1234, test_run(test, native_vm(c, EVENT), NULL, 0));
}

static void a_filter_and_its_handler_are_one_program(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	const struct ktap_native *native;
	struct ktap_func *f;
	struct ktap_vm *vm;
	struct ktap_value v = KTAP_VALUE_INT(3);

	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_global(c, "n");
	test_func(c, "filter", 0, 3);
	test_insn(c, KTAP_OP_GETG, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 3);
	test_insn(c, KTAP_OP_EQ, 2, 0, 1, 0);
	test_insn(c, KTAP_OP_RET, 2, 1, 0, 0);
	test_func(c, "handler", 1, 2);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 42);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	vm = native_vm(c, EVENT);
	f = vm->env->prog->funcs;
	native = ktap_jit_compile(vm->env, &f[1], &f[2], "ktap_test");
	KUNIT_ASSERT_NOT_NULL(test, native);
	/* False: the handler does not begin. */
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_handle(vm, &f[1], &f[2], native, NULL, U64_MAX));
	KUNIT_EXPECT_PTR_EQ(test, &f[2], vm->handler);
	KUNIT_EXPECT_EQ(test, 0, ktap_global_set(vm, 0, &v));
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_handle(vm, &f[1], &f[2], native, NULL, U64_MAX));
	KUNIT_EXPECT_NULL(test, vm->handler);
	test_expect_int(test, 42, vm->result);
}

/* Native code believes the verifier that a register has an integer. */
static void a_lost_object_has_no_integer_length(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_LEN);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 42);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	vm = native_vm(c, EVENT);
	while (ktap_heap_alloc(&vm->env->heap, 8))
		;
	test_expect_int(test, 42, test_run(test, vm, NULL, 0));
}

static struct kunit_case jit_cases[] = {
	KUNIT_CASE(functions_are_interpreted_when_native_code_is_off),
	KUNIT_CASE(a_barrier_is_before_each_instruction_of_those_without_rights),
	KUNIT_CASE(functions_are_native_if_the_switch_is_on),
	KUNIT_CASE(sessions_may_be_forbidden_native_code),
	KUNIT_CASE(the_same_functions_are_compiled_once),
	KUNIT_CASE(long_functions_are_interpreted),
	KUNIT_CASE(functions_beyond_the_memory_limit_are_interpreted),
	KUNIT_CASE(all_budgets_end_at_the_same_instruction),
	KUNIT_CASE(inner_loops_end_by_a_jump_back),
	KUNIT_CASE(a_loop_over_what_is_no_integer_is_broken),
	KUNIT_CASE(division_by_minus_one_wraps),
	KUNIT_CASE(built_ins_call_native_functions),
	KUNIT_CASE(functions_that_are_values_are_compiled_if_something_calls_them),
	KUNIT_CASE(short_functions_do_not_pay),
	KUNIT_CASE(short_functions_are_compiled_if_nothing_is_interpreted),
	KUNIT_CASE(scripts_are_refused_if_nothing_is_interpreted),
	KUNIT_CASE(errors_of_short_functions_have_their_place),
	KUNIT_CASE(functions_of_up_to_twelve_instructions_have_no_frame),
	KUNIT_CASE(only_functions_without_loops_have_no_frame),
	KUNIT_CASE(a_function_without_a_frame_needs_room_for_one),
	KUNIT_CASE(the_guards_of_an_instruction_share_the_way_out),
	KUNIT_CASE(a_function_without_a_frame_returns_several_values),
	KUNIT_CASE(errors_are_caught_across_frames),
	KUNIT_CASE(an_error_continues_at_the_next_instruction_of_another_frame),
	KUNIT_CASE(variable_arguments_reach_native_functions),
	KUNIT_CASE(a_filter_and_its_handler_are_one_program),
	KUNIT_CASE(a_lost_object_has_no_integer_length),
	{}
};

#else

static void native_code_is_not_built(struct kunit *test)
{
	kunit_skip(test, "CONFIG_KTAP_JIT is not set");
}

static struct kunit_case jit_cases[] = {
	KUNIT_CASE(native_code_is_not_built),
	{}
};

#endif

static struct kunit_suite jit_suite = {
	.name = "ktap_jit",
	.test_cases = jit_cases,
};

kunit_test_suite(jit_suite);
