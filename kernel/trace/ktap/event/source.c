// SPDX-License-Identifier: GPL-2.0
/*
 * Registration of probes: find the points of the event that a probe names.
 */
#include <linux/bitmap.h>
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/glob.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../trace.h"
#include "event/source.h"
#include "session.h"
#include "vm/builtin.h"
#include "vm/kernel_function.h"
#include "vm/opcode.h"

const struct ktap_source * const ktap_sources[] = {
	&ktap_tracepoint_source,
#ifdef CONFIG_FTRACE_SYSCALLS
	&ktap_syscall_source,
#endif
	&ktap_timer_source,
	&ktap_iter_source,
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
#ifdef CONFIG_KTAP_PACKET
	&ktap_packet_source,
#endif
};

const unsigned int ktap_nsources = ARRAY_SIZE(ktap_sources);

/**
 * ktap_probe_charge() - Count memory of a probe against the limit of its session
 * @probe: the probe
 * @bytes: size of its new structures, and of what the kernel allocates for them
 *
 * The kernel's own code (filters of ftrace, uprobes, perf events) allocates without
 * __GFP_ACCOUNT: no memory cgroup is charged for that, only this sum bounds it.
 * Context: process, &ktap_session.lock held.
 * Return: 0, or -ENOMEM: the caller must drop the probe.
 */
int ktap_probe_charge(struct ktap_probe *probe, size_t bytes)
{
	struct ktap_session *s = probe->session;

	lockdep_assert_held(&s->lock);
	if (s->probe_bytes > s->probe_max || bytes > s->probe_max - s->probe_bytes) {
		probe->too_large = true;
		return -ENOMEM;
	}
	probe->bytes += bytes;
	WRITE_ONCE(s->probe_bytes, s->probe_bytes + bytes);
	return 0;
}

/**
 * ktap_point_init() - Add a point of one event to its probe and session
 * @point: the point, zeroed
 * @probe: the probe
 * @source: the source of the event
 * @name: the event's name; not copied, it must live as long as the point
 *
 * Context: process, &ktap_session.lock held.
 */
void ktap_point_init(struct ktap_point *point, struct ktap_probe *probe,
		     const struct ktap_source *source, const char *name)
{
	lockdep_assert_held(&probe->session->lock);
	point->probe = probe;
	point->source = source;
	point->name = name;
	point->name_len = strlen(name);
	list_add_tail(&point->list, &probe->session->points);
	probe->session->npoints++;
	ktap_point_events(point, 1);
	if (source->missed)
		probe->counting = point;
	probe->slow_fields |= !source->quick_fields;
}

/* Set the number of events of the point (1 by default). */
void ktap_point_events(struct ktap_point *point, u32 n)
{
	point->probe->session->nevents += n - point->nevents;
	point->nevents = n;
}

/* Set the general message for an error; return @err. */
int ktap_event_error(struct ktap_vm *vm, const char *event, int err)
{
	const char *why = "this kernel does not allow it";

	if (err == -ENOMEM)
		why = "no memory";
	else if (err == -EACCES || err == -EPERM)
		why = "permission denied";
	else if (err == -EBUSY)
		why = "it is being changed, try again";
	return ktap_vm_error(vm, err, "event '%s' cannot be traced: %s", event, why);
}

/* Return why a probe cannot wait for @call, or NULL if it can. */
static const char *source_unfit(const struct trace_event_call *call)
{
	if (call->flags & TRACE_EVENT_FL_IGNORE_ENABLE)
		return "it is written by a tracer, not by an event";
	if (!call->class->reg)
		return "it cannot be enabled";
	if (call->flags & TRACE_EVENT_FL_EPROBE)
		return "it is made of another event: trace that one";
	if (!strcmp(call->class->system, "ktap"))
		return "it belongs to a script";
	return NULL;
}

static bool source_is_pattern(const char *s)
{
	return strpbrk(s, "*?[");
}

static int source_none_found(struct ktap_vm *vm, const struct ktap_probe *probe, const char *system,
			     bool exact, bool system_found)
{
	const char *what = exact ? "no event" : "no event matches";

	if (system_found || !IS_ENABLED(CONFIG_MODULES))
		return ktap_vm_error(vm, -ENOENT, "%s '%s'", what, probe->event);
	return ktap_vm_error(vm, -ENOENT,
			     "%s '%s': no event system '%s'; a module adds its events when it is loaded",
			     what, probe->event, system);
}

/* The opener may trace only own processes. */
static int source_not_own(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	return ktap_vm_error(vm, -EPERM,
			     "'%s': CAP_PERFMON is needed (for tracepoints and profiles kernel.perf_event_paranoid=-1 is enough): this user may trace system calls of own processes",
			     probe->event);
}

