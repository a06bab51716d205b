// SPDX-License-Identifier: GPL-2.0
/*
 * Attaching and detaching of probes: all points of a session, in the right order.
 */
#include <linux/cleanup.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "../../trace.h"
#include "event/source.h"
#include "jit/jit.h"
#include "session.h"

/* Why the events of a source cannot be attached */
const char *ktap_attach_why(const struct ktap_source *source, int err)
{
	const char *text = source->why ? source->why(err) : NULL;

	if (err == -ENOMEM)
		return "no memory";
	if (err == -EINTR)
		return "the task that loads the script was stopped";
	return text ?: source->refused;
}

/* Return the event of a point as the script names it; one of a pattern, as the kernel does. */
const char *ktap_attach_name(const struct ktap_point *point)
{
	return strpbrk(point->probe->event, "*?[") ? point->name : point->probe->event;
}

/* Set the message that the event of a point cannot be attached; return @err. */
int ktap_attach_error(const struct ktap_point *point, int err)
{
	struct ktap_session *s = point->probe->session;

	ktap_diag_at(&s->diag, s->env.prog, point->probe->pc, "event '%s' cannot be attached: %s",
		     ktap_attach_name(point), ktap_attach_why(point->source, err));
	return err;
}

static int attach_point(struct ktap_point *point)
{
	struct ktap_session *s = point->probe->session;
	unsigned int before = s->nattached;
	int err;

	/* Thousands of points take seconds. */
	if (ktap_unloads(s))
		return -EINTR;
	cond_resched();
	err = point->source->attach ? point->source->attach(point) : 0;
	if (err)
		return err;
	point->attached = true;
	/* Some sources have counted a part of the events themselves. */
	ktap_session_attached(s, point->nevents - (s->nattached - before));
	return 0;
}

static bool attach_is_due(const struct ktap_point *point, bool newest_first)
{
	return point->probe->wanted && !point->attached && point->newest_first == newest_first;
}

/**
 * ktap_attach_wanted() - Attach the points of all probes that should be attached
 * @s: the session, its lock held
 * @err: set to 0 or a negative errno
 *
 * Attach so that probes of one event run in the order of the script.
 * Return: the point that cannot be attached, or NULL.
 */
const struct ktap_point *ktap_attach_wanted(struct ktap_session *s, int *err)
{
	struct ktap_point *point;

	lockdep_assert_held(&s->lock);
	lockdep_assert_held(&event_mutex);
	*err = 0;
	list_for_each_entry(point, &s->points, list) {
		if (attach_is_due(point, false))
			*err = attach_point(point);
		if (*err)
			return point;
	}
	list_for_each_entry_reverse(point, &s->points, list) {
		if (attach_is_due(point, true))
			*err = attach_point(point);
		if (*err)
			return point;
	}
	return NULL;
}

/**
 * ktap_probe_compile() - Compile a handler and its filter, if one of them is long enough
 * @s: the session
 * @probe: the probe; nothing of it runs
 * @n: its number in the name of the code
 * @diag: gets the reason of a refusal
 *
 * Return: 0, or the result of ktap_jit_refuse().
 */
int ktap_probe_compile(struct ktap_session *s, struct ktap_probe *probe, unsigned int n,
		       struct ktap_diag *diag)
{
	const struct ktap_func *filter = probe->filter_func, *handler = probe->handler_func;
	bool once = probe->kind != KTAP_ON_EVENT;
	char name[KTAP_JIT_NAME];

	/* This may take long; bytecode does as well. */
	if (ktap_unloads(s) && !s->env.jit_always)
		return 0;
	if (!ktap_jit_pays(&s->env, handler, once) &&
	    !(filter && ktap_jit_pays(&s->env, filter, once))) {
		WRITE_ONCE(probe->jit_outcome, KTAP_JIT_SHORT);
		return 0;
	}
	snprintf(name, sizeof(name), "ktap_%llu_%u", s->id, n);
	probe->native = ktap_jit_compile(&s->env, filter, handler, name);
	WRITE_ONCE(probe->jit_outcome, s->env.jit_outcome);
	if (s->env.jit_always && !probe->native)
		return ktap_jit_refuse(&s->env, handler, diag);
	return 0;
}

/* A filter whose test is known is no part of a run. */
static void attach_make_quick(struct ktap_session *s, struct ktap_probe *probe)
{
	const struct ktap_func *filter =
		probe->filter == KTAP_NONE ? NULL : &s->env.prog->funcs[probe->filter];

	ktap_quick_init(&probe->quick, &s->env, filter, probe->handler_func, !probe->slow_fields);
	probe->filter_func = probe->quick.value ? NULL : filter;
}

