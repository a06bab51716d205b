// SPDX-License-Identifier: GPL-2.0
/*
 * Maps of compiled code: lines "START SIZE NAME", in hexadecimal, that a program
 * adds to while it runs.  What stands later is newer: it may have taken the
 * place of something else.  A map stays when its process has ended, and of one that
 * has grown what is new is read.  So all that is ever read of it is bounded,
 * whatever its writer does while we read.
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
#define MAX_MAP		(256L << 20)
#define MAX_FUNCTIONS	(2U << 20)

/* A longer name is cut. */
#define MAX_LINE	4096

/* So many, or an eighth, that are new are searched one by one. */
#define MAX_UNSORTED	1024

struct jit_function {
	uint64_t addr;
	uint64_t size;
	unsigned int line;
	const char *name;
};

/**
 * struct jit_maps - the map of one process
 * @dev: device of the file
 * @ino: the file, 0 if none was read yet
 * @size: bytes of the file that were read: whole lines
 * @cut: they end inside of a line too long
 * @functions: in the order of the file, but for those that are
 * @sorted: by address, then by age, oldest first
 */
struct jit_maps {
	struct jit_maps *next;
	unsigned long pid;
	dev_t dev;
	ino_t ino;
	off_t size;
	bool cut;
	struct arena arena;
	struct jit_function *functions;
	unsigned int sorted;
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
	if (!fstat(fd, &st) && S_ISREG(st.st_mode))
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

	fn.addr = strtoull(p, &p, 16);
	if (p == line || *p != ' ')
		return;
	fn.size = strtoull(p, &p, 16);
	if (*p++ != ' ' || !*p || !fn.size || m->count == MAX_FUNCTIONS)
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

/* Forgets what another file had under this name. */
static void forget(struct jit_maps *m, const struct stat *st)
{
	arena_free(&m->arena);
	m->functions = NULL;
	m->count = 0;
	m->max = 0;
	m->sorted = 0;
	m->size = 0;
	m->cut = false;
	m->dev = st->st_dev;
	m->ino = st->st_ino;
}

/* Read what is new; its last line may not be complete. */
static void read_more(struct jit_maps *m, FILE *f)
{
	char line[MAX_LINE];

	while (m->size < MAX_MAP && fgets(line, sizeof(line), f)) {
		size_t len = strcspn(line, "\n");
		bool ends = line[len] == '\n', cut = m->cut;

		if (!ends && len < sizeof(line) - 1)
			break;
		m->size += len + ends;
		m->cut = !ends;
		line[len] = '\0';
		if (!cut)
			add_line(m, line);
	}
}

/*
 * The array is sorted anew when there is much to add to it only: else each line of
 * a program that compiles all the time would cost as much as all before it.
 */
static void sort(struct jit_maps *m)
{
	unsigned int fresh = m->count - m->sorted;

	if (fresh <= MAX_UNSORTED || fresh <= m->sorted / 8)
		return;
	qsort(m->functions, m->count, sizeof(*m->functions), compare_functions);
	m->sorted = m->count;
}

/* Read what the map has got; false if there is nothing new. */
static bool refresh(struct jit_maps *m)
{
	int fd = open_map_of(m->pid);
	unsigned int before = m->count;
	struct stat st;
	FILE *f;

	if (fd < 0)
		return false;
	f = fdopen(fd, "re");
	if (!f) {
		close(fd);
		return false;
	}
	if (!fstat(fd, &st)) {
		if (st.st_dev != m->dev || st.st_ino != m->ino || st.st_size < m->size) {
			forget(m, &st);
			before = 0;
		}
		if (st.st_size > m->size && !fseeko(f, m->size, SEEK_SET))
			read_more(m, f);
	}
	fclose(f);
	if (m->count == before)
		return false;
	sort(m);
	return true;
}

static const struct jit_function *newer(const struct jit_function *fn, uint64_t addr,
					const struct jit_function *best)
{
	bool inside = addr - fn->addr < fn->size;

	return inside && (!best || fn->line > best->line) ? fn : best;
}

static const struct jit_function *search(const struct jit_maps *m, uint64_t addr)
{
	const struct jit_function *best = NULL;
	unsigned int low = 0, high = m->sorted;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;

		if (m->functions[middle].addr <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	/* of those that reach so far the newest; they do not lie far off */
	for (unsigned int i = low, tries = 16; i-- > 0 && tries--;)
		best = newer(&m->functions[i], addr, best);
	for (unsigned int i = m->sorted; i < m->count; i++)
		best = newer(&m->functions[i], addr, best);
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
