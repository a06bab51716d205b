// SPDX-License-Identifier: GPL-2.0
/*
 * Text of values, and records.
 */
#include <linux/string.h>

#include "output/format.h"
#include "output/record.h"
#include "output/text.h"
#include "tests/build.h"
#include "vm/env.h"
#include "vm/vm.h"

#define TEXT	1024

static struct ktap_vm *any_vm(struct kunit *test, enum ktap_level level)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), level);
	vm->budget = 10000;
	return vm;
}

static struct ktap_value str(const char *s)
{
	return KTAP_VALUE_STR(s, strlen(s));
}

static void text_begin(struct ktap_text *t, struct seq_buf *s, char *buf, struct ktap_vm *vm)
{
	seq_buf_init(s, buf, TEXT);
	*t = (struct ktap_text){ .s = s, .vm = vm };
}

static const char *text_end(struct ktap_text *t)
{
	t->s->buffer[min(t->s->len, t->s->size - 1)] = '\0';
	return t->s->buffer;
}

struct printf_case {
	const char *fmt;
	struct ktap_value arg;
	const char *want;
};

#define I(x)		{ .i = (x), .tag = KTAP_INT }
#define S(x)		{ .blob = (x), .tag = KTAP_STR, .len = sizeof(x) - 1 }

static const struct printf_case printf_cases[] = {
	{ "%d", I(5), "5" },
	{ "%i|", I(-5), "-5|" },
	{ "%d", I(S64_MIN), "-9223372036854775808" },
	{ "%u", I(-1), "18446744073709551615" },
	{ "%x", I(-1), "ffffffffffffffff" },
	{ "%X", I(0xabc), "ABC" },
	{ "%#x %%", I(0xabc), "0xabc %" },
	{ "%#X", I(0xabc), "0XABC" },
	{ "%#x", I(0), "0" },
	{ "%o", I(8), "10" },
	{ "%#o", I(8), "010" },
	{ "%#o", I(0), "0" },
	{ "%#.3o", I(8), "010" },
	{ "%#.0o", I(0), "0" },
	{ "%#06o", I(8), "000010" },
	{ "%p", I(0x1000), "0x1000" },
	{ "%5d|", I(42), "   42|" },
	{ "%-5d|", I(42), "42   |" },
	{ "%05d", I(-42), "-0042" },
	{ "%+d", I(42), "+42" },
	{ "% d", I(42), " 42" },
	{ "%+5d", I(42), "  +42" },
	{ "%.4d", I(42), "0042" },
	{ "%7.4d|", I(-42), "  -0042|" },
	{ "%-7.4d|", I(42), "0042   |" },
	{ "%.0d|", I(0), "|" },
	{ "%#010x", I(0xff), "0x000000ff" },
	{ "%lld %", I(1), "1 %" },
	{ "%ld", I(1), "1" },
	{ "%c", I('x'), "x" },
	{ "%3c|", I('x'), "  x|" },
	{ "%-3c|", I('x'), "x  |" },
	{ "%d", { .tag = KTAP_NIL }, "0" },
	{ "%d", { .tag = KTAP_BOOL, .i = 1 }, "1" },
	{ "%x", { .tag = KTAP_PTR, .u = 0xff }, "ff" },
	{ "%s", S("text"), "text" },
	{ "%6s|", S("text"), "  text|" },
	{ "%-6s|", S("text"), "text  |" },
	{ "%.2s|", S("text"), "te|" },
	{ "%5.2s|", S("text"), "   te|" },
	{ "%s", I(7), "7" },
	{ "%4s|", I(7), "   7|" },
	{ "%-4s|", I(7), "7   |" },
	{ "%s", { .tag = KTAP_NIL }, "nil" },
	{ "%6s", { .tag = KTAP_BOOL }, " false" },
	{ "%.3s", { .tag = KTAP_BOOL }, "fal" },
	{ "%s", { .tag = KTAP_PTR, .u = 0xff }, "0xff" },
	{ "no directive", I(1), "no directive" },
	{ "", I(1), "" },
};

