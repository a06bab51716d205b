/* SPDX-License-Identifier: GPL-2.0 */
/* The set-up lines for the events of user space in a chunk. */
#ifndef KTAP_RESOLVE_CHUNK_H
#define KTAP_RESOLVE_CHUNK_H

#include <stddef.h>
#include <stdio.h>

#include "elf/resolve.h"

/*
 * Make the set-up lines for all events of user space that the chunk contains,
 * or makes of its arguments, without the last newline. Free the result with
 * free(); NULL if there are none. Notes go to @notes, unless it is NULL.
 */
char *resolve_chunk(struct resolver *r, const void *chunk, size_t len, char **args,
		    FILE *notes);

#endif
