// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that see only their user's own processes: which processes these are, and the
 * memory of the session.
 */
#include <linux/atomic.h>
#include <linux/capability.h>
#include <linux/cleanup.h>
#include <linux/cred.h>
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/resource.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/signal.h>
#include <linux/sched/user.h>
#include <linux/security.h>
#include <linux/string.h>

#include "own.h"
#include "session.h"

/**
 * DOC: Own processes
 *
 * If the administrator has chosen "own" in ktap/policy, users who may not profile the machine
 * can open a session.  Such a session
 *
 * - has an owner, the credentials of the opener (&ktap_filter.owner).  An event is delivered
 *   only in a task that the owner could trace by ptrace(2).  So its script learns nothing that
 *   its user could not learn otherwise;
 * - gets the events that perf gives to such users, which are the system calls; and places in
 *   programs, whose breakpoints are only in memory of the owner's processes, so that a
 *   wrong place breaks nobody else's (event/source.c, user/uprobe_attach.c);
 * - has no address and no memory of the kernel (load/own_rules.c);
 * - is interpreted, so that its user does not choose native code, unless the kernel has no
 *   interpreter; and its thread has the lowest priority, since it runs outside of the
 *   user's cgroup;
 * - has little memory, which counts against RLIMIT_MEMLOCK of the user, as perf's does.
 *
 * ptrace_may_access() takes a lock and may ask security modules that log.  A handler can do
 * neither.  So the credentials and "dumpable", which says that the process has executed nothing
 * that it may not read and has dropped no privileges, are compared at each event; security
 * modules are asked once, when the session is opened, and must have given the task the same
 * label as the owner.  In this way programs that are setuid, setgid or have capabilities are
 * left out, from the moment at which exec has given them these.
 *
 * The top level runs in the task that writes the chunk.  So this task must be one of the owner's,
 * too: otherwise a program with more privileges, whose output the session is, would give its
 * memory away.
 */

/* Memory of a session without a line "memory": two sessions fit in the default RLIMIT_MEMLOCK. */
#define OWN_MEMORY	SZ_2M

/* Security modules may give two tasks of the same user different labels. */
static bool own_has_label(const struct cred *owner, const struct cred *cred)
{
	struct lsm_prop ours = {}, theirs = {};

	security_cred_getlsmprop(owner, &ours);
	security_cred_getlsmprop(cred, &theirs);
	return !memcmp(&ours, &theirs, sizeof(ours));
}

/**
 * ktap_own_cred() - Would the credentials let their owner trace a task?
 * @owner: credentials of the owner of a session
 * @cred: those of the task
 *
 * The comparisons of ptrace_may_access() with PTRACE_MODE_FSCREDS, for an owner who lacks
 * CAP_SYS_PTRACE, and of cap_ptrace_access_check().
 * Context: any.
 */
bool ktap_own_cred(const struct cred *owner, const struct cred *cred)
{
	return uid_eq(owner->fsuid, cred->uid) && uid_eq(owner->fsuid, cred->euid) &&
	       uid_eq(owner->fsuid, cred->suid) && gid_eq(owner->fsgid, cred->gid) &&
	       gid_eq(owner->fsgid, cred->egid) && gid_eq(owner->fsgid, cred->sgid) &&
	       owner->user_ns == cred->user_ns &&
	       cap_issubset(cred->cap_permitted, owner->cap_effective) &&
	       own_has_label(owner, cred);
}

/**
 * ktap_own_task() - Is a task one of the owner's?
 * @owner: credentials of the owner of a session
 * @p: the task
 *
 * Its objective credentials count, as for ptrace: not those that the kernel acts with for it.
 * Context: any in which RCU is watching.
 */
bool ktap_own_task(const struct cred *owner, struct task_struct *p)
{
	guard(rcu)();
	if (p->flags & PF_KTHREAD || !ktap_own_cred(owner, __task_cred(p)))
		return false;
	/* As in __ptrace_may_access(): pairs with the write barrier in commit_creds(). */
	smp_rmb();
	return task_exec_state_get_dumpable(p) == TASK_DUMPABLE_OWNER;
}

/*
 * Do security modules let a task like the current one be traced by its like?  ATTACH, because
 * scripts read memory: Yama refuses it if kernel.yama.ptrace_scope is 2 or 3.
 */
bool ktap_own_allowed(void)
{
	return !security_ptrace_access_check(current, PTRACE_MODE_ATTACH_FSCREDS |
						      PTRACE_MODE_NOAUDIT);
}

/* Half of it is for probes. */
static int own_charge(struct ktap_session *s)
{
	struct user_struct *user = s->filter.owner->user;
	unsigned long limit = rlimit(RLIMIT_MEMLOCK) >> PAGE_SHIFT, pages;

	if (s->memory == SIZE_MAX)
		s->memory = OWN_MEMORY;
	s->memory = min(s->memory, READ_ONCE(ktap_max_memory));
	pages = 2 * DIV_ROUND_UP(s->memory, PAGE_SIZE);
	if ((unsigned long)atomic_long_add_return(pages, &user->locked_vm) > limit) {
		atomic_long_sub(pages, &user->locked_vm);
		ktap_diag(&s->diag,
			  "no memory for a session of %zu bytes: twice of it must be left of RLIMIT_MEMLOCK of its user (ulimit -l, ktap -m)",
			  s->memory);
		return -ENOMEM;
	}
	s->own_pages = pages;
	return 0;
}

/**
 * ktap_own_begin() - Restrict a session to processes of its opener
 * @s: the session; its script is about to be loaded
 *
 * Context: process, with the credentials of the opener, &ktap_session.lock held.
 * Return: 0, or a negative errno with the reason in &ktap_session.diag.
 */
int ktap_own_begin(struct ktap_session *s)
{
	lockdep_assert_held(&s->lock);
	s->may_profile = false;
	s->perfmon = false;
	s->programs = false;
	s->addresses = false;
	s->net_admin = false;
	s->filter.owner = get_current_cred();
	s->filter.narrow = true;
	if (!s->may_own) {
		ktap_diag(&s->diag,
			  "CAP_PERFMON is needed: a security module does not let the processes of this user trace each other (kernel.yama.ptrace_scope)");
		return -EPERM;
	}
	if (!ktap_own_task(s->filter.owner, current)) {
		ktap_diag(&s->diag,
			  "CAP_PERFMON is needed to load a script by a process that the opener of the session could not trace");
		return -EPERM;
	}
	return own_charge(s);
}

/* Nothing of the session runs any more. */
void ktap_own_end(struct ktap_session *s)
{
	if (!s->filter.owner)
		return;
	atomic_long_sub(s->own_pages, &s->filter.owner->user->locked_vm);
	put_cred(s->filter.owner);
}
