/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_BITOPS_H
#define _SHIM_LINUX_BITOPS_H

#include <linux/bits.h>
#include <linux/types.h>

#define __ffs(word)	((unsigned long)__builtin_ctzl(word))

static inline int fls64(u64 x)
{
	return x ? 64 - __builtin_clzll(x) : 0;
}

static inline u64 rol64(u64 x, unsigned int shift)
{
	return x << (shift & 63) | x >> (-shift & 63);
}

static inline void __set_bit(unsigned long nr, unsigned long *addr)
{
	addr[nr / BITS_PER_LONG] |= BIT(nr % BITS_PER_LONG);
}

static inline bool __test_and_set_bit(unsigned long nr, unsigned long *addr)
{
	bool was = addr[nr / BITS_PER_LONG] & BIT(nr % BITS_PER_LONG);

	__set_bit(nr, addr);
	return was;
}

static inline bool test_and_set_bit(unsigned long nr, unsigned long *addr)
{
	unsigned long bit = BIT(nr % BITS_PER_LONG);

	return __atomic_fetch_or(&addr[nr / BITS_PER_LONG], bit, __ATOMIC_SEQ_CST) & bit;
}

static inline bool test_and_clear_bit(unsigned long nr, unsigned long *addr)
{
	unsigned long bit = BIT(nr % BITS_PER_LONG);

	return __atomic_fetch_and(&addr[nr / BITS_PER_LONG], ~bit, __ATOMIC_SEQ_CST) & bit;
}

static inline bool test_bit(unsigned long nr, const unsigned long *addr)
{
	return addr[nr / BITS_PER_LONG] & BIT(nr % BITS_PER_LONG);
}

#define hweight8(x)	__builtin_popcount((u8)(x))
#define hweight64(x)	__builtin_popcountll(x)

#endif /* _SHIM_LINUX_BITOPS_H */
