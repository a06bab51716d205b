// SPDX-License-Identifier: GPL-2.0
/* Files of a script: reading them, and finding what is included. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/ktap.h>

#include "ast.h"
#include "tool.h"

/* Bytes: a chunk, or a script with as much again that leaves nothing in the chunk */
#define MAX_FILE	(2 * KTAP_MAX_CHUNK)

static int read_all(FILE *f, char **text, size_t *len)
{
	size_t max = 0, n;
	char *bigger;

	*text = NULL;
	*len = 0;
	do {
		if (*len == max) {
			max = max ? max * 2 : 16384;
			if (*len > MAX_FILE)
				return -EFBIG;
			bigger = realloc(*text, max);
			if (!bigger)
				return -ENOMEM;
			*text = bigger;
		}
		n = fread(*text + *len, 1, max - *len, f);
		*len += n;
	} while (n);
	if (ferror(f))
		return -errno;
	return *len > MAX_FILE ? -EFBIG : 0;
}

int ktap_read_file(void *ctx, const char *path, struct ktap_source *file)
{
	static const char bom[] = "\xef\xbb\xbf";
	bool named = strcmp(path, "-");
	FILE *f = named ? fopen(path, "rbe") : stdin;
	struct stat st;
	char *text;
	int err;

	(void)ctx;
	if (!f)
		return -errno;
	err = read_all(f, &text, &file->len);
	/* a mark that the text is UTF-8 */
	if (!err && file->len >= strlen(bom) && !memcmp(text, bom, strlen(bom))) {
		file->len -= strlen(bom);
		memmove(text, text + strlen(bom), file->len);
	}
	if (!err && named && !fstat(fileno(f), &st)) {
		file->id[0] = st.st_dev;
		file->id[1] = st.st_ino;
	}
	if (named)
		fclose(f);
	if (err) {
		free(text);
		return err;
	}
	file->text = text;
	return 0;
}

const char *ktap_read_error(int err)
{
	static char text[64];

	if (err != -EFBIG)
		return strerror(-err);
	snprintf(text, sizeof(text), "it has more than %u MiB, the most of a script",
		 MAX_FILE >> 20);
	return text;
}

/* A search for an included file. */
struct search {
	struct compiler *cc;
	const char *name;
	const char *tried;	/* folders, for the message */
	bool known;		/* its path has been read before */
	struct ktap_source file;
};

/* Scripts that came from no file have names like "-e". */
static bool is_file(const struct ktap_source *file)
{
	return file->id[0] || file->id[1];
}

/* 0 when it is there, -ENOENT when it is not, or what went wrong with it. */
static int try_path(struct search *s, const char *path)
{
	const struct ktap_compile_opts *opts = s->cc->opts;
	const struct diag *d = &s->cc->diag;
	unsigned int i;
	int err;

	for (i = 0; i < d->nfiles; i++) {
		if ((i || is_file(&d->files[0])) && !strcmp(d->files[i].name, path)) {
			s->known = true;
			return 0;
		}
	}
	s->file = (struct ktap_source) { .name = path };
	if (opts->read)
		err = opts->read(opts->read_ctx, path, &s->file);
	else
		err = ktap_read_file(NULL, path, &s->file);
	return err == -ENOTDIR ? -ENOENT : err;
}

static int try_folder(struct search *s, const char *folder, size_t len)
{
	struct arena *arena = &s->cc->arena;
	const char *slash = len && folder[len - 1] == '/' ? "" : "/";

	s->tried = arena_printf(arena, "%s%s%.*s", s->tried ? s->tried : "",
				s->tried ? ", " : "", len ? (int)len : 1, len ? folder : ".");
	/* "-" alone would be standard input */
	if (!len)
		return try_path(s, strcmp(s->name, "-") ? s->name : "./-");
	return try_path(s, arena_printf(arena, "%.*s%s%s", (int)len, folder, slash, s->name));
}

/* Beside the script that includes it, then in the folders of the library. */
static int find_file(struct search *s, const char *includer)
{
	const char *slash = strrchr(includer, '/'), *library;
	const char * const *folder = s->cc->opts->folders;
	int err;

	if (s->name[0] == '/')
		return try_path(s, s->name);
	err = try_folder(s, includer, slash ? slash - includer + (slash == includer) : 0);
	for (; err == -ENOENT && folder && *folder; folder++)
		err = try_folder(s, *folder, strlen(*folder));
	for (unsigned int i = 0; err == -ENOENT && (library = ktap_library(i)); i++)
		err = try_folder(s, library, strlen(library));
	return err;
}

static int index_of(const struct diag *d, const struct ktap_source *file)
{
	unsigned int i;

	for (i = 0; i < d->nfiles; i++)
		if (is_file(file) && file->id[0] == d->files[i].id[0] &&
		    file->id[1] == d->files[i].id[1])
			return i;
	return -1;
}

int source_include(struct compiler *cc, const struct node *name)
{
	struct diag *d = &cc->diag;
	struct search s = { .cc = cc, .name = arena_strndup(&cc->arena, name->str, name->len) };
	int err, i;

	if (!name->len || strlen(s.name) != name->len) {
		diag_error(d, name->pos, "this is no name of a file");
		return -1;
	}
	err = find_file(&s, d->files[name->pos.file].name);
	if (err) {
		diag_error(d, name->pos, "cannot include '%s': %s",
			   err == -ENOENT ? s.name : s.file.name, ktap_read_error(err));
		if (err == -ENOENT && s.tried)
			diag_note(d, "searched in %s", s.tried);
		return -1;
	}
	if (s.known)
		return -1;
	i = index_of(d, &s.file);
	if (i < 0 && ktap_is_chunk(s.file.text, s.file.len))
		diag_error(d, name->pos, "'%s' is a compiled chunk, only scripts can be included",
			   s.file.name);
	else if (i < 0 && d->nfiles == KTAP_MAX_FILES)
		diag_error(d, name->pos, "a script has at most %u files", KTAP_MAX_FILES);
	else if (i < 0)
		return diag_add_file(d, &s.file);
	free((void *)s.file.text);
	return -1;
}

void source_free(struct compiler *cc)
{
	unsigned int i;

	/* the first is the caller's */
	for (i = 1; i < cc->diag.nfiles; i++)
		free((void *)cc->diag.files[i].text);
}
