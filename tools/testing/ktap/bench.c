// SPDX-License-Identifier: GPL-2.0
/*
 * bench: measure operations on tables and aggregations while other CPUs do the same;
 * bench/native runs it.
 *
 *	bench [-n OPERATIONS] [-t THREADS] [NAME...]
 *		these cases on 1, 2, 4 to THREADS threads: CPU
 *		time of an operation, as a multiple of that on one
 *	bench -1 NAME -n OPERATIONS
 *		one case on one thread, for a tool that counts instructions
 */
#include <getopt.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <linux/cpumask.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/agg.h"
#include "data/object.h"
#include "data/table.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/ops.h"
#include "vm/vm.h"

#define MAX_THREADS	8
#define KEYS		1000	/* of each thread */
#define NR_REGS		8
#define MEMORY		(64 << 20)

static struct ktap_program prog = { .uses = KTAP_USES_HEAP, .nglobals = 1 };

/* Data of all threads. */
static struct ktap_env env;
static struct ktap_vm process;
static struct ktap_table *table;
static struct ktap_agg *agg;
static pthread_barrier_t barrier;

struct job {
	struct ktap_vm vm;
	struct ktap_value stack[NR_REGS];
	u64 arena[32];
	void (*run)(struct job *job, u64 i);
	struct task_struct *task;
	u32 id;
	u64 n;
	u64 ns;
	bool done;
};

static struct ktap_value own_key(const struct job *job, u64 i)
{
	return KTAP_VALUE_INT((u64)(job->id + 1) << 32 | i % KEYS);
}

static void set_int(struct job *job, struct ktap_value key, u64 i)
{
	struct ktap_value v = KTAP_VALUE_INT(i);

	ktap_table_set(&job->vm, table, &key, &v);
}

static void del(struct job *job, struct ktap_value key)
{
	struct ktap_value nil = KTAP_VALUE_NIL;

	ktap_table_set(&job->vm, table, &key, &nil);
}

static void add(struct job *job, struct ktap_value key)
{
	struct ktap_value one = KTAP_VALUE_INT(1);

	ktap_table_add(&job->vm, table, &key, &one);
}

/* An operation consists of both, as neither can be repeated alone. */
static void insert_and_delete(struct job *job, u64 i)
{
	struct ktap_value key = KTAP_VALUE_INT((u64)(job->id + 1) << 40 | i);

	set_int(job, key, i);
	del(job, key);
}

static void get_own(struct job *job, u64 i)
{
	struct ktap_value key = own_key(job, i);

	ktap_table_get(&job->vm, table, &key, &job->stack[0]);
}

static void set_own(struct job *job, u64 i)
{
	set_int(job, own_key(job, i), i);
}

static void add_own(struct job *job, u64 i)
{
	add(job, own_key(job, i));
}

static void add_text(struct job *job, u64 i)
{
	add(job, KTAP_VALUE_STR("a name", 6));
}

static void add_shared(struct job *job, u64 i)
{
	add(job, KTAP_VALUE_INT(0));
}

static void add_global(struct job *job, u64 i)
{
	struct ktap_value one = KTAP_VALUE_INT(1);

	ktap_global_add(&job->vm, 0, &one);
}

static void aggregate(struct job *job, u64 i)
{
	ktap_agg_add(&job->vm, agg, i);
}

static void aggregate_by(struct job *job, struct ktap_value key, u64 i)
{
	struct ktap_value base = { .agg = agg, .tag = KTAP_AGG }, v = KTAP_VALUE_INT(i);

	ktap_op_taggregate(&job->vm, &base, &key, &v);
}

static void aggregate_own(struct job *job, u64 i)
{
	aggregate_by(job, own_key(job, i), i);
}

static void aggregate_shared(struct job *job, u64 i)
{
	aggregate_by(job, KTAP_VALUE_INT(0), i);
}

static void aggregate_text(struct job *job, u64 i)
{
	aggregate_by(job, KTAP_VALUE_STR("a name", 6), i);
}

static void make_tuple(struct job *job, u64 i)
{
	struct ktap_value *r = job->stack;

	r[0] = KTAP_VALUE_INT(i);
	r[1] = KTAP_VALUE_STR("a name", 6);
	if (!ktap_op_small_tuple(&job->vm, &r[2], &r[0], 2))
		ktap_op_tuple(&job->vm, &r[2], &r[0], 2);
	job->vm.arena.used = 0;
}

static const struct {
	const char *name;
	const char *what;
	void (*run)(struct job *job, u64 i);
} cases[] = {
	{ "insert", "t[k] = i, t[k] = nil: keys of its own", insert_and_delete },
	{ "hit", "t[k]: keys of its own", get_own },
	{ "overwrite", "t[k] = i: keys of its own", set_own },
	{ "add-own", "t[k] += 1: keys of its own", add_own },
	{ "add-text", "t[\"a name\"] += 1: one for all", add_text },
	{ "add-shared", "t[0] += 1: one for all", add_shared },
	{ "global", "g += 1", add_global },
	{ "aggregate", "stats() <<< i", aggregate },
	{ "keyed-own", "a[k] <<< i: keys of its own", aggregate_own },
	{ "keyed-shared", "a[0] <<< i: one for all", aggregate_shared },
	{ "keyed-text", "a[\"a name\"] <<< i: one for all", aggregate_text },
	{ "tuple", "the key of t[i, \"a name\"]", make_tuple },
};

static u64 processor_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

