// SPDX-License-Identifier: GPL-2.0
/*
 * Replacement for the kernel's part of a session: the session file is a pseudo
 * terminal in raw mode, so that no kernel with ktap is needed.
 *
 *	fakesession DIR ktap [args] < STEPS
 *
 * Make DIR/ktap/session, run ktap with KTAP_TRACEFS=DIR, read the set-up lines
 * (they are written to DIR/setup) and the chunk, do the steps, end the session,
 * and exit with the exit code of ktap. Steps, one per line:
 *
 *	out TEXT, err TEXT, note TEXT	a frame with the text and a newline
 *	raw TEXT			a frame of output with the text, without a newline;
 *					@KEY@ in "out" and "raw" is replaced by the
 *					key of the line "symbols KEY"
 *	cat PATH			a frame with the path of a file to show
 *	system COMMAND			a frame with a command to run
 *	bulk N				N bytes of output, in frames of 1000
 *	exit N				the frame with the exit code
 *	split				write single bytes from now on
 *	pause				wait until ktap has read everything
 *	stop				wait for the line "stop" of ktap
 *	hold				suspend the terminal, so that writes of ktap
 *					block; exits with 93 if this is impossible
 *	signal N			send ktap the signal N
 *	remove PATH			remove a file at once
 *	control-c			type Control-C at the terminal of ktap
 */
#define _GNU_SOURCE
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <linux/ktap.h>

static int master;
static int slave;
static int keyboard;
static bool split;
static char mark_key[64];

static void die(const char *what)
{
	perror(what);
	exit(99);
}

static void send_bytes(const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(master, p, split ? 1 : len);

		if (n < 0)
			die("fakesession: write");
		p += n;
		len -= n;
	}
}

static void send_frame(enum ktap_channel channel, const void *data, size_t len)
{
	struct ktap_frame frame = { .len = htole32(len), .channel = channel };

	send_bytes(&frame, sizeof(frame));
	send_bytes(data, len);
}

static void send_text(enum ktap_channel channel, const char *text)
{
	char line[4096];

	send_frame(channel, line, snprintf(line, sizeof(line), "%s\n", text));
}

static void send_bulk(size_t len)
{
	char block[1000];

	memset(block, 'x', sizeof(block));
	for (; len; len -= len < sizeof(block) ? len : sizeof(block))
		send_frame(KTAP_CH_OUTPUT, block, len < sizeof(block) ? len : sizeof(block));
}

/* Read a line, or the first byte of the chunk. */
static size_t receive_line(char *line, size_t size)
{
	size_t len = 0;

	while (len < size) {
		if (read(master, line + len, 1) != 1)
			die("fakesession: read");
		len++;
		if (line[len - 1] == '\n' || (len == 1 && line[0] == KTAP_MAGIC[0]))
			return len;
	}
	exit(98);
}

static void receive_chunk(const char *dir)
{
	unsigned char data[65536];
	struct ktap_header header;
	char line[4096], path[4096];
	size_t len, have = 1;
	FILE *f;

	snprintf(path, sizeof(path), "%s/setup", dir);
	f = fopen(path, "w");
	if (!f)
		die(path);
	for (;;) {
		len = receive_line(line, sizeof(line));
		if (line[0] == KTAP_MAGIC[0])
			break;
		fwrite(line, 1, len, f);
		if (len > 8 && !strncmp(line, "symbols ", 8))
			snprintf(mark_key, sizeof(mark_key), "%.*s", (int)len - 9, line + 8);
	}
	fclose(f);

	data[0] = line[0];
	for (len = sizeof(header); have < len && len <= sizeof(data);) {
		ssize_t n = read(master, data + have, len - have);

		if (n <= 0)
			die("fakesession: chunk");
		have += n;
		if (have == sizeof(header)) {
			memcpy(&header, data, sizeof(header));
			len = le32toh(header.length);
		}
	}
}

/*
 * Wait until ktap has read everything.  Unlike FIONREAD, poll() also waits for bytes
 * that were written to the other end but have not arrived yet.
 */
static void drain(void)
{
	struct pollfd left = { .fd = slave, .events = POLLIN, .revents = POLLIN };

	/* a busy machine may take long: alarm() is the limit */
	while (left.revents & POLLIN) {
		usleep(5000);
		if (poll(&left, 1, 0) < 0)
			die("fakesession: poll");
	}
}

/* Replace each @KEY@ by the key. The result is valid until the next call. */
static const char *with_key(const char *text)
{
	static const char name[] = "@KEY@";
	static char buf[8192];
	const char *found;
	size_t len = 0;

	while ((found = strstr(text, name))) {
		len += snprintf(buf + len, sizeof(buf) - len, "%.*s%s", (int)(found - text), text,
				mark_key);
		if (len >= sizeof(buf))
			exit(93);
		text = found + strlen(name);
	}
	snprintf(buf + len, sizeof(buf) - len, "%s", text);
	return buf;
}

