/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_JHASH_H
#define _SHIM_LINUX_JHASH_H

#include <linux/types.h>

/* Any hash function is sufficient: no result of a script depends on it. */
static inline u32 jhash(const void *key, u32 length, u32 initval)
{
	const u8 *p = key;
	u32 hash = initval ^ 0x811c9dc5;

	while (length--)
		hash = (hash ^ *p++) * 0x01000193U;
	return hash ^ hash >> 15;
}

static inline u32 jhash_3words(u32 a, u32 b, u32 c, u32 initval)
{
	const u32 words[] = { a, b, c };

	return jhash(words, sizeof(words), initval);
}

#endif /* _SHIM_LINUX_JHASH_H */
