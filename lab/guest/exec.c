// SPDX-License-Identifier: GPL-2.0
/*
 * Guest side of lab/run: run the command of a file (its arguments, each ended
 * by a NUL), send its output and its exit status to the host as it comes.
 *
 * The command gets plain pipes, not the port itself: it may open /dev/stdout
 * again, and what it leaves running does not keep the port busy.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "frame.h"

#define PORTS		"/sys/class/virtio-ports"
#define ARGS_MAX	256
#define PIPE_MAX	(1 << 20)

static void die(const char *what)
{
	fprintf(stderr, "lab-exec: %s: %s\n", what, strerror(errno));
	exit(125);
}

/* The port announces itself some time after the driver is there: wait for it */
static int open_port(const char *want)
{
	char path[300], name[64];
	struct dirent *e;
	int tries, fd, n;
	DIR *d;

	for (tries = 0; tries < 3000; tries++, usleep(10000)) {
		d = opendir(PORTS);
		while (d && (e = readdir(d))) {
			snprintf(path, sizeof(path), PORTS "/%s/name", e->d_name);
			fd = open(path, O_RDONLY | O_CLOEXEC);
			if (fd < 0)
				continue;
			n = read(fd, name, sizeof(name) - 1);
			close(fd);
			name[n > 0 ? n : 0] = '\0';
			name[strcspn(name, "\n")] = '\0';
			if (strcmp(name, want))
				continue;
			snprintf(path, sizeof(path), "/dev/%s", e->d_name);
			fd = open(path, O_RDWR | O_CLOEXEC);
			if (fd >= 0) {
				closedir(d);
				return fd;
			}
		}
		if (d)
			closedir(d);
	}
	errno = ENODEV;
	die("no port " FRAME_PORT);
	return -1;
}

static void send_frame(int port, enum frame_kind kind, const void *data, uint32_t len)
{
	static char buf[sizeof(struct frame_head) + FRAME_MAX];
	struct frame_head h = { .kind = htole32(kind), .len = htole32(len) };
	size_t done = 0, all = sizeof(h) + len;
	ssize_t n;

	memcpy(buf, &h, sizeof(h));
	memcpy(buf + sizeof(h), data, len);
	while (done < all) {
		n = write(port, buf + done, all - done);
		if (n > 0)
			done += n;
		else if (n < 0 && errno != EINTR && errno != EAGAIN)
			die("write");
	}
}

/* Pass on what the pipe has, up to a frame; at its end leave it out of polling */
static void copy(int port, struct pollfd *pipe, enum frame_kind kind)
{
	static char buf[FRAME_MAX];
	ssize_t n;

	n = read(pipe->fd, buf, sizeof(buf));
	if (n > 0)
		send_frame(port, kind, buf, n);
	else if (n == 0)
		pipe->fd = -1;
}

static void split(char *args, size_t len, char **argv)
{
	size_t at = 0;
	int n = 0;

	while (at < len && n < ARGS_MAX) {
		argv[n++] = args + at;
		at += strlen(args + at) + 1;
	}
	argv[n] = NULL;
}

static pid_t start(char *file, int *out, int *err)
{
	static char args[1 << 20];
	char *argv[ARGS_MAX + 1];
	int o[2], e[2], fd;
	ssize_t len;
	pid_t pid;

	fd = open(file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		die(file);
	len = read(fd, args, sizeof(args) - 1);
	close(fd);
	split(args, len > 0 ? len : 0, argv);
	if (!argv[0] || pipe2(o, O_CLOEXEC) || pipe2(e, O_CLOEXEC))
		die("start");
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		sigset_t none;

		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		setsid();
		dup2(open("/dev/null", O_RDONLY), 0);
		dup2(o[1], 1);
		dup2(e[1], 2);
		execvp(argv[0], argv);
		fprintf(stderr, "lab/run: %s: %s\n", argv[0], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	close(o[1]);
	close(e[1]);
	*out = o[0];
	*err = e[0];
	return pid;
}

static void on_child(int sig)
{
	(void)sig;
}

int main(int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_child };
	struct pollfd p[2] = { { .events = POLLIN }, { .events = POLLIN } };
	sigset_t child, old;
	int port, status, rc, i;
	uint32_t word;
	pid_t pid;

	if (argc != 2) {
		fprintf(stderr, "usage: lab-exec COMMANDFILE\n");
		return 125;
	}
	port = open_port(FRAME_PORT);
	/* SIGCHLD is delivered only while polling, so that no exit is missed */
	sigaction(SIGCHLD, &act, NULL);
	sigemptyset(&child);
	sigaddset(&child, SIGCHLD);
	sigprocmask(SIG_BLOCK, &child, &old);
	pid = start(argv[1], &p[0].fd, &p[1].fd);
	fcntl(p[0].fd, F_SETFL, O_NONBLOCK);
	fcntl(p[1].fd, F_SETFL, O_NONBLOCK);

	while (waitpid(pid, &status, WNOHANG) != pid) {
		if (ppoll(p, 2, NULL, &old) < 0)
			continue;
		if (p[0].revents)
			copy(port, &p[0], FRAME_OUT);
		if (p[1].revents)
			copy(port, &p[1], FRAME_ERR);
	}
	/*
	 * Drain the pipes. Other processes may hold them open or continue to write:
	 * do not wait, and read at most the size of a pipe.
	 */
	for (i = 0; i < PIPE_MAX / FRAME_MAX; i++) {
		if (p[0].fd >= 0)
			copy(port, &p[0], FRAME_OUT);
		if (p[1].fd >= 0)
			copy(port, &p[1], FRAME_ERR);
	}
	rc = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	word = htole32(rc);
	send_frame(port, FRAME_STATUS, &word, sizeof(word));
	/* the host answers when it has everything: the machine may power off now */
	sigprocmask(SIG_SETMASK, &old, NULL);
	while (read(port, &word, 1) < 0 && errno == EINTR)
		;
	return 0;
}
