// SPDX-License-Identifier: GPL-2.0
/*
 * Files that the script shows with cat(): the session sends their names, and
 * their contents replace the names in the output.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cat.h"
#include "compiler/clean_text.h"

_Static_assert(KTAP_MAX_STRLEN >= PATH_MAX, "a string that was cut is no path");

/* Report an error with the file; its name is untrusted. */
static void cat_report(const struct cat *c, const char *what)
{
	fputs("ktap: cat: ", stderr);
	put_clean(stderr, c->path, strlen(c->path));
	fprintf(stderr, ": %s\n", what);
}

void cat_add(struct cat *c, const char *data, size_t len)
{
	size_t room = sizeof(c->path) - 1 - c->len;

	if (len > room)
		len = room;
	memcpy(c->path + c->len, data, len);
	c->len += len;
}

/* Showing the output file itself would never end. */
static bool is_output(const struct cat *c, const struct output *o)
{
	struct stat file, out;

	return !fstat(c->fd, &file) && !fstat(o->fd, &out) && S_ISREG(file.st_mode) &&
	       file.st_dev == out.st_dev && file.st_ino == out.st_ino;
}

void cat_open(struct cat *c, const struct output *o)
{
	c->path[c->len] = '\0';
	c->len = 0;
	/* do not block on a pipe without a writer */
	c->fd = open(c->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	c->open = c->fd >= 0;
	if (!c->open) {
		cat_report(c, strerror(errno));
	} else if (is_output(c, o)) {
		cat_report(c, "is the output");
		close(c->fd);
		c->open = false;
	}
}

void cat_stop(struct cat *c)
{
	if (!c->open)
		return;
	cat_report(c, "stopped");
	close(c->fd);
	c->open = false;
}

bool cat_copy(struct cat *c, struct output *o)
{
	char buf[4096];
	ssize_t n;

	while (c->open) {
		size_t room = output_room(o);

		if (!room)
			return false;
		n = read(c->fd, buf, room < sizeof(buf) ? room : sizeof(buf));
		if (n > 0) {
			output_add(o, buf, n);
			continue;
		}
		if (n < 0 && errno != EAGAIN)
			cat_report(c, strerror(errno));
		close(c->fd);
		c->open = false;
	}
	return true;
}
