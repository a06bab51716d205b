// SPDX-License-Identifier: GPL-2.0
/*
 * Text of values, and records.
 */
#include <linux/string.h>

#include "output/format.h"
#include "output/record.h"
#include "output/text.h"
#include "tests/format_fixture.h"
#include "vm/env.h"
#include "vm/vm.h"

static void printf_directives_work_as_in_c(struct kunit *test)
{
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_TASK);
	const struct test_printf_case *p;
	struct ktap_value args[2];
	struct ktap_text t;
	char buf[TEST_TEXT + 1];
	struct seq_buf s;
	int i;

	for (i = 0; i < test_nprintf_cases; i++) {
		p = &test_printf_cases[i];
		args[0] = test_str(p->fmt);
		args[1] = p->arg;
		/* A lone % at the end is an error; here it shows the remaining text. */
		if (p->fmt[0] && p->fmt[strlen(p->fmt) - 1] == '%' && !strstr(p->fmt, "%%"))
			continue;
		KUNIT_EXPECT_EQ(test, 0, ktap_check_format(vm, "printf", args, 2));
		test_text_begin(&t, &s, buf, NULL);
		ktap_text_printf_args(&t, args, 2);
		KUNIT_EXPECT_STREQ_MSG(test, test_text_end(&t), p->want, "of \"%s\"", p->fmt);
	}
}

static void wrong_formats_are_errors(struct kunit *test)
{
	static const struct {
		const char *fmt;
		struct ktap_value arg;
		const char *message;
	} wrong[] = {
		{ "%d", S("x"), "printf: %d (argument 2) takes an integer, got a string" },
		{ "%s %-5x", I(1), "printf: %-5x (argument 3) has no argument" },
		{ "%c", { .tag = KTAP_TABLE },
		  "printf: %c (argument 2) takes an integer, got a table" },
		{ "%y", I(1), "printf: there is no directive %y" },
		{ "100%", I(1), "printf: there is no directive %" },
		{ "%5", I(1), "printf: there is no directive %5" },
		{ "%n", I(1), "printf: there is no directive %n" },
		{ "%*d", I(1), "printf: there is no directive %*" },
		{ "%513d", I(1), "printf: a width or precision over 512" },
		{ "%.99999999999999d", I(1), "printf: a width or precision over 512" },
	};
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_TASK);
	struct ktap_value args[2];
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		args[0] = test_str(wrong[i].fmt);
		args[1] = wrong[i].arg;
		vm->error = 0;
		KUNIT_EXPECT_EQ(test, -EINVAL, ktap_check_format(vm, "printf", args, 2));
		KUNIT_EXPECT_STREQ(test, vm->message, wrong[i].message);
	}
}

/* The format is parsed, in pieces, before other costs are charged. */
static void long_formats_cost_more(struct kunit *test)
{
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_TASK);
	char *fmt = kunit_kzalloc(test, 4000, GFP_KERNEL);
	struct ktap_value arg = KTAP_VALUE_STR(fmt, 4000);

	KUNIT_ASSERT_NOT_NULL(test, fmt);
	memset(fmt, '%', 4000);
	KUNIT_EXPECT_EQ(test, 0, ktap_check_format(vm, "printf", &arg, 1));
	KUNIT_EXPECT_EQ(test, vm->budget, 10000 - 4000 / 64 - 2 * 2000);
	arg = test_str("a short one");
	KUNIT_EXPECT_EQ(test, 0, ktap_check_format(vm, "printf", &arg, 1));
	KUNIT_EXPECT_EQ(test, vm->budget, 10000 - 4000 / 64 - 2 * 2001);
}

static void print_separates_values_by_tabs(struct kunit *test)
{
	struct ktap_value args[] = {
		KTAP_VALUE_NIL, KTAP_VALUE_BOOL(true), KTAP_VALUE_INT(-1), test_str("text"),
		KTAP_VALUE_PTR(0xabc),
	};
	struct ktap_text t;
	char buf[TEST_TEXT + 1];
	struct seq_buf s;

	test_text_begin(&t, &s, buf, NULL);
	ktap_text_print(&t, args, ARRAY_SIZE(args));
	KUNIT_EXPECT_STREQ(test, test_text_end(&t), "nil\ttrue\t-1\ttext\t0xabc\n");
	test_text_begin(&t, &s, buf, NULL);
	ktap_text_print(&t, args, 0);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t), "\n");
}

