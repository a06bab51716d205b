// SPDX-License-Identifier: GPL-2.0
/*
 * Return hooks: a fgraph_ops of its own for the return of one function.
 *
 * fprobe has one fgraph_ops for all returns.  At each entry it looks up the function in a
 * hash table, and keeps the address of the fprobe on the shadow stack of the task; at the
 * return it reads that address, and looks up whether it still is an fprobe.  If a function
 * has a fgraph_ops of its own, fgraph knows all of that.  Only a point that needs arguments
 * of the entry keeps them on the shadow stack.
 */

/**
 * DOC: life of a return hook
 *
 * As with hooks of entries (func_hook.c), there is a fixed number in static memory:
 *
 * - ktap_kfn_return_take() reserves a free one when a point is attached;
 * - ktap_kfn_return_attach() sets its function and point, and registers it.  If that fails,
 *   for example since all slots of fgraph are in use, the point uses an fprobe, for which
 *   fgraph may have a slot already;
 * - ktap_kfn_return_detach() unregisters it.  Handlers may still run, with preemption
 *   disabled: the grace period in ktap_sources_detach() waits for them;
 * - ktap_kfn_return_put() is called after that grace period: it is free.
 *
 * A task may sleep in the function for hours after that.  Its shadow stack has no pointer
 * to the hook, only the number of the hook's slot.  When it returns, fgraph calls the
 * fgraph_ops that has the slot by then, or none.  So a hook may be called for a function
 * that was entered before it was registered.  It drops the call if the function is not its
 * own, or if the point needs arguments of the entry and none have been kept with its number,
 * which no other point has or had.  Free slots are given to users in turn, so where no
 * arguments are needed, a call of its own function that is older than the session is seen
 * only if the slot has gone round meanwhile, and had a user who followed the same function.
 *
 * While fgraph has one user, it calls that without asking its filter.  As the user changes,
 * a hook may be called with the fgraph_ops of another user, and for another function.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/overflow.h>
#include <linux/percpu.h>

#include "event/func_event.h"
#include "session.h"

/*
 * All sessions share them.  If fgraph has several users, it asks the filter of each at each
 * entry of all their functions, which costs about 75 instructions for each user: two
 * cost less than fprobe, five cost more.  fgraph has 16 slots for the whole system.
 */
#define KFN_RETURN_HOOKS	2

/**
 * struct ktap_kfn_return - a return hook
 * @gops: the fgraph_ops
 * @ip: the function; 0: the hook is not attached
 * @f: the point, if @ip is set
 * @id: a number that no other point has or had
 */
struct ktap_kfn_return {
	struct fgraph_ops gops;
	unsigned long ip;
	struct ktap_kfn_point *f;
	unsigned long id;
};

/**
 * struct return_kept - data that a task keeps from the entry of a function to its return
 * @id: &ktap_kfn_return.id
 * @args: &ktap_kfn_point.nargs arguments
 */
struct return_kept {
	unsigned long id;
	unsigned long args[];
};

/* The limit of fgraph_reserve_data() is not in a header; fprobe has the same. */
static_assert(sizeof(struct return_kept) + KTAP_KFN_ARGS * sizeof(long) <= MAX_FPROBE_DATA_SIZE);

/*
 * &fgraph_ops.private stays NULL: it is what another user's function would take for its own, if
 * that is called with a hook.
 */
static struct ktap_kfn_return return_hooks[KFN_RETURN_HOOKS];

/* Return hooks that are in use */
static DECLARE_BITMAP(return_hooks_taken, KFN_RETURN_HOOKS);

/* Is @ip the function of the hook that has @gops?  False for a fgraph_ops of another user. */
static __always_inline bool return_hook_is_of(const struct fgraph_ops *gops, unsigned long ip)
{
	return likely((unsigned long)gops - (unsigned long)return_hooks < sizeof(return_hooks)) &&
	       likely(READ_ONCE(container_of(gops, struct ktap_kfn_return, gops)->ip) == ip);
}

static __always_inline size_t return_hook_kept_size(const struct ktap_kfn_point *f)
{
	return struct_size_t(struct return_kept, args, f->nargs);
}

/* Should fgraph wait for the return? */
static int return_hook_enter(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			     struct ftrace_regs *fregs)
{
	return return_hook_is_of(gops, trace->func);
}
NOKPROBE_SYMBOL(return_hook_enter);

/* Like return_hook_enter(), for a point that needs arguments of the entry. */
static int return_hook_keep(struct ftrace_graph_ent *trace, struct fgraph_ops *gops,
			    struct ftrace_regs *fregs)
{
	struct ktap_kfn_return *hook = container_of(gops, struct ktap_kfn_return, gops);
	const struct ktap_kfn_point *f;
	struct return_kept *kept;
	unsigned int i;

	/* Where RCU is not watching, no grace period waits for this function. */
	if (unlikely(!ktap_kfn_rcu_watches()) || !return_hook_is_of(gops, trace->func))
		return 0;
	/* @ip was set after @f, and cleared before the grace period after which @f is freed. */
	f = READ_ONCE(hook->f);
	kept = fgraph_reserve_data(gops->idx, return_hook_kept_size(f));
	if (unlikely(!kept)) {
		if (ktap_delivers(f->point.probe->session))
			ktap_tally_inc(&f->point.probe->stats->missed);
		return 0;
	}
	kept->id = hook->id;
	for (i = 0; i < f->nargs; i++)
		kept->args[i] = ftrace_regs_get_argument(fregs, i);
	return 1;
}
NOKPROBE_SYMBOL(return_hook_keep);

