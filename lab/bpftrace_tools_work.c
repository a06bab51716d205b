// SPDX-License-Identifier: GPL-2.0
/*
 * Work that tools of bpftrace trace, beside that of selftests/ktap/workload.c: see
 * lab/bpftrace-tools.
 *
 *	work resolve NAME	getaddrinfo(NAME)
 *	work threads N		N threads, one by one, which run worker(); then it sleeps
 *	work stat FILE		stat(), lstat(), statx() and statfs() of FILE, and stat() of
 *				/none
 *	work sync FILE		each call that writes FILE, or all files, to the disk
 *	work users		setuid(1), setfsuid(2) and setresuid(3, 4, 5), each in a child
 *	work local TEXT		TEXT through sockets of the machine: a stream, a datagram
 *	work connect ADDRESS	connects to port 9 of an address that does not answer, until
 *				a second has passed, or there is an error
 *	work memory KIB		writes so much memory, twice
 *	work terminal COMMAND...	runs COMMAND at a terminal with the input of this process
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <pthread.h>
#include <pty.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

static int do_resolve(char **args)
{
	struct addrinfo *found;

	return getaddrinfo(args[0], NULL, NULL, &found) ? 1 : 0;
}

/* Named in what threadsnoop.bt prints */
void *worker(void *arg)
{
	return arg;
}

static int do_threads(char **args)
{
	for (long n = atol(args[0]); n > 0; n--) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, worker, NULL) || pthread_join(thread, NULL))
			return 1;
	}
	sleep(10);
	return 0;
}

static int do_stat(char **args)
{
	struct statx sx;
	struct stat st;
	struct statfs fs;

	return syscall(SYS_stat, args[0], &st) || syscall(SYS_lstat, args[0], &st) ||
	       syscall(SYS_statx, AT_FDCWD, args[0], 0, STATX_BASIC_STATS, &sx) ||
	       syscall(SYS_statfs, args[0], &fs) || !syscall(SYS_stat, "/none", &st);
}

static int do_sync(char **args)
{
	int fd = open(args[0], O_RDWR | O_CREAT, 0600);
	void *map;

	if (fd < 0 || ftruncate(fd, 4096))
		return 1;
	map = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return 1;
	sync();
	return syncfs(fd) || fsync(fd) || fdatasync(fd) || msync(map, 4096, MS_SYNC) ||
	       sync_file_range(fd, 0, 4096, SYNC_FILE_RANGE_WRITE);
}

static int do_users(char **args)
{
	(void)args;
	for (int i = 0; i < 3; i++) {
		if (!fork())
			_exit(i == 0 ? setuid(1) : i == 1 ? setfsuid(2) : setresuid(3, 4, 5));
		wait(NULL);
	}
	return 0;
}

static int do_local(char **args)
{
	static const int types[] = { SOCK_STREAM, SOCK_DGRAM };
	ssize_t size = strlen(args[0]);
	char buf[256];
	int s[2];

	for (int i = 0; i < 2; i++) {
		if (socketpair(AF_UNIX, types[i], 0, s) || send(s[0], args[0], size, 0) != size ||
		    recv(s[1], buf, sizeof(buf), 0) != size)
			return 1;
	}
	return 0;
}

static int do_connect(char **args)
{
	struct sockaddr_in addr = { .sin_family = AF_INET, .sin_port = htons(9) };
	int s = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
	struct pollfd p = { .fd = s, .events = POLLOUT };

	if (s < 0 || inet_pton(AF_INET, args[0], &addr.sin_addr) != 1)
		return 1;
	connect(s, (void *)&addr, sizeof(addr));
	poll(&p, 1, 1500);
	return 0;
}

static int do_memory(char **args)
{
	size_t size = atol(args[0]) * 1024;
	char *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		return 1;
	for (int round = 0; round < 2; round++) {
		for (size_t i = 0; i < size; i += 4096)
			memory[i]++;
	}
	return 0;
}

static int do_terminal(char **args)
{
	char buf[4096];
	ssize_t n;
	int fd;

	switch (forkpty(&fd, NULL, NULL, NULL)) {
	case -1:
		return 1;
	case 0:
		execvp(args[0], args);
		_exit(127);
	}
	while ((n = read(0, buf, sizeof(buf))) > 0) {
		if (write(fd, buf, n) != n)
			return 1;
	}
	/* it ends with the command */
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		;
	wait(NULL);
	return 0;
}

static const struct {
	const char *name;
	int args;
	int (*run)(char **args);
} works[] = {
	{ "resolve", 1, do_resolve },
	{ "threads", 1, do_threads },
	{ "stat", 1, do_stat },
	{ "sync", 1, do_sync },
	{ "users", 0, do_users },
	{ "local", 1, do_local },
	{ "connect", 1, do_connect },
	{ "memory", 1, do_memory },
	{ "terminal", 1, do_terminal },
};

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(works) / sizeof(works[0]); i++) {
		if (argc >= 2 && argc - 2 >= works[i].args && !strcmp(argv[1], works[i].name))
			return works[i].run(argv + 2);
	}
	fprintf(stderr, "work: see the beginning of its source\n");
	return 2;
}
