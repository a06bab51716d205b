/* SPDX-License-Identifier: GPL-2.0 */
/* What the compiler offers to the programs ktapc and ktap. */
#ifndef KTAP_COMPILE_H
#define KTAP_COMPILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct ktap_source {
	const char *name;	/* as it stands in messages */
	const char *text;	/* need not end in a NUL */
	size_t len;
	uint64_t id[2];		/* the same for two names of one file; 0: not a file */
};

/*
 * Reads a file, text and id, not the name; the text is to be freed with free().
 * Returns 0 or a negative errno.
 */
typedef int (*ktap_read_fn)(void *ctx, const char *path, struct ktap_source *file);

struct ktap_compile_opts {
	bool werror;		/* warnings are errors */
	bool nowarn;		/* no warnings */
	FILE *diag;		/* where messages go */
	const char * const *folders;	/* of -I, NULL at the end; or NULL */
	ktap_read_fn read;	/* of what is included; NULL: ktap_read_file() */
	void *read_ctx;
};

/* A ktap_read_fn that reads files; "-" is standard input. */
int ktap_read_file(void *ctx, const char *path, struct ktap_source *file);

/* What the error that it gave means. Valid until the next call. */
const char *ktap_read_error(int err);

/*
 * Compiles a script.  Returns the chunk, to be freed with free(), and its
 * length; or NULL, with at least one error printed.
 */
void *ktap_compile(const struct ktap_source *src,
		   const struct ktap_compile_opts *opts, size_t *len);

/*
 * The script in canonical layout, with a NUL behind it, to be freed with free(),
 * and its length; or NULL, with at least one error printed.
 */
char *ktap_format(const struct ktap_source *src,
		  const struct ktap_compile_opts *opts, size_t *len);

/*
 * Prints the tree of a script and what its names are bound to.  Returns 0, or
 * -1 with at least one error printed, and nothing else.
 */
int ktap_dump_ast(FILE *out, const struct ktap_source *src,
		  const struct ktap_compile_opts *opts);

/*
 * Prints a chunk readably.  Survives any bytes; returns 0, or -1 with a
 * message on stderr when they are no chunk.
 */
int ktap_disassemble(FILE *out, const void *chunk, size_t len);

/* True if the bytes begin like a chunk. */
bool ktap_is_chunk(const void *data, size_t len);

/*
 * Prints the source line of a position and, below it, a caret, from the source
 * text in the chunk; nothing when the chunk does not have that line.
 */
void ktap_show_position(FILE *out, const void *chunk, size_t len,
			const char *file, unsigned int line, unsigned int col);

/*
 * Prints the help of a script: the comment at its head, from the source text in
 * the chunk, and the options that it takes, also where there is no such text.
 */
void ktap_show_help(FILE *out, const char *name, const void *chunk, size_t len);

/* True if the script takes options of its own. */
bool ktap_has_options(const void *chunk, size_t len);

#endif
