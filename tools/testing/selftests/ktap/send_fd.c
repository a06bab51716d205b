// SPDX-License-Identifier: GPL-2.0
/* Pass file descriptors over a socket. */
#include <string.h>
#include <sys/socket.h>

#include "send_fd.h"

int send_fd(int to, int fd, int flags)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(fd))];
	} control = {};
	struct iovec byte = { "", 1 };
	struct msghdr msg = {
		.msg_iov = &byte, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);

	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN(sizeof(fd));
	memcpy(CMSG_DATA(c), &fd, sizeof(fd));
	return sendmsg(to, &msg, flags) == 1 ? 0 : -1;
}

int receive_fd(int from, int flags)
{
	union {
		struct cmsghdr head;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {};
	char data;
	struct iovec byte = { &data, 1 };
	struct msghdr msg = {
		.msg_iov = &byte, .msg_iovlen = 1,
		.msg_control = &control, .msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;
	int fd;

	if (recvmsg(from, &msg, flags) != 1)
		return -1;
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_type != SCM_RIGHTS)
		return -1;
	memcpy(&fd, CMSG_DATA(c), sizeof(fd));
	return fd;
}
