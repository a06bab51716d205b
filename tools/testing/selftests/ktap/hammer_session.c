// SPDX-License-Identifier: GPL-2.0
/*
 * Stress sessions with valid and damaged chunks: see hammer.h.
 *
 *	hammer_session DIRECTORY SEED SECONDS	with the chunks of a directory
 *	hammer_session FIRST+N			(executed by itself: uses file descriptor
 *	N)
 *
 * Runs until each operation was done once, and prints how often each was done. The exit
 * code is 1 if a process did not end when it was killed, or ended in another way.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>

#include "hammer.h"

#define PATIENCE	300	/* additional seconds until each operation was done once */

static struct chunks chunks;

/* Two of three are damaged. */
static size_t next(struct rng *rng, unsigned char *data, const char **lines, bool *changed)
{
	const struct chunk *c = &chunks.chunk[rnd(rng, chunks.n)];

	memcpy(data, c->data, c->len);
	*lines = c->lines;
	*changed = rnd(rng, 3);
	if (*changed)
		mutate(rng, &chunks, data, c->len);
	return c->len;
}

int main(int argc, char **argv)
{
	const struct hammer_chunks source = { .life = 8000, .next = next };

	if (argc == 2)
		hammer_use_inherited(argv[1]);
	if (argc != 4)
		errx(2, "usage: hammer_session DIRECTORY SEED SECONDS");
	read_chunks(&chunks, argv[1]);
	return !hammer(&source, strtoull(argv[2], NULL, 0), atoi(argv[3]), PATIENCE);
}
