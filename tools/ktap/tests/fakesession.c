// SPDX-License-Identifier: GPL-2.0
/*
 * Replacement for the kernel's part of a session: the session file is a pseudo
 * terminal in raw mode, so that no kernel with ktap is needed.
 *
 *	fakesession DIR ktap [args] < STEPS
 *
 * Make DIR/ktap/session, run ktap with KTAP_TRACEFS=DIR, read the set-up lines
 * (they are written to DIR/setup) and the chunk (DIR/chunk), do the steps, end the session,
 * and exit with the exit code of ktap. After "ktap --detach", which returns at once, the steps
 * are for the process that has opened the session. Steps, one per line:
 *
 *	out TEXT, err TEXT, note TEXT	a frame with the text and a newline
 *	raw TEXT			a frame of output with the text, without a newline;
 *					@KEY@ in "out" and "raw" is replaced by the
 *					key of the line "symbols KEY"
 *	cat PATH			a frame with the path of a file to show
 *	system COMMAND			a frame with a command to run
 *	time N				a frame with this time
 *	dump REASON			a frame with the reason of a dump
 *	bulk N				N bytes of output, in frames of 1000
 *	exit N				the frame with the exit code
 *	split				write single bytes from now on
 *	pause				wait until ktap has read everything
 *	stop				wait for the line "stop" of ktap
 *	hold				suspend the terminal, so that writes of ktap
 *					block; exits with 93 if this is impossible
 *	signal N			send ktap the signal N; if it stops, wait for that
 *	remove PATH			remove a file at once
 *	await PATH			wait until there is this file
 *	control-c			type Control-C at the terminal of ktap
 *	shows TEXT			wait until the terminal of ktap shows the text;
 *					all that it shows is written to DIR/terminal
 *	loading DONE/ALL		show this progress in DIR/ktap/sessions.
 *					If this is the first step, the chunk is not read
 *					before the step "load": its size must be above
 *					64 KiB, so that its writer blocks; exits with 93 if
 *					this is impossible
 *	probe TEXT			add this line of a probe to it, after "loading"
 *	native TEXT			add this line to DIR/ktap/native
 *	load				read the chunk
 *	gone				wait until ktap has ended; no step may follow
 *	refuse				after ktap has read everything, end the session, so that
 *					the writing of the chunk fails; no step may follow
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include <linux/filter.h>
#include <linux/ktap.h>
#include <linux/seccomp.h>

static int master;
static int slave;
static int keyboard;
static FILE *terminal;		/* what ktap has shown */
static bool split;
static bool detaches;		/* ktap returns, and another process goes on */
static volatile sig_atomic_t returned;
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

/* Read the set-up lines, and the first byte of the chunk. */
static void receive_setup(const char *dir)
{
	char line[4096], path[4096];
	size_t len;
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
}

/* Read the rest of the chunk, and write it to a file. */
static void receive_chunk(const char *dir)
{
	static unsigned char data[1 << 20];
	struct ktap_header header;
	size_t len, have = 1;
	char path[4096];
	FILE *f;

	data[0] = KTAP_MAGIC[0];
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
	snprintf(path, sizeof(path), "%s/chunk", dir);
	f = fopen(path, "w");
	if (!f)
		die(path);
	fwrite(data, 1, have, f);
	fclose(f);
}

/*
 * Is the buffer of ktap's end empty? Unlike FIONREAD, poll() also waits for bytes that
 * were written to the other end but have not arrived yet.
 */
