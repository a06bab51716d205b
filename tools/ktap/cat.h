/* SPDX-License-Identifier: GPL-2.0 */
/* Files that the script shows with cat(). */
#ifndef KTAP_CAT_H
#define KTAP_CAT_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/ktap.h>

#include "output_file.h"

/**
 * struct cat - the file that is being copied to the output
 * @path: its path, as received so far
 * @len: bytes of @path
 * @open: it is open and may have more data
 * @fd: the open file, if @open
 */
struct cat {
	char path[KTAP_MAX_STRLEN + 1];	/* longer paths may have been cut, and fail to open */
	size_t len;
	bool open;
	int fd;
};

/* Add a part of the path. */
void cat_add(struct cat *c, const char *data, size_t len);

/*
 * The path is complete: open the file. Prints a message on stderr if that
 * fails, or if it is the file of @o.
 */
void cat_open(struct cat *c, const struct output *o);

/* Copy to the output what fits. Returns false if there is more. */
bool cat_copy(struct cat *c, struct output *o);

/* Stop showing the file. */
void cat_stop(struct cat *c);

#endif
