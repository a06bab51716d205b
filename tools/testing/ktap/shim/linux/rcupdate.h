/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_RCUPDATE_H
#define _SHIM_LINUX_RCUPDATE_H

#include <linux/atomic.h>

/* There are no other threads to wait for. */
#define synchronize_rcu()	smp_mb()

#endif /* _SHIM_LINUX_RCUPDATE_H */