/* Add all matching events to the probe. */
static int source_add_events(struct ktap_vm *vm, struct ktap_probe *probe, const char *system,
			     const char *event)
{
	bool exact = !source_is_pattern(system) && !source_is_pattern(event);
	const struct ktap_session *s = probe->session;
	unsigned int before = s->npoints;
	struct trace_event_call *call;
	bool system_found = false;
	const char *why;
	int err;

	guard(mutex)(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list) {
		const char *name = trace_event_name(call);

		cond_resched();
		if (!name || !glob_match(system, call->class->system))
			continue;
		/* nor may the opener learn what others exist */
		if (s->filter.owner && !ktap_is_syscall(call))
			continue;
		system_found = true;
		if (!glob_match(event, name))
			continue;
		why = source_unfit(call);
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
		/* its module is being loaded or unloaded */
		if (err == -EBUSY && !exact)
			continue;
		if (err)
			return ktap_event_error(vm, name, err);
	}

	if (s->npoints > before)
		return 0;
	if (s->filter.owner && !system_found)
		return source_not_own(vm, probe);
	return source_none_found(vm, probe, system, exact, system_found);
}

/*
 * Longest name or pattern of trace events.  glob_match() may look at each byte of the pattern for
 * each byte of each name, and event_mutex is held meanwhile.
 */
#define SOURCE_MAX_PATTERN	256

/* "SYSTEM:EVENT" or "SYSTEM:"; after "tp:" also "SYSTEM" or nothing */
static int source_parse_tracepoint(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	char *system __free(kfree) = kstrdup(rest, KTAP_GFP);
	const char *event = "*";
	char *colon;

	if (strlen(rest) > SOURCE_MAX_PATTERN)
		return ktap_vm_error(vm, -E2BIG,
				     "the name of a trace event has at most %u bytes, also as a pattern",
				     SOURCE_MAX_PATTERN);
	if (!system)
		return ktap_vm_error(vm, -ENOMEM, "no memory");

	colon = strchr(system, ':');
	if (colon) {
		*colon = '\0';
		if (colon[1])
			event = colon + 1;
	}
	return source_add_events(vm, probe, *system ? system : "*", event);
}

static int source_parse_begin(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	probe->kind = KTAP_ON_BEGIN;
	return 0;
}

static int source_parse_end(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	probe->kind = KTAP_ON_END;
	return 0;
}

static int source_parse_tick(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	int err = ktap_tick_add(probe, rest);

	switch (err) {
	case -EINVAL:
		return ktap_vm_error(vm, err, "'%s': a tick is like tick-10ms (s, ms, us, ns, hz)",
				     probe->event);
	case -ERANGE:
		return ktap_vm_error(vm, err, "'%s' is too often: at most every %s", probe->event,
				     probe->session->filter.owner ? "1ms without CAP_PERFMON" :
								    "10us");
	case -EUSERS:
		return ktap_vm_error(vm, err, "'%s': at most %u ticks without CAP_PERFMON",
				     probe->event, KTAP_MAX_OWN_TICKS);
	case 0:
		return 0;
	}
	return ktap_event_error(vm, probe->event, err);
}

/*
 * Convert bpftrace's spelling of a period: both "ms:10" and "10ms" after "interval:"
 * become "10ms".  Return false if @rest is no period or too long.
 */
static bool source_join_period(char *period, size_t size, const char *rest)
{
	const char *colon = strchr(rest, ':');
	int unit = colon ? colon - rest : 0;

	if (colon && isdigit(*rest))
		return false;
	return snprintf(period, size, "%s%.*s", colon ? colon + 1 : rest, unit, rest) < size;
}

static int source_parse_interval(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	char period[32];
	bool joined = source_join_period(period, sizeof(period), rest);

	return source_parse_tick(vm, probe, joined ? period : "");
}

static int __maybe_unused source_parse_none(struct ktap_vm *vm, struct ktap_probe *probe,
					    const char *rest)
{
	return ktap_vm_error(vm, -EOPNOTSUPP, "this kernel's ktap has no source for '%.*s'",
			     (int)(rest - probe->event), probe->event);
}

#define source_parse_iter	ktap_parse_iter

