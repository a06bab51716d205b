// SPDX-License-Identifier: GPL-2.0
/*
 * Integers of 128 bits.
 */
#include <linux/string.h>

#include <kunit/test.h>

#include "../wide.h"

struct division {
	s64 hi;
	u64 lo;
	u64 by;
	const char *want;
};

static void wide_numbers_divide_toward_zero(struct kunit *test)
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
	struct ktap_wide x;
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		x = (struct ktap_wide){ .hi = cases[i].hi, .lo = cases[i].lo };
		KUNIT_EXPECT_STREQ(test, ktap_wide_text(ktap_wide_div(x, cases[i].by), buf),
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
		KUNIT_EXPECT_STREQ(test, ktap_wide_text(ktap_wide(numbers[i]), buf), want);
		KUNIT_EXPECT_TRUE(test, ktap_wide_fits(ktap_wide(numbers[i])));
	}
}

static void sums_carry(struct kunit *test)
{
	struct ktap_wide x = ktap_wide(S64_MAX), y = ktap_wide(S64_MIN);

	KUNIT_EXPECT_FALSE(test, ktap_wide_fits(ktap_wide_add(x, ktap_wide(1))));
	KUNIT_EXPECT_FALSE(test, ktap_wide_fits(ktap_wide_add(y, ktap_wide(-1))));
	KUNIT_EXPECT_EQ(test, ktap_wide_compare(ktap_wide_add(x, y), ktap_wide(-1)), 0);
	x = (struct ktap_wide){ .lo = U64_MAX };
	x = ktap_wide_add(x, ktap_wide(1));
	KUNIT_EXPECT_EQ(test, x.hi, 1);
	KUNIT_EXPECT_EQ(test, x.lo, 0);
	x = ktap_wide_add(x, ktap_wide(-1));
	KUNIT_EXPECT_EQ(test, x.hi, 0);
	KUNIT_EXPECT_EQ(test, x.lo, U64_MAX);
	x = ktap_wide_neg(x);
	KUNIT_EXPECT_EQ(test, x.hi, -1);
	KUNIT_EXPECT_EQ(test, x.lo, 1);
}

static void order_is_that_of_integers(struct kunit *test)
{
	static const struct ktap_wide ascending[] = {
		{ .hi = S64_MIN }, { .hi = -2, .lo = U64_MAX }, { .hi = -1 },
		{ .hi = -1, .lo = U64_MAX }, { }, { .lo = 1 }, { .lo = U64_MAX }, { .hi = 1 },
	};
	int i, j;

	for (i = 0; i < ARRAY_SIZE(ascending); i++) {
		for (j = 0; j < ARRAY_SIZE(ascending); j++)
			KUNIT_EXPECT_EQ(test, ktap_wide_compare(ascending[i], ascending[j]),
					(i > j) - (i < j));
	}
}

static void products_have_all_their_bits(struct kunit *test)
{
	static const struct {
		u64 x;
		u64 y;
		struct ktap_wide want;
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
		KUNIT_EXPECT_EQ(test, 0, ktap_wide_compare(ktap_wide_mul(cases[i].x, cases[i].y),
							   cases[i].want));
		KUNIT_EXPECT_EQ(test, 0, ktap_wide_compare(ktap_wide_mul(cases[i].y, cases[i].x),
							   cases[i].want));
	}
	KUNIT_EXPECT_EQ(test, 0, ktap_wide_compare(ktap_wide_square(S64_MIN),
						   (struct ktap_wide){ .hi = 1LL << 62 }));
	KUNIT_EXPECT_EQ(test, 0, ktap_wide_compare(ktap_wide_square(-3), ktap_wide(9)));
	KUNIT_EXPECT_EQ(test, ktap_wide_square(U32_MAX).lo, 0xfffffffe00000001ULL);
}

static void sums_without_a_sign_stay_too_large(struct kunit *test)
{
	struct ktap_wide most = { .lo = U64_MAX - 1, .hi = -1 }, one = ktap_wide(1);
	struct ktap_wide x;

	KUNIT_EXPECT_FALSE(test, ktap_wide_too_large(most));
	x = ktap_wide_add_unsigned(most, one);
	KUNIT_EXPECT_TRUE(test, ktap_wide_too_large(x));
	x = ktap_wide_add_unsigned(x, one);
	KUNIT_EXPECT_TRUE(test, ktap_wide_too_large(x));
	x = ktap_wide_add_unsigned(x, ktap_wide(0));
	KUNIT_EXPECT_TRUE(test, ktap_wide_too_large(x));
	x = ktap_wide_add_unsigned(most, most);
	KUNIT_EXPECT_TRUE(test, ktap_wide_too_large(x));
	/* Above what has a sign it is a number like others. */
	x = ktap_wide_add_unsigned((struct ktap_wide){ .hi = S64_MAX },
				   (struct ktap_wide){ .hi = 1 });
	KUNIT_EXPECT_EQ(test, x.hi, S64_MIN);
}

/* The root of what is left over when n * squares is less sum * sum, by n. */
static void deviations_are_the_largest_that_fit(struct kunit *test)
{
	static const struct {
		u64 n;
		struct ktap_wide sum;
		struct ktap_wide squares;
		u64 want;
	} cases[] = {
		{ 1, { .lo = 5 }, { .lo = 25 }, 0 },
		{ 2, { .lo = 2 }, { .lo = 4 }, 1 },
		/* 0 and 3: 1.5; -8 and 8: 8; the square root of 2 of 3: 0 */
		{ 2, { .lo = 3 }, { .lo = 9 }, 1 },
		{ 2, { }, { .lo = 128 }, 8 },
		{ 3, { .lo = 1 }, { .lo = 1 }, 0 },
		/* 2^40 of 2^43 and as many of -2^43 */
		{ 1ULL << 41, { }, { .hi = 1LL << (2 * 43 + 41 - 64) }, 1ULL << 43 },
		{ 1ULL << 41, { }, { .lo = U64_MAX, .hi = S64_MAX }, (1ULL << 43) - 1 },
		/* What does not hang together. */
		{ 2, { .lo = 100 }, { .lo = 1 }, 0 },
		{ U64_MAX, { .hi = S64_MIN }, { .lo = 1 }, 0 },
	};
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		KUNIT_EXPECT_EQ_MSG(test, cases[i].want,
				    ktap_wide_stddev(cases[i].n, cases[i].sum, cases[i].squares),
				    "case %d", i);
}

static struct kunit_case wide_cases[] = {
	KUNIT_CASE(wide_numbers_divide_toward_zero),
	KUNIT_CASE(text_is_decimal),
	KUNIT_CASE(sums_carry),
	KUNIT_CASE(order_is_that_of_integers),
	KUNIT_CASE(products_have_all_their_bits),
	KUNIT_CASE(sums_without_a_sign_stay_too_large),
	KUNIT_CASE(deviations_are_the_largest_that_fit),
	{}
};

static struct kunit_suite wide_suite = {
	.name = "ktap_wide",
	.test_cases = wide_cases,
};

kunit_test_suite(wide_suite);
