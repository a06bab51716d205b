/* SPDX-License-Identifier: GPL-2.0 */
/* ktap --live: the variables of a script, on one screen. */
#ifndef KTAP_LIVE_H
#define KTAP_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "shown.h"

/**
 * struct live_row - a variable, or an entry of its table
 * @name: name of the variable
 * @key: key of the entry, or ""
 * @count: its number, or the number of values of an aggregation
 * @stats: average and maximum of an aggregation
 * @aggregation: it is one, and has @stats
 * @order: order in which the variables were shown
 */
struct live_row {
	char *name;
	char *key;
	int64_t count;
	int64_t stats[2];
	bool aggregation;
	unsigned int order;
};

/**
 * struct live_rows - what was shown at one time
 * @rows: sorted by variable and key, if they are no longer added to
 * @n: number of @rows
 * @size: size of @rows
 * @time: the time, in nanoseconds
 */
struct live_rows {
	struct live_row *rows;
	size_t n;
	size_t size;
	uint64_t time;
};

/**
 * struct live - the screen
 * @shown: the output of the script
 * @out: finished screens
 * @fd: the terminal, or -1: it is another file
 * @now: rows of the next screen
 * @before: rows of the last one
 * @screens: number of screens so far
 */
struct live {
	struct shown shown;
	struct text_buffer out;
	int fd;
	struct live_rows now;
	struct live_rows before;
	unsigned int screens;
};

/* @fd: where the screens are shown. */
void live_init(struct live *l, int fd);

/* Convert a part of the output; @live: a struct live. */
void live_add(void *live, const char *data, size_t len);

void live_free(struct live *l);

#endif
