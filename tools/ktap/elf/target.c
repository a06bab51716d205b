// SPDX-License-Identifier: GPL-2.0
/*
 * Find the files that events name.
 *
 * A process in a container or a chroot has another root directory. The kernel
 * then gets a path below that directory, which ktap keeps open, or a link in
 * /proc for a deleted file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <linux/openat2.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "elf/target.h"
#include "elf/user_event.h"

static bool same_file(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Does /proc/PID/@name differ from our own? Returns 1, 0, or a negative errno.
 */
static int namespace_differs(uint64_t pid, const char *name)
{
	struct stat ours, its;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%llu/%s", (unsigned long long)pid, name);
	if (stat(path, &its))
		return -errno;
	snprintf(path, sizeof(path), "/proc/self/%s", name);
	if (stat(path, &ours))
		return -errno;
	return !same_file(&ours, &its);
}

/*
 * Does the process see other files than ktap? Returns 1, 0, or a negative
 * errno.
 */
static int has_other_files(uint64_t pid)
{
	int other = namespace_differs(pid, "ns/mnt");

	/* the kernel may lack namespaces */
	return !other || other == -ENOENT ? namespace_differs(pid, "root/.") : other;
}

/* Returns 0 or a negative errno. */
static int open_root(struct target *t)
{
	char path[64];
	int root;

	/*
	 * Keep these open: functions may be looked up after the process has
	 * exited, and its mounts disappear with their last user.
	 */
	snprintf(path, sizeof(path), "/proc/%llu/ns/mnt", (unsigned long long)t->pid);
	if (open(path, O_RDONLY | O_CLOEXEC) < 0 && errno != ENOENT)
		return -errno;
	snprintf(path, sizeof(path), "/proc/%llu/root", (unsigned long long)t->pid);
	root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -errno;
	snprintf(t->root, sizeof(t->root), "/proc/self/fd/%d", root);
	return 0;
}

void target_init(struct target *t, uint64_t pid)
{
	unsigned long long number = pid;
	int err;

	memset(t, 0, sizeof(*t));
	t->pid = pid;
	if (!pid)
		return;
	err = has_other_files(pid);
	if (err > 0)
		err = open_root(t);
	if (err == -ENOENT || err == -ESRCH)
		snprintf(t->error, sizeof(t->error), "no process %llu", number);
	else if (err)
		snprintf(t->error, sizeof(t->error), "cannot see the files of process %llu: %s%s",
			 number, strerror(-err),
			 err == -EACCES || err == -EPERM ? ": try sudo" : "");
}

#define MAX_TRIES	100

static int open_below(int root, const char *path)
{
	struct open_how how = { .flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT };

	return syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/*
 * Does this kernel lack openat2()? Filters of system calls, such as those of older container
 * runtimes, answer EPERM instead of ENOSYS. The file system of a target may do that, too, so this
 * asks about no folder at all, which is EBADF.
 */
static bool lacks_openat2(void)
{
	return open_below(-1, "/") < 0 && (errno == ENOSYS || errno == EPERM);
}

/* Open a path as the target would, following its links. */
static int open_in(const struct target *t, const char *path)
{
	int root, fd;

	root = open(t->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return -1;
	/* it fails if anything was renamed or mounted while it followed ".." */
	for (int i = 0; i < MAX_TRIES; i++) {
		fd = open_below(root, path);
		if (fd >= 0 || errno != EAGAIN)
			break;
	}
	close(root);
	return fd;
}

const char *target_path(const struct target *t, struct pool *pool, const char *path)
{
	char real[PATH_MAX], link[64];
	const char *candidate = NULL;
	struct stat want, st;
	ssize_t len;
	int fd;

	if (!*t->root)
		return realpath(path, real) ? pool_strndup(pool, real, strlen(real)) : NULL;
	fd = open_in(t, path);
	/* this would follow absolute links in our root: only if there is no other way */
	if (fd < 0 && lacks_openat2()) {
		candidate = pool_printf(pool, "%s%s", t->root, path);
		return access(candidate, F_OK) ? NULL : candidate;
	}
	if (fd < 0)
		return NULL;
	if (fstat(fd, &want)) {
		close(fd);
		return NULL;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, real, sizeof(real) - 1);
	close(fd);
	if (len < 0)
		return NULL;
	real[len] = '\0';
	/* in a chroot this is our path of it, in a namespace the target's */
	if (!stat(real, &st) && same_file(&st, &want))
		return pool_strndup(pool, real, len);
	candidate = pool_printf(pool, "%s%s", t->root, real);
	if (!stat(candidate, &st) && same_file(&st, &want))
		return candidate;
	return NULL;
}

static void target_add(struct target_files *found, struct pool *pool, const char *shown,
		       const char *path)
{
	for (unsigned int i = 0; i < found->count; i++) {
		if (!strcmp(found->files[i].path, path))
			return;
	}
	found->files = pool_grow(pool, found->files, found->count, &found->max,
				 sizeof(*found->files));
	found->files[found->count++] = (struct target_file) {
		.shown = pool_strndup(pool, shown, strlen(shown)), .path = path,
	};
}

bool target_has(const struct target *t, const char *path)
{
	struct pool pool = { 0 };
	const char *real = target_path(t, &pool, path);
	struct stat st;
	bool has = real && !stat(real, &st) && S_ISREG(st.st_mode);

	pool_free(&pool);
	return has;
}

/*
 * Find files that the process has mapped for execution: all, or the library or
 * program @name.
 */
static void find_mapped(const struct target *t, struct pool *pool, const char *name,
			struct target_files *found)
{
	static const char gone[] = " (deleted)";
	char *line = NULL, path[64];
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%llu/maps", (unsigned long long)t->pid);
	f = fopen(path, "re");
	if (!f)
		return;
	while (getline(&line, &size, f) > 0) {
		unsigned long long begin, end;
		const char *file, *real;
		size_t len;
		char exec;
		int at = 0;

		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%llx-%llx %*c%*c%c%*c %*s %*s %*s %n", &begin, &end, &exec,
			   &at) != 3 || !at || exec != 'x' || line[at] != '/')
			continue;
		len = strlen(line + at);
		if (len > strlen(gone) && !strcmp(line + at + len - strlen(gone), gone)) {
			line[at + len - strlen(gone)] = '\0';
			real = pool_printf(pool, "/proc/%llu/map_files/%llx-%llx",
					   (unsigned long long)t->pid, begin, end);
		} else {
			real = target_path(t, pool, line + at);
		}
		file = strrchr(line + at, '/') + 1;
		if (real && (!name || shared_object_is(file, name) || !strcmp(file, name)))
			target_add(found, pool, line + at, real);
	}
	free(line);
	fclose(f);
}

