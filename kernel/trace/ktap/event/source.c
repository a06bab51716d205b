// SPDX-License-Identifier: GPL-2.0
/*
 * From the text of an event to the points where it can happen, and the order
 * in which these are attached and detached.
 */
#include <linux/cleanup.h>
#include <linux/glob.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../trace.h"
#include "builtin.h"
#include "source.h"

const struct ktap_source * const ktap_sources[] = {
	&ktap_tracepoint_source,
#ifdef CONFIG_FTRACE_SYSCALLS
	&ktap_syscall_source,
#endif
	&ktap_timer_source,
#ifdef CONFIG_PERF_EVENTS
	&ktap_perf_source,
#endif
#ifdef CONFIG_FPROBE
	&ktap_fprobe_source,
	&ktap_rawtp_source,
#endif
#ifdef CONFIG_KPROBES
	&ktap_kprobe_source,
#endif
#ifdef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
	&ktap_ftrace_source,
#endif
#ifdef CONFIG_UPROBES
	&ktap_uprobe_source,
#endif
};

const unsigned int ktap_nsources = ARRAY_SIZE(ktap_sources);

/**
 * ktap_point_init() - Adds a point to its clause and session, as one event
 * @point: the point, zeroed
 * @probe: the clause
 * @source: whose point it is
 * @name: the event's name; not copied, it must live as long as the point
 *
 * Context: process, &ktap_session.lock held.
 */
void ktap_point_init(struct ktap_point *point, struct ktap_probe *probe,
		     const struct ktap_source *source, const char *name)
{
	point->probe = probe;
	point->source = source;
	point->name = name;
	point->name_len = strlen(name);
	list_add_tail(&point->list, &probe->session->points);
	probe->session->npoints++;
	ktap_point_events(point, 1);
	if (source->missed)
		probe->counting = point;
}

/* Sets how many events the point stands for (1 by default). */
void ktap_point_events(struct ktap_point *point, u32 n)
{
	point->probe->session->nevents += n - point->nevents;
	point->nevents = n;
}

/* An error for which nobody has a better word; returns it, set. */
int ktap_event_error(struct ktap_vm *vm, const char *event, int err)
{
	const char *why = "this kernel does not let it";

	if (err == -ENOMEM)
		why = "no memory";
	else if (err == -EACCES || err == -EPERM)
		why = "you may not do that";
	else if (err == -EBUSY)
		why = "it is just being changed, try again";
	return ktap_vm_error(vm, err, "event '%s' cannot be traced: %s", event, why);
}

/* Why no clause can wait for @call; NULL if one can. */
static const char *unfit(const struct trace_event_call *call)
{
	if (call->flags & TRACE_EVENT_FL_IGNORE_ENABLE)
		return "it is written by a tracer, not by an event";
	if (!call->class->reg)
		return "it cannot be enabled";
	if (!strcmp(call->class->system, "ktap"))
		return "it belongs to a script";
	return NULL;
}

static bool is_pattern(const char *s)
{
	return strpbrk(s, "*?[");
}

static int none_found(struct ktap_vm *vm, const struct ktap_probe *probe, const char *system,
		      bool exact, bool system_found)
{
	const char *what = exact ? "no event" : "no event matches";

	if (system_found || !IS_ENABLED(CONFIG_MODULES))
		return ktap_vm_error(vm, -ENOENT, "%s '%s'", what, probe->event);
	return ktap_vm_error(vm, -ENOENT,
			     "%s '%s': there are none of '%s'; a module has its own once it is loaded",
			     what, probe->event, system);
}

