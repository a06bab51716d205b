// SPDX-License-Identifier: GPL-2.0
/*
 * Ticks: a timer queues work for the session's thread, which runs the probe.
 *
 * The work starts the timer again.  So a tick whose handler is late or slow does not interrupt
 * anything in vain, and however many ticks a session has, and however short they are, its
 * thread, which is scheduled as any other, limits how often they do.
 */
#include <linux/hrtimer.h>
#include <linux/math64.h>
#include <linux/slab.h>

#include "event/source.h"
#include "session.h"

/**
 * struct ktap_tick - a tick
 * @point: the point
 * @timer: queues @work; starts again at a multiple of @period
 * @work: runs the probe, and starts @timer again
 * @period: time between two ticks
 */
struct ktap_tick {
	struct ktap_point point;
	struct hrtimer timer;
	struct kthread_work work;
	ktime_t period;
};

static const struct {
	const char *name;
	u64 ns;
} units[] = {
	{ "s",	NSEC_PER_SEC },
	{ "ms",	NSEC_PER_MSEC },
	{ "us",	NSEC_PER_USEC },
	{ "ns",	1 },
};

/**
 * ktap_parse_period() - Parse "10ms" or "99hz"
 * @period: the text
 *
 * Return: nanoseconds, or 0 if @period is no period.
 */
u64 ktap_parse_period(const char *period)
{
	unsigned int n, i;
	char unit[3], rest;

	/* With at most nine digits neither the number nor the nanoseconds overflow. */
	if (strspn(period, "0123456789") > 9 || sscanf(period, "%u%2s%c", &n, unit, &rest) != 2)
		return 0;
	if (!strcmp(unit, "hz"))
		return n ? div_u64(NSEC_PER_SEC, n) : 0;
	for (i = 0; i < ARRAY_SIZE(units); i++) {
		if (!strcmp(unit, units[i].name))
			return n * units[i].ns;
	}
	return 0;
}

/* The session's thread detaches the timer some time after the session stops. */
static bool timer_is_wanted(const struct ktap_tick *tick)
{
	return READ_ONCE(tick->point.probe->session->filter.state) == KTAP_RUNNING;
}

static void timer_tick_work(struct kthread_work *work)
{
	struct ktap_tick *tick = container_of(work, struct ktap_tick, work);
	struct ktap_probe *probe = tick->point.probe;
	u64 due;

	ktap_session_run_event(probe, NULL);
	due = hrtimer_forward_now(&tick->timer, tick->period);
	if (due > 1)
		ktap_tally_add(&probe->stats->missed, due - 1);
	if (timer_is_wanted(tick))
		hrtimer_start_expires(&tick->timer, HRTIMER_MODE_ABS_HARD);
}

static enum hrtimer_restart tick_timer(struct hrtimer *timer)
{
	struct ktap_tick *tick = container_of(timer, struct ktap_tick, timer);

	if (timer_is_wanted(tick))
		kthread_queue_work(tick->point.probe->session->filter.worker, &tick->work);
	return HRTIMER_NORESTART;
}

static bool timer_too_many(const struct ktap_session *s)
{
	const struct ktap_point *point;
	unsigned int n = 0;

	if (!s->filter.owner)
		return false;
	list_for_each_entry(point, &s->points, list)
		n += point->source == &ktap_timer_source;
	return n >= KTAP_MAX_OWN_TICKS;
}

/**
 * ktap_tick_add() - Add a tick to a probe
 * @probe: the probe
 * @period: the period, see ktap_parse_period()
 *
 * Return: 0; -EINVAL: no such period; -ERANGE: shorter than KTAP_MIN_PERIOD, or in a session
 * of own processes than KTAP_MIN_OWN_PERIOD; -EUSERS: that has KTAP_MAX_OWN_TICKS; -ENOMEM.
 */
int ktap_tick_add(struct ktap_probe *probe, const char *period)
{
	u64 ns = ktap_parse_period(period);
	struct ktap_tick *tick;

	if (!ns)
		return -EINVAL;
	if (ns < KTAP_MIN_PERIOD)
		return -ERANGE;
	if (probe->session->filter.owner && ns < KTAP_MIN_OWN_PERIOD)
		return -ERANGE;
	if (timer_too_many(probe->session))
		return -EUSERS;
	if (ktap_probe_charge(probe, sizeof(*tick)))
		return -ENOMEM;
	tick = kzalloc_obj(*tick, KTAP_GFP);
	if (!tick)
		return -ENOMEM;

	hrtimer_setup(&tick->timer, tick_timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	kthread_init_work(&tick->work, timer_tick_work);
	tick->period = ns_to_ktime(ns);
	ktap_point_init(&tick->point, probe, &ktap_timer_source, probe->event);
	return 0;
}

static void timer_tick_start(struct ktap_point *point)
{
	struct ktap_tick *tick = container_of(point, struct ktap_tick, point);

	hrtimer_start(&tick->timer, tick->period, HRTIMER_MODE_REL_HARD);
}

static void timer_tick_detach(struct ktap_point *point)
{
	hrtimer_cancel(&container_of(point, struct ktap_tick, point)->timer);
}

static void timer_tick_release(struct ktap_point *point)
{
	struct ktap_tick *tick = container_of(point, struct ktap_tick, point);

	/* A close detaches while the work may run, which then starts the timer again. */
	hrtimer_cancel(&tick->timer);
	kfree(tick);
}

const struct ktap_source ktap_timer_source = {
	.name = "timer",
	.in_process = true,
	.start = timer_tick_start,
	.detach = timer_tick_detach,
	.release = timer_tick_release,
};
