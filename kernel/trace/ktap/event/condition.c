// SPDX-License-Identifier: GPL-2.0
/*
 * Conditions: probes that are attached only while a global is true, or while they are
 * switched on.
 */
#include <linux/atomic.h>
#include <linux/cleanup.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/sched/mm.h>

#include "../../trace.h"
#include "event/source.h"
#include "session.h"
#include "vm/global.h"
#include "vm/switch.h"

/**
 * DOC: Conditions of probes
 *
 * A probe with a condition has all its points from the beginning: its event is looked up,
 * and its modules are pinned, when the script is loaded.  Only whether the points are
 * attached changes.
 *
 * 1. Any context writes the global.  If it becomes true, or no longer is,
 *    ktap_conditions_changed() sets &ktap_session.conditions_asked and queues an irq_work.
 *    Nothing else happens until the flag is cleared, however often the global changes.
 * 2. ktap_conditions_irq() queues ktap_conditions_work() for the session's thread.
 * 3. The work queues itself for later if the last one began less than a tenth of a second
 *    ago, or took more than half of the time since then.  Then it clears the flag, reads
 *    all conditions, and attaches and detaches points accordingly.  After a grace period the
 *    points that it has detached can be attached again.
 *
 * A change cannot be overlooked: its writer wrote the global first and then found the flag
 * set, so the work, which clears the flag first and then reads the global, sees it.
 *
 * Points are attached and detached by the session's thread alone, with &ktap_session.lock
 * held, and only while the session runs.  So this and ktap_sources_detach(), which is called
 * when the session stops or is closed, exclude each other: the latter detaches what is
 * attached by then.  A work that comes later does nothing.
 *
 * No handler depends on when that happens: the compiler adds the condition to the filter of
 * the probe, which is run as long as the probe is attached.
 *
 * A switched probe (vm/switch.h) has two bits of its own in place of the global.  If it is
 * deleted, the work also frees its points, and so unpins the modules, after the grace period.
 * The probe itself stays: ktap/sessions and the report at the end show its counters.  If the
 * output may have records of events whose text the reader has yet to make, the points stay as
 * well, because a reader looks the event up by its number.
 */

/* Least number of jiffies from the beginning of a work to that of the next one */
#define CONDITION_PAUSE		DIV_ROUND_UP(HZ, 10)

/* Any context has made a condition true or false, or has switched a probe. */
void ktap_conditions_changed(struct ktap_env *env)
{
	struct ktap_session *s = container_of(env, struct ktap_session, env);

	/* While loading, ktap_conditions_read() comes later; at the end, nothing is attached. */
	if (READ_ONCE(s->filter.state) != KTAP_RUNNING || READ_ONCE(s->abort))
		return;
	smp_mb();	/* A: the global was written before the flag is read; pairs with B */
	if (!atomic_read(&s->conditions_asked) && !atomic_xchg(&s->conditions_asked, 1))
		irq_work_queue(&s->conditions_irq);
}

void ktap_conditions_irq(struct irq_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, conditions_irq);

	kthread_queue_delayed_work(s->filter.worker, &s->conditions_work, 0);
}

static bool condition_is_true(const struct ktap_probe *probe)
{
	if (probe->switched != KTAP_NONE)
		return ktap_switch_is_on(&probe->session->env, probe->switched);
	return probe->condition == KTAP_NONE ||
	       ktap_global_is_true(&probe->session->env, probe->condition);
}

/* Was the probe deleted, and has points that can be freed when they are detached? */
static bool condition_is_over(const struct ktap_probe *probe)
{
	const struct ktap_env *env = &probe->session->env;

	return probe->switched != KTAP_NONE && !probe->released &&
	       test_bit(probe->switched, env->deleted) && !(env->prog->uses & KTAP_USES_ARGSTR);
}

/* Which probes should be attached? */
void ktap_conditions_read(struct ktap_session *s)
{
	struct ktap_probe *probe;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(probe, &s->probes, list)
		probe->wanted = condition_is_true(probe);
}

/* All that should be attached has been attached, and the rest detached: show it. */
void ktap_conditions_done(struct ktap_session *s)
{
	struct ktap_probe *probe;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(probe, &s->probes, list) {
		if (probe->wanted && !probe->on)
			WRITE_ONCE(probe->times, probe->times + 1);
		WRITE_ONCE(probe->on, probe->wanted);
	}
}

/* The script needs the probe: that it cannot be attached is a run-time error. */
static void condition_fail(struct ktap_session *s, const struct ktap_point *point, int err)
{
	const struct ktap_program *prog = s->env.prog;
	struct ktap_vm *vm = &s->vm;

	ktap_vm_error(vm, err, "event '%s' cannot be attached: %s",
		      ktap_attach_name(point), ktap_attach_why(point->source, err));
	vm->fault = (struct ktap_fault){ .func = &prog->funcs[prog->main], .pc = point->probe->pc };
	ktap_session_error(s, vm);
	ktap_vm_forget_error(vm);
}

