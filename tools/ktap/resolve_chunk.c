// SPDX-License-Identifier: GPL-2.0
/*
 * Set-up lines for the events of user space in a chunk. The chunk may come from
 * another machine: events are resolved where they are traced.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/chunk_read.h"
#include "compiler/clean_text.h"
#include "compiler/util.h"
#include "resolve_chunk.h"
#include "session_file.h"

#define MAX_FIELDS	1024	/* of a chunk, as in the kernel */

/*
 * Write a word of a set-up line, with special characters escaped as in
 * /proc/mounts.
 */
static void put_word(FILE *out, const char *word)
{
	for (; *word; word++) {
		unsigned char c = *word;

		if (c <= ' ' || c == '\\' || c == 127)
			fprintf(out, "\\%03o", c);
		else
			fputc(c, out);
	}
}

static void put_event(FILE *out, const char *keyword, const char *event)
{
	fprintf(out, "%s ", keyword);
	put_word(out, event);
	fputc(' ', out);
}

static void put_answer(FILE *out, const char *event, const struct answer *a)
{
	if (a->message) {
		put_event(out, "unresolved", event);
		put_word(out, a->message);
		fputc('\n', out);
		return;
	}
	for (unsigned int i = 0; i < a->nplaces; i++) {
		const struct place *p = &a->places[i];

		if (!i || p->file != a->places[i - 1].file) {
			put_event(out, "uprobe", event);
			put_word(out, a->files.files[p->file].path);
			fputc('\n', out);
		}
		fprintf(out, "at 0x%llx 0x%llx ", (unsigned long long)p->offset,
			(unsigned long long)p->semaphore);
		put_word(out, p->name);
		fprintf(out, "%s%s\n", p->args, p->params ? p->params : "");
	}
}

/**
 * struct events - the resolved events of a chunk
 * @texts: their texts in the script
 */
struct events {
	struct resolver *r;
	FILE *out;
	FILE *notes;
	const char **texts;
	unsigned int count;
	unsigned int max;
};

static bool chunk_is_looked_up(const struct events *e, const char *text)
{
	for (unsigned int i = 0; i < e->count; i++) {
		if (!strcmp(e->texts[i], text))
			return true;
	}
	return false;
}

/* Write the answer @a for the event @text. */
static void chunk_tell(struct events *e, const char *text, const struct answer *a)
{
	e->texts = pool_grow(&e->r->pool, e->texts, e->count, &e->max, sizeof(text));
	e->texts[e->count++] = text;
	put_answer(e->out, text, a);
}

static void look_up(struct events *e, const char *string, uint32_t len)
{
	struct answer a;
	char *text;

	/* "probe:" alone is no event: the script appends an argument to it */
	if (!len || memchr(string, 0, len) || memchr(string, '\n', len) || string[len - 1] == ':')
		return;
	text = pool_strndup(&e->r->pool, string, len);
	if (chunk_is_looked_up(e, text))
		return;
	resolve_event(e->r, text, &a);
	if (a.kernels)
		return;
	chunk_tell(e, text, &a);
	if (a.note && e->notes) {
		fputs("ktap: ", e->notes);
		put_clean(e->notes, a.note, strlen(a.note));
		fputc('\n', e->notes);
	}
}

static void look_up_string(struct events *e, const struct chunk *c, uint32_t index)
{
	uint32_t len;
	const char *text = chunk_get_string(c, index, &len);

	look_up(e, text, len);
}

static bool has_string(const struct chunk *c, const char *wanted)
{
	uint32_t count = c->sections[KTAP_SEC_STRINGS].count, len;

	for (uint32_t i = 0; i < count; i++) {
		const char *text = chunk_get_string(c, i, &len);

		if (len == strlen(wanted) && !memcmp(text, wanted, len))
			return true;
	}
	return false;
}

/* "sched:*" are kernel events if there is such a system. */
static bool chunk_is_system(struct events *e, const char *event)
{
	const char *tracefs = session_tracefs();

	return *event == '*' || !tracefs ||
	       !access(pool_printf(&e->r->pool, "%s/events/%.*s", tracefs,
				   (int)strcspn(event, ":"), event), F_OK);
}

/*
 * A tool that takes a function, "vfs_read", as well as an event, "sched:*",
 * treats "libc:str*" as an event. But only functions have such names.
 */
