/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_ERR_H
#define _SHIM_LINUX_ERR_H

#include <linux/types.h>

#define MAX_ERRNO	4095

#define ERR_PTR(err)	((void *)(long)(err))
#define PTR_ERR(ptr)	((long)(ptr))
#define IS_ERR_OR_NULL(ptr)	(!(ptr) || IS_ERR(ptr))
#define IS_ERR(ptr)	((unsigned long)(ptr) >= (unsigned long)-MAX_ERRNO)

#endif /* _SHIM_LINUX_ERR_H */