static void printf_directives_work_as_in_c(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_TASK);
	const struct printf_case *p;
	struct ktap_value args[2];
	struct ktap_text t;
	char buf[TEXT + 1];
	struct seq_buf s;
	int i;

	for (i = 0; i < ARRAY_SIZE(printf_cases); i++) {
		p = &printf_cases[i];
		args[0] = str(p->fmt);
		args[1] = p->arg;
		/* A lone % at the end is an error; here it shows the remaining text. */
		if (p->fmt[0] && p->fmt[strlen(p->fmt) - 1] == '%' && !strstr(p->fmt, "%%"))
			continue;
		KUNIT_EXPECT_EQ(test, 0, ktap_check_format(vm, "printf", args, 2));
		text_begin(&t, &s, buf, NULL);
		ktap_text_printf_args(&t, args, 2);
		KUNIT_EXPECT_STREQ_MSG(test, text_end(&t), p->want, "of \"%s\"", p->fmt);
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
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_TASK);
	struct ktap_value args[2];
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		args[0] = str(wrong[i].fmt);
		args[1] = wrong[i].arg;
		vm->error = 0;
		KUNIT_EXPECT_EQ(test, -EINVAL, ktap_check_format(vm, "printf", args, 2));
		KUNIT_EXPECT_STREQ(test, vm->message, wrong[i].message);
	}
}

/* The format is parsed, in pieces, before other costs are charged. */
static void long_formats_cost_more(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_TASK);
	char *fmt = kunit_kzalloc(test, 4000, GFP_KERNEL);
	struct ktap_value arg = KTAP_VALUE_STR(fmt, 4000);

	KUNIT_ASSERT_NOT_NULL(test, fmt);
	memset(fmt, '%', 4000);
	KUNIT_EXPECT_EQ(test, 0, ktap_check_format(vm, "printf", &arg, 1));
	KUNIT_EXPECT_EQ(test, vm->budget, 10000 - 4000 / 64 - 2 * 2000);
	arg = str("a short one");
	KUNIT_EXPECT_EQ(test, 0, ktap_check_format(vm, "printf", &arg, 1));
	KUNIT_EXPECT_EQ(test, vm->budget, 10000 - 4000 / 64 - 2 * 2001);
}

static void print_separates_values_by_tabs(struct kunit *test)
{
	struct ktap_value args[] = {
		KTAP_VALUE_NIL, KTAP_VALUE_BOOL(true), KTAP_VALUE_INT(-1), str("text"),
		KTAP_VALUE_PTR(0xabc),
	};
	struct ktap_text t;
	char buf[TEXT + 1];
	struct seq_buf s;

	text_begin(&t, &s, buf, NULL);
	ktap_text_print(&t, args, ARRAY_SIZE(args));
	KUNIT_EXPECT_STREQ(test, text_end(&t), "nil\ttrue\t-1\ttext\t0xabc\n");
	text_begin(&t, &s, buf, NULL);
	ktap_text_print(&t, args, 0);
	KUNIT_EXPECT_STREQ(test, text_end(&t), "\n");
}

static void each_frame_of_a_stack_is_on_its_own_line(struct kunit *test)
{
	u64 frames[] = { 0x10, 0x20 };
	struct ktap_value args[] = {
		str("%s%s\n"), str("at"),
		{ .blob = frames, .tag = KTAP_USTACK, .len = sizeof(frames) },
	};
	struct ktap_text t;
	char buf[TEXT + 1];
	struct seq_buf s;

	text_begin(&t, &s, buf, NULL);
	ktap_text_printf_args(&t, args, 3);
	KUNIT_EXPECT_STREQ(test, text_end(&t), "at\n        0x10\n        0x20\n");
	text_begin(&t, &s, buf, NULL);
	ktap_text_print(&t, &args[2], 1);
	KUNIT_EXPECT_STREQ(test, text_end(&t), "        0x10\n        0x20\n");
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
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_PROCESS);
	struct ktap_value outer = new_table(test, vm);
	struct ktap_value inner = new_table(test, vm);
	struct ktap_value empty = new_table(test, vm);
	u64 bytes[8];
	struct ktap_value parts[] = { str("cpu"), KTAP_VALUE_INT(3) };
	struct ktap_value key = { .blob = bytes, .tag = KTAP_TUPLE };
	struct ktap_text t;
	char buf[TEXT + 1];
	struct seq_buf s;

	key.len = ktap_tuple_put(ktap_tuple_put(bytes, &parts[0]), &parts[1]) - (void *)bytes;
	set(vm, inner.table, str("y"), KTAP_VALUE_INT(2));
	set(vm, inner.table, str("x"), str("one"));
	set(vm, outer.table, key, KTAP_VALUE_BOOL(true));
	set(vm, outer.table, str("in"), inner);
	set(vm, outer.table, KTAP_VALUE_INT(9), empty);
	text_begin(&t, &s, buf, vm);
	ktap_text_print(&t, &outer, 1);
	KUNIT_EXPECT_STREQ(test, text_end(&t),
			   "9: {}\nin:\n  x: one\n  y: 2\ncpu, 3: true\n");
	text_begin(&t, &s, buf, vm);
	ktap_text_print(&t, &empty, 1);
	KUNIT_EXPECT_STREQ(test, text_end(&t), "{}\n");
	text_begin(&t, &s, buf, vm);
	ktap_text_variable(&t, "name", &inner);
	ktap_text_variable(&t, "n", &parts[1]);
	KUNIT_EXPECT_STREQ(test, text_end(&t), "name:\n  x: one\n  y: 2\nn: 3\n");
}

