// SPDX-License-Identifier: GPL-2.0
/*
 * Activations: the memory in which handlers run, and the entry to handlers.
 */
#include <linux/cleanup.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/trace_clock.h>
#include <linux/trace_events.h>

#include "event/fire.h"
#include "event/source.h"
#include "session.h"
#include "vm/arena.h"
#include "vm/overhead.h"
#include "vm/quick.h"
#include "vm/run.h"

/**
 * DOC: Activations
 *
 * Each CPU has one activation for each context level (task, softirq, hardirq,
 * NMI), shared by all sessions.  While a handler runs, its activation is busy.
 * An event that the handler itself causes (in the ring buffer, in a lock, in the
 * interpreter) finds the activation of its CPU and level busy, and its probe
 * counts it as missed.  Hence a script never triggers itself or another script
 * by what its handlers call.  An interrupt has its own level: at most as many
 * handlers nest as there are levels.  On some machines, such as x86, a
 * breakpoint of a kprobe or of a watch is an NMI: such an event in a handler of
 * a lower level is delivered.
 *
 * An interrupt that wakes ksoftirqd at its end (mostly on PREEMPT_RT) already
 * has the level of the code that it interrupted.  If that is a handler, the
 * events of this wakeup are missed, too.
 *
 * An NMI may interrupt an update while a lock of ktap is held (data/lock.h).
 * Its handler could do only part of its work.  The event is missed as a whole,
 * so that all values that a handler counts stay consistent.
 *
 * Each session has a &struct ktap_overhead for each CPU, which measures the time
 * that its handlers take there (vm/overhead.c).  A run that interrupts another
 * run of the same session is part of that run's time, and does not write to the
 * structure: so this has one writer at a time.  Runs of other sessions and other
 * interrupts count for the run that they interrupt, too: to subtract them,
 * each would have to read the clock twice more.
 *
 * Preemption is disabled while a handler runs.  &ktap_inside.busy is only
 * written by the owner of the level, and only read by code that interrupts it
 * on the same CPU: compiler barriers are enough.
 *
 * The first session that loads a chunk allocates the memory, the last one frees
 * it.  A session holds its reference until none of its handlers can run (see
 * ktap_sources_detach()), so handlers use the memory without a lock.
 */

/*
 * Most events happen in tasks, at probes whose functions are simple.  For these, what a
 * run begins with is computed when the probe is attached (&ktap_probe.start), and what
 * the end of a run seldom has to do is one test (&ktap_vm.after).
 *
 * Many probes only count, or have a filter that compares the process and is seldom true.
 * They do that without an activation (&ktap_probe.quick): no other event can happen
 * meanwhile but in an interrupt, since nothing is called.  Handlers that are another simple act
 * take the activation, so that what they call causes no event, but use no part of it
 * (event/fire_act.c).
 */

/* Levels that can make the text of an event: ->trace() must not run in NMI. */
#define NR_TEXT_LEVELS	KTAP_LEVEL_NMI

static DEFINE_MUTEX(activation_lock);
static unsigned int users;		/* protected by activation_lock */
DEFINE_PER_CPU(struct ktap_activations *, ktap_activations);
static DEFINE_PER_CPU(struct rnd_state, random_state);

static void activation_free_all(void)
{
	int cpu;

	lockdep_assert_held(&activation_lock);
	for_each_possible_cpu(cpu) {
		struct ktap_activations *acts = per_cpu(ktap_activations, cpu);

		if (acts)
			kvfree(acts->iters);
		kvfree(acts);
		per_cpu(ktap_activations, cpu) = NULL;
	}
}

static struct ktap_activations *activation_alloc_cpu(int node)
{
	struct ktap_activations *acts = kvzalloc_node(sizeof(*acts), KTAP_GFP, node);
	unsigned int level;

	if (!acts)
		return NULL;
	for (level = 0; level < KTAP_NR_EVENT_LEVELS; level++) {
		struct ktap_activation *act = &acts->levels[level];

		act->vm.level = level;
		act->vm.stack = act->stack;
		act->vm.stack_size = KTAP_EVENT_STACK;
		act->vm.calls = act->calls;
		act->vm.max_calls = KTAP_EVENT_CALLS;
		act->vm.arena.half[0] = act->arena[0];
		act->vm.arena.half[1] = act->arena[1];
		ktap_arena_init(&act->vm.arena, KTAP_EVENT_ARENA);
	}
	return acts;
}

