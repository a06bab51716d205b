/* SPDX-License-Identifier: GPL-2.0 */
/* Puts names where the kernel marked places in the user's programs. */
#ifndef KTAP_SYMBOLIZE_H
#define KTAP_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "output.h"
#include "target.h"

#define MAX_MARK	8192	/* bytes */

struct jit_maps;
struct marked_files;

/**
 * struct symbolizer - between the session and the output
 * @target: whose files are meant
 * @held: the beginning of what may be a mark
 * @ready: text that has found no room in the output yet
 * @files: that marks were found in
 * @opened: the last of what was added needed a file to be read, which takes its time
 */
struct symbolizer {
	struct target target;
	char key[17];
	char held[MAX_MARK];
	size_t held_len;
	char ready[MAX_MARK + 1024];
	size_t ready_len;
	size_t ready_at;
	struct marked_files *files;
	bool opened;
	struct jit_maps *jit;
};

/* Makes the key that marks of this session have; NULL if there is none to be had. */
const char *symbolize_key(struct symbolizer *s);

/* Does the chunk have a use for them? */
bool symbolize_wanted(const void *chunk, size_t len);

/*
 * Like output_add(), with names for marks.  It ends behind a mark whose file was read,
 * so that signals are heard before the next.
 */
size_t symbolize_add(struct symbolizer *s, struct output *o, const char *data, size_t len);

/* Puts into the output what waits for room; false if there is still not enough. */
bool symbolize_flush(struct symbolizer *s, struct output *o);

/* Nothing more comes: what looked like the beginning of a mark was none. */
void symbolize_end(struct symbolizer *s);

void symbolize_free(struct symbolizer *s);

#endif
