/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_ASM_LOCAL64_H
#define _SHIM_ASM_LOCAL64_H

#include <linux/types.h>

typedef struct {
	u64 counter;
} local64_t;

#define local64_read(l)		__atomic_load_n(&(l)->counter, __ATOMIC_RELAXED)
#define local64_add(i, l)	((void)__atomic_add_fetch(&(l)->counter, i, __ATOMIC_RELAXED))
#define local64_inc(l)		local64_add(1, l)

#endif /* _SHIM_ASM_LOCAL64_H */
