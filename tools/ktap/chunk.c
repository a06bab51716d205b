// SPDX-License-Identifier: GPL-2.0
/* Collects the constants of a script and writes its chunk. */
#include <stdlib.h>
#include <string.h>

#include "chunk.h"
#include "codegen.h"
#include "util.h"

#define MAX_SOURCE	(1U << 20)	/* longer source texts are left out */

struct constant {
	const char *str;
	size_t len;
	uint32_t offset;	/* from the first byte of all strings */
	unsigned int next;	/* of the same bucket, plus 1 */
};

struct chunk_writer {
	struct constant *strings;
	unsigned int nstrings, max_strings;
	uint32_t string_bytes;
	unsigned int buckets[1024];
	int64_t *ints;
	unsigned int nints, max_ints;
	int32_t *fields;
	unsigned int nfields, max_fields;
};

struct buffer {
	unsigned char *data;
	size_t len, max;
};

struct chunk_writer *chunk_writer_new(struct compiler *cc)
{
	return arena_alloc(&cc->arena, sizeof(struct chunk_writer));
}

static unsigned int hash(const char *s, size_t len)
{
	unsigned int h = 5381;

	while (len--)
		h = h * 33 + (unsigned char)*s++;
	return h & 1023;
}

int32_t chunk_string(struct compiler *cc, const char *s, size_t len)
{
	struct chunk_writer *w = cc->chunk;
	unsigned int *bucket = &w->buckets[hash(s, len)], i;

	for (i = *bucket; i; i = w->strings[i - 1].next)
		if (w->strings[i - 1].len == len && !memcmp(w->strings[i - 1].str, s, len))
			return i - 1;
	w->strings = arena_grow(&cc->arena, w->strings, w->nstrings, &w->max_strings,
				sizeof(*w->strings));
	w->strings[w->nstrings] = (struct constant) {
		.str = s, .len = len, .offset = w->string_bytes, .next = *bucket,
	};
	w->string_bytes += len + 1;
	*bucket = ++w->nstrings;
	return w->nstrings - 1;
}

int32_t chunk_int(struct compiler *cc, int64_t val)
{
	struct chunk_writer *w = cc->chunk;
	unsigned int i;

	for (i = 0; i < w->nints; i++)
		if (w->ints[i] == val)
			return i;
	w->ints = arena_grow(&cc->arena, w->ints, w->nints, &w->max_ints, sizeof(*w->ints));
	w->ints[w->nints] = val;
	return w->nints++;
}

int32_t chunk_field(struct compiler *cc, const char *name)
{
	struct chunk_writer *w = cc->chunk;
	int32_t string = chunk_string(cc, name, strlen(name));
	unsigned int i;

	for (i = 0; i < w->nfields; i++)
		if (w->fields[i] == string)
			return i;
	w->fields = arena_grow(&cc->arena, w->fields, w->nfields, &w->max_fields,
			       sizeof(*w->fields));
	w->fields[w->nfields] = string;
	return w->nfields++;
}

int32_t chunk_probe(struct compiler *cc, const struct node *event, struct func *filter,
		    struct func *handler)
{
	cc->probes = arena_grow(&cc->arena, cc->probes, cc->nprobes, &cc->max_probes,
				sizeof(*cc->probes));
	cc->probes[cc->nprobes] = (struct probe) {
		.event = event->str, .len = event->len, .filter = filter, .handler = handler,
	};
	return cc->nprobes++;
}

