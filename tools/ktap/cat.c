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
#include "json_text.h"
#include "compiler/clean_text.h"

#define CAT_PIECE	4096	/* bytes that are read at once */
#define MAX_REST	3	/* of a character */
#define MIN_JSON_ROOM	(JSON_HEAD + JSON_ESCAPE * 512)

_Static_assert(KTAP_MAX_STRLEN >= PATH_MAX, "a string that was cut is no path");

/* Report an error with the file; its name is untrusted. */
static void cat_report(const struct cat *c, const char *what)
{
	fputs(c->bpftrace ? "ERROR: failed to open file '" : "ktap: cat: ", stderr);
	put_clean(stderr, c->path, strlen(c->path));
	fprintf(stderr, c->bpftrace ? "' (%s)\n" : ": %s\n", what);
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
	c->left = c->limit ? c->limit : UINT64_MAX;
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

void cat_begin(struct cat *c, int fd, const char *name)
{
	snprintf(c->path, sizeof(c->path), "%s", name);
	c->fd = fd;
	c->open = !lseek(fd, 0, SEEK_SET);
	c->left = UINT64_MAX;
	if (!c->open) {
		cat_report(c, strerror(errno));
		close(fd);
	}
}

/* Number of bytes to read that fit into the output. */
static size_t cat_room(const struct cat *c, const struct output *o)
{
	size_t room = output_room(o);

	if (c->json)
		room = room < MIN_JSON_ROOM ? 0 : (room - JSON_HEAD) / JSON_ESCAPE - MAX_REST;
	return room < CAT_PIECE ? room : CAT_PIECE;
}

/* Add a line with @len bytes; @end: no others follow. A character is not divided. */
static void cat_add_json(struct cat *c, struct output *o, const char *data, size_t len, bool end)
{
	char text[CAT_PIECE + MAX_REST], line[JSON_HEAD + JSON_ESCAPE * sizeof(text)];

	memcpy(text, c->rest, c->rest_len);
	memcpy(text + c->rest_len, data, len);
	len += c->rest_len;
	c->rest_len = end ? 0 : json_rest(text, len);
	len -= c->rest_len;
	memcpy(c->rest, text + len, c->rest_len);
	if (len)
		output_add(o, line, json_line(line, c->json, text, len));
}

bool cat_copy(struct cat *c, struct output *o)
{
	char buf[CAT_PIECE];
	ssize_t n;

	while (c->open) {
		size_t room = cat_room(c, o);

		if (!room)
			return false;
		n = read(c->fd, buf, room < c->left ? room : c->left);
		if (n > 0)
			c->left -= n;
		if (c->json)
			cat_add_json(c, o, buf, n > 0 ? n : 0, n <= 0);
		else if (n > 0)
			output_add(o, buf, n);
		if (n > 0)
			continue;
		if (n < 0 && errno != EAGAIN)
			cat_report(c, strerror(errno));
		close(c->fd);
		c->open = false;
	}
	return true;
}
