// SPDX-License-Identifier: GPL-2.0
/*
 * Options of a script: parsing of arguments, and results of getopt().
 */
#include <linux/errno.h>

#include "data/suggest.h"
#include "lib/getopt.h"
#include "tests/build.h"
#include "vm/vm.h"

/* main(default): getopt(option 1, default) */
static struct ktap_vm *asks(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_option(c, "pid");
	test_option(c, "interval");
	test_option(c, "min");
	test_func(c, "main", 0, 1);
	TEST_RET(c);
	test_func(c, "ask", 1, 3);
	test_insn(c, KTAP_OP_MOV, 2, 0, 0, 0);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 1);
	test_insn(c, KTAP_OP_CALLB, 1, 2, 0, KTAP_FN_GETOPT);
	test_insn(c, KTAP_OP_RET, 1, 1, 0, 0);
	return test_vm(test, test_load(c), KTAP_LEVEL_TASK);
}

static noinline int take(struct ktap_vm *vm, const char *arg)
{
	struct ktap_diag diag = {};

	return ktap_option_take(vm->env, arg, &diag);
}

static struct ktap_value ask(struct kunit *test, struct ktap_vm *vm, struct ktap_value value)
{
	struct ktap_value result = KTAP_VALUE_NIL;

	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 1, &value, 1, &result));
	return result;
}

static void a_missing_option_gives_its_default(struct kunit *test)
{
	struct ktap_vm *vm = asks(test);

	KUNIT_EXPECT_EQ(test, ask(test, vm, KTAP_VALUE_INT(7)).i, 7);
	KUNIT_EXPECT_EQ(test, ask(test, vm, KTAP_VALUE_NIL).tag, KTAP_NIL);
	test_expect_str(test, "/tmp", ask(test, vm, KTAP_VALUE_STR("/tmp", 4)));
	/* Other options are ignored. */
	KUNIT_EXPECT_EQ(test, 1, take(vm, "--pid=5"));
	KUNIT_EXPECT_EQ(test, ask(test, vm, KTAP_VALUE_INT(7)).i, 7);
	/* A boolean needs no value. */
	KUNIT_EXPECT_EQ(test, 1, take(vm, "--interval"));
	KUNIT_EXPECT_TRUE(test, ask(test, vm, KTAP_VALUE_BOOL(false)).i);
}

static void the_default_determines_the_type(struct kunit *test)
{
	struct ktap_vm *vm = asks(test);
	struct ktap_value v;

	KUNIT_EXPECT_EQ(test, 1, take(vm, "--interval=0x10"));
	KUNIT_EXPECT_EQ(test, ask(test, vm, KTAP_VALUE_INT(0)).i, 16);
	v = ask(test, vm, KTAP_VALUE_NIL);
	KUNIT_EXPECT_EQ(test, v.tag, KTAP_INT);
	KUNIT_EXPECT_EQ(test, v.i, 16);
	test_expect_str(test, "0x10", ask(test, vm, KTAP_VALUE_STR("", 0)));
	KUNIT_EXPECT_EQ(test, 1, take(vm, "--interval=0xffffffff81000000"));
	KUNIT_EXPECT_EQ(test, ask(test, vm, KTAP_VALUE_INT(0)).u, 0xffffffff81000000ULL);
	KUNIT_EXPECT_EQ(test, ask(test, vm, KTAP_VALUE_NIL).u, 0xffffffff81000000ULL);
	KUNIT_EXPECT_EQ(test, 1, take(vm, "--interval=0b1_01"));
	KUNIT_EXPECT_EQ(test, ask(test, vm, KTAP_VALUE_INT(0)).i, 5);
	KUNIT_EXPECT_EQ(test, 1, take(vm, "--interval=-0755"));
	KUNIT_EXPECT_EQ(test, ask(test, vm, KTAP_VALUE_NIL).i, -493);

	KUNIT_EXPECT_EQ(test, 1, take(vm, "--interval=a=b"));
	test_expect_str(test, "a=b", ask(test, vm, KTAP_VALUE_NIL));
	KUNIT_EXPECT_EQ(test, 1, take(vm, "--interval="));
	test_expect_str(test, "", ask(test, vm, KTAP_VALUE_STR("x", 1)));
	KUNIT_EXPECT_EQ(test, 1, take(vm, "--interval=false"));
	v = ask(test, vm, KTAP_VALUE_BOOL(true));
	KUNIT_EXPECT_EQ(test, v.tag, KTAP_BOOL);
	KUNIT_EXPECT_FALSE(test, v.i);
	KUNIT_EXPECT_EQ(test, 1, take(vm, "--interval=1"));
	KUNIT_EXPECT_TRUE(test, ask(test, vm, KTAP_VALUE_BOOL(false)).i);
}

