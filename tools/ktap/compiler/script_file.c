// SPDX-License-Identifier: GPL-2.0
/* Read the files of a script, and find included files. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <linux/ktap.h>

#include "compiler/ast.h"
#include "compiler/library.h"

/* In bytes: a chunk, or a script of that size with as many comments again. */
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

int ktap_read_file(void *ctx, const char *path, struct ktap_script *file)
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
	/* skip a byte order mark of UTF-8 */
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

	if (err == -EBADFD)
		return "it is no regular file";
	if (err != -EFBIG)
		return strerror(-err);
	snprintf(text, sizeof(text), "it has more than %u MiB, the limit of a script",
		 MAX_FILE >> 20);
	return text;
}

/* A search for an included file. */
struct include_search {
	struct compiler *cc;
	const char *name;
	const char *tried;	/* searched folders, for the message */
	bool known;		/* this path was read before */
	struct ktap_script file;
};

/* Scripts without a file have names like "-e". */
static bool is_file(const struct ktap_script *file)
{
	return file->id[0] || file->id[1];
}

/* Returns 0, -ENOENT if there is no such file, or another error. */
static int try_path(struct include_search *s, const char *path)
{
	const struct ktap_compile_opts *opts = s->cc->opts;
	const struct diag *d = &s->cc->diag;
	struct stat st;
	unsigned int i;
	int err;

	for (i = 0; i < d->nfiles; i++) {
		if ((i || is_file(&d->files[0])) && !strcmp(d->files[i].name, path)) {
			s->known = true;
			return 0;
		}
	}
	s->file = (struct ktap_script) { .name = path };
	/* to open a FIFO may take forever */
	if (!stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode))
		return -EBADFD;
	if (opts->read)
		err = opts->read(opts->read_ctx, path, &s->file);
	else
		err = ktap_read_file(NULL, path, &s->file);
	return err == -ENOTDIR ? -ENOENT : err;
}

static int try_folder(struct include_search *s, const char *folder, size_t len)
{
	struct pool *pool = &s->cc->pool;
	const char *slash = len && folder[len - 1] == '/' ? "" : "/";

	s->tried = pool_printf(pool, "%s%s%.*s", s->tried ? s->tried : "",
			       s->tried ? ", " : "", len ? (int)len : 1, len ? folder : ".");
	/* "-" alone means standard input */
	if (!len)
		return try_path(s, strcmp(s->name, "-") ? s->name : "./-");
	return try_path(s, pool_printf(pool, "%.*s%s%s", (int)len, folder, slash, s->name));
}

/* Search the folder of the including script, then the library. */
static int find_file(struct include_search *s, const char *includer)
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

static int index_of(const struct diag *d, const struct ktap_script *file)
{
	unsigned int i;

	for (i = 0; i < d->nfiles; i++)
		if (is_file(file) && file->id[0] == d->files[i].id[0] &&
		    file->id[1] == d->files[i].id[1])
			return i;
	return -1;
}

/* Add the file that was found; returns its index, or -1 if it is known, or after an error. */
static int include_add(struct include_search *s, struct pos pos)
{
	struct diag *d = &s->cc->diag;
	int i;

	if (s->known)
		return -1;
	i = index_of(d, &s->file);
	if (i < 0 && ktap_is_chunk(s->file.text, s->file.len))
		diag_error(d, pos, "'%s' is a compiled chunk, only scripts can be included",
			   s->file.name);
	else if (i < 0 && d->nfiles == KTAP_MAX_FILES)
		diag_error(d, pos, "a script has at most %u files", KTAP_MAX_FILES);
	else if (i < 0)
		return diag_add_file(d, &s->file);
	free((void *)s->file.text);
	return -1;
}

int script_include(struct compiler *cc, const struct node *name)
{
	struct diag *d = &cc->diag;
	struct include_search s = {
		.cc = cc, .name = pool_strndup(&cc->pool, name->str, name->len)
	};
	int err;

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
	return include_add(&s, name->pos);
}

int script_include_given(struct compiler *cc, const char *path)
{
	struct include_search s = { .cc = cc };
	/* no line of the script names it */
	const struct pos pos = { 0 };
	int err = try_path(&s, strcmp(path, "-") ? path : "./-");

	if (!err)
		return include_add(&s, pos);
	diag_error(&cc->diag, pos, "--include %s: %s", path, ktap_read_error(err));
	return -1;
}

void script_files_free(struct compiler *cc)
{
	unsigned int i;

	/* the caller owns the first one */
	for (i = 1; i < cc->diag.nfiles; i++)
		free((void *)cc->diag.files[i].text);
}
