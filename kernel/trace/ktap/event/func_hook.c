// SPDX-License-Identifier: GPL-2.0
/*
 * Hooks: an ftrace_ops of its own for the entry of one function.
 *
 * fprobe has one ftrace_ops for all entries, and looks up the function in a hash table.  If
 * a function has an ftrace_ops of its own, the machine calls that directly, and nothing
 * needs to be looked up.
 */

/**
 * DOC: life of a hook
 *
 * When an ftrace_ops in allocated memory is unregistered, ftrace waits for all tasks, since
 * a task may have been preempted in its trampoline.  It does not wait for an ftrace_ops in
 * static memory, whose trampoline is never freed.  So there is a fixed number of hooks:
 *
 * - ktap_kfn_hook_take() reserves a free hook when a point is attached;
 * - ktap_kfn_hook_attach() sets its function and point, and registers it;
 * - ktap_kfn_hook_detach() unregisters it and clears the function.  Handlers may still run:
 *   the grace period in ktap_sources_detach() waits for them;
 * - ktap_kfn_hook_put() is called after that grace period: the hook is free.
 *
 * A task that was preempted in the trampoline may call func_hook_hit() at any time later,
 * when the hook has no function, or another one.  func_hook_hit() looks at the function with
 * preemption disabled, and drops the call if it is another.
 *
 * If a function has several ftrace_ops, its call walks the list of all ftrace_ops of the
 * kernel, and each is asked whether it wants the function.  So a point gets a hook only if
 * no other point of its session waits for the function or for its return.  For the same
 * reason hooks do not change the order in which the probes of a function run.
 *
 * There is one exception: the return of the function, if no other point of the session is a
 * return.  fgraph has an ftrace_ops for returns anyway, and the list is then as long with a
 * hook as with the ftrace_ops of fprobe, but a hook needs no look-up.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>

#include "event/func_event.h"
#include "session.h"

/* All sessions share them.  Each makes the list longer that is described above. */
#define KFN_HOOKS	16

/*
 * Does this machine call the ftrace_ops of a function directly, if it has only one?  Others
 * go through the list of all as soon as there are two in the kernel.
 */
#if defined(CONFIG_X86_64) || defined(CONFIG_DYNAMIC_FTRACE_WITH_CALL_OPS)
#define KFN_HOOKS_HELP	true
#else
#define KFN_HOOKS_HELP	false
#endif

/**
 * struct ktap_kfn_hook - a hook
 * @ops: the ftrace_ops
 * @ip: the function; 0: the hook is not attached
 * @f: the point, if @ip is set
 */
struct ktap_kfn_hook {
	struct ftrace_ops ops;
	unsigned long ip;
	struct ktap_kfn_point *f;
};

/*
 * ktap_fire() protects against recursion: it counts an event as missed if the level is busy.
 * Before it sets that mark, and after it has cleared it, nothing runs that ftrace could
 * trace: only inline and noinstr functions, and functions in kernel/trace/ktap/, which ftrace
 * does not know.  If the task is preempted when preemption is enabled again, functions that
 * are traced meanwhile run with preemption disabled, and cannot be preempted here.
 *
 * So FTRACE_OPS_FL_RECURSION is not needed.  Without it, calls by a handler are counted: the
 * guards of ftrace and fprobe drop them.
 */
static void func_hook_hit(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
			  struct ftrace_regs *fregs)
{
	const struct ktap_kfn_hook *hook = container_of(ops, struct ktap_kfn_hook, ops);
	struct ktap_kfn_point *f;

