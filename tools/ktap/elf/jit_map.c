// SPDX-License-Identifier: GPL-2.0
/*
 * Maps of compiled code: lines "START SIZE NAME" in hexadecimal, which a
 * program appends while it runs.
 *
 * A later line replaces earlier code at the same address. A map stays after its
 * process has ended. If a map has grown, only the new part is read.
 *
 * Anyone can write to /tmp. So a map is accepted only if root or the owner of
 * the process created it. The size of all that is read and kept is bounded,
 * whatever the writer does meanwhile.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "compiler/pool.h"
#include "elf/jit_map.h"

#define NSEC_PER_SEC	1000000000ULL

/* Limits of one map: bytes of the file, and functions. */
#define MAX_MAP		(64L << 20)
#define MAX_FUNCTIONS	(1U << 20)

/*
 * Limits of all maps: their number, and bytes of memory. The least recently
 * used ones are dropped.
 */
#define MAX_MAPS	1024
#define MAX_MAP_MEMORY	(256UL << 20)

/* Longer lines are cut. */
#define MAX_MAP_LINE	4096

/* Number of new functions that may be unsorted, if it is more than an eighth of the others. */
#define MAX_UNSORTED	1024

/*
 * Interval at which a map is checked for new code, and a missing map for its
 * creation.
 */
#define LOOK_AGAIN	(NSEC_PER_SEC / 10)

/* Limit in bytes a second for reading a map again from its beginning. */
#define MAX_RATE	(8 << 20)

#define NR_CHAINS	256

/* Bytes before the new part of a map. If they have changed, it is another map. */
#define MAX_TAIL	64

struct jit_function {
	uint64_t addr;
	uint64_t size;
	unsigned int line;
	const char *name;
};

/**
 * struct jit_map - the map of one process
 * @owner: owner of the process; our own id while unknown
 * @file: status of the file when it was read
 * @size: bytes of the file that were read: whole lines
 * @tail: the last of these bytes
 * @cut: they end within a line that is too long
 * @functions: in the order of the file, except those that are
 * @sorted: number of functions sorted by address, then by age, oldest first
 * @used: time of its last use
 * @looked: time of the last check of its file
 * @absent: the file did not exist
 * @patience: time from which it may be read from its beginning again
 */
struct jit_map {
	struct jit_map *next;
	unsigned long pid;
	uid_t owner;
	struct stat file;
	off_t size;
	char tail[MAX_TAIL];
	bool cut;
	struct pool pool;
	struct jit_function *functions;
	unsigned int sorted;
	unsigned int count;
	unsigned int max;
	uint64_t used;
	uint64_t looked;
	bool absent;
	uint64_t patience;
};

/**
 * struct jit_maps - all known maps
 * @chains: hashed by process id
 */
struct jit_maps {
	struct jit_map *chains[NR_CHAINS];
	unsigned int count;
	size_t memory;
};

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * NSEC_PER_SEC + t.tv_nsec;
}

static bool may_have_made(uid_t owner, const struct stat *st)
{
	return !st->st_uid || st->st_uid == owner;
}

