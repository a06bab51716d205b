/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_LOG2_H
#define _SHIM_LINUX_LOG2_H

#define ilog2(n)	(63 - __builtin_clzll(n))
#define is_power_of_2(n)	((n) && !((n) & ((n) - 1)))

#endif /* _SHIM_LINUX_LOG2_H */
