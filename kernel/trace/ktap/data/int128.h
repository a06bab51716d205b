/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Integers of 128 bits, on every machine: sums of many 64-bit integers, and of their
 * squares.
 */
#ifndef _KTAP_INT128_H
#define _KTAP_INT128_H

#include <linux/compiler.h>
#include <linux/string.h>
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

/* Room for the decimal digits, a sign and a NUL */
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

/* *@sum += @n, in place: this is two instructions where the layout is that of the machine. */
static __always_inline void ktap_int128_increase(struct ktap_int128 *sum, s64 n)
{
#if defined(CONFIG_ARCH_SUPPORTS_INT128) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
	u128 x;

	memcpy(&x, sum, sizeof(x));
	x += n;		/* it is extended by its sign */
	memcpy(sum, &x, sizeof(x));
#else
	*sum = ktap_int128_add(*sum, ktap_int128(n));
#endif
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

/* Return the 128-bit product of two unsigned numbers. */
#ifdef CONFIG_ARCH_SUPPORTS_INT128
static inline struct ktap_int128 ktap_int128_mul(u64 x, u64 y)
{
	unsigned __int128 product = (unsigned __int128)x * y;

	return (struct ktap_int128){ .lo = product, .hi = product >> 64 };
}
#else
struct ktap_int128 ktap_int128_mul(u64 x, u64 y);
#endif

static inline struct ktap_int128 ktap_int128_square(s64 x)
{
	u64 size = x < 0 ? -(u64)x : x;

	/* Nearly all numbers are small. */
	if (likely(!(size >> 32)))
		return (struct ktap_int128){ .lo = size * size };
	return ktap_int128_mul(size, size);
}

/* A sum of unsigned numbers that has overflowed.  It keeps this value. */
#define KTAP_WIDE_TOO_LARGE	((struct ktap_int128){ .lo = ~0ULL, .hi = -1 })

static inline bool ktap_int128_too_large(struct ktap_int128 x)
{
	return x.hi == -1 && !~x.lo;
}

/* Add unsigned numbers. */
static inline struct ktap_int128 ktap_int128_add_unsigned(struct ktap_int128 x,
							  struct ktap_int128 y)
{
	struct ktap_int128 sum = ktap_int128_add(x, y);

	if (unlikely((u64)sum.hi < (u64)x.hi || (sum.hi == x.hi && sum.lo < x.lo)))
		return KTAP_WIDE_TOO_LARGE;
	return sum;
}

/*
 * Return the standard deviation of @n 64-bit numbers, rounded down.  @n is at least 1,
 * @sum is their sum, @squares the sum of their squares.
 */
u64 ktap_int128_stddev(u64 n, struct ktap_int128 sum, struct ktap_int128 squares);

/* Truncates toward zero, as C does.  @y is not 0. */
struct ktap_int128 ktap_int128_div(struct ktap_int128 x, u64 y);

/*
 * Write the digits in a base of 2 to 16 so that the last one is right before @end, and
 * return the first one.  @x is treated as unsigned; 0 has no digits.  @digits has the
 * characters of all digits.
 */
char *ktap_int128_digits(struct ktap_int128 x, unsigned int base, const char *digits, char *end);

/* Write @x in decimal to @buf, of KTAP_WIDE_TEXT bytes, with a NUL.  Return the text in it. */
char *ktap_int128_text(struct ktap_int128 x, char *buf);

#endif /* _KTAP_INT128_H */