static void each_frame_of_a_stack_is_on_its_own_line(struct kunit *test)
{
	u64 frames[] = { 0x10, 0x20 };
	struct ktap_value args[] = {
		test_str("%s%s\n"), test_str("at"),
		{ .blob = frames, .tag = KTAP_USTACK, .len = sizeof(frames) },
	};
	struct ktap_text t;
	char buf[TEST_TEXT + 1];
	struct seq_buf s;

	test_text_begin(&t, &s, buf, NULL);
	ktap_text_printf_args(&t, args, 3);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t), "at\n        0x10\n        0x20\n");
	test_text_begin(&t, &s, buf, NULL);
	ktap_text_print(&t, &args[2], 1);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t), "        0x10\n        0x20\n");
}

static void set(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value key,
		struct ktap_value v)
{
	ktap_table_set(vm, t, &key, &v);
}

static struct ktap_value new_table(struct kunit *test, struct ktap_vm *vm)
{
	struct ktap_value v;

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, &v));
	KUNIT_ASSERT_EQ(test, v.tag, KTAP_TABLE);
	/* In a register, where the sweep finds it. */
	vm->stack[vm->top++] = v;
	return v;
}

static void tables_are_printed_sorted(struct kunit *test)
{
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_PROCESS);
	struct ktap_value outer = new_table(test, vm);
	struct ktap_value inner = new_table(test, vm);
	struct ktap_value empty = new_table(test, vm);
	u64 bytes[8];
	struct ktap_value parts[] = { test_str("cpu"), KTAP_VALUE_INT(3) };
	struct ktap_value key = { .blob = bytes, .tag = KTAP_TUPLE };
	struct ktap_text t;
	char buf[TEST_TEXT + 1];
	struct seq_buf s;

	key.len = ktap_tuple_put(ktap_tuple_put(bytes, &parts[0]), &parts[1]) - (void *)bytes;
	set(vm, inner.table, test_str("y"), KTAP_VALUE_INT(2));
	set(vm, inner.table, test_str("x"), test_str("one"));
	set(vm, outer.table, key, KTAP_VALUE_BOOL(true));
	set(vm, outer.table, test_str("in"), inner);
	set(vm, outer.table, KTAP_VALUE_INT(9), empty);
	test_text_begin(&t, &s, buf, vm);
	ktap_text_print(&t, &outer, 1);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t),
			   "9: {}\nin:\n  x: one\n  y: 2\ncpu, 3: true\n");
	test_text_begin(&t, &s, buf, vm);
	ktap_text_print(&t, &empty, 1);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t), "{}\n");
	test_text_begin(&t, &s, buf, vm);
	ktap_text_variable(&t, "name", &inner);
	ktap_text_variable(&t, "n", &parts[1]);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t), "name:\n  x: one\n  y: 2\nn: 3\n");
}

static void a_table_inside_itself_is_printed_once(struct kunit *test)
{
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_PROCESS);
	struct ktap_value table = new_table(test, vm);
	struct ktap_value other = new_table(test, vm);
	struct ktap_text t;
	char buf[TEST_TEXT + 1];
	struct seq_buf s;

	set(vm, table.table, test_str("me"), table);
	test_text_begin(&t, &s, buf, vm);
	ktap_text_print(&t, &table, 1);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t), "me: {...}\n");
	/* A table that occurs twice is printed twice. */
	set(vm, table.table, test_str("me"), KTAP_VALUE_NIL);
	set(vm, other.table, test_str("x"), KTAP_VALUE_INT(1));
	set(vm, table.table, test_str("a"), other);
	set(vm, table.table, test_str("b"), other);
	test_text_begin(&t, &s, buf, vm);
	ktap_text_print(&t, &table, 1);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t), "a:\n  x: 1\nb:\n  x: 1\n");
	/* A cycle of two tables. */
	set(vm, other.table, test_str("back"), table);
	test_text_begin(&t, &s, buf, vm);
	ktap_text_print(&t, &table, 1);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t),
			   "a:\n  back: {...}\n  x: 1\nb:\n  back: {...}\n  x: 1\n");
}

