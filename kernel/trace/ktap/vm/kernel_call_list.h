/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the kernel that scripts can call: ffi.C.NAME(...).  Included by
 * kernel_call.h and kernel_call.c only, which define
 *
 *	CALL(name, levels, uses, result, arguments...)
 *
 * as in builtin_list.h.  An argument for each parameter is required.  To be here, a
 * function must be safe in each context of levels, whatever its arguments are: it takes no
 * lock that the event may hold, does not sleep, and needs no reference.  The tool has
 * the prototypes (tools/ktap/compiler/kernel_calls.c).
 */

/* Clocks.  All of them use the accessors that are safe in NMI. */
CALL(ktime_get_ns, ANYWHERE, 0, INT)
CALL(ktime_get_boottime_ns, ANYWHERE, 0, INT)
CALL(ktime_get_real_ns, ANYWHERE, 0, INT)
CALL(ktime_get_clocktai_ns, ANYWHERE, 0, INT)
CALL(ktime_get_raw_ns, ANYWHERE, 0, INT)
CALL(ktime_get_real_seconds, ANYWHERE, 0, INT)
CALL(local_clock, ANYWHERE, 0, INT)
CALL(sched_clock, ANYWHERE, 0, INT)
CALL(jiffies_to_msecs, ANYWHERE, 0, INT, INT)
CALL(msecs_to_jiffies, ANYWHERE, 0, INT, INT)

/* The scheduler and the memory: numbers that are read without locks, as in /proc */
CALL(nr_context_switches, ANYWHERE, 0, INT)
CALL(nr_iowait, ANYWHERE, 0, INT)
CALL(nr_processes, ANYWHERE, 0, INT)
CALL(nr_running, ANYWHERE, 0, INT)
CALL(nr_free_pages, ANYWHERE, 0, INT)
CALL(si_mem_available, ANYWHERE, 0, INT)
CALL(totalram_pages, ANYWHERE, 0, INT)

/* CPUs, and the context of the event */
CALL(cpu_online, ANYWHERE, 0, BOOL, INT)
CALL(cpu_to_node, ANYWHERE, 0, INT, INT)
CALL(num_online_cpus, ANYWHERE, 0, INT)
CALL(num_possible_cpus, ANYWHERE, 0, INT)
CALL(raw_smp_processor_id, ANYWHERE, 0, INT)
CALL(in_hardirq, ANYWHERE, 0, BOOL)
CALL(in_nmi, ANYWHERE, 0, BOOL)
CALL(in_serving_softirq, ANYWHERE, 0, BOOL)
CALL(in_task, ANYWHERE, 0, BOOL)

/* Numbers */
CALL(fls64, ANYWHERE, 0, INT, INT)
CALL(hweight64, ANYWHERE, 0, INT, INT)
CALL(int_sqrt64, ANYWHERE, 0, INT, INT)
CALL(swab16, ANYWHERE, 0, INT, INT)
CALL(swab32, ANYWHERE, 0, INT, INT)
CALL(swab64, ANYWHERE, 0, INT, INT)
CALL(ntohs, ANYWHERE, 0, INT, INT)
CALL(ntohl, ANYWHERE, 0, INT, INT)

/* Text in the log of the kernel and in the buffer of ftrace */
CALL(dump_stack, UNSAFE_ANYWHERE, 0, NIL)
CALL(printk, UNSAFE_ANYWHERE, KTAP_USES_ARGSTR, INT, STRING)
CALL(trace_printk, UNSAFE_ANYWHERE, KTAP_USES_ARGSTR, INT, STRING)
