// SPDX-License-Identifier: GPL-2.0
/*
 * Barriers against speculative execution.  Only in user space can a test count them.
 */
#include <linux/nospec.h>

#include "tests/build.h"
#include "vm/env.h"
#include "vm/program.h"
#include "vm/vm.h"

#define ROUNDS	10
/* the loop executes two instructions in each round */
#define LEAST	(2 * ROUNDS)

/* for (i = 1; i <= ROUNDS; i++) sum += i */
static struct test_chunk *sums(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 5);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_INT, 2, 0, 0, ROUNDS);
	test_insn(c, KTAP_OP_INT, 3, 0, 0, 1);
	test_insn(c, KTAP_OP_FORPREP, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_ADD, 0, 0, 4, 0);
	test_insn(c, KTAP_OP_FORLOOP, 1, 0, 0, -2);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	return c;
}

/* Run it, and return the number of barriers. */
static unsigned long barriers(struct kunit *test, bool native, bool fenced)
{
	struct ktap_vm *vm;
	unsigned long before;

	test_enable_jit(test, native);
	vm = test_vm(test, test_load(sums(test)), KTAP_LEVEL_TASK);
	vm->env->fenced = fenced;
	test_compile(test, vm->env);
	KUNIT_ASSERT_EQ(test, native, !!vm->env->prog->funcs[0].native);
	before = shim_barriers;
	test_expect_int(test, ROUNDS * (ROUNDS + 1) / 2, test_run(test, vm, NULL, 0));
	return shim_barriers - before;
}

static void the_interpreter_has_barriers_for_those_without_rights(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, barriers(test, false, false));
	KUNIT_EXPECT_GE(test, barriers(test, false, true), LEAST);
}

static void native_code_has_barriers_for_those_without_rights(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, barriers(test, true, false));
	KUNIT_EXPECT_GE(test, barriers(test, true, true), LEAST);
}

static struct kunit_case fenced_cases[] = {
	KUNIT_CASE(the_interpreter_has_barriers_for_those_without_rights),
	KUNIT_CASE(native_code_has_barriers_for_those_without_rights),
	{}
};

static struct kunit_suite fenced_suite = {
	.name = "ktap_fenced",
	.test_cases = fenced_cases,
};

kunit_test_suite(fenced_suite);
