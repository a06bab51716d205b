/* SPDX-License-Identifier: GPL-2.0 */
/* Files that the script shows with cat(). */
#ifndef KTAP_CAT_H
#define KTAP_CAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ktap.h>

#include "output_file.h"

/**
 * struct cat - the file that is being copied to the output
 * @path: its path, as received so far
 * @len: bytes of @path
 * @open: it is open and may have more data
 * @fd: the open file, if @open
 * @limit: bytes of each file that are shown, or 0
 * @left: of this file
 * @bpftrace: messages are those of bpftrace
 * @json: type of the lines of JSON that have its contents; NULL: it is copied as it is
 * @rest: the beginning of a character at the end of the last line
 * @rest_len: bytes of @rest
 */
struct cat {
	char path[KTAP_MAX_STRLEN + 1];	/* longer paths may have been cut, and fail to open */
	size_t len;
	bool open;
	int fd;
	uint64_t limit, left;
	bool bpftrace;
	const char *json;
	char rest[4];
	size_t rest_len;
};

/* Add a part of the path. */
void cat_add(struct cat *c, const char *data, size_t len);

/*
 * The path is complete: open the file. Prints a message on stderr if that
 * fails, or if it is the file of @o.
 */
void cat_open(struct cat *c, const struct output *o);

/* The same for an open file, from its beginning; it is closed at its end. */
void cat_begin(struct cat *c, int fd, const char *name);

/* Copy to the output what fits. Returns false if there is more. */
bool cat_copy(struct cat *c, struct output *o);

/* Stop showing the file. */
void cat_stop(struct cat *c);

#endif
