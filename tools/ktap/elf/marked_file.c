// SPDX-License-Identifier: GPL-2.0
/*
 * Files of marks, by path and build id.
 *
 * The symbols of a file are kept once, whatever names it has. The least
 * recently used symbols are dropped when they become too many, and read again
 * when needed.
 *
 * Anyone can run a program under any number of names, and its maker chooses its
 * build id. So two names share symbols only if they lead to the same file.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler/pool.h"
#include "elf/marked_file.h"

/*
 * The kernel marks at most 1024 files. But a script may print marks that a
 * program has made up, and these must not use up memory.
 */
#define MAX_FILES	2048

/* The longest build id that the kernel knows */
#define MAX_MARK_ID	20

/* Memory limit of the symbols that are not in use, in bytes. */
#define MAX_SYMBOL_MEMORY	(512UL << 20)

/**
 * struct symbols - a file whose symbols are known
 * @elf: the file with its symbols
 * @lines: lines of its source files, or NULL
 * @file: its status, which identifies it
 * @memory: bytes that it takes
 * @used: time of its last use
 */
struct symbols {
	struct symbols *next;
	struct elf_file *elf;
	struct source_lines *lines;
	struct stat file;
	size_t memory;
	uint64_t used;
};

/**
 * struct known_file - a file of a mark
 * @path: path in the mark
 * @build_id: build id in the mark
 * @none: it has no symbols
 * @symbols: its symbols; NULL if they were dropped
 */
struct known_file {
	const char *path;
	const char *build_id;
	bool none;
	struct symbols *symbols;
};

/**
 * struct marked_files - all known files
 * @pool: memory of their names
 * @memory: bytes of all symbols
 * @clock: counts uses
 */
struct marked_files {
	struct pool pool;
	struct known_file *known;
	unsigned int count;
	unsigned int max;
	struct symbols *symbols;
	size_t memory;
	uint64_t clock;
};

/* "\ooo" becomes a character, in place. */
static void unescape_octal(char *p)
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
 * A container may have another file of that name. Without a build id in the
 * mark, our file is the right one only if it has none, too.
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

static struct elf_file *marked_file_open_debug(const struct target *t, const char *hex)
{
	unsigned char id[MAX_BUILD_ID];
	struct elf_file *f;
	size_t len = strlen(hex) / 2;

	if (len > sizeof(id))
		return NULL;
	for (size_t i = 0; i < len; i++) {
		char byte[3] = { hex[2 * i], hex[2 * i + 1], '\0' };

		id[i] = strtoull(byte, NULL, 16);
	}
	f = elf_debug_file(id, len, t->root);
	/* a debug file without segments has no offsets */
	if (f && !f->nsegments) {
		elf_file_close(f);
		f = NULL;
	}
	return f;
}

/*
 * Open the file of that name, if it is still the traced one; otherwise its
 * debug file.
 */
static struct elf_file *open_marked(const struct target *t, struct pool *pool,
				    const char *name, const char *build_id)
{
	static const char gone[] = " (deleted)";
	char *plain = pool_strndup(pool, name, strlen(name));
	const char *why, *path;
	struct elf_file *f = NULL;
	size_t len;

	unescape_octal(plain);
	len = strlen(plain);
	if (*plain == '/') {
		bool deleted = len > strlen(gone) && !strcmp(plain + len - strlen(gone), gone);
		bool sure = *build_id || (!deleted && !*t->error);

		if (deleted)
			plain[len - strlen(gone)] = '\0';
		path = target_path(t, pool, plain);
		f = path && sure ? elf_file_open(path, &why) : NULL;
	}
	if (f && !has_build_id(f, build_id)) {
		elf_file_close(f);
		f = NULL;
	}
	if (!f && *build_id)
		f = marked_file_open_debug(t, build_id);
	return f;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino && a->st_size == b->st_size &&
	       a->st_mtim.tv_sec == b->st_mtim.tv_sec && a->st_mtim.tv_nsec == b->st_mtim.tv_nsec;
}

/* Take over an opened file, and read its symbols; NULL if there are none. */
static struct symbols *read_symbols(struct marked_files *files, struct elf_file *f,
				    const char *root, bool lines)
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
	if (lines)
		s->lines = source_lines_open(f, root);
	elf_file_done(f);
	s->elf = f;
	s->file = st;
	/* lines are read when they are asked for, and take no more than the file */
	s->memory = f->pool.size + (s->lines ? st.st_size : 0);
	s->next = files->symbols;
	files->symbols = s;
	files->memory += s->memory;
	return s;

close:
	elf_file_close(f);
	return s;
}

static void marked_file_drop(struct marked_files *files, struct symbols **at)
{
	struct symbols *s = *at;

	for (unsigned int i = 0; i < files->count; i++) {
		if (files->known[i].symbols == s)
			files->known[i].symbols = NULL;
	}
	*at = s->next;
	files->memory -= s->memory;
	source_lines_close(s->lines);
	elf_file_close(s->elf);
	free(s);
}

/* Drop the least recently used symbols, except @but. */
static bool drop_oldest(struct marked_files *files, const struct symbols *but)
{
	struct symbols **oldest = NULL;

	for (struct symbols **at = &files->symbols; *at; at = &(*at)->next) {
		if (*at != but && (!oldest || (*at)->used < (*oldest)->used))
			oldest = at;
	}
	if (oldest)
		marked_file_drop(files, oldest);
	return oldest;
}

static void open_known(struct marked_files *files, const struct target *t,
		       struct known_file *known, bool lines)
{
	struct pool pool = { 0 };
	struct elf_file *f = open_marked(t, &pool, known->path, known->build_id);

	known->symbols = f ? read_symbols(files, f, t->root, lines) : NULL;
	known->none = !known->symbols;
	pool_free(&pool);
	while (files->memory > MAX_SYMBOL_MEMORY) {
		if (!drop_oldest(files, known->symbols))
			break;
	}
}

/* Returns NULL if there are too many files. */
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
	files->known = pool_grow(&files->pool, files->known, files->count, &files->max,
				 sizeof(*files->known));
	known = &files->known[files->count++];
	*known = (struct known_file) {
		.path = pool_strndup(&files->pool, path, strlen(path)),
		.build_id = pool_strndup(&files->pool, build_id, strlen(build_id)),
	};
	return known;
}

const struct elf_file *marked_file_find(struct marked_files **files, const struct target *t,
					const char *path, const char *build_id,
					struct source_lines **lines, bool *opened)
{
	struct known_file *known;

	if (!*files)
		*files = calloc(1, sizeof(**files));
	known = *files ? find_known(*files, path, build_id) : NULL;
	if (!known || known->none)
		return NULL;
	if (!known->symbols) {
		*opened = true;
		open_known(*files, t, known, lines);
	}
	if (known->none)
		return NULL;
	known->symbols->used = ++(*files)->clock;
	if (lines)
		*lines = known->symbols->lines;
	return known->symbols->elf;
}

void marked_files_free(struct marked_files **files)
{
	while (*files && drop_oldest(*files, NULL))
		;
	if (*files)
		pool_free(&(*files)->pool);
	free(*files);
	*files = NULL;
}
