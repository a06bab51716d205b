/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Compiled chunks, and ways to damage them: for the stress tests of sessions.
 */
#ifndef _KTAP_CHUNKS_H
#define _KTAP_CHUNKS_H

#include <stddef.h>
#include <stdint.h>

#define MAX_CHUNK	(64 << 10)	/* largest chunk that is read, in bytes */
#define MAX_CHUNKS	1024

/**
 * struct chunk - NAME.ktap of a directory
 * @name: NAME
 * @data: the chunk
 * @len: bytes of it
 * @lines: set-up lines to write before it, from NAME.lines, or NULL
 */
struct chunk {
	char *name;
	unsigned char *data;
	size_t len;
	char *lines;
};

/* The chunks of a directory, in the order of their names. */
struct chunks {
	struct chunk chunk[MAX_CHUNKS];
	unsigned int n;
};

/* A sequence of pseudo-random numbers, defined by its first one. */
struct rng {
	uint64_t state;
};

/* Exits if a file cannot be read, or if there is none. */
void read_chunks(struct chunks *chunks, const char *dir);

/* Return a number less than @n; any number if @n is 0. */
uint64_t rnd(struct rng *rng, uint64_t n);

/*
 * Damage one to eight parts of @data, a copy of a chunk with @len bytes: numbers of the
 * header, the sections and their entries, instructions, single bits. The length in the
 * header is kept, or the session would wait for more. Allocates nothing: a child of a
 * program with threads may call it.
 */
void mutate(struct rng *rng, const struct chunks *chunks, unsigned char *data, size_t len);

#endif /* _KTAP_CHUNKS_H */