/* Adds all events that match to the clause. */
static int add_events(struct ktap_vm *vm, struct ktap_probe *probe, const char *system,
		      const char *event)
{
	bool exact = !is_pattern(system) && !is_pattern(event);
	const struct ktap_session *s = probe->session;
	unsigned int before = s->npoints;
	struct trace_event_call *call;
	bool system_found = false;
	const char *why;
	int err;

	guard(mutex)(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list) {
		const char *name = trace_event_name(call);

		if (!name || !glob_match(system, call->class->system))
			continue;
		system_found = true;
		if (!glob_match(event, name))
			continue;
		why = unfit(call);
		if (why && exact)
			return ktap_vm_error(vm, -EINVAL, "event '%s' cannot be traced: %s",
					     probe->event, why);
		if (why)
			continue;
		if (s->npoints >= KTAP_MAX_POINTS)
			return ktap_vm_error(vm, -E2BIG, "more than %d events in one script",
					     KTAP_MAX_POINTS);
		if (ktap_is_syscall(call))
			err = ktap_syscall_add(probe, call);
		else
			err = ktap_tracepoint_add(probe, call);
		if (err)
			return ktap_event_error(vm, name, err);
	}

	if (s->npoints > before)
		return 0;
	return none_found(vm, probe, system, exact, system_found);
}

/* "SYSTEM:EVENT", "SYSTEM:" or, behind a "tp:", also "SYSTEM" and nothing */
static int parse_tracepoint(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	char *system __free(kfree) = kstrdup(rest, GFP_KERNEL_ACCOUNT);
	const char *event = "*";
	char *colon;

	if (!system)
		return ktap_vm_error(vm, -ENOMEM, "no memory");

	colon = strchr(system, ':');
	if (colon) {
		*colon = '\0';
		if (colon[1])
			event = colon + 1;
	}
	return add_events(vm, probe, *system ? system : "*", event);
}

static int parse_begin(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	probe->kind = KTAP_ON_BEGIN;
	return 0;
}

static int parse_end(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	probe->kind = KTAP_ON_END;
	return 0;
}

static int parse_tick(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	int err = ktap_tick_add(probe, rest);

	switch (err) {
	case -EINVAL:
		return ktap_vm_error(vm, err, "'%s': a tick is like tick-10ms (s, ms, us, ns, hz)",
				     probe->event);
	case -ERANGE:
		return ktap_vm_error(vm, err, "'%s' is too often: at most every 10us",
				     probe->event);
	case 0:
		return 0;
	}
	return ktap_event_error(vm, probe->event, err);
}

static int __maybe_unused parse_none(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	return ktap_vm_error(vm, -EOPNOTSUPP, "this kernel's ktap has no source for '%.*s'",
			     (int)(rest - probe->event), probe->event);
}

#ifndef CONFIG_PERF_EVENTS
#define ktap_parse_profile	parse_none
#define ktap_parse_software	parse_none
#define ktap_parse_hardware	parse_none
#endif
#ifndef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define ktap_parse_ftrace	parse_none
#endif
#ifndef CONFIG_FPROBE
#define ktap_parse_rawtp	parse_none
#endif
#ifndef CONFIG_UPROBES
#define ktap_parse_user		parse_none
#endif

/* Prefixes of events, first match wins; no match: SYSTEM:EVENT. */
static const struct {
	const char *prefix;
	bool whole;		/* nothing may follow */
	int (*parse)(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);
} spellings[] = {
	{ "trace_begin", true,	parse_begin },
	{ "trace_end",	true,	parse_end },
	{ "tick-",	false,	parse_tick },
	{ "tp:",	false,	parse_tracepoint },
	{ "tracepoint:", false,	parse_tracepoint },
	{ "rawtp:",	false,	ktap_parse_rawtp },
	{ "profile-",	false,	ktap_parse_profile },
	{ "probe:/",	false,	ktap_parse_user },
	{ "probe:",	false,	ktap_parse_probe },
	{ "kprobe:",	false,	ktap_parse_probe },
	{ "kretprobe:",	false,	ktap_parse_kretprobe },
	{ "uprobe:",	false,	ktap_parse_user },
	{ "uretprobe:",	false,	ktap_parse_user },
	{ "ftrace:",	false,	ktap_parse_ftrace },
	{ "sdt:",	false,	ktap_parse_user },
	{ "usdt:",	false,	ktap_parse_user },
	{ "software:",	false,	ktap_parse_software },
	{ "hardware:",	false,	ktap_parse_hardware },
};

