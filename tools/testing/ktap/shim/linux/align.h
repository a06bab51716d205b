/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_ALIGN_H
#define _SHIM_LINUX_ALIGN_H

#define ALIGN_DOWN(x, a)	((x) & ~((__typeof__(x))(a) - 1))
#define ALIGN(x, a)		ALIGN_DOWN((x) + ((__typeof__(x))(a) - 1), a)

#endif /* _SHIM_LINUX_ALIGN_H */
