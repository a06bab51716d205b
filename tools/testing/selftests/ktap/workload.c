// SPDX-License-Identifier: GPL-2.0
/*
 * Make an exact number of system calls, for tests that count them.
 *
 *	workload getppid N		getppid() N times
 *	workload open FILE N		openat(FILE, O_RDONLY) and close, N times
 *	workload tagged FILE N		the same with a tag in the pointer to the name, if the
 *					machine has tags
 *	workload write BYTES N		write(BYTES bytes) to /dev/null, N times
 *	workload memfd NAME BYTES	write(BYTES bytes) to a new file in memory
 *	workload read BYTES N		read(BYTES bytes) from /dev/zero, N times
 *	workload brink BYTES N		the same from /dev/null to the end of a page, with
 *					no NUL; prints whether the next page became resident
 *	workload direct FILE BYTES N	the same from FILE, past the page cache
 *	workload stat FILE N		newfstatat(FILE) or fstatat64(FILE), N times
 *	workload fork N			N children that exit at once, one by one
 *	workload threads N		N threads that do getppid() once, one by one
 *	workload crowd N		N threads more, the last one with files of its own;
 *					prints a line, and ends with stdin
 *	workload named NAME		one thread more, of this name; likewise
 *	workload daemon COMMAND...	runs COMMAND as a child of init instead of its
 *					parents, and waits for its end
 *	workload pin CPU COMMAND...	runs COMMAND on this CPU
 *	workload spin N			N processes that do getppid() until killed
 *	workload bursts N		the same, but they sleep every hundred calls
 *	workload fault N		writes to N new pages, from 0x2000, shifted by half of
 *					the bits of a long, on
 *	workload store N		writes a long to the first of these addresses and reads
 *					it, N times
 *	workload major FILE N		reads N pages of FILE that are not in memory
 *	workload map N			mmap() of N pages and munmap(), N times
 *	workload cold open FILE N	like open, with the name on pages that are not resident
 *	workload cold stat FILE N	the same in stat(FILE), if that exists
 *	workload cold exec FILE N	the same in execve(FILE, { "cold", FILE }), which
 *					is not a program
 *	workload burn MS		computes in user mode for MS milliseconds
 *	workload nap MS N		clock_nanosleep() for MS milliseconds, N times
 *	workload futex MS N		waits MS milliseconds for a futex, N times
 *	workload hop N			migrates from one CPU to another, N times
 *	workload message BYTES N	msgsnd(BYTES bytes) and msgrcv(), N times
 *	workload connect BYTES N	N connections by TCP to itself, BYTES over each; the
 *					port is printed first
 *	workload local TEXT N		N times TEXT by a socket of AF_UNIX to itself
 *	workload attach DIR		mounts a tmpfs at DIR by fsopen() and move_mount()
 *	workload datagram ADDRESS BYTES N	N datagrams of UDP to port 9 of that address
 *	workload as UID COMMAND...	runs the program COMMAND as that user
 *	workload without CAP COMMAND...	the same without this capability, a number
 *	workload with CAP UID COMMAND...	the same as that user with only this capability
 *	workload userns COMMAND...	the same as root of a user namespace
 *	workload dump FLAG COMMAND...	the same where its memory may be dumped (1) or not (0)
 *	workload wait COMMAND...	reads a line from stdin, then runs COMMAND
 *	workload second COMMAND...	runs COMMAND in a second thread; the first one exits
 *	workload cpus N COMMAND...	runs COMMAND on each of the first N CPUs at once
 *	workload counter N COMMAND...	runs COMMAND while perf counts the trace event N
 *	workload timed COMMAND...	runs COMMAND, prints its time in nanoseconds
 *	workload number NAME		prints the number of a system call
 *	workload bits			prints the number of bits of a long
 *	workload page			prints the number of bytes of a page
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/time_types.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

static int do_getppid(char **args)
{
	for (long n = atol(args[0]); n > 0; n--)
		syscall(SYS_getppid);
	return 0;
}

static int open_many(const char *name, long n)
{
	for (; n > 0; n--) {
		long fd = syscall(SYS_openat, AT_FDCWD, name, O_RDONLY, 0);

		if (fd < 0)
			return 1;
		syscall(SYS_close, fd);
	}
	return 0;
}

static int do_open(char **args)
{
	return open_many(args[0], atol(args[1]));
}

/* A bit that is part of the tag on all machines that have one */
#define TAG_BIT		57

