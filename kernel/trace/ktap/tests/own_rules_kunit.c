// SPDX-License-Identifier: GPL-2.0
/*
 * Rules of scripts that see only their user's own processes.
 */
#include <linux/string.h>

#include "load/own_rules.h"
#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/opcode.h"

/* A program that calls a function without arguments */
static struct ktap_program *own_call(struct kunit *test, u8 fn)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 0, 0, fn);
	TEST_RET(c);
	return test_load(c);
}

static void own_expect_refused(struct kunit *test, struct ktap_program *prog, const char *what)
{
	struct ktap_diag *diag = test_diag(test);

	diag->len = 0;
	KUNIT_EXPECT_EQ(test, -EPERM, ktap_own_check(prog, diag));
	KUNIT_EXPECT_NOT_NULL_MSG(test, strstr(diag->text, what), "%s", diag->text);
	KUNIT_EXPECT_NOT_NULL(test, strstr(diag->text, "ktap/policy"));
}

static void values_of_the_task_are_allowed(struct kunit *test)
{
	static const u8 allowed[] = {
		KTAP_FN_PID, KTAP_FN_EXECNAME, KTAP_FN_ARGSTR, KTAP_FN_USTACK, KTAP_FN_PRINT,
	};
	struct ktap_diag *diag = test_diag(test);
	int i;

	for (i = 0; i < ARRAY_SIZE(allowed); i++)
		KUNIT_EXPECT_EQ_MSG(test, 0, ktap_own_check(own_call(test, allowed[i]), diag), "%s",
				    ktap_builtins[allowed[i]].name);
}

static void stacks_of_the_kernel_are_refused(struct kunit *test)
{
	own_expect_refused(test, own_call(test, KTAP_FN_KSTACK),
			   "CAP_PERFMON is needed for kstack: ");
}

/* The loader has substituted another instruction for the call of a value. */
static void values_are_checked_too(struct kunit *test)
{
	struct ktap_program *prog = own_call(test, KTAP_FN_PID);

	KUNIT_ASSERT_EQ(test, KTAP_OP_VALUE, prog->code[0].op);
	prog->code[0].d = KTAP_FN_KSTACK;
	own_expect_refused(test, prog, "CAP_PERFMON is needed for kstack: ");
}

static void variables_of_the_kernel_are_refused(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_SYMBOL, 0, 0, 0, test_string(c, "jiffies"));
	TEST_RET(c);
	own_expect_refused(test, test_load(c), "variables of the kernel");
}

static void functions_of_the_kernel_are_refused(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_CALLK, 0, 0, 0, test_string(c, "sched_clock"));
	TEST_RET(c);
	own_expect_refused(test, test_load(c), "functions of the kernel");
}

static void types_of_the_kernel_are_refused(struct kunit *test)
{
	struct ktap_program *prog = own_call(test, KTAP_FN_PID);

	prog->uses |= KTAP_USES_TYPES;
	own_expect_refused(test, prog, "types of the kernel");
}

/* Each of these gives an address, names the symbol of one, or reads where it points. */
static void addresses_and_memory_of_the_kernel_are_refused(struct kunit *test)
{
	static const u8 refused[] = {
		KTAP_FN_CURTASK, KTAP_FN_KSTACK, KTAP_FN_STR, KTAP_FN_KERNEL_STRING,
		KTAP_FN_BUF, KTAP_FN_READ, KTAP_FN_KSYM, KTAP_FN_KADDR, KTAP_FN_STRINGOF,
		KTAP_FN_IPOF, KTAP_FN_CALLED_FROM, KTAP_FN_CAST, KTAP_FN_SIZEOF,
		KTAP_FN_OFFSETOF, KTAP_FN_SET_RETVAL, KTAP_FN_SIGNAL, KTAP_FN_VERDICT,
		KTAP_FN_SYSTEM,
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++)
		KUNIT_EXPECT_EQ_MSG(test, false, ktap_own_may_call(refused[i]), "%s",
				    ktap_builtins[refused[i]].name);
}

/* The table of functions knows which ones read the kernel, or act. */
static void no_allowed_function_reads_the_kernel_or_acts(struct kunit *test)
{
	const struct ktap_builtin *fn;
	unsigned int i, n = 0;

	for (i = 0; i < KTAP_NR_FUNCTIONS; i++) {
		fn = &ktap_builtins[i];
		if (!fn->name || !ktap_own_may_call(i))
			continue;
		n++;
		KUNIT_EXPECT_EQ_MSG(test, 0, fn->reads & (KTAP_READS_KERNEL | KTAP_READS_TYPES),
				    "%s", fn->name);
		KUNIT_EXPECT_EQ_MSG(test, 0, fn->levels & KTAP_UNSAFE, "%s", fn->name);
	}
	KUNIT_EXPECT_GT(test, n, 50);
}

static void unknown_functions_are_refused(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, ktap_own_may_call(KTAP_NR_FUNCTIONS));
	KUNIT_EXPECT_FALSE(test, ktap_own_may_call(U32_MAX));
}

static struct kunit_case own_rules_cases[] = {
	KUNIT_CASE(values_of_the_task_are_allowed),
	KUNIT_CASE(stacks_of_the_kernel_are_refused),
	KUNIT_CASE(values_are_checked_too),
	KUNIT_CASE(variables_of_the_kernel_are_refused),
	KUNIT_CASE(functions_of_the_kernel_are_refused),
	KUNIT_CASE(types_of_the_kernel_are_refused),
	KUNIT_CASE(addresses_and_memory_of_the_kernel_are_refused),
	KUNIT_CASE(no_allowed_function_reads_the_kernel_or_acts),
	KUNIT_CASE(unknown_functions_are_refused),
	{}
};

static struct kunit_suite own_rules_suite = {
	.name = "ktap_own_rules",
	.test_cases = own_rules_cases,
};

kunit_test_suite(own_rules_suite);
