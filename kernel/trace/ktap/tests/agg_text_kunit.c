// SPDX-License-Identifier: GPL-2.0
/*
 * Text of aggregations.
 */
#include <linux/string.h>

#include "data/agg.h"
#include "data/object.h"
#include "output/text.h"
#include "tests/build.h"
#include "vm/builtin.h"
#include "vm/ops.h"

#define TEXT	1024

static struct ktap_vm *any_vm(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_vm *vm;

	test_func(c, "main", 0, 1);
	test_insn(c, KTAP_OP_NEWT, 0, 0, 0, 0);
	TEST_RET(c);
	vm = test_vm(test, test_load(c), KTAP_LEVEL_PROCESS);
	vm->budget = U32_MAX;
	return vm;
}

static struct ktap_value str(const char *s)
{
	return KTAP_VALUE_STR(s, strlen(s));
}

/* In a separate register. */
static struct ktap_value new_agg(struct kunit *test, struct ktap_vm *vm,
				 const struct ktap_agg_shape *shape)
{
	struct ktap_value *v = &vm->stack[vm->top++];

	KUNIT_ASSERT_EQ(test, 0, ktap_agg_new(vm, shape, v));
	KUNIT_ASSERT_EQ(test, v->tag, KTAP_AGG);
	return *v;
}

static struct ktap_value new_table(struct kunit *test, struct ktap_vm *vm)
{
	struct ktap_value *v = &vm->stack[vm->top++];

	KUNIT_ASSERT_EQ(test, 0, ktap_table_new(vm, 0, v));
	KUNIT_ASSERT_EQ(test, v->tag, KTAP_TABLE);
	return *v;
}

static void put(struct ktap_vm *vm, struct ktap_value base, struct ktap_value key, s64 n)
{
	struct ktap_value v = KTAP_VALUE_INT(n);

	ktap_op_taggregate(vm, &base, &key, &v);
}

static void set(struct ktap_vm *vm, struct ktap_value table, struct ktap_value key,
		struct ktap_value v)
{
	ktap_table_set(vm, table.table, &key, &v);
}

static void normalize(struct ktap_vm *vm, struct ktap_value v, s64 n)
{
	struct ktap_value r[] = { v, KTAP_VALUE_INT(n) };

	ktap_fn_normalize(vm, r, 2);
}

/*
 * Text of printf(@fmt, @v); of print(@v) if there is no format.  @number: the one by which @v was
 * sorted, or NULL
 */
static void expect_sorted_text(struct kunit *test, struct ktap_vm *vm, const char *fmt,
			       struct ktap_value v, const struct ktap_int128 *number,
			       const char *want)
{
	char *buf = kunit_kzalloc(test, TEXT + 1, GFP_KERNEL);
	struct ktap_value args[2] = { v };
	struct ktap_text t;
	struct seq_buf s;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	seq_buf_init(&s, buf, TEXT);
	t = (struct ktap_text){ .s = &s, .vm = vm, .number = number };
	if (fmt) {
		args[0] = str(fmt);
		args[1] = v;
		KUNIT_EXPECT_EQ(test, 0, ktap_check_format(vm, "printf", args, 2));
		ktap_text_printf_args(&t, args, 2);
	} else {
		ktap_text_print(&t, args, 1);
	}
	KUNIT_EXPECT_EQ(test, t.err, 0);
	buf[min(s.len, s.size)] = '\0';
	KUNIT_EXPECT_STREQ(test, buf, want);
}

static void expect_text(struct kunit *test, struct ktap_vm *vm, const char *fmt,
			struct ktap_value v, const char *want)
{
	expect_sorted_text(test, vm, fmt, v, NULL, want);
}

static void a_count_is_printed_as_a_number(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_value agg = new_agg(test, vm, &ktap_agg_count);

	expect_text(test, vm, NULL, agg, "0\n");
	ktap_agg_add(vm, agg.agg, 50);
	ktap_agg_add(vm, agg.agg, 60);
	expect_text(test, vm, NULL, agg, "2\n");
	/* A count is not a sum: normalize() does not divide it. */
	normalize(vm, agg, 2);
	expect_text(test, vm, NULL, agg, "2\n");
	expect_text(test, vm, "%@5d|", agg, "    2|");
	expect_text(test, vm, "%5s|", agg, "    2|");
	expect_text(test, vm, "%-5s|", agg, "2    |");
	ktap_objects_end_run(vm);
}

