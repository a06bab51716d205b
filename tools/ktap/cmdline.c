// SPDX-License-Identifier: GPL-2.0
/* Command lines and standard streams of both programs. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmdline.h"

void given_add(struct given *g, const char *name, bool once)
{
	if (given_has(g, name)) {
		if (once)
			g->twice = name;
	} else if (g->count < MAX_GIVEN) {
		g->names[g->count++] = name;
	}
}

static bool given_has_word(const struct given *g, const char *name, size_t len)
{
	for (unsigned int i = 0; i < g->count; i++) {
		if (!strncmp(g->names[i], name, len) && !g->names[i][len])
			return true;
	}
	return false;
}

bool given_has(const struct given *g, const char *name)
{
	return given_has_word(g, name, strlen(name));
}

bool given_check(const struct given *g, const struct exclusion *table, const char *program)
{
	size_t len;

	if (g->twice) {
		fprintf(stderr, "%s: error: %s is given twice\n", program, g->twice);
		return false;
	}
	for (; table->name; table++) {
		if (!given_has(g, table->name))
			continue;
		for (const char *other = table->others; *other; other += len) {
			other += *other == ' ';
			len = strcspn(other, " ");
			if (!given_has_word(g, other, len))
				continue;
			fprintf(stderr, "%s: error: %s and %.*s exclude each other\n", program,
				table->name, (int)len, other);
			return false;
		}
	}
	return true;
}

static bool has_id(const struct sources *s, uint64_t dev, uint64_t ino)
{
	for (unsigned int i = 0; i < s->count; i++) {
		if (s->ids[i][0] == dev && s->ids[i][1] == ino)
			return true;
	}
	return false;
}

int sources_read(void *ctx, const char *path, struct ktap_script *file)
{
	struct sources *s = ctx;
	uint64_t id[2] = { 0 };
	struct stat st;
	int err = ktap_read_file(NULL, path, file);

	if (err)
		return err;
	memcpy(id, file->id, sizeof(id));
	/* standard input cannot be included by name, but may be a file */
	if (!strcmp(path, "-") && !fstat(STDIN_FILENO, &st)) {
		id[0] = st.st_dev;
		id[1] = st.st_ino;
	}
	/* the compiler reports too many files */
	if (s->count < KTAP_MAX_FILES && !has_id(s, id[0], id[1])) {
		s->ids[s->count][0] = id[0];
		s->ids[s->count++][1] = id[1];
	}
	return 0;
}

bool sources_have(const struct sources *s, const struct stat *st)
{
	return S_ISREG(st->st_mode) && has_id(s, st->st_dev, st->st_ino);
}

/*
 * Open /dev/null for closed standard streams, such that writing to it fails as
 * for a closed stream.
 */
void streams_open(const char *program)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
		int flags = fd == STDOUT_FILENO ? O_RDONLY : O_RDWR;

		/* open() returns the lowest free number */
		if (fcntl(fd, F_GETFD) >= 0 || open("/dev/null", flags) == fd)
			continue;
		fprintf(stderr, "%s: error: cannot open /dev/null for a closed stream: %s\n",
			program, strerror(errno));
		exit(2);
	}
}

bool finish_stdout(const char *program)
{
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	fprintf(stderr, "%s: error: cannot write to standard output: %s\n", program,
		strerror(errno));
	return false;
}
