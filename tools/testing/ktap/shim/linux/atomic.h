/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_ATOMIC_H
#define _SHIM_LINUX_ATOMIC_H

#include <linux/interrupt.h>
#include <linux/types.h>

#define smp_mb()			__atomic_thread_fence(__ATOMIC_SEQ_CST)
#define smp_mb__after_atomic()		smp_mb()
#define smp_rmb()			__atomic_thread_fence(__ATOMIC_ACQUIRE)
#define smp_wmb()							\
	do {								\
		__atomic_thread_fence(__ATOMIC_RELEASE);		\
		shim_nmi_point();					\
	} while (0)

#define smp_load_acquire(p)		__atomic_load_n(p, __ATOMIC_ACQUIRE)
#define smp_store_release(p, v)		__atomic_store_n(p, v, __ATOMIC_RELEASE)

#define atomic_read(v)			__atomic_load_n(&(v)->counter, __ATOMIC_RELAXED)
#define atomic_set(v, i)		__atomic_store_n(&(v)->counter, i, __ATOMIC_RELAXED)
#define atomic_set_release(v, i)	__atomic_store_n(&(v)->counter, i, __ATOMIC_RELEASE)
#define atomic_inc(v)			((void)atomic_inc_return(v))
#define atomic_inc_return(v)		__atomic_add_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST)
#define atomic_dec_and_test(v)		(!__atomic_sub_fetch(&(v)->counter, 1, __ATOMIC_SEQ_CST))
#define atomic_long_read(v)		atomic_read(v)
#define atomic_long_inc(v)		((void)atomic_inc_return(v))
#define atomic_long_add(i, v)		((void)__atomic_add_fetch(&(v)->counter, i, __ATOMIC_SEQ_CST))
#define atomic_long_add_return(i, v)	__atomic_add_fetch(&(v)->counter, i, __ATOMIC_SEQ_CST)
#define atomic_long_set(v, i)		atomic_set(v, i)
#define atomic_long_xchg(v, i)		__atomic_exchange_n(&(v)->counter, i, __ATOMIC_SEQ_CST)

static inline long atomic_long_cmpxchg(atomic_long_t *v, long old, long new)
{
	__atomic_compare_exchange_n(&v->counter, &old, new, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
	return old;
}


#define cmpxchg(ptr, old, new)							\
	({									\
		__typeof__(*(ptr)) old_ = (old);				\
										\
		__atomic_compare_exchange_n(ptr, &old_, new, false,		\
					    __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);	\
		old_;								\
	})

static inline int atomic_cmpxchg(atomic_t *v, int old, int new)
{
	__atomic_compare_exchange_n(&v->counter, &old, new, false, __ATOMIC_SEQ_CST,
				    __ATOMIC_SEQ_CST);
	return old;
}

#endif /* _SHIM_LINUX_ATOMIC_H */