static void stats_are_printed_as_totals(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_value agg = new_agg(test, vm, &ktap_agg_stats);
	int i;

	expect_text(test, vm, NULL, agg, "count 0\n");
	for (i = 1; i <= 3; i++)
		ktap_agg_add(vm, agg.agg, i * 10);
	expect_text(test, vm, NULL, agg, "count 3, sum 60, min 10, max 30, avg 20\n");
	expect_text(test, vm, "%s|", agg, "count 3, sum 60, min 10, max 30, avg 20|");
	expect_text(test, vm, "%.7s|", agg, "count 3|");
	expect_text(test, vm, "%d|", agg, "60|");
	expect_text(test, vm, "%#x|", agg, "0x3c|");
	normalize(vm, agg, 7);
	expect_text(test, vm, NULL, agg, "count 3, sum 8, min 1, max 4, avg 2\n");
	expect_text(test, vm, "%@d|", agg, "8|");
	ktap_agg_clear(vm, agg.agg);
	normalize(vm, agg, 1);
	ktap_agg_add(vm, agg.agg, S64_MIN);
	ktap_agg_add(vm, agg.agg, S64_MIN);
	expect_text(test, vm, NULL, agg,
		    "count 2, sum -18446744073709551616, min -9223372036854775808, max -9223372036854775808, avg -9223372036854775808\n");
	expect_text(test, vm, "%d", agg, "-18446744073709551616");
	ktap_objects_end_run(vm);
}

static void a_hist_is_printed_as_a_chart(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_value agg = new_agg(test, vm, &ktap_agg_hist);
	int i;

	expect_text(test, vm, NULL, agg, "     value ----- Distribution ----- count\n");
	for (i = 0; i < 6; i++)
		ktap_agg_add(vm, agg.agg, 9);
	ktap_agg_add(vm, agg.agg, 1);
	ktap_agg_add(vm, agg.agg, -1);
	/* Empty rows in between are printed. */
	expect_text(test, vm, NULL, agg,
		    "     value ----- Distribution ----- count\n"
		    "        -1 |@@                      1\n"
		    "         0 |                        0\n"
		    "         1 |@@                      1\n"
		    "         2 |                        0\n"
		    "         4 |                        0\n"
		    "         8 |@@@@@@@@@@@@@@@@@       6\n");
	/* The chart has lines of its own, whatever surrounds it. */
	ktap_agg_clear(vm, agg.agg);
	ktap_agg_add(vm, agg.agg, 3);
	expect_text(test, vm, "x:%@d\n", agg,
		    "x:\n"
		    "     value ----- Distribution ----- count\n"
		    "         2 |@@@@@@@@@@@@@@@@@@@@@@@ 1\n");
	expect_text(test, vm, "%s y\n", agg,
		    "     value ----- Distribution ----- count\n"
		    "         2 |@@@@@@@@@@@@@@@@@@@@@@@ 1\n"
		    " y\n");
	ktap_objects_end_run(vm);
}

static void an_lhist_prints_its_limits(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_agg_shape shape;
	struct ktap_value agg;

	KUNIT_ASSERT_NULL(test, ktap_agg_lhist(&shape, -10, 10, 10));
	agg = new_agg(test, vm, &shape);
	ktap_agg_add(vm, agg.agg, -11);
	ktap_agg_add(vm, agg.agg, -10);
	ktap_agg_add(vm, agg.agg, 9);
	ktap_agg_add(vm, agg.agg, 10);
	expect_text(test, vm, NULL, agg,
		    "     value ----- Distribution ----- count\n"
		    "     < -10 |@@@@@                   1\n"
		    "       -10 |@@@@@                   1\n"
		    "         0 |@@@@@                   1\n"
		    "     >= 10 |@@@@@                   1\n");
	KUNIT_ASSERT_NULL(test, ktap_agg_lhist(&shape, S64_MIN, 0, S64_MAX));
	agg = new_agg(test, vm, &shape);
	ktap_agg_add(vm, agg.agg, S64_MIN);
	expect_text(test, vm, NULL, agg,
		    "               value ----- Distribution ----- count\n"
		    "-9223372036854775808 |@@@@@@@@@@@@@@@@@@@@@@@ 1\n");
	ktap_objects_end_run(vm);
}