static int parse_event(struct ktap_vm *vm, struct ktap_probe *probe)
{
	const char *event = probe->event;
	unsigned int i;
	size_t len;

	/* The program ktap knows, whatever it looks like. */
	if (ktap_answer_find(&probe->session->answers, NULL, event))
		return ktap_parse_user(vm, probe, event + strlen(event));
	for (i = 0; i < ARRAY_SIZE(spellings); i++) {
		len = strlen(spellings[i].prefix);
		if (strncmp(event, spellings[i].prefix, len))
			continue;
		if (!spellings[i].whole || !event[len])
			return spellings[i].parse(vm, probe, event + len);
	}
	if (!strchr(event, ':'))
		return ktap_vm_error(vm, -ENOENT, "no event '%s'", event);
	return parse_tracepoint(vm, probe, event);
}

/* What is known of a function. */
enum reach {
	NOT_CALLED,
	CALLED,
	LOOKED_AT,
};

static void mark_called(u8 *reach, u32 func)
{
	if (reach[func] == NOT_CALLED)
		reach[func] = CALLED;
}

/* Marks the functions that an instruction may call; or, if @sure, names. */
static void mark_callees(const struct ktap_program *prog, const struct ktap_code *insn,
			 u8 *reach, bool sure)
{
	u32 i;

	switch (insn->op) {
	case KTAP_OP_FUNC:
	case KTAP_OP_CALL:
		mark_called(reach, insn->d);
		break;
	case KTAP_OP_CALLV:
		/* It may come from anywhere. */
		if (sure || !memchr(reach, NOT_CALLED, prog->nfuncs))
			break;
		for (i = 0; i < prog->nfuncs; i++)
			mark_called(reach, i);
		break;
	}
}

/* The same of those that a function may call; true if it has a wanted instruction. */
static bool look_at(const struct ktap_program *prog, u32 func, u8 *reach, bool sure,
		    ktap_wanted_fn wanted, void *data)
{
	const struct ktap_code *insn = prog->code + prog->funcs[func].first;
	const struct ktap_code *end = insn + prog->funcs[func].ninsns;

	reach[func] = LOOKED_AT;
	for (; insn < end; insn++) {
		if (wanted(insn, data))
			return true;
		mark_callees(prog, insn, reach, sure);
	}
	return false;
}

static bool find(const struct ktap_probe *probe, bool sure, ktap_wanted_fn wanted, void *data)
{
	u8 *reach __free(kvfree) = kvzalloc(probe->session->env.prog->nfuncs, GFP_KERNEL);
	const struct ktap_program *prog = probe->session->env.prog;
	const u8 *next;

	if (!reach)
		return !sure;
	mark_called(reach, probe->handler);
	if (probe->filter != KTAP_NONE)
		mark_called(reach, probe->filter);
	while ((next = memchr(reach, CALLED, prog->nfuncs))) {
		if (look_at(prog, next - reach, reach, sure, wanted, data))
			return true;
		cond_resched();
	}
	return false;
}

/**
 * ktap_clause_reaches() - May a clause execute an instruction of some kind?
 * @probe: the clause
 * @wanted: says of an instruction whether it is one
 * @data: for @wanted
 *
 * Context: process, may sleep.
 * Return: false if it cannot, and @wanted was asked about all that it may execute;
 * true if it may, or there is no memory to tell.
 */
bool ktap_clause_reaches(const struct ktap_probe *probe, ktap_wanted_fn wanted, void *data)
{
	return find(probe, false, wanted, data);
}

/* The same, but functions that are called by their value are left out. */
bool ktap_clause_calls(const struct ktap_probe *probe, ktap_wanted_fn wanted, void *data)
{
	return find(probe, true, wanted, data);
}

static void free_probe(struct ktap_probe *probe)
{
	module_put(probe->mod);
	free_percpu(probe->stats);
	kfree(probe);
}

