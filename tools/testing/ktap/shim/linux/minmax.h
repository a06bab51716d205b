/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_MINMAX_H
#define _SHIM_LINUX_MINMAX_H

#define min(x, y)							\
	({								\
		__typeof__(x) x_ = (x);					\
		__typeof__(y) y_ = (y);					\
		x_ < y_ ? x_ : y_;					\
	})

#define max(x, y)							\
	({								\
		__typeof__(x) x_ = (x);					\
		__typeof__(y) y_ = (y);					\
		x_ > y_ ? x_ : y_;					\
	})

#define swap(x, y)							\
	do {								\
		__typeof__(x) old_ = (x);				\
		(x) = (y);						\
		(y) = old_;						\
	} while (0)

#define min3(x, y, z)			min(min(x, y), z)
#define min_t(type, x, y)		min((type)(x), (type)(y))
#define max_t(type, x, y)		max((type)(x), (type)(y))
#define clamp_t(type, v, lo, hi)	min_t(type, max_t(type, v, lo), hi)

#endif /* _SHIM_LINUX_MINMAX_H */
