/* SPDX-License-Identifier: GPL-2.0 */
/* The local time before each line of the output (-T). */
#ifndef KTAP_LINE_TIMES_H
#define KTAP_LINE_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "text_buffer.h"

/**
 * struct line_times_mark - how far a text has its times
 * @at: up to this byte
 * @inside: it is inside a line, whose time is known
 */
struct line_times_mark {
	size_t at;
	bool inside;
};

/**
 * struct line_times - what the times are made of
 * @time: of the lines that begin next, nanoseconds of CLOCK_MONOTONIC
 * @ahead: nanoseconds that CLOCK_REALTIME is ahead of it
 * @dates: show the date as well
 * @second: the second that @text has
 * @text: of the date and time up to the second
 * @scratch: the text that is being changed
 * @mark: of @out
 * @out: text with times, of line_times_add()
 */
struct line_times {
	int64_t time;
	int64_t ahead;
	bool dates;
	time_t second;
	char text[32];
	struct text_buffer scratch;
	struct line_times_mark mark;
	struct text_buffer out;
};

/* For a session of this machine */
void line_times_start(struct line_times *l);

/* For a recording. @wall, @monotonic: both clocks at one moment, in nanoseconds */
void line_times_init(struct line_times *l, int64_t wall, int64_t monotonic, bool dates);

/* Take bytes of the time of the next lines, 8 bytes, little-endian, in any number of pieces. */
void line_times_next(struct line_times *l, const char *data, size_t len);

/* Put the time before each line that begins after the mark, which moves to the end of @t. */
void line_times_insert(struct line_times *l, struct text_buffer *t, struct line_times_mark *mark);

/* Add a part of the output; @times: struct line_times, as &output.convert wants it. */
void line_times_add(void *times, const char *data, size_t len);

void line_times_free(struct line_times *l);

#endif
