/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupts of a thread that represents a CPU. They occur at marked points: an interrupt
 * where interrupts are enabled, an NMI within locks and between writes with a barrier.
 */
#ifndef _SHIM_LINUX_INTERRUPT_H
#define _SHIM_LINUX_INTERRUPT_H

#include <linux/types.h>

/* Interrupts are off. */
extern __thread bool shim_irqs_off;

/* Run the works that irq_work_queue_on() has queued on this CPU. */
void shim_interrupt(void);

/* Set the interval of NMIs, in points. */
extern __thread void (*shim_nmi)(void *arg);
void shim_set_nmi(void (*fn)(void *arg), void *arg, unsigned int every);
void shim_do_nmi(void);

static inline void shim_nmi_point(void)
{
	if (__builtin_expect(!!shim_nmi, 0))
		shim_do_nmi();
}

#endif /* _SHIM_LINUX_INTERRUPT_H */
