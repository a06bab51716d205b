// SPDX-License-Identifier: GPL-2.0
/*
 * Chunks for a booted guest that differ more and more from those of the compiler.
 *
 * Each thread has a program.  It changes a copy; if the kernel accepts the chunk, the copy
 * replaces the program, else the change is taken back.  After some accepted changes, or too
 * many that were refused, it goes on with another program: a chunk of the corpus, or one that
 * another thread has changed.
 */
#include <err.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>

#include <linux/kernel.h>
#include <uapi/linux/ktap.h>

#include "change.h"
#include "guest.h"
#include "program.h"

#define MAX_SIZE	16384	/* of a changed chunk, in bytes */
#define POOL		64	/* programs that threads leave to others */
#define MOST_ACCEPTED	48	/* changes of a program */
#define MOST_REFUSED	12	/* one after the other */
#define LEAVE_EVERY	4	/* accepted changes until the program is left to others, too */

/**
 * struct mutant - the program of a thread
 * @program: the accepted program, and the one that is tried, in turn
 * @accepted: which of the two is accepted
 * @is_new: nothing was tried yet
 * @is_damaged: the chunk that is tried is not that of a program
 * @nr_accepted: accepted changes
 * @nr_refused: refused changes since the last accepted one
 * @lines: set-up lines of the chunk of the corpus that it was made of, or NULL
 */
struct mutant {
	struct program program[2];
	unsigned int accepted;
	bool is_new;
	bool is_damaged;
	unsigned int nr_accepted;
	unsigned int nr_refused;
	const char *lines;
};

/*
 * A program in the pool, which all processes share.  @busy is a lock that nobody waits for: a
 * process that is killed with it only makes the pool smaller.
 */
struct pool_entry {
	atomic_flag busy;
	size_t len;
	const char *lines;
	unsigned char data[MAX_SIZE] __aligned(8);
};

static const struct chunks *corpus;
static struct pool_entry *pool;
static __thread struct mutant mine;

void guest_mutants_begin(const struct chunks *chunks)
{
	corpus = chunks;
	pool = mmap(NULL, POOL * sizeof(*pool), PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (pool == MAP_FAILED)
		err(1, "mmap");
}

static struct program *mutant_program(void)
{
	return &mine.program[mine.accepted];
}

/* Take a program from the pool.  Returns false if the entry is empty, or in use. */
static bool mutant_from_pool(struct rng *rng)
{
	struct pool_entry *entry = &pool[rnd(rng, POOL)];
	bool taken = false;

	if (atomic_flag_test_and_set(&entry->busy))
		return false;
	if (entry->len) {
		taken = program_take(mutant_program(), entry->data, entry->len);
		mine.lines = entry->lines;
	}
	atomic_flag_clear(&entry->busy);
	return taken;
}

static void mutant_to_pool(struct rng *rng)
{
	struct pool_entry *entry = &pool[rnd(rng, POOL)];

	if (atomic_flag_test_and_set(&entry->busy))
		return;
	entry->len = program_put(mutant_program(), entry->data, sizeof(entry->data));
	entry->lines = mine.lines;
	atomic_flag_clear(&entry->busy);
}

/* Copy a chunk of the corpus, mostly one with probes.  malloc() has aligned its data. */
static void mutant_from_corpus(struct rng *rng, struct program *p, const char **lines)
{
	const struct chunk *c;

	do
		c = &corpus->chunk[rnd(rng, corpus->n)];
	while (!program_take(p, c->data, c->len) || (!p->nprobes && rnd(rng, 4)));
	*lines = c->lines;
}

static void mutant_begin(struct rng *rng)
{
	mine.is_new = true;
	mine.nr_accepted = 0;
	mine.nr_refused = 0;
	if (rnd(rng, 2) || !mutant_from_pool(rng))
		mutant_from_corpus(rng, mutant_program(), &mine.lines);
}

/* Change the program that is tried, mostly once: then it is clear what was refused. */
static void mutant_change(struct rng *rng, struct program *p)
{
	static __thread struct program other;
	u64 state = rnd(rng, 0);
	unsigned int n = rnd(rng, 4) ? 1 : 1 + rnd(rng, 4);
	const char *lines;

	if (!rnd(rng, 8)) {
		mutant_from_corpus(rng, &other, &lines);
		program_splice(p, &other, &state);
		return;
	}
	while (n--)
		program_change(p, &state);
}

size_t guest_mutants_next(struct rng *rng, unsigned char *data, const char **lines, bool *changed)
{
	struct ktap_header *header = (void *)data;
	struct program *p;
	size_t len = 0;
	u64 state;
	u32 length;

	while (!len) {
		if (!mutant_program()->ncode || mine.nr_accepted == MOST_ACCEPTED ||
		    mine.nr_refused == MOST_REFUSED)
			mutant_begin(rng);
		p = &mine.program[!mine.accepted];
		*p = *mutant_program();
		*changed = !mine.is_new;
		if (*changed)
			mutant_change(rng, p);
		len = program_put(p, data, MAX_SIZE);
		if (!len)
			mine.nr_refused = MOST_REFUSED;
	}
	*lines = mine.lines;
	mine.is_damaged = *changed && !rnd(rng, 16);
	if (mine.is_damaged) {
		/* with another length the session would wait for the rest */
		length = header->length;
		state = rnd(rng, 0);
		chunk_damage(data, len, &state);
		header->length = length;
	}
	return len;
}

void guest_mutants_tried(struct rng *rng, bool loaded)
{
	if (!loaded) {
		/* a chunk of the corpus that this kernel does not load */
		mine.nr_refused = mine.is_new ? MOST_REFUSED : mine.nr_refused + 1;
		mine.is_new = false;
		return;
	}
	mine.nr_refused = 0;
	if (!mine.is_damaged && !mine.is_new) {
		mine.accepted = !mine.accepted;
		mine.nr_accepted++;
		/* the process is killed soon */
		if (mine.nr_accepted % LEAVE_EVERY == 0)
			mutant_to_pool(rng);
	}
	mine.is_new = false;
}
