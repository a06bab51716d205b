// SPDX-License-Identifier: GPL-2.0
/*
 * Repeat some executions, and compare their output.
 */
#include <stdlib.h>

#include "exec.h"

/*
 * One of TWICE executions is repeated, and the output must be the same.  Not with NMIs: they
 * come after a number of points, and how many updates they find in the middle of another one,
 * which the output says, can differ.
 */
#define TWICE		32

/* Number of chunks whose top level has run; run.sh adds up those of all processes. */
static u64 accepted;

static void say_accepted(void)
{
	printf("%llu accepted\n", (unsigned long long)accepted);
}

bool fuzz_chunk(const void *chunk, size_t len, const struct fuzz_settings *set)
{
	static unsigned int count;
	u64 sum, again;

	sum = fuzz_execute(chunk, len, set);
	if (sum && !accepted++)
		atexit(say_accepted);
	if (!sum || fuzz_lacked || set->nmi_every || ++count % TWICE)
		return sum;
	again = fuzz_execute(chunk, len, set);
	if (again != sum && !fuzz_lacked)
		fuzz_fail("the same chunk is not the same the second time: %llx, %llx",
			  (unsigned long long)sum, (unsigned long long)again);
	return true;
}