static int activation_alloc_all(void)
{
	int cpu;

	lockdep_assert_held(&activation_lock);
	for_each_possible_cpu(cpu) {
		struct ktap_activations *acts = activation_alloc_cpu(cpu_to_node(cpu));

		if (!acts) {
			activation_free_all();
			return -ENOMEM;
		}
		per_cpu(ktap_activations, cpu) = acts;
	}
	return 0;
}

/* After a failure, a later session uses the iterators that were allocated. */
static int activation_alloc_iters(void)
{
	int cpu;

	lockdep_assert_held(&activation_lock);
	for_each_possible_cpu(cpu) {
		struct ktap_activations *acts = per_cpu(ktap_activations, cpu);

		if (acts->iters)
			continue;
		acts->iters = kvcalloc_node(NR_TEXT_LEVELS, sizeof(*acts->iters), KTAP_GFP,
					    cpu_to_node(cpu));
		if (!acts->iters)
			return -ENOMEM;
	}
	return 0;
}

/**
 * ktap_activation_get() - Get a reference to the memory of handlers
 * @texts: the handlers make the text of events, which needs an iterator
 *
 * Context: process, may sleep.
 * Return: 0, and the caller has to call ktap_activation_put(); or -ENOMEM.
 */
int ktap_activation_get(bool texts)
{
	int err = 0;

	prandom_init_once(&random_state);

	guard(mutex)(&activation_lock);
	if (!users)
		err = activation_alloc_all();
	if (!err && texts)
		err = activation_alloc_iters();
	if (!err)
		users++;
	else if (!users)
		activation_free_all();
	return err;
}

/**
 * ktap_activation_put() - Drop the reference of ktap_activation_get()
 *
 * Context: process, may sleep.  No handler of the caller's session runs any more.
 */
void ktap_activation_put(void)
{
	guard(mutex)(&activation_lock);
	if (--users)
		return;
	activation_free_all();
	ktap_event_format_free();
}

/**
 * ktap_overhead_alloc() - Allocate &ktap_session.overheads
 * @s: the session; its overhead limit is set
 *
 * Return: 0 or -ENOMEM.  The session frees them when it is closed.
 */
int ktap_overhead_alloc(struct ktap_session *s)
{
	int cpu;

	s->overheads = alloc_percpu_gfp(struct ktap_overhead, KTAP_GFP);
	if (!s->overheads)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		ktap_overhead_init(per_cpu_ptr(s->overheads, cpu), s->max_overhead);
	return 0;
}

/*
 * Return the iterator for the text of an event, or NULL if @level cannot make text.
 * The caller owns the activation of @level on this CPU.
 */
struct trace_iterator *ktap_activation_iter(enum ktap_level level)
{
	struct ktap_activations *acts = __this_cpu_read(ktap_activations);

	if (level >= NR_TEXT_LEVELS || !acts->iters)
		return NULL;
	return &acts->iters[level];
}

/*
 * Safe in any context.  An interrupt in the middle of an update only makes the
 * distribution slightly less even.
 */
u32 ktap_random(void)
{
	u32 res;

	preempt_disable_notrace();
	res = prandom_u32_state(this_cpu_ptr(&random_state));
	preempt_enable_notrace();
	return res;
}

static noinline bool activation_is_of_task(const struct ktap_filter *filter)
{
	return ktap_wants_task(filter, current);
}

static __always_inline bool activation_is_wanted(const struct ktap_filter *filter)
{
	return likely(!filter->narrow) || activation_is_of_task(filter);
}

/* The same as interrupt_context_level(), which is slower for tasks. */
static __always_inline unsigned int activation_level(void)
{
	return fire_is_task() ? KTAP_LEVEL_TASK : interrupt_context_level();
}

/*
 * True if the session runs, its filter has this CPU, and the current task is not
 * the session's reader or thread.
 */
static __always_inline bool activation_delivers(const struct ktap_filter *filter,
						unsigned int level)
{
	if (READ_ONCE(filter->state) != KTAP_RUNNING)
		return false;
	if (unlikely(filter->narrow)) {
		if (!ktap_wants_cpu(filter, raw_smp_processor_id()))
			return false;
		if (filter->self)
			return true;
	}
	return level != KTAP_LEVEL_TASK || !fire_is_own(filter);
}

/**
 * ktap_delivers() - Check early whether ktap_fire() would deliver an event
 * @s: the session
 *
 * For sources that have work to do before ktap_fire(), or that count an event
 * without calling it.
 * Context: any.
 * Return: false if the session does not run, or its filters exclude the event.
 */