static bool is_empty(void)
{
	struct pollfd left = { .fd = slave, .events = POLLIN };
	int n;

	/* The end of a child of ktap interrupts it. */
	do {
		n = poll(&left, 1, 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		die("fakesession: poll");
	return !(left.revents & POLLIN);
}

/* Read the status of the main thread of ktap. Returns false if it runs or wants to. */
static bool read_status(pid_t ktap, char *text, size_t size)
{
	char path[64];
	FILE *f;

	memset(text, 0, size);
	snprintf(path, sizeof(path), "/proc/%d/status", (int)ktap);
	f = fopen(path, "re");
	if (!f || !fread(text, 1, size - 1, f))
		die("fakesession: status");
	fclose(f);
	return !strstr(text, "State:\tR");
}

/*
 * Has ktap read everything? If there was more than the buffer holds, the rest arrives only
 * at the end of a read() of ktap, which empties it before. So ktap must have slept the
 * whole time, with the same number of context switches.
 */
static bool is_drained(pid_t ktap)
{
	char before[8192], after[8192];

	return read_status(ktap, before, sizeof(before)) && is_empty() &&
	       read_status(ktap, after, sizeof(after)) && !strcmp(before, after);
}

/* Is ktap stopped, or has it ended? */
static bool is_stopped(pid_t ktap)
{
	char status[8192];

	read_status(ktap, status, sizeof(status));
	return strstr(status, "State:\tT") || strstr(status, "State:\tZ");
}

/* Wait until a process has ended; maybe nobody waits for it. */
static void wait_for_end(pid_t pid)
{
	char path[64], text[256];
	bool runs = true;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	while (runs) {
		fd = open(path, O_RDONLY | O_CLOEXEC);
		n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		text[n < 0 ? 0 : n] = '\0';
		runs = n > 0 && !strstr(text, ") Z ");
		if (fd >= 0)
			close(fd);
		usleep(1000);
	}
}

/*
 * In the loops here a busy machine may take long: alarm() is the limit. While the terminal is
 * being closed, a read() of it fails, and only later it finds the end: so ktap waits.
 */
static void end_session(pid_t ktap)
{
	while (!is_drained(ktap))
		usleep(5000);
	kill(ktap, SIGSTOP);
	while (!is_stopped(ktap))
		usleep(1000);
	close(slave);
	close(master);
	kill(ktap, SIGCONT);
}

/* ktap may show an endless file meanwhile, and never sleep. */
static void wait_for_ktap(void)
{
	do {
		usleep(5000);
	} while (!is_empty());
	usleep(300000);
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

/*
 * Ignore fcntl(fd, F_SETFL, flags) of this process: writes to a full terminal block,
 * like those to a real session, instead of failing.
 */
static void ignore_nonblock(void)
{
#ifdef __NR_fcntl64
	const unsigned int nr = __NR_fcntl64;
#else
	const unsigned int nr = __NR_fcntl;
#endif
	/* the lower half of the second argument */
	const unsigned int cmd = offsetof(struct seccomp_data, args[1]) +
				 4 * (htobe32(1) == 1);
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, nr, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, cmd),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, F_SETFL, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = 6, .filter = filter };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	    prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog))
		_exit(93);
}

static void show_loading(pid_t ktap, const char *attached)
{
	const char *dir = getenv("KTAP_TRACEFS");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/ktap/sessions", dir);
	f = fopen(path, "w");
	if (!f)
		die(path);
	fprintf(f, "1 %d root attaching events=0 attached=%s\n", (int)ktap, attached);
	fclose(f);
}

static void show_line(const char *file, const char *indent, const char *text)
{
	const char *dir = getenv("KTAP_TRACEFS");
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/ktap/%s", dir, file);
	f = fopen(path, "a");
	if (!f)
		die(path);
	fprintf(f, "%s%s\n", indent, text);
	fclose(f);
}

/* alarm() is the limit */
static void wait_for_terminal(const char *text)
{
	static char shown[65536];
	static size_t len;

	while (!strstr(shown, text)) {
		ssize_t n = read(keyboard, shown + len, sizeof(shown) - 1 - len);

		if (n <= 0)
			die("fakesession: terminal");
		fwrite(shown + len, 1, n, terminal);
		fflush(terminal);
		len += n;
		shown[len] = '\0';
	}
}

static bool begins_loading(const char *step)
{
	return !strncmp(step, "loading ", 8);
}

