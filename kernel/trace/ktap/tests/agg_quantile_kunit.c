// SPDX-License-Identifier: GPL-2.0
/*
 * Rows of distributions, and what is found in them: quantiles; and the standard
 * deviation.
 */
#include <linux/math64.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "data/agg_priv.h"
#include "data/object.h"
#include "tests/agg_fixture.h"
#include "vm/builtin.h"
#include "vm/env.h"

/* Reproducible pseudo-random numbers of all sizes (xorshift64). */
static s64 any_number(u64 *seed)
{
	u64 x = *seed;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	*seed = x;
	x = (x << 6 | x >> 58) >> (x & 63);
	return x & 1 ? -(x >> 1) : x >> 1;
}

/* Each number has exactly one row. */
static void expect_rows(struct kunit *test, const struct ktap_agg_shape *shape)
{
	s64 least, largest, before = S64_MAX;
	u32 i;

	for (i = 0; i < shape->nbuckets; i++) {
		ktap_agg_range(shape, i, &least, &largest);
		KUNIT_EXPECT_EQ_MSG(test, (u64)before + 1, (u64)least, "row %u", i);
		KUNIT_EXPECT_LE_MSG(test, least, largest, "row %u", i);
		KUNIT_EXPECT_EQ_MSG(test, i, ktap_agg_bucket(shape, least), "%lld", least);
		KUNIT_EXPECT_EQ_MSG(test, i, ktap_agg_bucket(shape, largest), "%lld", largest);
		before = largest;
	}
	KUNIT_EXPECT_EQ(test, before, S64_MAX);
}

static void each_number_has_exactly_one_row(struct kunit *test)
{
	struct ktap_agg_shape shape;
	int bits;

	for (bits = 0; bits <= KTAP_AGG_MAX_BITS; bits++) {
		shape = test_hist(test, bits);
		KUNIT_EXPECT_EQ(test, shape.nbuckets, 2 * (64 - bits) << bits);
		expect_rows(test, &shape);
	}
	shape = test_lhist(test, -7, 100, 10);
	expect_rows(test, &shape);
	shape = test_lhist(test, 0, 1000, 1);
	expect_rows(test, &shape);
	shape = test_lhist(test, 5, 6, 100);
	expect_rows(test, &shape);
}

/* A row is at most 2^-bits of its numbers wide; small numbers have rows of their own. */
static void rows_of_a_hist_have_a_bounded_width(struct kunit *test)
{
	struct ktap_agg_shape shape;
	s64 n, least, largest;
	u64 seed = 1, size;
	int bits, i;

	for (bits = 0; bits <= KTAP_AGG_MAX_BITS; bits++) {
		shape = test_hist(test, bits);
		for (i = 0; i < 2000; i++) {
			n = i < 100 ? i - 50 : any_number(&seed);
			size = n < 0 ? -(u64)n : n;
			ktap_agg_range(&shape, ktap_agg_bucket(&shape, n), &least, &largest);
			KUNIT_EXPECT_GE_MSG(test, max_t(u64, size >> bits, 1),
					    (u64)largest - (u64)least + 1, "%lld", n);
		}
	}
}

static void a_hist_has_at_most_16_rows_for_a_power_of_two(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg_shape shape;
	struct ktap_value *r = vm->stack;
	int bits;

	for (bits = 0; bits <= KTAP_AGG_MAX_BITS; bits++) {
		r[0] = KTAP_VALUE_INT(bits);
		KUNIT_EXPECT_EQ(test, 0, ktap_fn_new_hist(vm, r, 1));
		KUNIT_ASSERT_EQ(test, r[0].tag, KTAP_AGG);
		KUNIT_EXPECT_EQ(test, ktap_agg_shape(r[0].agg)->bits, bits);
	}
	KUNIT_EXPECT_NOT_NULL(test, ktap_agg_log_linear(&shape, KTAP_AGG_MAX_BITS + 1));
	r[0] = KTAP_VALUE_INT(-1);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_fn_new_hist(vm, r, 1));
	KUNIT_EXPECT_STREQ(test, vm->message, "hist(-1): a power of two has 2^0 to 2^4 rows");
}

