// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in values: the thread, the process and the machine.
 */
#include <linux/cred.h>
#include <linux/kallsyms.h>
#include <linux/pid.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rethook.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "btf/btf.h"
#include "host/task_name.h"
#include "probe.h"
#include "vm/builtin.h"
#include "vm/env.h"

/* Frames of the tracing code below an event. */
#define MAX_BELOW	32

static_assert((2 * KTAP_MAX_FRAMES + MAX_BELOW) * sizeof(long) <= KTAP_MAX_STRLEN);

int ktap_fn_pid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(current->tgid);
	return 0;
}

int ktap_fn_tid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(current->pid);
	return 0;
}

/* The numbers are 0 for the idle thread, and once the thread has given them back. */
int ktap_fn_ns_pid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(task_tgid_nr_ns(current, vm->env->pid_ns));
	return 0;
}

int ktap_fn_ns_tid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(task_pid_nr_ns(current, vm->env->pid_ns));
	return 0;
}

int ktap_fn_ppid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	guard(preempt_notrace)();
	r[0] = KTAP_VALUE_INT(rcu_dereference_sched(current->real_parent)->tgid);
	return 0;
}

int ktap_fn_uid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(from_kuid(&init_user_ns, current_uid()));
	return 0;
}

int ktap_fn_gid(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(from_kgid(&init_user_ns, current_gid()));
	return 0;
}

int ktap_fn_cpu(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(raw_smp_processor_id());
	return 0;
}

int ktap_fn_numa_node(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(cpu_to_node(raw_smp_processor_id()));
	return 0;
}

static_assert(KTAP_EXECNAME_SIZE == TASK_COMM_LEN);

/* By words: two comparisons */
static __always_inline bool task_has_name(const char *name)
{
	unsigned long copied, word;
	u32 i;

	for (i = 0; i < TASK_COMM_LEN; i += sizeof(word)) {
		memcpy(&copied, name + i, sizeof(word));
		memcpy(&word, current->comm + i, sizeof(word));
		if (copied != word)
			return false;
	}
	return true;
}

/* Values refer to the name that was copied first: another name needs memory of its own. */
static noinline int task_changed_name(struct ktap_vm *vm, struct ktap_value *r)
{
	return ktap_make_string(vm, current->comm, strnlen(current->comm, TASK_COMM_LEN), r);
}

/* A handler runs in one task: it copies the name once.  In process context that may change. */
int ktap_fn_execname(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u32 len = vm->execname_len;
	char *name = vm->execname;

	/* The compiler would compute it again. */
	OPTIMIZER_HIDE_VAR(name);
	if (!len) {
		len = ktap_copy_task_name(name);
		vm->execname_len = len;
	} else if (vm->level == KTAP_LEVEL_PROCESS && !task_has_name(name)) {
		return task_changed_name(vm, r);
	}
	r[0] = KTAP_VALUE_STR(name, len);
	return 0;
}

int ktap_fn_nsecs(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(ktime_get_mono_fast_ns());
	return 0;
}

static u64 task_pid_number(void)
{
	return (s64)current->tgid;
}

static u64 task_tid_number(void)
{
	return (s64)current->pid;
}

static u64 task_cpu_number(void)
{
	return raw_smp_processor_id();
}

ktap_number_fn *ktap_builtin_number(u32 id)
{
	switch (id) {
	case KTAP_FN_PID:
		return task_pid_number;
	case KTAP_FN_TID:
		return task_tid_number;
	case KTAP_FN_CPU:
		return task_cpu_number;
	case KTAP_FN_NSECS:
		return ktime_get_mono_fast_ns;
	default:
		return NULL;
	}
}

int ktap_fn_rand(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(ktap_random());
	return 0;
}

int ktap_fn_curtask(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	bool typed = vm->env->prog->uses & KTAP_USES_TYPES;

	r[0] = KTAP_VALUE_TYPED((unsigned long)current, typed ? ktap_btf_task() : 0);
	return 0;
}

/*
 * Where a kretprobe lets a function return to a trampoline, the walk of some machines shows
 * the trampoline, and not the function that it returns to.  Put that one there.  Return the
 * number of frames before it.
 */
static unsigned int task_put_caller(unsigned long *ips, unsigned int n, unsigned long caller)
{
#ifdef CONFIG_RETHOOK
	unsigned long start = (unsigned long)dereference_symbol_descriptor(arch_rethook_trampoline);
	unsigned long size, offset;
	unsigned int i;

	if (!kallsyms_lookup_size_offset(start, &size, &offset))
		return 0;
	for (i = 0; i < n && i < MAX_BELOW; i++) {
		if (ips[i] - start < size) {
			ips[i] = caller;
			return i;
		}
	}
#endif
	return 0;
}

/*
 * Frames of the tracing code: up to the function by which the event entered
 * it, or up to, and not with, the one where the event says its stack begins.
 */
