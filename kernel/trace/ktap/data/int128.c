// SPDX-License-Identifier: GPL-2.0
/*
 * Integers of 128 bits.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#include "data/int128.h"

/* Bit by bit: numbers that need it are rare. */
static struct ktap_int128 int128_divide(struct ktap_int128 x, u64 y)
{
	u64 rest = 0, carry;
	int i;

	for (i = 0; i < 128; i++) {
		carry = rest >> 63;
		rest = rest << 1 | (u64)x.hi >> 63;
		x.hi = (u64)x.hi << 1 | x.lo >> 63;
		x.lo <<= 1;
		if (carry || rest >= y) {
			rest -= y;
			x.lo |= 1;
		}
	}
	return x;
}

struct ktap_int128 ktap_int128_div(struct ktap_int128 x, u64 y)
{
	struct ktap_int128 quotient = ktap_int128_abs(x);

	if (!quotient.hi)
		quotient.lo = div64_u64(quotient.lo, y);
	else
		quotient = int128_divide(quotient, y);
	return x.hi < 0 ? ktap_int128_neg(quotient) : quotient;
}

#ifndef CONFIG_ARCH_SUPPORTS_INT128
struct ktap_int128 ktap_int128_mul(u64 x, u64 y)
{
	u64 low = (u64)(u32)x * (u32)y;
	u64 middle = (x >> 32) * (u32)y + (low >> 32);
	u64 other = (u64)(u32)x * (y >> 32) + (u32)middle;

	return (struct ktap_int128){
		.lo = other << 32 | (u32)low,
		.hi = (x >> 32) * (y >> 32) + (middle >> 32) + (other >> 32),
	};
}
#endif

/* Unsigned 128-bit numbers, and products of two, as parts of 32 bits, lowest first */
#define PARTS		4
#define PRODUCT		(2 * PARTS)

static void int128_to_parts(u32 *parts, struct ktap_int128 x)
{
	parts[0] = x.lo;
	parts[1] = x.lo >> 32;
	parts[2] = x.hi;
	parts[3] = (u64)x.hi >> 32;
}

static void int128_multiply(u32 *product, struct ktap_int128 x, struct ktap_int128 y)
{
	u32 xs[PARTS], ys[PARTS];
	u64 two;
	int i, j;

	int128_to_parts(xs, x);
	int128_to_parts(ys, y);
	memset(product, 0, PRODUCT * sizeof(*product));
	for (i = 0; i < PARTS; i++) {
		two = 0;
		for (j = 0; j < PARTS; j++) {
			two = (u64)xs[i] * ys[j] + product[i + j] + (two >> 32);
			product[i + j] = two;
		}
		product[i + PARTS] = two >> 32;
	}
}

static bool int128_is_larger(const u32 *x, const u32 *y)
{
	int i = PRODUCT - 1;

	while (i && x[i] == y[i])
		i--;
	return x[i] > y[i];
}

static void int128_subtract(u32 *x, const u32 *y)
{
	u64 two = 0;
	int i;

	for (i = 0; i < PRODUCT; i++) {
		/* The upper half is all ones if the previous part has borrowed. */
		two = (u64)x[i] - y[i] + (s32)(two >> 32);
		x[i] = two;
	}
}

/*
 * The result is the square root of (n * squares - sum * sum) / (n * n), rounded down: the
 * largest x with (x * n)^2 <= n * squares - sum * sum.  It is found bit by bit, exactly.
 * It is less than 2^63, because two 64-bit numbers differ by less than 2^64.
 */
u64 ktap_int128_stddev(u64 n, struct ktap_int128 sum, struct ktap_int128 squares)
{
	const struct ktap_int128 wide_n = { .lo = n }, size = ktap_int128_abs(sum);
	u32 difference[PRODUCT], square[PRODUCT];
	struct ktap_int128 times_n;
	u64 root = 0, bit;

	int128_multiply(difference, wide_n, squares);
	int128_multiply(square, size, size);
	/* Happens only if @sum and @squares were not read consistently. */
	if (int128_is_larger(square, difference))
		return 0;
	int128_subtract(difference, square);
	for (bit = 1ULL << 62; bit; bit >>= 1) {
		times_n = ktap_int128_mul(root | bit, n);
		int128_multiply(square, times_n, times_n);
		if (!int128_is_larger(square, difference))
			root |= bit;
	}
	return root;
}

char *ktap_int128_digits(struct ktap_int128 x, unsigned int base, const char *digits, char *end)
{
	u32 *part, parts[4], rest;
	u64 two;

	while (x.hi) {
		parts[0] = (u64)x.hi >> 32;
		parts[1] = x.hi;
		parts[2] = x.lo >> 32;
		parts[3] = x.lo;
		rest = 0;
		for (part = parts; part < parts + 4; part++) {
			two = (u64)rest << 32 | *part;
			*part = div_u64_rem(two, base, &rest);
		}
		x.hi = (u64)parts[0] << 32 | parts[1];
		x.lo = (u64)parts[2] << 32 | parts[3];
		*--end = digits[rest];
	}
	while (x.lo) {
		x.lo = div_u64_rem(x.lo, base, &rest);
		*--end = digits[rest];
	}
	return end;
}

char *ktap_int128_text(struct ktap_int128 x, char *buf)
{
	char *end = buf + KTAP_WIDE_TEXT - 1, *p;

	*end = '\0';
	p = ktap_int128_digits(ktap_int128_abs(x), 10, "0123456789", end);
	if (p == end)
		*--p = '0';
	if (x.hi < 0)
		*--p = '-';
	return p;
}
