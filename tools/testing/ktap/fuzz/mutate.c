// SPDX-License-Identifier: GPL-2.0
/*
 * Mutate chunks of the compiler, part by part.  An input has FUZZ_SETTINGS bytes of
 * settings, then the chunk.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "change.h"
#include "exec.h"
#include "program.h"
#include "random.h"

#define MAX_SIZE	(64 << 10)

#define rnd(n)	random_below(&rng, n)

/* An aligned copy of the chunk. */
static u8 chunk[MAX_SIZE] __aligned(8);
static struct program program, another;

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct fuzz_settings set;

	if (size < FUZZ_SETTINGS)
		return -1;
	set = fuzz_settings_of(data);
	fuzz_chunk(data + FUZZ_SETTINGS, size - FUZZ_SETTINGS, &set);
	return 0;
}

static bool take(struct program *p, const u8 *data, size_t size)
{
	if (size < FUZZ_SETTINGS || size - FUZZ_SETTINGS > MAX_SIZE)
		return false;
	size -= FUZZ_SETTINGS;
	memcpy(chunk, data + FUZZ_SETTINGS, size);
	return program_take(p, chunk, size);
}

static size_t put(const struct program *p, u8 *to, size_t max)
{
	size_t size;

	if (max < FUZZ_SETTINGS)
		return 0;
	size = program_put(p, chunk, min_t(size_t, max - FUZZ_SETTINGS, MAX_SIZE));
	memcpy(to + FUZZ_SETTINGS, chunk, size);
	return size ? size + FUZZ_SETTINGS : 0;
}

/* The smallest valid program, for an input that is not a chunk. */
static void smallest(struct program *p)
{
	*p = (struct program){ .ncode = 1, .nfuncs = 1 };
	program_string(p, "main", 4);
	p->code[0] = (struct ktap_insn){ .op = KTAP_OP_RET };
	p->funcs[0] = (struct ktap_function){ .ninsns = 1, .nregs = 8 };
}

size_t LLVMFuzzerCustomMutator(u8 *data, size_t size, size_t max_size, unsigned int seed)
{
	u64 rng = seed;
	unsigned int times = 1 + rnd(rnd(4) ? 3 : 10);
	size_t new_size;

	if (!take(&program, data, size))
		smallest(&program);
	while (times--)
		program_change(&program, &rng);
	new_size = put(&program, data, max_size);
	if (!new_size)
		return size;
	if (size < FUZZ_SETTINGS)
		memset(data, 0, FUZZ_SETTINGS);
	if (!rnd(8))
		data[rnd(FUZZ_SETTINGS)] = rnd(256);
	if (!rnd(16)) {
		chunk_damage(chunk, new_size - FUZZ_SETTINGS, &rng);
		memcpy(data + FUZZ_SETTINGS, chunk, new_size - FUZZ_SETTINGS);
	}
	return new_size;
}

size_t LLVMFuzzerCustomCrossOver(const u8 *data1, size_t size1, const u8 *data2, size_t size2,
				 u8 *out, size_t max_size, unsigned int seed)
{
	u64 rng = seed;

	if (!take(&program, data1, size1) || !take(&another, data2, size2))
		return 0;
	program_splice(&program, &another, &rng);
	memcpy(out, data1, min_t(size_t, FUZZ_SETTINGS, max_size));
	return put(&program, out, max_size);
}
