// SPDX-License-Identifier: GPL-2.0
/*
 * Measure the share of CPU time that the handlers of a session take, and
 * enforce its limit.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "vm/overhead.h"

/**
 * DOC: Overhead
 *
 * A session has a struct ktap_overhead for each CPU.  It is updated only by a
 * handler that interrupted no other handler of the session; the time of such a
 * run includes the runs that interrupt it (event/activation.c).  So there is
 * only one writer, and neither a lock nor an atomic operation is needed.
 *
 * Reading the clock costs as much as a small handler.  So
 *
 * - without a limit, about one run in 16 is measured, and counts for the runs
 *   since the last measured one; one in 64 while runs follow each other so fast that
 *   these are many, too.  It is chosen at random, because events have patterns:
 *   entries and exits alternate, for example.  After a long run the next one is
 *   measured;
 * - with a limit, about one run in 16 is measured while the runs of the last
 *   window and of the current one have taken less than half of what the limit
 *   allows.  Otherwise every run is measured;
 * - a run that lasts longer than a slice of the budget (budget.c) is always
 *   measured from then on, so that a rare run that loops is not missed.
 *
 * A run is measured in pieces, from slice to slice.  A piece is short unless the
 * CPU itself was taken away, by the host of a virtual machine.  So the part of a
 * piece above PIECE_MAX is ignored, and the window is extended by it.
 *
 * With a limit, the runs in a window of LIMIT_WINDOW ns may exceed the limit by
 * the last run only; then all runs are skipped until the window ends.  At its
 * end the runs are credited with the time that the limit allows for the elapsed
 * time.  Time used beyond that is carried over to the next window.  Only in the
 * first window after a quiet one may the runs exceed the limit by more, by those
 * before the first sample.  The estimate of a sample counts for a quarter of the
 * limit at most, unless further runs confirm it: so a single long run, or an
 * interrupt in it, does not make others be skipped.
 *
 * Without a limit, successive windows are added up as long as runs have taken
 * nine tenths of their sum.  When it reaches HELD_MAX ns, the session ends.  A
 * single idle window does not start it again, because the kernel itself makes
 * them: hrtimer_interrupt() delays the next interrupt by 100 ms if handlers in
 * it have taken long.  No piece counts for more than PIECE_MAX, whatever its
 * weight, and no window for more than its time: a random error in one window
 * does not repeat in thirty.
 *
 * The clock may jump: it is the clock of one CPU, and needs to be correct only
 * while that CPU is not idle.  A negative difference ends the window.
 */

#define LIMIT_WINDOW	(10 * NSEC_PER_MSEC)
#define WINDOW		(100 * NSEC_PER_MSEC)
#define PIECE_MAX	(10 * (u64)NSEC_PER_MSEC)
#define HELD_MAX	(3 * (u64)NSEC_PER_SEC)

/* After a longer run, the next one is measured too. */
#define LONG_RUN	(10 * NSEC_PER_USEC)

/* If runs follow each other within this time, on average, fewer are measured. */
#define FAST_PACE	(8 * NSEC_PER_USEC)

static bool overhead_has_limit(const struct ktap_overhead *m)
{
	return m->limit && m->limit < KTAP_MAX_OVERHEAD_LIMIT;
}

/* The time that the limit allows in a window */
static u64 overhead_share(const struct ktap_overhead *m)
{
	return LIMIT_WINDOW / 100 * (u64)m->limit;
}

static bool overhead_is_busy(const struct ktap_overhead *m)
{
	return m->used * 2 >= overhead_share(m);
}

static bool overhead_measures_all(const struct ktap_overhead *m)
{
	return overhead_has_limit(m) && (!m->quiet || m->doubt || overhead_is_busy(m));
}

/* Choose how many runs pass until one is measured. */
static void overhead_choose_interval(struct ktap_overhead *m, bool next)
{
	if (next || overhead_measures_all(m)) {
		m->interval = 1;
	} else {
		m->random = m->random * 1664525 + 1013904223;
		if (m->fast && !overhead_has_limit(m))
			m->interval = 32 + (m->random >> 26);
		else
			m->interval = 8 + (m->random >> 28);
	}
	m->countdown = m->interval;
}

