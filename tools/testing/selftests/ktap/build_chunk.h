/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small chunks that a test makes by itself, without a compiler; those that a compiler
 * has made are in chunks.h.
 */
#ifndef _KTAP_BUILD_CHUNK_H
#define _KTAP_BUILD_CHUNK_H

#include <stdint.h>

#include <linux/ktap.h>

/**
 * struct built_chunk - a chunk that was built, and may be made a wrong one
 * @header: where it begins
 * @bytes: all of it
 * @len: so many of them
 */
struct built_chunk {
	union {
		struct ktap_header header;
		unsigned char bytes[4096];
	};
	uint32_t len;
};

/* print(text) */
void build_hello(struct built_chunk *c, const char *text);

/* trace event { print(text) } */
void build_probe(struct built_chunk *c, const char *event, const char *text);

/* print(text), then trace event { print(text) } */
void build_hello_and_probe(struct built_chunk *c, const char *event, const char *text);

/* trace event { while (1) { print(text) } } */
void build_flood(struct built_chunk *c, const char *event, const char *text);

/* curtask, for which one needs CAP_PERFMON, then print(text) */
void build_curtask(struct built_chunk *c, const char *text);

/* To a session: 0 or a negative error number. */
int write_chunk(int fd, const struct built_chunk *c);

#endif /* _KTAP_BUILD_CHUNK_H */
