// SPDX-License-Identifier: GPL-2.0
/*
 * Activations: the memory in which handlers run, and the way into them.
 */
#include <linux/cleanup.h>
#include <linux/kprobes.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/prandom.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/trace_clock.h>
#include <linux/trace_events.h>

#include "lock.h"
#include "meter.h"
#include "session.h"
#include "source.h"

/**
 * DOC: Activations
 *
 * Each CPU has one activation for each context level (task, softirq, hardirq,
 * NMI), shared by all sessions.  While a handler runs, its activation is busy:
 * what it causes on the same CPU and level (an event in the ring buffer, in a
 * lock, in the interpreter itself) finds it so, and is counted as missed by
 * the clause that waited for it.  An interrupt has its own level, so that only
 * as many handlers nest as there are levels.  Hence a script never triggers
 * itself, nor any other script, through what its handlers call.
 *
 * When an interrupt is nearly done, and wakes the thread of soft interrupts, as
 * on PREEMPT_RT it mostly does, the kernel counts it as what it has interrupted.
 * If that is a handler, the events of this wakeup are missed, too.
 *
 * An NMI may interrupt an update, with a lock of ktap held (see lock.h).  Half
 * of what its handler does could not be done then: it is missed as a whole, so
 * that what a handler counts in several places stays the same in all of them.
 *
 * What a session takes of a CPU is measured, by a meter for each of both (see
 * meter.c).  A run that interrupts another one of its session is part of that
 * one's time, and leaves the meter alone: hence the meter has one writer at a
 * time.  Runs of other sessions, and interrupts that have nothing to do with ktap,
 * are part of the time of what they interrupt, too: they come in between where
 * nothing but a second pair of clocks for each of them could tell.
 *
 * Preemption is disabled while a handler runs.  &cpu_activations.busy is
 * written by the owner of the level alone, and read by what interrupts it on
 * the same CPU: compiler barriers are enough.
 *
 * The memory comes with the first session that loads a chunk, and goes with
 * the last one.  A session holds its reference until none of its handlers can
 * run (see ktap_sources_detach()): handlers find the memory without a lock.
 */

/**
 * struct activation - an activation and its memory
 * @vm: its state
 * @stack: registers
 * @calls: calls
 * @arena: strings
 */
struct activation {
	struct ktap_vm vm;
	struct ktap_value stack[KTAP_EVENT_STACK];
	struct ktap_call calls[KTAP_EVENT_CALLS];
	char arena[2][KTAP_EVENT_ARENA] __aligned(8);
};

/**
 * struct cpu_activations - the activations of a CPU
 * @busy: by level: in use
 * @iters: by level: for the text of events; NULL until a session wants it, and
 *	always in NMI
 * @levels: by level: the activation
 */
struct cpu_activations {
	bool busy[KTAP_NR_EVENT_LEVELS];
	struct trace_iterator *iters;
	struct activation levels[KTAP_NR_EVENT_LEVELS];
};

/* Levels that can make the text of an event: ->trace() is not for NMI. */
#define NR_TEXT_LEVELS	KTAP_LEVEL_NMI

static DEFINE_MUTEX(activation_lock);
static unsigned int users;		/* protected by activation_lock */
static DEFINE_PER_CPU(struct cpu_activations *, activations);
static DEFINE_PER_CPU(struct rnd_state, random_state);

static void free_activations(void)
{
	int cpu;

	lockdep_assert_held(&activation_lock);
	for_each_possible_cpu(cpu) {
		struct cpu_activations *acts = per_cpu(activations, cpu);

		if (acts)
			kvfree(acts->iters);
		kvfree(acts);
		per_cpu(activations, cpu) = NULL;
	}
}

static struct cpu_activations *alloc_cpu_activations(int node)
{
	struct cpu_activations *acts = kvzalloc_node(sizeof(*acts), GFP_KERNEL, node);
	unsigned int level;

	if (!acts)
		return NULL;
	for (level = 0; level < KTAP_NR_EVENT_LEVELS; level++) {
		struct activation *act = &acts->levels[level];

		act->vm.level = level;
		act->vm.stack = act->stack;
		act->vm.stack_size = KTAP_EVENT_STACK;
		act->vm.calls = act->calls;
		act->vm.max_calls = KTAP_EVENT_CALLS;
		act->vm.arena.half[0] = act->arena[0];
		act->vm.arena.half[1] = act->arena[1];
		act->vm.arena.size = KTAP_EVENT_ARENA;
	}
	return acts;
}

