/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_CACHE_H
#define _SHIM_LINUX_CACHE_H

#include <linux/types.h>

#define SMP_CACHE_BYTES		64

#endif /* _SHIM_LINUX_CACHE_H */
