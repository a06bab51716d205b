/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_PREEMPT_H
#define _SHIM_LINUX_PREEMPT_H

#include <linux/types.h>

/* synchronize_rcu() waits for these sections. */
extern __thread unsigned int shim_preempt_count;
void preempt_disable(void);
void preempt_enable(void);
#define preempt_disable_notrace		preempt_disable
#define preempt_enable_notrace		preempt_enable

/* An interrupt of shim_set_nmi(). */
extern __thread bool shim_in_nmi;
#define in_nmi()	shim_in_nmi

#endif /* _SHIM_LINUX_PREEMPT_H */