/* quantile(agg, p, scale) */
static struct ktap_value quantile(struct kunit *test, struct ktap_vm *vm, struct ktap_value of,
				  s64 p, s64 scale)
{
	struct ktap_value *r = vm->stack;

	r[0] = of;
	r[1] = KTAP_VALUE_INT(p);
	r[2] = KTAP_VALUE_INT(scale);
	KUNIT_EXPECT_EQ(test, 0, ktap_fn_quantile(vm, r, 3));
	return r[0];
}

static void expect_quantile(struct kunit *test, struct ktap_vm *vm, struct ktap_agg *agg, s64 p,
			    s64 scale, s64 want)
{
	struct ktap_value v = quantile(test, vm, test_agg_value(agg), p, scale);

	KUNIT_EXPECT_EQ(test, v.tag, KTAP_INT);
	KUNIT_EXPECT_EQ_MSG(test, v.i, want, "%lld of %lld", p, scale);
}

#define NUMBERS		1000

static int by_size(const void *a, const void *b)
{
	s64 x = *(const s64 *)a, y = *(const s64 *)b;

	return (x > y) - (x < y);
}

/* The error is at most half a row, that is half of 2^-bits of the number. */
static void expect_near(struct kunit *test, struct ktap_vm *vm, struct ktap_agg *agg, s64 p,
			s64 want)
{
	s64 got = quantile(test, vm, test_agg_value(agg), p, NUMBERS).i;
	u64 error = got > want ? (u64)got - (u64)want : (u64)want - (u64)got;
	u64 size = want < 0 ? -(u64)want : want;
	u32 bits = ktap_agg_shape(agg)->bits;

	KUNIT_EXPECT_LE_MSG(test, error, size >> (bits + 1), "%lld, not %lld, of hist(%u)", got,
			    want, bits);
}

static void the_error_of_a_quantile_is_bounded(struct kunit *test)
{
	static const enum ktap_level levels[] = { EVENT, PROCESS };
	s64 *numbers = kunit_kzalloc(test, NUMBERS * sizeof(*numbers), GFP_KERNEL);
	struct ktap_agg *aggs[KTAP_AGG_MAX_BITS + 1];
	struct ktap_agg_shape shape;
	struct ktap_vm *vm;
	int i, j, level;
	u64 seed = 42;

	KUNIT_ASSERT_NOT_NULL(test, numbers);
	for (level = 0; level < ARRAY_SIZE(levels); level++) {
		vm = test_vm_at_work(test, levels[level]);
		for (j = 0; j <= KTAP_AGG_MAX_BITS; j++) {
			shape = test_hist(test, j);
			aggs[j] = test_agg(test, vm, &shape);
		}
		for (i = 0; i < NUMBERS; i++) {
			numbers[i] = any_number(&seed);
			for (j = 0; j <= KTAP_AGG_MAX_BITS; j++)
				ktap_agg_add(vm, aggs[j], numbers[i]);
		}
		sort_nonatomic(numbers, NUMBERS, sizeof(*numbers), by_size, NULL);
		for (j = 0; j <= KTAP_AGG_MAX_BITS; j++) {
			for (i = 1; i < NUMBERS; i += 7)
				expect_near(test, vm, aggs[j], i, numbers[i - 1]);
			expect_quantile(test, vm, aggs[j], 0, NUMBERS, numbers[0]);
			expect_quantile(test, vm, aggs[j], NUMBERS, NUMBERS, numbers[NUMBERS - 1]);
		}
		ktap_objects_end_run(vm);
	}
}

/* The first row with at least p of scale numbers in or below it. */
static void a_rank_is_rounded_up(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_hist);
	struct ktap_value *r = vm->stack;
	int i;

	for (i = 0; i < 3; i++)
		ktap_agg_add(vm, agg, i);
	expect_quantile(test, vm, agg, 33, 100, 0);
	expect_quantile(test, vm, agg, 34, 100, 1);
	expect_quantile(test, vm, agg, 66, 100, 1);
	expect_quantile(test, vm, agg, 67, 100, 2);
	expect_quantile(test, vm, agg, 1, S64_MAX, 0);
	expect_quantile(test, vm, agg, S64_MAX - 1, S64_MAX, 2);
	/* The default scale is 100. */
	r[0] = test_agg_value(agg);
	r[1] = KTAP_VALUE_INT(50);
	KUNIT_EXPECT_EQ(test, 0, ktap_fn_quantile(vm, r, 2));
	KUNIT_EXPECT_EQ(test, r[0].i, 1);
}

