/* SPDX-License-Identifier: GPL-2.0 */
/* Whose files are meant: those of the machine, or of one process. */
#ifndef KTAP_TARGET_H
#define KTAP_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"

/**
 * struct target - the process that is traced, if it is a certain one
 * @pid: its number, or 0
 * @root: where its root directory is, if it has another one than we; or ""
 * @error: why nobody knows which files it has, as a message; or ""
 */
struct target {
	uint64_t pid;
	char root[40];
	char error[160];
};

/**
 * struct target_file - one file
 * @shown: as the process knows it
 * @path: as the kernel finds it for us
 */
struct target_file {
	const char *shown;
	const char *path;
};

struct target_files {
	struct target_file *files;
	unsigned int count;
	unsigned int max;
};

/* With an error in it no file can be named for it. */
void target_init(struct target *t, uint64_t pid);

/*
 * The files that @name means: a path, a pattern of paths, a library without
 * its directory and version, a program of PATH, or "*" for all that the
 * process runs.  If there are none, the message that says so; else NULL.
 */
const char *target_find(const struct target *t, struct arena *arena, const char *name,
			struct target_files *found);

/* Is that a file? */
bool target_has(const struct target *t, const char *path);

/* shared_object.c: the best shared object of that name, a path in the target; or NULL. */
const char *shared_object_find(const struct target *t, struct arena *arena, const char *name);

/* "libc" is "libc.so.6", and "libc.so" and "libc.so.6" are. */
bool shared_object_is(const char *file, const char *name);

/* Let @path, absolute, be opened in the target; the path that does it, or NULL. */
const char *target_path(const struct target *t, struct arena *arena, const char *path);

#endif