/* Nothing of the clause was attached yet. */
static void drop_points(struct ktap_probe *probe)
{
	struct ktap_session *s = probe->session;
	struct ktap_point *point, *next;

	list_for_each_entry_safe(point, next, &s->points, list) {
		if (point->probe != probe)
			continue;
		list_del(&point->list);
		s->npoints--;
		s->nevents -= point->nevents;
		point->source->release(point);
	}
}

/* Brings a clause to life.  Its events come when the top level is done. */
static int add_probe(struct ktap_vm *vm, const struct ktap_value *event, u32 filter, u32 handler)
{
	struct ktap_session *s = ktap_session_of(vm);
	struct ktap_probe *probe;
	int err;

	/* Later nobody would attach and detach it, and &ktap_session.lock is not held. */
	if (READ_ONCE(s->state) != KTAP_LOADING)
		return ktap_vm_error(vm, -EPERM, "events can be registered at the top level only");
	if (s->nprobes == KTAP_MAX_PROBES)
		return ktap_vm_error(vm, -E2BIG, "more than %u probes", KTAP_MAX_PROBES);
	probe = kzalloc_flex(*probe, event, event->len + 1, GFP_KERNEL_ACCOUNT);
	if (!probe)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	probe->stats = alloc_percpu_gfp(struct ktap_probe_stats, GFP_KERNEL_ACCOUNT);
	probe->session = s;
	probe->kind = KTAP_ON_EVENT;
	probe->pc = vm->pc;
	probe->filter = filter;
	probe->handler = handler;
	memcpy(probe->event, event->blob, event->len);

	if (!probe->stats)
		err = ktap_vm_error(vm, -ENOMEM, "no memory");
	else
		err = parse_event(vm, probe) ?: ktap_inject_check(vm, probe);
	if (err) {
		s->refused = vm->pc + 1;
		drop_points(probe);
		free_probe(probe);
		return err;
	}

	/* Who reads ktap/sessions takes no lock of ours. */
	list_add_tail_rcu(&probe->list, &s->probes);
	s->nprobes++;
	return 0;
}

int ktap_fn_trace(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_clause *clause;
	u32 i = r[0].u;

	if (r[0].u > U32_MAX || !ktap_index(&i, prog->nclauses))
		return ktap_vm_error(vm, -EINVAL, "there is no probe %lld", r[0].i);
	clause = &prog->clauses[i];
	r[0] = KTAP_VALUE_NIL;
	return add_probe(vm, clause->event, clause->filter, clause->handler);
}

int ktap_fn_probe(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_program *prog = vm->env->prog;
	int err = add_probe(vm, &r[0], KTAP_NONE, ktap_func_of(prog, &r[1]) - prog->funcs);

	r[0] = KTAP_VALUE_NIL;
	return err;
}

static const char *why(const struct ktap_source *source, int err)
{
	const char *text = source->why ? source->why(err) : NULL;

	if (err == -ENOMEM)
		return "no memory";
	if (err == -EINTR)
		return "the task that loads the script was killed";
	return text ?: source->refused;
}

/* Says why the point's @event cannot be attached; returns @err. */
int ktap_attach_error(const struct ktap_point *point, const char *event, int err)
{
	struct ktap_session *s = point->probe->session;

	ktap_diag_at(&s->diag, s->env.prog, point->probe->pc, "event '%s' cannot be attached: %s",
		     event, why(point->source, err));
	return err;
}

static int attach_point(struct ktap_point *point)
{
	/* Thousands of them take seconds. */
	if (fatal_signal_pending(current))
		return -EINTR;
	cond_resched();
	return point->source->attach ? point->source->attach(point) : 0;
}

static int attach_points(struct ktap_session *s)
{
	struct ktap_point *point;
	int err;

	lockdep_assert_held(&event_mutex);
	list_for_each_entry(point, &s->points, list) {
		err = attach_point(point);
		if (err)
			return ktap_attach_error(point, point->name, err);
		point->attached = true;
	}
	return 0;
}