/* The largest 64-bit count. */
static void ranks_may_exceed_64_bits(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_hist);
	struct ktap_agg_block *block;

	ktap_agg_add(vm, agg, 1);
	ktap_agg_add(vm, agg, 2);
	block = agg->blocks;
	KUNIT_ASSERT_NOT_NULL(test, block);
	block->buckets[1] = 1ULL << 63;
	block->buckets[2] = (1ULL << 63) - 1;
	agg->total.count = U64_MAX;
	expect_quantile(test, vm, agg, 50, 100, 1);
	expect_quantile(test, vm, agg, 51, 100, 2);
	/* Above the half by less than one number, and by more. */
	expect_quantile(test, vm, agg, 1LL << 62, S64_MAX, 2);
	expect_quantile(test, vm, agg, (1LL << 62) - 1, S64_MAX, 1);
}

/* Quantiles are limited to the range of min and max. */
static void quantiles_stay_between_min_and_max(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg_shape shape = test_lhist(test, 0, 100, 10);
	struct ktap_agg *agg = test_agg(test, vm, &shape);
	struct ktap_agg *hist = test_agg(test, vm, &ktap_agg_hist);

	ktap_agg_add(vm, agg, -50);
	ktap_agg_add(vm, agg, -10);
	ktap_agg_add(vm, agg, 5);
	ktap_agg_add(vm, agg, 120);
	ktap_agg_add(vm, agg, 500);
	/* -50 to -1, 0 to 9, 100 to 500 */
	expect_quantile(test, vm, agg, 1, 5, -26);
	expect_quantile(test, vm, agg, 3, 5, 4);
	expect_quantile(test, vm, agg, 4, 5, 300);

	ktap_agg_add(vm, hist, 1000);
	expect_quantile(test, vm, hist, 50, 100, 1000);
	/* 512 to 1023: up to 1000 */
	ktap_agg_add(vm, hist, 600);
	expect_quantile(test, vm, hist, 50, 100, 800);
}

static void quantiles_of_an_empty_aggregation_are_nil(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value empty = test_agg_value(test_agg(test, vm, &ktap_agg_hist));

	KUNIT_EXPECT_EQ(test, quantile(test, vm, empty, 50, 100).tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, quantile(test, vm, empty, 0, 100).tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, quantile(test, vm, empty, 100, 100).tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, quantile(test, vm, KTAP_VALUE_NIL, 50, 100).tag, KTAP_NIL);
}

static void invalid_quantiles_are_errors(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	const struct {
		struct ktap_value of;
		s64 p;
		s64 scale;
		const char *message;
	} cases[] = {
		{ KTAP_VALUE_NIL, 101, 100, "quantile: 101 is not in 0 to 100" },
		{ KTAP_VALUE_NIL, -1, 100, "quantile: -1 is not in 0 to 100" },
		{ KTAP_VALUE_NIL, 1, 0, "quantile: the scale is 0, not 1 or more" },
		{ test_agg_value(test_agg(test, vm, &ktap_agg_stats)), 50, 100,
		  "quantile of a stats(): only hist() and lhist() have rows; try hist(4)" },
		{ test_agg_value(test_agg(test, vm, &ktap_agg_count)), 50, 100,
		  "quantile of a count(): only hist() and lhist() have rows; try hist(4)" },
	};
	struct ktap_value *r = vm->stack;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		r[0] = cases[i].of;
		r[1] = KTAP_VALUE_INT(cases[i].p);
		r[2] = KTAP_VALUE_INT(cases[i].scale);
		KUNIT_EXPECT_EQ(test, -EINVAL, ktap_fn_quantile(vm, r, 3));
		KUNIT_EXPECT_STREQ(test, vm->message, cases[i].message);
		vm->error = 0;
	}
}

