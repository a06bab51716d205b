/* SPDX-License-Identifier: GPL-2.0 */
/* Read chunks of any origin safely. */
#ifndef KTAP_CHUNK_READ_H
#define KTAP_CHUNK_READ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <linux/ktap.h>

/* A chunk whose sections lie within its bytes. */
struct chunk_section {
	const unsigned char *data;	/* NULL: no such section */
	uint32_t size;
	uint32_t count;			/* number of entries; size is large enough for all */
};

#define MAX_SECTION	KTAP_SEC_MEMBERS

struct chunk {
	uint16_t major, minor;
	uint32_t flags;
	uint32_t main;
	struct chunk_section sections[MAX_SECTION + 1];
};

/* Returns NULL, or a description of the error. */
const char *chunk_read(struct chunk *chunk, const void *data, size_t len);

/* Does the chunk call this function? KTAP_FN_*; false also if it cannot be read */
bool chunk_calls(const void *data, size_t len, uint32_t function);
/* Has a string constant control characters other than newlines and tabs? */
bool chunk_has_controls(const void *data, size_t len);
/* Get a string constant; "?" if it does not exist. */
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
