// SPDX-License-Identifier: GPL-2.0
/* Collect the constants of a script and write its chunk. */
#include <stdlib.h>
#include <string.h>

#include "compiler/cdef.h"
#include "compiler/chunk_write.h"
#include "compiler/codegen.h"
#include "compiler/util.h"

#define MAX_SOURCE	(1U << 20)	/* of all source texts; the rest is left out */
#define BUCKETS		8192

struct string {
	const char *str;
	size_t len;
	uint32_t offset;	/* from the first byte of all strings */
	unsigned int next;	/* of the same bucket, plus 1 */
};

struct integer {
	int64_t val;
	unsigned int next;	/* likewise */
};

struct chunk_option {
	int32_t name, value, help;	/* strings */
};

struct chunk_writer {
	struct string *strings;
	unsigned int nstrings, max_strings;
	uint32_t string_bytes;
	struct integer *ints;
	unsigned int nints, max_ints;
	int32_t *fields;
	unsigned int nfields, max_fields;
	struct chunk_option *options;
	unsigned int noptions, max_options;
	unsigned int string_buckets[BUCKETS];
	unsigned int int_buckets[BUCKETS];
};

struct buffer {
	unsigned char *data;
	size_t len, max;
};

struct chunk_writer *chunk_writer_new(struct compiler *cc)
{
	return pool_alloc(&cc->pool, sizeof(struct chunk_writer));
}

void chunk_limit(struct compiler *cc, struct pos pos, size_t count, size_t max, const char *what)
{
	if (count == max)
		diag_error(&cc->diag, pos, "the script is too large: more than %zu %s", max, what);
}

/* Length limit of names that users see: functions, events, files. */
static size_t limit_name(size_t len)
{
	return len > KTAP_MAX_STRLEN ? KTAP_MAX_STRLEN : len;
}

int32_t chunk_string(struct compiler *cc, const char *s, size_t len)
{
	struct chunk_writer *w = cc->chunk;
	unsigned int *bucket = &w->string_buckets[hash_bytes(s, len) % BUCKETS], i;

	for (i = *bucket; i; i = w->strings[i - 1].next)
		if (w->strings[i - 1].len == len && !memcmp(w->strings[i - 1].str, s, len))
			return i - 1;
	chunk_limit(cc, cc->pos, w->nstrings, KTAP_MAX_STRINGS, "strings");
	w->strings = pool_grow(&cc->pool, w->strings, w->nstrings, &w->max_strings,
			       sizeof(*w->strings));
	w->strings[w->nstrings] = (struct string) {
		.str = s, .len = len, .offset = w->string_bytes, .next = *bucket,
	};
	w->string_bytes += len + 1;
	*bucket = ++w->nstrings;
	return w->nstrings - 1;
}

static int32_t chunk_name(struct compiler *cc, const char *name)
{
	return chunk_string(cc, name, limit_name(strlen(name)));
}

int32_t chunk_int(struct compiler *cc, int64_t val)
{
	struct chunk_writer *w = cc->chunk;
	unsigned int *bucket = &w->int_buckets[hash_bytes(&val, sizeof(val)) % BUCKETS], i;

	for (i = *bucket; i; i = w->ints[i - 1].next)
		if (w->ints[i - 1].val == val)
			return i - 1;
	chunk_limit(cc, cc->pos, w->nints, KTAP_MAX_INTS, "integer constants");
	w->ints = pool_grow(&cc->pool, w->ints, w->nints, &w->max_ints, sizeof(*w->ints));
	w->ints[w->nints] = (struct integer) { .val = val, .next = *bucket };
	*bucket = ++w->nints;
	return w->nints - 1;
}

int32_t chunk_field(struct compiler *cc, const char *name)
{
	struct chunk_writer *w = cc->chunk;
	int32_t string = chunk_string(cc, name, strlen(name));
	unsigned int i;

	for (i = 0; i < w->nfields; i++)
		if (w->fields[i] == string)
			return i;
	chunk_limit(cc, cc->pos, w->nfields, KTAP_MAX_FIELDS, "event fields");
	if (w->nfields > KTAP_MAX_FIELDS)
		return 0;
	w->fields = pool_grow(&cc->pool, w->fields, w->nfields, &w->max_fields,
			      sizeof(*w->fields));
	w->fields[w->nfields] = string;
	return w->nfields++;
}