static void a_table_inside_itself_is_printed_once(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_PROCESS);
	struct ktap_value table = new_table(test, vm);
	struct ktap_value other = new_table(test, vm);
	struct ktap_text t;
	char buf[TEXT + 1];
	struct seq_buf s;

	set(vm, table.table, str("me"), table);
	text_begin(&t, &s, buf, vm);
	ktap_text_print(&t, &table, 1);
	KUNIT_EXPECT_STREQ(test, text_end(&t), "me: {...}\n");
	/* A table that occurs twice is printed twice. */
	set(vm, table.table, str("me"), KTAP_VALUE_NIL);
	set(vm, other.table, str("x"), KTAP_VALUE_INT(1));
	set(vm, table.table, str("a"), other);
	set(vm, table.table, str("b"), other);
	text_begin(&t, &s, buf, vm);
	ktap_text_print(&t, &table, 1);
	KUNIT_EXPECT_STREQ(test, text_end(&t), "a:\n  x: 1\nb:\n  x: 1\n");
	/* A cycle of two tables. */
	set(vm, other.table, str("back"), table);
	text_begin(&t, &s, buf, vm);
	ktap_text_print(&t, &table, 1);
	KUNIT_EXPECT_STREQ(test, text_end(&t),
			   "a:\n  back: {...}\n  x: 1\nb:\n  back: {...}\n  x: 1\n");
}

/* Deeper than the kernel's stack allows recursion; each level is indented by two spaces. */
static void tables_are_printed_to_any_depth(struct kunit *test)
{
	const int depth = 1000;
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_PROCESS);
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
		set(vm, outer.table, str("k"), inner);
		inner = outer;
	}
	seq_buf_init(&s, buf, size);
	t = (struct ktap_text){ .s = &s, .vm = vm };
	ktap_text_print(&t, &outer, 1);
	text_end(&t);
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
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_PROCESS);
	struct ktap_value table = new_table(test, vm);
	struct ktap_text t;
	char buf[TEXT + 1];
	struct seq_buf s;

	text_begin(&t, &s, buf, vm);
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, text_end(&t), "     value ----- Distribution ----- count");

	set(vm, table.table, str("a"), KTAP_VALUE_INT(6));
	set(vm, table.table, str("rcu_utilization"), KTAP_VALUE_INT(12));
	set(vm, table.table, KTAP_VALUE_INT(5), KTAP_VALUE_INT(6));
	set(vm, table.table, str("text"), str("text"));
	set(vm, table.table, str("negative"), KTAP_VALUE_INT(-1));
	text_begin(&t, &s, buf, vm);
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, text_end(&t),
			   "          value ----- Distribution ----- count\n"
			   "rcu_utilization |@@@@@@@@@@@             12\n"
			   "              5 |@@@@@                   6\n"
			   "              a |@@@@@                   6\n"
			   "       negative |                        -1");
	text_begin(&t, &s, buf, vm);
	t.chart = &(struct ktap_chart){ .rows = 1 };
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, text_end(&t),
			   "          value ----- Distribution ----- count\n"
			   "rcu_utilization |@@@@@@@@@@@             12\n"
			   "            ... |");
	/* The sum needs more than 64 bits. */
	set(vm, table.table, str("a"), KTAP_VALUE_INT(S64_MAX));
	set(vm, table.table, str("b"), KTAP_VALUE_INT(S64_MAX));
	set(vm, table.table, str("c"), KTAP_VALUE_INT(S64_MAX));
	text_begin(&t, &s, buf, vm);
	t.chart = &(struct ktap_chart){ .rows = 1 };
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, text_end(&t),
			   "     value ----- Distribution ----- count\n"
			   "         a |@@@@@@@                 9223372036854775807\n"
			   "       ... |");
}

