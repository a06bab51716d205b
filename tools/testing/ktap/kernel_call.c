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

#define NUMBER(name, number)							\
	int ktap_kernel_##name(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)	\
	{									\
		return kernel_call_number(r, number);				\
	}

NUMBER(ktime_get_ns, 1000)
NUMBER(ktime_get_boottime_ns, 2000)
NUMBER(ktime_get_real_ns, 3000000000)
NUMBER(ktime_get_clocktai_ns, 4000)
NUMBER(ktime_get_raw_ns, 5000)
NUMBER(ktime_get_real_seconds, 3)
NUMBER(local_clock, 6000)
NUMBER(sched_clock, 7000)
NUMBER(jiffies_to_msecs, r[0].u)
NUMBER(msecs_to_jiffies, r[0].u)
NUMBER(nr_context_switches, 8)
NUMBER(nr_iowait, 0)
NUMBER(nr_processes, 1)
NUMBER(nr_running, 1)
NUMBER(nr_free_pages, 100)
NUMBER(si_mem_available, 200)
NUMBER(totalram_pages, 300)
NUMBER(num_online_cpus, 1)
NUMBER(num_possible_cpus, 1)
NUMBER(raw_smp_processor_id, 0)

int ktap_kernel_cpu_online(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_BOOL(!(int)r[0].u);
	return 0;
}

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
