// SPDX-License-Identifier: GPL-2.0
/*
 * Files are known by the paths and build ids of marks; their symbols are kept once
 * for each file, whatever names it has, and those that nobody has asked for longest
 * are dropped when they become too many, and read again when they are asked for.
 *
 * Anyone may run a program under any number of names.  Only a file that is the same
 * shares symbols with another: a build id is what its maker says it is.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "arena.h"
#include "marked_file.h"

/*
 * The kernel marks 1024 files at most; but a script may print what a program has
 * made up, and that shall not take all memory.
 */
#define MAX_FILES	2048

/* The longest build id that the kernel knows */
#define MAX_MARK_ID	20

/* Bytes of memory of all symbols, beside those that are asked for. */
#define MAX_MEMORY	(512UL << 20)

/**
 * struct symbols - a file whose symbols are known
 * @elf: what knows them
 * @file: which it is
 * @used: when it was asked for
 */
struct symbols {
	struct symbols *next;
	struct elf_file *elf;
	struct stat file;
	uint64_t used;
};

/**
 * struct known_file - a file of a mark
 * @path: as the mark has it
 * @build_id: the same
 * @none: nobody knows its symbols
 * @symbols: that it has; NULL if they were dropped
 */
struct known_file {
	const char *path;
	const char *build_id;
	bool none;
	struct symbols *symbols;
};

/**
 * struct marked_files - those that were asked for
 * @arena: of their names
 * @memory: bytes that symbols take
 * @clock: counts what is asked for
 */
struct marked_files {
	struct arena arena;
	struct known_file *known;
	unsigned int count;
	unsigned int max;
	struct symbols *symbols;
	size_t memory;
	uint64_t clock;
};

/* "\ooo" becomes a character, in place. */
static void unescape(char *p)
{
	char *to = p;

	for (; *p; to++) {
		if (p[0] == '\\' && p[1] >= '0' && p[1] <= '3' && p[2] >= '0' && p[2] <= '7' &&
		    p[3] >= '0' && p[3] <= '7') {
			*to = (p[1] - '0') << 6 | (p[2] - '0') << 3 | (p[3] - '0');
			p += 4;
		} else {
			*to = *p++;
		}
	}
	*to = '\0';
}

/*
 * In a container there is another file of that name.  If it has no build id, ours is
 * the one that ran only if it has none either.
 */
static bool has_build_id(const struct elf_file *f, const char *hex)
{
	if (!*hex)
		return !f->build_id_len || f->build_id_len > MAX_MARK_ID;
	if (strlen(hex) != 2 * f->build_id_len)
		return false;
	for (size_t i = 0; i < f->build_id_len; i++) {
		char byte[3];

		snprintf(byte, sizeof(byte), "%02x", f->build_id[i]);
		if (memcmp(byte, hex + 2 * i, 2))
			return false;
	}
	return true;
}

static struct elf_file *open_debug(const struct target *t, const char *hex)
{
	unsigned char id[MAX_BUILD_ID];
	struct elf_file *f;
	size_t len = strlen(hex) / 2;

