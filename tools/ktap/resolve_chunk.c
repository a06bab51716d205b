// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel is told about the events of user space in a chunk: set-up
 * lines before it.  The chunk may come from another machine: its events are
 * looked up where they are traced.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "chunk.h"
#include "clean.h"
#include "resolve.h"
#include "util.h"

/* A word of a set-up line: what would end it is written as in /proc/mounts. */
static void put_word(FILE *out, const char *word)
{
	for (; *word; word++) {
		unsigned char c = *word;

		if (c <= ' ' || c == '\\' || c == 127)
			fprintf(out, "\\%03o", c);
		else
			putc(c, out);
	}
}

static void put_event(FILE *out, const char *keyword, const char *event)
{
	fprintf(out, "%s ", keyword);
	put_word(out, event);
	putc(' ', out);
}

static void put_answer(FILE *out, const char *event, const struct answer *a)
{
	if (a->message) {
		put_event(out, "unresolved", event);
		put_word(out, a->message);
		putc('\n', out);
		return;
	}
	for (unsigned int i = 0; i < a->nplaces; i++) {
		const struct place *p = &a->places[i];

		if (!i || p->file != a->places[i - 1].file) {
			put_event(out, "uprobe", event);
			put_word(out, a->files.files[p->file].path);
			putc('\n', out);
		}
		fprintf(out, "at 0x%llx 0x%llx ", (unsigned long long)p->offset,
			(unsigned long long)p->semaphore);
		put_word(out, p->name);
		fprintf(out, "%s\n", p->args);
	}
}

/**
 * struct events - those of a chunk that were looked up
 * @texts: as the script spells them
 */
struct events {
	struct resolver *r;
	FILE *out;
	FILE *notes;
	const char **texts;
	unsigned int count;
	unsigned int max;
};

static void look_up(struct events *e, const char *string, uint32_t len)
{
	struct answer a;
	char *text;

	/* nor is "probe:" an event, which an argument is put behind */
	if (!len || memchr(string, 0, len) || memchr(string, '\n', len) || string[len - 1] == ':')
		return;
	text = arena_strndup(&e->r->arena, string, len);
	for (unsigned int i = 0; i < e->count; i++) {
		if (!strcmp(e->texts[i], text))
			return;
	}
	resolve(e->r, text, &a);
	if (a.kernels)
		return;
	e->texts = arena_grow(&e->r->arena, e->texts, e->count, &e->max, sizeof(text));
	e->texts[e->count++] = text;
	put_answer(e->out, text, &a);
	if (a.note && e->notes) {
		fputs("ktap: ", e->notes);
		put_clean(e->notes, a.note, strlen(a.note));
		putc('\n', e->notes);
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

/*
 * Tools take events as arguments, "uprobe:libc:malloc" or the "libc:malloc" of
 * trace ("probe:" .. $1 .. "%return"): all that such a script may make of them.
 */
static void look_up_argument(struct events *e, const struct chunk *c, const char *arg)
{
	static const char * const before[] = {
		"", "probe:", "uprobe:", "uretprobe:", "sdt:", "usdt:",
	};
	static const char * const behind[] = { "", "%return" };
	const char *value = strchr(arg, '=');

	if (!strncmp(arg, "--", 2) && value)
		arg = value + 1;
	if (!strchr(arg, ':'))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(before); i++) {
		if (*before[i] && !has_string(c, before[i]))
			continue;
		for (size_t j = 0; j < ARRAY_SIZE(behind); j++) {
			const char *text;

			if (*behind[j] && !has_string(c, behind[j]))
				continue;
			text = arena_printf(&e->r->arena, "%s%s%s", before[i], arg, behind[j]);
			look_up(e, text, strlen(text));
		}
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

	/* what is wrong with it, the kernel says */
	if (chunk_read(&c, chunk, len))
		return NULL;
	e.out = open_memstream(&lines, &size);
	if (!e.out)
		return NULL;
	probes = &c.sections[KTAP_SEC_PROBES];
	strings = &c.sections[KTAP_SEC_STRINGS];
	for (uint32_t i = 0; i < probes->count; i++)
		look_up_string(&e, &c, get_le32(probes->data + i * sizeof(struct ktap_probe_desc)));
	/* events may be given to a function, too */
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
