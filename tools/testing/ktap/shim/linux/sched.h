/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SCHED_H
#define _SHIM_LINUX_SCHED_H

/* Whoever runs a program gets to look around here. */
void cond_resched(void);

#endif /* _SHIM_LINUX_SCHED_H */
