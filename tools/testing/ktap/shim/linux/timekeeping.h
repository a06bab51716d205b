/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_TIMEKEEPING_H
#define _SHIM_LINUX_TIMEKEEPING_H

#include <time.h>

#include <linux/time64.h>

/* If not 0, the time of all clocks; each read adds a microsecond. */
extern u64 shim_time;

static inline u64 shim_clock(clockid_t id)
{
	struct timespec ts;

	if (shim_time)
		return shim_time += 1000;
	clock_gettime(id, &ts);
	return ts.tv_sec * (u64)NSEC_PER_SEC + ts.tv_nsec;
}

#define ktime_get_mono_fast_ns()	shim_clock(CLOCK_MONOTONIC)

static inline s64 ktime_mono_to_real(s64 mono)
{
	return mono + shim_clock(CLOCK_REALTIME) - shim_clock(CLOCK_MONOTONIC);
}

#endif /* _SHIM_LINUX_TIMEKEEPING_H */
