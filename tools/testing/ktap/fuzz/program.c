// SPDX-License-Identifier: GPL-2.0
/* Read and write chunks. */
#include <linux/align.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>
#include <asm/byteorder.h>

#include "program.h"

/* Chunks are little endian, and are copied without conversion. */
static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

/* Return the entries of a section; *n is their number, at most @max, *size is in bytes. */
static const void *section(const u8 *chunk, size_t len, u32 type, size_t entry, u32 max, u32 *n,
			   u32 *size)
{
	const struct ktap_header *h = (const void *)chunk;
	const struct ktap_section *s = (const void *)(h + 1);
	u32 i, nsections = min_t(size_t, h->nsections, (len - sizeof(*h)) / sizeof(*s));

	*n = 0;
	*size = 0;
	for (i = 0; i < nsections; i++) {
		if (s[i].type != type || s[i].offset % 8 || s[i].offset > len)
			continue;
		*size = min_t(size_t, s[i].size, len - s[i].offset);
		*n = min3(s[i].count, *size / (u32)entry, max);
		return chunk + s[i].offset;
	}
	return NULL;
}

#define TAKE(p, what, type, max)						\
	do {									\
		const void *from = section(chunk, len, type, sizeof((p)->what[0]), max,	\
					   &(p)->n##what, &size);		\
		if ((p)->n##what)						\
			memcpy((p)->what, from, (p)->n##what * sizeof((p)->what[0]));	\
	} while (0)

static void take_strings(struct program *p, const u8 *chunk, size_t len)
{
	const struct ktap_string *s;
	u32 i, n, size, bytes;

	s = section(chunk, len, KTAP_SEC_STRINGS, sizeof(*s), MAX_STRINGS, &n, &size);
	for (i = 0; i < n; i++) {
		bytes = min3(s[i].len, KTAP_MAX_STRLEN, MAX_BYTES - p->nbytes);
		if (s[i].offset > size || bytes > size - s[i].offset)
			bytes = 0;
		p->strings[i] = (struct ktap_string){ .offset = p->nbytes, .len = bytes };
		memcpy(p->bytes + p->nbytes, (const u8 *)s + s[i].offset, bytes);
		p->nbytes += bytes;
	}
	p->nstrings = n;
}

bool program_take(struct program *p, const u8 *chunk, size_t len)
{
	const struct ktap_header *h = (const void *)chunk;
	u32 size, n;

	if (len < sizeof(*h))
		return false;
	p->flags = h->flags & KTAP_CHUNK_UNSAFE;
	p->main = h->main;
	p->nbytes = 0;
	take_strings(p, chunk, len);
	TAKE(p, code, KTAP_SEC_CODE, MAX_CODE);
	TAKE(p, funcs, KTAP_SEC_FUNCS, MAX_FUNCS);
	TAKE(p, ints, KTAP_SEC_INTS, MAX_INTS);
	TAKE(p, probes, KTAP_SEC_PROBES, MAX_PROBES);
	TAKE(p, globals, KTAP_SEC_GLOBALS, MAX_GLOBALS);
	TAKE(p, fields, KTAP_SEC_FIELDS, MAX_FIELDS);
	TAKE(p, tries, KTAP_SEC_TRIES, MAX_TRIES);
	TAKE(p, options, KTAP_SEC_OPTIONS, MAX_OPTIONS);
	TAKE(p, types, KTAP_SEC_TYPES, MAX_TYPES);
	TAKE(p, members, KTAP_SEC_MEMBERS, MAX_MEMBERS);
	p->lines = section(chunk, len, KTAP_SEC_LINES, sizeof(struct ktap_line), 1, &n, &size);
	return true;
}

u32 program_string(struct program *p, const char *s, size_t len)
{
	u32 i;

	for (i = 0; i < p->nstrings; i++) {
		if (p->strings[i].len == len &&
		    !memcmp(p->bytes + p->strings[i].offset, s, len))
			return i;
	}
	if (p->nstrings == MAX_STRINGS || len > MAX_BYTES - p->nbytes)
		return 0;
	p->strings[i] = (struct ktap_string){ .offset = p->nbytes, .len = len };
	memcpy(p->bytes + p->nbytes, s, len);
	p->nbytes += len;
	return p->nstrings++;
}

/* The chunk that is being written. @at is its size so far, even if that is more than @max. */
struct put {
	u8 *chunk;
	size_t max;
	size_t at;
	u32 nsections;
};

static void *room(struct put *put, size_t size)
{
	void *to = put->chunk + put->at;

	put->at += size;
	if (put->at > put->max)
		return NULL;
	return memset(to, 0, size);
}

static void *put_section(struct put *put, u32 type, u32 count, size_t size)
{
	struct ktap_section *s = (void *)(put->chunk + sizeof(struct ktap_header));
	size_t begin = ALIGN(put->at, 8);
	void *to;

	if (!room(put, begin - put->at))
		return NULL;
	to = room(put, size);
	if (to)
		s[put->nsections++] = (struct ktap_section){
			.type = type, .offset = begin, .size = size, .count = count,
		};
	return to;
}

static void put_array(struct put *put, u32 type, const void *from, u32 n, size_t entry)
{
	void *to = n ? put_section(put, type, n, n * entry) : NULL;

	if (to)
		memcpy(to, from, n * entry);
}

static void put_strings(struct put *put, const struct program *p)
{
	size_t size = p->nstrings * (sizeof(struct ktap_string) + 1);
	struct ktap_string *s;
	u32 i, at = p->nstrings * sizeof(*s);

	for (i = 0; i < p->nstrings; i++)
		size += p->strings[i].len;
	s = p->nstrings ? put_section(put, KTAP_SEC_STRINGS, p->nstrings, size) : NULL;
	for (i = 0; s && i < p->nstrings; i++) {
		s[i] = (struct ktap_string){ .offset = at, .len = p->strings[i].len };
		memcpy((u8 *)s + at, p->bytes + p->strings[i].offset, p->strings[i].len);
		at += p->strings[i].len + 1;
	}
}

static void put_lines(struct put *put, const struct program *p)
{
	struct ktap_line *line = put_section(put, KTAP_SEC_LINES, p->ncode,
					     p->ncode * sizeof(*line));
	struct ktap_file *file = put_section(put, KTAP_SEC_FILES, 1, sizeof(*file));
	u32 i;

	if (!file || !line)
		return;
	for (i = 0; i < p->ncode; i++)
		line[i] = (struct ktap_line){ .line = i + 1, .column = i % 80 };
	*file = (struct ktap_file){ .text = sizeof(*file) };
}

size_t program_put(const struct program *p, u8 *chunk, size_t max)
{
	struct put put = { .chunk = chunk, .max = max };
	struct ktap_header *h;
	u32 nsections = !!p->nstrings + !!p->ncode + !!p->nfuncs + !!p->nints + !!p->nprobes +
			!!p->nglobals + !!p->nfields + !!p->ntries + !!p->noptions +
			!!p->ntypes + !!p->nmembers + 2 * p->lines;

	h = room(&put, sizeof(*h) + nsections * sizeof(struct ktap_section));
	if (!h)
		return 0;
	put_strings(&put, p);
	put_array(&put, KTAP_SEC_FUNCS, p->funcs, p->nfuncs, sizeof(p->funcs[0]));
	put_array(&put, KTAP_SEC_CODE, p->code, p->ncode, sizeof(p->code[0]));
	put_array(&put, KTAP_SEC_INTS, p->ints, p->nints, sizeof(p->ints[0]));
	put_array(&put, KTAP_SEC_PROBES, p->probes, p->nprobes, sizeof(p->probes[0]));
	put_array(&put, KTAP_SEC_GLOBALS, p->globals, p->nglobals, sizeof(p->globals[0]));
	put_array(&put, KTAP_SEC_FIELDS, p->fields, p->nfields, sizeof(p->fields[0]));
	put_array(&put, KTAP_SEC_TRIES, p->tries, p->ntries, sizeof(p->tries[0]));
	put_array(&put, KTAP_SEC_OPTIONS, p->options, p->noptions, sizeof(p->options[0]));
	put_array(&put, KTAP_SEC_TYPES, p->types, p->ntypes, sizeof(p->types[0]));
	put_array(&put, KTAP_SEC_MEMBERS, p->members, p->nmembers, sizeof(p->members[0]));
	if (p->lines)
		put_lines(&put, p);
	if (put.at > max)
		return 0;
	memcpy(h->magic, KTAP_MAGIC, KTAP_MAGIC_LEN);
	h->major = KTAP_ABI_MAJOR;
	h->minor = KTAP_ABI_MINOR;
	h->length = put.at;
	h->flags = p->flags;
	h->nsections = put.nsections;
	h->main = p->main;
	return put.at;
}
