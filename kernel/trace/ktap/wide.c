// SPDX-License-Identifier: GPL-2.0
/*
 * Integers of 128 bits.
 */
#include <linux/kernel.h>
#include <linux/math64.h>

#include "wide.h"

/* Bit by bit: what it is used for is rare. */
static struct ktap_wide divide(struct ktap_wide x, u64 y)
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

struct ktap_wide ktap_wide_div(struct ktap_wide x, u64 y)
{
	struct ktap_wide quotient = ktap_wide_abs(x);

	if (!quotient.hi)
		quotient.lo = div64_u64(quotient.lo, y);
	else
		quotient = divide(quotient, y);
	return x.hi < 0 ? ktap_wide_neg(quotient) : quotient;
}

char *ktap_wide_digits(struct ktap_wide x, unsigned int base, const char *digits, char *end)
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

char *ktap_wide_text(struct ktap_wide x, char *buf)
{
	char *end = buf + KTAP_WIDE_TEXT - 1, *p;

	*end = '\0';
	p = ktap_wide_digits(ktap_wide_abs(x), 10, "0123456789", end);
	if (p == end)
		*--p = '0';
	if (x.hi < 0)
		*--p = '-';
	return p;
}
