/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_KASAN_H
#define _SHIM_LINUX_KASAN_H

/* The kernel's. */

#endif /* _SHIM_LINUX_KASAN_H */
