/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_HASH_H
#define _SHIM_LINUX_HASH_H

#include <linux/types.h>

static inline u32 hash_64(u64 val, unsigned int bits)
{
	return val * 0x61C8864680B583EBULL >> (64 - bits);
}

#define hash_long(val, bits)	hash_64(val, bits)
#define hash_ptr(ptr, bits)	hash_64((unsigned long)(ptr), bits)

#endif /* _SHIM_LINUX_HASH_H */
