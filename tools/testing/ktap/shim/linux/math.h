/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_MATH_H
#define _SHIM_LINUX_MATH_H

#include <linux/types.h>

static inline u32 int_sqrt64(u64 x)
{
	u64 root = 0, bit = 1ULL << 62;

	for (; bit; bit >>= 2) {
		if (x >= root + bit) {
			x -= root + bit;
			root = (root >> 1) + bit;
		} else {
			root >>= 1;
		}
	}
	return root;
}

#endif /* _SHIM_LINUX_MATH_H */