	guard(preempt_notrace)();
	/*
	 * Where RCU is not watching, no grace period waits for this function.  The acquire
	 * pairs with the release in ktap_kfn_hook_attach().
	 */
	if (unlikely(!ktap_kfn_rcu_watches() || smp_load_acquire(&hook->ip) != ip))
		return;
	/* Freed only after a grace period that begins when @ip has been cleared. */
	f = READ_ONCE(hook->f);
	/* A stub of a tracepoint: is it called for this point? */
	if (f->hidden && ftrace_regs_get_argument(fregs, 0) != (unsigned long)f)
		return;
	ktap_kfn_fire(f, f->ops, (struct ktap_kfn_hit){
		.ip = ip,
		.caller = parent_ip,
		.fregs = fregs,
	});
}
NOKPROBE_SYMBOL(func_hook_hit);

static struct ktap_kfn_hook func_hooks[KFN_HOOKS] = {
	[0 ... KFN_HOOKS - 1] = {
		.ops.func = func_hook_hit,
		.ops.flags = FTRACE_OPS_FL_SAVE_ARGS,
	},
};

/* Hooks that are in use */
static DECLARE_BITMAP(func_hooks_taken, KFN_HOOKS);

/* Does another point of the session wait for the function, so that a hook would not help? */
static bool func_hook_is_shared(const struct ktap_kfn_point *f)
{
	const struct ktap_session *s = f->point.probe->session;
	const struct ktap_kfn_point *other;
	const struct ktap_point *point;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(point, &s->points, list) {
		other = ktap_kfn_of(point);
		if (!other || other == f || !ktap_kfn_find(&other->fns, f->fns.fn->ip))
			continue;
		if (!ktap_kfn_return_fits(other))
			return true;
	}
	return false;
}

/**
 * ktap_kfn_hook_take() - Reserve a hook for a point, if it is the better way
 * @f: the point
 *
 * Context: process, &ktap_session.lock held; all points of the session are known.
 * Return: the hook, for ktap_kfn_hook_put(); or NULL: use an fprobe or the like.
 */
struct ktap_kfn_hook *ktap_kfn_hook_take(const struct ktap_kfn_point *f)
{
	unsigned long i;

	if (!KFN_HOOKS_HELP || f->ret || f->fns.n != 1)
		return NULL;
	if (bitmap_full(func_hooks_taken, KFN_HOOKS) || func_hook_is_shared(f))
		return NULL;
	/* Other sessions take and free hooks meanwhile. */
	for_each_clear_bit(i, func_hooks_taken, KFN_HOOKS) {
		if (!test_and_set_bit_lock(i, func_hooks_taken))
			return &func_hooks[i];
	}
	return NULL;
}

/**
 * ktap_kfn_hook_attach() - Call a point at each entry of its function
 * @hook: from ktap_kfn_hook_take()
 * @f: the point
 * @ops: operations of its events
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno: then the hook is not attached.
 */
int ktap_kfn_hook_attach(struct ktap_kfn_hook *hook, struct ktap_kfn_point *f,
			 const struct ktap_event_ops *ops)
{
	int err;

	f->ops = ops;
	WRITE_ONCE(hook->f, f);
	/* A late call of the previous owner may see it before it is registered. */
	smp_store_release(&hook->ip, f->fns.fn->ip);
	err = ftrace_set_filter_ip(&hook->ops, f->fns.fn->ip, 0, 1) ?:
	      register_ftrace_function(&hook->ops);
	if (err)
		WRITE_ONCE(hook->ip, 0);
	return err;
}

/* Undo ktap_kfn_hook_attach().  Handlers may still run. */
void ktap_kfn_hook_detach(struct ktap_kfn_hook *hook)
{
	unregister_ftrace_function(&hook->ops);
	WRITE_ONCE(hook->ip, 0);
}

/* Free a hook, or NULL.  No handler runs any more. */
void ktap_kfn_hook_put(struct ktap_kfn_hook *hook)
{
	/* If ftrace has switched itself off, it does not unregister anything. */
	if (!hook || hook->ops.flags & FTRACE_OPS_FL_ENABLED)
		return;
	ftrace_free_filter(&hook->ops);
	clear_bit_unlock(hook - func_hooks, func_hooks_taken);
}