static __always_inline void return_hook_fire(struct ktap_kfn_point *f, unsigned long ip,
					     const unsigned long *args, struct ftrace_regs *fregs)
{
	ktap_kfn_fire(f, &ktap_kfn_ops, (struct ktap_kfn_hit){
		.ip = ip,
		.caller = ftrace_regs_get_instruction_pointer(fregs),
		.args = args,
		.fregs = fregs,
	});
}

/* fgraph has disabled preemption, and keeps its users from being called by handlers. */
static void return_hook_hit(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
			    struct ftrace_regs *fregs)
{
	struct ktap_kfn_return *hook = container_of(gops, struct ktap_kfn_return, gops);

	if (likely(ktap_kfn_rcu_watches()) && return_hook_is_of(gops, trace->func))
		return_hook_fire(READ_ONCE(hook->f), trace->func, NULL, fregs);
}
NOKPROBE_SYMBOL(return_hook_hit);

/* Like return_hook_hit(), after return_hook_keep(). */
static void return_hook_hit_kept(struct ftrace_graph_ret *trace, struct fgraph_ops *gops,
				 struct ftrace_regs *fregs)
{
	struct ktap_kfn_return *hook = container_of(gops, struct ktap_kfn_return, gops);
	const struct return_kept *kept;
	struct ktap_kfn_point *f;
	int size;

	if (unlikely(!ktap_kfn_rcu_watches()) || !return_hook_is_of(gops, trace->func))
		return;
	f = READ_ONCE(hook->f);
	kept = fgraph_retrieve_data(gops->idx, &size);
	/* Was the data kept by this point? */
	if (likely(kept && size == return_hook_kept_size(f) && kept->id == hook->id))
		return_hook_fire(f, trace->func, kept->args, fregs);
}
NOKPROBE_SYMBOL(return_hook_hit_kept);

/**
 * ktap_kfn_return_fits() - May a return hook be the better way?
 * @f: a point
 *
 * One fprobe is faster than many return hooks, and one fgraph_ops faster than both kinds,
 * so the return must be the only one of its session.
 * Context: process, &ktap_session.lock held; all points of the session are known.
 */
bool ktap_kfn_return_fits(const struct ktap_kfn_point *f)
{
	const struct ktap_session *s = f->point.probe->session;
	const struct ktap_point *point;

	lockdep_assert_held(&s->lock);
	if (!f->ret || f->fns.n != 1)
		return false;
	list_for_each_entry(point, &s->points, list) {
		if (point != &f->point && ktap_kfn_of(point) && ktap_kfn_of(point)->ret)
			return false;
	}
	return true;
}

/**
 * ktap_kfn_return_take() - Reserve a return hook for a point, if it is the better way
 * @f: the point
 *
 * Context: process, &ktap_session.lock held; all points of the session are known.
 * Return: the hook, for ktap_kfn_return_put(); or NULL: use an fprobe.
 */
struct ktap_kfn_return *ktap_kfn_return_take(const struct ktap_kfn_point *f)
{
	unsigned long i;

	if (!ktap_kfn_return_fits(f))
		return NULL;
	/* Other sessions take and free hooks meanwhile. */
	for_each_clear_bit(i, return_hooks_taken, KFN_RETURN_HOOKS) {
		if (!test_and_set_bit_lock(i, return_hooks_taken))
			return &return_hooks[i];
	}
	return NULL;
}

static int return_hook_register(struct fgraph_ops *gops)
{
	int err = register_ftrace_graph(gops);

	if (err || gops->idx)
		return err;
	/* Slot 0 is called at the returns of all other users, too: get another one. */
	unregister_ftrace_graph(gops);
	/* Without memory it stays registered with ftrace. */
	if (gops->ops.flags & FTRACE_OPS_FL_ENABLED)
		return -ENOMEM;
	err = register_ftrace_graph(gops);
	if (err || gops->idx)
		return err;
	unregister_ftrace_graph(gops);
	return -ENOSPC;
}

/**
 * ktap_kfn_return_attach() - Call a point at each return from its function
 * @hook: from ktap_kfn_return_take()
 * @f: the point
 * @id: a number that no other point has or had
 *
 * Context: process, may sleep.
 * Return: 0 or a negative errno: then the hook is not attached.
 */
int ktap_kfn_return_attach(struct ktap_kfn_return *hook, struct ktap_kfn_point *f,
			   unsigned long id)
{
	unsigned long ip = f->fns.fn->ip;
	int err;

	hook->gops.entryfunc = f->nargs ? return_hook_keep : return_hook_enter;
	hook->gops.retfunc = f->nargs ? return_hook_hit_kept : return_hook_hit;
	hook->id = id;
	/* No call of the hook is under way that could see @ip without @f. */
	WRITE_ONCE(hook->f, f);
	WRITE_ONCE(hook->ip, ip);
	err = ftrace_set_filter_ip(&hook->gops.ops, ip, 0, 1) ?: return_hook_register(&hook->gops);
	if (err)
		WRITE_ONCE(hook->ip, 0);
	return err;
}

/* Undo ktap_kfn_return_attach(), if it has not failed.  Handlers may still run. */
void ktap_kfn_return_detach(struct ktap_kfn_return *hook)
{
	if (!hook->ip)
		return;
	unregister_ftrace_graph(&hook->gops);
	WRITE_ONCE(hook->ip, 0);
}

/* Free a return hook, or NULL.  No handler runs any more. */
void ktap_kfn_return_put(struct ktap_kfn_return *hook)
{
	/*
	 * If ftrace lacked memory to unregister it, or has switched itself off, the hook cannot
	 * be used again.  No handler runs, as it is attached to no function.
	 */
	if (!hook || hook->gops.ops.flags & FTRACE_OPS_FL_ENABLED)
		return;
	ftrace_free_filter(&hook->gops.ops);
	clear_bit_unlock(hook - return_hooks, return_hooks_taken);
}