void ktap_overhead_init(struct ktap_overhead *m, unsigned int limit)
{
	*m = (struct ktap_overhead){ .limit = limit };
	overhead_choose_interval(m, true);
}

static void overhead_begin_window(struct ktap_overhead *m, u64 now)
{
	u64 elapsed = now - m->since;
	u64 earned = m->used;

	m->quiet = m->since && !m->doubt && !overhead_is_busy(m);
	m->doubt = 0;
	if (overhead_has_limit(m) && (s64)elapsed >= 0)
		earned = min(m->used, div_u64(elapsed * m->limit, 100));
	m->used -= earned;
	m->since = now;
}

/* Called at the end of a window: have runs held the CPU for too long? */
static bool overhead_judge(struct ktap_overhead *m, u64 elapsed)
{
	if (m->limit)
		return false;
	/* The clock may have jumped, or the CPU was idle. */
	if (elapsed < HELD_MAX) {
		m->held += elapsed;
		m->held_used += min(m->used, elapsed);
		if (m->held_used * 10 >= m->held * 9)
			return m->held >= HELD_MAX;
	}
	m->held = 0;
	m->held_used = 0;
	return false;
}

static bool overhead_end_window(struct ktap_overhead *m, u64 now)
{
	u64 elapsed = now - m->since;
	bool verdict = false;

	if (elapsed >= (overhead_has_limit(m) ? LIMIT_WINDOW : WINDOW)) {
		verdict = overhead_judge(m, elapsed);
		overhead_begin_window(m, now);
	}
	m->over = overhead_has_limit(m) && m->used >= overhead_share(m);
	return verdict;
}

/*
 * The part of an estimate to count at once.  The rest is counted as soon as other runs
 * of this window have shown that this one was not an exception.
 */
static u64 overhead_split(struct ktap_overhead *m, u64 piece, u64 estimate)
{
	u64 part = min(estimate, max(piece, overhead_share(m) / 4));

	m->doubt += estimate - part;
	if (m->doubt && (m->used + part) * 2 >= overhead_share(m)) {
		part += m->doubt;
		m->doubt = 0;
	}
	return part;
}

static void overhead_add_piece(struct ktap_overhead *m, u64 now)
{
	u64 piece = now - m->from, time;

	if ((s64)piece < 0)
		piece = 0;
	if (piece > PIECE_MAX) {
		m->since += piece - PIECE_MAX;
		piece = PIECE_MAX;
	}
	time = min(piece * m->weight, PIECE_MAX);
	m->run += time;
	if (overhead_has_limit(m))
		time = overhead_split(m, piece, time);
	m->used += time;
}

bool ktap_overhead_start(struct ktap_overhead *m, u64 now)
{
	if (m->over) {
		overhead_end_window(m, now);
		if (m->over) {
			overhead_choose_interval(m, true);
			return false;
		}
	}
	m->fast = now - m->began < (u64)m->interval * FAST_PACE;
	m->began = now;
	m->from = now;
	m->weight = m->interval;
	m->run = 0;
	return true;
}

bool ktap_overhead_slice(struct ktap_overhead *m, u64 now)
{
	if (!m->from)
		m->run = 0;
	else
		overhead_add_piece(m, now);
	m->from = now;
	m->weight = 1;
	return overhead_end_window(m, now);
}

bool ktap_overhead_finish(struct ktap_overhead *m, u64 now)
{
	bool verdict;

	overhead_add_piece(m, now);
	m->from = 0;
	verdict = overhead_end_window(m, now);
	/* Otherwise only the part after the first slice was measured. */
	if (!m->countdown)
		overhead_choose_interval(m, now - m->began > LONG_RUN);
	else if (m->over)
		overhead_choose_interval(m, true);
	return verdict;
}