int32_t chunk_probe(struct compiler *cc, const struct probe *probe, struct pos pos)
{
	chunk_limit(cc, pos, cc->nprobes, KTAP_MAX_PROBES, "probes");
	cc->probes = pool_grow(&cc->pool, cc->probes, cc->nprobes, &cc->max_probes,
			       sizeof(*cc->probes));
	cc->probes[cc->nprobes] = *probe;
	return cc->nprobes++;
}

int32_t chunk_option(struct compiler *cc, const struct node *name, const char *value,
		     const struct node *help)
{
	struct chunk_writer *w = cc->chunk;
	int32_t string = chunk_string(cc, name->str, name->len);
	unsigned int i;

	for (i = 0; i < w->noptions; i++)
		if (w->options[i].name == string)
			return i;
	chunk_limit(cc, name->pos, w->noptions, KTAP_MAX_OPTIONS, "options");
	if (w->noptions > KTAP_MAX_OPTIONS)
		return -1;
	w->options = pool_grow(&cc->pool, w->options, w->noptions, &w->max_options,
			       sizeof(*w->options));
	w->options[w->noptions] = (struct chunk_option) {
		.name = string,
		.value = value ? chunk_name(cc, value) : (int32_t)KTAP_NONE,
		.help = help ? chunk_string(cc, help->str, limit_name(help->len)) :
			       (int32_t)KTAP_NONE,
	};
	return w->noptions++;
}

static void chunk_put(struct buffer *b, const void *data, size_t len)
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

static void chunk_put_le(struct buffer *b, uint64_t val, unsigned int bytes)
{
	unsigned char le[8];
	unsigned int i;

	for (i = 0; i < bytes; i++)
		le[i] = val >> (8 * i);
	chunk_put(b, le, bytes);
}

static void chunk_put_padding(struct buffer *b)
{
	while (b->len % 8)
		chunk_put(b, "", 1);
}

static uint32_t chunk_put_strings(struct compiler *cc, struct buffer *b)
{
	const struct chunk_writer *w = cc->chunk;
	unsigned int i;

	for (i = 0; i < w->nstrings; i++) {
		chunk_put_le(b, w->nstrings * sizeof(struct ktap_string) + w->strings[i].offset, 4);
		chunk_put_le(b, w->strings[i].len, 4);
	}
	for (i = 0; i < w->nstrings; i++) {
		chunk_put(b, w->strings[i].str, w->strings[i].len);
		chunk_put(b, "", 1);
	}
	return w->nstrings;
}

static uint32_t chunk_put_ints(struct compiler *cc, struct buffer *b)
{
	unsigned int i;

	for (i = 0; i < cc->chunk->nints; i++)
		chunk_put_le(b, cc->chunk->ints[i].val, 8);
	return cc->chunk->nints;
}

static uint32_t chunk_put_funcs(struct compiler *cc, struct buffer *b)
{
	const struct func *f;
	uint32_t first = 0;

	for (f = cc->main; f; f = f->next) {
		chunk_put_le(b, chunk_name(cc, f->name), 4);
		chunk_put_le(b, first, 4);
		chunk_put_le(b, f->ninsns, 4);
		chunk_put_le(b, f->nparams, 1);
		chunk_put_le(b, f->regs.max ? f->regs.max : 1, 1);
		chunk_put_le(b, f->variadic ? KTAP_FUNC_VARIADIC : 0, 2);
		first += f->ninsns;
	}
	return cc->nfuncs;
}

static uint32_t chunk_put_code(struct compiler *cc, struct buffer *b)
{
	const struct func *f;
	uint32_t count = 0;
	unsigned int i;

	for (f = cc->main; f; f = f->next) {
		for (i = 0; i < f->ninsns; i++) {
			unsigned char fields[4] = {
				f->code[i].op, f->code[i].a, f->code[i].b, f->code[i].c,
			};

			chunk_put(b, fields, 4);
			chunk_put_le(b, f->code[i].d, 4);
		}
		count += f->ninsns;
	}
	return count;
}

static uint32_t chunk_put_tries(struct compiler *cc, struct buffer *b)
{
	uint32_t first = 0, count = 0;
	const struct func *f;
	unsigned int i;

	for (f = cc->main; f; f = f->next) {
		for (i = 0; i < f->ntries; i++) {
			chunk_put_le(b, first + f->tries[i].first, 4);
			chunk_put_le(b, first + f->tries[i].end, 4);
			chunk_put_le(b, first + f->tries[i].handler, 4);
			chunk_put_le(b, f->tries[i].reg, 4);
		}
		count += f->ntries;
		first += f->ninsns;
	}
	return count;
}