static void put(struct buffer *b, const void *data, size_t len)
{
	if (b->max - b->len < len) {
		b->max = (b->max + len) * 2;
		b->data = realloc(b->data, b->max);
		if (!b->data) {
			fputs("ktap: out of memory\n", stderr);
			exit(2);
		}
	}
	if (len)
		memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void put_le(struct buffer *b, uint64_t val, unsigned int bytes)
{
	unsigned char le[8];
	unsigned int i;

	for (i = 0; i < bytes; i++)
		le[i] = val >> (8 * i);
	put(b, le, bytes);
}

static void put_padding(struct buffer *b)
{
	while (b->len % 8)
		put(b, "", 1);
}

static void set_le32(struct buffer *b, size_t at, uint32_t val)
{
	unsigned int i;

	for (i = 0; i < 4; i++)
		b->data[at + i] = val >> (8 * i);
}

static uint32_t put_strings(struct compiler *cc, struct buffer *b)
{
	const struct chunk_writer *w = cc->chunk;
	unsigned int i;

	for (i = 0; i < w->nstrings; i++) {
		put_le(b, w->nstrings * sizeof(struct ktap_string) + w->strings[i].offset, 4);
		put_le(b, w->strings[i].len, 4);
	}
	for (i = 0; i < w->nstrings; i++) {
		put(b, w->strings[i].str, w->strings[i].len);
		put(b, "", 1);
	}
	return w->nstrings;
}

static uint32_t put_ints(struct compiler *cc, struct buffer *b)
{
	unsigned int i;

	for (i = 0; i < cc->chunk->nints; i++)
		put_le(b, cc->chunk->ints[i], 8);
	return cc->chunk->nints;
}

static uint32_t put_funcs(struct compiler *cc, struct buffer *b)
{
	const struct func *f;
	uint32_t first = 0;

	for (f = cc->main; f; f = f->next) {
		put_le(b, chunk_string(cc, f->name, strlen(f->name)), 4);
		put_le(b, first, 4);
		put_le(b, f->ninsns, 4);
		put_le(b, f->nparams, 1);
		put_le(b, f->regs.max ? f->regs.max : 1, 1);
		put_le(b, 0, 2);
		first += f->ninsns;
	}
	return cc->nfuncs;
}

static uint32_t put_code(struct compiler *cc, struct buffer *b)
{
	const struct func *f;
	uint32_t count = 0;
	unsigned int i;

	for (f = cc->main; f; f = f->next) {
		for (i = 0; i < f->ninsns; i++) {
			unsigned char fields[4] = {
				f->code[i].op, f->code[i].a, f->code[i].b, f->code[i].c,
			};

			put(b, fields, 4);
			put_le(b, f->code[i].d, 4);
		}
		count += f->ninsns;
	}
	return count;
}

static uint32_t put_probes(struct compiler *cc, struct buffer *b)
{
	unsigned int i;

	for (i = 0; i < cc->nprobes; i++) {
		const struct probe *p = &cc->probes[i];

		put_le(b, chunk_string(cc, p->event, p->len), 4);
		put_le(b, p->filter ? p->filter->index : KTAP_NONE, 4);
		put_le(b, p->handler->index, 4);
		put_le(b, 0, 4);
	}
	return cc->nprobes;
}

static uint32_t put_globals(struct compiler *cc, struct buffer *b)
{
	const struct sym *s;

	for (s = cc->syms; s; s = s->next)
		if (s->global)
			put_le(b, chunk_string(cc, s->name, strlen(s->name)), 4);
	return cc->nglobals;
}

static uint32_t put_fields(struct compiler *cc, struct buffer *b)
{
	unsigned int i;

	for (i = 0; i < cc->chunk->nfields; i++)
		put_le(b, cc->chunk->fields[i], 4);
	return cc->chunk->nfields;
}

static uint32_t put_lines(struct compiler *cc, struct buffer *b)
{
	const struct func *f;
	uint32_t count = 0;
	unsigned int i;

	for (f = cc->main; f; f = f->next) {
		for (i = 0; i < f->ninsns; i++) {
			struct pos pos = f->code[i].pos;

			put_le(b, pos.line, 4);
			put_le(b, pos.col > UINT16_MAX ? 0 : pos.col, 2);
			put_le(b, 0, 2);
		}
		count += f->ninsns;
	}
	return count;
}

static uint32_t put_files(struct compiler *cc, struct buffer *b)
{
	uint32_t len = cc->diag.len > MAX_SOURCE ? 0 : cc->diag.len;

	put_le(b, chunk_string(cc, cc->diag.name, strlen(cc->diag.name)), 4);
	put_le(b, sizeof(struct ktap_file), 4);
	put_le(b, len, 4);
	put_le(b, 0, 4);
	put(b, cc->diag.text, len);
	return 1;
}

/* The strings come last: the others still add to them. */
static const struct {
	enum ktap_section_type type;
	uint32_t (*put)(struct compiler *cc, struct buffer *b);
} sections[] = {
	{ KTAP_SEC_INTS, put_ints },
	{ KTAP_SEC_FUNCS, put_funcs },
	{ KTAP_SEC_CODE, put_code },
	{ KTAP_SEC_PROBES, put_probes },
	{ KTAP_SEC_GLOBALS, put_globals },
	{ KTAP_SEC_FIELDS, put_fields },
	{ KTAP_SEC_LINES, put_lines },
	{ KTAP_SEC_FILES, put_files },
	{ KTAP_SEC_STRINGS, put_strings },
};

#define NSECTIONS	(ARRAY_SIZE(sections))

static bool check_limit(struct compiler *cc, size_t count, size_t max, const char *what)
{
	if (count <= max)
		return true;
	diag_error(&cc->diag, (struct pos) { 0 }, "the script is too large: %zu %s, at most %zu",
		   count, what, max);
	return false;
}

static bool check_limits(struct compiler *cc, size_t len)
{
	return check_limit(cc, len, KTAP_MAX_CHUNK, "bytes") &&
	       check_limit(cc, cc->nfuncs, KTAP_MAX_FUNCS, "functions") &&
	       check_limit(cc, cc->chunk->nstrings, KTAP_MAX_STRINGS, "strings") &&
	       check_limit(cc, cc->chunk->nints, KTAP_MAX_INTS, "integer constants") &&
	       check_limit(cc, cc->nglobals, KTAP_MAX_GLOBALS, "globals") &&
	       check_limit(cc, cc->chunk->nfields, KTAP_MAX_FIELDS, "event fields") &&
	       check_limit(cc, cc->nprobes, KTAP_MAX_PROBES, "probes");
}

void *chunk_write(struct compiler *cc, size_t *len)
{
	struct buffer b = { 0 };
	size_t i, at;

	put(&b, KTAP_MAGIC, KTAP_MAGIC_LEN);
	put_le(&b, KTAP_ABI_MAJOR, 2);
	put_le(&b, 0, 2);
	put_le(&b, 0, 4);
	put_le(&b, 0, 4);
	put_le(&b, NSECTIONS, 4);
	put_le(&b, cc->main->index, 4);
	at = b.len;
	for (i = 0; i < NSECTIONS * sizeof(struct ktap_section); i++)
		put(&b, "", 1);
	for (i = 0; i < NSECTIONS; i++, at += sizeof(struct ktap_section)) {
		uint32_t count;
		size_t start;

		put_padding(&b);
		start = b.len;
		count = sections[i].put(cc, &b);
		set_le32(&b, at, sections[i].type);
		set_le32(&b, at + 8, start);
		set_le32(&b, at + 12, b.len - start);
		set_le32(&b, at + 16, count);
	}
	put_padding(&b);
	set_le32(&b, 8, b.len);
	if (!check_limits(cc, b.len)) {
		free(b.data);
		return NULL;
	}
	*len = b.len;
	return b.data;
}
