// SPDX-License-Identifier: GPL-2.0
/*
 * Maps of compiled code: lines "START SIZE NAME", in hexadecimal, that a program
 * adds to while it runs.  What stands later is newer: it may have taken the
 * place of something else.  A map stays when its process has ended, and one is
 * read again when there is more in it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arena.h"
#include "jit_map.h"

/* Nobody compiles so much; and anyone may write files in /tmp. */
#define MAX_MAP		(512L << 20)

struct jit_function {
	uint64_t addr;
	uint64_t size;
	unsigned int line;
	const char *name;
};

/**
 * struct jit_maps - the map of one process
 * @size: bytes of the file when it was read
 * @functions: sorted by address, then by age, oldest first
 */
struct jit_maps {
	struct jit_maps *next;
	unsigned long pid;
	off_t size;
	struct arena arena;
	struct jit_function *functions;
	unsigned int count;
	unsigned int max;
};

static int open_map(const char *path)
{
	struct stat st;
	int fd;

	/* others may write there: no link that leads to what only we may read */
	fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= MAX_MAP)
		return fd;
	close(fd);
	return -1;
}

/* In a container the process has another number, and another /tmp. */
static int open_map_of(unsigned long pid)
{
	unsigned long inner = pid;
	char path[128], line[256], *last;
	FILE *f;
	int fd;

	snprintf(path, sizeof(path), "/proc/%lu/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f)) {
		if (strncmp(line, "NSpid:", 6))
			continue;
		last = strrchr(line, '\t');
		if (last)
			inner = strtoul(last, NULL, 10);
		break;
	}
	if (f)
		fclose(f);
	snprintf(path, sizeof(path), "/proc/%lu/root/tmp/perf-%lu.map", pid, inner);
	fd = open_map(path);
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/tmp/perf-%lu.map", pid);
	return open_map(path);
}

static void add_line(struct jit_maps *m, char *line)
{
	struct jit_function fn = { .line = m->count };
	char *p = line;

	line[strcspn(line, "\n")] = '\0';
	fn.addr = strtoull(p, &p, 16);
	if (p == line || *p != ' ')
		return;
	fn.size = strtoull(p, &p, 16);
	if (*p++ != ' ' || !*p || !fn.size)
		return;
	fn.name = arena_strndup(&m->arena, p, strlen(p));
	m->functions = arena_grow(&m->arena, m->functions, m->count, &m->max, sizeof(fn));
	m->functions[m->count++] = fn;
}

static int compare_functions(const void *pa, const void *pb)
{
	const struct jit_function *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

static void read_map(struct jit_maps *m, int fd)
{
	FILE *f = fdopen(fd, "re");
	char *line = NULL;
	size_t size = 0;

	if (!f) {
		close(fd);
		return;
	}
	arena_free(&m->arena);
	m->functions = NULL;
	m->count = 0;
	m->max = 0;
	while (getline(&line, &size, f) > 0)
		add_line(m, line);
	free(line);
	fclose(f);
	if (m->count)
		qsort(m->functions, m->count, sizeof(*m->functions), compare_functions);
}

/* Read it, again if it has grown; false if there is nothing new. */
static bool refresh(struct jit_maps *m)
{
	int fd = open_map_of(m->pid);
	struct stat st;

	if (fd < 0)
		return false;
	if (fstat(fd, &st) || st.st_size == m->size) {
		close(fd);
		return false;
	}
	m->size = st.st_size;
	read_map(m, fd);
	return true;
}

static const struct jit_function *search(const struct jit_maps *m, uint64_t addr)
{
	const struct jit_function *best = NULL;
	unsigned int low = 0, high = m->count;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (m->functions[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	/* of those that reach so far the newest; they do not lie far off */
	for (unsigned int i = low, tries = 16; i-- > 0 && tries--;) {
		const struct jit_function *fn = &m->functions[i];

		if (addr - fn->addr < fn->size && (!best || fn->line > best->line))
			best = fn;
	}
	return best;
}

const char *jit_map_find(struct jit_maps **maps, unsigned long pid, uint64_t addr,
			 uint64_t *begin)
{
	const struct jit_function *fn;
	struct jit_maps *m = *maps;

	while (m && m->pid != pid)
		m = m->next;
	if (!m) {
		m = calloc(1, sizeof(*m));
		if (!m)
			return NULL;
		m->pid = pid;
		m->next = *maps;
		*maps = m;
	}
	fn = search(m, addr);
	if (!fn && refresh(m))
		fn = search(m, addr);
	if (!fn)
		return NULL;
	*begin = fn->addr;
	return fn->name;
}

void jit_maps_free(struct jit_maps **maps)
{
	while (*maps) {
		struct jit_maps *m = *maps;

		*maps = m->next;
		arena_free(&m->arena);
		free(m);
	}
}
