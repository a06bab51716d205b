// SPDX-License-Identifier: GPL-2.0
/* The commands of workload.c that run another one in a special way */
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "workload.h"

int do_as(char **args)
{
	int id = atoi(args[0]);

	if (setgid(id) || setuid(id))
		return 1;
	execvp(args[1], args + 1);
	return 1;
}

int do_without(char **args)
{
	if (prctl(PR_CAPBSET_DROP, atoi(args[0])))
		return 1;
	execvp(args[1], args + 1);
	return 1;
}

int do_with(char **args)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
	int cap = atoi(args[0]), id = atoi(args[1]);

	data[cap / 32].effective = 1U << cap % 32;
	data[cap / 32].permitted = 1U << cap % 32;
	data[cap / 32].inheritable = 1U << cap % 32;
	if (prctl(PR_SET_KEEPCAPS, 1) || setgid(id) || setuid(id) ||
	    syscall(SYS_capset, &head, data) ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0))
		return 1;
	execvp(args[2], args + 2);
	return 1;
}

static int write_file(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY);

	return fd < 0 || write(fd, text, strlen(text)) < 0 || close(fd);
}

/* The creator of the namespace is its root. */
int do_userns(char **args)
{
	char uids[32], gids[32];

	snprintf(uids, sizeof(uids), "0 %d 1", geteuid());
	snprintf(gids, sizeof(gids), "0 %d 1", getegid());
	if (unshare(CLONE_NEWUSER) || write_file("/proc/self/setgroups", "deny") ||
	    write_file("/proc/self/uid_map", uids) || write_file("/proc/self/gid_map", gids))
		return 1;
	execvp(args[0], args);
	return 1;
}

int do_dump(char **args)
{
	return prctl(PR_SET_DUMPABLE, atol(args[0])) ? 1 : do_rest(args + 1);
}

int do_wait(char **args)
{
	char byte = 0;

	while (byte != '\n' && read(STDIN_FILENO, &byte, 1) == 1)
		;
	return byte == '\n' ? do_rest(args) : 1;
}

static void *call_rest(void *args)
{
	exit(do_rest(args));
}

int do_second(char **args)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, call_rest, args))
		return 1;
	pthread_exit(NULL);
}

/* They start when the last one is ready. */
int do_cpus(char **args)
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

int do_daemon(char **args)
{
	int ends[2];
	pid_t pid;
	char c;

	if (pipe(ends))
		return 1;
	pid = fork();
	if (pid) {
		close(ends[1]);
		waitpid(pid, NULL, 0);
		/* its end of the pipe closes with it */
		return read(ends[0], &c, 1) != 0;
	}
	setsid();
	pid = getpid();
	if (fork())
		_exit(0);
	while (getppid() == pid)
		usleep(1000);
	_exit(do_rest(args));
}

int do_pin(char **args)
{
	cpu_set_t cpus;

	CPU_ZERO(&cpus);
	CPU_SET(atoi(args[0]), &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		return 1;
	return do_rest(args + 1);
}

/* perf counts the event for this process. */
int do_counter(char **args)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = atol(args[0]),
	};

	return syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0) < 0 ? 1 : do_rest(args + 1);
}

int do_timed(char **args)
{
	struct timespec start, end;
	int ret;

	clock_gettime(CLOCK_MONOTONIC, &start);
	ret = do_rest(args);
	clock_gettime(CLOCK_MONOTONIC, &end);
	printf("%lld\n", (end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec);
	return ret;
}
