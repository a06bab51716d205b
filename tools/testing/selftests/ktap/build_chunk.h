/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Small chunks that a test makes without a compiler; chunks.h has compiled ones.
 */
#ifndef _KTAP_BUILD_CHUNK_H
#define _KTAP_BUILD_CHUNK_H

#include <stdint.h>

#include <linux/ktap.h>

/**
 * struct built_chunk - a chunk in memory, which a test may damage
 * @header: its first bytes
 * @bytes: all of it
 * @len: their number
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

/* trace event { printf(text) } */
void build_printf_probe(struct built_chunk *c, const char *event, const char *text);

/* print(text), then trace event { print(text) } */
void build_hello_and_probe(struct built_chunk *c, const char *event, const char *text);

/* trace event { while (1) { print(text) } } */
void build_flood(struct built_chunk *c, const char *event, const char *text);

/* curtask, which needs CAP_PERFMON, then print(text) */
void build_curtask(struct built_chunk *c, const char *text);

/* Write it to a session. Returns 0 or a negative errno. */
int write_chunk(int fd, const struct built_chunk *c);

#endif /* _KTAP_BUILD_CHUNK_H */
