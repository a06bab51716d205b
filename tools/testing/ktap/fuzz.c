// SPDX-License-Identifier: GPL-2.0
/*
 * Chunks as no compiler would write them, and memory that runs out.
 *
 * Each mutant is a function of the seed, its number and the files: what failed
 * once fails again.  Whatever a mutant is, it must be refused or run to its
 * end, within its budget, without a finding of a sanitizer.  Then every file is
 * run as it is, once for each of its allocations, which fails.
 *
 * The work is done in a child; when it dies, another one goes on behind it.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asm/byteorder.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "builtin.h"
#include "host.h"
#include "opcode.h"
#include "read_file.h"

#define SECONDS		30	/* a run that takes longer hangs */
#define MAX_FAILURES	10
#define MAX_INSNS	2000
#define MAX_SLICES	8
#define MAX_TEXT	(256 << 10)
#define MAX_ALLOCS	4096	/* of one run */

struct file {
	const char *name;
	u8 *data;
	size_t len;
	bool tries;		/* it has a section of them */
};

/* What parent and child share. */
struct progress {
	u64 next;		/* the step being done */
	u64 end;
	u64 done;
	u64 loaded;
};

static struct file *files;
static unsigned int nfiles;
static struct progress *progress;
static u64 seed = 1, rng;

static u64 rnd(u64 n)
{
	u64 z = rng += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return n ? z % n : z;
}

/* Mutations */

/* The entries of a section, as far as there are any. */
static u8 *section(u8 *data, size_t len, u32 type, size_t entry, u32 *count)
{
	const struct ktap_header *h = (void *)data;
	const struct ktap_section *s = (void *)(h + 1);
	u32 i, n = min_t(size_t, le32_to_cpu(h->nsections), (len - sizeof(*h)) / sizeof(*s));

	*count = 0;
	for (i = 0; i < n; i++) {
		if (le32_to_cpu(s[i].type) != type || le32_to_cpu(s[i].offset) % 8 ||
		    le32_to_cpu(s[i].offset) > len ||
		    le32_to_cpu(s[i].size) > len - le32_to_cpu(s[i].offset))
			continue;
		*count = min(le32_to_cpu(s[i].count), le32_to_cpu(s[i].size) / entry);
		return data + le32_to_cpu(s[i].offset);
	}
	return NULL;
}

/* A function that has instructions, NULL if there is none. */
static struct ktap_function *any_function(u8 *data, size_t len)
{
	struct ktap_function *funcs;
	u32 n;

	funcs = (void *)section(data, len, KTAP_SEC_FUNCS, sizeof(*funcs), &n);
	if (!n)
		return NULL;
	funcs += rnd(n);
	return funcs->ninsns ? funcs : NULL;
}

static u32 any_insn_of(const struct ktap_function *f)
{
	return le32_to_cpu(f->first) + rnd(le32_to_cpu(f->ninsns));
}

/* Most functions have few. */
static u8 any_register(void)
{
	return rnd(rnd(8) ? 5 : 16);
}

static u8 any_field(unsigned int kind, u8 value)
{
	switch (kind) {
	case KTAP_X_NONE:
		return 0;
	case KTAP_X_READ:
	case KTAP_X_WRITE:
		return any_register();
	case KTAP_X_OWN:
		return rnd(16) ? any_register() : KTAP_MULTI;
	default:
		return rnd(2) ? value : rnd(256);
	}
}

static s32 any_operand(u8 *data, size_t len, unsigned int kind, u8 op)
{
	u32 n = 0;

	switch (kind) {
	case KTAP_X_NONE:
		return 0;
	case KTAP_X_JUMP:
		return (s32)rnd(16) - 8;
	case KTAP_X_STR:
		section(data, len, KTAP_SEC_STRINGS, sizeof(struct ktap_string), &n);
		return rnd(n);
	case KTAP_X_FUNC:
		section(data, len, KTAP_SEC_FUNCS, sizeof(struct ktap_function), &n);
		return rnd(n);
	case KTAP_X_GLOBAL:
		section(data, len, KTAP_SEC_GLOBALS, sizeof(__le32), &n);
		return rnd(n);
	case KTAP_X_OWN:
		return rnd(op == KTAP_OP_CALLB ? KTAP_NR_FUNCTIONS : 40);
	default:
		return rnd(2) ? (s32)rnd(16) : (s32)rnd(0);
	}
}

