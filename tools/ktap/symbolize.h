/* SPDX-License-Identifier: GPL-2.0 */
/* Replace marks of the kernel by names of addresses in programs. */
#ifndef KTAP_SYMBOLIZE_H
#define KTAP_SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/compile.h"
#include "elf/target.h"
#include "json_text.h"
#include "output_file.h"

#define MAX_MARK	8192	/* in bytes */
#define MAX_SYMBOL	(MAX_MARK + 1024)

struct jit_maps;
struct marked_files;

/**
 * struct symbolizer - replaces marks between the session and the output
 * @target: process whose files are read
 * @held: text that may be the beginning of a mark
 * @ready: text that did not fit into the output yet
 * @files: files of marks
 * @frames: how frames of programs are shown
 * @several_frames: "1e DIGIT 1f" in the output says how those after it are
 * @lines: and with lines of source files, if they are KTAP_FRAME_KTAP or _BPFTRACE
 * @blanks: at the beginning of a line, before what may be a mark
 * @in_line: the last byte was within a line
 * @was_in_line: so was the one before the text in @held
 * @json: escape names for strings of JSON
 * @opened: the last mark needed a file to be read, which takes time
 */
struct symbolizer {
	struct target target;
	char key[17];
	char held[MAX_MARK];
	size_t held_len;
	char ready[JSON_ESCAPE * MAX_SYMBOL];
	size_t ready_len;
	size_t ready_at;
	struct marked_files *files;
	enum ktap_user_frame frames;
	bool several_frames;
	bool lines;
	size_t blanks;
	bool in_line;
	bool was_in_line;
	bool json;
	bool opened;
	struct jit_maps *jit;
};

/* Make the key of the marks of this session; NULL on failure. */
const char *symbolize_key(struct symbolizer *s);

/* Does the chunk print addresses of user code? */
bool symbolize_wanted(const void *chunk, size_t len);

/*
 * Like output_add(), with marks replaced by names. It returns after a mark
 * whose file was read, so that signals can be handled.
 */
size_t symbolize_add(struct symbolizer *s, struct output *o, const char *data, size_t len);

/* Move waiting text to the output; false if it still does not fit. */
bool symbolize_flush(struct symbolizer *s, struct output *o);

/* There is no more input: text that looked like a mark was none. */
void symbolize_end(struct symbolizer *s);

void symbolize_free(struct symbolizer *s);

#endif