#ifdef CONFIG_PERF_EVENTS
static int source_parse_profile(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest)
{
	char period[32];
	bool joined = source_join_period(period, sizeof(period), rest);

	return ktap_parse_profile(vm, probe, joined ? period : "");
}
#else
#define source_parse_profile	source_parse_none
#define ktap_parse_profile	source_parse_none
#define ktap_parse_software	source_parse_none
#define ktap_parse_hardware	source_parse_none
#endif
#if !KTAP_CAN_WATCH
#define ktap_parse_watch	source_parse_none
#endif
#ifndef CONFIG_DYNAMIC_FTRACE_WITH_ARGS
#define ktap_parse_ftrace	source_parse_none
#endif
#ifndef CONFIG_FPROBE
#define ktap_parse_rawtp	source_parse_none
#endif
#ifndef CONFIG_UPROBES
#define ktap_parse_user		source_parse_none
#endif
#ifndef CONFIG_KTAP_PACKET
#define ktap_parse_packet	source_parse_none
#endif

typedef int source_parse_fn(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest);

/*
 * May the events that @parse adds be those of a session of own processes?  It finds no
 * tracepoints then but those of system calls.
 */
static bool source_is_own(source_parse_fn *parse)
{
	return parse == source_parse_begin || parse == source_parse_end ||
	       parse == source_parse_tick || parse == source_parse_interval ||
	       parse == source_parse_tracepoint;
}

/* Prefixes of events: the first match is used.  Without a match: SYSTEM:EVENT. */
static const struct {
	const char *prefix;
	bool whole;		/* nothing may follow */
	source_parse_fn *parse;
} spellings[] = {
#define PROCESS_EVENT(_prefix, _whole, _parse)	{ _prefix, _whole, source_parse_##_parse },
#include "vm/process_event_list.h"
#undef PROCESS_EVENT
	{ "tp:",	false,	source_parse_tracepoint },
	{ "tracepoint:", false,	source_parse_tracepoint },
	{ "rawtp:",	false,	ktap_parse_rawtp },
	{ "profile-",	false,	ktap_parse_profile },
	{ "profile:",	false,	source_parse_profile },
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
	{ "watch:",	false,	ktap_parse_watch },
	{ "packet:",	false,	ktap_parse_packet },
};

static int source_parse_event(struct ktap_vm *vm, struct ktap_probe *probe)
{
	const char *event = probe->event;
	unsigned int i;
	size_t len;

	/* Events that the tool has found in user files, whatever their prefix. */
	if (ktap_user_event_find(&probe->session->user_places, NULL, event))
		return ktap_parse_user(vm, probe, event + strlen(event));
	for (i = 0; i < ARRAY_SIZE(spellings); i++) {
		len = strlen(spellings[i].prefix);
		if (strncmp(event, spellings[i].prefix, len))
			continue;
		if (spellings[i].whole && event[len])
			continue;
		if (probe->session->filter.owner && !source_is_own(spellings[i].parse))
			return source_not_own(vm, probe);
		return spellings[i].parse(vm, probe, event + len);
	}
	if (!strchr(event, ':'))
		return ktap_vm_error(vm, -ENOENT, "no event '%s'", event);
	return source_parse_tracepoint(vm, probe, event);
}

static void source_free_probe(struct ktap_probe *probe)
{
	bitmap_free(probe->plan.fields);
	module_put(probe->mod);
	free_percpu(probe->stats);
	kfree(probe);
}

/* Free all points of a probe.  None of them has been attached. */
static void source_drop_points(struct ktap_probe *probe)
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
	WRITE_ONCE(s->probe_bytes, s->probe_bytes - probe->bytes);
	probe->bytes = 0;
}

static size_t source_probe_memory(const struct ktap_probe *probe)
{
	return struct_size_t(struct ktap_probe, event, strlen(probe->event) + 1) +
	       num_possible_cpus() * sizeof(struct ktap_probe_stats) +
	       BITS_TO_BYTES(probe->session->env.prog->nfields);
}

/**
 * ktap_probe_release() - Free what a deleted probe has, except its counters
 * @probe: the probe.  Its points are detached, no handler of them runs, and nobody can find
 *	&ktap_probe.counting any more
 *
 * Context: the session's thread, &ktap_session.lock held.
 */
void ktap_probe_release(struct ktap_probe *probe)
{
	struct ktap_session *s = probe->session;
	struct ktap_point *point, *next;
	unsigned int nevents = 0;

	lockdep_assert_held(&s->lock);
	list_for_each_entry_safe(point, next, &s->points, list) {
		if (point->probe != probe)
			continue;
		if (point->source->missed)
			WRITE_ONCE(probe->missed, probe->missed + point->source->missed(point));
		list_del(&point->list);
		s->npoints--;
		nevents += point->nevents;
		point->source->release(point);
		cond_resched();
	}
	module_put(probe->mod);
	probe->mod = NULL;
	WRITE_ONCE(s->nevents, s->nevents - nevents);
	WRITE_ONCE(s->probe_bytes, s->probe_bytes - (probe->bytes - source_probe_memory(probe)));
	probe->bytes = source_probe_memory(probe);
	WRITE_ONCE(probe->released, true);
}

