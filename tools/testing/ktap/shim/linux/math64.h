/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_MATH64_H
#define _SHIM_LINUX_MATH64_H

#include <linux/types.h>

#define div_u64(dividend, divisor)	((u64)(dividend) / (u32)(divisor))
#define div64_s64(dividend, divisor)	((s64)(dividend) / (s64)(divisor))
#define div64_u64(dividend, divisor)	((u64)(dividend) / (u64)(divisor))

static inline u64 div_u64_rem(u64 dividend, u32 divisor, u32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

static inline s64 div_s64_rem(s64 dividend, s32 divisor, s32 *remainder)
{
	*remainder = dividend % divisor;
	return dividend / divisor;
}

#ifndef __SIZEOF_INT128__
/* Add @n, which is less than @div as *@sum is; return 1 if @div had to be subtracted. */
static inline u64 add_modulo(u64 *sum, u64 n, u64 div)
{
	bool over = *sum >= div - n;

	*sum = over ? *sum - (div - n) : *sum + n;
	return over;
}
#endif

static inline u64 mul_u64_u64_div_u64(u64 a, u64 mul, u64 div)
{
#ifdef __SIZEOF_INT128__
	unsigned __int128 product = a;

	return product * mul / div;
#else
	u64 quotient = 0, rest = 0;
	int bit;

	/* Horner's rule, by the bits of @a: quotient * div + rest is the product so far. */
	for (bit = 63; bit >= 0; bit--) {
		quotient = quotient * 2 + add_modulo(&rest, rest, div);
		if (a >> bit & 1)
			quotient += mul / div + add_modulo(&rest, mul % div, div);
	}
	return quotient;
#endif
}

#endif /* _SHIM_LINUX_MATH64_H */