/* A bar is the number's bits relative to the largest number's: 3, 2, 1, 0 of 3. */
static void a_logarithmic_histogram_shows_small_numbers(struct kunit *test)
{
	static const struct ktap_chart log = { .rows = 20, .log = true };
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_PROCESS);
	struct ktap_value table = new_table(test, vm);
	struct ktap_text t;
	char buf[TEXT + 1];
	struct seq_buf s;

	text_begin(&t, &s, buf, vm);
	t.chart = &log;
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, text_end(&t), "     value -- Distribution (log) -- count");

	set(vm, table.table, str("a"), KTAP_VALUE_INT(7));
	set(vm, table.table, str("b"), KTAP_VALUE_INT(2));
	set(vm, table.table, str("c"), KTAP_VALUE_INT(1));
	set(vm, table.table, str("d"), KTAP_VALUE_INT(0));
	set(vm, table.table, str("e"), KTAP_VALUE_INT(-100));
	text_begin(&t, &s, buf, vm);
	t.chart = &log;
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, text_end(&t),
			   "     value -- Distribution (log) -- count\n"
			   "         a |@@@@@@@@@@@@@@@@@@@@@@@ 7\n"
			   "         b |@@@@@@@@@@@@@@@@        2\n"
			   "         c |@@@@@@@@                1\n"
			   "         d |                        0\n"
			   "         e |                        -100");
	set(vm, table.table, str("a"), KTAP_VALUE_INT(S64_MAX));
	text_begin(&t, &s, buf, vm);
	t.chart = &(struct ktap_chart){ .rows = 3, .log = true };
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_STREQ(test, text_end(&t),
			   "     value -- Distribution (log) -- count\n"
			   "         a |@@@@@@@@@@@@@@@@@@@@@@@ 9223372036854775807\n"
			   "         b |@                       2\n"
			   "         c |@                       1\n"
			   "       ... |");
}

static void long_keys_of_a_histogram_are_cut(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_PROCESS);
	struct ktap_value table = new_table(test, vm);
	struct ktap_text t;
	char buf[TEXT + 1];
	struct seq_buf s;

	set(vm, table.table, str("0123456789012345678901234567890123456789012345678"),
	    KTAP_VALUE_INT(1));
	text_begin(&t, &s, buf, vm);
	ktap_text_hist(&t, table.table, 0);
	KUNIT_EXPECT_TRUE(test, strstr(text_end(&t),
				       "\n012345678901234567890123456789012345678901234... |@"));
}

