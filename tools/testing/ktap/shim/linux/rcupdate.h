/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_RCUPDATE_H
#define _SHIM_LINUX_RCUPDATE_H

#include <linux/atomic.h>
#include <linux/preempt.h>

struct rcu_head {
	struct rcu_head *next;
};

/* No reader is left when this is called: nobody waits in user space. */
static inline void call_rcu(struct rcu_head *head, void (*func)(struct rcu_head *head))
{
	func(head);
}

#define rcu_dereference(p)	READ_ONCE(p)

static inline void rcu_barrier(void)
{
}

/* Wait for sections with preemption disabled, and for interrupts. */
void synchronize_rcu(void);

#endif /* _SHIM_LINUX_RCUPDATE_H */
