/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_PREEMPT_H
#define _SHIM_LINUX_PREEMPT_H

/* What synchronize_rcu() waits for. */
extern __thread unsigned int shim_preempt_count;
void preempt_disable(void);
void preempt_enable(void);

#endif /* _SHIM_LINUX_PREEMPT_H */