/* Nothing that this reads changes any more. */
static int attach_make_starts(struct ktap_session *s)
{
	struct ktap_probe *probe;
	unsigned int n = 0;
	int err;

	list_for_each_entry(probe, &s->probes, list) {
		cond_resched();
		attach_make_quick(s, probe);
		err = ktap_probe_compile(s, probe, ++n, &s->diag);
		if (err)
			return err;
		ktap_start_init(&probe->start, probe->filter_func, probe->handler_func,
				probe->native, s->env.max_insns, KTAP_FIRST_SLICE);
		if (s->filter.narrow || !probe->start.plain)
			probe->quick.way = KTAP_FIRE_ANY;
	}
	if (ktap_unloads(s) && !s->env.jit_always)
		return 0;
	return ktap_jit_compile_values(&s->env, &s->diag);
}

/**
 * ktap_sources_attach() - Enable the events of all probes
 * @s: the session, its lock held; no event is delivered before it runs
 *
 * The caller must call ktap_sources_detach() even after an error.
 * Return: 0, or a negative errno with the reason in &ktap_session.diag.
 */
int ktap_sources_attach(struct ktap_session *s)
{
	const struct ktap_source *source;
	const struct ktap_point *point;
	unsigned int i;
	int err;

	lockdep_assert_held(&s->lock);
	s->attached = true;
	ktap_conditions_read(s);
	err = attach_make_starts(s);
	if (err)
		return err;

	/* Take event_mutex only once for all points: others wait for it meanwhile. */
	guard(mutex)(&event_mutex);
	point = ktap_attach_wanted(s, &err);
	if (point)
		return ktap_attach_error(point, err);
	for (i = 0; i < ktap_nsources; i++) {
		source = ktap_sources[i];
		err = source->attach_all ? source->attach_all(s) : 0;
		if (err) {
			/* Keeps the message if the source has set one that names the event. */
			ktap_diag(&s->diag, "%s events cannot be attached: %s", source->name,
				  ktap_attach_why(source, err));
			return err;
		}
	}
	ktap_conditions_done(s);
	return 0;
}

static void attach_leave(struct ktap_point *point)
{
	if (point->source->detach)
		point->source->detach(point);
	point->attached = false;
}

/**
 * ktap_detach_unwanted() - Detach the points of all probes that should not be attached
 * @s: the session, its lock held
 *
 * Handlers may still run.  &ktap_point.leaving marks the points.
 * Return: true if any point was detached.
 */
bool ktap_detach_unwanted(struct ktap_session *s)
{
	struct ktap_point *point;
	bool any = false;
	unsigned int i;

	lockdep_assert_held(&s->lock);
	lockdep_assert_held(&event_mutex);
	list_for_each_entry_reverse(point, &s->points, list) {
		if (!point->attached || point->probe->wanted)
			continue;
		attach_leave(point);
		WRITE_ONCE(s->nattached, s->nattached - point->nevents);
		point->leaving = true;
		any = true;
		cond_resched();
	}
	for (i = 0; i < ktap_nsources && any; i++) {
		if (ktap_sources[i]->switches && ktap_sources[i]->detach_all)
			ktap_sources[i]->detach_all(s);
	}
	return any;
}

/* Wait for handlers of all points that have been detached. */
void ktap_detach_wait(void)
{
	tracepoint_synchronize_unregister();
	/* Wait for handlers of kprobe, fprobe and user events: they are RCU readers. */
	synchronize_rcu();
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
 * ktap_sources_detach() - Disable all events of a session
 * @s: the session, its lock held
 *
 * After it returns, no handler runs or will run.
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
		 * Detach the last point first: removing the first probe function of a
		 * tracepoint waits for a grace period.
		 */
		list_for_each_entry_reverse(point, &s->points, list) {
			if (point->attached)
				attach_leave(point);
		}
		for (i = 0; i < ktap_nsources; i++) {
			if (ktap_sources[i]->detach_all)
				ktap_sources[i]->detach_all(s);
		}
		ktap_stand_ins_remove(s);
	}
	/* May wait for a page fault of a traced process: do not hold event_mutex. */
	for (i = 0; i < ktap_nsources; i++) {
		if (ktap_sources[i]->sync)
			ktap_sources[i]->sync(s);
	}
	if (s->npoints)
		ktap_detach_wait();
}
