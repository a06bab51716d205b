// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of a session about itself when it ends: its run-time error, losses, and
 * probes without events.
 */
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/sprintf.h>
#include <linux/timekeeping.h>

#include "output/losses.h"
#include "output/tap.h"
#include "probe.h"
#include "session.h"
#include "session_output.h"
#include "session_priv.h"

/* Notes about probes without events. */
#define MAX_IDLE_NOTES	8

/**
 * ktap_session_error() - End a session because a run failed
 * @s: the session
 * @vm: the activation, as ktap_vm_run() left it
 *
 * Keeps the description of the first error, for ktap_session_report_error().
 * Context: any.
 */
void ktap_session_error(struct ktap_session *s, const struct ktap_vm *vm)
{
	atomic_long_inc(&s->env.counters.errors);
	if (READ_ONCE(s->abort) || xchg(&s->error_claim, 1))
		return;
	s->error_time = ktime_get_mono_fast_ns();
	s->error_len = ktap_vm_backtrace(vm, s->error, sizeof(s->error));
	ktap_session_stop(s, KTAP_EXIT_ERROR);
}

/* The caller has waited for all handlers: none writes @error any more. */
void ktap_session_report_error(struct ktap_session *s)
{
	if (!s->error_len)
		return;
	ktap_output_say(&s->output, KTAP_CH_ERROR, s->error_time, "", s->error, s->error_len);
	s->exit_code = KTAP_EXIT_ERROR;
	s->error_len = 0;
}

/* The results of tests may determine the exit code. */
void ktap_session_report_tests(struct ktap_session *s)
{
	struct ktap_diag *diag = &s->thread_diag;

	diag->len = 0;
	s->exit_code = ktap_tap_end(&s->vm, s->exit_code, diag);
	if (diag->len)
		ktap_output_say(&s->output, KTAP_CH_ERROR, ktime_get_mono_fast_ns(), "",
				diag->text, diag->len);
}

static void report_loss(void *s, u64 n, const char *line)
{
	ktap_output_loss(&((struct ktap_session *)s)->output, n, line);
}

static void report_losses_of(struct ktap_session *s, const struct ktap_probe *probe)
{
	struct ktap_probe_totals stats;
	char line[256];

	ktap_probe_stats(probe, &stats);
	if (stats.missed) {
		scnprintf(line, sizeof(line), "'%s' missed %llu events", probe->event,
			  stats.missed);
		report_loss(s, stats.missed, line);
	}
	if (stats.skipped) {
		scnprintf(line, sizeof(line),
			  "'%s' skipped %llu events to stay below --max-overhead (%u%%): %s",
			  probe->event, stats.skipped, s->max_overhead,
			  "a filter or a shorter handler costs less");
		report_loss(s, stats.skipped, line);
	}
}

void ktap_session_report_losses(struct ktap_session *s)
{
	unsigned long n = ktap_output_overwritten(&s->output);
	const struct ktap_probe *probe;
	char line[80];

	ktap_tell_losses(&s->env, report_loss, s);
	if (n) {
		scnprintf(line, sizeof(line), "overwrote %lu output records by newer ones", n);
		report_loss(s, n, line);
	}
	list_for_each_entry(probe, &s->probes, list)
		report_losses_of(s, probe);
}

/* Has any probe had an event?  Ticks do not count: they occur in any case. */
static bool report_had_events(struct ktap_session *s)
{
	const struct ktap_probe *probe;
	struct ktap_probe_totals stats;
	const struct ktap_point *point;

	/* These have no points any more, and were no ticks. */
	list_for_each_entry(probe, &s->probes, list) {
		if (!probe->released)
			continue;
		ktap_probe_stats(probe, &stats);
		if (stats.hits || stats.missed || stats.skipped)
			return true;
	}
	probe = NULL;
	list_for_each_entry(point, &s->points, list) {
		if (point->source == &ktap_timer_source || point->probe == probe)
			continue;
		probe = point->probe;
		ktap_probe_stats(probe, &stats);
		if (stats.hits || stats.missed || stats.skipped)
			return true;
	}
	return false;
}

/* Where events of the session must happen: its filter, in words */
static const char *report_where(const struct ktap_filter *filter, char *where, size_t size)
{
	size_t n = 0;

	if (filter->pid)
		n += scnprintf(where, size, ", in the process%s",
			       filter->followed ? " and its children" : "");
	if (filter->cgroup)
		n += scnprintf(where + n, size - n, ", in the cgroup");
	if (*filter->comm)
		n += scnprintf(where + n, size - n, ", in threads named '%s'", filter->comm);
	if (filter->cpus)
		scnprintf(where + n, size - n, ", on the CPUs %*pbl",
			  cpumask_pr_args(filter->cpus));
	*where = ':';
	return where;
}

static void report_idle_probe(struct ktap_session *s, const struct ktap_probe *probe)
{
	struct ktap_probe_totals stats;
	char where[160];

	ktap_probe_stats(probe, &stats);
	if (probe->condition != KTAP_NONE && !probe->times)
		ktap_output_note(&s->output,
				 "no event of '%s' was traced: its condition '%s' was never true",
				 probe->event, s->env.prog->globals[probe->condition]);
	else if (probe->switched != KTAP_NONE && !probe->times)
		ktap_output_note(&s->output,
				 "no event of '%s' was traced: its trace_on() was not executed, or too late",
				 probe->event);
	else if (stats.filtered)
		ktap_output_note(&s->output, "no event of '%s' passed the filter: %llu did not",
				 probe->event, stats.filtered);
	else if (ktap_filter_excludes(&s->filter))
		ktap_output_note(&s->output, "no event of '%s' happened where it is traced%s",
				 probe->event, report_where(&s->filter, where, sizeof(where)));
	else
		ktap_output_note(&s->output,
				 "no event of '%s' happened while the script ran: is it the right event?",
				 probe->event);
}

/*
 * If no handler has run, note why the result is empty.  Readers of plain text get
 * no such notes: they expect only the result.
 */
void ktap_session_report_idle(struct ktap_session *s)
{
	const struct ktap_probe *probe = NULL;
	const struct ktap_point *point;
	unsigned int n = 0;

	if (!s->output.frames || !s->begin || s->error_claim || report_had_events(s))
		return;
	list_for_each_entry(point, &s->points, list) {
		if (point->source == &ktap_timer_source || point->probe == probe)
			continue;
		probe = point->probe;
		if (n++ == MAX_IDLE_NOTES) {
			ktap_output_note(&s->output,
					 "no event of the other probes happened, either");
			return;
		}
		report_idle_probe(s, probe);
	}
}

static void report_dry_probe(struct ktap_session *s, const struct ktap_probe *probe,
			     unsigned int n)
{
	if (probe)
		ktap_output_note(&s->output, "would attach %u events of '%s'", n, probe->event);
}

/* Instead of attaching: report the number of events of each probe.  Points of one are adjacent. */
void ktap_session_report_dry(struct ktap_session *s)
{
	const struct ktap_probe *probe = NULL;
	const struct ktap_point *point;
	unsigned int n = 0;

	lockdep_assert_held(&s->lock);
	list_for_each_entry(point, &s->points, list) {
		if (point->probe != probe) {
			report_dry_probe(s, probe, n);
			probe = point->probe;
			n = 0;
		}
		n += point->nevents;
	}
	report_dry_probe(s, probe, n);
	ktap_output_note(&s->output, "nothing was attached: %u events are in the script",
			 s->nevents);
}
