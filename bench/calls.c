// SPDX-License-Identifier: GPL-2.0
/*
 * The workloads of bench/peers and bench/profile, in a guest whose clocks count instructions.
 *
 *	calls getppid N		getppid(), in 40 chunks of N; the first chunk is made once more
 *				before, to warm up
 *	calls deep N		the same below 16 functions with frame pointers
 *	calls output N		the same, with a pause between the chunks, by the CPU time of
 *				this thread: a reader of the output is not included
 *	calls read N		read() of 512 bytes
 *	calls open N		openat() and close(), like output
 *	calls function N	calls of traced(), for probes of programs
 *	calls yield N		sched_yield() by two processes, N times each in a chunk
 *	calls cpu PID		the CPU time of a process and all its threads
 *	calls start TEXT COMMAND...	how long COMMAND takes until it prints a line that begins
 *				with TEXT; it gets a SIGINT then, and how long it takes to exit;
 *				its CPU time until then; the most memory that it had, in KiB;
 *				and how many functions of the kernel it traced
 *
 * The workloads print the median of the chunks, in instructions for one operation (yield: for
 * one switch).
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#define CHUNKS	40
#define FRAMES	16

static long per_chunk;

static void die(const char *what)
{
	fprintf(stderr, "calls: %s: %s\n", what, strerror(errno));
	exit(1);
}

static long long clock_of(clockid_t clock)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		die("clock_gettime");
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static long long counter(void)
{
	return __rdtsc();
}

static long long own_cpu_time(void)
{
	return clock_of(CLOCK_THREAD_CPUTIME_ID);
}

/*
 * A plugin of QEMU (bench/icount.c) counts the instructions between calls of the first two,
 * and writes its counts at the third.
 */
__attribute__((noinline, noclone)) void measure_begin(void)
{
	asm volatile("");
}

__attribute__((noinline, noclone)) void measure_end(void)
{
	asm volatile("");
}

__attribute__((noinline, noclone)) void measure_write(void)
{
	asm volatile("");
}

/* For probes of programs. */
__attribute__((noinline, noclone)) long traced(long arg)
{
	asm volatile("" : "+r"(arg));
	return arg;
}

static void call_getppid(void)
{
	for (long n = per_chunk; n; n--)
		syscall(SYS_getppid);
}

static void call_read(void)
{
	static char buf[512];
	int fd = open("/dev/zero", O_RDONLY);

	for (long n = per_chunk; n; n--)
		syscall(SYS_read, fd, buf, sizeof(buf));
	close(fd);
}

static void call_open(void)
{
	for (long n = per_chunk; n; n--)
		close(open("/dev/null", O_RDONLY));
}

static void call_function(void)
{
	for (long n = per_chunk; n; n--)
		traced(n);
}

static void call_yield(void)
{
	for (long n = per_chunk; n; n--)
		sched_yield();
}

static int smaller(const void *a, const void *b)
{
	long long x = *(const long long *)a, y = *(const long long *)b;

	return x < y ? -1 : x > y;
}

/* Print the median time of the chunks, divided by what they do. */
static int measure(void (*chunk)(void), long long (*now)(void), useconds_t pause, int of_each)
{
	long long took[CHUNKS];

	chunk();
	for (int i = 0; i < CHUNKS; i++) {
		long long start;

		if (pause)
			usleep(pause);
		start = now();
		measure_begin();
		chunk();
		measure_end();
		took[i] = now() - start;
	}
	measure_write();
	qsort(took, CHUNKS, sizeof(took[0]), smaller);
	printf("%.2f\n", (took[CHUNKS / 2 - 1] + took[CHUNKS / 2]) / 2.0 / per_chunk / of_each);
	return 0;
}

static __attribute__((noinline, noclone)) int measure_below(int frames)
{
	volatile int result;

	if (!frames)
		return measure(call_getppid, counter, 0, 1);
	/* not a tail call */
	result = measure_below(frames - 1);
	return result;
}

/* Each sched_yield() switches to the other process, and back. */
static int measure_yield(void)
{
	pid_t other = fork();
	int result;

	if (other < 0)
		die("fork");
	if (!other) {
		for (;;)
			sched_yield();
	}
	result = measure(call_yield, counter, 0, 2);
	kill(other, SIGKILL);
	waitpid(other, NULL, 0);
	return result;
}

static int print_cpu_time(pid_t pid)
{
	clockid_t clock;

	errno = clock_getcpuclockid(pid, &clock);
	if (errno)
		die("clock_getcpuclockid");
	printf("%lld\n", clock_of(clock));
	return 0;
}

/* Functions of the kernel that are traced now, by any tool */
static long count_functions(void)
{
	FILE *f = fopen("/sys/kernel/tracing/enabled_functions", "r");
	long n = 0;
	int c;

	if (!f)
		die("enabled_functions");
	while ((c = getc(f)) != EOF)
		n += c == '\n';
	fclose(f);
	return n;
}

static int start(const char *text, char **command)
{
	long functions = count_functions();
	long long begin = counter(), until = 0, stopped = 0;
	struct rusage used;
	int fd[2], status;
	char line[256];
	pid_t child;
	FILE *said;

	if (pipe(fd))
		die("pipe");
	child = fork();
	if (child < 0)
		die("fork");
	if (!child) {
		dup2(fd[1], STDOUT_FILENO);
		dup2(fd[1], STDERR_FILENO);
		close(fd[0]);
		close(fd[1]);
		execvp(command[0], command);
		die(command[0]);
	}
	close(fd[1]);
	said = fdopen(fd[0], "r");
	while (fgets(line, sizeof(line), said)) {
		if (until || strncmp(line, text, strlen(text)))
			continue;
		until = counter() - begin;
		functions = count_functions() - functions;
		stopped = counter();
		kill(child, SIGINT);
	}
	if (wait4(child, &status, 0, &used) != child)
		die("wait4");
	stopped = counter() - stopped;
	if (!until || status) {
		fprintf(stderr, "calls: %s: status %#x, %s\n", command[0], status,
			until ? "after it was running" : "and it was never running");
		return 1;
	}
	printf("%lld %lld %lld %ld %ld\n", until, stopped,
	       (used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000000LL +
	       (used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000LL, used.ru_maxrss, functions);
	return 0;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	if (!strcmp(what, "start") && argc > 3)
		return start(argv[2], argv + 3);
	if (!strcmp(what, "cpu"))
		return print_cpu_time(atoi(argv[2]));
	per_chunk = argc == 3 ? atol(argv[2]) : 0;
	if (per_chunk > 0) {
		if (!strcmp(what, "getppid"))
			return measure(call_getppid, counter, 0, 1);
		if (!strcmp(what, "deep"))
			return measure_below(FRAMES);
		if (!strcmp(what, "output"))
			return measure(call_getppid, own_cpu_time, 20000, 1);
		if (!strcmp(what, "read"))
			return measure(call_read, counter, 0, 1);
		if (!strcmp(what, "open"))
			return measure(call_open, own_cpu_time, 20000, 1);
		if (!strcmp(what, "function"))
			return measure(call_function, counter, 0, 1);
		if (!strcmp(what, "yield"))
			return measure_yield();
	}
	fprintf(stderr, "usage: calls getppid|deep|output|read|open|function|yield N\n"
		"       calls cpu PID\n"
		"       calls start TEXT COMMAND...\n");
	return 2;
}
