/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_JIFFIES_H
#define _SHIM_LINUX_JIFFIES_H

#include <linux/timekeeping.h>

#define HZ			1000
#define jiffies			((unsigned long)(ktime_get_mono_fast_ns() / 1000000))

#endif /* _SHIM_LINUX_JIFFIES_H */