/* Expand a pattern of paths; the results are paths in the target. */
static void find_pattern(const struct target *t, struct pool *pool, const char *name,
			 struct target_files *found)
{
	size_t root = strlen(t->root);
	glob_t g;

	if (glob(pool_printf(pool, "%s%s", t->root, name), 0, NULL, &g))
		return;
	for (size_t i = 0; i < g.gl_pathc; i++) {
		const char *shown = g.gl_pathv[i] + root;
		const char *path = target_path(t, pool, shown);
		struct stat st;

		if (path && !stat(path, &st) && S_ISREG(st.st_mode))
			target_add(found, pool, shown, path);
	}
	globfree(&g);
}

static void find_program(const struct target *t, struct pool *pool, const char *name,
			 struct target_files *found)
{
	const char *dirs = getenv("PATH");

	if (!dirs || *t->root)
		dirs = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
	while (*dirs && !found->count) {
		size_t len = strcspn(dirs, ":");
		const char *shown = pool_printf(pool, "%.*s/%s", (int)len, dirs, name);
		const char *path = len ? target_path(t, pool, shown) : NULL;
		struct stat st;

		if (path && !stat(path, &st) && S_ISREG(st.st_mode) && st.st_mode & 0111)
			target_add(found, pool, shown, path);
		dirs += len + !!dirs[len];
	}
}

static const char *find_short(const struct target *t, struct pool *pool, const char *name,
			      struct target_files *found)
{
	const char *library;

	if (t->pid)
		find_mapped(t, pool, name, found);
	if (found->count)
		return NULL;
	library = shared_object_find(t, pool, name);
	if (library && target_path(t, pool, library)) {
		target_add(found, pool, library, target_path(t, pool, library));
		return NULL;
	}
	find_program(t, pool, name, found);
	if (found->count)
		return NULL;
	return pool_printf(pool, "no library and no program is called '%s'; write its path",
			   name);
}

const char *target_find(const struct target *t, struct pool *pool, const char *name,
			struct target_files *found)
{
	const char *path;

	if (!strchr(name, '/')) {
		if (strcmp(name, "*"))
			return find_short(t, pool, name, found);
		if (!t->pid)
			return "'*' means all files of a process; say which with -p PID";
		find_mapped(t, pool, NULL, found);
		return found->count ? NULL : "the process runs no file that can be read";
	}
	if (is_pattern(name) && !target_has(t, name)) {
		find_pattern(t, pool, name, found);
		return found->count ? NULL : pool_printf(pool, "no file matches '%s'", name);
	}
	path = target_path(t, pool, name);
	if (!path)
		return pool_printf(pool, "no file '%s'%s", name,
				   *t->root ? " where the process has its files" : "");
	target_add(found, pool, name, path);
	return NULL;
}