/* Suspend the terminal, and make writes of ktap to it blocking. */
static void hold(pid_t ktap)
{
	int pid = syscall(SYS_pidfd_open, ktap, 0), fd;
	struct stat session, st;
	bool found = false;

	if (pid < 0 || fstat(slave, &session) || tcflow(slave, TCOOFF))
		exit(93);
	for (int i = 3; i < 64; i++) {
		fd = syscall(SYS_pidfd_getfd, pid, i, 0);
		if (fd < 0)
			continue;
		if (!fstat(fd, &st) && st.st_rdev == session.st_rdev) {
			fcntl(fd, F_SETFL, O_RDWR);
			found = true;
		}
		close(fd);
	}
	close(pid);
	if (!found)
		exit(93);
}

static void do_step(pid_t ktap, char *step)
{
	char line[64], *arg = strchr(step, ' ');
	const char *text;
	__le32 code;

	step[strcspn(step, "\n")] = '\0';
	if (arg)
		*arg++ = '\0';
	else
		arg = step + strlen(step);
	if (!strcmp(step, "out")) {
		send_text(KTAP_CH_OUTPUT, with_key(arg));
	} else if (!strcmp(step, "err")) {
		send_text(KTAP_CH_ERROR, arg);
	} else if (!strcmp(step, "raw")) {
		text = with_key(arg);
		send_frame(KTAP_CH_OUTPUT, text, strlen(text));
	} else if (!strcmp(step, "cat")) {
		send_frame(KTAP_CH_CAT, arg, strlen(arg));
	} else if (!strcmp(step, "system")) {
		send_frame(KTAP_CH_SYSTEM, arg, strlen(arg));
	} else if (!strcmp(step, "note")) {
		send_text(KTAP_CH_NOTE, arg);
	} else if (!strcmp(step, "bulk")) {
		send_bulk(atol(arg));
	} else if (!strcmp(step, "exit")) {
		code = htole32(atoi(arg));
		send_frame(KTAP_CH_EXIT, &code, sizeof(code));
	} else if (!strcmp(step, "split")) {
		split = true;
	} else if (!strcmp(step, "pause")) {
		drain();
		usleep(300000);
	} else if (!strcmp(step, "signal")) {
		kill(ktap, atoi(arg));
	} else if (!strcmp(step, "remove")) {
		if (unlink(arg))
			die(arg);
	} else if (!strcmp(step, "control-c")) {
		if (write(keyboard, "\3", 1) != 1)
			die("fakesession: control-c");
	} else if (!strcmp(step, "hold")) {
		hold(ktap);
	} else if (!strcmp(step, "stop")) {
		line[receive_line(line, sizeof(line) - 1)] = '\0';
		if (strcmp(line, "stop\n"))
			exit(97);
	} else {
		fprintf(stderr, "fakesession: no step '%s'\n", step);
		exit(96);
	}
}

/* ktap has exited, maybe before all steps are done. */
static void on_child(int sig)
{
	int status;

	if (wait(&status) < 0)
		_exit(94);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : sig);
}

static int make_pty(void)
{
	int pty = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	if (pty < 0 || grantpt(pty) || unlockpt(pty))
		die("fakesession: pty");
	return pty;
}

static void make_session(const char *dir)
{
	char path[4096];
	struct termios t;

	keyboard = make_pty();
	master = make_pty();
	slave = open(ptsname(master), O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0 || tcgetattr(slave, &t))
		die("fakesession: pty");
	cfmakeraw(&t);
	tcsetattr(slave, TCSANOW, &t);

	snprintf(path, sizeof(path), "%s/ktap", dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/ktap/session", dir);
	unlink(path);
	if (symlink(ptsname(master), path))
		die(path);
	setenv("KTAP_TRACEFS", dir, 1);
}

int main(int argc, char **argv)
{
	char step[8192];
	pid_t ktap;

	if (argc < 3)
		return 95;
	make_session(argv[1]);
	signal(SIGCHLD, on_child);
	ktap = fork();
	if (!ktap) {
		/* the first terminal that is opened becomes the controlling one */
		if (setsid() < 0 || open(ptsname(keyboard), O_RDWR | O_CLOEXEC) < 0)
			die("fakesession: terminal");
		/* ktap must not read the steps */
		if (dup2(open("/dev/null", O_RDONLY), 0))
			die("fakesession: /dev/null");
		execv(argv[2], argv + 2);
		die(argv[2]);
	}

	/* limit: the longest steps take seconds on a busy machine */
	alarm(60);
	receive_chunk(argv[1]);
	while (fgets(step, sizeof(step), stdin))
		do_step(ktap, step);
	drain();
	close(slave);
	close(master);
	for (;;)
		pause();
}