/* Deeper than the kernel's stack allows recursion; each level is indented by two spaces. */
static void tables_are_printed_to_any_depth(struct kunit *test)
{
	const int depth = 1000;
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_PROCESS);
	size_t size = depth * (depth + 8);
	struct ktap_value inner, outer;
	struct ktap_text t;
	const char *p;
	struct seq_buf s;
	char *buf;
	int i;

	buf = kvmalloc(size + 1, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	inner = KTAP_VALUE_INT(7);
	for (i = 0; i < depth; i++) {
		outer = new_table(test, vm);
		set(vm, outer.table, test_str("k"), inner);
		inner = outer;
	}
	seq_buf_init(&s, buf, size);
	t = (struct ktap_text){ .s = &s, .vm = vm };
	ktap_text_print(&t, &outer, 1);
	test_text_end(&t);
	for (i = 0, p = buf; i < depth - 1; i++) {
		KUNIT_ASSERT_EQ(test, strspn(p, " "), 2 * i);
		KUNIT_ASSERT_EQ(test, 0, memcmp(p + 2 * i, "k:\n", 3));
		p += 2 * i + 3;
	}
	KUNIT_EXPECT_STREQ(test, p + 2 * i, "k: 7\n");
	kvfree(buf);
}

static void bars_of_a_histogram_are_shares_of_the_total(struct kunit *test)
{
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_PROCESS);
	struct ktap_value table = new_table(test, vm);
	struct ktap_text t;
	char buf[TEST_TEXT + 1];
	struct seq_buf s;

	test_text_begin(&t, &s, buf, vm);
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t), "     value ----- Distribution ----- count");

	set(vm, table.table, test_str("a"), KTAP_VALUE_INT(6));
	set(vm, table.table, test_str("rcu_utilization"), KTAP_VALUE_INT(12));
	set(vm, table.table, KTAP_VALUE_INT(5), KTAP_VALUE_INT(6));
	set(vm, table.table, test_str("text"), test_str("text"));
	set(vm, table.table, test_str("negative"), KTAP_VALUE_INT(-1));
	test_text_begin(&t, &s, buf, vm);
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t),
			   "          value ----- Distribution ----- count\n"
			   "rcu_utilization |@@@@@@@@@@@             12\n"
			   "              5 |@@@@@                   6\n"
			   "              a |@@@@@                   6\n"
			   "       negative |                        -1");
	test_text_begin(&t, &s, buf, vm);
	t.chart = &(struct ktap_chart){ .rows = 1 };
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t),
			   "          value ----- Distribution ----- count\n"
			   "rcu_utilization |@@@@@@@@@@@             12\n"
			   "            ... |");
	/* The sum needs more than 64 bits. */
	set(vm, table.table, test_str("a"), KTAP_VALUE_INT(S64_MAX));
	set(vm, table.table, test_str("b"), KTAP_VALUE_INT(S64_MAX));
	set(vm, table.table, test_str("c"), KTAP_VALUE_INT(S64_MAX));
	test_text_begin(&t, &s, buf, vm);
	t.chart = &(struct ktap_chart){ .rows = 1 };
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t),
			   "     value ----- Distribution ----- count\n"
			   "         a |@@@@@@@                 9223372036854775807\n"
			   "       ... |");
}

/* A bar is the number's bits relative to the largest number's: 3, 2, 1, 0 of 3. */
static void a_logarithmic_histogram_shows_small_numbers(struct kunit *test)
{
	static const struct ktap_chart log = { .rows = 20, .log = true };
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_PROCESS);
	struct ktap_value table = new_table(test, vm);
	struct ktap_text t;
	char buf[TEST_TEXT + 1];
	struct seq_buf s;

	test_text_begin(&t, &s, buf, vm);
	t.chart = &log;
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t), "     value -- Distribution (log) -- count");

	set(vm, table.table, test_str("a"), KTAP_VALUE_INT(7));
	set(vm, table.table, test_str("b"), KTAP_VALUE_INT(2));
	set(vm, table.table, test_str("c"), KTAP_VALUE_INT(1));
	set(vm, table.table, test_str("d"), KTAP_VALUE_INT(0));
	set(vm, table.table, test_str("e"), KTAP_VALUE_INT(-100));
	test_text_begin(&t, &s, buf, vm);
	t.chart = &log;
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t),
			   "     value -- Distribution (log) -- count\n"
			   "         a |@@@@@@@@@@@@@@@@@@@@@@@ 7\n"
			   "         b |@@@@@@@@@@@@@@@@        2\n"
			   "         c |@@@@@@@@                1\n"
			   "         d |                        0\n"
			   "         e |                        -100");
	set(vm, table.table, test_str("a"), KTAP_VALUE_INT(S64_MAX));
	test_text_begin(&t, &s, buf, vm);
	t.chart = &(struct ktap_chart){ .rows = 3, .log = true };
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, test_text_end(&t),
			   "     value -- Distribution (log) -- count\n"
			   "         a |@@@@@@@@@@@@@@@@@@@@@@@ 9223372036854775807\n"
			   "         b |@                       2\n"
			   "         c |@                       1\n"
			   "       ... |");
}