static int work(void *data)
{
	struct job *job = data;
	u64 i;

	pthread_barrier_wait(&barrier);
	job->ns = processor_time();
	for (i = 0; i < job->n; i++) {
		job->vm.budget = U64_MAX;
		job->run(job, i);
	}
	job->ns = processor_time() - job->ns;
	WRITE_ONCE(job->done, true);
	while (!kthread_should_stop())
		usleep(100);
	return 0;
}

static void die(const char *what)
{
	fprintf(stderr, "bench: %s\n", what);
	exit(1);
}

/* The CPU time of all of them. */
static u64 run_case(u32 c, u32 nthreads, u64 n)
{
	struct job *jobs = calloc(nthreads, sizeof(*jobs));
	u64 ns = 0;
	u32 i;

	pthread_barrier_init(&barrier, NULL, nthreads);
	for (i = 0; i < nthreads; i++) {
		jobs[i].vm.env = &env;
		jobs[i].vm.level = KTAP_LEVEL_TASK;
		jobs[i].vm.stack = jobs[i].stack;
		jobs[i].vm.stack_size = NR_REGS;
		jobs[i].vm.top = NR_REGS;
		jobs[i].vm.arena.half[0] = (char *)jobs[i].arena;
		jobs[i].vm.arena.size = sizeof(jobs[i].arena);
		jobs[i].run = cases[c].run;
		jobs[i].id = i;
		jobs[i].n = n;
		jobs[i].task = kthread_run_on_cpu(work, &jobs[i], i + 1, "bench/%u");
	}
	for (i = 0; i < nthreads; i++) {
		while (!READ_ONCE(jobs[i].done))
			usleep(100);
		kthread_stop(jobs[i].task);
		ns += jobs[i].ns;
	}
	pthread_barrier_destroy(&barrier);
	free(jobs);
	return ns;
}

static void set_up(void)
{
	struct ktap_value *r;
	int i;

	if (ktap_env_init(&env, &prog, MEMORY, NULL) ||
	    ktap_vm_init(&process, &env, KTAP_LEVEL_PROCESS))
		die("no memory");
	process.top = 2;
	process.budget = U64_MAX;
	r = process.stack;
	ktap_table_new(&process, 4 * MAX_THREADS * KEYS, &r[0]);
	/* A full heap has no room for its shards. */
	ktap_agg_new(&process, &ktap_agg_stats, &r[1]);
	if (r[0].tag != KTAP_TABLE || r[1].tag != KTAP_AGG)
		die("no memory");
	env.heap.goal = env.heap.max;
	ktap_heap_refill(&env.heap);
	table = r[0].table;
	agg = r[1].agg;
	/* Allocate all of its buckets. */
	for (i = 0; i < 2 * MAX_THREADS * KEYS; i++) {
		struct ktap_value key = KTAP_VALUE_INT(-1 - i), one = KTAP_VALUE_INT(1);

		ktap_table_set(&process, table, &key, &one);
	}
}

static void lost_nothing(void)
{
	if (atomic_long_read(&env.counters.no_memory) ||
	    atomic_long_read(&env.counters.full_table) ||
	    atomic_long_read(&env.counters.nmi_busy))
		die("something was lost: the numbers are worth nothing");
}

static bool is_meant(const char *name, char **names)
{
	bool any = !*names;

	for (; *names && !any; names++)
		any = !strcmp(name, *names);
	return any;
}

static void compare(char **names, u32 max_threads, u64 n)
{
	u32 c, threads;
	double first;
	u64 ns;

	printf("%-44s", "processor time of an operation");
	for (threads = 1; threads <= max_threads; threads *= 2)
		printf(" %5u", threads);
	printf("  threads\n");
	for (c = 0; c < ARRAY_SIZE(cases); c++) {
		if (!is_meant(cases[c].name, names))
			continue;
		printf("  %-42s", cases[c].what);
		/* The first run has a cold cache. */
		run_case(c, 1, n / 10);
		first = 0;
		for (threads = 1; threads <= max_threads; threads *= 2) {
			ns = run_case(c, threads, n) / threads;
			if (!first)
				first = ns;
			printf(" %5.2f", ns / first);
			fflush(stdout);
		}
		printf("\n");
	}
}

static void once(const char *name, u64 n)
{
	u32 c;

	for (c = 0; c < ARRAY_SIZE(cases); c++) {
		if (!strcmp(cases[c].name, name)) {
			run_case(c, 1, n);
			return;
		}
	}
	die("there is no such case");
}

static void usage(void)
{
	fprintf(stderr, "usage: bench [-n OPERATIONS] [-t THREADS] [-1 NAME | -l | NAME...]\n");
	exit(2);
}

int main(int argc, char **argv)
{
	u64 n = 1000000, threads = MAX_THREADS;
	const char *name = NULL;
	u32 c;
	int opt;

	while ((opt = getopt(argc, argv, "n:t:1:l")) != -1) {
		switch (opt) {
		case 'n':
			n = strtoull(optarg, NULL, 0);
			break;
		case 't':
			threads = strtoull(optarg, NULL, 0);
			break;
		case '1':
			name = optarg;
			break;
		case 'l':
			for (c = 0; c < ARRAY_SIZE(cases); c++)
				printf("%s\t%s\n", cases[c].name, cases[c].what);
			return 0;
		default:
			usage();
		}
	}
	if (!n || !threads || threads > MAX_THREADS)
		usage();
	set_up();
	if (name)
		once(name, n);
	else
		compare(argv + optind, threads, n);
	lost_nothing();
	return 0;
}
