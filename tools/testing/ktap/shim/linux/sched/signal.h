/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SCHED_SIGNAL_H
#define _SHIM_LINUX_SCHED_SIGNAL_H

#include <linux/sched.h>

/* A fatal signal ends the program at once. */
#define fatal_signal_pending(task)	((void)(task), false)

#endif /* _SHIM_LINUX_SCHED_SIGNAL_H */