static uint32_t chunk_put_probes(struct compiler *cc, struct buffer *b)
{
	unsigned int i;

	for (i = 0; i < cc->nprobes; i++) {
		const struct probe *p = &cc->probes[i];

		chunk_put_le(b, chunk_string(cc, p->event, p->len), 4);
		chunk_put_le(b, p->filter ? p->filter->index : KTAP_NONE, 4);
		chunk_put_le(b, p->handler->index, 4);
		chunk_put_le(b, p->switched ? KTAP_PROBE_SWITCHED :
				p->condition ? p->condition->index + 1 : 0, 4);
	}
	return cc->nprobes;
}

static uint32_t chunk_put_globals(struct compiler *cc, struct buffer *b)
{
	const struct sym *s;

	for (s = cc->syms; s; s = s->next)
		if (s->global)
			chunk_put_le(b, chunk_name(cc, s->name), 4);
	return cc->nglobals;
}

static uint32_t chunk_put_fields(struct compiler *cc, struct buffer *b)
{
	unsigned int i;

	for (i = 0; i < cc->chunk->nfields; i++)
		chunk_put_le(b, cc->chunk->fields[i], 4);
	return cc->chunk->nfields;
}

static uint32_t chunk_put_options(struct compiler *cc, struct buffer *b)
{
	const struct chunk_writer *w = cc->chunk;
	unsigned int i;

	for (i = 0; i < w->noptions; i++) {
		chunk_put_le(b, w->options[i].name, 4);
		chunk_put_le(b, w->options[i].help, 4);
		chunk_put_le(b, w->options[i].value, 4);
		chunk_put_le(b, 0, 4);
	}
	return w->noptions;
}

static uint32_t chunk_put_lines(struct compiler *cc, struct buffer *b)
{
	const struct func *f;
	uint32_t count = 0;
	unsigned int i;

	for (f = cc->main; f; f = f->next) {
		for (i = 0; i < f->ninsns; i++) {
			struct pos pos = f->code[i].pos;

			chunk_put_le(b, pos.line, 4);
			chunk_put_le(b, pos.col > UINT16_MAX ? 0 : pos.col, 2);
			chunk_put_le(b, pos.file, 2);
		}
		count += f->ninsns;
	}
	return count;
}

static uint32_t chunk_put_files(struct compiler *cc, struct buffer *b)
{
	uint32_t lens[KTAP_MAX_FILES], offset, left = MAX_SOURCE;
	const struct ktap_script *file = cc->diag.files;
	unsigned int n = cc->diag.nfiles, i;

	offset = n * sizeof(struct ktap_file);
	for (i = 0; i < n; i++) {
		lens[i] = file[i].built_in || file[i].len > left ? 0 : file[i].len;
		left -= lens[i];
		chunk_put_le(b, chunk_name(cc, file[i].name), 4);
		chunk_put_le(b, offset, 4);
		chunk_put_le(b, lens[i], 4);
		chunk_put_le(b, 0, 4);
		offset += lens[i];
	}
	for (i = 0; i < n; i++)
		chunk_put(b, file[i].text, lens[i]);
	return n;
}

static uint32_t chunk_put_types(struct compiler *cc, struct buffer *b)
{
	const struct cdefs *c = cc->cdefs;
	unsigned int i;

	if (!c)
		return 0;
	for (i = 0; i < c->nout; i++) {
		chunk_put_le(b, c->types[i].name, 4);
		chunk_put_le(b, c->types[i].kind, 1);
		chunk_put_le(b, c->types[i].size, 1);
		chunk_put_le(b, c->types[i].flags, 2);
		chunk_put_le(b, c->types[i].to, 4);
		chunk_put_le(b, c->types[i].count, 4);
	}
	return c->nout;
}

static uint32_t chunk_put_members(struct compiler *cc, struct buffer *b)
{
	const struct cdefs *c = cc->cdefs;
	unsigned int i;

	if (!c)
		return 0;
	for (i = 0; i < c->nout_members; i++) {
		chunk_put_le(b, c->members[i].name, 4);
		chunk_put_le(b, c->members[i].type, 4);
		chunk_put_le(b, c->members[i].bits, 1);
		chunk_put_le(b, c->members[i].align, 1);
		chunk_put_le(b, c->members[i].flags, 2);
	}
	return c->nout_members;
}