/* Write a record and format it, in exactly the reserved bytes. */
static const char *through_record(struct kunit *test, struct ktap_vm *vm,
				  enum ktap_record_type type, const struct ktap_value *args,
				  unsigned int n, struct seq_buf *s)
{
	size_t size = ktap_record_size(vm, args, n);
	struct ktap_record *rec;

	KUNIT_EXPECT_LE(test, size, KTAP_RECORD_MAX);
	KUNIT_EXPECT_EQ(test, size % 8, 0);
	rec = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	ktap_record_write(vm, rec, size, type, args, n);
	KUNIT_EXPECT_EQ(test, rec->len, size);
	ktap_record_format(s, vm->env, rec, size);
	s->buffer[min(s->len, s->size - 1)] = '\0';
	return s->buffer;
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
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_TASK);
	u64 frames[] = { 0x10 };
	struct ktap_value args[] = {
		KTAP_VALUE_NIL, KTAP_VALUE_BOOL(false), KTAP_VALUE_INT(S64_MIN), str("text"),
		KTAP_VALUE_PTR(1),
		{ .blob = frames, .tag = KTAP_USTACK, .len = sizeof(frames) },
	};
	char buf[TEXT];
	struct seq_buf s;

	vm->event = &event;
	seq_buf_init(&s, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test,
			   through_record(test, vm, KTAP_REC_PRINT, args, ARRAY_SIZE(args), &s),
			   "nil\tfalse\t-9223372036854775808\ttext\t0x1\t\n        0x10\n");
	args[0] = str("%s: %d|");
	args[1] = str("n");
	args[2] = KTAP_VALUE_INT(5);
	seq_buf_init(&s, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, through_record(test, vm, KTAP_REC_PRINTF, args, 3, &s), "n: 5|");
	seq_buf_init(&s, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, through_record(test, vm, KTAP_REC_ERROR, &args[1], 1, &s), "n");
	seq_buf_init(&s, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, through_record(test, vm, KTAP_REC_PRINT, NULL, 0, &s), "\n");
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
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_TASK);
	struct ktap_value args[2];
	char buf[TEXT];
	struct seq_buf s;
	int i;

	vm->event = &event;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		args[0] = str(cases[i].fmt);
		args[1] = (struct ktap_value){ .tag = KTAP_ARGSTR };
		seq_buf_init(&s, buf, sizeof(buf));
		KUNIT_EXPECT_STREQ(test, through_record(test, vm, KTAP_REC_PRINTF, args, 2, &s),
				   cases[i].want);
	}
}

static void long_records_are_cut_and_counted(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_TASK);
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
	args[1] = str("behind");
	args[2] = KTAP_VALUE_INT(7);
	seq_buf_init(&s, buf, 8192);
	text = through_record(test, vm, KTAP_REC_PRINT, args, 3, &s);
	KUNIT_EXPECT_GT(test, strlen(text), 2900);
	KUNIT_EXPECT_LT(test, strlen(text), KTAP_RECORD_MAX);
	KUNIT_EXPECT_TRUE(test, strstr(text, "xxx...\t\t7\n"));
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.cut_strings), 2);
}

static void values_that_cannot_be_cut_are_left_out(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_TASK);
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
	text = through_record(test, vm, KTAP_REC_PRINT, args, 2, &s);
	KUNIT_EXPECT_STREQ(test, text, "...\t7\n");
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.cut_strings), 1);
	/* Counted once for each value, also without room for the dots. */
	args[1] = args[0];
	args[0] = KTAP_VALUE_STR(x, KTAP_MAX_STRLEN);
	seq_buf_init(&s, buf, 8192);
	through_record(test, vm, KTAP_REC_PRINT, args, 2, &s);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.cut_strings), 3);
}

/* Padded text is kept in the buffer, and does not fit the remaining space. */
static void padded_text_beyond_the_buffer_is_cut_and_counted(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_PROCESS);
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
	args[0] = str("%s%-20s");
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
	struct ktap_vm *vm = any_vm(test, KTAP_LEVEL_TASK);
	struct ktap_value args[2];
	const char *text;
	struct seq_buf s;
	char *fmt, *buf;
	int i;

	fmt = kunit_kzalloc(test, 4001, GFP_KERNEL);
	buf = kunit_kzalloc(test, 8192, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, fmt);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	args[1] = str("text");
	for (i = 3000; i < 3050; i++) {
		memset(fmt, ' ', 4000);
		memcpy(fmt + i, "%-----s", 7);
		args[0] = KTAP_VALUE_STR(fmt, 4000);
		KUNIT_EXPECT_EQ(test, 0, ktap_check_format(vm, "printf", args, 2));
		seq_buf_init(&s, buf, 8192);
		text = through_record(test, vm, KTAP_REC_PRINTF, args, 2, &s);
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
	char buf[TEXT];
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
	char buf[TEXT];
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

/* Add "printf(FMT)" or "format(FMT)", with @nargs - 1 arguments, to the running function. */
static u32 call_with(struct test_chunk *c, u8 reg, u32 function, const char *fmt, u8 nargs)
{
	u8 i;

	test_insn(c, KTAP_OP_STR, reg, 0, 0, test_string(c, fmt));
	for (i = 1; i < nargs; i++)
		test_insn(c, KTAP_OP_INT, reg + i, 0, 0, i);
	return test_insn(c, KTAP_OP_CALLB, reg, nargs, 0, function);
}

/* Return an activation of a program that calls printf with this format at *@pc. */
static struct ktap_vm *vm_with_format(struct kunit *test, const char *fmt, u32 *pc)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 4);
	*pc = call_with(c, 0, KTAP_FN_PRINTF, fmt, 2);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	vm->budget = 10000;
	return vm;
}

