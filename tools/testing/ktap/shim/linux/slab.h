/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SLAB_H
#define _SHIM_LINUX_SLAB_H

/* The kernel's header includes these. */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/string.h>

#define GFP_KERNEL		0
#define GFP_KERNEL_ACCOUNT	0
#define __GFP_NOWARN		0
#define __GFP_NORETRY		0

/* Number of allocations until one fails; 0: none fails. */
extern unsigned long shim_fail_at;

/* Allocations that are not yet freed. */
extern long shim_allocated;

/* Neither allocations nor sleeping are permitted. */
extern __thread bool shim_atomic;

void *kvmalloc_array(size_t n, size_t size, gfp_t flags);
void *kvcalloc(size_t n, size_t size, gfp_t flags);
void kvfree(const void *p);

#define kvmalloc(size, flags)	kvmalloc_array(1, size, flags)
#define kvzalloc(size, flags)	kvcalloc(1, size, flags)
#define kmalloc(size, flags)	kvmalloc(size, flags)
#define kzalloc(size, flags)	kvzalloc(size, flags)
#define kfree(p)		kvfree(p)

static inline char *kstrdup(const char *s, gfp_t flags)
{
	char *copy = kvmalloc(strlen(s) + 1, flags);

	return copy ? strcpy(copy, s) : NULL;
}

#endif /* _SHIM_LINUX_SLAB_H */