static void a_quantile_is_charged_for_its_rows(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg_shape shape = test_hist(test, KTAP_AGG_MAX_BITS);
	struct ktap_agg *agg = test_agg(test, vm, &shape);
	struct ktap_value *r = vm->stack;

	ktap_agg_add(vm, agg, S64_MIN);
	ktap_agg_add(vm, agg, S64_MAX);
	vm->budget = shape.nbuckets / KTAP_AGG_PIECE;
	r[0] = test_agg_value(agg);
	r[1] = KTAP_VALUE_INT(99);
	KUNIT_EXPECT_EQ(test, -ETIME, ktap_fn_quantile(vm, r, 2));
}

/* This CPU holds the lock: rows cannot be read, which is counted. */
static void a_quantile_inside_a_lock_is_approximate_and_counted(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_hist);
	struct ktap_value *r = vm->stack;
	unsigned long flags;
	int err;

	ktap_agg_add(vm, agg, 1);
	ktap_agg_add(vm, agg, 7);
	r[0] = test_agg_value(agg);
	r[1] = KTAP_VALUE_INT(10);
	KUNIT_ASSERT_TRUE(test, ktap_lock(&agg->lock, &flags));
	err = ktap_fn_quantile(vm, r, 2);
	ktap_unlock(&agg->lock, flags);
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, r[0].i, 7);
	KUNIT_EXPECT_GT(test, atomic_long_read(&vm->env->counters.nmi_busy), 0);
}

/* Its program calls stddev. */
static struct ktap_vm *squares_vm(struct kunit *test, enum ktap_level level)
{
	struct ktap_vm *vm = test_vm_at_work(test, level);

	vm->env->prog->uses |= KTAP_USES_SQUARES;
	return vm;
}

static struct ktap_value stddev(struct kunit *test, struct ktap_vm *vm, struct ktap_value of)
{
	vm->stack[0] = of;
	KUNIT_EXPECT_EQ(test, 0, ktap_fn_stddev(vm, vm->stack, 1));
	return vm->stack[0];
}

static void expect_stddev(struct kunit *test, struct ktap_vm *vm, struct ktap_agg *agg,
			  const s64 *numbers, int n, s64 want)
{
	int i;

	ktap_agg_clear(vm, agg);
	for (i = 0; i < n; i++)
		ktap_agg_add(vm, agg, numbers[i]);
	KUNIT_EXPECT_EQ(test, stddev(test, vm, test_agg_value(agg)).i, want);
}

static void the_standard_deviation_is_exact(struct kunit *test)
{
	static const enum ktap_level levels[] = { EVENT, PROCESS };
	static const s64 known[] = { 2, 4, 4, 4, 5, 5, 7, 9 }, same[] = { -7, -7, -7 };
	static const s64 half[] = { 1, 2 }, far[] = { S64_MIN, S64_MAX };
	static const s64 large[] = { S64_MAX, S64_MAX, S64_MAX }, three[] = { 0, 0, 1000 };
	struct ktap_agg *agg;
	struct ktap_vm *vm;
	int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		vm = squares_vm(test, levels[i]);
		agg = test_agg(test, vm, &ktap_agg_count);
		KUNIT_EXPECT_EQ(test, stddev(test, vm, test_agg_value(agg)).tag, KTAP_NIL);
		KUNIT_EXPECT_EQ(test, stddev(test, vm, KTAP_VALUE_NIL).tag, KTAP_NIL);
		expect_stddev(test, vm, agg, known, ARRAY_SIZE(known), 2);
		expect_stddev(test, vm, agg, same, ARRAY_SIZE(same), 0);
		expect_stddev(test, vm, agg, half, ARRAY_SIZE(half), 0);
		expect_stddev(test, vm, agg, far, ARRAY_SIZE(far), S64_MAX);
		expect_stddev(test, vm, agg, large, ARRAY_SIZE(large), 0);
		/* 471.4 */
		expect_stddev(test, vm, agg, three, ARRAY_SIZE(three), 471);
		ktap_objects_end_run(vm);
	}
}

