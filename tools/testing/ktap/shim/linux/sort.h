/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SORT_H
#define _SHIM_LINUX_SORT_H

#include <stdlib.h>

#define sort_nonatomic(base, num, size, cmp, swap)	qsort(base, num, size, cmp)

#endif /* _SHIM_LINUX_SORT_H */
