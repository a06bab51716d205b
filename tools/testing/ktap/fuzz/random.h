/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers that depend only on the seed. */
#ifndef _KTAP_FUZZ_RANDOM_H
#define _KTAP_FUZZ_RANDOM_H

#include <linux/types.h>

/* A random number less than @n, or any number if @n is 0. */
static inline u64 random_below(u64 *state, u64 n)
{
	u64 z = *state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return n ? z % n : z;
}

#endif /* _KTAP_FUZZ_RANDOM_H */
