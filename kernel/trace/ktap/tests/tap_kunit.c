// SPDX-License-Identifier: GPL-2.0
/*
 * Results of tests in scripts: their text and the exit code.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "output/tap.h"
#include "tests/format_fixture.h"
#include "vm/env.h"

/* An activation of a program whose first instruction is a test, at test.kp:1 */
static struct ktap_vm *vm_with_a_test(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_INT, 0, 0, 0, 1);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_TEST_OK);
	TEST_RET(c);
	test_lines(c);
	return test_vm(test, test_load(c), KTAP_LEVEL_PROCESS);
}

static void expect_text(struct kunit *test, struct ktap_vm *vm, const struct ktap_value *args,
			unsigned int n, const char *want)
{
	char *buf = kunit_kzalloc(test, TEST_TEXT, GFP_KERNEL);
	struct seq_buf s;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	seq_buf_init(&s, buf, TEST_TEXT);
	KUNIT_EXPECT_STREQ(test, want, test_record_text(test, vm, KTAP_REC_TAP, args, n, &s));
}

#define KIND(kind)	I(KTAP_TAP_##kind)
#define NIL		KTAP_VALUE_NIL

static const struct {
	struct ktap_value args[4];
	unsigned int n;
	const char *text;
} lines[] = {
	{ { KIND(PLAN), I(3) }, 2, "1..3\n" },
	{ { KIND(PLAN), I(0), S("no such event") }, 3, "1..0 # SKIP no such event\n" },
	{ { KIND(DIAG), S("a\nb\n") }, 2, "# a\n# b\n" },
	{ { KIND(DIAG), S("") }, 2, "#\n" },
	{ { KIND(OK), NIL }, 2, "ok 1\n" },
	{ { KIND(OK), S("name") }, 2, "ok 1 - name\n" },
	{ { KIND(OK), S("a\nnot ok 2 # SKIP") }, 2, "ok 1 - a\\x0anot ok 2 \\x23 SKIP\n" },
	{ { KIND(SKIP), S("name") }, 2, "ok 1 - name # SKIP\n" },
	{ { KIND(SKIP), S("name"), S("why") }, 3, "ok 1 - name # SKIP why\n" },
	{ { KIND(FAILED), S("name") }, 2, "not ok 1 - name\n# at test.kp:1\n" },
	{ { KIND(IS), NIL, I(5), S("5") }, 4,
	  "not ok 1\n# at test.kp:1\n#        got: 5\n#   expected: \"5\"\n" },
	{ { KIND(SAME), NIL, NIL }, 3, "not ok 1\n# at test.kp:1\n# unexpected: nil\n" },
};

static void results_are_lines(struct kunit *test)
{
	struct ktap_vm *vm = vm_with_a_test(test);
	int i;

	vm->env->tap.begun = true;
	for (i = 0; i < ARRAY_SIZE(lines); i++)
		expect_text(test, vm, lines[i].args, lines[i].n, lines[i].text);
}

static void malformed_records_have_no_text(struct kunit *test)
{
	const struct ktap_value args[] = { S("no kind"), S("name") }, kind = KIND(OK);
	struct ktap_vm *vm = vm_with_a_test(test);

	expect_text(test, vm, args, 2, "");
	expect_text(test, vm, &kind, 1, "");
}

/* A record that did not fit is formatted once more, with the same number. */
static void numbers_follow_what_the_reader_took(struct kunit *test)
{
	const struct ktap_value args[] = { KIND(OK), NIL }, diag[] = { KIND(DIAG), S("x") };
	struct ktap_vm *vm = vm_with_a_test(test);

	expect_text(test, vm, args, 2, "TAP version 13\nok 1\n");
	expect_text(test, vm, args, 2, "TAP version 13\nok 1\n");
	ktap_tap_taken(vm->env, args, 2);
	expect_text(test, vm, args, 2, "ok 2\n");
	ktap_tap_taken(vm->env, diag, 2);
	expect_text(test, vm, args, 2, "ok 2\n");
	ktap_tap_taken(vm->env, args, 2);
	expect_text(test, vm, args, 2, "ok 3\n");
}

static const struct {
	long plan;
	long results;
	long failed;
	long skipped;
	int code;
	int want;
	const char *said;
} ends[] = {
	{ 3, 3, 0, 0, 0, 0, "" },
	{ 3, 3, 1, 0, 0, 1, "" },
	{ 3, 3, 0, 2, 0, 0, "" },
	{ 3, 3, 0, 3, 0, 4, "" },
	{ 3, 3, 1, 2, 0, 1, "" },
	{ 3, 2, 0, 0, 0, 1, "test.kp:1: error: tests planned: 3, tests run: 2\n" },
	{ 3, 4, 0, 0, 0, 1, "test.kp:1: error: tests planned: 3, tests run: 4\n" },
	{ 0, 0, 0, 0, 0, 4, "" },
	{ 3, 2, 0, 0, 7, 7, "" },
	{ 3, 3, 1, 0, 7, 7, "" },
	{ -1, 0, 0, 0, 0, 1,
	  "test.kp:2: error: no test ran: the script ended before it, or no event came\n" },
};

static void results_determine_the_exit_code(struct kunit *test)
{
	struct ktap_diag *diag = test_diag(test);
	struct ktap_vm *vm = vm_with_a_test(test);
	struct ktap_tap *tap = &vm->env->tap;
	int i, code;

	for (i = 0; i < ARRAY_SIZE(ends); i++) {
		atomic_long_set(&tap->plan, ends[i].plan + 1);
		atomic_long_set(&tap->results, ends[i].results);
		atomic_long_set(&tap->failed, ends[i].failed);
		atomic_long_set(&tap->skipped, ends[i].skipped);
		memset(diag, 0, sizeof(*diag));
		code = ktap_tap_end(vm, ends[i].code, diag);
		KUNIT_EXPECT_EQ_MSG(test, ends[i].want, code, "row %d", i);
		KUNIT_EXPECT_STREQ(test, ends[i].said, diag->text);
	}
}

static void scripts_without_tests_keep_their_exit_code(struct kunit *test)
{
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_PROCESS);
	struct ktap_diag *diag = test_diag(test);

	KUNIT_EXPECT_EQ(test, 0, ktap_tap_end(vm, 0, diag));
	KUNIT_EXPECT_EQ(test, 3, ktap_tap_end(vm, 3, diag));
	KUNIT_EXPECT_EQ(test, 0, diag->len);
}

static struct kunit_case tap_cases[] = {
	KUNIT_CASE(results_are_lines),
	KUNIT_CASE(malformed_records_have_no_text),
	KUNIT_CASE(numbers_follow_what_the_reader_took),
	KUNIT_CASE(results_determine_the_exit_code),
	KUNIT_CASE(scripts_without_tests_keep_their_exit_code),
	{}
};

static struct kunit_suite tap_suite = {
	.name = "ktap_tap",
	.test_cases = tap_cases,
};

kunit_test_suite(tap_suite);
