/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SIZES_H
#define _SHIM_LINUX_SIZES_H

#define SZ_256K			0x00040000
#define SZ_16M			0x01000000
#define SZ_64M			0x04000000

#endif /* _SHIM_LINUX_SIZES_H */
