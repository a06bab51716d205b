// SPDX-License-Identifier: GPL-2.0
/* The random operations of the threads of a process: see hammer.h. */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hammer.h"
#include "ktapfs.h"
#include "send_fd.h"

#define SELF		"/proc/self/exe"

#define THREADS		4	/* of a process */
#define SLOTS		8	/* sessions that its threads share */

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static const struct hammer_chunks *chunks;

/* Data of the threads of a process; -1: no session. */
static _Atomic int slots[SLOTS];
static int mail[2];		/* descriptors in messages */

static void count(enum counted what)
{
	hammer_did(what, 1);
}

void hammer_nap(uint64_t us)
{
	nanosleep(&(struct timespec){ us / 1000000, us % 1000000 * 1000 }, NULL);
}

/* Return a session that another thread may close at any time, or -1. */
static int pick(struct rng *rng)
{
	return slots[rnd(rng, SLOTS)];
}

/* Replace another session, which is closed. */
static void put(struct rng *rng, int fd)
{
	int old = atomic_exchange(&slots[rnd(rng, SLOTS)], fd);

	if (old >= 0 && old != fd)
		close(old);
}

static int open_session(struct rng *rng)
{
	static const int others[] = { O_RDONLY, O_WRONLY };
	int flags = rnd(rng, 16) ? O_RDWR : others[rnd(rng, 2)];

	if (rnd(rng, 4))
		flags |= O_NONBLOCK;
	if (rnd(rng, 2))
		flags |= O_CLOEXEC;
	count(N_opened);
	return open(SESSION, flags);
}

/* Write a line with a random number in place of each #. Returns its length. */
static size_t write_numbers(struct rng *rng, char *to, const char *line)
{
	static const unsigned long numbers[] = {
		0, 1, 2, 5, 100, 101, 3600, 86400, 262143, 262144, 300000, 1 << 20, 16 << 20, -1,
	};
	char *begin = to;

	for (; *line; line++) {
		if (*line != '#')
			*to++ = *line;
		else if (rnd(rng, 8))
			to += sprintf(to, "%lu", numbers[rnd(rng, ARRAY_SIZE(numbers))]);
		else
			to += sprintf(to, "%d", getpid());
	}
	return to - begin;
}

static void write_lines(struct rng *rng, int fd)
{
	static const char * const lines[] = {
		"arg x\n", "arg 42\n", "arg two words\narg -1\n", "pid 1\n", "follow\n",
		"pid 1\nfollow\n", "cpus 0\n", "cpus 0-1\n", "self\n", "memory 262144\n",
		"memory 1048576\n", "overhead 5\n", "overhead 101\n", "frames\n", "stream\n",
		"cgroup /\n", "cgroup /sys/fs/cgroup\ncgroup /\n", "cgroup none\n",
		"comm sh\n", "frames\ntimes\n",
		"symbols 01234567\n", "keep newest\n", "keep oldest\n",
		"uprobe uprobe:/x:y /bin/busybox\nat 0x1000 0 f\nat 0x2000 0 g\n",
		"uprobe usdt:/x:p:m /bin/busybox\nat 0x10 0x20 p:m 4@%di -8@%si 8@8(%sp)\n",
		"unresolved uprobe:/x:z none\n",
		"uprobe uprobe:/x:y /bin/busybox\nat # 0 f\nparam n 1 -4\n",
		"pid #\n", "memory #\n", "overhead #\n", "utc_offset #\n", "utc_offset -3600\n",
		"dry\n", "format json\n", "format text\n", "times\n", "at # # f #@%di\n",
	};
	char line[128];
	size_t len;

	count(N_lines);
	for (unsigned int n = 1 + rnd(rng, 3); n; n--) {
		len = write_numbers(rng, line, lines[rnd(rng, ARRAY_SIZE(lines))]);
		if (!rnd(rng, 16)) {
			count(N_damaged_lines);
			line[rnd(rng, len)] ^= 1 << rnd(rng, 8);
			len -= rnd(rng, 2);
		}
		if (write(fd, line, len) < 0)
			return;
	}
}

/* Return 0 if all of it was accepted. */
static int write_in_pieces(struct rng *rng, int fd, const unsigned char *data, size_t len)
{
	size_t done = 0;

	while (done < len) {
		size_t n = rnd(rng, 8) ? 1 + rnd(rng, 256) : 1 + rnd(rng, len);
		ssize_t ret;

		if (n > len - done)
			n = len - done;
		if (n > 2 && !rnd(rng, 4)) {
			struct iovec iov[2] = {
				{ (void *)(data + done), n / 2 },
				{ (void *)(data + done + n / 2), n - n / 2 },
			};

			ret = writev(fd, iov, 2);
		} else {
			ret = write(fd, data + done, n);
		}
		if (ret <= 0)
			return -1;
		done += ret;
	}
	return 0;
}