static void a_value_of_another_type_or_none_is_an_error(struct kunit *test)
{
	static const struct {
		const char *arg;
		struct ktap_value value;
		const char *message;
	} cases[] = {
		{ "--interval=ten", { .tag = KTAP_INT },
		  "option --interval is an integer, not 'ten'" },
		{ "--interval=", { .tag = KTAP_INT }, "option --interval is an integer, not ''" },
		{ "--interval=99999999999999999999", { .tag = KTAP_INT },
		  "option --interval is an integer, not '99999999999999999999'" },
		{ "--interval=0x1ffffffffffffffff", { .tag = KTAP_INT },
		  "option --interval is an integer, not '0x1ffffffffffffffff'" },
		{ "--interval=10ms", { .tag = KTAP_INT },
		  "option --interval is an integer, not '10ms'" },
		{ "--interval=yes", { .tag = KTAP_BOOL },
		  "option --interval is true or false, not 'yes'" },
		{ "--interval", { .tag = KTAP_INT }, "option --interval needs a value" },
		{ "--interval", { .tag = KTAP_STR, .blob = "" },
		  "option --interval needs a value" },
		{ "--interval", { .tag = KTAP_NIL }, "option --interval needs a value" },
	};
	struct ktap_vm *vm = asks(test);
	u32 i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct ktap_value value = cases[i].value;

		KUNIT_EXPECT_EQ(test, 1, take(vm, cases[i].arg));
		KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 1, &value, 1, NULL));
		KUNIT_EXPECT_STREQ(test, vm->message, cases[i].message);
	}
}

static void other_arguments_are_not_options(struct kunit *test)
{
	struct ktap_vm *vm = asks(test);

	KUNIT_EXPECT_EQ(test, 0, take(vm, "interval=5"));
	KUNIT_EXPECT_EQ(test, 0, take(vm, "-interval=5"));
	KUNIT_EXPECT_EQ(test, 0, take(vm, "--"));
	KUNIT_EXPECT_EQ(test, 0, take(vm, ""));
	KUNIT_EXPECT_EQ(test, ask(test, vm, KTAP_VALUE_INT(7)).i, 7);
}

static void an_unknown_option_is_refused_with_a_suggestion(struct kunit *test)
{
	struct ktap_diag *diag = test_diag(test);
	struct ktap_vm *vm = asks(test);

	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_option_take(vm->env, "--mni=5", diag));
	KUNIT_EXPECT_STREQ(test, diag->text,
			   "ktap: error: the script has no option '--mni'; it has --min, --pid, --interval\n");
	/* A part of a name does not match. */
	KUNIT_EXPECT_EQ(test, -EINVAL, take(vm, "--inter=5"));
	KUNIT_EXPECT_EQ(test, -EINVAL, take(vm, "--intervals"));
	KUNIT_EXPECT_EQ(test, -EINVAL, take(vm, "--=5"));
}

static void a_chunk_without_options_takes_none(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_value v = KTAP_VALUE_NIL;
	struct ktap_vm *vm;

	test_func(c, "main", 0, 2);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 0);
	test_insn(c, KTAP_OP_NIL, 1, 1, 0, 0);
	test_insn(c, KTAP_OP_CALLB, 0, 2, 0, KTAP_FN_GETOPT);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	KUNIT_EXPECT_EQ(test, 0, take(vm, "--pid=5"));
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_vm_run(vm, 0, NULL, 0, &v));
	KUNIT_EXPECT_STREQ(test, vm->message, "the chunk has no option 0");
}

static void suggestions_use_the_edit_distance(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, ktap_distance("pid", "pid"));
	KUNIT_EXPECT_EQ(test, 1, ktap_distance("pid", "pd"));
	KUNIT_EXPECT_EQ(test, 1, ktap_distance("pid", "pids"));
	KUNIT_EXPECT_EQ(test, 2, ktap_distance("min", "mni"));
	KUNIT_EXPECT_EQ(test, 3, ktap_distance("", "pid"));
	KUNIT_EXPECT_GT(test, ktap_distance("a name that is longer than any other ever was", "a"),
			KTAP_MAX_NEAR);
}

static struct kunit_case option_cases[] = {
	KUNIT_CASE(a_missing_option_gives_its_default),
	KUNIT_CASE(the_default_determines_the_type),
	KUNIT_CASE(a_value_of_another_type_or_none_is_an_error),
	KUNIT_CASE(other_arguments_are_not_options),
	KUNIT_CASE(an_unknown_option_is_refused_with_a_suggestion),
	KUNIT_CASE(a_chunk_without_options_takes_none),
	KUNIT_CASE(suggestions_use_the_edit_distance),
	{}
};

static struct kunit_suite option_suite = {
	.name = "ktap_option",
	.test_cases = option_cases,
};

kunit_test_suite(option_suite);
