// SPDX-License-Identifier: GPL-2.0
/* The newest output of a session, as frames of a recording, in limited memory. */
#define _GNU_SOURCE
#include <endian.h>
#include <string.h>
#include <sys/mman.h>

#include "kept_output.h"

bool kept_init(struct kept_output *k, size_t size)
{
	memset(k, 0, sizeof(*k));
	k->mem = mmap(NULL, size, PROT_READ | PROT_WRITE,
		      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (k->mem == MAP_FAILED)
		k->mem = NULL;
	k->size = size;
	return k->mem;
}

static void kept_get(const struct kept_output *k, uint64_t at, char *to, size_t len)
{
	size_t begin = at % k->size, n = k->size - begin;

	if (n > len)
		n = len;
	memcpy(to, k->mem + begin, n);
	memcpy(to + n, k->mem, len - n);
}

static void kept_put(struct kept_output *k, const char *data, size_t len)
{
	size_t begin = k->head % k->size, n = k->size - begin;

	if (n > len)
		n = len;
	memcpy(k->mem + begin, data, n);
	memcpy(k->mem, data + n, len - n);
	k->head += len;
}

/* The size of a frame; *@output: it has a line of output. */
static size_t kept_size_at(const struct kept_output *k, uint64_t at, bool *output)
{
	struct ktap_frame frame;

	kept_get(k, at, (char *)&frame, sizeof(frame));
	*output = frame.channel == KTAP_CH_OUTPUT;
	return sizeof(frame) + le32toh(frame.len);
}

void kept_add(struct kept_output *k, enum ktap_channel channel, const char *data, size_t len)
{
	const struct ktap_frame frame = { .len = htole32(len), .channel = channel };
	const uint64_t need = sizeof(frame) + (uint64_t)len;
	bool output;

	while (k->tail < k->head && k->head + need - k->tail > k->size) {
		k->tail += kept_size_at(k, k->tail, &output);
		k->overwritten += output;
	}
	k->lines += channel == KTAP_CH_OUTPUT;
	if (need > k->size) {
		k->overwritten += channel == KTAP_CH_OUTPUT;
		return;
	}
	kept_put(k, (const char *)&frame, sizeof(frame));
	kept_put(k, data, len);
}

uint64_t kept_skip(const struct kept_output *k, struct kept_reader *r)
{
	uint64_t skipped = r->line < k->overwritten ? k->overwritten - r->line : 0;

	if (r->at < k->tail)
		r->at = k->tail;
	r->line += skipped;
	return skipped;
}

size_t kept_next_size(const struct kept_output *k, const struct kept_reader *r)
{
	bool output;

	return r->at < k->head ? kept_size_at(k, r->at, &output) : 0;
}

void kept_copy(const struct kept_output *k, struct kept_reader *r, char *to)
{
	bool output;
	size_t size = kept_size_at(k, r->at, &output);

	kept_get(k, r->at, to, size);
	r->at += size;
	r->line += output;
}

void kept_free(struct kept_output *k)
{
	if (k->mem)
		munmap(k->mem, k->size);
	k->mem = NULL;
}