/* Replace the message of -ENOMEM by one with the reason and the memory in use. */
static int source_no_memory(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	const struct ktap_session *s = probe->session;
	size_t taken = (s->probe_bytes - probe->bytes) >> 10;

	vm->error = 0;
	if (probe->too_large)
		return ktap_vm_error(vm, -ENOMEM,
				     "no memory for '%s': the probes of a session may take %zu KiB (-m for more), and %u have taken %zu KiB",
				     probe->event, s->probe_max >> 10, s->nprobes, taken);
	return ktap_vm_error(vm, -ENOMEM,
			     "no memory for '%s': the system or its memory cgroup has none left; %u probes have taken %zu KiB",
			     probe->event, s->nprobes, taken);
}

/* Compare "MODULE:FUNCTION+OFFSET" of two probes with fetch arguments. */
static bool source_same_location(const struct ktap_probe *a, const struct ktap_probe *b)
{
	const char *x = strchrnul(a->event, ':'), *y = strchrnul(b->event, ':');
	size_t len = strcspn(x, " ");

	return strcspn(y, " ") == len && !strncmp(x, y, len);
}

/*
 * The kprobe of an event with fetch arguments is created together with the event, and
 * the kernel calls the newest kprobe of an address first.  To run the handlers in the
 * order of the script, create the events of earlier probes again.
 */
static int source_renew_earlier(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	struct ktap_probe *earlier;
	int err;

	list_for_each_entry_reverse(earlier, &probe->session->probes, list) {
		if (!earlier->fetches || !source_same_location(earlier, probe))
			continue;
		cond_resched();
		if (ktap_unloads(earlier->session))
			return ktap_vm_error(vm, -EINTR, "the session ends");
		source_drop_points(earlier);
		earlier->counting = NULL;
		err = ktap_probe_charge(earlier, source_probe_memory(earlier)) ?:
		      source_parse_event(vm, earlier);
		if (!err)
			continue;
		/* -EINTR cannot be caught: the earlier probe would have no event. */
		vm->error = 0;
		return ktap_vm_error(vm, -EINTR, "the event '%s' could not be made again",
				     earlier->event);
	}
	return 0;
}

/* Visitor for ktap_probe_calls(): note the call of a function that needs process context. */
static bool source_find_call(const struct ktap_code *insn, void *data)
{
	const struct ktap_code **call = data;

	*call = insn;
	return insn->op == KTAP_OP_KANY;
}

/*
 * A function that is not in the list may sleep and take locks, which the interrupted code
 * may hold.  So only ticks and iterators call it, by the session's thread.  The interpreter
 * checks that, too.
 */
static int source_check_calls(struct ktap_vm *vm, const struct ktap_probe *probe)
{
	const struct ktap_program *prog = vm->env->prog;
	struct ktap_session *s = probe->session;
	const struct ktap_code *call;
	const struct ktap_point *point;

	if (!KTAP_CAN_CALL || probe->kind != KTAP_ON_EVENT ||
	    !ktap_probe_calls(probe, source_find_call, &call))
		return 0;
	list_for_each_entry(point, &s->points, list) {
		if (point->probe != probe || point->source->in_process)
			continue;
		s->refused_at = call - prog->code;
		return ktap_vm_error(vm, -EINVAL,
				     "'%s' is no function for handlers of events: call it at the top level, in trace_begin, trace_end or a tick",
				     (const char *)prog->strings[call->d].blob);
	}
	return 0;
}

/*
 * Register a probe.  @def is the index of its definition, or KTAP_NONE for a probe
 * that is not defined in the chunk.  Events are delivered after the top level.
 */
