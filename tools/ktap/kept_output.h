/* SPDX-License-Identifier: GPL-2.0 */
/* The newest output of a session, as frames of a recording, in limited memory. */
#ifndef KTAP_KEPT_OUTPUT_H
#define KTAP_KEPT_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ktap.h>

/**
 * struct kept_output - frames, each with one line or one message
 * @mem: their bytes; a frame may continue at its beginning
 * @size: size of @mem
 * @head: bytes that were ever added
 * @tail: bytes that were ever overwritten
 * @lines: lines of output that were ever added
 * @overwritten: those that were overwritten, or were too long
 */
struct kept_output {
	char *mem;
	size_t size;
	uint64_t head;
	uint64_t tail;
	uint64_t lines;
	uint64_t overwritten;
};

/**
 * struct kept_reader - how far somebody has read
 * @at: bytes before the next frame
 * @line: lines of output before it
 */
struct kept_reader {
	uint64_t at;
	uint64_t line;
};

/* Allocate memory, which is used when it is filled; false without memory. */
bool kept_init(struct kept_output *k, size_t size);

/* Add a frame; the oldest ones are overwritten. */
void kept_add(struct kept_output *k, enum ktap_channel channel, const char *data, size_t len);

/* Skip what was overwritten; returns the number of lines of output. */
uint64_t kept_skip(const struct kept_output *k, struct kept_reader *r);

/*
 * Copy the next frame, with its header, to @to, which has kept_next_size() bytes.
 */
size_t kept_next_size(const struct kept_output *k, const struct kept_reader *r);
void kept_copy(const struct kept_output *k, struct kept_reader *r, char *to);

void kept_free(struct kept_output *k);

#endif
