// SPDX-License-Identifier: GPL-2.0
/* Start and kill processes that stress sessions: see hammer.h. */
#define _GNU_SOURCE
#include <err.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "hammer.h"

#define PROCESSES	2	/* at a time */
#define HANGS		120	/* seconds until a killed process counts as hung */

#define AS_STRING(name)	#name,
static const char * const counted_names[] = { COUNTED(AS_STRING) };

/* Data of all processes. */
static _Atomic unsigned long *counts;

void hammer_did(enum counted what, unsigned long n)
{
	atomic_fetch_add_explicit(&counts[what], n, memory_order_relaxed);
}

unsigned long hammer_count(enum counted what)
{
	return counts[what];
}

/* The process, its seed, and the time to kill it. */
struct process {
	pid_t pid;
	uint64_t seed;
	time_t killed;
	struct timespec ends;
};

static void start_process(struct process *p, const struct hammer_chunks *chunks, uint64_t seed)
{
	struct rng rng = { ~seed };
	uint64_t ms = 200 + rnd(&rng, chunks->life);
	pid_t parent = getpid();

	clock_gettime(CLOCK_MONOTONIC, &p->ends);
	p->ends.tv_sec += ms / 1000;
	p->ends.tv_nsec += ms % 1000 * 1000000;
	p->seed = seed;
	p->killed = 0;
	fflush(NULL);
	p->pid = fork();
	if (p->pid < 0)
		err(1, "fork");
	if (!p->pid) {
		hammer_dies_with(parent);
		hammer_act(chunks, seed);
	}
	hammer_did(N_processes, 1);
}

static bool is_over(const struct timespec *now, const struct timespec *end)
{
	return now->tv_sec > end->tv_sec ||
	       (now->tv_sec == end->tv_sec && now->tv_nsec > end->tv_nsec);
}

static void show(pid_t pid, const char *name)
{
	char path[64], line[256];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/%s", pid, name);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		printf("# %s: %s", name, line);
	if (f)
		fclose(f);
}

/* Return false if it has failed; kill it when its time is over. */
static bool watch(struct process *p, const struct timespec *now, bool all_end)
{
	int status;

	if (!p->killed) {
		if (!is_over(now, &p->ends) && !all_end) {
			if (waitpid(p->pid, &status, WNOHANG) != p->pid)
				return true;
			printf("# the process of seed %llu died by itself, status 0x%x\n",
			       (unsigned long long)p->seed, status);
			return false;
		}
		kill(p->pid, SIGKILL);
		p->killed = now->tv_sec;
		hammer_did(N_kills, 1);
	}
	if (waitpid(p->pid, &status, WNOHANG) == p->pid) {
		p->pid = 0;
		return true;
	}
	if (now->tv_sec - p->killed < HANGS)
		return true;
	printf("# the process %d of seed %llu does not die\n", p->pid,
	       (unsigned long long)p->seed);
	show(p->pid, "status");
	show(p->pid, "stack");
	return false;
}

/* Children of killed children become ours. */
static void reap(const struct process *processes)
{
	siginfo_t info;

	for (;;) {
		info.si_pid = 0;
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid)
			return;
		for (int i = 0; i < PROCESSES; i++) {
			if (processes[i].pid == info.si_pid)
				return;
		}
		waitpid(info.si_pid, NULL, 0);
	}
}

/* On a slow machine that takes longer. */
static bool all_was_done(void)
{
	for (int i = 0; i < NR_COUNTED; i++) {
		if (!counts[i])
			return false;
	}
	return true;
}

static bool run(const struct hammer_chunks *chunks, uint64_t seed, unsigned int seconds,
		unsigned int patience)
{
	struct process processes[PROCESSES] = {};
	struct timespec now, end, last;
	bool all_end = false;
	int left;

	prctl(PR_SET_CHILD_SUBREAPER, 1);
	clock_gettime(CLOCK_MONOTONIC, &end);
	end.tv_sec += seconds;
	last = end;
	last.tv_sec += patience;
	do {
		clock_gettime(CLOCK_MONOTONIC, &now);
		all_end = is_over(&now, &last) || (is_over(&now, &end) && all_was_done());
		left = 0;
		for (int i = 0; i < PROCESSES; i++) {
			if (!processes[i].pid && !all_end)
				start_process(&processes[i], chunks, seed++);
			if (processes[i].pid && !watch(&processes[i], &now, all_end))
				return false;
			left += !!processes[i].pid;
		}
		reap(processes);
		hammer_nap(10000);
	} while (left || !all_end);
	/* their children were killed with them */
	while (waitpid(-1, NULL, 0) > 0)
		;
	return true;
}

bool hammer(const struct hammer_chunks *chunks, uint64_t seed, unsigned int seconds,
	    unsigned int patience)
{
	bool right;

	counts = mmap(NULL, NR_COUNTED * sizeof(*counts), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (counts == MAP_FAILED)
		err(1, "mmap");
	right = run(chunks, seed, seconds, patience);
	for (int i = 0; i < NR_COUNTED; i++)
		printf("%s	%lu\n", counted_names[i], counts[i]);
	return right;
}
