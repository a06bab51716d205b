// SPDX-License-Identifier: GPL-2.0
/*
 * Repeat some executions, and compare their output.
 */
#include <stdlib.h>

#include "exec.h"

/*
 * One of TWICE executions is repeated, and the output must be the same.
 *
 * A sweep of objects may keep one that could be freed, because hashes of addresses collide
 * (data/object.c): then there are fewer locks, an NMI comes elsewhere, and finds another
 * update in the middle of its work, which the output says. So with NMIs one of MORE repetitions
 * must be the same as the one before it.
 */
#define TWICE		32
#define MORE		8

/* Number of chunks whose top level has run; run.sh adds up those of all processes. */
static u64 accepted;

static void say_accepted(void)
{
	printf("%llu accepted\n", (unsigned long long)accepted);
}

bool fuzz_chunk(const void *chunk, size_t len, const struct fuzz_settings *set)
{
	static unsigned int count;
	unsigned int i;
	u64 sum, again;

	sum = fuzz_execute(chunk, len, set);
	if (sum && !accepted++)
		atexit(say_accepted);
	if (!sum || fuzz_lacked || ++count % TWICE)
		return sum;
	again = fuzz_execute(chunk, len, set);
	for (i = 1; set->nmi_every && again != sum && i < MORE; i++) {
		sum = again;
		again = fuzz_execute(chunk, len, set);
	}
	if (again != sum && !fuzz_lacked)
		fuzz_fail("the same chunk is not the same the second time: %llx, %llx",
			  (unsigned long long)sum, (unsigned long long)again);
	return true;
}
