/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_STRING_H
#define _SHIM_LINUX_STRING_H

#include <string.h>

#include <linux/kernel.h>

/* The destination is an array, or has a size; the result is not used. */
#define shim_strscpy(to, from, size, ...)	((void)scnprintf(to, size, "%s", from))
#define strscpy(to, ...)			shim_strscpy(to, __VA_ARGS__, sizeof(to), 0)

static inline void *memchr_inv(const void *p, int c, size_t n)
{
	const unsigned char *byte = p;

	for (; n; n--, byte++) {
		if (*byte != (unsigned char)c)
			return (void *)byte;
	}
	return NULL;
}

static inline const char *kbasename(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static inline size_t str_has_prefix(const char *s, const char *prefix)
{
	size_t len = strlen(prefix);

	return strncmp(s, prefix, len) ? 0 : len;
}

#endif /* _SHIM_LINUX_STRING_H */
