/* SPDX-License-Identifier: GPL-2.0 */
/* Where the script's output goes: standard output or a file, buffered. */
#ifndef KTAP_OUTPUT_H
#define KTAP_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

struct output {
	int fd;
	bool pipe;	/* write no more at once than poll() promises */
	bool old;	/* a file that still has what it had */
	char buf[65536];
	size_t begin;
	size_t end;
};

/*
 * Open @file, or take standard output if it is NULL; 0 or a negative errno. What is
 * in the file stays there until output_begin().
 */
int output_open(struct output *o, const char *file);

/* There will be output: empty the file; 0 or a negative errno. */
int output_begin(struct output *o);

/* Add up to @len bytes; returns how many there was room for. */
size_t output_add(struct output *o, const char *data, size_t len);

/*
 * Write, without waiting, what poll() says can be written now; 0 or a negative
 * errno.
 */
int output_write(struct output *o);

/* Close it; 0 or the negative errno that was kept for this moment. */
int output_close(struct output *o);

/* How many bytes can be added. */
static inline size_t output_room(const struct output *o)
{
	return sizeof(o->buf) - o->end;
}

static inline bool output_pending(const struct output *o)
{
	return o->begin != o->end;
}

#endif
