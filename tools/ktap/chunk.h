/* SPDX-License-Identifier: GPL-2.0 */
/* Chunks: what goes into one, writing it, and reading it back safely. */
#ifndef KTAP_CHUNK_H
#define KTAP_CHUNK_H

#include <linux/ktap.h>

#include "ast.h"

/* Constants get an index when code first needs them. */
int32_t chunk_string(struct compiler *cc, const char *s, size_t len);
int32_t chunk_int(struct compiler *cc, int64_t val);
int32_t chunk_field(struct compiler *cc, const char *name);
int32_t chunk_probe(struct compiler *cc, const struct node *event, struct func *filter,
		    struct func *handler);

/*
 * An option that the script takes, from 0, or -1 behind too many; its default as a help
 * shows it, help: or NULL.
 */
int32_t chunk_option(struct compiler *cc, const struct node *name, const char *value,
		     const struct node *help);

/* An error if there are `max` of something already, and one more comes. */
void chunk_limit(struct compiler *cc, struct pos pos, size_t count, size_t max, const char *what);

struct chunk_writer *chunk_writer_new(struct compiler *cc);
/* The chunk, to be freed with free(), or NULL with an error. */
void *chunk_write(struct compiler *cc, size_t *len);

/* chunk_read.c: a chunk whose sections lie within its bytes. */
struct chunk_section {
	const unsigned char *data;	/* NULL: there is none */
	uint32_t size;
	uint32_t count;			/* entries; all of them fit into size */
};

#define MAX_SECTION	KTAP_SEC_OPTIONS

struct chunk {
	uint16_t major, minor;
	uint32_t flags;
	uint32_t main;
	struct chunk_section sections[MAX_SECTION + 1];
};

/* NULL, or what is wrong with the bytes. */
const char *chunk_read(struct chunk *chunk, const void *data, size_t len);
/* A string constant; "?" if there is no such. */
const char *chunk_get_string(const struct chunk *chunk, uint32_t index, uint32_t *len);

static inline uint32_t get_le16(const unsigned char *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static inline uint32_t get_le32(const unsigned char *p)
{
	return get_le16(p) | get_le16(p + 2) << 16;
}

static inline uint64_t get_le64(const unsigned char *p)
{
	return get_le32(p) | (uint64_t)get_le32(p + 4) << 32;
}

#endif