/* Overflow is detected on every path, also when it first occurs in the merge. */
static void squares_have_128_bits(struct kunit *test)
{
	struct ktap_vm *vm = squares_vm(test, PROCESS);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_stats);
	struct ktap_value *r = vm->stack;
	int i;

	for (i = 0; i < 4; i++) {
		vm->level = i % 2 ? KTAP_LEVEL_NMI : EVENT;
		KUNIT_EXPECT_EQ(test, 0, vm->error);
		if (i)
			KUNIT_EXPECT_EQ(test, stddev(test, vm, test_agg_value(agg)).i, 0);
		ktap_agg_add(vm, agg, S64_MIN);
	}
	r[0] = test_agg_value(agg);
	KUNIT_EXPECT_EQ(test, -EOVERFLOW, ktap_fn_stddev(vm, r, 1));
	KUNIT_EXPECT_STREQ(test, vm->message, "the numbers are too large for stddev");
	vm->error = 0;
	/* More numbers do not help, but a clear does. */
	for (i = 0; i < 1000; i++)
		ktap_agg_add(vm, agg, 1);
	r[0] = test_agg_value(agg);
	KUNIT_EXPECT_EQ(test, -EOVERFLOW, ktap_fn_stddev(vm, r, 1));
	vm->error = 0;
	ktap_agg_clear(vm, agg);
	ktap_agg_add(vm, agg, 1);
	KUNIT_EXPECT_EQ(test, stddev(test, vm, test_agg_value(agg)).i, 0);
	vm->level = PROCESS;
	ktap_objects_end_run(vm);
}

static void squares_are_summed_only_for_programs_with_stddev(struct kunit *test)
{
	static const enum ktap_level levels[] = { EVENT, PROCESS };
	struct ktap_vm *vms[2];
	struct ktap_total total;
	struct ktap_agg *agg;
	int i, j, n;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		vms[0] = test_vm_at_work(test, levels[i]);
		vms[1] = squares_vm(test, levels[i]);
		for (j = 0; j < ARRAY_SIZE(vms); j++) {
			agg = test_agg(test, vms[j], &ktap_agg_hist);
			/* The first number of an epoch has a path of its own. */
			for (n = 1; n <= 3; n++)
				ktap_agg_add(vms[j], agg, n);
			ktap_agg_clear(vms[j], agg);
			for (n = 1; n <= 3; n++)
				ktap_agg_add(vms[j], agg, -n);
			ktap_agg_read(vms[j]->env, agg, &total);
			KUNIT_EXPECT_EQ(test, total.count, 3);
			KUNIT_EXPECT_EQ(test, total.squares.lo, j ? 1 + 4 + 9 : 0);
			ktap_objects_end_run(vms[j]);
		}
	}
}

static struct kunit_case agg_quantile_cases[] = {
	KUNIT_CASE(each_number_has_exactly_one_row),
	KUNIT_CASE(rows_of_a_hist_have_a_bounded_width),
	KUNIT_CASE(a_hist_has_at_most_16_rows_for_a_power_of_two),
	KUNIT_CASE(the_error_of_a_quantile_is_bounded),
	KUNIT_CASE(a_rank_is_rounded_up),
	KUNIT_CASE(ranks_may_exceed_64_bits),
	KUNIT_CASE(quantiles_stay_between_min_and_max),
	KUNIT_CASE(quantiles_of_an_empty_aggregation_are_nil),
	KUNIT_CASE(invalid_quantiles_are_errors),
	KUNIT_CASE(a_quantile_is_charged_for_its_rows),
	KUNIT_CASE(a_quantile_inside_a_lock_is_approximate_and_counted),
	KUNIT_CASE(the_standard_deviation_is_exact),
	KUNIT_CASE(squares_have_128_bits),
	KUNIT_CASE(squares_are_summed_only_for_programs_with_stddev),
	{}
};

static struct kunit_suite agg_quantile_suite = {
	.name = "ktap_agg_quantile",
	.test_cases = agg_quantile_cases,
};

kunit_test_suite(agg_quantile_suite);