static void keys_are_printed_as_those_of_a_table(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_value agg = new_agg(test, vm, &ktap_agg_stats);
	struct ktap_value hist = new_agg(test, vm, &ktap_agg_hist);
	struct ktap_value table = new_table(test, vm);

	put(vm, agg, str("b"), 10);
	put(vm, agg, str("a"), 20);
	expect_text(test, vm, NULL, agg,
		    "a: count 1, sum 20, min 20, max 20, avg 20\n"
		    "b: count 1, sum 10, min 10, max 10, avg 10\n");
	normalize(vm, agg, 10);
	set(vm, table, str("agg"), agg);
	set(vm, table, str("n"), KTAP_VALUE_INT(100));
	put(vm, hist, KTAP_VALUE_INT(3), 1);
	set(vm, table, str("hist"), hist);
	set(vm, table, str("more"), new_agg(test, vm, &ktap_agg_hist));
	/* Its own divisor takes precedence over that of the table. */
	normalize(vm, table, 50);
	expect_text(test, vm, NULL, table,
		    "agg:\n"
		    "  a: count 1, sum 2, min 2, max 2, avg 2\n"
		    "  b: count 1, sum 1, min 1, max 1, avg 1\n"
		    "hist:\n"
		    "  3:\n"
		    "     value ----- Distribution ----- count\n"
		    "         1 |@@@@@@@@@@@@@@@@@@@@@@@ 1\n"
		    "more:\n"
		    "     value ----- Distribution ----- count\n"
		    "n: 2\n");
	ktap_objects_end_run(vm);
}

static void normalize_divides_numbers_when_printed(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_value table = new_table(test, vm), inner = new_table(test, vm);
	struct ktap_value r[] = { table, KTAP_VALUE_INT(0) };

	set(vm, table, KTAP_VALUE_INT(1000), KTAP_VALUE_INT(-15));
	set(vm, inner, KTAP_VALUE_INT(1), KTAP_VALUE_INT(25));
	set(vm, table, str("in"), inner);
	set(vm, table, str("text"), str("1000"));
	normalize(vm, table, 10);
	expect_text(test, vm, NULL, table, "1000: -1\nin:\n  1: 2\ntext: 1000\n");
	normalize(vm, table, 1);
	expect_text(test, vm, NULL, table, "1000: -15\nin:\n  1: 25\ntext: 1000\n");
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_fn_normalize(vm, r, 2));
	KUNIT_EXPECT_STREQ(test, vm->message, "normalize: the divisor is 0, not 1 or more");
	ktap_objects_end_run(vm);
}

static void sorting_by_value_compares_aggregations(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_value table = new_table(test, vm);
	struct ktap_value count = new_agg(test, vm, &ktap_agg_count);
	struct ktap_sorted sorted;
	static const s64 want[] = { 5, 4, 2, 1, 3, 6 };
	int i;

	/* Other types come last; sums and counts compare as integers. */
	ktap_agg_add(vm, count.agg, 1000);
	ktap_agg_add(vm, count.agg, 1000);
	set(vm, table, KTAP_VALUE_INT(1), count);
	put(vm, table, KTAP_VALUE_INT(2), 7);
	put(vm, table, KTAP_VALUE_INT(3), -7);
	set(vm, table, KTAP_VALUE_INT(4), KTAP_VALUE_INT(8));
	put(vm, table, KTAP_VALUE_INT(5), S64_MAX);
	put(vm, table, KTAP_VALUE_INT(5), S64_MAX);
	set(vm, table, KTAP_VALUE_INT(6), str("text"));
	KUNIT_ASSERT_EQ(test, 0, ktap_table_sort(vm, table.table, KTAP_BY_VALUE, &sorted));
	KUNIT_ASSERT_EQ(test, sorted.n, ARRAY_SIZE(want));
	for (i = 0; i < ARRAY_SIZE(want); i++)
		KUNIT_EXPECT_EQ(test, sorted.entries[i].key.i, want[i]);
	ktap_sorted_free(&sorted);
	KUNIT_ASSERT_EQ(test, 0, ktap_table_sort(vm, NULL, KTAP_BY_VALUE, &sorted));
	KUNIT_EXPECT_EQ(test, sorted.n, 0);
	ktap_sorted_free(&sorted);
	ktap_objects_end_run(vm);
}

