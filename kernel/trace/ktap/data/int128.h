/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Integers of 128 bits, on every machine: sums of many that have 64, and of
 * their squares.
 */
#ifndef _KTAP_INT128_H
#define _KTAP_INT128_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct ktap_int128 - an integer of 128 bits, two's complement
 * @lo: the lower half
 * @hi: the upper half
 */
struct ktap_int128 {
	u64 lo;
	s64 hi;
};

/* Decimal digits, a sign and a NUL. */
#define KTAP_WIDE_TEXT		42

static inline struct ktap_int128 ktap_int128(s64 x)
{
	return (struct ktap_int128){ .lo = x, .hi = x < 0 ? -1 : 0 };
}

/* Wraps. */
static inline struct ktap_int128 ktap_int128_add(struct ktap_int128 x, struct ktap_int128 y)
{
	u64 lo = x.lo + y.lo;

	return (struct ktap_int128){ .lo = lo, .hi = (u64)x.hi + (u64)y.hi + (lo < x.lo) };
}

static inline struct ktap_int128 ktap_int128_neg(struct ktap_int128 x)
{
	return (struct ktap_int128){ .lo = -x.lo, .hi = ~(u64)x.hi + !x.lo };
}

static inline int ktap_int128_compare(struct ktap_int128 x, struct ktap_int128 y)
{
	if (x.hi != y.hi)
		return x.hi < y.hi ? -1 : 1;
	return (x.lo > y.lo) - (x.lo < y.lo);
}

static inline struct ktap_int128 ktap_int128_abs(struct ktap_int128 x)
{
	return x.hi < 0 ? ktap_int128_neg(x) : x;
}

/* Does it fit into 64 bits? */
static inline bool ktap_int128_fits(struct ktap_int128 x)
{
	return x.hi == (s64)x.lo >> 63;
}

/* The product of two numbers without a sign: all 128 bits of it. */
struct ktap_int128 ktap_int128_mul(u64 x, u64 y);

static inline struct ktap_int128 ktap_int128_square(s64 x)
{
	u64 size = x < 0 ? -(u64)x : x;

	/* So are nearly all. */
	if (likely(!(size >> 32)))
		return (struct ktap_int128){ .lo = size * size };
	return ktap_int128_mul(size, size);
}

/* What a sum of numbers without a sign is that has not fit, and stays. */
#define KTAP_WIDE_TOO_LARGE	((struct ktap_int128){ .lo = ~0ULL, .hi = -1 })

static inline bool ktap_int128_too_large(struct ktap_int128 x)
{
	return x.hi == -1 && !~x.lo;
}

/* Adds numbers without a sign. */
static inline struct ktap_int128 ktap_int128_add_unsigned(struct ktap_int128 x,
							  struct ktap_int128 y)
{
	struct ktap_int128 sum = ktap_int128_add(x, y);

	if (unlikely((u64)sum.hi < (u64)x.hi || (sum.hi == x.hi && sum.lo < x.lo)))
		return KTAP_WIDE_TOO_LARGE;
	return sum;
}

/*
 * The standard deviation of @n numbers, at least 1, of 64 bits: the largest integer
 * that is not above it.  @sum is their sum, @squares that of their squares.
 */
u64 ktap_int128_stddev(u64 n, struct ktap_int128 sum, struct ktap_int128 squares);

/* Truncates toward zero, as C does.  @y is not 0. */
struct ktap_int128 ktap_int128_div(struct ktap_int128 x, u64 y);

/*
 * Writes the digits in a base of 2 to 16, the last one in front of @end; gives
 * the first one.  @x counts as unsigned; 0 has no digits.  @digits are those to
 * be had.
 */
char *ktap_int128_digits(struct ktap_int128 x, unsigned int base, const char *digits, char *end);

/* Decimal.  @buf has KTAP_WIDE_TEXT bytes; gives the text in it, NUL-terminated. */
char *ktap_int128_text(struct ktap_int128 x, char *buf);

#endif /* _KTAP_INT128_H */
