/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which events a session takes.  Each event reads this to decide whether it is
 * delivered.
 */
#ifndef _KTAP_FILTER_H
#define _KTAP_FILTER_H

#include <linux/bitops.h>
#include <linux/cgroup.h>
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/types.h>

#include "owner.h"

struct cred;
struct kthread_worker;
struct pid;

/**
 * enum ktap_state - state of a session
 * @KTAP_OPEN: lines and the chunk arrive
 * @KTAP_LOADING: the writer of the chunk loads it and runs its top level
 * @KTAP_BEGINNING: all events are attached, trace_begin runs in the session's thread
 * @KTAP_RUNNING: events are delivered
 * @KTAP_STOPPING: events are no longer delivered, trace_end is due or runs
 * @KTAP_ENDED: nothing of the session runs any more
 * @KTAP_FAILED: like ENDED, but the chunk was never run
 */
enum ktap_state {
	KTAP_OPEN,
	KTAP_LOADING,
	KTAP_BEGINNING,
	KTAP_RUNNING,
	KTAP_STOPPING,
	KTAP_ENDED,
	KTAP_FAILED,
};

/**
 * struct ktap_filter - the events that a session takes
 * @state: enum ktap_state, changed by cmpxchg() (see session.c)
 * @narrow: @self, @pid, @cgroup, @comm or @cpus is set; known before the state is BEGINNING
 * @thorough: @comm or @owner is set; likewise
 * @self: deliver events of the reader as well
 * @pid: deliver only events of this process, and end with it; NULL: of all processes
 * @followed: bitmap by process id: @pid and its descendants; NULL without
 *	&ktap_session.follow
 * @cpus: deliver only events of these CPUs; NULL: of all CPUs
 * @reader: process that read last, or wrote
 * @worker: the session's thread; NULL: the session is not prepared
 * @thread: the task of @worker, for comparison only: it may have ended
 * @cgroup: deliver only events of threads in this cgroup (v2) or below it; NULL: of all
 * @comm: deliver only events of threads of this name; "": of all
 * @owner: deliver only events of threads that belong to this user (owner.c), and of @pid;
 *	NULL: of all
 */
struct ktap_filter {
	int state;
	bool narrow;
	bool thorough;
	bool self;
	struct pid *pid;
	unsigned long *followed;
	struct cpumask *cpus;
	struct pid *reader;
	struct kthread_worker *worker;
	struct task_struct *thread;
	struct cgroup *cgroup;
	char comm[TASK_COMM_LEN];
	const struct cred *owner;
};

/* Are some tasks or CPUs excluded? */
static inline bool ktap_filter_excludes(const struct ktap_filter *filter)
{
	return filter->pid || filter->cgroup || *filter->comm || filter->cpus;
}

/* Are events of @cpu delivered? */
static inline bool ktap_wants_cpu(const struct ktap_filter *filter, unsigned int cpu)
{
	return likely(!filter->cpus) || cpumask_test_cpu(cpu, filter->cpus);
}

static inline bool filter_wants_process(const struct ktap_filter *filter, struct task_struct *task)
{
	if (!filter->pid || task_tgid(task) == filter->pid)
		return true;
	return filter->followed && test_bit(task->tgid, filter->followed);
}

/* Not strncmp(), which may be traced. */
static inline bool filter_wants_comm(const struct ktap_filter *filter,
				     const struct task_struct *task)
{
	unsigned int i;

	for (i = 0; i < TASK_COMM_LEN; i++) {
		if (filter->comm[i] != task->comm[i])
			return false;
		if (!filter->comm[i])
			break;
	}
	return true;
}

/* Do the filters that few sessions have accept @task? */
static inline bool filter_wants_thread(const struct ktap_filter *filter, struct task_struct *task)
{
	if (filter->owner && !ktap_owner_has(filter->owner, task))
		return false;
	return !*filter->comm || filter_wants_comm(filter, task);
}

/*
 * Are events of @task delivered?  @task is current, or referenced, and preemption is disabled or
 * the caller is in an RCU section, as the task may move to another cgroup.
 */
static inline bool ktap_wants_task(const struct ktap_filter *filter, struct task_struct *task)
{
	if (!filter_wants_process(filter, task))
		return false;
	if (filter->cgroup && !task_under_cgroup_hierarchy(task, filter->cgroup))
		return false;
	return !filter->thorough || filter_wants_thread(filter, task);
}

#endif /* _KTAP_FILTER_H */
