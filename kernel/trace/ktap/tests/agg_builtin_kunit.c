// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions on aggregations.
 */
#include <linux/string.h>

#include "data/agg.h"
#include "data/object.h"
#include "tests/agg_fixture.h"
#include "vm/builtin.h"
#include "vm/ops.h"

static void expect_result(struct kunit *test, struct ktap_vm *vm, u32 tag, s64 want)
{
	KUNIT_EXPECT_EQ(test, vm->error, 0);
	KUNIT_EXPECT_EQ(test, vm->stack[0].tag, tag);
	if (tag == KTAP_INT)
		KUNIT_EXPECT_EQ(test, vm->stack[0].i, want);
}

static void reading_an_empty_aggregation_gives_0_or_nil(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value of[] = {
		test_agg_value(test_agg(test, vm, &ktap_agg_stats)), KTAP_VALUE_NIL,
	};
	struct ktap_value *r = vm->stack;
	int i;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		r[0] = of[i];
		ktap_fn_count_of(vm, r, 1);
		expect_result(test, vm, KTAP_INT, 0);
		r[0] = of[i];
		ktap_fn_sum(vm, r, 1);
		expect_result(test, vm, KTAP_INT, 0);
		r[0] = of[i];
		ktap_fn_min(vm, r, 1);
		expect_result(test, vm, KTAP_NIL, 0);
		r[0] = of[i];
		ktap_fn_max(vm, r, 1);
		expect_result(test, vm, KTAP_NIL, 0);
		r[0] = of[i];
		ktap_fn_avg(vm, r, 1);
		expect_result(test, vm, KTAP_NIL, 0);
	}
}

static void reading_gives_the_totals(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_hist);
	struct ktap_value *r = vm->stack;

	ktap_agg_add(vm, agg, -3);
	ktap_agg_add(vm, agg, -4);
	r[0] = test_agg_value(agg);
	ktap_fn_count_of(vm, r, 1);
	expect_result(test, vm, KTAP_INT, 2);
	r[0] = test_agg_value(agg);
	ktap_fn_sum(vm, r, 1);
	expect_result(test, vm, KTAP_INT, -7);
	r[0] = test_agg_value(agg);
	ktap_fn_min(vm, r, 1);
	expect_result(test, vm, KTAP_INT, -4);
	r[0] = test_agg_value(agg);
	ktap_fn_max(vm, r, 1);
	expect_result(test, vm, KTAP_INT, -3);
	/* Rounded toward zero. */
	r[0] = test_agg_value(agg);
	ktap_fn_avg(vm, r, 1);
	expect_result(test, vm, KTAP_INT, -3);
}

static void min_and_max_take_several_integers(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value *r = vm->stack;
	struct ktap_value three[] = {
		KTAP_VALUE_INT(5), KTAP_VALUE_INT(S64_MIN), KTAP_VALUE_INT(S64_MAX),
	};

	memcpy(r, three, sizeof(three));
	KUNIT_EXPECT_EQ(test, 0, ktap_fn_min(vm, r, 3));
	expect_result(test, vm, KTAP_INT, S64_MIN);
	memcpy(r, three, sizeof(three));
	KUNIT_EXPECT_EQ(test, 0, ktap_fn_max(vm, r, 3));
	expect_result(test, vm, KTAP_INT, S64_MAX);
	r[0] = KTAP_VALUE_INT(-1);
	r[1] = KTAP_VALUE_NIL;
	KUNIT_EXPECT_EQ(test, 0, ktap_fn_max(vm, r, 2));
	expect_result(test, vm, KTAP_INT, 0);
	r[0] = KTAP_VALUE_INT(-1);
	r[1] = KTAP_VALUE_BOOL(true);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_fn_max(vm, r, 2));
	KUNIT_EXPECT_STREQ(test, vm->message,
			   "max of several values takes integers, not a boolean");
	vm->error = 0;
	r[0] = KTAP_VALUE_INT(-1);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_fn_min(vm, r, 1));
	KUNIT_EXPECT_STREQ(test, vm->message, "min takes an aggregation, or several integers");
}