static int do_tagged(char **args)
{
	uint64_t name = (uintptr_t)args[0] | (uint64_t)1 << TAG_BIT;

#if defined(__x86_64__)
	if (syscall(SYS_arch_prctl, 0x4002 /* ARCH_ENABLE_TAGGED_ADDR */, 6))
		return 1;
#elif defined(PR_SET_TAGGED_ADDR_CTRL)
	if (prctl(PR_SET_TAGGED_ADDR_CTRL, PR_TAGGED_ADDR_ENABLE, 0, 0, 0))
		return 1;
#endif
	return open_many((const char *)(uintptr_t)name, atol(args[1]));
}

static int do_write(char **args)
{
	static char buf[65536];
	size_t bytes = atol(args[0]);
	int fd = open("/dev/null", O_WRONLY);

	if (fd < 0 || bytes > sizeof(buf))
		return 1;
	memset(buf, 'x', sizeof(buf));
	for (long n = atol(args[1]); n > 0; n--)
		syscall(SYS_write, fd, buf, bytes);
	return 0;
}

static int do_memfd(char **args)
{
	static const char buf[4096];
	size_t bytes = atol(args[1]);
	int fd = memfd_create(args[0], 0);

	return fd < 0 || bytes > sizeof(buf) || write(fd, buf, bytes) != (ssize_t)bytes;
}

static int read_times(int fd, size_t bytes, long n)
{
	static char buf[65536] __attribute__((aligned(4096)));

	if (fd < 0 || bytes > sizeof(buf))
		return 1;
	for (; n > 0; n--) {
		if (syscall(SYS_read, fd, buf, bytes) != (long)bytes)
			return 1;
	}
	return 0;
}

static int do_read(char **args)
{
	return read_times(open("/dev/zero", O_RDONLY), atol(args[0]), atol(args[1]));
}

static int do_direct(char **args)
{
	return read_times(open(args[0], O_RDONLY | O_DIRECT), atol(args[1]), atol(args[2]));
}

/* Where a long has 32 bits, the call has 64 in its name. */
#ifdef SYS_newfstatat
#define STAT_CALL	SYS_newfstatat
#else
#define STAT_CALL	SYS_fstatat64
#endif

static int do_stat(char **args)
{
	static char buf[1024];

	for (long n = atol(args[1]); n > 0; n--)
		syscall(STAT_CALL, AT_FDCWD, args[0], buf, 0);
	return 0;
}

static int do_fork(char **args)
{
	for (long n = atol(args[0]); n > 0; n--) {
		pid_t pid = fork();

		if (pid < 0)
			return 1;
		if (!pid)
			_exit(0);
		if (waitpid(pid, NULL, 0) != pid)
			return 1;
	}
	return 0;
}

static void *call_getppid(void *unused)
{
	syscall(SYS_getppid);
	return unused;
}

static int do_threads(char **args)
{
	for (long n = atol(args[0]); n > 0; n--) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, call_getppid, NULL) ||
		    pthread_join(thread, NULL))
			return 1;
	}
	return 0;
}

static pthread_barrier_t crowd;

static void *stand(void *last)
{
	if (last && unshare(CLONE_FILES))
		exit(1);
	pthread_barrier_wait(&crowd);
	for (;;)
		pause();
	return NULL;
}

/* When all of the crowd are there: print a line, and end with stdin. */
static int hold_crowd(void)
{
	char line[80];

	pthread_barrier_wait(&crowd);
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, line, sizeof(line)) > 0)
		;
	return 0;
}

static int do_crowd(char **args)
{
	long n = atol(args[0]);

	pthread_barrier_init(&crowd, NULL, n + 1);
	for (; n > 0; n--) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, stand, n == 1 ? args : NULL))
			return 1;
	}
	return hold_crowd();
}

static void *stand_named(void *name)
{
	prctl(PR_SET_NAME, name);
	return stand(NULL);
}

static int do_named(char **args)
{
	pthread_t thread;

	pthread_barrier_init(&crowd, NULL, 2);
	if (pthread_create(&thread, NULL, stand_named, args[0]))
		return 1;
	return hold_crowd();
}

/* In @args[0] processes, which end with the first one */
static void multiply(char **args)
{
	for (long n = atol(args[0]); n > 1; n--) {
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			break;
		}
	}
}

static int do_spin(char **args)
{
	multiply(args);
	while (syscall(SYS_getppid) >= 0)
		;
	return 1;
}

static int do_bursts(char **args)
{
	multiply(args);
	do {
		for (int i = 0; i < 100; i++)
			syscall(SYS_getppid);
	} while (!usleep(1000));
	return 1;
}

