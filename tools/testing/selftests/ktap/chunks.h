/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Chunks that a compiler has made, and what can be wrong with them: for the
 * programs that give sessions no rest.
 */
#ifndef _KTAP_CHUNKS_H
#define _KTAP_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

#define MAX_CHUNK	(64 << 10)	/* bytes of a chunk that is read */
#define MAX_CHUNKS	64

/**
 * struct chunk - NAME.ktap of a directory
 * @name: NAME
 * @data: the chunk
 * @len: bytes of it
 * @lines: set-up lines that stand before it, of NAME.lines, or NULL
 */
struct chunk {
	char *name;
	unsigned char *data;
	size_t len;
	char *lines;
};

/* Those of a directory, in the order of their names. */
struct chunks {
	struct chunk chunk[MAX_CHUNKS];
	unsigned int n;
};

/* A sequence of random numbers that its first one decides. */
struct rng {
	uint64_t state;
};

/* Ends the program if a file cannot be read, or if there is none. */
void read_chunks(struct chunks *chunks, const char *dir);

/* Less than @n; any number if @n is 0. */
uint64_t rnd(struct rng *rng, uint64_t n);

/*
 * Damages @data of @len bytes, a copy of one of the chunks, in one to eight places:
 * numbers of the header, the sections and their entries, instructions, single bits.
 * The length in the header stays, or the session would wait for more.
 * Allocates nothing: a child of a program with threads may call it.
 */
void mutate(struct rng *rng, const struct chunks *chunks, unsigned char *data, size_t len);

#endif /* _KTAP_CHUNKS_H */
