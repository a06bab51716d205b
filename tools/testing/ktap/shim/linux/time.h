/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_TIME_H
#define _SHIM_LINUX_TIME_H

#include <time.h>

#include <linux/time64.h>

static inline void time64_to_tm(time64_t secs, int offset, struct tm *tm)
{
	time_t t = secs + offset;

	gmtime_r(&t, tm);
}

#endif /* _SHIM_LINUX_TIME_H */
