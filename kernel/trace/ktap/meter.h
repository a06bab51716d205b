/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much of a CPU the handlers of a session take.
 */
#ifndef _KTAP_METER_H
#define _KTAP_METER_H

#include <linux/types.h>

/* Percent.  The last one is no ceiling at all: nothing is skipped, nor ended. */
#define KTAP_MIN_CEILING	1
#define KTAP_MAX_CEILING	100

/**
 * struct ktap_meter - the time that the handlers of a session take on one CPU
 * @ceiling: percent of the CPU that they may take; 0: nobody has said
 * @countdown: runs until one is measured
 * @interval: runs that this one will stand for
 * @weight: runs that the piece under way stands for
 * @random: makes @interval irregular
 * @over: what they have taken is above the ceiling: events are skipped
 * @began: when the run that is measured began
 * @from: when the piece of it began that is under way; 0: nothing is measured
 * @run: time of the run
 * @since: when the window began
 * @used: time that runs have taken of it; with a ceiling, and what earlier ones have
 *	taken too much
 * @held: time of the last windows, most of each of which runs have taken
 * @held_used: what they have taken of that
 *
 * All times are nanoseconds.  See meter.c.
 */
struct ktap_meter {
	u32 ceiling;
	u32 countdown;
	u32 interval;
	u32 weight;
	u32 random;
	bool over;
	u64 began;
	u64 from;
	u64 run;
	u64 since;
	u64 used;
	u64 held;
	u64 held_used;
};

void ktap_meter_init(struct ktap_meter *m, unsigned int ceiling);

/**
 * ktap_meter_is_due() - A run begins: is it one that is measured?
 * @m: the meter
 *
 * Return: true if ktap_meter_start() is to be called.
 */
static inline bool ktap_meter_is_due(struct ktap_meter *m)
{
	return !--m->countdown;
}

/**
 * ktap_meter_start() - A run begins that is measured
 * @m: the meter
 * @now: time
 *
 * Return: false if it is to be skipped instead.
 */
bool ktap_meter_start(struct ktap_meter *m, u64 now);

/**
 * ktap_meter_slice() - A run has gone on for a while, and is measured from now on
 * @m: the meter
 * @now: time
 *
 * Return: true if the session is to end: it has held the CPU for too long.
 */
bool ktap_meter_slice(struct ktap_meter *m, u64 now);

/* Whether ktap_meter_finish() is to be called at the end of a run. */
static inline bool ktap_meter_is_running(const struct ktap_meter *m)
{
	return m->from;
}

/**
 * ktap_meter_finish() - The run is over
 * @m: the meter, with the time that it stands for in @m->run
 * @now: time
 *
 * Return: as ktap_meter_slice().
 */
bool ktap_meter_finish(struct ktap_meter *m, u64 now);

#endif /* _KTAP_METER_H */
