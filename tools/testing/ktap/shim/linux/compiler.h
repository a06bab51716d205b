/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_COMPILER_H
#define _SHIM_LINUX_COMPILER_H

#define likely(x)		__builtin_expect(!!(x), 1)
#define unlikely(x)		__builtin_expect(!!(x), 0)
#define noinline		__attribute__((__noinline__))
#ifdef __clang__
#define __noclone
#else
#define __noclone		__attribute__((__noclone__))
#endif
#define __force
#define __uninitialized
#define __must_check		__attribute__((__warn_unused_result__))
#define __printf(a, b)		__attribute__((__format__(printf, a, b)))
#define __aligned(x)		__attribute__((__aligned__(x)))
#define __packed			__attribute__((__packed__))
#define __annotate_jump_table

/*
 * ThreadSanitizer reports accesses of several threads without a common lock. It does not
 * support fences. So marked accesses count as ordered, and the barriers next to them are
 * not checked.
 */
#ifdef SHIM_TSAN
#define SHIM_LOAD	__ATOMIC_ACQUIRE
#define SHIM_STORE	__ATOMIC_RELEASE

void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);

#define data_race(expr)								\
	({									\
		AnnotateIgnoreReadsBegin(__FILE__, __LINE__);			\
		__auto_type v_ = (expr);					\
		AnnotateIgnoreReadsEnd(__FILE__, __LINE__);			\
		v_;								\
	})
#else
#define SHIM_LOAD	__ATOMIC_RELAXED
#define SHIM_STORE	__ATOMIC_RELAXED

#define data_race(expr)		(expr)
#endif

#define barrier()		__asm__ __volatile__("" : : : "memory")
#define READ_ONCE(x)		__atomic_load_n(&(x), SHIM_LOAD)
#define WRITE_ONCE(x, v)	__atomic_store_n(&(x), v, SHIM_STORE)

/* The warnings have the same names in both compilers, except this one. */
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
