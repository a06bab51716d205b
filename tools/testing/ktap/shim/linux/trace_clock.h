/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_TRACE_CLOCK_H
#define _SHIM_LINUX_TRACE_CLOCK_H

#include <linux/timekeeping.h>

#define trace_clock_local()	shim_clock(CLOCK_MONOTONIC)

#endif /* _SHIM_LINUX_TRACE_CLOCK_H */
