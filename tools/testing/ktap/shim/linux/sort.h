/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SORT_H
#define _SHIM_LINUX_SORT_H

#include <linux/types.h>

/* A heap sort, as in the kernel: it is safe with any result of a comparison. */
void sort_r_nonatomic(void *base, size_t num, size_t size,
		      int (*cmp)(const void *a, const void *b, const void *priv),
		      void (*swap)(void *a, void *b, int size, const void *priv),
		      const void *priv);
void sort_nonatomic(void *base, size_t num, size_t size,
		    int (*cmp)(const void *a, const void *b),
		    void (*swap)(void *a, void *b, int size));

#endif /* _SHIM_LINUX_SORT_H */
