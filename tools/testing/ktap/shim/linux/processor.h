/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_PROCESSOR_H
#define _SHIM_LINUX_PROCESSOR_H

#include <sched.h>

#define cpu_relax()	sched_yield()

#endif /* _SHIM_LINUX_PROCESSOR_H */
