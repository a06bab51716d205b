// SPDX-License-Identifier: GPL-2.0
/*
 * How much of a CPU the handlers of a session take, and when that is too much.
 */
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/time64.h>

#include "meter.h"

/**
 * DOC: Meters
 *
 * A session has a meter on each CPU, which belongs to the run of its handlers that
 * interrupted no other one of them: that one's time has the time of those in it
 * that interrupt it (see activation.c).  So nobody else writes to a meter, and it
 * needs neither a lock nor an atomic operation.
 *
 * To ask for the time costs as much as a small handler.  So
 *
 * - where there is a ceiling, every run is measured;
 * - where there is none, one of about 16, which stands for those before it.  Which
 *   one, chance says: events have patterns, as entries and exits that take turns.
 *   After a long run the next one is measured;
 * - what lasts longer than a slice of the budget (budget.c) is measured from then on,
 *   so that the rare run that loops is never missed.
 *
 * A run is measured in pieces, from slice to slice, none of which takes long.  If one
 * does, the CPU itself was away: the host of a virtual machine ran somebody else.
 * Beyond PIECE_MAX it is taken for that, and the time of the window stands still.
 *
 * With a ceiling: what runs have used of a window of WINDOW_CEILING ns may be above it
 * by the run that was the last one; then all are skipped until the window ends.  At its
 * end they are given what the ceiling allows for the time that went by.  What they
 * have used beyond that they still owe in the next window.
 *
 * Without one, windows in a row are added up, as long as runs have taken three
 * quarters of each.  If it was nine tenths of all of them when they are HELD_MAX ns, the
 * session ends.  As no piece counts for more than PIECE_MAX, whatever it stands for,
 * there are eight of them at least in each of those windows: what happens by chance in
 * one does not happen in thirty.
 *
 * The clock may jump, since it is that of one CPU and needs to be right only while that
 * is not idle.  Differences that look negative end the window.
 */

#define WINDOW_CEILING	(10 * NSEC_PER_MSEC)
#define WINDOW		(100 * NSEC_PER_MSEC)
#define PIECE_MAX	(10 * (u64)NSEC_PER_MSEC)
#define HELD_MAX	(3 * (u64)NSEC_PER_SEC)

/* A run that takes longer is worth being measured. */
#define LONG_RUN	(10 * NSEC_PER_USEC)

static bool has_ceiling(const struct ktap_meter *m)
{
	return m->ceiling && m->ceiling < KTAP_MAX_CEILING;
}

/* The next one that is measured is so many runs away. */
static void choose_interval(struct ktap_meter *m, bool next)
{
	if (next || has_ceiling(m)) {
		m->interval = 1;
	} else {
		m->random = m->random * 1664525 + 1013904223;
		m->interval = 8 + (m->random >> 28);
	}
	m->countdown = m->interval;
}

void ktap_meter_init(struct ktap_meter *m, unsigned int ceiling)
{
	*m = (struct ktap_meter){ .ceiling = ceiling };
	choose_interval(m, true);
}

static void begin_window(struct ktap_meter *m, u64 now)
{
	u64 elapsed = now - m->since;
	u64 earned = m->used;

	if (has_ceiling(m) && (s64)elapsed >= 0)
		earned = min(m->used, div_u64(elapsed * m->ceiling, 100));
	m->used -= earned;
	m->since = now;
}

/* The window is over: have runs held the CPU for too long? */
static bool judge(struct ktap_meter *m, u64 elapsed)
{
	if (m->ceiling)
		return false;
	if ((s64)elapsed < 0 || m->used * 4 < elapsed * 3 || m->held >= HELD_MAX) {
		m->held = 0;
		m->held_used = 0;
		return false;
	}
	m->held += elapsed;
	m->held_used += m->used;
	return m->held >= HELD_MAX && m->held_used * 10 >= m->held * 9;
}

static bool end_window(struct ktap_meter *m, u64 now)
{
	u64 elapsed = now - m->since;
	bool verdict = false;

	if (elapsed >= (has_ceiling(m) ? WINDOW_CEILING : WINDOW)) {
		verdict = judge(m, elapsed);
		begin_window(m, now);
	}
	m->over = has_ceiling(m) && m->used * 100 >= WINDOW_CEILING * (u64)m->ceiling;
	return verdict;
}

static void add_piece(struct ktap_meter *m, u64 now)
{
	u64 piece = now - m->from, time;

	if ((s64)piece < 0)
		piece = 0;
	if (piece > PIECE_MAX) {
		m->since += piece - PIECE_MAX;
		piece = PIECE_MAX;
	}
	time = min(piece * m->weight, PIECE_MAX);
	m->used += time;
	m->run += time;
}

bool ktap_meter_start(struct ktap_meter *m, u64 now)
{
	if (m->over) {
		end_window(m, now);
		if (m->over) {
			choose_interval(m, true);
			return false;
		}
	}
	m->began = now;
	m->from = now;
	m->weight = m->interval;
	m->run = 0;
	return true;
}

bool ktap_meter_slice(struct ktap_meter *m, u64 now)
{
	if (!m->from)
		m->run = 0;
	else
		add_piece(m, now);
	m->from = now;
	m->weight = 1;
	return end_window(m, now);
}

bool ktap_meter_finish(struct ktap_meter *m, u64 now)
{
	add_piece(m, now);
	m->from = 0;
	/* Else it was not its turn, but it took more than a slice. */
	if (!m->countdown)
		choose_interval(m, now - m->began > LONG_RUN);
	return end_window(m, now);
}
