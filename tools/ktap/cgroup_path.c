// SPDX-License-Identifier: GPL-2.0
/*
 * The cgroup that a user names (--cgroup). The kernel takes paths; people know the name of a
 * service or a part of the number of a container, so all cgroups are searched for it.
 */
#define _GNU_SOURCE
#include <ftw.h>
#include <mntent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cgroup_path.h"
#include "compiler/clean_text.h"

#define CGROUP_FDS	16	/* for nftw() */
#define CGROUP_SHOWN	5	/* cgroups in a message */

/**
 * struct cgroup_search - a search for a name; nftw() has no argument for it
 * @name: the name
 * @root: where cgroups are mounted
 * @exact: number of cgroups that have the name
 * @near: number of cgroups that have it as a part of their names
 * @paths: the first cgroups for a message: those that have the name, else the others
 * @npaths: number of @paths
 */
static struct cgroup_search {
	const char *name;
	size_t root;
	unsigned int exact;
	unsigned int near;
	char *paths[CGROUP_SHOWN];
	unsigned int npaths;
} cgroup_search;

static void cgroup_forget_paths(struct cgroup_search *c)
{
	while (c->npaths)
		free(c->paths[--c->npaths]);
}

static int cgroup_look_at(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	struct cgroup_search *c = &cgroup_search;
	const char *base = path + ftw->base;
	bool exact;

	(void)st;
	if (type != FTW_D || !ftw->level || !strstr(base, c->name))
		return 0;
	exact = !strcmp(base, c->name);
	if (exact && !c->exact)
		cgroup_forget_paths(c);
	c->exact += exact;
	c->near += !exact;
	if (exact == !!c->exact && c->npaths < CGROUP_SHOWN) {
		c->paths[c->npaths] = strdup(path + c->root);
		c->npaths += !!c->paths[c->npaths];
	}
	return 0;
}

/* Does the path begin with this mount point? */
static bool cgroup_is_below(const char *path, const char *mount)
{
	size_t len = strlen(mount);

	return len > 1 && !strncmp(path, mount, len) && (!path[len] || path[len] == '/');
}

/*
 * The mount point of cgroups (v2), to be freed: the one that @name begins with, else the first;
 * NULL if there is none.
 */
static char *cgroup_mount(const char *name)
{
	const char *given = getenv("KTAP_CGROUPFS");
	struct mntent *entry;
	char *dir = NULL;
	FILE *f;

	if (given && *given)
		return strdup(given);
	f = setmntent("/proc/self/mounts", "re");
	if (!f)
		return NULL;
	while ((entry = getmntent(f))) {
		if (strcmp(entry->mnt_type, "cgroup2") ||
		    (dir && !cgroup_is_below(name, entry->mnt_dir)))
			continue;
		free(dir);
		dir = strdup(entry->mnt_dir);
	}
	endmntent(f);
	return dir;
}

static bool cgroup_exists(const char *mount, const char *path)
{
	char *full;
	bool exists;

	/* only a directory has that entry */
	if (asprintf(&full, "%s/%s/.", mount, path) < 0)
		return false;
	exists = !access(full, F_OK);
	free(full);
	return exists;
}

static void cgroup_report(const char *name, const char *mount, const struct cgroup_search *c)
{
	unsigned int n = c->exact ? c->exact : c->near;

	fputs("ktap: error: --cgroup ", stderr);
	put_clean(stderr, name, strlen(name));
	if (c->exact)
		fprintf(stderr, ": %u cgroups have this name: write the path of one\n", n);
	else
		fprintf(stderr, ": there is no such cgroup below %s\n", mount);
	for (unsigned int i = 0; i < c->npaths; i++) {
		fputs("ktap: did you mean ", stderr);
		put_clean(stderr, c->paths[i], strlen(c->paths[i]));
		fputs("?\n", stderr);
	}
	if (n > c->npaths)
		fprintf(stderr, "ktap: there are %u more\n", n - c->npaths);
}

/* Search for a name that is no path. */
static char *cgroup_find_name(const char *name, const char *mount)
{
	struct cgroup_search *c = &cgroup_search;
	char *path = NULL;

	memset(c, 0, sizeof(*c));
	c->name = name;
	c->root = strlen(mount);
	if (*name && !strchr(name, '/'))
		nftw(mount, cgroup_look_at, CGROUP_FDS, FTW_PHYS);
	if (c->exact == 1 && c->npaths)
		path = strdup(c->paths[0]);
	else
		cgroup_report(name, mount, c);
	cgroup_forget_paths(c);
	return path;
}

char *cgroup_path_find(const char *name)
{
	char *mount = cgroup_mount(name), *path;

	/* the kernel says why there are none */
	if (!mount)
		return strdup(name);
	if (cgroup_is_below(name, mount))
		name += strlen(mount);
	if (!*name)
		path = strdup("/");
	else if (cgroup_exists(mount, name))
		path = strdup(name);
	else
		path = cgroup_find_name(name, mount);
	free(mount);
	return path;
}