static long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int do_burn(char **args)
{
	long end = now_ms() + atol(args[0]);
	volatile long sum = 0;

	while (now_ms() < end) {
		for (long i = 0; i < 100000; i++)
			sum += i;
	}
	return 0;
}

/* The calls that take 64 bits of seconds; they have the names of the events. */
#ifdef SYS_clock_nanosleep_time64
#define NANOSLEEP_CALL	SYS_clock_nanosleep_time64
#define FUTEX_CALL	SYS_futex_time64
#else
#define NANOSLEEP_CALL	SYS_clock_nanosleep
#define FUTEX_CALL	SYS_futex
#endif

static struct __kernel_timespec of_ms(long ms)
{
	return (struct __kernel_timespec) { .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000 };
}

static int do_nap(char **args)
{
	struct __kernel_timespec ts = of_ms(atol(args[0]));

	for (long n = atol(args[1]); n > 0; n--)
		syscall(NANOSLEEP_CALL, CLOCK_MONOTONIC, 0, &ts, NULL);
	return 0;
}

static int do_futex(char **args)
{
	struct __kernel_timespec ts = of_ms(atol(args[0]));
	static uint32_t word;

	for (long n = atol(args[1]); n > 0; n--)
		syscall(FUTEX_CALL, &word, FUTEX_WAIT_PRIVATE, 0, &ts, NULL, 0);
	return 0;
}

static int do_hop(char **args)
{
	for (long n = atol(args[0]) + 1; n > 0; n--) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(n % 2, &set);
		if (sched_setaffinity(0, sizeof(set), &set))
			return 1;
	}
	return 0;
}

static int do_number(char **args)
{
	static const struct {
		const char *name;
		long number;
	} numbers[] = {
		{ "getppid", SYS_getppid },
		{ "openat", SYS_openat },
		{ "write", SYS_write },
	};

	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (!strcmp(args[0], numbers[i].name))
			return printf("%ld\n", numbers[i].number) < 0;
	}
	return 1;
}

static int do_page(char **args)
{
	printf("%ld\n", sysconf(_SC_PAGESIZE));
	return 0;
}

static int do_bits(char **args)
{
	printf("%zu\n", sizeof(long) * CHAR_BIT);
	return 0;
}

static const struct {
	const char *name;
	int nargs;
	int (*run)(char **args);
} commands[] = {
	{ "getppid", 1, do_getppid },
	{ "open", 2, do_open },
	{ "tagged", 2, do_tagged },
	{ "write", 2, do_write },
	{ "memfd", 2, do_memfd },
	{ "read", 2, do_read },
	{ "brink", 2, do_brink },
	{ "direct", 3, do_direct },
	{ "stat", 2, do_stat },
	{ "fork", 1, do_fork },
	{ "threads", 1, do_threads },
	{ "crowd", 1, do_crowd },
	{ "named", 1, do_named },
	{ "spin", 1, do_spin },
	{ "bursts", 1, do_bursts },
	{ "fault", 1, do_fault },
	{ "store", 1, do_store },
	{ "major", 2, do_major },
	{ "map", 1, do_map },
	{ "cold", 3, do_cold },
	{ "burn", 1, do_burn },
	{ "nap", 2, do_nap },
	{ "futex", 2, do_futex },
	{ "hop", 1, do_hop },
	{ "message", 2, do_message },
	{ "connect", 2, do_connect },
	{ "local", 2, do_local },
	{ "attach", 1, do_attach },
	{ "datagram", 3, do_datagram },
	{ "number", 1, do_number },
	{ "bits", 0, do_bits },
	{ "page", 0, do_page },
	{ "as", 2, do_as },
	{ "without", 2, do_without },
	{ "with", 3, do_with },
	{ "userns", 1, do_userns },
	{ "dump", 2, do_dump },
	{ "wait", 1, do_wait },
	{ "second", 1, do_second },
	{ "cpus", 2, do_cpus },
	{ "daemon", 1, do_daemon },
	{ "pin", 2, do_pin },
	{ "counter", 2, do_counter },
	{ "timed", 1, do_timed },
};

static int do_command(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		if (argc > commands[i].nargs && !strcmp(argv[0], commands[i].name))
			return commands[i].run(argv + 1);
	}
	fprintf(stderr, "workload: what?\n");
	return 2;
}

int do_rest(char **args)
{
	int argc = 0;

	while (args[argc])
		argc++;
	return do_command(argc, args);
}

int main(int argc, char **argv)
{
	return do_command(argc - 1, argv + 1);
}
