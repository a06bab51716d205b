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

static inline u64 mul_u64_u64_div_u64(u64 a, u64 mul, u64 div)
{
	unsigned __int128 product = a;

	return product * mul / div;
}

#endif /* _SHIM_LINUX_MATH64_H */