static void chunk_look_up_functions(struct events *e, const char *arg)
{
	struct answer a;

	if (chunk_is_looked_up(e, arg) || chunk_is_system(e, arg))
		return;
	resolve_event(e->r, pool_printf(&e->r->pool, "probe:%s", arg), &a);
	if (!a.kernels && !a.message)
		chunk_tell(e, arg, &a);
}

/*
 * Resolve an argument in all forms that a script may make of it:
 * "uprobe:libc:malloc" itself, or "libc:malloc" in "probe:" .. $1 .. "%return".
 */
static void look_up_argument(struct events *e, const struct chunk *c, const char *arg)
{
	static const char * const prefixes[] = {
		"", "probe:", "uprobe:", "uretprobe:", "sdt:", "usdt:",
	};
	static const char * const suffixes[] = { "", "%return" };
	const char *value = strchr(arg, '=');

	if (!strncmp(arg, "--", 2) && value)
		arg = value + 1;
	if (!strchr(arg, ':'))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(prefixes); i++) {
		if (*prefixes[i] && !has_string(c, prefixes[i]))
			continue;
		for (size_t j = 0; j < ARRAY_SIZE(suffixes); j++) {
			const char *text;

			if (*suffixes[j] && !has_string(c, suffixes[j]))
				continue;
			text = pool_printf(&e->r->pool, "%s%s%s", prefixes[i], arg, suffixes[j]);
			look_up(e, text, strlen(text));
		}
	}
	if (has_string(c, "probe:"))
		chunk_look_up_functions(e, arg);
}

static void chunk_take_field(struct resolver *r, const struct chunk *c, uint32_t string)
{
	uint32_t len;
	const char *name = chunk_get_string(c, string, &len);

	if (!len || memchr(name, 0, len) || r->nfields == MAX_FIELDS)
		return;
	name = pool_strndup(&r->pool, name, len);
	for (unsigned int i = 0; i < r->nfields; i++) {
		if (!strcmp(r->fields[i], name))
			return;
	}
	r->fields = pool_grow(&r->pool, r->fields, r->nfields, &r->max_fields, sizeof(*r->fields));
	r->fields[r->nfields++] = name;
}

/*
 * Functions of programs may have arguments of these names. A bare name in a filter that is
 * also a variable or a built-in value is not one of them.
 */
static void chunk_take_fields(struct resolver *r, const struct chunk *c)
{
	const struct chunk_section *fields = &c->sections[KTAP_SEC_FIELDS];
	const struct chunk_section *code = &c->sections[KTAP_SEC_CODE];

	for (uint32_t i = 0; i < code->count; i++) {
		const unsigned char *insn = code->data + i * sizeof(struct ktap_insn);
		uint32_t d = get_le32(insn + 4);

		if (insn[0] == KTAP_OP_TGETS)
			chunk_take_field(r, c, d);
		else if (insn[0] == KTAP_OP_FIELD && insn[2] != KTAP_NEED_NOTHING &&
			 d < fields->count)
			chunk_take_field(r, c, get_le32(fields->data + 4 * d));
	}
}

char *resolve_chunk(struct resolver *r, const void *chunk, size_t len, char **args,
		    FILE *notes)
{
	struct events e = { .r = r, .notes = notes };
	const struct chunk_section *probes, *strings;
	struct chunk c;
	char *lines = NULL;
	size_t size;

	/* the kernel reports the error */
	if (chunk_read(&c, chunk, len))
		return NULL;
	e.out = open_memstream(&lines, &size);
	if (!e.out)
		return NULL;
	chunk_take_fields(r, &c);
	probes = &c.sections[KTAP_SEC_PROBES];
	strings = &c.sections[KTAP_SEC_STRINGS];
	for (uint32_t i = 0; i < probes->count; i++)
		look_up_string(&e, &c, get_le32(probes->data + i * sizeof(struct ktap_probe_desc)));
	/* functions may have events as arguments, too */
	for (uint32_t i = 0; i < strings->count; i++)
		look_up_string(&e, &c, i);
	for (; *args; args++)
		look_up_argument(&e, &c, *args);
	fclose(e.out);
	if (size) {
		lines[size - 1] = '\0';
		return lines;
	}
	free(lines);
	return NULL;
}
