/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interrupts of a thread that stands for a CPU.  They come where the code says
 * that they may: an interrupt where it is allowed again, an NMI inside of locks and
 * between the writes that a barrier keeps apart.
 */
#ifndef _SHIM_LINUX_INTERRUPT_H
#define _SHIM_LINUX_INTERRUPT_H

#include <linux/types.h>

/* Interrupts are off. */
extern __thread bool shim_irqs_off;

/* Does what irq_work_queue_on() has brought to this CPU. */
void shim_interrupt(void);

/* Set: every so many points there is an NMI. */
extern __thread void (*shim_nmi)(void *arg);
void shim_set_nmi(void (*fn)(void *arg), void *arg, unsigned int every);
void shim_do_nmi(void);

static inline void shim_nmi_point(void)
{
	if (__builtin_expect(!!shim_nmi, 0))
		shim_do_nmi();
}

#endif /* _SHIM_LINUX_INTERRUPT_H */
