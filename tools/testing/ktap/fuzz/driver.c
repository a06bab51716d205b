// SPDX-License-Identifier: GPL-2.0
/*
 * Replacement for libFuzzer: execute the given files and all files of the given
 * directories, then N random changes of them (-n N), or only change N (-1 N).  The changes
 * depend only on the seed.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/kernel.h>
#include <linux/minmax.h>

#include "exec.h"
#include "random.h"
#include "read_file.h"

#define MAX_SIZE	16384

/* Only the target mutate defines these functions. */
__attribute__((weak)) size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size,
						     unsigned int seed)
{
	return 0;
}

__attribute__((weak)) size_t LLVMFuzzerCustomCrossOver(const u8 *data1, size_t size1,
						       const u8 *data2, size_t size2, u8 *out,
						       size_t max_size, unsigned int seed)
{
	return 0;
}

static struct input {
	char *name;
	u8 *data;
	size_t size;
} *inputs;
static unsigned int ninputs;
static u64 executions;

/* The current execution, for the message when the process aborts. */
static const char *running;
static u64 running_seed;

static void say_running(int sig)
{
	if (!inputs)
		fputs("at the end\n", stderr);
	else if (running)
		fprintf(stderr, "in %s\n", running);
	else
		fprintf(stderr, "in execution %llu of that seed\n",
			(unsigned long long)running_seed);
	signal(sig, SIG_DFL);
	raise(sig);
}

static void execute(const u8 *data, size_t size)
{
	/* A copy of the exact size, aligned like libFuzzer's. */
	u8 *copy = malloc(size ?: 1);

	memcpy(copy, data, size);
	LLVMFuzzerTestOneInput(copy, size);
	free(copy);
	executions++;
}

static void add_file(const char *name)
{
	struct input *input;
	size_t size;
	u8 *data = read_file(name, &size);

	if (!data) {
		perror(name);
		exit(2);
	}
	inputs = realloc(inputs, (ninputs + 1) * sizeof(*inputs));
	input = &inputs[ninputs++];
	*input = (struct input){ .name = strdup(name), .data = data, .size = size };
}

static int no_dots(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static void add(const char *name)
{
	struct dirent **entries;
	char path[4096];
	int i, n;

	n = scandir(name, &entries, no_dots, alphasort);
	if (n < 0 && errno == ENOTDIR) {
		add_file(name);
		return;
	}
	for (i = 0; i < n; i++) {
		snprintf(path, sizeof(path), "%s/%s", name, entries[i]->d_name);
		add(path);
		free(entries[i]);
	}
	if (n >= 0)
		free(entries);
}

/* Change or add bytes, without regard to the format. */
static size_t change_bytes(u8 *data, size_t size, u64 *rng)
{
	u32 i, n = 1 + random_below(rng, 8);

	if (size < MAX_SIZE && !random_below(rng, 8)) {
		n = min_t(size_t, MAX_SIZE - size, 1 + random_below(rng, 256));
		for (i = 0; i < n; i++)
			data[size++] = random_below(rng, 256);
		return size;
	}
	for (i = 0; i < n && size; i++)
		data[random_below(rng, size)] = random_below(rng, 256);
	return size;
}

static void execute_random(u64 seed, u64 n)
{
	static u8 data[MAX_SIZE], other[MAX_SIZE];
	u64 rng = seed * 0x100000001b3ULL + n;
	const struct input *a, *b;
	size_t size = 0, changed = 0;

	if (ninputs) {
		a = &inputs[random_below(&rng, ninputs)];
		b = &inputs[random_below(&rng, ninputs)];
		size = min_t(size_t, a->size, MAX_SIZE);
		memcpy(data, a->data, size);
		if (!random_below(&rng, 4))
			changed = LLVMFuzzerCustomCrossOver(data, size, b->data, b->size, other,
							    MAX_SIZE, random_below(&rng, 0));
		if (changed) {
			size = changed;
			memcpy(data, other, size);
		}
	}
	changed = LLVMFuzzerCustomMutator(data, size, MAX_SIZE, random_below(&rng, 0));
	size = changed ?: change_bytes(data, size, &rng);
	execute(data, size);
}

int main(int argc, char **argv)
{
	u64 first = 0, runs = 0, seed = 1, i;
	int c;

	while ((c = getopt(argc, argv, "1:n:s:")) != -1) {
		switch (c) {
		case '1':
			first = strtoull(optarg, NULL, 0);
			runs = first + 1;
			break;
		case 'n':
			runs = strtoull(optarg, NULL, 0);
			break;
		case 's':
			seed = strtoull(optarg, NULL, 0);
			break;
		default:
			fputs("usage: fuzz_TARGET [-n RUNS] [-1 RUN] [-s SEED] [FILE|DIRECTORY...]\n",
			      stderr);
			return 2;
		}
	}
	for (; optind < argc; optind++)
		add(argv[optind]);
	signal(SIGABRT, say_running);
	for (i = 0; i < ninputs; i++) {
		running = inputs[i].name;
		execute(inputs[i].data, inputs[i].size);
	}
	running = NULL;
	for (i = first; i < runs; i++) {
		running_seed = i;
		execute_random(seed, i);
	}
	for (i = 0; i < ninputs; i++) {
		free(inputs[i].name);
		kvfree(inputs[i].data);
	}
	free(inputs);
	inputs = NULL;
	printf("%llu executions\n", (unsigned long long)executions);
	return 0;
}
