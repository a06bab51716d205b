/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_CONTAINER_OF_H
#define _SHIM_LINUX_CONTAINER_OF_H

#include <stddef.h>

#define container_of(ptr, type, member)	\
	((type *)((char *)(ptr) - offsetof(type, member)))

#define sizeof_field(type, member)	sizeof(((type *)NULL)->member)

#endif /* _SHIM_LINUX_CONTAINER_OF_H */