static void do_step(pid_t ktap, char *step)
{
	char line[64], *arg = strchr(step, ' ');
	const char *text;
	__le64 time;
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
	} else if (!strcmp(step, "dump")) {
		send_frame(KTAP_CH_DUMP, arg, strlen(arg));
	} else if (!strcmp(step, "time")) {
		time = htole64(atoll(arg));
		send_frame(KTAP_CH_TIME, &time, sizeof(time));
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
		wait_for_ktap();
	} else if (!strcmp(step, "signal")) {
		kill(ktap, atoi(arg));
		while (atoi(arg) == SIGSTOP && !is_stopped(ktap))
			usleep(1000);
	} else if (!strcmp(step, "remove")) {
		if (unlink(arg))
			die(arg);
	} else if (!strcmp(step, "await")) {
		while (access(arg, F_OK))
			usleep(10000);
	} else if (!strcmp(step, "control-c")) {
		if (write(keyboard, "\3", 1) != 1)
			die("fakesession: control-c");
	} else if (!strcmp(step, "shows")) {
		wait_for_terminal(arg);
	} else if (!strcmp(step, "loading")) {
		show_loading(ktap, arg);
	} else if (!strcmp(step, "probe")) {
		show_line("sessions", "  ", arg);
	} else if (!strcmp(step, "native")) {
		show_line("native", "", arg);
	} else if (!strcmp(step, "load")) {
		receive_chunk(getenv("KTAP_TRACEFS"));
	} else if (!strcmp(step, "refuse")) {
		end_session(ktap);
	} else if (!strcmp(step, "gone")) {
		wait_for_end(ktap);
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
	returned = true;
	if (detaches && WIFEXITED(status) && !WEXITSTATUS(status))
		return;
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : sig);
}

/* Does this process have the session open? */
static bool has_session(const char *pid)
{
	char path[300], link[64];
	bool found = false;
	struct dirent *fd;
	ssize_t n;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	while (dir && !found && (fd = readdir(dir))) {
		n = readlinkat(dirfd(dir), fd->d_name, link, sizeof(link) - 1);
		link[n < 0 ? 0 : n] = '\0';
		found = !strcmp(link, ptsname(master));
	}
	if (dir)
		closedir(dir);
	return found;
}

/* The process that has opened the session */
static pid_t find_opener(void)
{
	DIR *proc = opendir("/proc");
	struct dirent *entry;
	pid_t pid = 0;

	while (proc && !pid && (entry = readdir(proc))) {
		if (atoi(entry->d_name) > 0 && atoi(entry->d_name) != getpid() &&
		    has_session(entry->d_name))
			pid = atoi(entry->d_name);
	}
	if (!pid)
		die("fakesession: no process has the session");
	closedir(proc);
	return pid;
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

	snprintf(path, sizeof(path), "%s/terminal", dir);
	terminal = fopen(path, "we");
	if (!terminal)
		die(path);
	snprintf(path, sizeof(path), "%s/ktap", dir);
	mkdir(path, 0755);
	snprintf(path, sizeof(path), "%s/ktap/sessions", dir);
	unlink(path);
	snprintf(path, sizeof(path), "%s/ktap/session", dir);
	unlink(path);
	if (symlink(ptsname(master), path))
		die(path);
	setenv("KTAP_TRACEFS", dir, 1);
}

int main(int argc, char **argv)
{
	/* ktap may be stopped for a while; its end must not end the steps that are read */
	const struct sigaction child = {
		.sa_handler = on_child,
		.sa_flags = SA_NOCLDSTOP | SA_RESTART,
	};
	bool more, loading, over = false;
	char step[8192];
	pid_t ktap;

	if (argc < 3)
		return 95;
	make_session(argv[1]);
	for (int i = 3; i < argc; i++)
		detaches |= !strcmp(argv[i], "--detach");
	more = fgets(step, sizeof(step), stdin);
	loading = more && begins_loading(step);
	sigaction(SIGCHLD, &child, NULL);
	ktap = fork();
	if (!ktap) {
		/* the first terminal that is opened becomes the controlling one */
		if (setsid() < 0 || open(ptsname(keyboard), O_RDWR | O_CLOEXEC) < 0)
			die("fakesession: terminal");
		/* ktap must not read the steps */
		if (dup2(open("/dev/null", O_RDONLY), 0))
			die("fakesession: /dev/null");
		if (loading)
			ignore_nonblock();
		execv(argv[2], argv + 2);
		die(argv[2]);
	}

	/* limit: the longest steps take seconds on a busy machine */
	alarm(60);
	receive_setup(argv[1]);
	if (!loading)
		receive_chunk(argv[1]);
	if (detaches)
		ktap = find_opener();
	for (; more; more = fgets(step, sizeof(step), stdin)) {
		do_step(ktap, step);
		over = !strcmp(step, "refuse") || !strcmp(step, "gone");
	}
	if (!over)
		end_session(ktap);
	while (!detaches || !returned)
		usleep(1000);
	return 0;
}
