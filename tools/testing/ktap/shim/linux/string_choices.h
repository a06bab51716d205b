/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_STRING_CHOICES_H
#define _SHIM_LINUX_STRING_CHOICES_H

#include <linux/types.h>

static inline const char *str_true_false(bool v)
{
	return v ? "true" : "false";
}

static inline const char *str_plural(size_t num)
{
	return num == 1 ? "" : "s";
}

#endif /* _SHIM_LINUX_STRING_CHOICES_H */
