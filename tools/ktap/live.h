/* SPDX-License-Identifier: GPL-2.0 */
/* ktap --live: the variables of a script, on one screen. */
#ifndef KTAP_LIVE_H
#define KTAP_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json_read.h"
#include "text_buffer.h"

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
 * @lines: the output of the script as lines of JSON
 * @out: finished screens
 * @fd: the terminal, or -1: it is another file
 * @now: rows of the next screen
 * @before: rows of the last one
 * @name: the variable whose table is being received
 * @table: number of this table
 * @order: number of variables so far
 * @text: what else the script has printed
 * @screens: number of screens so far
 */
struct live {
	struct json_lines lines;
	struct text_buffer out;
	int fd;
	struct live_rows now;
	struct live_rows before;
	char name[64];
	char table[24];
	unsigned int order;
	struct text_buffer text;
	unsigned int screens;
};

/*
 * Add to a script, from which @chunk was made, a tick that prints its variables every
 * @seconds. Returns the new script, to be freed by free(); NULL without memory.
 */
char *live_script(const char *text, size_t len, const void *chunk, size_t chunk_len,
		  uint64_t seconds, size_t *new_len);

/* @fd: where the screens are shown. */
void live_init(struct live *l, int fd);

/* Convert a part of the output; @live: a struct live. */
void live_add(void *live, const char *data, size_t len);

void live_free(struct live *l);

#endif
