/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_KSTRTOX_H
#define _SHIM_KSTRTOX_H

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <linux/ctype.h>

/* Unlike strtoll() it accepts neither blanks nor text after the number. */
static inline int kstrtoll(const char *s, unsigned int base, long long *res)
{
	char *end;

	if (!isdigit((unsigned char)s[*s == '-' || *s == '+']))
		return -EINVAL;
	errno = 0;
	*res = strtoll(s, &end, base);
	return errno ? -ERANGE : *end ? -EINVAL : 0;
}

static inline int kstrtoull(const char *s, unsigned int base, unsigned long long *res)
{
	char *end;

	if (!isdigit((unsigned char)s[*s == '+']))
		return -EINVAL;
	errno = 0;
	*res = strtoull(s, &end, base);
	return errno ? -ERANGE : *end ? -EINVAL : 0;
}

static inline int kstrtoul(const char *s, unsigned int base, unsigned long *res)
{
	unsigned long long n;
	int err = kstrtoull(s, base, &n);

	if (!err)
		*res = n;
	return err;
}

static inline int kstrtouint(const char *s, unsigned int base, unsigned int *res)
{
	unsigned long long n;
	int err = kstrtoull(s, base, &n);

	if (err)
		return err;
	if (n != (unsigned int)n)
		return -ERANGE;
	*res = n;
	return 0;
}

static inline int kstrtoint(const char *s, unsigned int base, int *res)
{
	long long n;
	int err = kstrtoll(s, base, &n);

	if (err)
		return err;
	if (n != (int)n)
		return -ERANGE;
	*res = n;
	return 0;
}

#endif
