// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions that are passed over a socket: the permissions of the opener apply, not those
 * of the receiver.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/capability.h>

#include "../kselftest_harness.h"
#include "build_chunk.h"
#include "ktapfs.h"
#include "send_fd.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"

/* The files belong to root: stay root, but without capabilities. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {};

	return syscall(SYS_capset, &head, none);
}

/* Return a session that a child without capabilities has opened and passed here, or -1. */
static int open_without_capabilities(void)
{
	char was[16] = "";
	int fd, sockets[2];
	pid_t pid;

	fd = open(PARANOID, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || read(fd, was, sizeof(was) - 1) <= 0 || write_text(PARANOID, "-1"))
		return -1;
	close(fd);
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return -1;
	pid = fork();
	if (!pid)
		_exit(drop_capabilities() || send_fd(sockets[1], open(SESSION, O_RDWR), 0));
	close(sockets[1]);
	fd = receive_fd(sockets[0], MSG_CMSG_CLOEXEC);
	waitpid(pid, NULL, 0);
	close(sockets[0]);
	write_text(PARANOID, was);
	return fd;
}

static bool has_sockets(void)
{
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, sockets))
		return false;
	close(sockets[0]);
	close(sockets[1]);
	return true;
}

TEST(passed_session_gets_no_permissions_of_root)
{
	struct built_chunk chunk;
	char text[4096];
	int fd;

	if (access(PARANOID, F_OK))
		SKIP(return, "this kernel has no perf events");
	fd = open_without_capabilities();
	ASSERT_LE(0, fd);
	EXPECT_EQ(-EPERM, write_line(fd, "unsafe\n"));
	ASSERT_LT(0, read_all(fd, text, sizeof(text)));
	EXPECT_STREQ("ktap: error: unsafe: the opener of the session has no CAP_SYS_ADMIN\n",
		     text);
	close(fd);

	fd = open_without_capabilities();
	ASSERT_LE(0, fd);
	build_curtask(&chunk, "mine");
	EXPECT_EQ(-EPERM, write_chunk(fd, &chunk));
	ASSERT_LT(0, read_all(fd, text, sizeof(text)));
	EXPECT_TRUE(!!strstr(text, "CAP_PERFMON is needed for addresses of the kernel")) {
		TH_LOG("'%s'", text);
	}
	close(fd);

	/* operations permitted to its opener succeed */
	fd = open_without_capabilities();
	ASSERT_LE(0, fd);
	build_hello(&chunk, "hello");
	EXPECT_EQ(0, write_chunk(fd, &chunk));
	ASSERT_EQ(6, read_all(fd, text, sizeof(text)));
	close(fd);
}

/* Use a passed session as a user who may not open one. Returns 0 if everything works. */
static int use_sent(int socket, const struct built_chunk *c)
{
	char text[64];
	int fd;

	if (setgid(65534) || setuid(65534))
		return 1;
	if (open(SESSION, O_RDWR) >= 0 || errno != EACCES)
		return 2;
	fd = receive_fd(socket, MSG_CMSG_CLOEXEC);
	if (fd < 0)
		return 3;
	if (write_line(fd, "unsafe\n"))
		return 4;
	if (write_chunk(fd, c))
		return 5;
	return read_all(fd, text, sizeof(text)) == 5 && !strcmp(text, "mine\n") ? 0 : 6;
}

TEST(passed_session_of_root_keeps_its_permissions)
{
	int fd = open(SESSION, O_RDWR | O_CLOEXEC), status, sockets[2];
	struct built_chunk chunk;
	pid_t pid;

	ASSERT_LE(0, fd);
	build_curtask(&chunk, "mine");
	ASSERT_EQ(0, socketpair(AF_UNIX, SOCK_STREAM, 0, sockets));
	pid = fork();
	if (!pid) {
		/* or the child would have inherited it */
		close(fd);
		_exit(use_sent(sockets[1], &chunk));
	}
	close(sockets[1]);
	EXPECT_EQ(0, send_fd(sockets[0], fd, 0));
	ASSERT_EQ(pid, waitpid(pid, &status, 0));
	EXPECT_EQ(0, status);
	close(sockets[0]);
	close(fd);
}

int main(int argc, char **argv)
{
	if (!has_sockets())
		ksft_exit_skip("this kernel has no sockets\n");
	return run_tests_of_files(argc, argv);
}