/* Handlers go on, so that lines of printa() would not be in the order of their numbers. */
static void a_sorted_number_is_printed_as_it_was(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_value table = new_table(test, vm);
	struct ktap_value count = new_agg(test, vm, &ktap_agg_count);
	const struct ktap_pair *pair;
	struct ktap_sorted sorted;

	set(vm, table, KTAP_VALUE_INT(1), count);
	put(vm, table, KTAP_VALUE_INT(2), -7);
	ktap_agg_add(vm, count.agg, 1);
	KUNIT_ASSERT_EQ(test, 0, ktap_table_sort(vm, table.table, KTAP_BY_VALUE, &sorted));
	KUNIT_ASSERT_EQ(test, sorted.n, 2);
	ktap_agg_add(vm, count.agg, 1);
	put(vm, table, KTAP_VALUE_INT(2), -7);
	pair = &sorted.entries[0];
	expect_sorted_text(test, vm, "%d|", pair->value, &pair->number, "1|");
	expect_sorted_text(test, vm, "%s|", pair->value, &pair->number, "1|");
	expect_text(test, vm, "%d|", pair->value, "2|");
	pair = &sorted.entries[1];
	expect_sorted_text(test, vm, "%d|", pair->value, &pair->number, "-7|");
	expect_text(test, vm, "%d|", pair->value, "-14|");
	ktap_sorted_free(&sorted);
	ktap_objects_end_run(vm);
}

static void expect_bars(struct kunit *test, struct ktap_vm *vm, struct ktap_table *table,
			s64 divisor, const char *want)
{
	char *buf = kunit_kzalloc(test, TEXT + 1, GFP_KERNEL);
	struct ktap_text t;
	struct seq_buf s;

	KUNIT_ASSERT_NOT_NULL(test, buf);
	seq_buf_init(&s, buf, TEXT);
	t = (struct ktap_text){ .s = &s, .vm = vm };
	ktap_text_hist(&t, table, divisor);
	buf[min(s.len, s.size)] = '\0';
	KUNIT_EXPECT_STREQ(test, buf, want);
}

static void aggregations_are_printed_as_bars(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_value agg = new_agg(test, vm, &ktap_agg_stats);

	put(vm, agg, str("a"), 30);
	put(vm, agg, str("b"), 90);
	expect_bars(test, vm, ktap_agg_keyed(agg.agg), 10,
		    "     value ----- Distribution ----- count\n"
		    "         b |@@@@@@@@@@@@@@@@@       9\n"
		    "         a |@@@@@                   3");
	ktap_objects_end_run(vm);
}

static void bars_show_the_same_numbers_as_print(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_value table = new_table(test, vm);
	struct ktap_value count = new_agg(test, vm, &ktap_agg_count);
	struct ktap_value stats = new_agg(test, vm, &ktap_agg_stats);
	int i;

	for (i = 0; i < 10; i++)
		ktap_agg_add(vm, count.agg, 1);
	ktap_agg_add(vm, stats.agg, 20);
	set(vm, table, str("count"), count);
	set(vm, table, str("stats"), stats);
	set(vm, table, str("int"), KTAP_VALUE_INT(10));
	normalize(vm, stats, 2);
	expect_bars(test, vm, table.table, 5,
		    "     value ----- Distribution ----- count\n"
		    "     stats |@@@@@@@@@@@             10\n"
		    "     count |@@@@@                   10\n"
		    "       int |@@@@@                   2");
	ktap_objects_end_run(vm);
}

/* Handlers do not print charts, which need memory. */
static void a_handler_prints_a_placeholder_for_an_aggregation(struct kunit *test)
{
	struct ktap_vm *vm = any_vm(test);
	struct ktap_value agg = new_agg(test, vm, &ktap_agg_hist), table = new_table(test, vm);

	set(vm, table, str("x"), agg);
	ktap_agg_add(vm, agg.agg, 1);
	vm->level = KTAP_LEVEL_TASK;
	expect_text(test, vm, NULL, agg, "{...}\n");
	expect_text(test, vm, NULL, table, "{...}\n");
	vm->level = KTAP_LEVEL_PROCESS;
	ktap_objects_end_run(vm);
}

static struct kunit_case agg_text_cases[] = {
	KUNIT_CASE(a_count_is_printed_as_a_number),
	KUNIT_CASE(stats_are_printed_as_totals),
	KUNIT_CASE(a_hist_is_printed_as_a_chart),
	KUNIT_CASE(an_lhist_prints_its_limits),
	KUNIT_CASE(keys_are_printed_as_those_of_a_table),
	KUNIT_CASE(normalize_divides_numbers_when_printed),
	KUNIT_CASE(sorting_by_value_compares_aggregations),
	KUNIT_CASE(a_sorted_number_is_printed_as_it_was),
	KUNIT_CASE(aggregations_are_printed_as_bars),
	KUNIT_CASE(bars_show_the_same_numbers_as_print),
	KUNIT_CASE(a_handler_prints_a_placeholder_for_an_aggregation),
	{}
};

static struct kunit_suite agg_text_suite = {
	.name = "ktap_agg_text",
	.test_cases = agg_text_cases,
};

kunit_test_suite(agg_text_suite);