static void long_keys_of_a_histogram_are_cut(struct kunit *test)
{
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_PROCESS);
	struct ktap_value table = new_table(test, vm);
	struct ktap_text t;
	char buf[TEST_TEXT + 1];
	struct seq_buf s;

	set(vm, table.table, test_str("0123456789012345678901234567890123456789012345678"),
	    KTAP_VALUE_INT(1));
	test_text_begin(&t, &s, buf, vm);
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_TRUE(test, strstr(test_text_end(&t),
				       "\n012345678901234567890123456789012345678901234... |@"));
}

static size_t save_event(const struct ktap_event *ev, void *buf, size_t size)
{
	if (size >= 5)
		memcpy(buf, "saved", 5);
	return 5;
}

static void records_keep_all_types(struct kunit *test)
{
	static const struct ktap_event_ops ops = { .save = save_event };
	static const struct ktap_event event = { .ops = &ops };
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_TASK);
	u64 frames[] = { 0x10 };
	struct ktap_value args[] = {
		KTAP_VALUE_NIL, KTAP_VALUE_BOOL(false), KTAP_VALUE_INT(S64_MIN), test_str("text"),
		KTAP_VALUE_PTR(1),
		{ .blob = frames, .tag = KTAP_USTACK, .len = sizeof(frames) },
	};
	char buf[TEST_TEXT];
	struct seq_buf s;

	vm->event = &event;
	seq_buf_init(&s, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test,
			   test_record_text(test, vm, KTAP_REC_PRINT, args, ARRAY_SIZE(args), &s),
			   "nil\tfalse\t-9223372036854775808\ttext\t0x1\t\n        0x10\n");
	args[0] = test_str("%s: %d|");
	args[1] = test_str("n");
	args[2] = KTAP_VALUE_INT(5);
	seq_buf_init(&s, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, test_record_text(test, vm, KTAP_REC_PRINTF, args, 3, &s), "n: 5|");
	seq_buf_init(&s, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, test_record_text(test, vm, KTAP_REC_ERROR, &args[1], 1, &s), "n");
	seq_buf_init(&s, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, test_record_text(test, vm, KTAP_REC_PRINT, NULL, 0, &s), "\n");
	/* An event is the text that its source saved. */
	args[0] = (struct ktap_value){ .tag = KTAP_EVENT, .blob = &event };
	args[1] = (struct ktap_value){ .tag = KTAP_ARGSTR };
	KUNIT_EXPECT_EQ(test, ktap_record_size(vm, args, 2),
			sizeof(struct ktap_record) + 2 * (sizeof(struct ktap_record_arg) + 8));
}

/* Earlier text is unchanged. */
static void an_event_may_have_no_text(struct kunit *test)
{
	static const struct {
		const char *fmt;
		const char *want;
	} cases[] = {
		{ "a:\n%s|\n", "a:\n|\n" },
		{ "a:\n%3s|\n", "a:\n   |\n" },
		{ "a:\n%.3s|\n", "a:\n|\n" },
		{ "%s", "" },
	};
	static const struct ktap_event_ops ops = { };
	static const struct ktap_event event = { .ops = &ops };
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_TASK);
	struct ktap_value args[2];
	char buf[TEST_TEXT];
	struct seq_buf s;
	int i;

	vm->event = &event;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		args[0] = test_str(cases[i].fmt);
		args[1] = (struct ktap_value){ .tag = KTAP_ARGSTR };
		seq_buf_init(&s, buf, sizeof(buf));
		KUNIT_EXPECT_STREQ(test, test_record_text(test, vm, KTAP_REC_PRINTF, args, 2, &s),
				   cases[i].want);
	}
}

