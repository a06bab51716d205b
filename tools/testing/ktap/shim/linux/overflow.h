/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_OVERFLOW_H
#define _SHIM_LINUX_OVERFLOW_H

#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define struct_size(p, member, count)	\
	(sizeof(*(p)) + sizeof((p)->member[0]) * (size_t)(count))

#endif /* _SHIM_LINUX_OVERFLOW_H */
