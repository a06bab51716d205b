/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Integers of 128 bits, on every machine: sums of many that have 64, and of
 * their squares.
 */
#ifndef _KTAP_WIDE_H
#define _KTAP_WIDE_H

#include <linux/compiler.h>
#include <linux/types.h>

/**
 * struct ktap_wide - an integer of 128 bits, two's complement
 * @lo: the lower half
 * @hi: the upper half
 */
struct ktap_wide {
	u64 lo;
	s64 hi;
};

/* Decimal digits, a sign and a NUL. */
#define KTAP_WIDE_TEXT		42

static inline struct ktap_wide ktap_wide(s64 x)
{
	return (struct ktap_wide){ .lo = x, .hi = x < 0 ? -1 : 0 };
}

/* Wraps. */
static inline struct ktap_wide ktap_wide_add(struct ktap_wide x, struct ktap_wide y)
{
	u64 lo = x.lo + y.lo;

	return (struct ktap_wide){ .lo = lo, .hi = (u64)x.hi + (u64)y.hi + (lo < x.lo) };
}

static inline struct ktap_wide ktap_wide_neg(struct ktap_wide x)
{
	return (struct ktap_wide){ .lo = -x.lo, .hi = ~(u64)x.hi + !x.lo };
}

static inline int ktap_wide_compare(struct ktap_wide x, struct ktap_wide y)
{
	if (x.hi != y.hi)
		return x.hi < y.hi ? -1 : 1;
	return (x.lo > y.lo) - (x.lo < y.lo);
}

static inline struct ktap_wide ktap_wide_abs(struct ktap_wide x)
{
	return x.hi < 0 ? ktap_wide_neg(x) : x;
}

/* Does it fit into 64 bits? */
static inline bool ktap_wide_fits(struct ktap_wide x)
{
	return x.hi == (s64)x.lo >> 63;
}

/* The product of two numbers without a sign: all 128 bits of it. */
struct ktap_wide ktap_wide_mul(u64 x, u64 y);

static inline struct ktap_wide ktap_wide_square(s64 x)
{
	u64 size = x < 0 ? -(u64)x : x;

	/* So are nearly all. */
	if (likely(!(size >> 32)))
		return (struct ktap_wide){ .lo = size * size };
	return ktap_wide_mul(size, size);
}

/* What a sum of numbers without a sign is that has not fit, and stays. */
#define KTAP_WIDE_TOO_LARGE	((struct ktap_wide){ .lo = ~0ULL, .hi = -1 })

static inline bool ktap_wide_too_large(struct ktap_wide x)
{
	return x.hi == -1 && !~x.lo;
}

/* Adds numbers without a sign. */
static inline struct ktap_wide ktap_wide_add_unsigned(struct ktap_wide x, struct ktap_wide y)
{
	struct ktap_wide sum = ktap_wide_add(x, y);

	if (unlikely((u64)sum.hi < (u64)x.hi || (sum.hi == x.hi && sum.lo < x.lo)))
		return KTAP_WIDE_TOO_LARGE;
	return sum;
}

/*
 * The standard deviation of @n numbers, at least 1, of 64 bits: the largest integer
 * that is not above it.  @sum is their sum, @squares that of their squares.
 */
u64 ktap_wide_stddev(u64 n, struct ktap_wide sum, struct ktap_wide squares);

/* Truncates toward zero, as C does.  @y is not 0. */
struct ktap_wide ktap_wide_div(struct ktap_wide x, u64 y);

/*
 * Writes the digits in a base of 2 to 16, the last one in front of @end; gives
 * the first one.  @x counts as unsigned; 0 has no digits.  @digits are those to
 * be had.
 */
char *ktap_wide_digits(struct ktap_wide x, unsigned int base, const char *digits, char *end);

/* Decimal.  @buf has KTAP_WIDE_TEXT bytes; gives the text in it, NUL-terminated. */
char *ktap_wide_text(struct ktap_wide x, char *buf);

#endif /* _KTAP_WIDE_H */