static void long_records_are_cut_and_counted(struct kunit *test)
{
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_TASK);
	struct ktap_value args[3];
	const char *text;
	struct seq_buf s;
	char *x, *buf;

	x = kunit_kzalloc(test, 4001, GFP_KERNEL);
	buf = kunit_kzalloc(test, 8192, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, x);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	memset(x, 'x', 4000);
	args[0] = KTAP_VALUE_STR(x, 4000);
	args[1] = test_str("behind");
	args[2] = KTAP_VALUE_INT(7);
	seq_buf_init(&s, buf, 8192);
	text = test_record_text(test, vm, KTAP_REC_PRINT, args, 3, &s);
	KUNIT_EXPECT_GT(test, strlen(text), 2900);
	KUNIT_EXPECT_LT(test, strlen(text), KTAP_RECORD_MAX);
	KUNIT_EXPECT_TRUE(test, strstr(text, "xxx...\t\t7\n"));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.cut_strings), 2);
}

static void values_that_cannot_be_cut_are_left_out(struct kunit *test)
{
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_TASK);
	struct ktap_value args[2], *parts = &args[1];
	const char *text;
	struct seq_buf s;
	char *x, *buf;
	void *end;

	x = kunit_kzalloc(test, KTAP_MAX_STRLEN, GFP_KERNEL);
	buf = kunit_kzalloc(test, 8192, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, x);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	/* A compound key of strings, the last of which would be cut. */
	*parts = KTAP_VALUE_STR("0123456789abcdef", 16);
	end = x;
	while (end - (void *)x < 3500)
		end = ktap_tuple_put(end, parts);
	args[0] = (struct ktap_value){ .blob = x, .tag = KTAP_TUPLE, .len = end - (void *)x };
	args[1] = KTAP_VALUE_INT(7);
	seq_buf_init(&s, buf, 8192);
	text = test_record_text(test, vm, KTAP_REC_PRINT, args, 2, &s);
	KUNIT_EXPECT_STREQ(test, text, "...\t7\n");
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.cut_strings), 1);
	/* Counted once for each value, also without room for the dots. */
	args[1] = args[0];
	args[0] = KTAP_VALUE_STR(x, KTAP_MAX_STRLEN);
	seq_buf_init(&s, buf, 8192);
	test_record_text(test, vm, KTAP_REC_PRINT, args, 2, &s);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.cut_strings), 3);
}

/* Padded text is kept in the buffer, and does not fit the remaining space. */
static void padded_text_beyond_the_buffer_is_cut_and_counted(struct kunit *test)
{
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_PROCESS);
	struct ktap_value args[3], part = KTAP_VALUE_INT(S64_MIN);
	struct ktap_text t;
	struct seq_buf s;
	void *key, *end;
	char *buf;
	int i;

	key = kunit_kzalloc(test, KTAP_MAX_STRLEN, GFP_KERNEL);
	buf = kunit_kzalloc(test, KTAP_TEXT_BUFFER, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, key);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	for (end = key, i = 0; i < 250; i++)
		end = ktap_tuple_put(end, &part);
	/* No later text causes the buffer to be flushed. */
	args[0] = test_str("%s%-20s");
	args[1] = (struct ktap_value){ .blob = key, .tag = KTAP_TUPLE, .len = 140 * 16 };
	args[2] = (struct ktap_value){ .blob = key, .tag = KTAP_TUPLE, .len = end - key };
	seq_buf_init(&s, buf, KTAP_TEXT_BUFFER);
	t = (struct ktap_text){ .s = &s, .vm = vm };
	ktap_text_printf_args(&t, args, 3);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.cut_strings), 1);

	args[2].len = 140 * 16;
	seq_buf_init(&s, buf, KTAP_TEXT_BUFFER);
	t = (struct ktap_text){ .s = &s, .vm = vm };
	ktap_text_printf_args(&t, args, 3);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.cut_strings), 1);
}

/* The format is cut: the argument meets another directive than the checked one. */
static void a_cut_format_prints_no_pointer(struct kunit *test)
{
	struct ktap_vm *vm = test_text_vm(test, KTAP_LEVEL_TASK);
	struct ktap_value args[2];
	const char *text;
	struct seq_buf s;
	char *fmt, *buf;
	int i;

	fmt = kunit_kzalloc(test, 4001, GFP_KERNEL);
	buf = kunit_kzalloc(test, 8192, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fmt);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	args[1] = test_str("text");
	for (i = 3000; i < 3050; i++) {
		memset(fmt, ' ', 4000);
		memcpy(fmt + i, "%-----s", 7);
		args[0] = KTAP_VALUE_STR(fmt, 4000);
		KUNIT_EXPECT_EQ(test, 0, ktap_check_format(vm, "printf", args, 2));
		seq_buf_init(&s, buf, 8192);
		text = test_record_text(test, vm, KTAP_REC_PRINTF, args, 2, &s);
		KUNIT_EXPECT_NULL(test, strpbrk(text, "0123456789"));
	}
}