static int alloc_activations(void)
{
	int cpu;

	lockdep_assert_held(&activation_lock);
	for_each_possible_cpu(cpu) {
		struct cpu_activations *acts = alloc_cpu_activations(cpu_to_node(cpu));

		if (!acts) {
			free_activations();
			return -ENOMEM;
		}
		per_cpu(activations, cpu) = acts;
	}
	return 0;
}

/* On failure, what there is stays for the sessions that follow. */
static int alloc_iters(void)
{
	int cpu;

	lockdep_assert_held(&activation_lock);
	for_each_possible_cpu(cpu) {
		struct cpu_activations *acts = per_cpu(activations, cpu);

		if (acts->iters)
			continue;
		acts->iters = kvcalloc_node(NR_TEXT_LEVELS, sizeof(*acts->iters), GFP_KERNEL,
					    cpu_to_node(cpu));
		if (!acts->iters)
			return -ENOMEM;
	}
	return 0;
}

/**
 * ktap_activation_get() - Sees to it that handlers have memory to run in
 * @texts: and to make the text of events in
 *
 * Context: process, may sleep.
 * Return: 0, to be undone by ktap_activation_put(), or -ENOMEM.
 */
int ktap_activation_get(bool texts)
{
	int err = 0;

	prandom_init_once(&random_state);

	guard(mutex)(&activation_lock);
	if (!users)
		err = alloc_activations();
	if (!err && texts)
		err = alloc_iters();
	if (!err)
		users++;
	else if (!users)
		free_activations();
	return err;
}

/**
 * ktap_activation_put() - Undoes ktap_activation_get()
 *
 * No handler of the caller runs any more.
 * Context: process, may sleep.
 */
void ktap_activation_put(void)
{
	guard(mutex)(&activation_lock);
	if (--users)
		return;
	free_activations();
	ktap_event_format_free();
}

/**
 * ktap_meters_alloc() - Gives a session its meters
 * @s: the session, with its ceiling
 *
 * Return: 0 or -ENOMEM.  They are freed with the session.
 */
int ktap_meters_alloc(struct ktap_session *s)
{
	int cpu;

	s->meters = alloc_percpu_gfp(struct ktap_meter, GFP_KERNEL_ACCOUNT);
	if (!s->meters)
		return -ENOMEM;
	for_each_possible_cpu(cpu)
		ktap_meter_init(per_cpu_ptr(s->meters, cpu), s->ceiling);
	return 0;
}

/*
 * For the text of an event; NULL if that cannot be made at this level.  The
 * caller owns the activation of @level on this CPU.
 */
struct trace_iterator *ktap_activation_iter(enum ktap_level level)
{
	struct cpu_activations *acts = __this_cpu_read(activations);

	if (level >= NR_TEXT_LEVELS || !acts->iters)
		return NULL;
	return &acts->iters[level];
}

/* Good enough in any context: an interrupt in between only makes it less even. */
u32 ktap_random(void)
{
	u32 res;

	preempt_disable_notrace();
	res = prandom_u32_state(this_cpu_ptr(&random_state));
	preempt_enable_notrace();
	return res;
}

static bool is_wanted(const struct ktap_session *s)
{
	if (likely(!s->pid) || current->tgid == s->pid)
		return true;
	return s->followed && test_bit(current->tgid, s->followed);
}

/*
 * True if the session runs and wants events of this CPU, and the current task
 * does not belong to it: what a script prints at every write(2) would make its
 * reader write, and so on.
 */
static __always_inline bool delivers(const struct ktap_session *s, unsigned int level)
{
	if (READ_ONCE(s->state) != KTAP_RUNNING)
		return false;
	if (!ktap_wants_cpu(s, raw_smp_processor_id()))
		return false;
	if (level != KTAP_LEVEL_TASK || s->self)
		return true;
	return current->tgid != READ_ONCE(s->reader) && current != s->worker->task;
}

/**
 * ktap_delivers() - Tells early whether an event would come to nothing
 * @s: the session
 *
 * For sources that have work to do before ktap_fire(), or none for it.
 * Context: any.
 */
bool ktap_delivers(const struct ktap_session *s)
{
	guard(preempt_notrace)();
	return delivers(s, interrupt_context_level()) && is_wanted(s);
}

NOKPROBE_SYMBOL(ktap_delivers);

/**
 * ktap_run_clause() - Runs a clause: the filter, then the handler
 * @vm: an activation at rest
 * @probe: the clause
 * @ev: what happened, NULL in process context
 *
 * Counts what becomes of it, and tells the session of errors.
 * Context: as @vm->level says.
 * Return: 0, or what ktap_vm_run() returned.
 */
