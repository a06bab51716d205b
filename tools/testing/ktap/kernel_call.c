// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the kernel that scripts can call, in user space: what
 * kernel/trace/ktap/host/kernel_call.c is in the kernel.  Each of them gives a number that
 * is always the same, and writes nothing.
 */
#include <linux/kernel.h>

#include "vm/kernel_call.h"

static int kernel_call_number(struct ktap_value *r, s64 i)
{
	r[0] = KTAP_VALUE_INT(i);
	return 0;
}

KTAP_KERNEL_CALL(ktime_get_ns, INT, 1000)
KTAP_KERNEL_CALL(ktime_get_boottime_ns, INT, 2000)
KTAP_KERNEL_CALL(ktime_get_real_ns, INT, 3000000000)
KTAP_KERNEL_CALL(ktime_get_clocktai_ns, INT, 4000)
KTAP_KERNEL_CALL(ktime_get_raw_ns, INT, 5000)
KTAP_KERNEL_CALL(ktime_get_real_seconds, INT, 3)
KTAP_KERNEL_CALL(local_clock, INT, 6000)
KTAP_KERNEL_CALL(sched_clock, INT, 7000)
KTAP_KERNEL_CALL(jiffies_to_msecs, INT, r[0].u)
KTAP_KERNEL_CALL(msecs_to_jiffies, INT, r[0].u)
KTAP_KERNEL_CALL(nr_context_switches, INT, 8)
KTAP_KERNEL_CALL(nr_iowait, INT, 0)
KTAP_KERNEL_CALL(nr_processes, INT, 1)
KTAP_KERNEL_CALL(nr_running, INT, 1)
KTAP_KERNEL_CALL(nr_free_pages, INT, 100)
KTAP_KERNEL_CALL(si_mem_available, INT, 200)
KTAP_KERNEL_CALL(totalram_pages, INT, 300)
KTAP_KERNEL_CALL(num_online_cpus, INT, 1)
KTAP_KERNEL_CALL(num_possible_cpus, INT, 1)
KTAP_KERNEL_CALL(raw_smp_processor_id, INT, 0)

KTAP_KERNEL_CALL(cpu_online, BOOL, !(int)r[0].u)

int ktap_kernel_cpu_to_node(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	if ((int)r[0].u)
		return ktap_vm_error(vm, -EINVAL, "cpu_to_node: there is no CPU %d", (int)r[0].u);
	return kernel_call_number(r, 0);
}

int ktap_kernel_dump_stack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_NIL;
	return 0;
}

/* As in the kernel, the result is the length of what would be logged. */
int ktap_kernel_printk(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err = ktap_make_text(vm, &r[0]);

	return err ?: kernel_call_number(r, sizeof("ktap: ") + r[0].len);
}

int ktap_kernel_trace_printk(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err = ktap_make_text(vm, &r[0]);

	return err ?: kernel_call_number(r, r[0].len);
}