static int open_map(int dir, const char *path, uid_t owner, struct stat *st)
{
	int fd;

	/* others can write there: do not follow their links */
	fd = openat(dir, path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return -1;
	if (!fstat(fd, st) && S_ISREG(st->st_mode) && may_have_made(owner, st))
		return fd;
	close(fd);
	return -1;
}

/*
 * Read the owner of the process and its id in its container; neither if it has
 * exited.
 */
static void read_status(int proc, uid_t *owner, unsigned long *inner)
{
	int fd = openat(proc, "status", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "re");
	char line[256], *last;

	while (f && fgets(line, sizeof(line), f)) {
		if (sscanf(line, "Uid: %*u %u", owner) == 1)
			continue;
		last = strncmp(line, "NSpid:", 6) ? NULL : strrchr(line, '\t');
		if (last)
			*inner = strtoull(last, NULL, 10);
	}
	if (f)
		fclose(f);
	else if (fd >= 0)
		close(fd);
}

/* A process in a container has another id, and another /tmp. */
static int open_map_of(struct jit_map *m, struct stat *st)
{
	unsigned long inner = m->pid;
	int fd = -1, proc;
	char path[128];

	/* the path stays valid if the id is reused meanwhile */
	snprintf(path, sizeof(path), "/proc/%lu", m->pid);
	proc = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (proc >= 0) {
		read_status(proc, &m->owner, &inner);
		snprintf(path, sizeof(path), "root/tmp/perf-%lu.map", inner);
		fd = open_map(proc, path, m->owner, st);
		close(proc);
	}
	if (fd >= 0)
		return fd;
	snprintf(path, sizeof(path), "/tmp/perf-%lu.map", m->pid);
	return open_map(AT_FDCWD, path, m->owner, st);
}

static void add_line(struct jit_map *m, char *line)
{
	struct jit_function fn = { .line = m->count };
	char *p = line;

	fn.addr = strtoull(p, &p, 16);
	if (p == line || *p != ' ')
		return;
	fn.size = strtoull(p, &p, 16);
	if (*p++ != ' ' || !*p || !fn.size || m->count == MAX_FUNCTIONS)
		return;
	fn.name = pool_strndup(&m->pool, p, strlen(p));
	m->functions = pool_grow(&m->pool, m->functions, m->count, &m->max, sizeof(fn));
	m->functions[m->count++] = fn;
}

static int compare_functions(const void *pa, const void *pb)
{
	const struct jit_function *a = pa, *b = pb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	return a->line < b->line ? -1 : a->line > b->line;
}

/* Forget the contents of another file of this name. */
static void jit_map_forget(struct jit_map *m)
{
	pool_free(&m->pool);
	m->functions = NULL;
	m->count = 0;
	m->max = 0;
	m->sorted = 0;
	m->size = 0;
	m->cut = false;
	m->file = (struct stat){ 0 };
}

/* Like fgets(), but a line may contain any byte, and the length is returned. */
static size_t read_line(char *line, size_t size, FILE *f)
{
	size_t len = 0;
	int c = 0;

	while (len < size && c != '\n') {
		c = getc_unlocked(f);
		if (c == EOF)
			break;
		line[len++] = c;
	}
	return len;
}

static size_t tail_len(const struct jit_map *m)
{
	return m->size < MAX_TAIL ? m->size : MAX_TAIL;
}

/* Keep the last of the bytes that were read. */
static void keep_tail(struct jit_map *m, const char *line, size_t len)
{
	size_t new = len < MAX_TAIL ? len : MAX_TAIL, old = tail_len(m);
	size_t stay = old < MAX_TAIL - new ? old : MAX_TAIL - new;

	memmove(m->tail, m->tail + old - stay, stay);
	memcpy(m->tail + stay, line + len - new, new);
	m->size += len;
}

static bool has_tail(const struct jit_map *m, int fd)
{
	size_t len = tail_len(m);
	char now[MAX_TAIL];

	return pread(fd, now, len, m->size - len) == (ssize_t)len && !memcmp(now, m->tail, len);
}

/* Read the new part; its last line may be incomplete. */
static void read_more(struct jit_map *m, FILE *f)
{
	char line[MAX_MAP_LINE + 1];
	size_t len;

	while (m->size < MAX_MAP && (len = read_line(line, MAX_MAP_LINE, f))) {
		bool ends = line[len - 1] == '\n', cut = m->cut;

		if (!ends && len < MAX_MAP_LINE)
			break;
		keep_tail(m, line, len);
		m->cut = !ends;
		line[len - ends] = '\0';
		if (!cut && !memchr(line, '\0', len - ends))
			add_line(m, line);
	}
}

/*
 * Sort only if there are many new functions. Otherwise each line of a program
 * that always compiles would cost as much as all lines before it.
 */
static void jit_map_sort(struct jit_map *m)
{
	unsigned int fresh = m->count - m->sorted;

	if (fresh <= MAX_UNSORTED || fresh <= m->sorted / 8)
		return;
	qsort(m->functions, m->count, sizeof(*m->functions), compare_functions);
	m->sorted = m->count;
}

/* Was the file rewritten, or replaced? */
static bool is_anew(const struct jit_map *m, int fd, const struct stat *st)
{
	const struct stat *was = &m->file;

	if (st->st_dev != was->st_dev || st->st_ino != was->st_ino ||
	    st->st_size < was->st_size || st->st_size < m->size)
		return true;
	if (st->st_size > was->st_size)
		return !has_tail(m, fd);
	return st->st_mtim.tv_sec != was->st_mtim.tv_sec ||
	       st->st_mtim.tv_nsec != was->st_mtim.tv_nsec;
}

/* Read what was added to the file since the last check. */
static void read_file(struct jit_map *m, FILE *f, const struct stat *st)
{
	off_t before;

	if (is_anew(m, fileno(f), st)) {
		if (m->looked < m->patience)
			return;
		jit_map_forget(m);
		m->patience = m->looked;
	}
	m->file = *st;
	before = m->size;
	if (st->st_size > before && !fseeko(f, before, SEEK_SET))
		read_more(m, f);
	m->patience += (m->size - before) * NSEC_PER_SEC / MAX_RATE;
	jit_map_sort(m);
}

static void jit_map_look(struct jit_maps *maps, struct jit_map *m, uint64_t now)
{
	struct stat st;
	int fd = open_map_of(m, &st);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "re");

	m->looked = now;
	m->absent = fd < 0;
	maps->memory -= m->pool.size;
	/* the id belongs to another process now */
	if (!may_have_made(m->owner, &m->file))
		jit_map_forget(m);
	if (f) {
		read_file(m, f, &st);
		fclose(f);
	} else if (fd >= 0) {
		close(fd);
	}
	maps->memory += m->pool.size;
}

