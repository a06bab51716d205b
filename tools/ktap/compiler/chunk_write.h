/* SPDX-License-Identifier: GPL-2.0 */
/* Collecting the constants of a chunk, and writing it. */
#ifndef KTAP_CHUNK_WRITE_H
#define KTAP_CHUNK_WRITE_H

#include <linux/ktap.h>

#include "compiler/ast.h"

/* Return the index of a constant, which is added at its first use. */
int32_t chunk_string(struct compiler *cc, const char *s, size_t len);
int32_t chunk_int(struct compiler *cc, int64_t val);
int32_t chunk_field(struct compiler *cc, const char *name);
/* Returns the number of the probe. */
int32_t chunk_probe(struct compiler *cc, const struct probe *probe, struct pos pos);

/*
 * Add an option of the script; its default is for the help. @help may be NULL.
 * Returns its index, or -1 if there are too many.
 */
int32_t chunk_option(struct compiler *cc, const struct node *name, const char *value,
		     const struct node *help);

/* Report an error if there are `max` of something already. */
void chunk_limit(struct compiler *cc, struct pos pos, size_t count, size_t max, const char *what);

struct chunk_writer *chunk_writer_new(struct compiler *cc);
/* Returns the chunk, to be freed with free(), or NULL after an error. */
void *chunk_write(struct compiler *cc, size_t *len);

#endif
