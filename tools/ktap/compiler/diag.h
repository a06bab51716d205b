/* SPDX-License-Identifier: GPL-2.0 */
/* Errors and warnings: collected, then printed in the order of the source. */
#ifndef KTAP_DIAG_H
#define KTAP_DIAG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "arena.h"
#include "compile.h"

#define MAX_ERRORS	20
#define MAX_WARNINGS	50

/* Line and column (in bytes), both from 1, of a file; line 0 is no position. */
struct pos {
	uint32_t line;
	uint32_t col;
	uint32_t file;
};

struct diag {
	struct arena *arena;
	struct ktap_source *files;	/* the first is the script */
	unsigned int nfiles;
	unsigned int max_files;
	bool werror;
	bool nowarn;
	bool dropped;			/* the last message: a note on it is, too */
	FILE *out;
	unsigned int nerrors;
	unsigned int nmsgs;
	unsigned int max;
	struct diag_msg *msgs;
};

/* Returns its index, for positions. */
unsigned int diag_add_file(struct diag *d, const struct ktap_source *file);
__attribute__((format(printf, 3, 4)))
void diag_error(struct diag *d, struct pos pos, const char *fmt, ...);
__attribute__((format(printf, 3, 4)))
void diag_warn(struct diag *d, struct pos pos, const char *fmt, ...);
/* Says more about the message before it. */
__attribute__((format(printf, 2, 3)))
void diag_note(struct diag *d, const char *fmt, ...);
void diag_flush(struct diag *d);

/* The source line, or what of it is near, and a caret; nothing if the text has no such line. */
void diag_show_line(FILE *out, const char *text, size_t len, struct pos pos);

#endif
