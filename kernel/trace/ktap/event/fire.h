/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ways of most events into handlers.  They are inline, so that sources whose events are
 * frequent make no call on the way; all others call ktap_fire().
 */
#ifndef _KTAP_FIRE_H
#define _KTAP_FIRE_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/types.h>

#include "data/lock.h"
#include "event/source.h"
#include "probe.h"
#include "session.h"
#include "vm/global.h"
#include "vm/overhead.h"
#include "vm/quick.h"
#include "vm/run.h"

struct trace_iterator;

/**
 * struct ktap_activation - an activation and its memory
 * @vm: state of the interpreter
 * @stack: registers
 * @calls: call frames
 * @arena: both halves of the arena
 */
struct ktap_activation {
	struct ktap_vm vm;
	struct ktap_value stack[KTAP_EVENT_STACK];
	struct ktap_call calls[KTAP_EVENT_CALLS];
	char arena[2][KTAP_EVENT_ARENA] __aligned(8);
};

/**
 * struct ktap_activations - the activations of a CPU, by level
 * @iters: for the text of events, except in NMI; NULL until a session needs it
 * @levels: the activations
 */
struct ktap_activations {
	struct trace_iterator *iters;
	struct ktap_activation levels[KTAP_NR_EVENT_LEVELS];
};

/* activation.c; not NULL while a session is loaded */
DECLARE_PER_CPU(struct ktap_activations *, ktap_activations);

bool ktap_activation_start(struct ktap_vm *vm, struct ktap_probe *probe);
void ktap_activation_end(struct ktap_vm *vm, struct ktap_probe *probe, int err);

static __always_inline bool fire_is_task(void)
{
	return likely(!(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET)));
}

/*
 * Is the current task the session's reader or its thread?  If their events were delivered,
 * a script that prints at every write(2) would make its reader write, and so on.
 */
static __always_inline bool fire_is_own(const struct ktap_filter *filter)
{
	return task_tgid(current) == READ_ONCE(filter->reader) ||
	       current == filter->thread;
}

/* Does the session want the event of a task, at a probe whose way is another than KTAP_FIRE_ANY? */
static __always_inline bool fire_delivers(const struct ktap_session *s)
{
	return READ_ONCE(s->filter.state) == KTAP_RUNNING && !fire_is_own(&s->filter);
}

/* Has this event interrupted a run of its level, or somebody in a lock of ktap? */
static __always_inline bool fire_is_busy(unsigned int level)
{
	if (__builtin_constant_p(level) && level == KTAP_LEVEL_TASK)
		return __this_cpu_read(ktap_inside.locks_or_task);
	return __this_cpu_read(ktap_inside.busy[level]) || __this_cpu_read(ktap_inside.locks);
}

/*
 * Take the activation of @level on this CPU, so that no other event of this level uses it.
 * If it is busy, count the event as missed, and return false.
 */
static __always_inline bool fire_take(unsigned int level, struct ktap_probe *probe)
{
	if (unlikely(fire_is_busy(level))) {
		ktap_tally_inc(&probe->stats->missed);
		return false;
	}
	__this_cpu_write(ktap_inside.busy[level], true);
	barrier();
	return true;
}

static __always_inline void fire_leave(unsigned int level)
{
	barrier();
	__this_cpu_write(ktap_inside.busy[level], false);
}

static __always_inline struct ktap_overhead *fire_join(struct ktap_vm *vm, struct ktap_session *s)
{
	struct ktap_overhead *overhead = this_cpu_ptr(s->overheads);

	vm->env = &s->env;
	vm->overhead = overhead;
	/* From here on, a run that interrupts this one does not write @overhead. */
	barrier();
	return overhead;
}

/*
 * A run at a probe that is plain, for the event of a task, in a session with all CPUs and
 * processes.  No run of a lower level can be interrupted.  If the test of the filter is false,
 * @passed, it does nothing, but is measured.
 */
