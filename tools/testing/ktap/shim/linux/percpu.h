/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_PERCPU_H
#define _SHIM_LINUX_PERCPU_H

#include <linux/types.h>

#define __percpu

#define PCPU_MIN_UNIT_SIZE	(32 << 10)

/* A thread is a CPU: CPU 0, unless kthread_run() has made it. */
extern __thread int shim_cpu;

#define DECLARE_PER_CPU(type, name)	extern __thread type name
#define DEFINE_PER_CPU(type, name)	__thread type name

#define this_cpu_read(var)		(var)
#define this_cpu_inc(var)		((void)(var)++)
#define this_cpu_dec(var)		((void)(var)--)
#define this_cpu_inc_return(var)	(++(var))
#define this_cpu_add(var, n)		((void)((var) += (n)))
#define this_cpu_add_return(var, n)	((var) += (n))

/* The memory of CPU 0; that of the others follows. */
void *__alloc_percpu_gfp(size_t size, size_t align, gfp_t gfp);
#define alloc_percpu_gfp(type, gfp)	__alloc_percpu_gfp(sizeof(type), __alignof__(type), gfp)
void free_percpu(void *p);
void *shim_per_cpu_ptr(void *p, int cpu);

/* symbols.c: the address of a static variable; NULL if it is not one. */
void *shim_static_percpu(void *p, int cpu);

#define raw_smp_processor_id()		shim_cpu

#define per_cpu_ptr(p, cpu)		((__typeof__(p))shim_per_cpu_ptr(p, cpu))
#define this_cpu_ptr(p)			per_cpu_ptr(p, shim_cpu)
#define raw_cpu_ptr(p)			this_cpu_ptr(p)

#endif /* _SHIM_LINUX_PERCPU_H */