/* Find the split form of the constant that the instruction before the call loads. */
static const struct ktap_format *split_of(struct ktap_vm *vm, u32 pc, struct ktap_value *fmt)
{
	const struct ktap_program *prog = vm->env->prog;
	u32 n = 0;

	while (prog->code[pc].op != KTAP_OP_STR)
		pc--;
	*fmt = prog->strings[prog->code[pc].d];
	while (prog->code[pc].op != KTAP_OP_CALLB)
		pc++;
	return ktap_format_at(prog, pc, fmt, &n);
}

static void constant_formats_are_split(struct kunit *test)
{
	const struct ktap_format *f;
	const struct printf_case *p;
	struct ktap_value args[2];
	char buf[TEXT + 1];
	struct ktap_text t;
	struct ktap_vm *vm;
	struct seq_buf s;
	u64 budget;
	u32 pc;
	int i;

	for (i = 0; i < ARRAY_SIZE(printf_cases); i++) {
		p = &printf_cases[i];
		vm = vm_with_format(test, p->fmt, &pc);
		f = split_of(vm, pc, &args[0]);
		args[1] = p->arg;
		/* An empty format, and one with an error */
		if (!p->fmt[0] || !strcmp(p->fmt, "%lld %")) {
			KUNIT_EXPECT_NULL(test, f);
			continue;
		}
		KUNIT_ASSERT_NOT_NULL(test, f);
		KUNIT_EXPECT_TRUE(test, ktap_format_accepts(f, args, 2));
		budget = vm->budget;
		KUNIT_EXPECT_EQ(test, 0, ktap_check_format(vm, "printf", args, 2));
		KUNIT_EXPECT_EQ(test, budget - vm->budget, f->cost);
		text_begin(&t, &s, buf, NULL);
		ktap_text_format(&t, f, args + 1, 1);
		KUNIT_EXPECT_STREQ_MSG(test, text_end(&t), p->want, "of \"%s\"", p->fmt);
	}
}

static void wrong_formats_are_not_split(struct kunit *test)
{
	static const char * const wrong[] = {
		"", "%y", "100%", "%5", "%n", "%*d", "%513d", "%.513d", "%d %.99999999999999s",
	};
	struct ktap_value fmt;
	struct ktap_vm *vm;
	char *long_one;
	u32 pc;
	int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		vm = vm_with_format(test, wrong[i], &pc);
		KUNIT_EXPECT_NULL(test, split_of(vm, pc, &fmt));
		KUNIT_EXPECT_EQ(test, vm->env->prog->nformats, 0);
	}
	/* As many pieces as are split, and one more. */
	long_one = kunit_kzalloc(test, 2 * 65 + 1, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, long_one);
	for (i = 0; i < 64; i++)
		memcpy(long_one + 2 * i, "%%", 2);
	vm = vm_with_format(test, long_one, &pc);
	KUNIT_ASSERT_NOT_NULL(test, split_of(vm, pc, &fmt));
	KUNIT_EXPECT_EQ(test, split_of(vm, pc, &fmt)->npieces, 64);
	long_one[2 * 64] = '.';
	vm = vm_with_format(test, long_one, &pc);
	KUNIT_EXPECT_NULL(test, split_of(vm, pc, &fmt));
}

