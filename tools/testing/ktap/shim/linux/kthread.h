/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_KTHREAD_H
#define _SHIM_LINUX_KTHREAD_H

#include <linux/types.h>

struct task_struct;

/* Each thread is a CPU; it exists until kthread_stop(). */
struct task_struct *kthread_run(int (*fn)(void *data), void *data, const char *name, ...);
struct task_struct *kthread_run_on_cpu(int (*fn)(void *data), void *data, unsigned int cpu,
				       const char *name);
int kthread_stop(struct task_struct *task);
bool kthread_should_stop(void);

#endif /* _SHIM_LINUX_KTHREAD_H */
