/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types that replace those of a kernel, and memory of these types.
 */
#ifndef _KTAP_TYPES_H
#define _KTAP_TYPES_H

#include <linux/types.h>

/* An address of the kernel; on 32-bit machines, the lower half of it */
#define KERNEL(address)	((unsigned long)(0xffffffff00000000ULL | (address)))

/* The address of that memory; curtask is at its beginning. */
#ifdef __LP64__
#define TYPES_ADDRESS	0xffff888000001000UL
#else
#define TYPES_ADDRESS	0x88001000UL
#endif

/* Remove all types: as in a kernel without BTF. */
extern bool types_missing;

const void *types_memory(size_t *size);

/* References to the types of the module. */
int types_users(void);

/* The address of &area.sample in types.c, which is in the module. */
u64 types_sample(void);

#endif /* _KTAP_TYPES_H */