static void write_chunk(struct rng *rng, int fd)
{
	unsigned char data[MAX_CHUNK] __attribute__((aligned(8)));
	bool changed = false, truncated = !rnd(rng, 10), loaded;
	const char *lines = NULL;
	size_t len = chunks->next(rng, data, &lines, &changed);
	int ret = 0;

	if (truncated) {
		count(N_truncated);
		len = rnd(rng, len);
	}
	count(changed ? N_damaged_loads : N_loads);
	if (lines && write(fd, lines, strlen(lines)) < 0)
		ret = -1;
	if (!ret && rnd(rng, 4)) {
		ret = write(fd, data, len) == (ssize_t)len ? 0 : -1;
	} else if (!ret) {
		count(N_in_pieces);
		ret = write_in_pieces(rng, fd, data, len);
	}
	loaded = !ret && !truncated;
	if (ret)
		count(N_refused);
	else if (loaded)
		count(changed ? N_damaged_loaded : N_loaded);
	if (chunks->tried)
		chunks->tried(rng, loaded);
}

/* Open and set up a session as a user does, up to the chunk. */
static void do_session(struct rng *rng)
{
	int fd = open_session(rng);

	if (fd < 0)
		return;
	/* other threads see it before or after its chunk is written */
	if (!rnd(rng, 4))
		put(rng, fd);
	if (!rnd(rng, 3))
		write_lines(rng, fd);
	write_chunk(rng, fd);
	if (rnd(rng, 2))
		put(rng, fd);
	else
		close(fd);
}

static void do_open(struct rng *rng)
{
	int fd = open_session(rng);

	if (fd >= 0)
		put(rng, fd);
}

static void do_lines(struct rng *rng)
{
	write_lines(rng, pick(rng));
}

static void do_chunk(struct rng *rng)
{
	write_chunk(rng, pick(rng));
}

static void do_read(struct rng *rng)
{
	static const size_t sizes[] = { 0, 1, 7, 8, 100, 4096, 16384, 65536 };
	/* the page is missing */
	char *const nowhere = (char *)8;
	char buf[65536];
	int fd = pick(rng);
	ssize_t n;

	count(N_reads);
	for (unsigned int i = 1 + rnd(rng, 4); i; i--) {
		n = read(fd, rnd(rng, 32) ? buf : nowhere, sizes[rnd(rng, ARRAY_SIZE(sizes))]);
		if (n <= 0)
			return;
		hammer_did(N_bytes, n);
	}
}

static void do_poll(struct rng *rng)
{
	struct epoll_event ev = { .events = EPOLLIN | (rnd(rng, 2) ? EPOLLET : 0) };
	struct pollfd p = { .fd = pick(rng), .events = POLLIN | POLLOUT * rnd(rng, 2) };
	int set;

	count(N_polls);
	if (rnd(rng, 3)) {
		poll(&p, 1, rnd(rng, 20));
		return;
	}
	/* a session may be closed, and still be in the set */
	set = epoll_create1(EPOLL_CLOEXEC);
	epoll_ctl(set, EPOLL_CTL_ADD, p.fd, &ev);
	epoll_wait(set, &ev, 1, rnd(rng, 20));
	if (rnd(rng, 2))
		epoll_ctl(set, EPOLL_CTL_DEL, p.fd, &ev);
	close(set);
}

static void do_stop(struct rng *rng)
{
	static const char * const stops[] = { "stop\n", "stop\n", "stop", "st", "op\n" };
	const char *stop = stops[rnd(rng, ARRAY_SIZE(stops))];

	count(N_stops);
	(void)!write(pick(rng), stop, strlen(stop));
}

static void do_junk(struct rng *rng)
{
	unsigned char junk[5000];
	size_t len = 1 + rnd(rng, rnd(rng, 8) ? 64 : sizeof(junk));

	count(N_junk);
	for (size_t i = 0; i < len; i++)
		junk[i] = rnd(rng, 0);
	junk[len - 1] = rnd(rng, 4) ? '\n' : 0xcf;
	(void)!write(pick(rng), junk, len);
}