/* The split form is only used for the very constant. */
static void other_formats_have_no_split_form(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	const struct ktap_program *prog;
	struct ktap_value fmt, other;
	u32 first, second, n;
	struct ktap_vm *vm;
	char copy[] = "%d";

	test_func(c, "main", 0, 4);
	first = call_with(c, 0, KTAP_FN_PRINTF, "%d", 2);
	/* A format in another register, and one that is computed. */
	test_insn(c, KTAP_OP_STR, 2, 0, 0, test_string(c, "%x"));
	test_insn(c, KTAP_OP_STR, 3, 0, 0, test_string(c, "%o"));
	test_insn(c, KTAP_OP_CONCAT, 1, 2, 2, 0);
	second = test_insn(c, KTAP_OP_CALLB, 1, 1, 0, KTAP_FN_PRINTF);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_TASK);
	prog = vm->env->prog;
	KUNIT_EXPECT_NOT_NULL(test, split_of(vm, first, &fmt));
	KUNIT_EXPECT_NULL(test, ktap_format_at(prog, second, &fmt, &n));
	KUNIT_EXPECT_NULL(test, ktap_format_at(prog, 0, &fmt, &n));
	other = fmt;
	other.blob = copy;
	KUNIT_EXPECT_NULL(test, ktap_format_at(prog, first, &other, &n));
	other = fmt;
	other.len--;
	KUNIT_EXPECT_NULL(test, ktap_format_at(prog, first, &other, &n));
	other = fmt;
	other.tag = KTAP_TUPLE;
	KUNIT_EXPECT_NULL(test, ktap_format_at(prog, first, &other, &n));
}

static void a_split_format_checks_its_arguments(struct kunit *test)
{
	struct ktap_value args[5];
	const struct ktap_format *f;
	struct ktap_vm *vm;
	u32 pc, tag, n;
	bool ok;

	vm = vm_with_format(test, "%s=%d%%%-5c", &pc);
	f = split_of(vm, pc, &args[0]);
	KUNIT_ASSERT_NOT_NULL(test, f);
	for (n = 1; n < ARRAY_SIZE(args); n++)
		args[n] = KTAP_VALUE_INT(n);
	for (n = 1; n <= ARRAY_SIZE(args); n++)
		KUNIT_EXPECT_EQ(test, ktap_format_accepts(f, args, n), n >= 4);
	/* The same types as otherwise, in each place. */
	for (n = 1; n < ARRAY_SIZE(args); n++) {
		for (tag = 0; tag < KTAP_NR_TAGS; tag++) {
			args[n].tag = tag;
			vm->error = 0;
			ok = !ktap_check_format(vm, "printf", args, ARRAY_SIZE(args));
			KUNIT_EXPECT_EQ(test, ktap_format_accepts(f, args, ARRAY_SIZE(args)), ok);
		}
		args[n] = KTAP_VALUE_INT(n);
	}
}

/* Write a record with the number of the format, and format it. */
static const char *through_split(struct kunit *test, struct ktap_vm *vm,
				 const struct ktap_format *f, const struct ktap_value *args,
				 unsigned int n, struct seq_buf *s)
{
	size_t size = ktap_record_plain_size(args, n, f->len);
	struct ktap_record *rec;

	KUNIT_ASSERT_LT(test, 0, size);
	KUNIT_EXPECT_EQ(test, size % 8, 0);
	rec = kunit_kzalloc(test, size, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rec);
	ktap_record_write_plain(rec, size, KTAP_REC_FORMAT, 0, args, n);
	KUNIT_EXPECT_EQ(test, rec->len, size);
	ktap_record_format(s, vm->env, rec, size);
	s->buffer[min(s->len, s->size - 1)] = '\0';
	/* A number that no format has */
	rec->format = 1;
	ktap_record_format(s, vm->env, rec, size);
	return s->buffer;
}

