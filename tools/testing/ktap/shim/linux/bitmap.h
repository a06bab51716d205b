/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_BITMAP_H
#define _SHIM_LINUX_BITMAP_H

#include <string.h>

#include <linux/bitops.h>

#define BITS_TO_LONGS(nbits)		(((nbits) + BITS_PER_LONG - 1) / BITS_PER_LONG)
#define DECLARE_BITMAP(name, nbits)	unsigned long name[BITS_TO_LONGS(nbits)]

#define for_each_set_bit(bit, map, nbits)				\
	for ((bit) = 0; (bit) < (nbits); (bit)++)			\
		if (test_bit(bit, map))

#define bitmap_zero(map, nbits)	memset(map, 0, BITS_TO_LONGS(nbits) * sizeof(long))

#endif /* _SHIM_LINUX_BITMAP_H */
