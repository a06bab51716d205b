// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions of users who may trace only their own processes: which threads are theirs.
 */
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/pid.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/task.h>
#include <linux/uidgid.h>

#include "owner.h"
#include "session.h"

/**
 * DOC: Own processes
 *
 * A user without CAP_PERFMON may trace system calls of processes that a debugger of this user
 * could attach to.  Perf permits the same: an event with TRACE_EVENT_FL_CAP_ANY that is attached
 * to a task needs ptrace_may_access() when it is opened, and ends when the task executes a
 * program that gives it more rights.
 *
 * Programs cannot be traced so, as they cannot by perf.  uprobe_register() holds a lock that
 * each fork() takes, while it reads a page of the file and locks the memory of each process that
 * maps it.  A user who serves the file by FUSE, or has another page of that memory read from
 * there, can make that last, and stop fork() for everybody.  And all users of a file share its
 * uprobes: one could refuse a semaphore to the others, or make each mapping slow.
 *
 * The process of the session is checked by ptrace_may_access() when it is named, and that asks
 * the security modules.  It is checked as for ptrace(), not as for a look at /proc, because
 * user_string() can read all of its memory.  But it may execute a setuid program later, or be
 * followed into one, and its number may be that of another process by then.  So each event
 * checks the current thread again.  ktap_owner_has() compares what ptrace_may_access() compares
 * for a tracer without capabilities:
 *
 * - the real, effective and saved ids of the user and the group are the real ids of the opener;
 * - the permitted capabilities are among those of the opener, in the same user namespace;
 * - the memory may be dumped to a file of its owner.  This is false after exec of a program
 *   with more rights or that cannot be read, after a change of ids, and after
 *   prctl(PR_SET_DUMPABLE, 0).
 *
 * So nothing has to end at exec, and a process that returns to the rights of its user is traced
 * again.  As with perf, a security module is not asked again at exec: a program that only gets
 * another domain from it, and no other ids or capabilities, is still traced.
 *
 * All events of such a session, system calls, happen in the thread itself, in task context.  The
 * function is safe in any context nevertheless: credentials and &task_struct.exec_state are
 * freed after an RCU grace period, and no lock is taken.  The credentials of the current thread
 * can only be changed by that thread.  Its objective ones are read, which override_creds()
 * leaves alone.  A kernel thread belongs to nobody.  A thread
 * that has given up its memory still has its credentials and exec_state, but no event.
 *
 * The top level of a script runs in the task that writes it, and may read that task's memory.
 * So it must belong to the opener, too: a setuid program can be made to write a script that
 * it was given as its output.  trace_begin, trace_end and ticks run in the session's thread, in
 * which there is no memory of a program.  No cgroup or limit of the user applies to that
 * thread: so a user has few such sessions, with few ticks, and the thread has the least priority.
 */

bool ktap_owner_is(const struct cred *owner, const struct cred *cred)
{
	return uid_eq(owner->uid, cred->euid) && uid_eq(owner->uid, cred->suid) &&
	       uid_eq(owner->uid, cred->uid) && gid_eq(owner->gid, cred->egid) &&
	       gid_eq(owner->gid, cred->sgid) && gid_eq(owner->gid, cred->gid) &&
	       owner->user_ns == cred->user_ns &&
	       cap_issubset(cred->cap_permitted, owner->cap_permitted);
}

bool ktap_owner_has(const struct cred *owner, struct task_struct *task)
{
	guard(rcu)();
	if (task->flags & PF_KTHREAD || !ktap_owner_is(owner, __task_cred(task)))
		return false;
	/*
	 * commit_creds() makes a task that drops its rights undumpable before it changes the
	 * credentials: pairs with the write barrier there, as that of __ptrace_may_access().
	 */
	smp_rmb();
	return task_exec_state_get_dumpable(task) == TASK_DUMPABLE_OWNER;
}

bool ktap_owner_may_trace(const struct cred *owner, struct pid *pid)
{
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);
	bool may;

	if (!task)
		return false;
	/* A process may always access itself: so the second check does not repeat the first. */
	may = ptrace_may_access(task, PTRACE_MODE_ATTACH_REALCREDS) && ktap_owner_has(owner, task);
	put_task_struct(task);
	return may;
}

int ktap_owner_check(struct ktap_session *s)
{
	const struct cred *owner = s->filter.owner;

	lockdep_assert_held(&s->lock);
	if (!owner)
		return 0;
	if (!s->filter.pid) {
		ktap_diag(&s->diag,
			  "CAP_PERFMON is needed to trace all processes: this user may trace own ones (ktap -p PID, ktap -- COMMAND)");
		return -EPERM;
	}
	if (!ktap_owner_has(owner, current)) {
		ktap_diag(&s->diag,
			  "CAP_PERFMON is needed to load a script from a process of another user, or a privileged one");
		return -EPERM;
	}
	return 0;
}
