// SPDX-License-Identifier: GPL-2.0
/*
 * Integers of 128 bits.
 */
#include <linux/string.h>

#include <kunit/test.h>

#include "data/int128.h"

struct division {
	s64 hi;
	u64 lo;
	u64 by;
	const char *want;
};

static void division_rounds_toward_zero(struct kunit *test)
{
	static const struct division cases[] = {
		{ 0, 0, 1, "0" },
		{ 0, 7, 2, "3" },
		{ -1, -7ULL, 2, "-3" },
		{ 0, U64_MAX, 1, "18446744073709551615" },
		{ 1, 0, 2, "9223372036854775808" },
		{ 1, 0, U64_MAX, "1" },
		{ S64_MAX, U64_MAX, 1, "170141183460469231731687303715884105727" },
		{ S64_MIN, 0, 1, "-170141183460469231731687303715884105728" },
		{ S64_MIN, 0, U64_MAX, "-9223372036854775808" },
		{ S64_MIN, 0, 10, "-17014118346046923173168730371588410572" },
		{ 0, 1000000007, 10, "100000000" },
	};
	char buf[KTAP_WIDE_TEXT];
	struct ktap_int128 x;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		x = (struct ktap_int128){ .hi = cases[i].hi, .lo = cases[i].lo };
		KUNIT_EXPECT_STREQ(test, ktap_int128_text(ktap_int128_div(x, cases[i].by), buf),
				   cases[i].want);
	}
}

static void text_is_decimal(struct kunit *test)
{
	static const s64 numbers[] = { 0, 1, -1, 10, -10, S64_MAX, S64_MIN };
	char buf[KTAP_WIDE_TEXT], want[24];
	int i;

	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		scnprintf(want, sizeof(want), "%lld", numbers[i]);
		KUNIT_EXPECT_STREQ(test, ktap_int128_text(ktap_int128(numbers[i]), buf), want);
		KUNIT_EXPECT_TRUE(test, ktap_int128_fits(ktap_int128(numbers[i])));
	}
}

static void sums_carry(struct kunit *test)
{
	struct ktap_int128 x = ktap_int128(S64_MAX), y = ktap_int128(S64_MIN);

	KUNIT_EXPECT_FALSE(test, ktap_int128_fits(ktap_int128_add(x, ktap_int128(1))));
	KUNIT_EXPECT_FALSE(test, ktap_int128_fits(ktap_int128_add(y, ktap_int128(-1))));
	KUNIT_EXPECT_EQ(test, ktap_int128_compare(ktap_int128_add(x, y), ktap_int128(-1)), 0);
	x = (struct ktap_int128){ .lo = U64_MAX };
	x = ktap_int128_add(x, ktap_int128(1));
	KUNIT_EXPECT_EQ(test, x.hi, 1);
	KUNIT_EXPECT_EQ(test, x.lo, 0);
	x = ktap_int128_add(x, ktap_int128(-1));
	KUNIT_EXPECT_EQ(test, x.hi, 0);
	KUNIT_EXPECT_EQ(test, x.lo, U64_MAX);
	x = ktap_int128_neg(x);
	KUNIT_EXPECT_EQ(test, x.hi, -1);
	KUNIT_EXPECT_EQ(test, x.lo, 1);
}

static void comparison_orders_as_integers(struct kunit *test)
{
	static const struct ktap_int128 ascending[] = {
		{ .hi = S64_MIN }, { .hi = -2, .lo = U64_MAX }, { .hi = -1 },
		{ .hi = -1, .lo = U64_MAX }, { }, { .lo = 1 }, { .lo = U64_MAX }, { .hi = 1 },
	};
	int i, j;

	for (i = 0; i < ARRAY_SIZE(ascending); i++) {
		for (j = 0; j < ARRAY_SIZE(ascending); j++)
			KUNIT_EXPECT_EQ(test, ktap_int128_compare(ascending[i], ascending[j]),
					(i > j) - (i < j));
	}
}

