/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SCHED_H
#define _SHIM_LINUX_SCHED_H

/* The only thread that has fields (vm/task_fields.c). */
extern const char shim_thread;
#define current		(&shim_thread)

/* A running program checks its limits here. */
void cond_resched(void);

#endif /* _SHIM_LINUX_SCHED_H */
