/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SWAB_H
#define _SHIM_LINUX_SWAB_H

#define swab16	__builtin_bswap16
#define swab32	__builtin_bswap32
#define swab64	__builtin_bswap64

#endif /* _SHIM_LINUX_SWAB_H */
