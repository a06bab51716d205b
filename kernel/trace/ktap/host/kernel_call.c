// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the kernel that scripts can call.
 *
 * An integer is converted to the type of the parameter as in C.  A function with a variant
 * that is safe in NMI is called as that.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/kernel_stat.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/printk.h>
#include <linux/ratelimit.h>
#include <linux/sched.h>
#include <linux/sched/clock.h>
#include <linux/sched/stat.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/vmstat.h>

#include "vm/env.h"
#include "vm/kernel_call.h"

/* Frames that dump_stack() prints, at most */
#define KERNEL_CALL_FRAMES	32

/* Units of making a record of the kernel's log, or of the buffer of ftrace */
#define KERNEL_CALL_RECORD	32

KTAP_KERNEL_CALL(ktime_get_ns, INT, ktime_get_mono_fast_ns())
KTAP_KERNEL_CALL(ktime_get_boottime_ns, INT, ktime_get_boot_fast_ns())
KTAP_KERNEL_CALL(ktime_get_real_ns, INT, ktime_get_real_fast_ns())
KTAP_KERNEL_CALL(ktime_get_clocktai_ns, INT, ktime_get_tai_fast_ns())
KTAP_KERNEL_CALL(ktime_get_raw_ns, INT, ktime_get_raw_fast_ns())
KTAP_KERNEL_CALL(ktime_get_real_seconds, INT, div_u64(ktime_get_real_fast_ns(), NSEC_PER_SEC))
KTAP_KERNEL_CALL(local_clock, INT, local_clock())
KTAP_KERNEL_CALL(sched_clock, INT, sched_clock())
KTAP_KERNEL_CALL(jiffies_to_msecs, INT, jiffies_to_msecs(r[0].u))
KTAP_KERNEL_CALL(msecs_to_jiffies, INT, msecs_to_jiffies(r[0].u))

/* Those that are a loop over all CPUs, or over all zones, which is charged for */
#define KERNEL_CALL_LOOP(_name)								\
	int ktap_kernel_##_name(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)	\
	{										\
		u32 steps = num_possible_cpus() + MAX_NR_ZONES * num_online_nodes();	\
		int err = ktap_vm_charge(vm, steps);					\
											\
		if (!err)								\
			r[0] = KTAP_VALUE_INT(_name());					\
		return err;								\
	}

KERNEL_CALL_LOOP(nr_context_switches)
KERNEL_CALL_LOOP(nr_iowait)
KERNEL_CALL_LOOP(nr_processes)
KERNEL_CALL_LOOP(nr_running)
KERNEL_CALL_LOOP(si_mem_available)

KTAP_KERNEL_CALL(nr_free_pages, INT, global_zone_page_state(NR_FREE_PAGES))
KTAP_KERNEL_CALL(totalram_pages, INT, totalram_pages())

/* Number of a CPU that may exist, from an argument of type int */
static bool kernel_call_cpu(const struct ktap_value *v, u32 *cpu)
{
	*cpu = v->u;
	return ktap_index(cpu, nr_cpu_ids) && cpu_possible(*cpu);
}

int ktap_kernel_cpu_online(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u32 cpu;

	r[0] = KTAP_VALUE_BOOL(kernel_call_cpu(&r[0], &cpu) && cpu_online(cpu));
	return 0;
}

int ktap_kernel_cpu_to_node(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u32 cpu;

	if (!kernel_call_cpu(&r[0], &cpu))
		return ktap_vm_error(vm, -EINVAL, "cpu_to_node: there is no CPU %d", (int)cpu);
	r[0] = KTAP_VALUE_INT(cpu_to_node(cpu));
	return 0;
}

KTAP_KERNEL_CALL(num_online_cpus, INT, num_online_cpus())
KTAP_KERNEL_CALL(num_possible_cpus, INT, num_possible_cpus())
KTAP_KERNEL_CALL(raw_smp_processor_id, INT, raw_smp_processor_id())

/*
 * The log is limited for all sessions together.  The lock of the limit is only tried, and
 * nothing is printed about what was suppressed: the session counts that.
 */
static struct ratelimit_state kernel_call_limit =
	RATELIMIT_STATE_INIT_FLAGS(kernel_call_limit, DEFAULT_RATELIMIT_INTERVAL,
				   DEFAULT_RATELIMIT_BURST, RATELIMIT_MSG_ON_RELEASE);

static bool kernel_call_may_log(struct ktap_vm *vm)
{
	if (__ratelimit(&kernel_call_limit))
		return true;
	atomic_long_inc(&vm->env->counters.unlogged);
	return false;
}

/*
 * The event may hold locks of consoles or of the scheduler, so the consoles are left to an
 * irq_work: printk_deferred() is safe in any context.  The script's text is never a format,
 * and the text before it prevents that it sets the level of the message.
 */
int ktap_kernel_printk(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const char *text;
	int err;

	err = ktap_make_text(vm, &r[0]) ?: ktap_vm_charge(vm, KERNEL_CALL_RECORD);
	if (err)
		return err;
	if (!kernel_call_may_log(vm)) {
		r[0] = KTAP_VALUE_INT(0);
		return 0;
	}
	/* The end of the line is there anyway. */
	text = ktap_blob_of(&r[0]);
	if (r[0].len && text[r[0].len - 1] == '\n')
		r[0].len--;
	r[0] = KTAP_VALUE_INT(printk_deferred(KERN_INFO "ktap: %.*s\n", (int)r[0].len, text));
	return 0;
}

/*
 * dump_stack() of the kernel takes a lock against that of other CPUs, for which a holder of
 * the scheduler's locks must not wait.
 */
int ktap_kernel_dump_stack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const unsigned long *ips;
	u32 i, depth;
	int err;

	err = ktap_vm_charge(vm, KERNEL_CALL_FRAMES * KERNEL_CALL_RECORD);
	if (err)
		return err;
	r[0] = KTAP_VALUE_NIL;
	if (!kernel_call_may_log(vm))
		return 0;
	r[0] = KTAP_VALUE_INT(KERNEL_CALL_FRAMES);
	err = ktap_fn_kstack(vm, r, 1);
	if (err)
		return err;
	depth = ktap_stack_depth(&r[0]);
	ips = ktap_blob_of(&r[0]);
	r[0] = KTAP_VALUE_NIL;
	printk_deferred(KERN_INFO "ktap: CPU: %d PID: %d Comm: %.*s\n", raw_smp_processor_id(),
			current->pid, TASK_COMM_LEN, current->comm);
	for (i = 0; i < depth; i++)
		printk_deferred(KERN_INFO "ktap:  %pB\n", (void *)ips[i]);
	return 0;
}

/* The function of the kernel takes a string with a NUL at its end. */
int ktap_kernel_trace_printk(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	char *text;
	u32 len;
	int err;

	err = ktap_make_text(vm, &r[0]) ?: ktap_vm_charge(vm, KERNEL_CALL_RECORD);
	if (err)
		return err;
	len = min_t(u32, r[0].len, KTAP_MAX_STRLEN - 2);
	text = ktap_arena_alloc(vm, len + 2);
	if (!text)
		return vm->error;
	memcpy(text, ktap_blob_of(&r[0]), len);
	text[len] = '\0';
	/* It looks at the byte before the end. */
	if (!*text)
		strscpy(text, "\n", 2);
	r[0] = KTAP_VALUE_INT(__trace_puts(_THIS_IP_, text));
	return 0;
}
