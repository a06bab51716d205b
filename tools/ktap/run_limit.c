// SPDX-License-Identifier: GPL-2.0
/* Limits that end a run: --for TIME, --until LINES. */
#include <stdio.h>
#include <sys/timerfd.h>

#include "run_limit.h"

/* Set the timer; 0 stops it. It is not readable then. */
static bool limit_set(const struct run_limit *l, uint64_t seconds)
{
	const struct itimerspec time = { .it_value.tv_sec = seconds };

	return !timerfd_settime(l->timer, 0, &time, NULL);
}

bool run_limit_begin(struct run_limit *l, uint64_t seconds, uint64_t lines)
{
	l->lines = lines;
	l->seconds = seconds;
	l->timer = -1;
	if (!seconds)
		return true;
	l->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (l->timer >= 0 && limit_set(l, seconds))
		return true;
	perror("ktap: error: timer");
	return false;
}

void run_limit_pause(struct run_limit *l)
{
	limit_set(l, 0);
}

void run_limit_attached(struct run_limit *l)
{
	if (l->timer >= 0)
		limit_set(l, l->seconds);
}

bool run_limit_count(struct run_limit *l, const char *data, size_t len)
{
	for (size_t i = 0; i < len && l->lines; i++) {
		if (data[i] == '\n' && !--l->lines)
			return true;
	}
	return false;
}
