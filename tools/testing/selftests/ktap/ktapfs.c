// SPDX-License-Identifier: GPL-2.0
/* Write and read the files of ktap. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "ktapfs.h"

int write_line(int fd, const char *line)
{
	return write(fd, line, strlen(line)) < 0 ? -errno : 0;
}

int write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	int err;

	if (fd < 0)
		return -errno;
	err = write_line(fd, text);
	close(fd);
	return err;
}

ssize_t read_text(int fd, char *buf, size_t size, size_t enough)
{
	size_t len = 0;

	while (len < size - 1 && len < enough) {
		struct pollfd p = { .fd = fd, .events = POLLIN };
		ssize_t n;

		if (poll(&p, 1, 5000) != 1)
			return -ETIME;
		n = read(fd, buf + len, size - 1 - len);
		if (n < 0)
			return -errno;
		if (!n)
			break;
		len += n;
	}
	buf[len] = '\0';
	return len;
}

ssize_t read_all(int fd, char *buf, size_t size)
{
	return read_text(fd, buf, size, size);
}

bool begins(const char *text, const char *with)
{
	return !strncmp(text, with, strlen(with));
}