/**
 * ktap_sources_attach() - Lets the events of all clauses come
 * @s: the session, its lock held; they are not delivered before it runs
 *
 * Return: 0 or a negative errno, &ktap_session.diag says why not;
 * ktap_sources_detach() is due in any case.
 */
int ktap_sources_attach(struct ktap_session *s)
{
	const struct ktap_source *source;
	unsigned int i;
	int err;

	lockdep_assert_held(&s->lock);
	s->attached = true;

	/* One hold for all: others who want event_mutex come before or after. */
	guard(mutex)(&event_mutex);
	err = attach_points(s);
	if (err)
		return err;
	for (i = 0; i < ktap_nsources; i++) {
		source = ktap_sources[i];
		err = source->attach_all ? source->attach_all(s) : 0;
		if (err) {
			/* Unless it has said of which event. */
			ktap_diag(&s->diag, "%s events cannot be attached: %s", source->name,
				  why(source, err));
			return err;
		}
	}
	return 0;
}

void ktap_sources_start(struct ktap_session *s)
{
	struct ktap_point *point;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(point, &s->points, list) {
		if (point->attached && point->source->start)
			point->source->start(point);
	}
}

/**
 * ktap_sources_detach() - Ends all events of a session
 * @s: the session, its lock held
 *
 * When it returns no handler runs, and none will.
 */
void ktap_sources_detach(struct ktap_session *s)
{
	struct ktap_point *point;
	unsigned int i;

	lockdep_assert_held(&s->lock);
	if (!s->attached)
		return;
	s->attached = false;

	scoped_guard(mutex, &event_mutex) {
		/*
		 * The last one first: a tracepoint that is left by the first of
		 * its users waits until nobody runs with the old ones.
		 */
		list_for_each_entry_reverse(point, &s->points, list) {
			if (point->attached && point->source->detach)
				point->source->detach(point);
			point->attached = false;
		}
		for (i = 0; i < ktap_nsources; i++) {
			if (ktap_sources[i]->detach_all)
				ktap_sources[i]->detach_all(s);
		}
		ktap_stand_ins_remove(s);
	}
	/* That may take as long as a page of a traced process: hold up nobody else. */
	for (i = 0; i < ktap_nsources; i++) {
		if (ktap_sources[i]->sync)
			ktap_sources[i]->sync(s);
	}
	if (s->npoints) {
		tracepoint_synchronize_unregister();
		/* Handlers of probe and user events are readers of this one. */
		synchronize_rcu();
	}
}

/* Frees all clauses.  Until then the modules they reach into stay. */
void ktap_sources_release(struct ktap_session *s)
{
	struct ktap_point *point, *next_point;
	struct ktap_probe *probe, *next;
	unsigned int i;

	list_for_each_entry_safe(point, next_point, &s->points, list)
		point->source->release(point);
	list_for_each_entry_safe(probe, next, &s->probes, list)
		free_probe(probe);
	for (i = 0; i < ktap_nsources; i++) {
		if (ktap_sources[i]->release_all)
			ktap_sources[i]->release_all(s);
	}
}

/**
 * ktap_probe_stats() - What became of the events of a clause so far
 * @probe: the clause
 * @sum: gets the sums over all possible CPUs, which are no picture of an instant
 *
 * Context: process.
 */
void ktap_probe_stats(const struct ktap_probe *probe, struct ktap_probe_stats *sum)
{
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct ktap_probe_stats *stats = per_cpu_ptr(probe->stats, cpu);

		sum->hits += READ_ONCE(stats->hits);
		sum->filtered += READ_ONCE(stats->filtered);
		sum->missed += READ_ONCE(stats->missed);
		sum->skipped += READ_ONCE(stats->skipped);
		sum->errors += READ_ONCE(stats->errors);
		sum->time += READ_ONCE(stats->time);
	}
	if (probe->counting)
		sum->missed += probe->counting->source->missed(probe->counting);
}