int ktap_run_clause(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_event *ev)
{
	const struct ktap_value arg = {
		.blob = ev,
		.tag = ev ? KTAP_EVENT : KTAP_NIL,
	};
	struct ktap_value verdict = KTAP_VALUE_BOOL(true);
	int err = 0;

	vm->event = ev;
	if (probe->filter != KTAP_NONE)
		err = ktap_vm_run(vm, probe->filter, NULL, 0, &verdict);
	if (!err && !ktap_is_true(&verdict)) {
		this_cpu_inc(probe->stats->filtered);
		goto out;
	}
	if (!err) {
		this_cpu_inc(probe->stats->hits);
		err = ktap_vm_run(vm, probe->handler, &arg, 1, NULL);
	}
	if (likely(!err || err == -ECANCELED))
		goto out;
	this_cpu_inc(probe->stats->errors);
	ktap_session_error(probe->session, vm);
out:
	vm->event = NULL;
	return err;
}

NOKPROBE_SYMBOL(ktap_run_clause);

/* Has the run that begins interrupted another one of its session? */
static __always_inline bool is_nested(const struct cpu_activations *acts, const struct ktap_vm *vm)
{
	unsigned int level;

	for (level = 0; level < vm->level; level++) {
		if (READ_ONCE(acts->busy[level]) && acts->levels[level].vm.env == vm->env)
			return true;
	}
	return false;
}

/* The end of a run that was measured, or a part of it. */
static void finish(struct ktap_vm *vm, struct ktap_probe *probe)
{
	struct ktap_probe_stats *stats = this_cpu_ptr(probe->stats);
	const struct ktap_func *handler = &vm->env->prog->funcs[probe->handler];
	bool held = ktap_meter_finish(vm->meter, trace_clock_local());

	WRITE_ONCE(stats->time, stats->time + vm->meter->run);
	/* One that has ended the session was told of already. */
	if (likely(!held) || vm->error)
		return;
	this_cpu_inc(probe->stats->errors);
	ktap_vm_held_cpu(vm);
	vm->fault = (struct ktap_fault){ .func = handler, .pc = handler->first };
	ktap_session_error(probe->session, vm);
}

NOKPROBE_SYMBOL(finish);

/*
 * The clock is that of this CPU, as it is for the ring buffers of the tracing
 * code: to be had in any context, without a lock, and cheap where the one that
 * all CPUs share is a device.
 */
static __always_inline void run_measured(struct ktap_vm *vm, struct ktap_probe *probe,
					 const struct ktap_event *ev)
{
	struct ktap_meter *meter = vm->meter;

	if (ktap_meter_is_due(meter) && !ktap_meter_start(meter, trace_clock_local())) {
		this_cpu_inc(probe->stats->skipped);
		return;
	}
	ktap_run_clause(vm, probe, ev);
	if (ktap_meter_is_running(meter))
		finish(vm, probe);
}

static void run_nested(struct ktap_vm *vm, struct ktap_probe *probe, const struct ktap_event *ev)
{
	bool over = READ_ONCE(vm->meter->over);

	vm->meter = NULL;
	if (over)
		this_cpu_inc(probe->stats->skipped);
	else
		ktap_run_clause(vm, probe, ev);
}

NOKPROBE_SYMBOL(run_nested);

/**
 * ktap_fire() - An event has happened
 * @hit: where, and what
 *
 * Context: any, preemption disabled, within the grace period that
 * ktap_sources_detach() waits for.
 */
void ktap_fire(const struct ktap_hit *hit)
{
	struct ktap_probe *probe = hit->point->probe;
	struct ktap_session *s = probe->session;
	unsigned int level = interrupt_context_level();
	struct cpu_activations *acts;
	struct ktap_vm *vm;

	if (!delivers(s, level))
		return;

	acts = __this_cpu_read(activations);
	if (unlikely(acts->busy[level] || __this_cpu_read(ktap_locks_held))) {
		this_cpu_inc(probe->stats->missed);
		return;
	}
	WRITE_ONCE(acts->busy[level], true);
	barrier();

	/* Only now: what it does may be an event itself. */
	if (is_wanted(s)) {
		vm = &acts->levels[level].vm;
		vm->env = &s->env;
		vm->meter = this_cpu_ptr(s->meters);
		/* What interrupts us from here on leaves the meter to us. */
		barrier();
		if (unlikely(is_nested(acts, vm)))
			run_nested(vm, probe, &hit->ev);
		else
			run_measured(vm, probe, &hit->ev);
	}

	barrier();
	WRITE_ONCE(acts->busy[level], false);
}

NOKPROBE_SYMBOL(ktap_fire);
