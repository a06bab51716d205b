/* SPDX-License-Identifier: GPL-2.0 */
/* Command lines and standard streams of both programs. */
#ifndef KTAP_CMDLINE_H
#define KTAP_CMDLINE_H

#include <stdbool.h>
#include <sys/stat.h>

#include <linux/ktap.h>

#include "compiler/compile.h"

#define MAX_GIVEN	64	/* maximum number of options of a program */

/**
 * struct given - which options were given
 * @names: their names with dashes, each once
 * @count: their number
 * @twice: an option that was given twice but has one value; or NULL
 */
struct given {
	const char *names[MAX_GIVEN];
	unsigned int count;
	const char *twice;
};

/**
 * struct exclusion - options that exclude each other
 * @name: name of an option
 * @others: options that exclude it, but not each other, with blanks between: one string takes
 *	far less than a pointer for each
 */
struct exclusion {
	const char *name;
	const char *others;
};

/* Add an option. @once: a second value would replace the first. */
void given_add(struct given *g, const char *name, bool once);

bool given_has(const struct given *g, const char *name);

/*
 * Returns false, after a message of @program on stderr, if an option was given
 * twice, or two options exclude each other according to the table; the table
 * ends with a NULL.
 */
bool given_check(const struct given *g, const struct exclusion *table, const char *program);

/**
 * struct sources - the files that were read
 * @ids: device and inode of each
 * @count: their number
 */
struct sources {
	uint64_t ids[KTAP_MAX_FILES][2];
	unsigned int count;
};

/*
 * A ktap_read_fn like ktap_read_file() that also records the files; @ctx: the
 * sources
 */
int sources_read(void *ctx, const char *path, struct ktap_script *file);

bool sources_have(const struct sources *s, const struct stat *st);

/*
 * Make sure that no file gets the number of a closed standard stream: output
 * for that stream must not go into the file. Call it first in main(). Exits
 * after a message of @program on failure.
 */
void streams_open(const char *program);

/* Flush standard output; false after a message of @program. */
bool finish_stdout(const char *program);

#endif