static const struct jit_function *jit_newer(const struct jit_function *fn, uint64_t addr,
					    const struct jit_function *best)
{
	bool inside = addr - fn->addr < fn->size;

	return inside && (!best || fn->line > best->line) ? fn : best;
}

static const struct jit_function *jit_map_search(const struct jit_map *m, uint64_t addr)
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
	/* * choose the newest function that contains the address; such functions are near */
	for (unsigned int i = low, tries = 16; i-- > 0 && tries--;)
		best = jit_newer(&m->functions[i], addr, best);
	for (unsigned int i = m->sorted; i < m->count; i++)
		best = jit_newer(&m->functions[i], addr, best);
	return best;
}

static void remove_map(struct jit_maps *maps, struct jit_map **at)
{
	struct jit_map *m = *at;

	*at = m->next;
	maps->memory -= m->pool.size;
	maps->count--;
	pool_free(&m->pool);
	free(m);
}

/* Remove the least recently used map, except @but. */
static bool remove_oldest(struct jit_maps *maps, const struct jit_map *but)
{
	struct jit_map **oldest = NULL;

	for (unsigned int i = 0; i < NR_CHAINS; i++) {
		for (struct jit_map **at = &maps->chains[i]; *at; at = &(*at)->next) {
			if (*at != but && (!oldest || (*at)->used < (*oldest)->used))
				oldest = at;
		}
	}
	if (oldest)
		remove_map(maps, oldest);
	return oldest;
}

static struct jit_map *find_map(struct jit_maps *maps, unsigned long pid)
{
	struct jit_map **chain = &maps->chains[pid % NR_CHAINS], *m = *chain;

	while (m && m->pid != pid)
		m = m->next;
	if (m)
		return m;
	m = calloc(1, sizeof(*m));
	if (!m)
		return NULL;
	m->pid = pid;
	m->owner = geteuid();
	m->next = *chain;
	*chain = m;
	maps->count++;
	return m;
}

const char *jit_map_find(struct jit_maps **maps, unsigned long pid, uint64_t addr,
			 uint64_t *begin)
{
	const struct jit_function *fn;
	struct jit_map *m;
	uint64_t now = now_ns();

	if (!*maps)
		*maps = calloc(1, sizeof(**maps));
	m = *maps ? find_map(*maps, pid) : NULL;
	if (!m)
		return NULL;
	m->used = now;
	fn = jit_map_search(m, addr);
	if ((!fn && !m->absent) || now - m->looked >= LOOK_AGAIN) {
		jit_map_look(*maps, m, now);
		fn = jit_map_search(m, addr);
	}
	while ((*maps)->count > MAX_MAPS || (*maps)->memory > MAX_MAP_MEMORY) {
		if (!remove_oldest(*maps, m))
			break;
	}
	if (!fn)
		return NULL;
	*begin = fn->addr;
	return fn->name;
}

void jit_maps_free(struct jit_maps **maps)
{
	while (*maps && remove_oldest(*maps, NULL))
		;
	free(*maps);
	*maps = NULL;
}