/* Strings come last, because the other sections add to them. */
static const struct {
	enum ktap_section_type type;
	uint32_t (*put)(struct compiler *cc, struct buffer *b);
} sections[] = {
	{ KTAP_SEC_INTS, chunk_put_ints },
	{ KTAP_SEC_FUNCS, chunk_put_funcs },
	{ KTAP_SEC_CODE, chunk_put_code },
	{ KTAP_SEC_TRIES, chunk_put_tries },
	{ KTAP_SEC_PROBES, chunk_put_probes },
	{ KTAP_SEC_GLOBALS, chunk_put_globals },
	{ KTAP_SEC_FIELDS, chunk_put_fields },
	{ KTAP_SEC_OPTIONS, chunk_put_options },
	{ KTAP_SEC_TYPES, chunk_put_types },
	{ KTAP_SEC_MEMBERS, chunk_put_members },
	{ KTAP_SEC_LINES, chunk_put_lines },
	{ KTAP_SEC_FILES, chunk_put_files },
	{ KTAP_SEC_STRINGS, chunk_put_strings },
};

#define NSECTIONS	(ARRAY_SIZE(sections))

/* A section under construction. */
struct part {
	struct buffer b;	/* padded */
	size_t size;
	uint32_t count;
};

static void chunk_put_header(struct compiler *cc, struct buffer *b, unsigned int nsections,
			     size_t len)
{
	chunk_put(b, KTAP_MAGIC, KTAP_MAGIC_LEN);
	chunk_put_le(b, KTAP_ABI_MAJOR, 2);
	chunk_put_le(b, 0, 2);
	chunk_put_le(b, len, 4);
	chunk_put_le(b, cc->acts ? KTAP_CHUNK_UNSAFE : 0, 4);
	chunk_put_le(b, nsections, 4);
	chunk_put_le(b, cc->main->index, 4);
}

static void chunk_put_section(struct buffer *b, uint32_t type, size_t offset, const struct part *p)
{
	chunk_put_le(b, type, 4);
	chunk_put_le(b, 0, 4);
	chunk_put_le(b, offset, 4);
	chunk_put_le(b, p->size, 4);
	chunk_put_le(b, p->count, 4);
	chunk_put_le(b, 0, 4);
}

/*
 * Write the header, the table of sections, and the sections that are not empty.
 */
static void chunk_put_chunk(struct compiler *cc, struct buffer *b, const struct part *parts)
{
	size_t len = sizeof(struct ktap_header), start, i;
	unsigned int n = 0;

	for (i = 0; i < NSECTIONS; i++) {
		n += parts[i].count > 0;
		len += parts[i].b.len + (parts[i].count ? sizeof(struct ktap_section) : 0);
	}
	chunk_put_header(cc, b, n, len);
	start = b->len + n * sizeof(struct ktap_section);
	for (i = 0; i < NSECTIONS; i++) {
		if (parts[i].count)
			chunk_put_section(b, sections[i].type, start, &parts[i]);
		start += parts[i].b.len;
	}
	for (i = 0; i < NSECTIONS; i++)
		chunk_put(b, parts[i].b.data, parts[i].b.len);
}

void *chunk_write(struct compiler *cc, size_t *len)
{
	struct part parts[NSECTIONS] = { 0 };
	struct buffer b = { 0 };
	size_t i;

	cdef_collect(cc);
	for (i = 0; i < NSECTIONS; i++) {
		parts[i].count = sections[i].put(cc, &parts[i].b);
		parts[i].size = parts[i].b.len;
		chunk_put_padding(&parts[i].b);
	}
	chunk_put_chunk(cc, &b, parts);
	for (i = 0; i < NSECTIONS; i++)
		free(parts[i].b.data);
	if (b.len > KTAP_MAX_CHUNK)
		diag_error(&cc->diag, cc->main->pos,
			   "the script is too large: its chunk would have %zu bytes, at most %u",
			   b.len, KTAP_MAX_CHUNK);
	*len = b.len;
	if (!cc->diag.nerrors)
		return b.data;
	free(b.data);
	return NULL;
}
