// SPDX-License-Identifier: GPL-2.0
/*
 * Find libraries by their short names: "libc" for
 * /lib/x86_64-linux-gnu/libc.so.6.
 *
 * Like the dynamic linker, search the directories of LD_LIBRARY_PATH, the cache
 * of ldconfig, then the usual directories.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/util.h"
#include "elf/elf_file.h"
#include "elf/target.h"

/* Directories that are searched without a cache. */
static const char * const library_dirs[] = {
	"/lib64", "/usr/lib64", "/lib/*-linux-*", "/usr/lib/*-linux-*", "/usr/local/lib",
	"/lib", "/usr/lib",
};

static const char cache_file[] = "/etc/ld.so.cache";

#define MAX_CACHE	(4 << 20)	/* bytes: ten times that of a large system */

/*
 * Paths of one library in the cache: one for each kind of processor, and for each version. Each is
 * opened, and a cache that was made to stop us could have 170000.
 */
#define MAX_CANDIDATES	64

/* Magic of the current format, which may follow a cache of an older format. */
static const char cache_magic[] = "glibc-ld.so.cache1.1";

struct cache_header {
	char magic[20];
	uint32_t nlibs;
	uint32_t strings;
	uint32_t unused[5];
};

struct cache_entry {
	int32_t flags;
	uint32_t name;		/* offset from the header */
	uint32_t path;
	uint32_t os_version;
	uint64_t hwcap;
};

bool shared_object_is(const char *file, const char *name)
{
	size_t len = strlen(name);
	const char *rest;

	if (strncmp(file, name, len))
		return false;
	rest = file + len;
	/* "libc.so.6", or "libc.so" before a version */
	if (!*rest)
		return memmem(name, len, ".so", 3);
	if (*rest == '.' && memmem(name, len, ".so", 3))
		return true;
	/* "libc", or the name of old versions: "libc-2.31.so" */
	if (*rest == '-' && rest[1] >= '0' && rest[1] <= '9')
		rest = strstr(rest, ".so");
	return rest && (!strcmp(rest, ".so") || !strncmp(rest, ".so.", 4));
}

/* Remember @path if it is a library for this machine, and newer than *@best. */
static void shared_object_consider(const struct target *t, struct pool *pool, const char *path,
				   const char **best)
{
	const char *why, *real = target_path(t, pool, path);
	struct elf_file *f;

	if (*best && strverscmp(strrchr(path, '/'), strrchr(*best, '/')) <= 0)
		return;
	f = real ? elf_file_open(real, &why) : NULL;
	if (f && elf_is_native(f))
		*best = pool_strndup(pool, path, strlen(path));
	elf_file_close(f);
}

static const char *string_at(const char *cache, size_t len, uint32_t at)
{
	if (at >= len || !memchr(cache + at, 0, len - at < PATH_MAX ? len - at : PATH_MAX))
		return NULL;
	return cache + at;
}

/* The cache may belong to a container, so its contents are not trusted. */
static char *read_cache(const char *path, size_t *len)
{
	int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	char *cache = NULL;
	struct stat st;
	FILE *f;

	if (fd < 0)
		return NULL;
	f = fstat(fd, &st) || !S_ISREG(st.st_mode) || st.st_size > MAX_CACHE ? NULL :
									     fdopen(fd, "re");
	if (!f) {
		close(fd);
		return NULL;
	}
	cache = malloc(st.st_size + 1);
	*len = cache ? fread(cache, 1, st.st_size, f) : 0;
	fclose(f);
	return cache;
}

/* A cache with too many paths of the library is not believed at all. */
static void search_cache(const struct target *t, struct pool *pool, const char *name,
			 const char **best)
{
	const char *path = target_path(t, pool, cache_file), *cache;
	unsigned int candidates = 0;
	char *file;
	struct cache_header header;
	size_t len;

	file = path ? read_cache(path, &len) : NULL;
	if (!file)
		return;
	cache = memmem(file, len, cache_magic, strlen(cache_magic));
	len = cache ? len - (cache - file) : 0;
	if (len >= sizeof(header)) {
		memcpy(&header, cache, sizeof(header));
		for (uint32_t i = 0; i < header.nlibs; i++) {
			size_t at = sizeof(header) + i * sizeof(struct cache_entry);
			struct cache_entry entry;
			const char *is, *where;

			if (at > len - sizeof(entry))
				break;
			memcpy(&entry, cache + at, sizeof(entry));
			is = string_at(cache, len, entry.name);
			where = string_at(cache, len, entry.path);
			if (!is || !where || *where != '/' || !shared_object_is(is, name))
				continue;
			if (candidates++ == MAX_CANDIDATES) {
				*best = NULL;
				break;
			}
			shared_object_consider(t, pool, where, best);
		}
	}
	free(file);
}

static void search_dir(const struct target *t, struct pool *pool, const char *dir,
		       const char *name, const char **best)
{
	size_t root = strlen(t->root);
	glob_t g;

	if (glob(pool_printf(pool, "%s%s/%s*", t->root, dir, name), 0, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		if (shared_object_is(strrchr(g.gl_pathv[i], '/') + 1, name))
			shared_object_consider(t, pool, g.gl_pathv[i] + root, best);
	}
	globfree(&g);
}

const char *shared_object_find(const struct target *t, struct pool *pool, const char *name)
{
	const char *dirs = t->pid ? NULL : getenv("LD_LIBRARY_PATH");
	const char *best = NULL;

	while (dirs && *dirs && !best) {
		size_t len = strcspn(dirs, ":");

		if (len)
			search_dir(t, pool, pool_strndup(pool, dirs, len), name, &best);
		dirs += len + !!dirs[len];
	}
	if (!best)
		search_cache(t, pool, name, &best);
	for (size_t i = 0; i < ARRAY_SIZE(library_dirs) && !best; i++)
		search_dir(t, pool, library_dirs[i], name, &best);
	return best;
}
