/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_COMPILER_H
#define _SHIM_LINUX_COMPILER_H

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define noinline		__attribute__((__noinline__))
#define __must_check		__attribute__((__warn_unused_result__))
#define __printf(a, b)		__attribute__((__format__(printf, a, b)))
#define __aligned(x)		__attribute__((__aligned__(x)))
#define __annotate_jump_table

#define data_race(expr)		(expr)

#define READ_ONCE(x)		(*(const volatile __typeof__(x) *)&(x))
#define WRITE_ONCE(x, v)	(*(volatile __typeof__(x) *)&(x) = (v))

/* The warning goes by the same name in both compilers but for this one. */
#ifdef __clang__
#define __diag_ignore_all(option, comment)				\
	_Pragma("clang diagnostic ignored \"-Winitializer-overrides\"")
#else
#define __diag_ignore_all(option, comment)				\
	_Pragma("GCC diagnostic ignored \"-Woverride-init\"")
#endif
#define __diag_push()		_Pragma("GCC diagnostic push")
#define __diag_pop()		_Pragma("GCC diagnostic pop")

#endif /* _SHIM_LINUX_COMPILER_H */