static void records_of_split_formats_have_the_same_text(struct kunit *test)
{
	u64 bytes[8], frames[] = { 0x10 };
	struct ktap_value part = KTAP_VALUE_INT(-7);
	struct ktap_value args[] = {
		KTAP_VALUE_NIL, KTAP_VALUE_NIL, KTAP_VALUE_BOOL(false), KTAP_VALUE_INT(S64_MIN),
		KTAP_VALUE_PTR(1), str("eight by"), str(""), str("not 8"),
		{ .blob = bytes, .tag = KTAP_TUPLE, .len = ktap_tuple_put(bytes, &part) -
							   (void *)bytes },
		{ .blob = frames, .tag = KTAP_USTACK, .len = sizeof(frames) },
	};
	const struct ktap_format *f;
	char *want, buf[TEXT];
	struct ktap_vm *vm;
	struct seq_buf s;
	u32 pc;

	vm = vm_with_format(test, "%s|%s|%d|%p|%s|%s|%8s|%s|%s\n", &pc);
	f = split_of(vm, pc, &args[0]);
	KUNIT_ASSERT_NOT_NULL(test, f);
	want = kunit_kzalloc(test, TEXT, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, want);
	seq_buf_init(&s, want, TEXT);
	through_record(test, vm, KTAP_REC_PRINTF, args, ARRAY_SIZE(args), &s);
	seq_buf_init(&s, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, want,
			   through_split(test, vm, f, args + 1, ARRAY_SIZE(args) - 1, &s));
	KUNIT_EXPECT_STREQ(test, want,
			   "nil|false|-9223372036854775808|0x1|eight by||   not 8|-7|\n        0x10\n");
	/* Further arguments are ignored. */
	args[1] = str("a");
	vm = vm_with_format(test, "%s", &pc);
	f = split_of(vm, pc, &args[0]);
	KUNIT_ASSERT_NOT_NULL(test, f);
	seq_buf_init(&s, buf, sizeof(buf));
	KUNIT_EXPECT_STREQ(test, "a", through_split(test, vm, f, args + 1, 3, &s));
}

/* A record is copied in the quick way if, and only if, nothing in it is cut. */
static void plain_records_are_those_that_are_not_cut(struct kunit *test)
{
	struct ktap_value args[4];
	const struct ktap_format *f;
	struct ktap_vm *vm;
	unsigned int cut;
	struct seq_buf s;
	char *x, *buf;
	u32 pc, len;

	vm = vm_with_format(test, "%d %s %s", &pc);
	f = split_of(vm, pc, &args[0]);
	x = kunit_kzalloc(test, KTAP_RECORD_MAX, GFP_KERNEL);
	buf = kunit_kzalloc(test, 8192, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, f);
	KUNIT_ASSERT_NOT_NULL(test, x);
	KUNIT_ASSERT_NOT_NULL(test, buf);
	args[1] = KTAP_VALUE_INT(1);
	args[2] = str("a part");
	for (len = KTAP_RECORD_MAX - 150; len < KTAP_RECORD_MAX; len++) {
		args[3] = KTAP_VALUE_STR(x, len);
		atomic_long_set(&vm->env->counters.cut_strings, 0);
		seq_buf_init(&s, buf, 8192);
		through_record(test, vm, KTAP_REC_PRINTF, args, 4, &s);
		cut = atomic_long_read(&vm->env->counters.cut_strings);
		KUNIT_EXPECT_EQ(test, !ktap_record_plain_size(args + 1, 3, f->len), cut);
		KUNIT_EXPECT_EQ(test, !ktap_record_plain_size(args, 4, 0), cut);
	}
	KUNIT_EXPECT_EQ(test, cut, 1);
	/* These need the other way, of any length. */
	for (args[1].tag = 0; args[1].tag < KTAP_STR; args[1].tag++)
		KUNIT_EXPECT_EQ(test, !!ktap_record_plain_size(args + 1, 1, f->len),
				args[1].tag <= KTAP_PTR && args[1].tag != KTAP_FUNC);
}

static void too_long_text_is_cut(struct kunit *test)
{
	struct ktap_value args[] = { str("0123456789"), KTAP_VALUE_INT(123456789) };
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
	KUNIT_CASE(constant_formats_are_split),
	KUNIT_CASE(wrong_formats_are_not_split),
	KUNIT_CASE(other_formats_have_no_split_form),
	KUNIT_CASE(a_split_format_checks_its_arguments),
	KUNIT_CASE(records_of_split_formats_have_the_same_text),
	KUNIT_CASE(plain_records_are_those_that_are_not_cut),
	KUNIT_CASE(too_long_text_is_cut),
	{}
};

static struct kunit_suite format_suite = {
	.name = "ktap_format",
	.test_cases = format_cases,
};

kunit_test_suite(format_suite);
