// SPDX-License-Identifier: GPL-2.0
/*
 * Make one system call and print its CPU time in nanoseconds, which includes the handler
 * of that event, and not the reader of the output.  The arguments are expensive to read: a
 * name of 4095 bytes (arg1), an array of pointers to strings (arg3), and a stack with more
 * frames than ustack() takes.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
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

int main(void)
{
	memset(name, 'n', sizeof(name) - 1);
	for (int i = 0; i < STRINGS; i++)
		strings[i] = "a string of an array";
	printf("%lld\n", call(FRAMES));
	return 0;
}
