/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_IRQFLAGS_H
#define _SHIM_LINUX_IRQFLAGS_H

/* Nothing interrupts. */
#define raw_local_irq_save(flags)	((void)((flags) = 0))
#define raw_local_irq_restore(flags)	((void)(flags))

#endif /* _SHIM_LINUX_IRQFLAGS_H */
