/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_STRING_H
#define _SHIM_LINUX_STRING_H

#include <string.h>

#include <linux/kernel.h>

/* To an array; the form with a size is not used. */
#define strscpy(to, from)	((void)scnprintf(to, sizeof(to), "%s", from))

static inline void *memchr_inv(const void *p, int c, size_t n)
{
	const unsigned char *byte = p;

	for (; n; n--, byte++) {
		if (*byte != (unsigned char)c)
			return (void *)byte;
	}
	return NULL;
}

#endif /* _SHIM_LINUX_STRING_H */