static unsigned int task_frames_below(const struct ktap_vm *vm, unsigned long *ips,
				      unsigned int n)
{
	const struct ktap_event *ev = vm->event;
	const struct ktap_point *point;
	unsigned long start, size;
	unsigned int i;

	if (!ev)
		return 0;
	point = ktap_hit_of(ev)->point;
	start = point->entry;
	size = point->entry_size;
	if (ev->ops->top)
		ev->ops->top(ev, &start, &size);
	for (i = 0; i < n && i < MAX_BELOW; i++) {
		if (ips[i] - start < size)
			return ev->ops->top ? i : i + 1;
	}
	/* At a return it is one instruction. */
	return ev->ops->top && size == 1 ? task_put_caller(ips, n, start) : 0;
}

/* The stack of what an event interrupted: none if that was a user's program. */
static unsigned int task_save_stack_of(struct pt_regs *regs, unsigned long *ips, unsigned int depth,
				       unsigned int skip)
{
	return user_mode(regs) ? 0 : stack_trace_save_regs(regs, ips, depth, skip);
}

/* Frames of the tracing code above the one where the source has noted its registers */
#define MAX_BELOW_HERE	8

#if KTAP_WALKS_FROM_HERE
static unsigned int task_save_stack_here(const struct ktap_here *here, unsigned long *ips,
					 unsigned int max)
{
	struct pt_regs regs = {
#if defined(CONFIG_ARM64)
		.pc = here->ip,
		.sp = here->sp,
		.regs[29] = here->bp,
		.pstate = PSR_MODE_EL1h,
#elif defined(CONFIG_RISCV)
		.epc = here->ip,
		.sp = here->sp,
		.s0 = here->bp,
		.status = SR_PP,
#elif defined(CONFIG_PPC)
		.nip = here->ip,
		.gpr[1] = here->sp,
		.msr = MSR_KERNEL,
#else
		.ip = here->ip,
		.sp = here->sp,
		.bp = here->bp,
		.cs = __KERNEL_CS,
		.flags = X86_EFLAGS_FIXED,
#endif
	};

	return stack_trace_save_regs(&regs, ips, max, 0);
}
#endif

/*
 * Walk the stack from the instruction where it begins, or from the one that the source has noted.
 * Return false if neither is known, or if the walk does not get to the caller of a function
 * that is entered, or to the function by which the event entered.
 */
static bool task_save_stack_from(const struct ktap_vm *vm, unsigned long *ips, unsigned int max,
				 unsigned int *len, unsigned int *below)
{
#if KTAP_WALKS_FROM_HERE
	const struct ktap_event *ev = vm->event;
	unsigned long first = 0;
	struct ktap_here begin;
	unsigned int n;

	if (!ev)
		return false;
	if (ev->ops->begin && ev->ops->begin(ev, &begin, &first)) {
		n = !!first;
		ips[0] = first;
		*len = n + task_save_stack_here(&begin, ips + n, max - n);
		*below = 0;
		return *len > 1;
	}
#endif
#ifdef CONFIG_X86_64
	if (!ktap_hit_of(ev)->here.ip)
		return false;
	*len = task_save_stack_here(&ktap_hit_of(ev)->here, ips, max);
	*below = task_frames_below(vm, ips, *len);
	return *below && *below <= MAX_BELOW_HERE;
#else
	return false;
#endif
}

static unsigned int task_save_stack(const struct ktap_vm *vm, unsigned long *ips,
				    unsigned int depth, unsigned int skip)
{
	unsigned int len, below;

	if (!task_save_stack_from(vm, ips, depth + skip + MAX_BELOW_HERE, &len, &below)) {
		len = stack_trace_save(ips, depth + skip + MAX_BELOW, 0);
		below = task_frames_below(vm, ips, len);
	}
	below = min(below + skip, len);
	len = min(len - below, depth);
	memmove(ips, ips + below, len * sizeof(*ips));
	return len;
}

int ktap_fn_kstack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_event *ev = vm->event;
	struct pt_regs *regs = ev && ev->ops->regs ? ev->ops->regs(ev) : NULL;
	unsigned int depth, skip, len;
	unsigned long *ips;

	if (ktap_stack_range(vm, r, n, &depth, &skip))
		return vm->error;
	ips = ktap_arena_alloc(vm, (depth + skip + MAX_BELOW) * sizeof(*ips));
	if (!ips)
		return vm->error;

	len = regs ? task_save_stack_of(regs, ips, depth, skip) :
		     task_save_stack(vm, ips, depth, skip);
	/*
	 * A unit for each frame that was found, as the unwinder searches its tables, and for the
	 * most that the tracing code can have.
	 */
	if (ktap_vm_charge(vm, MAX_BELOW + skip + len))
		return vm->error;
	ktap_arena_trim(vm, ips, len * sizeof(*ips));
	r[0] = (struct ktap_value){
		.blob = len ? ips : (const void *)"",
		.tag = KTAP_KSTACK,
		.len = len * sizeof(*ips),
	};
	return 0;
}
