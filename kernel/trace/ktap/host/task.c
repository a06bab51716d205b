// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in values: the thread, the process and the machine.
 */
#include <linux/cgroup.h>
#include <linux/cred.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/smp.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/topology.h>
#include <linux/uidgid.h>
#include <linux/user_namespace.h>

#include "btf.h"
#include "builtin.h"
#include "session.h"
#include "source.h"

#define DEFAULT_DEPTH	16
#define MAX_DEPTH	127

/* Frames of the tracing code below an event. */
#define MAX_BELOW	32

static_assert((MAX_DEPTH + MAX_BELOW) * sizeof(long) <= KTAP_MAX_STRLEN);

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

int ktap_fn_execname(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return ktap_make_string(vm, current->comm, strnlen(current->comm, TASK_COMM_LEN), r);
}

int ktap_fn_nsecs(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(ktime_get_mono_fast_ns());
	return 0;
}

int ktap_fn_cgroup(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_NIL;
#ifdef CONFIG_CGROUPS
	guard(preempt_notrace)();
	r[0] = KTAP_VALUE_INT(cgroup_id(task_dfl_cgroup(current)));
#endif
	return 0;
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

/* Depth asked for; 0 with the error set if it is none. */
static unsigned int depth_arg(struct ktap_vm *vm, const struct ktap_value *r, unsigned int n)
{
	s64 depth = n ? r[0].i : DEFAULT_DEPTH;

	if (depth < 1 || depth > MAX_DEPTH) {
		ktap_vm_error(vm, -EINVAL, "the depth of a stack is 1 to %d", MAX_DEPTH);
		return 0;
	}
	/* A unit for each four frames. */
	if (ktap_vm_charge(vm, (depth + MAX_BELOW) / 4))
		return 0;
	return depth;
}

/*
 * Frames of the tracing code: up to the function by which the event entered
 * it, or up to, and not with, the one where the event says its stack begins.
 */
static unsigned int frames_below(const struct ktap_vm *vm, const unsigned long *ips,
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
	return 0;
}

/* The stack of what an event interrupted: none if that was a user's program. */
static unsigned int save_stack_of(struct pt_regs *regs, unsigned long *ips, unsigned int depth)
{
	return user_mode(regs) ? 0 : stack_trace_save_regs(regs, ips, depth, 0);
}

static unsigned int save_stack(const struct ktap_vm *vm, unsigned long *ips, unsigned int depth)
{
	unsigned int len, below;

	len = stack_trace_save(ips, depth + MAX_BELOW, 0);
	below = frames_below(vm, ips, len);
	len = min(len - below, depth);
	memmove(ips, ips + below, len * sizeof(*ips));
	return len;
}

int ktap_fn_kstack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_event *ev = vm->event;
	struct pt_regs *regs = ev && ev->ops->regs ? ev->ops->regs(ev) : NULL;
	unsigned int depth = depth_arg(vm, r, n);
	unsigned long *ips;
	unsigned int len;

	if (!depth)
		return vm->error;
	ips = ktap_arena_alloc(vm, (depth + MAX_BELOW) * sizeof(*ips));
	if (!ips)
		return vm->error;

	len = regs ? save_stack_of(regs, ips, depth) : save_stack(vm, ips, depth);
	ktap_arena_trim(vm, ips, len * sizeof(*ips));
	r[0] = (struct ktap_value){
		.blob = len ? ips : (const void *)"",
		.tag = KTAP_KSTACK,
		.len = len * sizeof(*ips),
	};
	return 0;
}
