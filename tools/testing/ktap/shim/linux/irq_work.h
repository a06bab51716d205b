/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_IRQ_WORK_H
#define _SHIM_LINUX_IRQ_WORK_H

#include <linux/llist.h>

struct irq_work {
	void (*func)(struct irq_work *work);
	struct llist_node node;
	int pending;
	int busy;
};

#define IRQ_WORK_INIT_HARD(fn)	((struct irq_work){ .func = (fn) })

bool irq_work_queue_on(struct irq_work *work, int cpu);
void irq_work_sync(struct irq_work *work);

#endif /* _SHIM_LINUX_IRQ_WORK_H */