bool ktap_delivers(const struct ktap_session *s)
{
	guard(preempt_notrace)();
	return activation_delivers(&s->filter, activation_level()) &&
	       activation_is_wanted(&s->filter);
}
NOKPROBE_SYMBOL(ktap_delivers);

static void activation_count_error(struct ktap_vm *vm, struct ktap_probe *probe)
{
	ktap_tally_inc(&probe->stats->errors);
	ktap_session_error(probe->session, vm);
}
NOKPROBE_SYMBOL(activation_count_error);

/* Is the filter true?  One that compares no value is a part of the run. */
static __always_inline bool activation_passes(const struct ktap_quick *quick)
{
	return likely(!quick->value) || ktap_quick_passes(quick, fire_value(quick->value));
}

/* Run the filter and the handler, count the outcome, and report an error. */
static __always_inline int activation_run(struct ktap_vm *vm, struct ktap_probe *probe,
					  const struct ktap_event *ev, u64 slice)
{
	int err;

	if (unlikely(!activation_passes(&probe->quick))) {
		ktap_tally_inc(&probe->stats->filtered);
		return 0;
	}
	err = ktap_vm_handle(vm, probe->filter_func, probe->handler_func, probe->native, ev,
			     slice);
	if (!vm->handler)
		ktap_tally_inc(&probe->stats->hits);
	else if (!err)
		ktap_tally_inc(&probe->stats->filtered);
	if (unlikely(err && err != -ECANCELED))
		activation_count_error(vm, probe);
	return err;
}

/**
 * ktap_run_probe() - Run the filter of a probe in process context, then the handler
 * @vm: an activation that runs nothing
 * @probe: the probe
 * @ev: the event, or NULL if it has no parts
 *
 * Count the outcome in the probe, and report errors to the session.
 * Return: 0, or the error of ktap_vm_run().
 */
int ktap_run_probe(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_event *ev)
{
	return activation_run(vm, probe, ev, KTAP_NO_BUDGET);
}

/* Does the run that starts interrupt another run of the same session? */
static __always_inline bool activation_is_nested(const struct ktap_activations *acts,
						 const struct ktap_vm *vm)
{
	unsigned int level;

	for (level = 0; level < vm->level; level++) {
		if (__this_cpu_read(ktap_inside.busy[level]) &&
		    acts->levels[level].vm.env == vm->env)
			return true;
	}
	return false;
}

/* Finish the measurement, whether it began with this run or in the middle of it. */
static void activation_finish(struct ktap_vm *vm, struct ktap_probe *probe)
{
	struct ktap_probe_stats *stats = this_cpu_ptr(probe->stats);
	const struct ktap_func *handler = probe->handler_func;
	bool held = ktap_overhead_finish(vm->overhead, trace_clock_local());

	vm->after &= ~KTAP_AFTER_MEASURE;
	WRITE_ONCE(stats->time, stats->time + vm->overhead->run);
	/* If the run failed, its error has been reported. */
	if (likely(!held) || vm->error)
		return;
	ktap_tally_inc(&probe->stats->errors);
	ktap_vm_held_cpu(vm);
	vm->fault = (struct ktap_fault){ .func = handler, .pc = handler->first };
	ktap_session_error(probe->session, vm);
}
NOKPROBE_SYMBOL(activation_finish);

/* Begin a measurement.  Return false if the run must be skipped. */
bool ktap_activation_start(struct ktap_vm *vm, struct ktap_probe *probe)
{
	if (!ktap_overhead_start(vm->overhead, trace_clock_local())) {
		ktap_tally_inc(&probe->stats->skipped);
		return false;
	}
	vm->after |= KTAP_AFTER_MEASURE;
	return true;
}
NOKPROBE_SYMBOL(ktap_activation_start);

/*
 * Use the clock of this CPU, as the ring buffers of the tracing code do: it needs
 * no lock, works in any context, and is cheap even where the clock that all CPUs
 * share is a device.
 */
static __always_inline void activation_run_measured(struct ktap_vm *vm, struct ktap_probe *probe,
						    const struct ktap_event *ev)
{
	if (ktap_overhead_is_due(vm->overhead) && !ktap_activation_start(vm, probe))
		return;
	activation_run(vm, probe, ev, KTAP_FIRST_SLICE);
	if (vm->after & KTAP_AFTER_MEASURE)
		activation_finish(vm, probe);
}

