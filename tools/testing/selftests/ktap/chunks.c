// SPDX-License-Identifier: GPL-2.0
/*
 * Compiled chunks, and ways to damage them.
 */
#define _GNU_SOURCE
#include <endian.h>
#include <err.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/param.h>

#include <linux/ktap.h>

#include "chunks.h"

/* Return the contents of a file with a NUL after it, or NULL if there is no file. */
static void *read_file(const char *path, size_t *len)
{
	FILE *f = fopen(path, "re");
	char *data;

	if (!f)
		return NULL;
	data = malloc(MAX_CHUNK + 1);
	if (!data)
		err(1, "malloc");
	*len = fread(data, 1, MAX_CHUNK + 1, f);
	if (ferror(f) || *len > MAX_CHUNK)
		errx(1, "%s: it cannot be read, or has more than %d bytes", path, MAX_CHUNK);
	fclose(f);
	data[*len] = '\0';
	return data;
}

static void read_chunk(struct chunk *c, const char *path)
{
	size_t len = strlen(path) - strlen(".ktap"), unused;
	const char *slash = strrchr(path, '/');
	char *lines;

	c->name = strndup(slash + 1, path + len - slash - 1);
	c->data = read_file(path, &c->len);
	if (!c->data || c->len < sizeof(struct ktap_header))
		errx(1, "%s: no chunk", path);
	if (asprintf(&lines, "%.*s.lines", (int)len, path) < 0)
		err(1, "asprintf");
	c->lines = read_file(lines, &unused);
	free(lines);
}

void read_chunks(struct chunks *chunks, const char *dir)
{
	char *pattern;
	glob_t found;

	if (asprintf(&pattern, "%s/*.ktap", dir) < 0)
		err(1, "asprintf");
	if (glob(pattern, 0, NULL, &found) || found.gl_pathc > MAX_CHUNKS)
		errx(1, "%s: none, or more than %d", pattern, MAX_CHUNKS);
	chunks->n = found.gl_pathc;
	for (unsigned int i = 0; i < chunks->n; i++)
		read_chunk(&chunks->chunk[i], found.gl_pathv[i]);
	globfree(&found);
	free(pattern);
}

uint64_t rnd(struct rng *rng, uint64_t n)
{
	uint64_t z = rng->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	z ^= z >> 31;
	return n ? z % n : z;
}

/* The entries of a section, as far as they exist. */
static void *section(const unsigned char *data, size_t len, uint32_t type, size_t entry,
		     uint32_t *count)
{
	const struct ktap_header *h = (const void *)data;
	const struct ktap_section *s = (const void *)(h + 1);
	uint32_t n = MIN(le32toh(h->nsections), (len - sizeof(*h)) / sizeof(*s));

	for (uint32_t i = 0; i < n; i++) {
		uint32_t offset = le32toh(s[i].offset), size = le32toh(s[i].size);

		if (le32toh(s[i].type) != type || offset % 8 || offset > len || size > len - offset)
			continue;
		*count = MIN(le32toh(s[i].count), size / entry);
		return *count ? (void *)(data + offset) : NULL;
	}
	return NULL;
}

static uint32_t any_number(struct rng *rng, uint32_t value)
{
	static const uint32_t special[] = {
		0, 1, 2, 7, 8, 0xff, 0x100, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0xfffffff8,
		0xffffffff,
	};

	switch (rnd(rng, 3)) {
	case 0:
		return special[rnd(rng, sizeof(special) / sizeof(*special))];
	case 1:
		return value + rnd(rng, 33) - 16;
	default:
		return value ^ 1U << rnd(rng, 32);
	}
}

/* Damage a number of the header, of the table of sections, or of the rest. */
static void mutate_number(struct rng *rng, unsigned char *data, size_t len)
{
	const struct ktap_header *h = (const void *)data;
	size_t head = sizeof(*h) + le32toh(h->nsections) * sizeof(struct ktap_section);
	size_t pos = rnd(rng, rnd(rng, 2) ? MIN(head, len) : len) / 4 * 4 % (len - 3);
	uint32_t value;

	memcpy(&value, data + pos, sizeof(value));
	value = htole32(any_number(rng, le32toh(value)));
	memcpy(data + pos, &value, sizeof(value));
}

/* An instruction of another chunk is valid more often than a random one. */
static void mutate_insn(struct rng *rng, const struct chunks *chunks, unsigned char *data,
			size_t len)
{
	const struct chunk *other = &chunks->chunk[rnd(rng, chunks->n)];
	struct ktap_insn *code, *insn;
	const struct ktap_insn *from;
	uint32_t n, nfrom;

	code = section(data, len, KTAP_SEC_CODE, sizeof(*code), &n);
	if (!code)
		return;
	insn = &code[rnd(rng, n)];
	switch (rnd(rng, 6)) {
	case 0:
		from = section(other->data, other->len, KTAP_SEC_CODE, sizeof(*from), &nfrom);
		if (from)
			*insn = from[rnd(rng, nfrom)];
		break;
	case 1:
		insn->op = rnd(rng, KTAP_OP_ADDSELF + 1);
		break;
	case 2:
		insn->a = rnd(rng, 8);
		break;
	case 3:
		insn->b = rnd(rng, 8);
		break;
	case 4:
		insn->c = rnd(rng, 8);
		break;
	case 5:
		if (insn->op == KTAP_OP_CALLB && rnd(rng, 2))
			insn->d = htole32(rnd(rng, KTAP_FN_OFFSETOF + 1));
		else
			insn->d = htole32(any_number(rng, rnd(rng, 16)));
		break;
	}
}

/* Registers, parameters and extent of a function. */
static void mutate_function(struct rng *rng, unsigned char *data, size_t len)
{
	struct ktap_function *f;
	uint32_t n;

	f = section(data, len, KTAP_SEC_FUNCS, sizeof(*f), &n);
	if (!f)
		return;
	f += rnd(rng, n);
	switch (rnd(rng, 4)) {
	case 0:
		f->nregs += rnd(rng, 5) - 2;
		break;
	case 1:
		f->nparams = rnd(rng, 3);
		break;
	case 2:
		f->flags ^= htole16(KTAP_FUNC_VARIADIC);
		break;
	case 3:
		f->ninsns = htole32(le32toh(f->ninsns) + rnd(rng, 3) - 1);
		break;
	}
}

/* Another event, handler or filter, most likely an existing one. */
static void mutate_probe(struct rng *rng, unsigned char *data, size_t len)
{
	struct ktap_probe_desc *probe;
	uint32_t n, *field;

	probe = section(data, len, KTAP_SEC_PROBES, sizeof(*probe), &n);
	if (!probe)
		return;
	probe += rnd(rng, n);
	field = (uint32_t *)probe + rnd(rng, sizeof(*probe) / sizeof(*field));
	*field = htole32(rnd(rng, 4) ? rnd(rng, 8) : KTAP_NONE);
}

void mutate(struct rng *rng, const struct chunks *chunks, unsigned char *data, size_t len)
{
	struct ktap_header *h = (void *)data;
	const uint32_t length = h->length;

	for (unsigned int n = 1 + rnd(rng, rnd(rng, 4) ? 2 : 8); n; n--) {
		switch (rnd(rng, 8)) {
		case 0:
			mutate_number(rng, data, len);
			break;
		case 1:
			data[rnd(rng, len)] ^= 1 << rnd(rng, 8);
			break;
		case 2:
			mutate_function(rng, data, len);
			break;
		case 3:
			mutate_probe(rng, data, len);
			break;
		default:
			mutate_insn(rng, chunks, data, len);
			break;
		}
	}
	h->length = length;
}
