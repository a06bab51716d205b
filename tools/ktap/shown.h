/* SPDX-License-Identifier: GPL-2.0 */
/* The variables of a script, again and again, for --live and --metrics. */
#ifndef KTAP_SHOWN_H
#define KTAP_SHOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "json_read.h"
#include "text_buffer.h"

struct shown;

/**
 * struct shown_ops - what is done with the variables
 * @value: a value of the variable &shown.name: its own, or that of the entry with @key, an
 *	array of JSON; otherwise @key is NULL
 * @all: the last variable of this time has come
 * @text: &shown.text has other text of the script
 */
struct shown_ops {
	void (*value)(struct shown *s, const struct span *key, const struct span *value);
	void (*all)(struct shown *s);
	void (*text)(struct shown *s);
};

/**
 * struct shown - the output of a script that shows its variables
 * @ops: what is done with them
 * @lines: this output, as lines of JSON
 * @name: the variable that is received
 * @table: number of its table, or ""
 * @order: number of variables so far, from 1
 * @time: when they were shown last, in nanoseconds of CLOCK_MONOTONIC
 * @text: what else the script has printed
 */
struct shown {
	const struct shown_ops *ops;
	struct json_lines lines;
	char name[64];
	char table[24];
	unsigned int order;
	uint64_t time;
	struct text_buffer text;
};

/*
 * Add to a script, from which @chunk was made, a tick that prints its variables every
 * @seconds. Returns the new script, to be freed by free(); NULL without memory.
 */
char *shown_script(const char *text, size_t len, const void *chunk, size_t chunk_len,
		   uint64_t seconds, size_t *new_len);

/* Add a part of the output. Returns false if memory was missing. */
bool shown_add(struct shown *s, const char *data, size_t len);

/* Append a value of JSON as text on one line. */
void shown_put_value(struct text_buffer *t, const struct span *value);

void shown_free(struct shown *s);

#endif