/* The remaining keys as digits, in the order of insertion. */
static s64 truncated(struct kunit *test, struct ktap_value v, s64 n)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_value *r = vm->stack;
	struct ktap_agg *agg;
	s64 keys = 0;
	int i;

	if (v.tag == KTAP_AGG) {
		agg = test_agg(test, vm, &ktap_agg_stats);
		v = test_agg_value(agg);
		for (i = 1; i <= 5; i++)
			test_put(vm, v, i, i * i);
	} else {
		v = test_table_value(test_table(test, vm, 0));
		for (i = 1; i <= 5; i++) {
			r[0] = KTAP_VALUE_INT(i);
			r[1] = i == 2 ? KTAP_VALUE_STR("x", 1) : KTAP_VALUE_INT(-i * i);
			ktap_table_set(vm, v.table, &r[0], &r[1]);
		}
	}
	r[0] = v;
	r[1] = KTAP_VALUE_INT(n);
	KUNIT_EXPECT_EQ(test, 0, ktap_fn_trunc(vm, r, 2));
	r[0] = v;
	ktap_op_iter(vm, r);
	while (ktap_op_next(vm, r) > 0)
		keys = keys * 10 + r[3].i;
	ktap_objects_end_run(vm);
	return keys;
}

static void trunc_keeps_the_largest_or_the_smallest(struct kunit *test)
{
	struct ktap_value agg = { .tag = KTAP_AGG }, table = { .tag = KTAP_TABLE };

	KUNIT_EXPECT_EQ(test, truncated(test, agg, 2), 45);
	KUNIT_EXPECT_EQ(test, truncated(test, agg, -2), 12);
	KUNIT_EXPECT_EQ(test, truncated(test, agg, 0), 0);
	KUNIT_EXPECT_EQ(test, truncated(test, agg, 9), 12345);
	KUNIT_EXPECT_EQ(test, truncated(test, agg, -9), 12345);
	KUNIT_EXPECT_EQ(test, truncated(test, agg, S64_MIN), 12345);
	KUNIT_EXPECT_EQ(test, truncated(test, agg, S64_MAX), 12345);
	/* Entry 2 is not a number. */
	KUNIT_EXPECT_EQ(test, truncated(test, table, 2), 13);
	KUNIT_EXPECT_EQ(test, truncated(test, table, -2), 45);
	KUNIT_EXPECT_EQ(test, truncated(test, table, 4), 1345);
	KUNIT_EXPECT_EQ(test, truncated(test, table, 5), 12345);
	KUNIT_EXPECT_EQ(test, truncated(test, table, -5), 1345);
}

static void normalize_sets_the_divisor_and_gives_nil(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value of[] = {
		test_agg_value(test_agg(test, vm, &ktap_agg_stats)),
		test_table_value(test_table(test, vm, 0)),
	};
	struct ktap_value *r = vm->stack;
	int i;

	for (i = 0; i < ARRAY_SIZE(of); i++) {
		r[0] = of[i];
		r[1] = KTAP_VALUE_INT(7);
		KUNIT_EXPECT_EQ(test, 0, ktap_fn_normalize(vm, r, 2));
		expect_result(test, vm, KTAP_NIL, 0);
		KUNIT_EXPECT_EQ(test, ktap_object_of(&of[i])->divisor, 7);
	}
	r[0] = of[0];
	r[1] = KTAP_VALUE_INT(0);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_fn_normalize(vm, r, 2));
	KUNIT_EXPECT_STREQ(test, vm->message, "normalize: the divisor is 0, not 1 or more");
	KUNIT_EXPECT_EQ(test, ktap_object_of(&of[0])->divisor, 7);
}

static struct kunit_case agg_builtin_cases[] = {
	KUNIT_CASE(reading_an_empty_aggregation_gives_0_or_nil),
	KUNIT_CASE(reading_gives_the_totals),
	KUNIT_CASE(min_and_max_take_several_integers),
	KUNIT_CASE(trunc_keeps_the_largest_or_the_smallest),
	KUNIT_CASE(normalize_sets_the_divisor_and_gives_nil),
	{}
};

static struct kunit_suite agg_builtin_suite = {
	.name = "ktap_agg_builtin",
	.test_cases = agg_builtin_cases,
};

kunit_test_suite(agg_builtin_suite);
