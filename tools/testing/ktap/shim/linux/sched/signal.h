/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SCHED_SIGNAL_H
#define _SHIM_LINUX_SCHED_SIGNAL_H

#include <linux/sched.h>

/* A fatal signal ends the program at once, but a test can act as if one were pending. */
extern bool shim_killed;

#define fatal_signal_pending(task)	((void)(task), shim_killed)

#endif /* _SHIM_LINUX_SCHED_SIGNAL_H */
