// SPDX-License-Identifier: GPL-2.0
/*
 * Make a system call, or three, and print their CPU time in nanoseconds, which includes the
 * handler of an event in them, and not the reader of the output.
 *
 * one open: openat() with arguments that are expensive to read: a name of 4095 bytes
 * (arg1), an array of pointers to strings (arg3), and a stack with more frames than
 * ustack() takes.
 * one connect: bind(), listen() and connect() on the loopback, where connect() handles the
 * packets of both sides before it returns: functions at the end of that have a deep stack.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FRAMES	200
#define STRINGS	64

static char name[4096];
static char *strings[STRINGS + 1];

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static __attribute__((noinline, noclone)) long long call(int depth)
{
	volatile long long took;
	long long start;

	if (depth) {
		/* not a tail call */
		took = call(depth - 1);
		return took;
	}
	start = now();
	syscall(SYS_openat, -1, name, O_RDONLY, strings);
	return now() - start;
}

static long long open_connection(void)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	int server = socket(AF_INET, SOCK_STREAM, 0);
	int client = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t size = sizeof(to);
	long long start = now();

	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(server, (struct sockaddr *)&to, size) || listen(server, 1) ||
	    getsockname(server, (struct sockaddr *)&to, &size))
		return -1;
	if (connect(client, (struct sockaddr *)&to, size))
		return -1;
	return now() - start;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "connect")) {
		printf("%lld\n", open_connection());
		return 0;
	}
	memset(name, 'n', sizeof(name) - 1);
	for (int i = 0; i < STRINGS; i++)
		strings[i] = "a string of an array";
	printf("%lld\n", call(FRAMES));
	return 0;
}
