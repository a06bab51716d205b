/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SMP_H
#define _SHIM_LINUX_SMP_H

#include <linux/percpu.h>

#endif /* _SHIM_LINUX_SMP_H */
