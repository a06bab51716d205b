// SPDX-License-Identifier: GPL-2.0
/*
 * Attach events and detach them at once, by a session of ktap or by writing to
 * files of tracefs, and print a line: number of events, and for attaching and
 * detaching the CPU time of this thread in nanoseconds, that is instructions where
 * the clock counts these.  Time that it waits is not included.
 *
 *	attach session CHUNK [OTHER]
 *		a compiled script; OTHER is attached after it, and detached later
 *	attach write COUNT FILE ON OFF [FILE ON OFF...]
 *		write every ON, then, from the last to the first, every OFF; an
 *		empty text truncates the file; COUNT is a file with a line per event
 *
 * While it attaches its name is "attach", while it detaches "detach".
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define SESSION	"/sys/kernel/tracing/ktap/session"

static void fail(const char *what)
{
	perror(what);
	exit(1);
}

static long long cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static void write_all(int fd, const char *data, size_t len, const char *name)
{
	ssize_t n;

	for (; len; data += n, len -= n) {
		n = write(fd, data, len);
		if (n <= 0)
			fail(name);
	}
}

static void put(const char *name, const char *text)
{
	int fd = open(name, O_WRONLY | (*text ? 0 : O_TRUNC));

	if (fd < 0)
		fail(name);
	write_all(fd, text, strlen(text), name);
	if (close(fd))
		fail(name);
}

static long count_lines(const char *name)
{
	FILE *f = fopen(name, "r");
	long n = 0;
	int c;

	if (!f)
		fail(name);
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

/* The session tells, if there are any: "total enabled N events" */
static long count_events(int fd)
{
	static const char total[] = "total enabled ";
	char text[4096] = "", *events;

	fcntl(fd, F_SETFL, O_NONBLOCK);
	if (read(fd, text, sizeof(text) - 1) < 0)
		return 0;
	events = strstr(text, total);
	return events ? atol(events + strlen(total)) : 0;
}

static void report(long events, long long begin, long long attached, long long detach)
{
	printf("%ld\t%lld\t%lld\n", events, attached - begin, cpu_time() - detach);
}

static int load(const char *chunk)
{
	static char data[1 << 20];
	int in = open(chunk, O_RDONLY), fd = open(SESSION, O_RDWR);
	ssize_t len = read(in, data, sizeof(data));

	if (in < 0 || fd < 0 || len <= 0)
		fail(chunk);
	write_all(fd, data, len, chunk);
	close(in);
	return fd;
}

static int do_session(const char *chunk, const char *other)
{
	long long begin, attached, detach;
	long events;
	int fd;

	prctl(PR_SET_NAME, "attach");
	begin = cpu_time();
	fd = load(chunk);
	attached = cpu_time();
	events = count_events(fd);
	prctl(PR_SET_NAME, "other");
	if (other)
		load(other);
	prctl(PR_SET_NAME, "detach");
	detach = cpu_time();
	close(fd);
	report(events, begin, attached, detach);
	return 0;
}

static int do_write(const char *count, char **args, int n)
{
	long long begin, attached, detach;
	long events;

	prctl(PR_SET_NAME, "attach");
	begin = cpu_time();
	for (int i = 0; i + 2 < n; i += 3)
		put(args[i], args[i + 1]);
	attached = cpu_time();
	events = count_lines(count);
	prctl(PR_SET_NAME, "detach");
	detach = cpu_time();
	for (int i = n - 3; i >= 0; i -= 3)
		put(args[i], args[i + 2]);
	report(events, begin, attached, detach);
	return 0;
}

int main(int argc, char **argv)
{
	if ((argc == 3 || argc == 4) && !strcmp(argv[1], "session"))
		return do_session(argv[2], argv[3]);
	if (argc > 5 && argc % 3 == 0 && !strcmp(argv[1], "write"))
		return do_write(argv[2], argv + 3, argc - 3);
	fputs("attach: what?\n", stderr);
	return 2;
}
