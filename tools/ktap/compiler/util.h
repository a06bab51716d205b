/* SPDX-License-Identifier: GPL-2.0 */
/* Small helpers. */
#ifndef KTAP_UTIL_H
#define KTAP_UTIL_H

#include <stddef.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static inline unsigned int hash_bytes(const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	unsigned int h = 2166136261U;

	while (len--)
		h = (h ^ *p++) * 16777619U;
	return h ^ h >> 15;
}

#endif
