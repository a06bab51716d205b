/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types, and memory of these types, that stand in for a kernel's.
 */
#ifndef _KTAP_TYPES_H
#define _KTAP_TYPES_H

#include <linux/types.h>

/* Where that memory is; curtask is at its beginning. */
#define TYPES_ADDRESS	0xffff888000001000ULL

/* There are none: as in a kernel without BTF. */
extern bool types_missing;

const void *types_memory(size_t *size);

/* How often the module's types are held. */
int types_users(void);

/* Where &area.sample of types.c is, which the module has. */
u64 types_sample(void);

#endif /* _KTAP_TYPES_H */
