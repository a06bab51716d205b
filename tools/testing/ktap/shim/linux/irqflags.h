/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_IRQFLAGS_H
#define _SHIM_LINUX_IRQFLAGS_H

#include <linux/interrupt.h>

#define raw_local_irq_save(flags)					\
	do {								\
		(flags) = shim_irqs_off;				\
		shim_irqs_off = true;					\
	} while (0)

#define raw_irqs_disabled()	(shim_irqs_off)

#define raw_local_irq_restore(flags)					\
	do {								\
		shim_irqs_off = (flags);				\
		shim_interrupt();					\
	} while (0)

#endif /* _SHIM_LINUX_IRQFLAGS_H */