/* An instruction that has a chance to pass. */
static void any_insn(u8 *data, size_t len, struct ktap_insn *insn)
{
	const struct ktap_opdef *op;

	do
		insn->op = rnd(256);
	while (!ktap_opdefs[insn->op].name);
	op = &ktap_opdefs[insn->op];
	insn->a = any_field(op->a, insn->a);
	insn->b = any_field(op->b, insn->b);
	insn->c = any_field(op->c, insn->c);
	insn->d = cpu_to_le32(any_operand(data, len, op->d, insn->op));
}

static void mutate_code(u8 *data, size_t len)
{
	struct ktap_insn *code, *insn, tmp;
	u32 n;

	code = (void *)section(data, len, KTAP_SEC_CODE, sizeof(*code), &n);
	if (!n)
		return;
	insn = &code[rnd(n)];
	switch (rnd(7)) {
	case 0:
		any_insn(data, len, insn);
		break;
	case 1:
		*insn = code[rnd(n)];
		break;
	case 2:
		tmp = *insn;
		*insn = code[rnd(n)];
		code[rnd(n)] = tmp;
		break;
	case 3:
		insn->a = any_register();
		break;
	case 4:
		insn->b = any_register();
		break;
	case 5:
		insn->c = any_register();
		break;
	case 6:
		insn->d = cpu_to_le32(any_operand(data, len, ktap_opdefs[insn->op].d, insn->op));
		break;
	}
}

/* Two neighbours of which the first one gives as many values as the second one takes. */
static void mutate_open(u8 *data, size_t len)
{
	static const u8 givers[] = { KTAP_OP_CALL, KTAP_OP_CALLV, KTAP_OP_VARG };
	static const u8 takers[] = { KTAP_OP_CALL, KTAP_OP_CALLV, KTAP_OP_CALLB, KTAP_OP_RET,
				     KTAP_OP_TSETM };
	struct ktap_function *f = any_function(data, len);
	struct ktap_insn *code, *giver, *taker;
	u32 n, i;

	code = (void *)section(data, len, KTAP_SEC_CODE, sizeof(*code), &n);
	if (!f)
		return;
	i = any_insn_of(f);
	if (i + 1 >= n)
		return;
	giver = &code[i];
	taker = &code[i + 1];
	giver->op = givers[rnd(ARRAY_SIZE(givers))];
	giver->a = any_register();
	giver->b = giver->op == KTAP_OP_VARG ? 0 : rnd(giver->a + 1);
	giver->c = KTAP_MULTI;
	giver->d = cpu_to_le32(any_operand(data, len, ktap_opdefs[giver->op].d, giver->op));
	if (giver->op == KTAP_OP_VARG)
		f->flags = cpu_to_le16(KTAP_FUNC_VARIADIC);
	taker->op = takers[rnd(ARRAY_SIZE(takers))];
	taker->a = rnd(giver->a + 1);
	taker->b = taker->op == KTAP_OP_TSETM ? rnd(giver->a + 1) : KTAP_MULTI;
	taker->c = ktap_opdefs[taker->op].c == KTAP_X_NONE ? 0 : rnd(4);
	taker->d = cpu_to_le32(any_operand(data, len, ktap_opdefs[taker->op].d, taker->op));
}

static void any_try(u8 *data, size_t len, struct ktap_try *t)
{
	const struct ktap_function *f = any_function(data, len);

	if (!f)
		return;
	t->first = cpu_to_le32(any_insn_of(f));
	t->end = cpu_to_le32(le32_to_cpu(t->first) + rnd(le32_to_cpu(f->ninsns)));
	t->handler = cpu_to_le32(any_insn_of(f));
	t->reg = any_register();
}

static void mutate_try(u8 *data, size_t len)
{
	struct ktap_try *tries;
	u32 n;

	tries = (void *)section(data, len, KTAP_SEC_TRIES, sizeof(*tries), &n);
	if (n)
		any_try(data, len, &tries[rnd(n)]);
}

static void mutate_function(u8 *data, size_t len)
{
	struct ktap_function *f = any_function(data, len);

	if (!f)
		return;
	if (rnd(2))
		f->flags = cpu_to_le16(rnd(2) ? KTAP_FUNC_VARIADIC : 0);
	else
		f->nregs = rnd(2) ? f->nregs + rnd(3) : rnd(KTAP_MAX_REGS) + 1;
}

