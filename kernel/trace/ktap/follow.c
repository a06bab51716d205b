// SPDX-License-Identifier: GPL-2.0
/*
 * Threads and processes: the current one, the end of a thread's fields, the process
 * of a session and its end, and the descendants of that process.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/limits.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/threads.h>
#include <linux/tracepoint.h>
#include <linux/wait.h>
#include <trace/events/sched.h>

#include "session.h"
#include "vm/task_fields.h"

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
static void follow_release_fields(void *data, struct task_struct *task, bool group_dead)
{
	ktap_self_end(data, task);
}

static void follow_unwatch_fields(struct ktap_session *s)
{
	if (s->env.self)
		unregister_trace_sched_process_exit(follow_release_fields, &s->env);
}

/**
 * DOC: The end of a process
 *
 * A session with a process (pid) ends with it: when the last of its threads is a
 * zombie, and hence all that its exit does was delivered.  That is when a pidfd
 * becomes readable, and the session waits as a pidfd does, by an entry in
 * &pid.wait_pidfd.
 *
 * A session that follows ends with the last process of the tree.  sched_process_fork
 * and sched_process_exit count them in &ktap_session.alive; whoever takes the count to
 * zero is the last one, and its end is waited for as above.  Nobody can be born then.
 * &ktap_session.counted has a bit for each that is counted.  Whoever clears it takes
 * one off the count: sched_process_exit, or, if that was before the process was found
 * among the descendants, who has found it.
 */

/* Does no thread of the process run any more?  As pidfd_poll() has it. */
static bool follow_thread_pid_ended(struct pid *pid)
{
	struct task_struct *leader;

	guard(rcu)();
	leader = pid_task(pid, PIDTYPE_TGID);
	return !leader || (leader->exit_state && !delay_group_leader(leader));
}

/*
 * A session that is being loaded may be refused yet.  Whoever loads it calls
 * ktap_process_check() when that is over, or else it is seen here to be over.
 */
static void follow_thread_check_end(struct ktap_session *s)
{
	smp_mb();	/* pairs with the cmpxchg() in ktap_session_load() */
	if (READ_ONCE(s->state) > KTAP_LOADING && follow_thread_pid_ended(s->last))
		ktap_session_stop(s, 0);
}

/* Context: any in which a process ends or is reaped, tasklist_lock held. */
static int follow_thread_end_session(struct wait_queue_entry *wait, unsigned int mode, int sync,
				     void *key)
{
	follow_thread_check_end(container_of(wait, struct ktap_session, last_wait));
	return 0;
}

/* Takes over the reference to @pid. */
static void follow_thread_wait_for_end(struct ktap_session *s, struct pid *pid)
{
	WRITE_ONCE(s->last, pid);
	init_waitqueue_func_entry(&s->last_wait, follow_thread_end_session);
	add_wait_queue(&pid->wait_pidfd, &s->last_wait);
	follow_thread_check_end(s);
}

/**
 * ktap_set_process() - Gives a session the process of which it wants events
 * @s: the session
 * @nr: number of the process, in the pid namespace of the current task
 *
 * Context: process, @s->lock held.
 * Return: 0, or a negative errno with the reason left to be read.
 */
int ktap_set_process(struct ktap_session *s, pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	pid_t leader = 0;

	if (pid && !follow_thread_pid_ended(pid)) {
		put_pid(s->pid);
		s->pid = pid;
		return 0;
	}
	scoped_guard(rcu) {
		struct task_struct *thread = pid_task(pid, PIDTYPE_PID);

		if (thread && !thread_group_leader(thread))
			leader = task_tgid_vnr(thread);
	}
	put_pid(pid);
	if (leader)
		return ktap_session_refuse(s, -ESRCH, "%d is a thread of process %d", nr, leader);
	return ktap_session_refuse(s, -ESRCH, "there is no process %d", nr);
}

/**
 * ktap_set_reader() - Whoever reads a session is not traced by it
 * @s: the session, which the current process reads or writes
 *
 * Handlers only compare &ktap_session.reader with the process they run in: that one
 * existed before they looked, and so had another address than a reader that was
 * freed since.
 * Context: process.
 */
void ktap_set_reader(struct ktap_session *s)
{
	struct pid *pid = task_tgid(current);

	if (READ_ONCE(s->reader) != pid)
		put_pid(xchg(&s->reader, get_pid(pid)));
}

/*
 * A process is followed from its birth on.  One that is born with an id that another
 * had before is told apart then, before it runs: a bit that nobody has any more does no
 * harm.  A set of ids that may be read in any context, NMI included, is a bitmap: there
 * are so few.
 */

static bool follow_is_followed(const struct ktap_session *s, pid_t tgid)
{
	return test_bit(tgid, s->followed);
}

/* One that lives holds the count, or follow_watch_children() does: it is not zero in between. */
static void follow_thread_count(struct ktap_session *s, pid_t tgid)
{
	atomic_inc(&s->alive);
	if (test_and_set_bit(tgid, s->counted))
		atomic_dec(&s->alive);
}

