// SPDX-License-Identifier: GPL-2.0
/*
 * The output of the script: a file or standard output.
 *
 * It is buffered while the session has more data, and written when poll() says
 * that writing does not block. So Control-C works even if the reader is slow.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "folded_stacks.h"
#include "output_file.h"

int output_open(struct output *o, const char *file)
{
	struct stat st;

	memset(o, 0, sizeof(*o));
	o->fd = STDOUT_FILENO;
	if (file)
		o->fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
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

size_t output_add(struct output *o, const char *data, size_t len)
{
	size_t room = output_room(o);

	if (o->folds) {
		folds_add(o->folds, data, len);
		return len;
	}
	if (len > room)
		len = room;
	memcpy(o->buf + o->end, data, len);
	o->end += len;
	return len;
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
		o->end = 0;
	}
	return 0;
}

int output_close(struct output *o)
{
	return close(o->fd) ? -errno : 0;
}
