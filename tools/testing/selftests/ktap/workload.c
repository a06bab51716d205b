// SPDX-License-Identifier: GPL-2.0
/*
 * Does exactly as many system calls as it is told, for tests that count.
 *
 *	workload getppid N		getppid() N times
 *	workload open FILE N		openat(FILE, O_RDONLY) and close, N times
 *	workload write BYTES N		write(BYTES bytes) to /dev/null, N times
 *	workload fork N			N children that exit at once, one by one
 *	workload threads N		N threads that do getppid() once, one by one
 *	workload spin N			N processes that do getppid() until killed
 *	workload bursts N		the same, but they sleep every hundred calls
 *	workload fault N		writes to N new pages, from FAULT_BASE on
 *	workload burn MS		computes in user mode, so long
 *	workload wait COMMAND...	reads a line from stdin, then does the rest
 *	workload cpus N COMMAND...	does the rest on each of the first N CPUs at once
 *	workload timed COMMAND...	does the rest, prints the nanoseconds it took
 *	workload number NAME		prints the number of a system call
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int do_getppid(char **args)
{
	for (long n = atol(args[0]); n > 0; n--)
		syscall(SYS_getppid);
	return 0;
}

static int do_open(char **args)
{
	for (long n = atol(args[1]); n > 0; n--) {
		long fd = syscall(SYS_openat, AT_FDCWD, args[0], O_RDONLY, 0);

		if (fd < 0)
			return 1;
		syscall(SYS_close, fd);
	}
	return 0;
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

/* Where nothing else is: the test knows these faults by their addresses. */
#define FAULT_BASE	0x200000000000UL

static int do_fault(char **args)
{
	long page = sysconf(_SC_PAGESIZE), n = atol(args[0]);
	char *p = mmap((void *)FAULT_BASE, n * page, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

	if (p == MAP_FAILED)
		return 1;
	for (long i = 0; i < n; i++)
		p[i * page] = 1;
	return 0;
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

static int do_wait(char **args);
static int do_cpus(char **args);
static int do_timed(char **args);

static const struct {
	const char *name;
	int nargs;
	int (*run)(char **args);
} commands[] = {
	{ "getppid", 1, do_getppid },
	{ "open", 2, do_open },
	{ "write", 2, do_write },
	{ "fork", 1, do_fork },
	{ "threads", 1, do_threads },
	{ "spin", 1, do_spin },
	{ "bursts", 1, do_bursts },
	{ "fault", 1, do_fault },
	{ "burn", 1, do_burn },
	{ "number", 1, do_number },
	{ "wait", 1, do_wait },
	{ "cpus", 2, do_cpus },
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

static int do_rest(char **args)
{
	int argc = 0;

	while (args[argc])
		argc++;
	return do_command(argc, args);
}

static int do_wait(char **args)
{
	char byte = 0;

	while (byte != '\n' && read(STDIN_FILENO, &byte, 1) == 1)
		;
	return byte == '\n' ? do_rest(args) : 1;
}

/* They begin when the last one is there. */
static int do_cpus(char **args)
{
	int n = atoi(args[0]), ready[2], go[2], status, failed = 0;
	char byte = 0;

	if (pipe(ready) || pipe(go))
		return 1;
	for (int cpu = 0; cpu < n; cpu++) {
		cpu_set_t set;

		if (fork())
			continue;
		CPU_ZERO(&set);
		CPU_SET(cpu, &set);
		close(go[1]);
		if (sched_setaffinity(0, sizeof(set), &set) || write(ready[1], &byte, 1) != 1)
			_exit(1);
		/* ends when the parent closes it */
		if (read(go[0], &byte, 1))
			_exit(1);
		_exit(do_rest(args + 1));
	}
	close(ready[1]);
	for (int cpu = 0; cpu < n; cpu++)
		failed |= read(ready[0], &byte, 1) != 1;
	close(go[1]);
	while (wait(&status) > 0)
		failed |= status;
	return !!failed;
}

static int do_timed(char **args)
{
	struct timespec start, end;
	int ret;

	clock_gettime(CLOCK_MONOTONIC, &start);
	ret = do_rest(args);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%lld\n", (end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec);
	return ret;
}

int main(int argc, char **argv)
{
	return do_command(argc - 1, argv + 1);
}