static void activation_run_nested(struct ktap_vm *vm, struct ktap_probe *probe,
				  const struct ktap_event *ev)
{
	bool over = READ_ONCE(vm->overhead->over);

	vm->overhead = NULL;
	if (over)
		ktap_tally_inc(&probe->stats->skipped);
	else
		activation_run(vm, probe, ev, U64_MAX);
}
NOKPROBE_SYMBOL(activation_run_nested);

/* Any event.  The end of a run that failed leaves the activation as ktap_vm_start() needs it. */
static noinline void activation_fire(const struct ktap_hit *hit)
{
	struct ktap_probe *probe = hit->point->probe;
	struct ktap_session *s = probe->session;
	unsigned int level = activation_level();
	struct ktap_activations *acts;
	struct ktap_vm *vm;

	if (!activation_delivers(&s->filter, level))
		return;
	/* Without a call, which could be an event, and come here again */
	if (unlikely(fire_is_busy(level)) && !filter_wants_process(&s->filter, current))
		return;
	if (!fire_take(level, probe))
		return;
	acts = __this_cpu_read(ktap_activations);

	/* After busy is set: activation_is_wanted() may itself trigger events. */
	if (activation_is_wanted(&s->filter)) {
		vm = &acts->levels[level].vm;
		/* The compiler would compute the address again at each use. */
		OPTIMIZER_HIDE_VAR(vm);
		fire_join(vm, s);
		if (unlikely(activation_is_nested(acts, vm)))
			activation_run_nested(vm, probe, &hit->ev);
		else
			activation_run_measured(vm, probe, &hit->ev);
		if (unlikely(vm->error))
			ktap_vm_forget_error(vm);
	}
	fire_leave(level);
}
NOKPROBE_SYMBOL(activation_fire);

/* The end of fire_run() with an error, or with work to do after it. */
void ktap_activation_end(struct ktap_vm *vm, struct ktap_probe *probe, int err)
{
	vm->error = err;
	if (vm->after & KTAP_AFTER_OBJECTS)
		ktap_objects_end_run(vm);
	if (err && err != -ECANCELED)
		activation_count_error(vm, probe);
	if (vm->after & KTAP_AFTER_MEASURE)
		activation_finish(vm, probe);
	if (vm->error)
		ktap_vm_forget_error(vm);
}
NOKPROBE_SYMBOL(ktap_activation_end);

static noinline void activation_fire_plain(const struct ktap_hit *hit, struct ktap_probe *probe)
{
	fire_run(hit, probe, true);
}
NOKPROBE_SYMBOL(activation_fire_plain);

static noinline void activation_fire_false(const struct ktap_hit *hit, struct ktap_probe *probe)
{
	fire_run(hit, probe, false);
}
NOKPROBE_SYMBOL(activation_fire_false);

static noinline void activation_fire_count(const struct ktap_hit *hit, struct ktap_probe *probe)
{
	if (unlikely(fire_count(probe)))
		activation_fire_plain(hit, probe);
}
NOKPROBE_SYMBOL(activation_fire_count);

static noinline void activation_fire_act(const struct ktap_hit *hit, struct ktap_probe *probe)
{
	if (unlikely(ktap_fire_act(probe, &hit->ev)))
		activation_fire_plain(hit, probe);
}
NOKPROBE_SYMBOL(activation_fire_act);

static noinline void activation_fire_test(const struct ktap_hit *hit, struct ktap_probe *probe)
{
	enum fire_rest rest = fire_test(probe, &hit->ev);

	if (rest == FIRE_RUN)
		activation_fire_plain(hit, probe);
	else if (unlikely(rest))
		activation_fire_false(hit, probe);
}
NOKPROBE_SYMBOL(activation_fire_test);

/**
 * ktap_fire() - Deliver an event to its probe
 * @hit: the event and its point
 *
 * Context: any, preemption disabled, inside of a read-side critical section that
 * ktap_sources_detach() waits for.
 */
void ktap_fire(const struct ktap_hit *hit)
{
	struct ktap_probe *probe = hit->point->probe;

	lockdep_assert_preemption_disabled();
	if (!fire_is_task())
		activation_fire(hit);
	else if (likely(probe->quick.way == KTAP_FIRE_PLAIN))
		activation_fire_plain(hit, probe);
	else if (probe->quick.way == KTAP_FIRE_COUNT)
		activation_fire_count(hit, probe);
	else if (probe->quick.way == KTAP_FIRE_ACT)
		activation_fire_act(hit, probe);
	else if (probe->quick.way == KTAP_FIRE_TEST)
		activation_fire_test(hit, probe);
	else
		activation_fire(hit);
}
NOKPROBE_SYMBOL(ktap_fire);
