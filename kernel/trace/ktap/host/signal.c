// SPDX-License-Identifier: GPL-2.0
/*
 * Signals that scripts send.
 */
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/irq_work.h>
#include <linux/lockdep.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "host/signal.h"

/**
 * struct signal_work - a signal on its way
 * @irq: sends it, where the locks of signals can be taken
 * @claimed: there is one
 * @task: to its process; referenced
 * @number: the signal
 *
 * It belongs to the CPU, not to a session: it may outlive that.
 */
struct signal_work {
	struct irq_work irq;
	int claimed;
	struct task_struct *task;
	int number;
};

static void send_signal(struct irq_work *irq)
{
	struct signal_work *work = container_of(irq, struct signal_work, irq);
	struct task_struct *task = work->task;
	int number = work->number;

	/* Pairs with xchg() in ktap_signal_current(). */
	smp_store_release(&work->claimed, 0);
	group_send_sig_info(number, SEND_SIG_PRIV, task, PIDTYPE_TGID);
	put_task_struct(task);
}

static DEFINE_PER_CPU(struct signal_work, signal_work) = {
	.irq = IRQ_WORK_INIT(send_signal),
};

int ktap_signal_current(int number)
{
	struct signal_work *work = this_cpu_ptr(&signal_work);

	lockdep_assert_preemption_disabled();
	if (current->flags & (PF_KTHREAD | PF_EXITING) || is_global_init(current))
		return -EPERM;
	if (xchg(&work->claimed, 1))
		return -EBUSY;
	work->task = get_task_struct(current);
	work->number = number;
	irq_work_queue(&work->irq);
	return 0;
}
