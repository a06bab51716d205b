/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The share of CPU time that the handlers of a session take.
 */
#ifndef _KTAP_OVERHEAD_H
#define _KTAP_OVERHEAD_H

#include <linux/compiler.h>
#include <linux/types.h>

/* Percent.  The maximum means no limit: no event is skipped, no session ended. */
#define KTAP_MIN_OVERHEAD_LIMIT	1
#define KTAP_MAX_OVERHEAD_LIMIT	100

/**
 * struct ktap_overhead - the time that the handlers of a session take on one CPU
 * @limit: percent of the CPU that they may take; 0: not set
 * @countdown: runs until one is measured
 * @interval: number of runs that the next measured one counts for
 * @weight: number of runs that the current piece counts for
 * @random: state of the generator that makes @interval irregular
 * @over: the limit is exceeded: events are skipped
 * @quiet: there is a limit, and the last window was far below it
 * @fast: the runs before the measured one have followed each other fast
 * @began: start of the measured run
 * @from: start of its current piece; 0: nothing is measured
 * @run: time of the run
 * @since: start of the window
 * @used: time that runs have taken in the window; with a limit, plus the excess
 *	of earlier windows
 * @doubt: time that a measured run stands for and that is not in @used (yet)
 * @held: time of the last windows, of whose sum runs have taken nine tenths
 * @held_used: time that runs have taken in those windows
 *
 * All times are in nanoseconds.  See overhead.c.
 */
struct ktap_overhead {
	u32 limit;
	u32 countdown;
	u32 interval;
	u32 weight;
	u32 random;
	bool over;
	bool quiet;
	bool fast;
	u64 began;
	u64 from;
	u64 run;
	u64 since;
	u64 used;
	u64 doubt;
	u64 held;
	u64 held_used;
};

void ktap_overhead_init(struct ktap_overhead *m, unsigned int limit);

/**
 * ktap_overhead_is_due() - Decide at the start of a run whether to measure it
 * @m: the overhead
 *
 * Return: true if the caller must call ktap_overhead_start().
 */
static inline bool ktap_overhead_is_due(struct ktap_overhead *m)
{
	return !--m->countdown;
}

/* Is the next run not due?  Then ktap_overhead_pass() may follow, with the same @countdown. */
static __always_inline bool ktap_overhead_may_pass(const struct ktap_overhead *m, u32 *countdown)
{
	*countdown = READ_ONCE(m->countdown);
	return *countdown > 1;
}

/*
 * Count a run that is too short to have a start.  An interrupt may have changed the countdown
 * meanwhile, and what it has written is lost: a run becomes due at most an interval later.
 */
static __always_inline void ktap_overhead_pass(struct ktap_overhead *m, u32 countdown)
{
	WRITE_ONCE(m->countdown, countdown - 1);
}

/**
 * ktap_overhead_passes() - Count a run by ktap_overhead_pass() unless it is due
 * @m: the overhead
 *
 * Return: false, without counting it, if the run is due: ktap_overhead_is_due() says so, too.
 */
static __always_inline bool ktap_overhead_passes(struct ktap_overhead *m)
{
	u32 countdown;

	if (!ktap_overhead_may_pass(m, &countdown))
		return false;
	ktap_overhead_pass(m, countdown);
	return true;
}

/**
 * ktap_overhead_start() - Begin a measured run
 * @m: the overhead
 * @now: time
 *
 * Return: false if the run must be skipped.
 */
bool ktap_overhead_start(struct ktap_overhead *m, u64 now);

/**
 * ktap_overhead_slice() - End a slice of a run, and measure the run from now on
 * @m: the overhead
 * @now: time
 *
 * Return: true if the session must end: it has held the CPU for too long.
 */
bool ktap_overhead_slice(struct ktap_overhead *m, u64 now);

/* Must the caller call ktap_overhead_finish() at the end of the run? */
static inline bool ktap_overhead_is_running(const struct ktap_overhead *m)
{
	return m->from;
}

/**
 * ktap_overhead_finish() - End a measured run
 * @m: the overhead; its weighted time is in @m->run
 * @now: time
 *
 * Return: as ktap_overhead_slice().
 */
bool ktap_overhead_finish(struct ktap_overhead *m, u64 now);

#endif /* _KTAP_OVERHEAD_H */
