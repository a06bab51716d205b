/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_KERNEL_H
#define _SHIM_LINUX_KERNEL_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include <linux/align.h>
#include <linux/bitops.h>
#include <linux/bug.h>
#include <linux/container_of.h>
#include <linux/interrupt.h>
#include <linux/minmax.h>
#include <linux/overflow.h>
#include <linux/types.h>

#define ARRAY_SIZE(array)	(sizeof(array) / sizeof((array)[0]))
#define DIV_ROUND_UP(n, d)	(((n) + (d) - 1) / (d))
#define round_down(x, y)	((x) & ~((__typeof__(x))(y) - 1))
#define round_up(x, y)		((((x) - 1) | ((__typeof__(x))(y) - 1)) + 1)

#define U8_MAX			UINT8_MAX
#define U16_MAX			UINT16_MAX
#define S32_MAX			INT32_MAX
#define S64_MAX			INT64_MAX
#define S64_MIN			INT64_MIN
#define U32_MAX			UINT32_MAX
#define U64_MAX			UINT64_MAX

__printf(3, 0) int vscnprintf(char *buf, size_t size, const char *fmt, va_list args);
__printf(3, 4) int scnprintf(char *buf, size_t size, const char *fmt, ...);

#define might_sleep()	WARN_ON_ONCE(shim_irqs_off)

#endif /* _SHIM_LINUX_KERNEL_H */
