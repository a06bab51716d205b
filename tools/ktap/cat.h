/* SPDX-License-Identifier: GPL-2.0 */
/* Files that the script shows with cat(). */
#ifndef KTAP_CAT_H
#define KTAP_CAT_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/ktap.h>

#include "output.h"

/**
 * struct cat - the file that is being shown
 * @path: its path, as far as it has come
 * @len: bytes of @path
 * @open: there may be more of it to show
 * @fd: the open file, if @open
 */
struct cat {
	char path[KTAP_MAX_STRLEN + 1];	/* one that may have been cut is too long to be opened */
	size_t len;
	bool open;
	int fd;
};

/* Take a part of a path. */
void cat_add(struct cat *c, const char *data, size_t len);

/* The path is whole: open the file; a message on stderr if that fails, or it is @o. */
void cat_open(struct cat *c, const struct output *o);

/* Move to the output what it has room for.  Returns false if there is more. */
bool cat_copy(struct cat *c, struct output *o);

/* Show no more of the file. */
void cat_stop(struct cat *c);

#endif
