/* SPDX-License-Identifier: GPL-2.0 */
/* The files that events refer to: those of the machine, or of one process. */
#ifndef KTAP_TARGET_H
#define KTAP_TARGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "compiler/pool.h"

/**
 * struct target - the process that is traced, if it is a certain one
 * @pid: its id, or 0
 * @root: path of its root directory if it differs from ours; or ""
 * @error: message if its files are inaccessible; or ""
 */
struct target {
	uint64_t pid;
	char root[40];
	char error[160];
};

/**
 * struct target_file - one file
 * @shown: path for the process
 * @path: path for the kernel
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

/* If @error is set, no file can be found for it. */
void target_init(struct target *t, uint64_t pid);

/*
 * Find the files for @name: a path, a pattern of paths, a library without its
 * directory and version, a program in PATH, or "*" for all files that the
 * process runs. Returns an error message if there are none, otherwise NULL.
 */
const char *target_find(const struct target *t, struct pool *pool, const char *name,
			struct target_files *found);

/* Does the file exist in the target? */
bool target_has(const struct target *t, const char *path);

/*
 * shared_object.c: find the best shared object of that name; returns a path in
 * the target, or NULL.
 */
const char *shared_object_find(const struct target *t, struct pool *pool, const char *name);

/*
 * Does @file have the short name @name? "libc", "libc.so" and "libc.so.6" all
 * mean "libc.so.6".
 */
bool shared_object_is(const char *file, const char *name);

/*
 * Return a path by which ktap can open the absolute @path of the target, or
 * NULL.
 */
const char *target_path(const struct target *t, struct pool *pool, const char *path);

#endif
