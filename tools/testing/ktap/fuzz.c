// SPDX-License-Identifier: GPL-2.0
/*
 * Test the virtual machine with damaged chunks and with failing allocations.
 *
 * A mutant is the chunk of a script with random changes (fuzz/change.c).  It depends
 * only on the seed, its number and the files, so a failure can be repeated.  Each
 * mutant must be refused, or run to its end within its budget, without a report of a
 * sanitizer.  After the mutants, each unchanged file is run once for each of its
 * allocations; this allocation fails.
 *
 * A child process does the work.  If it dies, the next child continues with the next
 * step.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fuzz/change.h"
#include "fuzz/random.h"
#include "host.h"
#include "read_file.h"

#define SECONDS		30	/* limit of a run */
#define MAX_FAILURES	10
#define BUDGET		2000
#define MAX_SLICES	8
#define MAX_TEXT	(256 << 10)
#define MAX_CHUNK	(64 << 10)	/* larger than the chunk of any struct program */
#define MAX_ALLOCS	4096	/* of one run */

struct file {
	const char *name;
	u8 *data;
	size_t len;
};

/* Shared by parent and child. */
struct progress {
	u64 next;		/* number of the current step */
	u64 end;
	u64 done;
	u64 loaded;
};

static struct file *files;
static unsigned int nfiles;
static struct progress *progress;
static u64 seed = 1, rng;

#define rnd(n)	random_below(&rng, n)

/* Make mutant @n; free it with kvfree(). */
static u8 *make_mutant(u64 n, struct file **from, size_t *len)
{
	static u8 made[MAX_CHUNK] __aligned(8);
	static struct program program;
	unsigned int times;
	u8 *data;

	rng = seed * 0x100000001b3ULL + n;
	*from = &files[rnd(nfiles)];
	program_take(&program, (*from)->data, (*from)->len);
	for (times = 1 + rnd(3); times; times--)
		program_change(&program, &rng);
	*len = program_put(&program, made, sizeof(made));
	if (!rnd(8))
		chunk_damage(made, *len, &rng);
	if (!rnd(64))
		*len = rnd(*len);
	/* An exact size: AddressSanitizer finds reads after the end. */
	data = kvmalloc(*len, GFP_KERNEL);
	memcpy(data, made, *len);
	return data;
}

/* Steps */

static void run(void *chunk, size_t len, struct host *h)
{
	static char name[] = "fuzz", arg[] = "17";
	char *args[] = { name, arg };

	h->args = args;
	h->nargs = ARRAY_SIZE(args);
	h->fire = true;
	h->unsafe = true;
	h->max_insns = BUDGET;
	h->max_slices = MAX_SLICES;
	h->max_text = MAX_TEXT;
	alarm(SECONDS);
	host_run(h, chunk, len);
	alarm(0);
	progress->done++;
	progress->loaded += h->start != 0;
}

static u64 step_mutant(u64 n)
{
	struct host h = {};
	struct file *from;
	size_t len;
	u8 *chunk;

	chunk = make_mutant(n, &from, &len);
	h.level = rnd(KTAP_NR_EVENT_LEVELS);
	h.locked = !rnd(16);
	run(chunk, len, &h);
	return n + 1;
}

/* Run file n / MAX_ALLOCS; its allocation n % MAX_ALLOCS + 1 fails. Returns the next step. */
static u64 step_memory(u64 n)
{
	struct file *file = &files[n / MAX_ALLOCS];
	void *chunk = kvmalloc(file->len, GFP_KERNEL);
	struct host h = {};
	bool failed;

	memcpy(chunk, file->data, file->len);
	shim_fail_at = n % MAX_ALLOCS + 1;
	run(chunk, file->len, &h);
	failed = !shim_fail_at;
	shim_fail_at = 0;
	return failed ? n + 1 : (n / MAX_ALLOCS + 1) * MAX_ALLOCS;
}

static void child(u64 (*step)(u64 n))
{
	while (progress->next < progress->end)
		progress->next = step(progress->next);
	/* LeakSanitizer checks at exit. */
	exit(0);
}

/* Do the steps from @first until @end. Returns the number of failed ones. */
static unsigned int do_steps(const char *what, u64 first, u64 end, u64 (*step)(u64 n),
			     void (*tell)(u64 n))
{
	unsigned int failures = 0;
	int status;
	pid_t pid;

	*progress = (struct progress){ .next = first, .end = end };
	while (failures < MAX_FAILURES) {
		fflush(stdout);
		pid = fork();
		if (!pid)
			child(step);
		if (pid < 0 || waitpid(pid, &status, 0) < 0) {
			perror("fuzz");
			exit(2);
		}
		if (!status)
			break;
		failures++;
		printf("%s %" PRIu64 " of seed %" PRIu64 ": %s %d\n", what,
		       (uint64_t)progress->next, (uint64_t)seed,
		       WIFSIGNALED(status) ? "signal" : "exit code",
		       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
		if (progress->next >= end)
			break;
		tell(progress->next);
		progress->next++;
	}
	printf("%s: %" PRIu64 " runs, %" PRIu64 " of chunks that were accepted, %u failed\n", what,
	       (uint64_t)progress->done, (uint64_t)progress->loaded, failures);
	return failures;
}

static const char *keep = ".";

/* Write the mutant to a file, which ktapvm can run. */
static void tell_mutant(u64 n)
{
	struct file *from;
	char name[4096];
	size_t len;
	u8 *chunk;
	FILE *f;

	chunk = make_mutant(n, &from, &len);
	snprintf(name, sizeof(name), "%s/mutant-%" PRIu64 ".ktap", keep, (uint64_t)n);
	f = fopen(name, "wb");
	if (f) {
		fwrite(chunk, 1, len, f);
		fclose(f);
	}
	printf("  of %s, kept as %s; level %u\n", from->name, name,
	       (unsigned int)rnd(KTAP_NR_EVENT_LEVELS));
	kvfree(chunk);
}

static void tell_memory(u64 n)
{
	printf("  %s, allocation %u\n", files[n / MAX_ALLOCS].name,
	       (unsigned int)(n % MAX_ALLOCS + 1));
}

static int usage(void)
{
	fputs("usage: fuzz [-n MUTANTS] [-s SEED] [-1 MUTANT] [-o DIRECTORY] CHUNK.ktap...\n",
	      stderr);
	return 2;
}

int main(int argc, char **argv)
{
	u64 mutants = 20000, first = 0;
	unsigned int failures;
	bool single = false;
	int c, i;

	while ((c = getopt(argc, argv, "n:s:1:o:")) != -1) {
		switch (c) {
		case 'n':
			mutants = strtoull(optarg, NULL, 0);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		case '1':
			first = strtoull(optarg, NULL, 0);
			single = true;
			break;
		case 'o':
			keep = optarg;
			break;
		default:
			return usage();
		}
	}
	nfiles = argc - optind;
	if (!nfiles)
		return usage();
	files = calloc(nfiles, sizeof(*files));
	for (i = 0; i < nfiles; i++) {
		files[i].name = argv[optind + i];
		files[i].data = read_file(files[i].name, &files[i].len);
		if (!files[i].data) {
			perror(files[i].name);
			return 2;
		}
	}
	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
			MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (progress == MAP_FAILED) {
		perror("fuzz");
		return 2;
	}
	if (single)
		return do_steps("mutant", first, first + 1, step_mutant, tell_mutant) != 0;

	failures = do_steps("mutant", 0, mutants, step_mutant, tell_mutant);
	failures += do_steps("failed allocation", 0, (u64)nfiles * MAX_ALLOCS, step_memory,
			     tell_memory);
	return failures != 0;
}
