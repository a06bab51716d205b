/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_OVERFLOW_H
#define _SHIM_LINUX_OVERFLOW_H

#define check_add_overflow(a, b, d)	__builtin_add_overflow(a, b, d)
#define check_mul_overflow(a, b, d)	__builtin_mul_overflow(a, b, d)
#define struct_size(p, member, count)	\
	(sizeof(*(p)) + sizeof((p)->member[0]) * (size_t)(count))

#define struct_size_t(type, member, count)	struct_size((type *)NULL, member, count)

#endif /* _SHIM_LINUX_OVERFLOW_H */