static int source_add_probe(struct ktap_vm *vm, const struct ktap_value *event, u32 filter,
			    u32 handler, u32 def)
{
	struct ktap_session *s = ktap_session_of(vm);
	struct ktap_probe *probe;
	int err;

	s->refused_at = vm->pc;
	/* Later, points are not attached any more, and &ktap_session.lock is not held. */
	if (READ_ONCE(s->filter.state) != KTAP_LOADING)
		return ktap_vm_error(vm, -EPERM, "events can be registered at the top level only");
	lockdep_assert_held(&s->lock);
	if (s->nprobes == KTAP_MAX_PROBES)
		return ktap_vm_error(vm, -E2BIG, "more than %u probes", KTAP_MAX_PROBES);
	probe = kzalloc_flex(*probe, event, event->len + 1, KTAP_GFP);
	if (!probe)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	probe->stats = alloc_percpu_gfp(struct ktap_probe_stats, KTAP_GFP);
	probe->session = s;
	probe->kind = KTAP_ON_EVENT;
	probe->pc = vm->pc;
	probe->filter = filter;
	probe->handler = handler;
	probe->condition = def == KTAP_NONE ? KTAP_NONE : s->env.prog->probe_defs[def].condition;
	probe->switched = def != KTAP_NONE && s->env.prog->probe_defs[def].switched ? def :
										      KTAP_NONE;
	probe->filter_func = filter == KTAP_NONE ? NULL : &s->env.prog->funcs[filter];
	probe->handler_func = &s->env.prog->funcs[handler];
	memcpy(probe->event, event->blob, event->len);

	if (!probe->stats)
		err = -ENOMEM;
	else
		err = ktap_probe_charge(probe, source_probe_memory(probe)) ?:
		      ktap_plan_make(probe) ?:
		      source_parse_event(vm, probe) ?: ktap_inject_check(vm, probe) ?:
		      ktap_packet_check(vm, probe) ?: ktap_condition_check(vm, probe) ?:
		      source_check_calls(vm, probe);
	if (!err && probe->fetches)
		err = source_renew_earlier(vm, probe);
	if (!err && def != KTAP_NONE)
		err = ktap_field_check_probe(vm, probe, def);
	if (err) {
		s->refused = vm->pc + 1;
		if (err == -ENOMEM)
			source_no_memory(vm, probe);
		source_drop_points(probe);
		source_free_probe(probe);
		return err;
	}

	/* Readers of ktap/sessions do not hold &ktap_session.lock. */
	list_add_tail_rcu(&probe->list, &s->probes);
	s->nprobes++;
	return 0;
}

int ktap_fn_trace(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_probe_def *def;
	u32 i = r[0].u;

	if (r[0].u > U32_MAX || !ktap_index(&i, prog->nprobe_defs))
		return ktap_vm_error(vm, -EINVAL, "there is no probe %lld", r[0].i);
	def = &prog->probe_defs[i];
	r[0] = KTAP_VALUE_NIL;
	return source_add_probe(vm, def->event, def->filter, def->handler, i);
}

int ktap_fn_probe(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_program *prog = vm->env->prog;
	int err = source_add_probe(vm, &r[0], KTAP_NONE, ktap_func_of(prog, &r[1]) - prog->funcs,
				   KTAP_NONE);

	r[0] = KTAP_VALUE_NIL;
	return err;
}

/* Free all probes and unpin the modules that they trace. */
void ktap_sources_release(struct ktap_session *s)
{
	struct ktap_point *point, *next_point;
	struct ktap_probe *probe, *next;
	unsigned int i;

	list_for_each_entry_safe(point, next_point, &s->points, list)
		point->source->release(point);
	list_for_each_entry_safe(probe, next, &s->probes, list)
		source_free_probe(probe);
	for (i = 0; i < ktap_nsources; i++) {
		if (ktap_sources[i]->release_all)
			ktap_sources[i]->release_all(s);
	}
}

/* Write the names of the sources that this kernel has. */
void ktap_sources_show(struct seq_file *m)
{
	unsigned int i;

	for (i = 0; i < ktap_nsources; i++)
		seq_printf(m, " %s", ktap_sources[i]->name);
	if (KTAP_CAN_WATCH)
		seq_puts(m, " watch");
}

/**
 * ktap_probe_stats() - Sum up the counters of a probe
 * @probe: the probe
 * @sum: gets the sums over all possible CPUs; they are no snapshot of one moment
 *
 * Context: process.
 */
void ktap_probe_stats(const struct ktap_probe *probe, struct ktap_probe_totals *sum)
{
	const struct ktap_point *counting;
	int cpu;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		const struct ktap_probe_stats *stats = per_cpu_ptr(probe->stats, cpu);

		sum->hits += ktap_tally_read(&stats->hits);
		sum->filtered += ktap_tally_read(&stats->filtered);
		sum->missed += ktap_tally_read(&stats->missed);
		sum->skipped += ktap_tally_read(&stats->skipped);
		sum->errors += ktap_tally_read(&stats->errors);
		sum->time += ktap_probe_time(stats);
	}
	sum->missed += READ_ONCE(probe->missed) + ktap_dynevent_missed(probe);
	/* ktap_probe_release() frees it after a grace period. */
	guard(rcu)();
	counting = READ_ONCE(probe->counting);
	if (counting)
		sum->missed += counting->source->missed(counting);
}
