/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Signals that scripts send.
 */
#ifndef _KTAP_SIGNAL_H
#define _KTAP_SIGNAL_H

/*
 * Sends a signal to the current process, soon.  Context: any, preemption disabled.
 * 0; -EPERM: nobody may, to a thread of the kernel, one that ends and init;
 * -EBUSY: the last one of this CPU is still on its way.
 */
int ktap_signal_current(int number);

#endif /* _KTAP_SIGNAL_H */