static void do_close(struct rng *rng)
{
	int fd = atomic_exchange(&slots[rnd(rng, SLOTS)], -1);

	count(N_closes);
	if (fd >= 0)
		close(fd);
}

static void do_dup(struct rng *rng)
{
	int fd = pick(rng), onto = pick(rng);

	count(N_dups);
	if (rnd(rng, 2) || onto < 0) {
		fd = dup(fd);
		if (fd >= 0)
			put(rng, fd);
	} else if (fd >= 0) {
		/* the previous one is closed while others use it */
		dup2(fd, onto);
	}
}

static void do_pass(struct rng *rng)
{
	int fd = pick(rng);

	if (rnd(rng, 2)) {
		/* often this was the last reference */
		if (!send_fd(mail[0], fd, MSG_DONTWAIT) && rnd(rng, 2))
			do_close(rng);
		return;
	}
	fd = receive_fd(mail[1], MSG_DONTWAIT);
	if (fd < 0)
		return;
	count(N_passed);
	if (rnd(rng, 3))
		put(rng, fd);
	else
		close(fd);
}

/* Operations that a session does not have, and those of every file. */
static void do_odd(struct rng *rng)
{
	struct iovec iov[3];
	char buf[64] = "stop\n";
	struct stat st;
	off_t off = 0;
	int fd = pick(rng), pipes[2];
	void *p;

	count(N_odd_calls);
	switch (rnd(rng, 18)) {
	case 0:
		lseek(fd, rnd(rng, 100), rnd(rng, 5));
		break;
	case 1:
		p = mmap(NULL, 4096, PROT_READ, rnd(rng, 2) ? MAP_SHARED : MAP_PRIVATE, fd, 0);
		if (p != MAP_FAILED)
			munmap(p, 4096);
		break;
	case 2:
		ioctl(fd, rnd(rng, 2) ? FIONREAD : rnd(rng, 0), buf);
		break;
	case 3:
		fstat(fd, &st);
		fchmod(fd, 0600);
		break;
	case 4:
		(void)!pread(fd, buf, sizeof(buf), rnd(rng, 2) ? 0 : rnd(rng, 0));
		break;
	case 5:
		(void)!pwrite(fd, buf, 5, rnd(rng, 2) ? 0 : rnd(rng, 0));
		break;
	case 6:
		if (pipe2(pipes, O_NONBLOCK))
			break;
		splice(fd, NULL, pipes[1], NULL, 4096, SPLICE_F_NONBLOCK);
		(void)!write(pipes[1], buf, 5);
		splice(pipes[0], NULL, fd, NULL, 5, SPLICE_F_NONBLOCK);
		close(pipes[0]);
		close(pipes[1]);
		break;
	case 7:
		sendfile(mail[0], fd, rnd(rng, 2) ? NULL : &off, 100);
		break;
	case 8:
		fcntl(fd, F_SETFL, rnd(rng, 4) ? O_NONBLOCK : O_APPEND);
		break;
	case 9:
		fcntl(fd, F_SETOWN, getpid());
		fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK);
		break;
	case 10:
		(void)!ftruncate(fd, rnd(rng, 2));
		fallocate(fd, 0, 0, 4096);
		break;
	case 11:
		fsync(fd);
		break;
	case 12:
		flock(fd, LOCK_SH | LOCK_NB);
		break;
	case 13:
		copy_file_range(fd, NULL, pick(rng), NULL, 100, 0);
		break;
	case 14:
		for (size_t i = 0; i < ARRAY_SIZE(iov); i++)
			iov[i] = (struct iovec){ buf + 16 * i, rnd(rng, 16) };
		if (fcntl(fd, F_GETFL) & O_NONBLOCK)
			(void)!readv(fd, iov, ARRAY_SIZE(iov));
		break;
	case 15:
		/* opened again by /proc: a separate session */
		snprintf(buf, sizeof(buf), "/proc/self/fd/%d", fd);
		fd = open(buf, O_RDWR | O_NONBLOCK | O_CLOEXEC);
		if (fd >= 0)
			put(rng, fd);
		break;
	case 16:
		/* nothing at all */
		(void)!write(fd, buf, 0);
		(void)!writev(fd, iov, 0);
		break;
	case 17:
		iov[0] = (struct iovec){ buf, sizeof(buf) };
		(void)!preadv2(fd, iov, 1, -1, RWF_NOWAIT);
		break;
	}
}

