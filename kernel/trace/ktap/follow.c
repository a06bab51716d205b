// SPDX-License-Identifier: GPL-2.0
/*
 * Threads and processes: the current thread, the release of its fields, the process of a
 * session, the end of that process, and its descendants.
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

#include "owner.h"
#include "session.h"
#include "vm/task_fields.h"

/*
 * PF_EXITING is set before sched_process_exit, which releases the fields of a thread, and
 * stays set.  A thread gets no new fields after that, so that none are left for the next
 * thread at this address.
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
 * A session with a process (pid) ends when the last thread of the process is a zombie:
 * by then all events of its exit were delivered.  This is when a pidfd becomes
 * readable, and the session waits as a pidfd does, by an entry in &pid.wait_pidfd.
 *
 * A session that follows ends with the last process of the tree.  sched_process_fork
 * and sched_process_exit count the processes in &ktap_session.alive.  The process that
 * drops the count to zero is the last one: no other can be born any more.  The session
 * waits for its end as above.  &ktap_session.counted has a bit for each process that is
 * counted.  The function that clears the bit decrements the count.  This is the handler of
 * sched_process_exit; or follow_it(), if the process exited before follow_it() has found
 * it among the descendants.
 */

/* Has the last thread of the process exited?  The same check as in pidfd_poll(). */
static bool follow_thread_pid_ended(struct pid *pid)
{
	struct task_struct *leader;

	guard(rcu)();
	leader = pid_task(pid, PIDTYPE_TGID);
	return !leader || (leader->exit_state && !delay_group_leader(leader));
}

/*
 * A session that is being loaded may still be refused.  Its loader calls
 * ktap_process_check() after loading.  If the loading is over already, stop it here.
 */
static void follow_thread_check_end(struct ktap_session *s)
{
	smp_mb();	/* pairs with the cmpxchg() in ktap_session_load() */
	if (READ_ONCE(s->filter.state) > KTAP_LOADING && follow_thread_pid_ended(s->last))
		ktap_session_stop(s, 0);
}

/* Called when a process ends or is reaped, with tasklist_lock held. */
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
 * ktap_set_process() - Set the process whose events a session gets
 * @s: the session
 * @nr: number of the process, in the pid namespace of the current task
 *
 * Context: process, @s->lock held.
 * Return: 0, or a negative errno; a read of the session returns the reason.
 */
