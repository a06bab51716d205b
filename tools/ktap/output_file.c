// SPDX-License-Identifier: GPL-2.0
/*
 * The output of the script: a file or standard output.
 *
 * It is buffered while the session has more data, and written when poll() says
 * that writing does not block. So Control-C works even if the reader is slow.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "compiler/clean_text.h"
#include "compiler/colour.h"
#include "compiler/util.h"
#include "folded_stacks.h"
#include "output_file.h"
#include "text_buffer.h"

#define MAX_COLOURED	1024	/* a longer line is no title, and there is no longer bar */

/*
 * A recording has what all users do. Its file is for our eyes only, and somebody who has made a
 * file of that name, perhaps in /tmp, could read it or change it.
 *
 * A new file may belong to somebody else, as on file systems without owners: only one that was
 * there is checked. Returns a descriptor or a negative errno.
 */
static int output_open_recording(const char *file)
{
	int fd = open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	struct stat st;

	if (fd >= 0 || errno != EEXIST)
		return fd < 0 ? -errno : fd;
	fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	if (!fstat(fd, &st) && (!S_ISREG(st.st_mode) || st.st_uid == geteuid()))
		return fd;
	close(fd);
	return -EEXIST;
}

int output_open(struct output *o, const char *file, bool recording)
{
	struct stat st;

	memset(o, 0, sizeof(*o));
	o->fd = STDOUT_FILENO;
	if (file && recording) {
		o->fd = output_open_recording(file);
		if (o->fd < 0)
			return o->fd;
	} else if (file) {
		o->fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	}
	if (o->fd < 0)
		return -errno;
	o->pipe = fstat(o->fd, &st) || !S_ISREG(st.st_mode);
	o->old = file && !o->pipe;
	return 0;
}

int output_begin(struct output *o)
{
	if (o->old && ftruncate(o->fd, 0))
		return -errno;
	o->old = false;
	return 0;
}

void output_take(struct output *o)
{
	o->end += text_take(o->converted, o->buf + o->end, output_room(o));
}

size_t output_add(struct output *o, const char *data, size_t len)
{
	size_t room = output_room(o);

	if (o->folds) {
		folds_add(o->folds, data, len);
		return len;
	}
	/* the buffer is full while converted text waits */
	if (o->convert && room) {
		o->convert(o->converter, data, len);
		output_take(o);
		return len;
	}
	if (len > room)
		len = room;
	memcpy(o->buf + o->end, data, len);
	o->end += len;
	return len;
}

/*
 * The length of the part of a line that has one colour: a title, a bar, or what is
 * between them.
 */
static size_t output_part(const char *text, size_t len, bool begin, enum colour *colour)
{
	static const char * const titles[] = {
		"----- Distribution -----", "-- Distribution (log) --",
	};
	const char *newline = memchr(text, '\n', len);
	size_t end = newline ? (size_t)(newline - text) : len, n;

	*colour = COLOUR_END;
	for (size_t i = 0; begin && i < ARRAY_SIZE(titles); i++) {
		if (!memmem(text, end, titles[i], strlen(titles[i])))
			continue;
		*colour = COLOUR_TITLE;
		return end;
	}
	if (*text == '@') {
		*colour = COLOUR_BAR;
		for (n = 0; n < end && text[n] == '@'; n++)
			;
		return n;
	}
	for (n = 1; n < end; n++) {
		if (text[n] == '@' && text[n - 1] == '|')
			return n;
	}
	return newline ? end + 1 : end;
}

static size_t output_add_coloured(struct output *o, const char *data, size_t len)
{
	const char *on, *off = colour_code(COLOUR_END);
	enum colour colour;
	size_t done = 0, n;

	while (done < len) {
		bool begin = !done || data[done - 1] == '\n';

		n = output_part(data + done, len - done, begin, &colour);
		/* addresses like user@host begin no bar */
		if (colour == COLOUR_BAR && (!done || data[done - 1] != '|'))
			colour = COLOUR_END;
		on = colour == COLOUR_END ? "" : colour_code(colour);
		if (colour == COLOUR_END || n > MAX_COLOURED) {
			n = output_add(o, data + done, n);
			if (!n)
				break;
		} else {
			if (output_room(o) < MAX_COLOURED + strlen(on) + strlen(off))
				break;
			output_add(o, on, strlen(on));
			output_add(o, data + done, n);
			output_add(o, off, strlen(off));
		}
		done += n;
	}
	return done;
}

size_t output_add_text(struct output *o, const char *data, size_t len)
{
	static char text[sizeof(o->buf)];
	unsigned int rest = o->rest;
	size_t n = len;

	if (o->clean) {
		if (n > sizeof(text))
			n = sizeof(text);
		memcpy(text, data, n);
		clean_part(text, n, &rest);
		data = text;
	}
	n = o->colour ? output_add_coloured(o, data, n) : output_add(o, data, n);
	/* only these bytes were added: what is left comes again, after this state */
	if (o->clean)
		clean_part(text, n, &o->rest);
	return n;
}

int output_write(struct output *o)
{
	size_t len = o->end - o->begin;
	int err = output_begin(o);
	ssize_t n;

	if (err)
		return err;
	if (o->pipe && len > PIPE_BUF)
		len = PIPE_BUF;
	n = write(o->fd, o->buf + o->begin, len);
	if (n < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -errno;

	o->begin += n;
	if (o->begin == o->end) {
		o->begin = 0;
		o->end = o->convert ? text_take(o->converted, o->buf, sizeof(o->buf)) : 0;
	}
	return 0;
}

int output_close(struct output *o)
{
	return close(o->fd) ? -errno : 0;
}
