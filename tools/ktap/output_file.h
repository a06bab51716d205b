/* SPDX-License-Identifier: GPL-2.0 */
/* The output of the script: standard output or a file, buffered. */
#ifndef KTAP_OUTPUT_FILE_H
#define KTAP_OUTPUT_FILE_H

#include <stdbool.h>
#include <stddef.h>

struct folds;
struct text_buffer;

/*
 * @folds: if set, gets what is added instead of the file
 * @convert: if set, converts what is added; the result is in @converted
 * @converter: its first argument
 * @converted: finished text that waits
 * @colour: put colours into charts
 * @clean: replace control characters in text of the script
 * @rest: of a character whose beginning was added, as clean_part() needs it
 */
struct output {
	int fd;
	struct folds *folds;
	void (*convert)(void *converter, const char *data, size_t len);
	void *converter;
	struct text_buffer *converted;
	bool colour;
	bool clean;
	unsigned int rest;
	bool pipe;	/* write at most what poll() promises */
	bool old;	/* the file still has its old contents */
	char buf[65536];
	size_t begin;
	size_t end;
};

/*
 * Open @file, or standard output if it is NULL; 0 or a negative errno. The file
 * keeps its contents until output_begin(). A file for a recording belongs to us: -EEXIST if it
 * is there and belongs to another user.
 */
int output_open(struct output *o, const char *file, bool recording);

/* Truncate the file before the first output; 0 or a negative errno. */
int output_begin(struct output *o);

/*
 * Add up to @len bytes; returns how many fitted. If they are converted, the result may be
 * longer; what does not fit waits.
 */
size_t output_add(struct output *o, const char *data, size_t len);

/*
 * The same for text of the script, whose charts may get colours, and whose control characters
 * may be replaced.
 */
size_t output_add_text(struct output *o, const char *data, size_t len);

/* Take converted text that does not come from output_add(). */
void output_take(struct output *o);

/*
 * Write what poll() says can be written without blocking; 0 or a negative
 * errno.
 */
int output_write(struct output *o);

/* Close it; 0 or a negative errno, which may be that of an earlier write. */
int output_close(struct output *o);

/* Number of bytes that fit. */
static inline size_t output_room(const struct output *o)
{
	return sizeof(o->buf) - o->end;
}

static inline bool output_pending(const struct output *o)
{
	return o->begin != o->end;
}

#endif