int ktap_set_process(struct ktap_session *s, pid_t nr)
{
	struct pid *pid = find_get_pid(nr);
	pid_t leader = 0;

	lockdep_assert_held(&s->lock);
	if (pid && !follow_thread_pid_ended(pid)) {
		if (s->filter.owner && !ktap_owner_may_trace(s->filter.owner, pid)) {
			put_pid(pid);
			return ktap_session_refuse(s, -EPERM,
						   "CAP_PERFMON is needed to trace process %d: it belongs to another user, is privileged, or may not be attached to (ptrace)",
						   nr);
		}
		put_pid(s->filter.pid);
		s->filter.pid = pid;
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
 * ktap_set_reader() - Exclude the reader of a session from its events
 * @s: the session, which the current process reads or writes
 *
 * Handlers only compare &ktap_filter.reader with the process they run in.  That process
 * exists while they compare, so its address differs from that of a reader that was
 * freed.
 * Context: process.
 */
void ktap_set_reader(struct ktap_session *s)
{
	struct pid *pid = task_tgid(current);

	if (READ_ONCE(s->filter.reader) != pid)
		put_pid(xchg(&s->filter.reader, get_pid(pid)));
}

/**
 * ktap_clear_reader() - Deliver events of all processes until the session is read
 * @s: the session, which the current process has loaded and will not read
 *
 * Context: process.
 */
void ktap_clear_reader(struct ktap_session *s)
{
	struct kthread_worker *worker = READ_ONCE(s->filter.worker);

	/*
	 * A process that is being released has no pid any more: NULL would be equal to it.  The
	 * session's thread gets no events anyway.
	 */
	put_pid(xchg(&s->filter.reader, worker ? get_pid(task_tgid(worker->task)) : NULL));
}

/*
 * A process is followed from its birth.  follow_child() sets or clears the bit of its id
 * before the process runs: so a bit that an ended process has left does no harm.
 * Handlers read the set of ids in any context, NMI included.  It is a bitmap, because the
 * number of possible ids is small.
 */

static bool follow_is_followed(const struct ktap_session *s, pid_t tgid)
{
	return test_bit(tgid, s->filter.followed);
}

/* The count is not zero: a counted process or follow_watch_children() still holds it. */
static void follow_thread_count(struct ktap_session *s, pid_t tgid)
{
	atomic_inc(&s->alive);
	if (test_and_set_bit(tgid, s->counted))
		atomic_dec(&s->alive);
}

/* Return true for the last process. */
static bool follow_thread_uncount(struct ktap_session *s, pid_t tgid)
{
	return test_and_clear_bit(tgid, s->counted) && atomic_dec_and_test(&s->alive);
}

/*
 * The child does not run yet, and the process that had its id before has ended.
 * follow_descendants() may run at the same time, and may have set the bit of the child
 * before it is cleared here.  It sets the bit of the parent before that of the child: so
 * check the parent again after the bit is cleared.
 */
static void follow_child(void *data, struct task_struct *parent, struct task_struct *child)
{
	struct ktap_session *s = data;

	if (!thread_group_leader(child))
		return;
	if (!follow_is_followed(s, parent->tgid)) {
		clear_bit(child->tgid, s->filter.followed);
		smp_mb__after_atomic();		/* pairs with that in follow_it() */
	}
	if (follow_is_followed(s, parent->tgid)) {
		set_bit(child->tgid, s->filter.followed);
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
	kthread_queue_work(s->filter.worker, &s->last_work);
}

/* Deferred: &pid.wait_pidfd.lock may sleep (PREEMPT_RT), follow_thread_leave_tree() may not. */
void ktap_last_work(struct kthread_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, last_work);

	follow_thread_wait_for_end(s, s->last);
}

static int follow_it(struct task_struct *leader, void *data)
{
	struct ktap_session *s = data;

	set_bit(leader->tgid, s->filter.followed);
	smp_mb__after_atomic();		/* pairs with that in follow_child() */
	follow_thread_count(s, leader->tgid);
	/*
	 * The process may have exited before it was counted.  Setting the bit is a full
	 * barrier, and so is the last decrement of &signal_struct.live: at least one of
	 * the two sides sees what the other has done.
	 */
	if (!atomic_read(&leader->signal->live))
		follow_thread_uncount(s, leader->tgid);
	return 1;	/* on to its children */
}

/*
 * Find the children that are in the lists of their parents.  follow_child() gets those that
 * are born later.
 */
static void follow_descendants(struct ktap_session *s)
{
	struct task_struct *top = get_pid_task(s->filter.pid, PIDTYPE_TGID);

	if (top) {
		follow_it(top, s);
		walk_process_tree(top, follow_it, s);
		put_task_struct(top);
	}
}

static int follow_thread_alloc_tree(struct ktap_session *s)
{
	size_t longs = BITS_TO_LONGS(PID_MAX_LIMIT);

	s->filter.followed = kvcalloc(2 * longs, sizeof(long), KTAP_GFP);
	if (!s->filter.followed)
		return -ENOMEM;
	s->counted = s->filter.followed + longs;
	/* Held by follow_watch_children() until all are counted. */
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
		/* It may run, and nothing waits for it when the session is freed. */
		tracepoint_synchronize_unregister();
		return err;
	}
	s->following = true;
	follow_descendants(s);
	if (atomic_dec_and_test(&s->alive))
		follow_thread_wait_for_end(s, get_pid(s->filter.pid));
	return 0;
}

/**
 * ktap_process_check() - End a session whose process has ended while it was loaded
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
 * ktap_threads_watch() - Release the fields of threads when these end
 * @s: the session, prepared; no handler can run yet
 *
 * Return: 0, to be undone by ktap_threads_unwatch(), or a negative errno.
 */
int ktap_threads_watch(struct ktap_session *s)
{
	if (!s->env.self)
		return 0;
	/* After handlers of the script for the same event. */
	return register_trace_prio_sched_process_exit(follow_release_fields, &s->env, INT_MIN);
}

/**
 * ktap_process_watch() - End a session with its process, if it has one
 * @s: the session, after its top level, and before its events are attached
 *
 * If the session follows, children are followed from here on.
 *
 * Return: 0 or a negative errno; to be undone by ktap_threads_unwatch() in any case.
 */
int ktap_process_watch(struct ktap_session *s)
{
	if (!s->filter.pid)
		return 0;
	if (s->follow)
		return follow_watch_children(s);
	follow_thread_wait_for_end(s, get_pid(s->filter.pid));
	return 0;
}

/**
 * ktap_threads_unwatch() - Undo ktap_threads_watch() and ktap_process_watch()
 * @s: the session; no handler can run any more
 *
 * Context: process, sleeps: waits for the work that @s->filter.worker has to do.
 */
void ktap_threads_unwatch(struct ktap_session *s)
{
	if (s->env.self || s->following) {
		follow_unwatch_fields(s);
		follow_unwatch_children(s);
		tracepoint_synchronize_unregister();
	}
	/* This may add @last_wait for the last process of a tree. */
	kthread_flush_work(&s->last_work);
	if (!s->last)
		return;
	remove_wait_queue(&s->last->wait_pidfd, &s->last_wait);
	put_pid(s->last);
}