static int condition_attach(struct ktap_session *s, const struct ktap_point **failed)
{
	const struct ktap_source *source;
	struct ktap_point *point;
	unsigned int i;
	int err;

	lockdep_assert_held(&event_mutex);
	*failed = ktap_attach_wanted(s, &err);
	for (i = 0; i < ktap_nsources && !err; i++) {
		source = ktap_sources[i];
		if (!source->switches || !source->attach_all)
			continue;
		err = source->attach_all(s);
		list_for_each_entry(point, &s->points, list) {
			if (err && point->source == source && point->probe->wanted)
				*failed = point;
		}
	}
	return err;
}

/*
 * Hide the points of deleted probes from ktap/sessions.  Return true if there are any: then
 * they can be freed after a grace period.  A probe that is deleted after ktap_conditions_read()
 * may still be attached; the next work frees it.
 */
static bool condition_hide_deleted(struct ktap_session *s)
{
	struct ktap_probe *probe;
	bool any = false;

	list_for_each_entry(probe, &s->probes, list) {
		probe->hidden = !probe->wanted && condition_is_over(probe);
		if (!probe->hidden)
			continue;
		WRITE_ONCE(probe->counting, NULL);
		any = true;
	}
	return any;
}

static void condition_release_deleted(struct ktap_session *s)
{
	struct ktap_probe *probe;

	list_for_each_entry(probe, &s->probes, list) {
		if (probe->hidden)
			ktap_probe_release(probe);
		probe->hidden = false;
	}
}

static void condition_apply(struct ktap_session *s)
{
	struct mem_cgroup *old = set_active_memcg(s->memcg);
	const struct ktap_point *failed;
	struct ktap_point *point;
	bool left;
	int err;

	lockdep_assert_held(&s->lock);
	ktap_conditions_read(s);
	scoped_guard(mutex, &event_mutex) {
		left = ktap_detach_unwanted(s);
		ktap_stand_ins_remove(s);
		err = condition_attach(s, &failed);
	}
	/* -EINTR: the session ends. */
	if (err && err != -EINTR)
		condition_fail(s, failed, err);
	left |= condition_hide_deleted(s);
	if (left)
		ktap_detach_wait();
	if (!err)
		ktap_conditions_done(s);
	list_for_each_entry(point, &s->points, list) {
		if (!point->leaving)
			continue;
		point->leaving = false;
		if (point->source->left)
			point->source->left(point);
	}
	condition_release_deleted(s);
	set_active_memcg(old);
}

void ktap_conditions_work(struct kthread_work *work)
{
	struct ktap_session *s = container_of(work, struct ktap_session, conditions_work.work);
	unsigned long began = jiffies, took;

	if (began - s->conditions_began < s->conditions_pause) {
		kthread_queue_delayed_work(s->filter.worker, &s->conditions_work,
					   s->conditions_began + s->conditions_pause - began);
		return;
	}
	atomic_set(&s->conditions_asked, 0);
	smp_mb();	/* B: the flag is cleared before globals are read; pairs with A */
	scoped_guard(mutex, &s->lock) {
		if (s->attached && READ_ONCE(s->filter.state) == KTAP_RUNNING)
			condition_apply(s);
	}
	/* The thread has other things to do, and others wait for event_mutex: half of the time. */
	took = jiffies - began;
	s->conditions_began = began;
	s->conditions_pause = max(CONDITION_PAUSE, 2 * took);
}

/**
 * ktap_conditions_begin() - Attach the probes whose condition trace_begin has made true
 * @s: the session, its lock held
 *
 * Context: the session's thread, just before the session runs.
 */
void ktap_conditions_begin(struct ktap_session *s)
{
	const struct ktap_probe *probe;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(probe, &s->probes, list) {
		if (probe->wanted != condition_is_true(probe) || condition_is_over(probe)) {
			condition_apply(s);
			return;
		}
	}
}

static int condition_refuse_switch(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	return ktap_vm_error(vm, -EINVAL,
			     "'%s' cannot be switched by trace_on(): only tracepoints, system calls and functions of the kernel can",
			     probe->event);
}

/* Can the probe have a condition?  Return 0, or an error that is set in @vm. */
int ktap_condition_check(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	const struct ktap_session *s = probe->session;
	const struct ktap_point *point;

	if (probe->condition == KTAP_NONE && probe->switched == KTAP_NONE)
		return 0;
	if (probe->kind != KTAP_ON_EVENT && probe->switched != KTAP_NONE)
		return condition_refuse_switch(vm, probe);
	if (probe->kind != KTAP_ON_EVENT)
		return ktap_vm_error(vm, -EINVAL, "'%s' cannot have a condition: test it inside",
				     probe->event);
	list_for_each_entry(point, &s->points, list) {
		if (point->probe != probe || point->source->switches)
			continue;
		if (probe->switched != KTAP_NONE)
			return condition_refuse_switch(vm, probe);
		return ktap_vm_error(vm, -EINVAL,
					     "'%s' cannot have a condition: only tracepoints, system calls and functions of the kernel can; test it in the filter: /%s/",
					     probe->event, s->env.prog->globals[probe->condition]);
	}
	return 0;
}