static void broken_records_do_no_harm(struct kunit *test)
{
	struct {
		struct ktap_record rec;
		struct ktap_record_arg arg;
		u64 data;
	} r;
	char buf[TEST_TEXT];
	struct seq_buf s;
	size_t size;
	u32 len;

	seq_buf_init(&s, buf, sizeof(buf));
	for (size = 0; size <= sizeof(r); size++) {
		for (len = 0; len < 64; len++) {
			r.rec = (struct ktap_record){ KTAP_REC_PRINTF, 1, size };
			r.arg.tag = KTAP_STR;
			r.arg.len = len > 32 ? -len : len;
			r.data = 0;
			ktap_record_format(&s, NULL, &r.rec, size);
		}
	}
	r.rec.nargs = 255;
	ktap_record_format(&s, NULL, &r.rec, sizeof(r));
	KUNIT_EXPECT_FALSE(test, seq_buf_has_overflowed(&s));
}

/* Without arguments, and with an integer in place of the string */
static void records_without_their_string_have_no_text(struct kunit *test)
{
	struct {
		struct ktap_record rec;
		struct ktap_record_arg arg;
		u64 data;
	} r = { .arg = { KTAP_INT, sizeof(u64) }, .data = 1 };
	char buf[TEST_TEXT];
	struct seq_buf s;
	u8 type, nargs;

	seq_buf_init(&s, buf, sizeof(buf));
	for (type = 0; type <= KTAP_REC_SYSTEM; type++) {
		if (type == KTAP_REC_PRINT)
			continue;
		for (nargs = 0; nargs <= 1; nargs++) {
			r.rec = (struct ktap_record){ type, nargs, sizeof(r) };
			ktap_record_format(&s, NULL, &r.rec, sizeof(r));
			KUNIT_EXPECT_EQ(test, seq_buf_used(&s), 0);
		}
	}
}

static void too_long_text_is_cut(struct kunit *test)
{
	struct ktap_value args[] = { test_str("0123456789"), KTAP_VALUE_INT(123456789) };
	char buf[16] = "";
	struct ktap_text t;
	struct seq_buf s;

	seq_buf_init(&s, buf, sizeof(buf));
	t = (struct ktap_text){ .s = &s };
	ktap_text_print(&t, args, 2);
	KUNIT_EXPECT_TRUE(test, seq_buf_has_overflowed(&s));
	KUNIT_EXPECT_EQ(test, 0, memcmp(buf, "0123456789\t12345", 16));
}

static struct kunit_case format_cases[] = {
	KUNIT_CASE(printf_directives_work_as_in_c),
	KUNIT_CASE(wrong_formats_are_errors),
	KUNIT_CASE(long_formats_cost_more),
	KUNIT_CASE(print_separates_values_by_tabs),
	KUNIT_CASE(each_frame_of_a_stack_is_on_its_own_line),
	KUNIT_CASE(tables_are_printed_sorted),
	KUNIT_CASE(a_table_inside_itself_is_printed_once),
	KUNIT_CASE(tables_are_printed_to_any_depth),
	KUNIT_CASE(bars_of_a_histogram_are_shares_of_the_total),
	KUNIT_CASE(a_logarithmic_histogram_shows_small_numbers),
	KUNIT_CASE(long_keys_of_a_histogram_are_cut),
	KUNIT_CASE(records_keep_all_types),
	KUNIT_CASE(an_event_may_have_no_text),
	KUNIT_CASE(long_records_are_cut_and_counted),
	KUNIT_CASE(values_that_cannot_be_cut_are_left_out),
	KUNIT_CASE(padded_text_beyond_the_buffer_is_cut_and_counted),
	KUNIT_CASE(a_cut_format_prints_no_pointer),
	KUNIT_CASE(broken_records_do_no_harm),
	KUNIT_CASE(records_without_their_string_have_no_text),
	KUNIT_CASE(too_long_text_is_cut),
	{}
};

static struct kunit_suite format_suite = {
	.name = "ktap_format",
	.test_cases = format_cases,
};

kunit_test_suite(format_suite);
