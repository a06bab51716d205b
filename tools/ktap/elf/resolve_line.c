// SPDX-License-Identifier: GPL-2.0
/* Resolve events that name a line of a source file: uprobe:PATH@FILE:LINE[:COLUMN]. */
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "elf/resolve_priv.h"
#include "elf/source_lines.h"

/* Cut ":NUMBER" off the end; false if it does not end so. */
static bool cut_number(char *text, unsigned int *number)
{
	char *colon = strrchr(text, ':'), *end;
	unsigned long long value;

	if (!colon || !isdigit((unsigned char)colon[1]))
		return false;
	value = strtoull(colon + 1, &end, 10);
	if (*end || value > INT_MAX)
		return false;
	*number = value;
	*colon = '\0';
	return true;
}

const char *resolve_split_line(struct resolver *r, char *rest, struct source_place *place)
{
	char *text = pool_strndup(&r->pool, rest, strlen(rest)), *at;
	unsigned int number;

	*place = (struct source_place){ 0 };
	if (!cut_number(text, &place->line))
		return NULL;
	if (cut_number(text, &number)) {
		place->column = place->line;
		place->line = number;
	}
	at = strrchr(text, '@');
	/* what has a colon is a function with a version: uprobe:PATH:NAME@VERSION:1 */
	if (!at || at == text || !at[1] || strchr(text, ':'))
		return NULL;
	*at = '\0';
	place->file = at + 1;
	rest[at - text] = '\0';
	return rest + (at - text) + 1;
}

/* Where the statements of a line go. */
struct line_places {
	struct resolver *r;
	struct answer *a;
	const struct elf_file *f;
	unsigned int file;
};

static bool take_line(void *ctx, uint64_t addr)
{
	const struct line_places *l = ctx;

	return resolve_take_addr(l->r, l->a, l->f, l->file, elf_probe_of_entry(l->f, addr));
}

static const char *no_line(struct resolver *r, const struct target_file *file,
			   const struct source_place *place, int next)
{
	if (next == -2)
		return pool_printf(&r->pool, "%s was not compiled from a file '%s', by its debug information",
				   file->shown, place->file);
	if (next == -3)
		return pool_printf(&r->pool, "%s has split debug information, which ktap does not read; compile it without -gsplit-dwarf",
				   file->shown);
	if (next == -1)
		return pool_printf(&r->pool, "%s has no code of line %u of '%s', nor of a later one",
				   file->shown, place->line, place->file);
	if ((unsigned int)next == place->line)
		return pool_printf(&r->pool, "%s has no statement that begins at line %u and this column of '%s'; write no column to trace the first one",
				   file->shown, place->line, place->file);
	return pool_printf(&r->pool, "%s has no statement that begins at line %u of '%s'; the next one is at line %d",
			   file->shown, place->line, place->file, next);
}

static const char *resolve_line_of(struct line_places *l, const struct target_file *file,
				   const struct source_place *place)
{
	struct source_lines *lines = resolve_debug_info(l->r, file->path);
	int next;

	if (!lines)
		return pool_printf(&l->r->pool, "%s has no debug information (DWARF), so no lines; compile it with -g, or name a function: uprobe:PATH:FUNCTION",
				   file->shown);
	next = source_lines_find(lines, place, take_line, l);
	return next ? no_line(l->r, file, place, next) : NULL;
}

void resolve_lines(struct resolver *r, struct answer *a, const struct source_place *place)
{
	struct line_places l = { .r = r, .a = a };
	const char *message = NULL, *why;

	if (!source_lines_can_read) {
		a->message = "built without libdw, ktap knows no lines of source files";
		return;
	}
	if (a->event.ret) {
		a->message = "a line has no return; name a function: uretprobe:PATH:FUNCTION";
		return;
	}
	for (l.file = 0; l.file < a->files.count; l.file++) {
		l.f = resolve_open(r, &a->files.files[l.file], a);
		if (!l.f)
			continue;
		why = resolve_line_of(&l, &a->files.files[l.file], place);
		message = message ? message : why;
	}
	if (!a->nplaces && !a->message)
		a->message = message;
}