static void do_list(struct rng *rng)
{
	static const char * const files[] = {
		"sessions", "sessions", "features", "max_memory", "max_insns", "panic_dump", "jit",
		"native", "policy",
	};
	char path[64], buf[4096];
	int fd;

	count(N_listings);
	snprintf(path, sizeof(path), DIR "%s", files[rnd(rng, ARRAY_SIZE(files))]);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	while (read(fd, buf, sizeof(buf)) > 0)
		;
	close(fd);
}

/* Cause events, for sessions that wait for them. */
static void do_events(struct rng *rng)
{
	count(N_events);
	for (unsigned int i = rnd(rng, 100); i; i--) {
		syscall(SYS_getppid);
		if (!rnd(rng, 20))
			hammer_nap(1);
		if (!rnd(rng, 20))
			close(open("/dev/null", O_RDONLY | O_CLOEXEC));
	}
}

static void do_process(struct rng *rng);

/*
 * A larger weight means more often; a new session should exist long enough to be used.
 */
static const struct {
	unsigned int weight;
	void (*act)(struct rng *rng);
} actions[] = {
	{ 14, do_session },
	{ 2, do_open },
	{ 2, do_lines },
	{ 1, do_chunk },
	{ 20, do_read },
	{ 8, do_poll },
	{ 3, do_stop },
	{ 2, do_junk },
	{ 5, do_close },
	{ 4, do_dup },
	{ 6, do_pass },
	{ 10, do_odd },
	{ 3, do_list },
	{ 10, do_events },
	{ 3, do_process },
};

static void act(struct rng *rng, bool may_fork)
{
	unsigned int all = 0, i, n;

	for (i = 0; i < ARRAY_SIZE(actions); i++)
		all += actions[i].weight;
	for (n = rnd(rng, all), i = 0; n >= actions[i].weight; i++)
		n -= actions[i].weight;
	if (may_fork || actions[i].act != do_process)
		actions[i].act(rng);
}

/* The parent may exit before prctl(). */
void hammer_dies_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(0);
}

/* A child that inherits all sessions: it uses or closes them, until it is killed. */
static void do_process(struct rng *rng)
{
	struct rng his = { rnd(rng, 0) };
	unsigned int kind = rnd(rng, 4);
	int fd = pick(rng);
	char number[24];
	pid_t parent = getpid(), pid;

	snprintf(number, sizeof(number), "%d+%d", (int)rnd(rng, 1000), fd);
	pid = fork();
	if (!pid) {
		hammer_dies_with(parent);
		switch (kind) {
		case 0:
			_exit(0);
		case 1:
			execl(SELF, SELF, number, NULL);
			_exit(1);
		case 2:
			for (int i = 0; i < SLOTS; i++)
				do_close(&his);
			pause();
			_exit(0);
		default:
			for (;;)
				act(&his, false);
		}
	}
	if (pid < 0)
		return;
	count(kind == 1 ? N_execs : N_forks);
	hammer_nap(rnd(rng, 30000));
	if (kind)
		count(N_kills);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* "FIRST+N", see do_process(). */
void hammer_use_inherited(const char *arg)
{
	struct rng rng = { atoi(arg) };
	const char *plus = strchr(arg, '+');
	char buf[256];
	int fd;

	if (!plus)
		return;
	fd = atoi(plus + 1);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (;;) {
		(void)!read(fd, buf, rnd(&rng, sizeof(buf)));
		if (!rnd(&rng, 16))
			(void)!write(fd, "stop\n", 5);
		hammer_nap(100);
	}
}

static void *thread(void *arg)
{
	struct rng rng = { (uintptr_t)arg };

	for (;;)
		act(&rng, true);
	return NULL;
}

static void nudged(int sig)
{
}

/*
 * A process. Its waits for output, or for the end of trace_begin, are interrupted
 * sometimes.
 */
void hammer_act(const struct hammer_chunks *with, uint64_t seed)
{
	struct sigaction sa = { .sa_handler = nudged };
	struct rng rng = { seed };
	pthread_t threads[THREADS];

	chunks = with;
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGIO, &sa, NULL);
	sigaction(SIGPIPE, &sa, NULL);
	for (int i = 0; i < SLOTS; i++)
		slots[i] = -1;
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, mail))
		err(1, "socketpair");
	for (int i = 0; i < THREADS; i++) {
		if (pthread_create(&threads[i], NULL, thread, (void *)(uintptr_t)rnd(&rng, 0)))
			errx(1, "pthread_create");
	}
	for (;;) {
		hammer_nap(20000);
		pthread_kill(threads[rnd(&rng, THREADS)], SIGUSR1);
	}
}
