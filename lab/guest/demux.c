// SPDX-License-Identifier: GPL-2.0
/*
 * Host side of lab/run: turn the frames read from fd 0 into stdout and stderr,
 * write the exit status to fd 3, and a byte to fd 4 to let the guest power off.
 * Before the first output is passed on, a byte is written to fd 5.
 * Exit status: 0 = the guest's status was received, 1 = the guest ended without one,
 * 2 = the output cannot be written, or a frame is invalid.
 */
#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "frame.h"

static int get(void *buf, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = read(0, (char *)buf + done, len - done);
		if (n > 0)
			done += n;
		else if (n == 0 || errno != EINTR)
			return -1;
	}
	return 0;
}

static int put(int fd, const void *buf, size_t len)
{
	size_t done = 0;
	ssize_t n;

	while (done < len) {
		n = write(fd, (const char *)buf + done, len - done);
		if (n > 0)
			done += n;
		else if (errno != EINTR)
			return -1;
	}
	return 0;
}

int main(void)
{
	static char buf[FRAME_MAX];
	int passed_on = 0;
	struct frame_head h;
	uint32_t status;

	while (!get(&h, sizeof(h))) {
		h.kind = le32toh(h.kind);
		h.len = le32toh(h.len);
		if (h.len > sizeof(buf) || get(buf, h.len))
			break;
		switch (h.kind) {
		case FRAME_OUT:
		case FRAME_ERR:
			if (!passed_on && put(5, "", 1))
				return 2;
			passed_on = 1;
			if (put(h.kind == FRAME_OUT ? 1 : 2, buf, h.len)) {
				fprintf(stderr, "lab/run: output: %s\n", strerror(errno));
				return 2;
			}
			break;
		case FRAME_STATUS:
			memcpy(&status, buf, sizeof(status));
			dprintf(3, "%u\n", le32toh(status));
			return put(4, "", 1) ? 2 : 0;
		default:
			fprintf(stderr, "lab/run: bad frame from the guest\n");
			return 2;
		}
	}
	return 1;
}
