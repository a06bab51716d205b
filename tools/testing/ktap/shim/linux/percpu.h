/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_PERCPU_H
#define _SHIM_LINUX_PERCPU_H

/* A thread is a CPU. */
#define DECLARE_PER_CPU(type, name)	extern __thread type name
#define DEFINE_PER_CPU(type, name)	__thread type name

#define this_cpu_read(var)		(var)
#define this_cpu_inc(var)		((void)(var)++)
#define this_cpu_dec(var)		((void)(var)--)

#endif /* _SHIM_LINUX_PERCPU_H */
