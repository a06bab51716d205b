/* SPDX-License-Identifier: GPL-2.0 */
/* Collect errors and warnings, then print them in the order of the script. */
#ifndef KTAP_DIAG_H
#define KTAP_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "compiler/compile.h"
#include "compiler/pool.h"

#define MAX_ERRORS	20
#define MAX_WARNINGS	50

/* Line and column (in bytes), both from 1, of a file; line 0 is no position. */
struct pos {
	uint32_t line;
	uint32_t col;
	uint32_t file;
};

struct diag {
	struct pool *pool;
	struct ktap_script *files;	/* the first is the script */
	unsigned int nfiles;
	unsigned int max_files;
	bool werror;
	bool nowarn;
	bool capitals;			/* "ERROR" instead of "error" */
	bool dropped;			/* the last message was dropped, so drop its notes, too */
	FILE *out;
	unsigned int nerrors;
	unsigned int nmsgs;
	unsigned int max;
	struct diag_msg *msgs;
};

/* Add a file; returns its index, for positions. */
unsigned int diag_add_file(struct diag *d, const struct ktap_script *file);
__attribute__((format(printf, 3, 4)))
void diag_error(struct diag *d, struct pos pos, const char *fmt, ...);
__attribute__((format(printf, 3, 4)))
void diag_warn(struct diag *d, struct pos pos, const char *fmt, ...);
/* Add a note to the last message. */
__attribute__((format(printf, 2, 3)))
void diag_note(struct diag *d, const char *fmt, ...);
/* The last message also names the column after the last character of its place. */
void diag_end(struct diag *d, uint32_t end);
void diag_flush(struct diag *d);

/*
 * Print a line of the script, or a part of it, and a caret; nothing if there is
 * no such line.
 */
void diag_show_line(FILE *out, const char *text, size_t len, struct pos pos);

#endif