static void products_are_exact(struct kunit *test)
{
	static const struct {
		u64 x;
		u64 y;
		struct ktap_int128 want;
	} cases[] = {
		{ 0, U64_MAX, { } },
		{ 1, U64_MAX, { .lo = U64_MAX } },
		{ 2, U64_MAX, { .lo = U64_MAX - 1, .hi = 1 } },
		{ U64_MAX, U64_MAX, { .lo = 1, .hi = -2 } },
		{ 1ULL << 32, 1ULL << 32, { .hi = 1 } },
		{ 0x1ffffffffULL, 0x1ffffffffULL, { .lo = 0xfffffffc00000001ULL, .hi = 3 } },
		{ 0x123456789abcdef0ULL, 0xfedcba9876543210ULL,
		  { .lo = 0x236d88fe5618cf00ULL, .hi = 0x121fa00ad77d7422LL } },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		KUNIT_EXPECT_EQ(test, 0,
				ktap_int128_compare(ktap_int128_mul(cases[i].x, cases[i].y),
						    cases[i].want));
		KUNIT_EXPECT_EQ(test, 0,
				ktap_int128_compare(ktap_int128_mul(cases[i].y, cases[i].x),
						    cases[i].want));
	}
	KUNIT_EXPECT_EQ(test, 0, ktap_int128_compare(ktap_int128_square(S64_MIN),
						     (struct ktap_int128){ .hi = 1LL << 62 }));
	KUNIT_EXPECT_EQ(test, 0, ktap_int128_compare(ktap_int128_square(-3), ktap_int128(9)));
	KUNIT_EXPECT_EQ(test, ktap_int128_square(U32_MAX).lo, 0xfffffffe00000001ULL);
}

static void unsigned_sums_above_s64_max_stay_too_large(struct kunit *test)
{
	struct ktap_int128 most = { .lo = U64_MAX - 1, .hi = -1 }, one = ktap_int128(1);
	struct ktap_int128 x;

	KUNIT_EXPECT_FALSE(test, ktap_int128_too_large(most));
	x = ktap_int128_add_unsigned(most, one);
	KUNIT_EXPECT_TRUE(test, ktap_int128_too_large(x));
	x = ktap_int128_add_unsigned(x, one);
	KUNIT_EXPECT_TRUE(test, ktap_int128_too_large(x));
	x = ktap_int128_add_unsigned(x, ktap_int128(0));
	KUNIT_EXPECT_TRUE(test, ktap_int128_too_large(x));
	x = ktap_int128_add_unsigned(most, most);
	KUNIT_EXPECT_TRUE(test, ktap_int128_too_large(x));
	/* Unsigned numbers above S64_MAX. */
	x = ktap_int128_add_unsigned((struct ktap_int128){ .hi = S64_MAX },
				     (struct ktap_int128){ .hi = 1 });
	KUNIT_EXPECT_EQ(test, x.hi, S64_MIN);
}

/* The square root of (n * squares - sum * sum), divided by n. */
static void deviations_are_rounded_down(struct kunit *test)
{
	static const struct {
		u64 n;
		struct ktap_int128 sum;
		struct ktap_int128 squares;
		u64 want;
	} cases[] = {
		{ 1, { .lo = 5 }, { .lo = 25 }, 0 },
		{ 2, { .lo = 2 }, { .lo = 4 }, 1 },
		/* 0 and 3: 1.5; -8 and 8: 8; the square root of 2 of 3: 0 */
		{ 2, { .lo = 3 }, { .lo = 9 }, 1 },
		{ 2, { }, { .lo = 128 }, 8 },
		{ 3, { .lo = 1 }, { .lo = 1 }, 0 },
		/* 2^40 times 2^43 and 2^40 times -2^43 */
		{ 1ULL << 41, { }, { .hi = 1LL << (2 * 43 + 41 - 64) }, 1ULL << 43 },
		{ 1ULL << 41, { }, { .lo = U64_MAX, .hi = S64_MAX }, (1ULL << 43) - 1 },
		/* Inconsistent arguments. */
		{ 2, { .lo = 100 }, { .lo = 1 }, 0 },
		{ U64_MAX, { .hi = S64_MIN }, { .lo = 1 }, 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, cases[i].want,
				    ktap_int128_stddev(cases[i].n, cases[i].sum, cases[i].squares),
				    "case %d", i);
}

static struct kunit_case wide_cases[] = {
	KUNIT_CASE(division_rounds_toward_zero),
	KUNIT_CASE(text_is_decimal),
	KUNIT_CASE(sums_carry),
	KUNIT_CASE(comparison_orders_as_integers),
	KUNIT_CASE(products_are_exact),
	KUNIT_CASE(unsigned_sums_above_s64_max_stay_too_large),
	KUNIT_CASE(deviations_are_rounded_down),
	{}
};

static struct kunit_suite wide_suite = {
	.name = "ktap_int128",
	.test_cases = wide_cases,
};

kunit_test_suite(wide_suite);
