// SPDX-License-Identifier: GPL-2.0
/*
 * The local time before each line of the output (-T): that of the record which begins the
 * line. Empty lines have none.
 *
 * Records have the time of CLOCK_MONOTONIC. The difference to the wall clock is that of now,
 * or, in a recording, that of its beginning.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "line_times.h"

#define NANOSECONDS	1000000000LL
/* Smaller steps are no reason to change the times: they are the time between two looks. */
#define MAX_STEP	1000000LL

static int64_t times_clock(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return now.tv_sec * NANOSECONDS + now.tv_nsec;
}

void line_times_init(struct line_times *l, int64_t wall, int64_t monotonic, bool dates)
{
	memset(l, 0, sizeof(*l));
	l->ahead = wall - monotonic;
	l->dates = dates;
	l->second = -1;
}

void line_times_start(struct line_times *l)
{
	line_times_init(l, times_clock(CLOCK_REALTIME), times_clock(CLOCK_MONOTONIC), false);
}

/*
 * The wall clock may be set, and the other one stands still while the system sleeps. If this
 * process was interrupted between the looks, they say nothing.
 */
static void times_follow_clock(struct line_times *l)
{
	int64_t before = times_clock(CLOCK_MONOTONIC);
	int64_t ahead = times_clock(CLOCK_REALTIME) - before;
	int64_t step = ahead - l->ahead;

	if ((step > MAX_STEP || step < -MAX_STEP) &&
	    times_clock(CLOCK_MONOTONIC) - before < MAX_STEP)
		l->ahead = ahead;
}

void line_times_next(struct line_times *l, const char *data, size_t len)
{
	uint64_t time = l->time;

	for (size_t i = 0; i < len; i++)
		time = time >> 8 | (uint64_t)(unsigned char)data[i] << 56;
	l->time = time;
	times_follow_clock(l);
}

static void times_put(struct line_times *l, struct text_buffer *t)
{
	int64_t wall = l->time + l->ahead;
	int64_t rest = (wall % NANOSECONDS + NANOSECONDS) % NANOSECONDS;
	time_t second = (wall - rest) / NANOSECONDS;
	struct tm tm;

	if (second != l->second) {
		l->second = second;
		if (!localtime_r(&second, &tm) ||
		    !strftime(l->text, sizeof(l->text), l->dates ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S",
			      &tm))
			snprintf(l->text, sizeof(l->text), "%" PRId64, (int64_t)second);
	}
	text_printf(t, "%s.%06" PRId64 " ", l->text, rest / 1000);
}

void line_times_insert(struct line_times *l, struct text_buffer *t, struct line_times_mark *mark)
{
	const char *p, *end, *next;

	if (mark->at == t->len)
		return;
	l->scratch.len = 0;
	text_put(&l->scratch, t->text + mark->at, t->len - mark->at);
	t->len = mark->at;
	p = l->scratch.text;
	end = p + l->scratch.len;
	for (; p < end; p = next) {
		next = memchr(p, '\n', end - p);
		next = next ? next + 1 : end;
		if (!mark->inside && *p != '\n')
			times_put(l, t);
		text_put(t, p, next - p);
		mark->inside = next[-1] != '\n';
	}
	t->no_memory |= l->scratch.no_memory;
	mark->at = t->len;
}

void line_times_add(void *times, const char *data, size_t len)
{
	struct line_times *l = times;

	/* the beginning may have been taken meanwhile */
	l->mark.at = l->out.len;
	text_put(&l->out, data, len);
	line_times_insert(l, &l->out, &l->mark);
}

void line_times_free(struct line_times *l)
{
	text_free(&l->scratch);
	text_free(&l->out);
}
