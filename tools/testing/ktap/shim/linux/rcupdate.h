/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_RCUPDATE_H
#define _SHIM_LINUX_RCUPDATE_H

#include <linux/atomic.h>
#include <linux/preempt.h>

/* Wait for sections with preemption disabled, and for interrupts. */
void synchronize_rcu(void);

#endif /* _SHIM_LINUX_RCUPDATE_H */