/* True for the last one. */
static bool follow_thread_uncount(struct ktap_session *s, pid_t tgid)
{
	return test_and_clear_bit(tgid, s->counted) && atomic_dec_and_test(&s->alive);
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
	if (!follow_is_followed(s, parent->tgid)) {
		clear_bit(child->tgid, s->followed);
		smp_mb__after_atomic();		/* pairs with that in follow_it() */
	}
	if (follow_is_followed(s, parent->tgid)) {
		set_bit(child->tgid, s->followed);
		follow_thread_count(s, child->tgid);
	}
}

/* After handlers of the script for the same event, as follow_release_fields(). */
static void follow_thread_leave_tree(void *data, struct task_struct *task, bool group_dead)
{
	struct ktap_session *s = data;

	if (!group_dead || !follow_thread_uncount(s, task->tgid))
		return;
	WRITE_ONCE(s->last, get_pid(task_tgid(task)));
	kthread_queue_work(s->worker, &s->last_work);
}

/* Must not run in follow_thread_leave_tree(): &pid.wait_pidfd.lock may sleep, and it may not. */
void ktap_last_work(struct kthread_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, last_work);

	follow_thread_wait_for_end(s, s->last);
}

static int follow_it(struct task_struct *leader, void *data)
{
	struct ktap_session *s = data;

	set_bit(leader->tgid, s->followed);
	smp_mb__after_atomic();		/* pairs with that in follow_child() */
	follow_thread_count(s, leader->tgid);
	/*
	 * Its exit may have come before it was counted.  The bit was set with a full
	 * barrier, and &signal_struct.live becomes zero with one: either of both sees
	 * what the other did.
	 */
	if (!atomic_read(&leader->signal->live))
		follow_thread_uncount(s, leader->tgid);
	return 1;	/* on to its children */
}

/*
 * Children that are in the lists of their parents are found; of who comes later,
 * follow_child() is told.
 */
static void follow_descendants(struct ktap_session *s)
{
	struct task_struct *top = get_pid_task(s->pid, PIDTYPE_TGID);

	if (top) {
		follow_it(top, s);
		walk_process_tree(top, follow_it, s);
		put_task_struct(top);
	}
}

static int follow_thread_alloc_tree(struct ktap_session *s)
{
	size_t longs = BITS_TO_LONGS(PID_MAX_LIMIT);

	s->followed = kvcalloc(2 * longs, sizeof(long), KTAP_GFP);
	if (!s->followed)
		return -ENOMEM;
	s->counted = s->followed + longs;
	/* Ours, until all are counted. */
	atomic_set(&s->alive, 1);
	return 0;
}

static int follow_watch_children(struct ktap_session *s)
{
	int err = follow_thread_alloc_tree(s);

	if (err)
		return err;
	err = register_trace_sched_process_fork(follow_child, s);
	if (err)
		return err;
	err = register_trace_prio_sched_process_exit(follow_thread_leave_tree, s, INT_MIN);
	if (err) {
		unregister_trace_sched_process_fork(follow_child, s);
		return err;
	}
	s->following = true;
	follow_descendants(s);
	if (atomic_dec_and_test(&s->alive))
		follow_thread_wait_for_end(s, get_pid(s->pid));
	return 0;
}

/**
 * ktap_process_check() - Ends a session whose process has ended while it was loaded
 * @s: the session, no longer loading
 */
void ktap_process_check(struct ktap_session *s)
{
	struct pid *last = READ_ONCE(s->last);

	if (last && follow_thread_pid_ended(last))
		ktap_session_stop(s, 0);
}

static void follow_unwatch_children(struct ktap_session *s)
{
	if (!s->following)
		return;
	unregister_trace_sched_process_fork(follow_child, s);
	unregister_trace_sched_process_exit(follow_thread_leave_tree, s);
}

/**
 * ktap_threads_watch() - Sees to it that the fields of threads end with them
 * @s: the session, prepared; no handler can run yet
 *
 * Return: 0, to be undone by ktap_threads_unwatch(), or a negative errno.
 */
int ktap_threads_watch(struct ktap_session *s)
{
	if (!s->env.self)
		return 0;
	/* Behind handlers of the script for the same event. */
	return register_trace_prio_sched_process_exit(follow_release_fields, &s->env, INT_MIN);
}

/**
 * ktap_process_watch() - Lets a session end with its process, if it has one
 * @s: the session, after its top level, and before its events are attached
 *
 * Children are followed from here on, if somebody wants that.
 *
 * Return: 0 or a negative errno; to be undone by ktap_threads_unwatch() in any case.
 */
int ktap_process_watch(struct ktap_session *s)
{
	if (!s->pid)
		return 0;
	if (s->follow)
		return follow_watch_children(s);
	follow_thread_wait_for_end(s, get_pid(s->pid));
	return 0;
}

/**
 * ktap_threads_unwatch() - Undoes ktap_threads_watch()
 * @s: the session; no handler can run any more
 *
 * And ktap_process_watch().
 * Context: process, sleeps: waits for the work that @s->worker has to do.
 */
void ktap_threads_unwatch(struct ktap_session *s)
{
	if (s->env.self || s->following) {
		follow_unwatch_fields(s);
		follow_unwatch_children(s);
		tracepoint_synchronize_unregister();
	}
	/* Who was the last of a tree is waited for by then. */
	kthread_flush_work(&s->last_work);
	if (!s->last)
		return;
	remove_wait_queue(&s->last->wait_pidfd, &s->last_wait);
	put_pid(s->last);
}