	if (len > sizeof(id))
		return NULL;
	for (size_t i = 0; i < len; i++) {
		char byte[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		id[i] = strtoul(byte, NULL, 16);
	}
	f = elf_debug_file(id, len, t->root);
	/* a debug file of which only the sections were kept tells no offsets */
	if (f && !f->nsegments) {
		elf_file_close(f);
		f = NULL;
	}
	return f;
}

/* The file of that name, if it is still the one that ran; or its debug file. */
static struct elf_file *open_marked(const struct target *t, struct arena *arena,
				    const char *name, const char *build_id)
{
	static const char gone[] = " (deleted)";
	char *plain = arena_strndup(arena, name, strlen(name));
	const char *why, *path;
	struct elf_file *f = NULL;
	size_t len;

	unescape(plain);
	len = strlen(plain);
	if (*plain == '/') {
		bool deleted = len > strlen(gone) && !strcmp(plain + len - strlen(gone), gone);
		bool sure = *build_id || (!deleted && !*t->error);

		if (deleted)
			plain[len - strlen(gone)] = '\0';
		path = target_path(t, arena, plain);
		f = path && sure ? elf_file_open(path, &why) : NULL;
	}
	if (f && !has_build_id(f, build_id)) {
		elf_file_close(f);
		f = NULL;
	}
	if (!f && *build_id)
		f = open_debug(t, build_id);
	return f;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Those of a file that was opened, which is theirs then; NULL if there are none. */
static struct symbols *read_symbols(struct marked_files *files, struct elf_file *f,
				    const char *root)
{
	struct symbols *s = NULL;
	struct stat st;

	if (fstat(f->fd, &st))
		goto close;
	for (s = files->symbols; s && !is_same(&s->file, &st);)
		s = s->next;
	if (s)
		goto close;
	s = calloc(1, sizeof(*s));
	if (!s)
		goto close;
	elf_read_symbols(f, root);
	elf_file_done(f);
	s->elf = f;
	s->file = st;
	s->next = files->symbols;
	files->symbols = s;
	files->memory += f->arena.size;
	return s;

close:
	elf_file_close(f);
	return s;
}

static void drop(struct marked_files *files, struct symbols **at)
{
	struct symbols *s = *at;

	for (unsigned int i = 0; i < files->count; i++) {
		if (files->known[i].symbols == s)
			files->known[i].symbols = NULL;
	}
	*at = s->next;
	files->memory -= s->elf->arena.size;
	elf_file_close(s->elf);
	free(s);
}

/* Drop the symbols that nobody has asked for longest, if they are not @but. */
static bool drop_oldest(struct marked_files *files, const struct symbols *but)
{
	struct symbols **oldest = NULL;

	for (struct symbols **at = &files->symbols; *at; at = &(*at)->next) {
		if (*at != but && (!oldest || (*at)->used < (*oldest)->used))
			oldest = at;
	}
	if (oldest)
		drop(files, oldest);
	return oldest;
}

static void open_known(struct marked_files *files, const struct target *t,
		       struct known_file *known)
{
	struct arena arena = { 0 };
	struct elf_file *f = open_marked(t, &arena, known->path, known->build_id);

	known->symbols = f ? read_symbols(files, f, t->root) : NULL;
	known->none = !known->symbols;
	arena_free(&arena);
	while (files->memory > MAX_MEMORY) {
		if (!drop_oldest(files, known->symbols))
			break;
	}
}

/* NULL if there are too many. */
static struct known_file *find_known(struct marked_files *files, const char *path,
				     const char *build_id)
{
	struct known_file *known;

	for (unsigned int i = 0; i < files->count; i++) {
		known = &files->known[i];
		if (!strcmp(known->path, path) && !strcmp(known->build_id, build_id))
			return known;
	}
	if (files->count == MAX_FILES)
		return NULL;
	files->known = arena_grow(&files->arena, files->known, files->count, &files->max,
				  sizeof(*files->known));
	known = &files->known[files->count++];
	*known = (struct known_file) {
		.path = arena_strndup(&files->arena, path, strlen(path)),
		.build_id = arena_strndup(&files->arena, build_id, strlen(build_id)),
	};
	return known;
}

const struct elf_file *marked_file_find(struct marked_files **files, const struct target *t,
					const char *path, const char *build_id, bool *opened)
{
	struct known_file *known;

	if (!*files)
		*files = calloc(1, sizeof(**files));
	known = *files ? find_known(*files, path, build_id) : NULL;
	if (!known || known->none)
		return NULL;
	if (!known->symbols) {
		*opened = true;
		open_known(*files, t, known);
	}
	if (known->none)
		return NULL;
	known->symbols->used = ++(*files)->clock;
	return known->symbols->elf;
}

void marked_files_free(struct marked_files **files)
{
	while (*files && drop_oldest(*files, NULL))
		;
	if (*files)
		arena_free(&(*files)->arena);
	free(*files);
	*files = NULL;
}
