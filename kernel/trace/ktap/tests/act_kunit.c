// SPDX-License-Identifier: GPL-2.0
/*
 * Permissions to act on the system.
 */
#include <linux/string.h>
#include <asm/byteorder.h>

#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/kernel_call.h"

static struct ktap_program *program(struct kunit *test, u32 flags, bool acts)
{
	struct test_chunk *c = test_chunk(test);

	c->header.flags = cpu_to_le32(flags);
	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 9);
	if (acts)
		test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_SIGNAL);
	TEST_RET(c);
	return test_load(c);
}

static void acting_needs_unsafe_and_permission(struct kunit *test)
{
	struct ktap_diag *diag = test_diag(test);

	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_check_unsafe(program(test, 0, true), true, diag));
	KUNIT_EXPECT_NOT_NULL(test, strstr(diag->text, "not marked"));
	diag->len = 0;
	KUNIT_EXPECT_EQ(test, -EPERM,
			ktap_check_unsafe(program(test, KTAP_CHUNK_UNSAFE, true), false, diag));
	KUNIT_EXPECT_NOT_NULL(test, strstr(diag->text, "--unsafe"));
	KUNIT_EXPECT_EQ(test, 0,
			ktap_check_unsafe(program(test, KTAP_CHUNK_UNSAFE, true), true, diag));
	/* A script that is marked unsafe but does not act, and one that is neither. */
	KUNIT_EXPECT_EQ(test, 0,
			ktap_check_unsafe(program(test, KTAP_CHUNK_UNSAFE, false), false, diag));
	KUNIT_EXPECT_EQ(test, 0, ktap_check_unsafe(program(test, 0, false), false, diag));
}

static void expect_acts(struct kunit *test, struct ktap_program *prog, const char *names)
{
	char text[KTAP_ACTS_TEXT];

	KUNIT_EXPECT_EQ(test, 0, ktap_check_unsafe(prog, true, test_diag(test)));
	ktap_acts_text(prog->acts, text);
	KUNIT_EXPECT_STREQ(test, text, names);
}

/* main: @fns, in this order */
static struct ktap_program *program_of(struct kunit *test, const u8 *fns, unsigned int n)
{
	struct test_chunk *c = test_chunk(test);
	unsigned int i;

	c->header.flags = cpu_to_le32(KTAP_CHUNK_UNSAFE);
	test_func(c, "main", 0, 1);
	for (i = 0; i < n; i++) {
		test_insn(c, KTAP_OP_STR, 0, 0, 0, test_string(c, "x"));
		test_insn(c, KTAP_OP_CALLB, 0, 1, 0, fns[i]);
	}
	TEST_RET(c);
	return test_load(c);
}

static void functions_that_act_are_named_once(struct kunit *test)
{
	static const u8 fns[] = { KTAP_FN_SYSTEM, KTAP_FN_LEN, KTAP_FN_SIGNAL, KTAP_FN_SYSTEM };
	struct ktap_program *prog = program_of(test, fns, ARRAY_SIZE(fns));

	/* A program that was refused does not act. */
	KUNIT_EXPECT_EQ(test, -EPERM, ktap_check_unsafe(prog, false, test_diag(test)));
	KUNIT_EXPECT_EQ(test, 0, prog->acts);
	expect_acts(test, prog, "signal,system");
	expect_acts(test, program_of(test, fns + 1, 1), "");
	expect_acts(test, program(test, 0, false), "");
}

/* None that is added to the lists without a name in lib/act.c */
static void every_function_that_acts_has_a_name(struct kunit *test)
{
	static const char all[] =
		"signal,set_retval,verdict,system,printk,trace_printk,dump_stack,call";
	char text[KTAP_ACTS_TEXT];
	u32 i, named, acting = 0;

	for (i = 0; i < KTAP_NR_FUNCTIONS; i++)
		acting += !!(ktap_builtins[i].levels & KTAP_UNSAFE);
	for (i = 0; i < KTAP_NR_KERNEL_CALLS; i++)
		acting += !!(ktap_kernel_calls[i].levels & KTAP_UNSAFE);
	acting += !!(ktap_kernel_any.levels & KTAP_UNSAFE);
	ktap_acts_text(U32_MAX, text);
	KUNIT_EXPECT_STREQ(test, text, all);
	for (i = 0, named = 1; text[i]; i++)
		named += text[i] == ',';
	KUNIT_EXPECT_EQ(test, acting, named);
}

/* A function of the kernel that acts is treated like a built-in one. */
static void calls_of_the_kernel_that_act_need_unsafe(struct kunit *test)
{
	static const char * const names[] = { "dump_stack", "printk", "trace_printk" };
	struct ktap_diag *diag = test_diag(test);
	struct ktap_program *prog;
	struct test_chunk *c;
	int i;

	for (i = 0; i < ARRAY_SIZE(names); i++) {
		c = test_chunk(test);
		c->header.flags = cpu_to_le32(KTAP_CHUNK_UNSAFE);
		test_func(c, "main", 0, 1);
		test_insn(c, KTAP_OP_STR, 0, 0, 0, 0);
		test_insn(c, KTAP_OP_CALLK, 0, !!i, 0, test_string(c, names[i]));
		TEST_RET(c);
		prog = test_load(c);
		diag->len = 0;
		KUNIT_EXPECT_EQ(test, -EPERM, ktap_check_unsafe(prog, false, diag));
		KUNIT_EXPECT_NOT_NULL(test, strstr(diag->text, names[i]));
		expect_acts(test, prog, names[i]);
		prog->flags = 0;
		KUNIT_EXPECT_EQ(test, -EINVAL, ktap_check_unsafe(prog, true, diag));
	}
}

static struct kunit_case act_cases[] = {
	KUNIT_CASE(acting_needs_unsafe_and_permission),
	KUNIT_CASE(functions_that_act_are_named_once),
	KUNIT_CASE(every_function_that_acts_has_a_name),
	KUNIT_CASE(calls_of_the_kernel_that_act_need_unsafe),
	{}
};

static struct kunit_suite act_suite = {
	.name = "ktap_act",
	.test_cases = act_cases,
};

kunit_test_suite(act_suite);
