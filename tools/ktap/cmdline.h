/* SPDX-License-Identifier: GPL-2.0 */
/* What both programs do about their command lines and standard streams. */
#ifndef KTAP_CMDLINE_H
#define KTAP_CMDLINE_H

#include <stdbool.h>
#include <sys/stat.h>

#include <linux/ktap.h>

#include "compile.h"

#define MAX_GIVEN	32	/* options of one program */

/**
 * struct given - which options were given
 * @names: with their dashes, each once
 * @count: their number
 * @twice: one that was given a second value, and has room for one; or NULL
 */
struct given {
	const char *names[MAX_GIVEN];
	unsigned int count;
	const char *twice;
};

/**
 * struct exclusion - options of which only one can be meant
 * @name: of the one
 * @others: those that exclude it, not each other; NULL at the end
 */
struct exclusion {
	const char *name;
	const char *others[12];
};

/* @once: it has a value, and a second one would replace it. */
void given_add(struct given *g, const char *name, bool once);

bool given_has(const struct given *g, const char *name);

/*
 * False, after a message of @program on stderr, if one was given twice, or two of
 * the table that exclude each other; the table ends with a NULL.
 */
bool given_check(const struct given *g, const struct exclusion *table, const char *program);

/**
 * struct sources - the files that were read
 * @ids: which they are: device and inode
 * @count: their number
 */
struct sources {
	uint64_t ids[KTAP_MAX_FILES][2];
	unsigned int count;
};

/* A ktap_read_fn that reads as ktap_read_file() does, and remembers; @ctx: the sources */
int sources_read(void *ctx, const char *path, struct ktap_source *file);

bool sources_have(const struct sources *s, const struct stat *st);

/*
 * See to it that no file opened from here on gets the number of a standard stream.
 * First in main(): what is meant for a closed stream must not go into such a file.
 * Ends the program, after a message of @program, if that cannot be.
 */
void streams_open(const char *program);

/* Write what is left for standard output; false after a message of @program. */
bool finish_stdout(const char *program);

#endif
