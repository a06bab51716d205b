// SPDX-License-Identifier: GPL-2.0
/* Run a chunk in the virtual machine that is built for user space. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <linux/kernel.h>
#include <linux/slab.h>

#include "host.h"
#include "run_chunk.h"

/* The same limits as in tools/testing/ktap/fuzz.c. */
#define BUDGET		2000
#define MAX_SLICES	8
#define MAX_TEXT	(256 << 10)

bool run_chunk(const void *chunk, size_t len, char **said)
{
	static char name[] = "fuzz", arg[] = "17";
	char *args[] = { name, arg };
	size_t said_len;
	struct host h = {
		.err = open_memstream(said, &said_len),
		.args = args,
		.nargs = ARRAY_SIZE(args),
		.fire = true,
		.unsafe = true,
		.max_insns = BUDGET,
		.max_slices = MAX_SLICES,
		.max_text = MAX_TEXT,
	};
	void *copy = kvmalloc(len, GFP_KERNEL);

	if (!copy || !h.err)
		abort();
	memcpy(copy, chunk, len);
	host_run(&h, copy, len);
	fclose(h.err);
	/* the start is set only if the chunk was accepted */
	return h.start != 0;
}

FILE *null_file(void)
{
	static FILE *f;

	if (!f)
		f = fopen("/dev/null", "w");
	if (!f)
		abort();
	return f;
}
