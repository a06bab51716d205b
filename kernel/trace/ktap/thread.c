// SPDX-License-Identifier: GPL-2.0
/*
 * Threads and processes: the current one, the end of a thread's fields, and the
 * descendants of a process.
 */
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/limits.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/threads.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "self.h"
#include "session.h"

/*
 * PF_EXITING is set before sched_process_exit, at which the fields of a thread
 * are released, and stays: what it did not have by then it does not get any
 * more, so that nothing is left for the next thread at this address.
 */
struct ktap_thread ktap_current_thread(void)
{
	return (struct ktap_thread){
		.id = current,
		.ends = current->flags & PF_EXITING,
	};
}

/* The thread that exits is the current one. */
static void release_fields(void *data, struct task_struct *task, bool group_dead)
{
	ktap_self_end(data, task);
}

/* Behind handlers of the script for the same event. */
static int watch_fields(struct ktap_session *s)
{
	if (!s->env.self)
		return 0;
	return register_trace_prio_sched_process_exit(release_fields, &s->env, INT_MIN);
}

static void unwatch_fields(struct ktap_session *s)
{
	if (s->env.self)
		unregister_trace_sched_process_exit(release_fields, &s->env);
}

/*
 * A process is followed from its birth on.  One that is born with an id that another
 * had before is told apart then, before it runs: a bit that nobody has any more does no
 * harm.  A set of ids that may be read in any context, NMI included, is a bitmap: there
 * are so few.
 */

static bool is_followed(const struct ktap_session *s, pid_t tgid)
{
	return test_bit(tgid, s->followed);
}

/*
 * The child does not run yet, and what its id was before is over.  While the
 * descendants of before are looked for, the parent may be about to be found, and the
 * child was found already: the parent is found first, and so is asked last.
 */
static void follow_child(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct ktap_session *s = data;

	if (!thread_group_leader(child))
		return;
	if (!is_followed(s, parent->tgid)) {
		clear_bit(child->tgid, s->followed);
		smp_mb__after_atomic();		/* pairs with that in follow() */
	}
	if (is_followed(s, parent->tgid))
		set_bit(child->tgid, s->followed);
}

static int follow(struct task_struct *leader, void *data)
{
	struct ktap_session *s = data;

	set_bit(leader->tgid, s->followed);
	smp_mb__after_atomic();		/* pairs with that in follow_child() */
	return 1;	/* on to its children */
}

/*
 * Children that are in the lists of their parents are found; of who comes later,
 * follow_child() is told.
 */
static void follow_descendants(struct ktap_session *s)
{
	struct task_struct *top = NULL;

	scoped_guard(rcu) {
		top = find_task_by_pid_ns(s->pid, &init_pid_ns);
		if (top)
			get_task_struct(top);
	}
	if (top) {
		set_bit(s->pid, s->followed);
		smp_mb__after_atomic();		/* as in follow() */
		walk_process_tree(top, follow, s);
		put_task_struct(top);
	}
}

static int watch_children(struct ktap_session *s)
{
	int err;

	if (!s->pid || !s->follow)
		return 0;
	s->followed = kvcalloc(BITS_TO_LONGS(PID_MAX_LIMIT), sizeof(long), GFP_KERNEL_ACCOUNT);
	if (!s->followed)
		return -ENOMEM;
	err = register_trace_sched_process_fork(follow_child, s);
	if (err)
		return err;
	s->following = true;
	follow_descendants(s);
	return 0;
}

static void unwatch_children(struct ktap_session *s)
{
	if (!s->following)
		return;
	unregister_trace_sched_process_fork(follow_child, s);
}

/**
 * ktap_threads_watch() - Sees to it that the fields of threads end with them, and
 *	that children are followed, if somebody wants that
 * @s: the session, prepared; no handler can run yet
 *
 * Return: 0, to be undone by ktap_threads_unwatch(), or a negative errno.
 */
int ktap_threads_watch(struct ktap_session *s)
{
	int err;

	err = watch_fields(s);
	if (err)
		return err;
	err = watch_children(s);
	if (err) {
		unwatch_fields(s);
		tracepoint_synchronize_unregister();
	}
	return err;
}

/* No handler can run any more. */
void ktap_threads_unwatch(struct ktap_session *s)
{
	if (!s->env.self && !s->following)
		return;
	unwatch_fields(s);
	unwatch_children(s);
	tracepoint_synchronize_unregister();
}
