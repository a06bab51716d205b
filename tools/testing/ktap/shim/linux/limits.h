/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_LIMITS_H
#define _SHIM_LINUX_LIMITS_H

#include <limits.h>

#endif /* _SHIM_LINUX_LIMITS_H */
