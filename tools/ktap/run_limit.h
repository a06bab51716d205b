/* SPDX-License-Identifier: GPL-2.0 */
/* Limits that end a run: --for TIME, --until LINES. */
#ifndef KTAP_RUN_LIMIT_H
#define KTAP_RUN_LIMIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * struct run_limit - the limits
 * @timer: file descriptor that becomes readable when the time is over; -1 if there is none
 * @seconds: time of the top level, and then from attaching to the end; 0 if there is no limit
 * @lines: lines of output until the end; 0 if there is no limit
 */
struct run_limit {
	int timer;
	uint64_t seconds;
	uint64_t lines;
};

/* Begin; returns false after a message. */
bool run_limit_begin(struct run_limit *l, uint64_t seconds, uint64_t lines);

/* The time is over while probes are being attached: wait for run_limit_attached(). */
void run_limit_pause(struct run_limit *l);

/* All probes are attached: the time begins again. */
void run_limit_attached(struct run_limit *l);

/* Count output; true if it reaches the limit. */
bool run_limit_count(struct run_limit *l, const char *data, size_t len);

#endif