static __always_inline void fire_run(const struct ktap_hit *hit, struct ktap_probe *probe,
				     bool passed)
{
	struct ktap_session *s = probe->session;
	struct ktap_overhead *overhead;
	struct ktap_vm *vm;
	int err;

	if (!fire_delivers(s) || !fire_take(KTAP_LEVEL_TASK, probe))
		return;

	vm = &__this_cpu_read(ktap_activations)->levels[KTAP_LEVEL_TASK].vm;
	/* The compiler would compute the address again at each use. */
	OPTIMIZER_HIDE_VAR(vm);
	overhead = fire_join(vm, s);
	if (unlikely(ktap_overhead_is_due(overhead)) && !ktap_activation_start(vm, probe))
		goto leave;
	err = passed ? ktap_vm_start(vm, &probe->start, &hit->ev) : 0;
	if (likely(passed && !vm->handler))
		ktap_tally_inc(&probe->stats->hits);
	else if (!err)
		ktap_tally_inc(&probe->stats->filtered);
	if (unlikely(err | vm->after))
		ktap_activation_end(vm, probe, err);
leave:
	fire_leave(KTAP_LEVEL_TASK);
}

/* The rest of the work, after fire_count(), ktap_fire_act() or fire_test() */
enum fire_rest {
	FIRE_DONE,	/* nothing */
	FIRE_RUN,	/* fire_run() */
	FIRE_FALSE,	/* fire_run(), and the filter is false */
};

/* If this CPU is inside a run, count the event as missed, and return true. */
static __always_inline bool fire_misses(struct ktap_probe *probe)
{
	if (likely(!fire_is_busy(KTAP_LEVEL_TASK)))
		return false;
	ktap_tally_inc(&probe->stats->missed);
	return true;
}

/* The event of a task, at a handler that adds to a global, or does nothing */
static __always_inline enum fire_rest fire_count(struct ktap_probe *probe)
{
	const struct ktap_global *g = probe->quick.global;
	struct ktap_session *s = probe->session;
	struct ktap_sum __percpu *sums = NULL;

	if (!fire_delivers(s) || fire_misses(probe))
		return FIRE_DONE;
	/* A handler that does nothing has no global. */
	if (g)
		sums = READ_ONCE(g->adding);
	/* The global may be no number, or the run must be measured. */
	if (unlikely((g && !sums) || !ktap_overhead_passes(this_cpu_ptr(s->overheads))))
		return FIRE_RUN;
	if (g)
		ktap_sum_add(sums, probe->quick.constant);
	ktap_tally_inc(&probe->stats->hits);
	return FIRE_DONE;
}

/*
 * fire_act.c: the event of a task, at a handler with an act that is no count.  @ev may be NULL if
 * the probe reads no field.  Preemption is disabled.
 */
enum fire_rest ktap_fire_act(struct ktap_probe *probe, const struct ktap_event *ev);

/**
 * ktap_fire_inline() - Deliver an event as ktap_fire() does, by the way of most events
 * @hit: the event and its point
 * @probe: the point's probe, which the caller may have read before it disabled preemption
 *
 * For sources whose events are frequent; those of KTAP_FIRE_PLAIN make no call.
 * Context: as for ktap_fire().
 */
static __always_inline void ktap_fire_inline(const struct ktap_hit *hit, struct ktap_probe *probe)
{
	enum ktap_fire_way way = probe->quick.way;

	if (!fire_is_task() || (way != KTAP_FIRE_PLAIN && way != KTAP_FIRE_ACT))
		ktap_fire(hit);
	else if (likely(way == KTAP_FIRE_PLAIN) || unlikely(ktap_fire_act(probe, &hit->ev)))
		fire_run(hit, probe, true);
}

static __always_inline s64 fire_value(enum ktap_quick_value value)
{
	if (value == KTAP_QUICK_PID)
		return current->tgid;
	return value == KTAP_QUICK_TID ? current->pid : raw_smp_processor_id();
}

/* The event of a task, at a filter that compares a value.  If it is true, nothing has been done. */
static __always_inline enum fire_rest fire_test(struct ktap_probe *probe,
						const struct ktap_event *ev)
{
	struct ktap_session *s = probe->session;

	if (ktap_quick_passes(&probe->quick, fire_value(probe->quick.value))) {
		if (ktap_quick_counts(&probe->quick))
			return fire_count(probe);
		return probe->quick.act ? ktap_fire_act(probe, ev) : FIRE_RUN;
	}
	if (!fire_delivers(s) || fire_misses(probe))
		return FIRE_DONE;
	if (unlikely(!ktap_overhead_passes(this_cpu_ptr(s->overheads))))
		return FIRE_FALSE;
	ktap_tally_inc(&probe->stats->filtered);
	return FIRE_DONE;
}

#endif /* _KTAP_FIRE_H */
