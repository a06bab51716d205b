/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_HASH_H
#define _SHIM_LINUX_HASH_H

#include <linux/types.h>

static inline u32 hash_long(unsigned long val, unsigned int bits)
{
	return (u64)val * 0x61C8864680B583EBULL >> (64 - bits);
}

#define hash_ptr(ptr, bits)	hash_long((unsigned long)(ptr), bits)

#endif /* _SHIM_LINUX_HASH_H */
