// SPDX-License-Identifier: GPL-2.0
/* Events of many kinds on all CPUs, for the fuzzer in a booted guest. */
#include <err.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "guest.h"

#define PAGES		16
#define MAX_CPUS	64	/* on which there is load */

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

static pid_t children[MAX_CPUS];
static unsigned int nr_children;

static void do_calls(struct rng *rng)
{
	for (unsigned int n = rnd(rng, 200); n; n--)
		syscall(SYS_getppid);
}

static void do_processes(struct rng *rng)
{
	pid_t pid = fork();

	if (!pid) {
		if (rnd(rng, 2))
			execl("/bin/true", "true", NULL);
		_exit(0);
	}
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

static void *idle_thread(void *arg)
{
	sched_yield();
	return NULL;
}

static void do_threads(struct rng *rng)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, idle_thread, NULL))
		pthread_join(thread, NULL);
}

static void do_faults(struct rng *rng)
{
	long page = sysconf(_SC_PAGESIZE);
	char *p = mmap(NULL, PAGES * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		       -1, 0);

	if (p == MAP_FAILED)
		return;
	for (unsigned int i = 0; i < PAGES; i++)
		memset(p + rnd(rng, PAGES) * page, 1, 8);
	mprotect(p, page, PROT_READ);
	munmap(p, PAGES * page);
}

static void signal_arrived(int sig)
{
}

static void do_signals(struct rng *rng)
{
	struct itimerval soon = { .it_value.tv_usec = 1 + rnd(rng, 5000) };

	for (unsigned int n = rnd(rng, 8); n; n--)
		kill(getpid(), SIGUSR1);
	setitimer(ITIMER_REAL, &soon, NULL);
}

static void do_files(struct rng *rng)
{
	char from[32], to[32], buf[4096] = "";
	struct stat st;
	int fd;

	snprintf(from, sizeof(from), "/tmp/load.%d", getpid());
	snprintf(to, sizeof(to), "/tmp/moved.%d", getpid());
	fd = open(from, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	(void)!write(fd, buf, rnd(rng, sizeof(buf)));
	(void)!pread(fd, buf, sizeof(buf), 0);
	fstat(fd, &st);
	close(fd);
	rename(from, to);
	unlink(to);
}

static void do_sockets(struct rng *rng)
{
	char buf[256] = "";
	int fds[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds))
		return;
	(void)!write(fds[0], buf, 1 + rnd(rng, sizeof(buf)));
	(void)!read(fds[1], buf, sizeof(buf));
	close(fds[0]);
	close(fds[1]);
}

static void do_pause(struct rng *rng)
{
	hammer_nap(rnd(rng, 300000));
}

static void (*const kinds[])(struct rng *rng) = {
	do_calls, do_processes, do_threads, do_faults, do_signals, do_files, do_sockets, do_pause,
	do_pause,
};

static void be_load(unsigned int cpu, struct rng rng)
{
	struct sigaction sa = { .sa_handler = signal_arrived };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	sigaction(SIGUSR1, &sa, NULL);
	sigaction(SIGALRM, &sa, NULL);
	for (;;)
		kinds[rnd(&rng, ARRAY_SIZE(kinds))](&rng);
}

void guest_load_begin(struct rng *rng)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	pid_t parent = getpid(), pid;

	for (; nr_children < cpus && nr_children < MAX_CPUS; nr_children++) {
		struct rng its = { rnd(rng, 0) };

		pid = fork();
		if (pid < 0)
			err(1, "fork");
		if (!pid) {
			hammer_dies_with(parent);
			be_load(nr_children, its);
		}
		children[nr_children] = pid;
	}
}

void guest_load_end(void)
{
	for (unsigned int i = 0; i < nr_children; i++) {
		kill(children[i], SIGKILL);
		waitpid(children[i], NULL, 0);
	}
}