/* Puts a section of tries into a chunk that is all right but for that. */
static u8 *add_tries(u8 *data, size_t *len)
{
	const struct ktap_header *old = (void *)data;
	u32 i, nsections = le32_to_cpu(old->nsections), n = 1 + rnd(3);
	size_t table = sizeof(*old) + nsections * sizeof(struct ktap_section);
	size_t size = (*len + 7) / 8 * 8 + sizeof(struct ktap_section);
	struct ktap_section *s;
	struct ktap_header *h;
	u8 *longer;

	longer = kvzalloc(size + n * sizeof(struct ktap_try), GFP_KERNEL);
	memcpy(longer, data, table);
	memcpy(longer + table + sizeof(*s), data + table, *len - table);
	kvfree(data);
	h = (void *)longer;
	s = (void *)(h + 1);
	for (i = 0; i < nsections; i++)
		le32_add_cpu(&s[i].offset, sizeof(*s));
	s[i] = (struct ktap_section){
		.type = cpu_to_le32(KTAP_SEC_TRIES),
		.offset = cpu_to_le32(size),
		.size = cpu_to_le32(n * sizeof(struct ktap_try)),
		.count = cpu_to_le32(n),
	};
	h->nsections = cpu_to_le32(nsections + 1);
	*len = size + n * sizeof(struct ktap_try);
	h->length = cpu_to_le32(*len);
	for (i = 0; i < n; i++)
		any_try(longer, *len, (struct ktap_try *)(longer + size) + i);
	return longer;
}

/* A number of the header, of a section's, or of an entry's. */
static void mutate_number(u8 *data, size_t len)
{
	static const u32 special[] = {
		0, 1, 2, 7, 8, 0xff, 0x100, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffff8,
		0xffffffff,
	};
	const struct ktap_header *h = (void *)data;
	size_t head = sizeof(*h) + le32_to_cpu(h->nsections) * sizeof(struct ktap_section);
	size_t pos = rnd(rnd(2) ? min(head, len) : len) / 4 * 4 % (len - 3);
	u32 value;

	memcpy(&value, data + pos, sizeof(value));
	switch (rnd(3)) {
	case 0:
		value = special[rnd(ARRAY_SIZE(special))];
		break;
	case 1:
		value += rnd(33) - 16;
		break;
	case 2:
		value ^= 1U << rnd(32);
		break;
	}
	memcpy(data + pos, &value, sizeof(value));
}

/* Mutant @n, kvmalloc'ed. */
static u8 *make_mutant(u64 n, struct file **from, size_t *len)
{
	struct ktap_header *h;
	unsigned int i, times;
	u8 *data;

	rng = seed * 0x100000001b3ULL + n;
	*from = &files[rnd(nfiles)];
	*len = (*from)->len;
	data = kvmalloc(*len, GFP_KERNEL);
	memcpy(data, (*from)->data, *len);
	if (!(*from)->tries && !rnd(3))
		data = add_tries(data, len);
	if (!rnd(64))
		*len = rnd(*len);
	if (*len < sizeof(*h))
		return data;

	h = (void *)data;
	if (rnd(2))
		h->length = cpu_to_le32(*len);
	times = 1 + rnd(3);
	for (i = 0; i < times; i++) {
		if (rnd(3))
			mutate_code(data, *len);
		else if (rnd(3))
			mutate_open(data, *len);
		else if (rnd(2))
			mutate_try(data, *len);
		else if (rnd(2))
			mutate_function(data, *len);
		else if (rnd(3))
			mutate_number(data, *len);
		else
			data[rnd(*len)] = rnd(256);
	}
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
	h->max_insns = MAX_INSNS;
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

/* Step @n: allocation n % MAX_ALLOCS + 1 of a file fails. */
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
	/* Here leaks are found. */
	exit(0);
}

/* Gives the number of failed steps. */
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

/* Keeps the mutant for ktapvm. */
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
	u32 ntries;
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
		files[i].tries = section(files[i].data, files[i].len, KTAP_SEC_TRIES,
					 sizeof(struct ktap_try), &ntries);
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
