// SPDX-License-Identifier: GPL-2.0
/* The help of a script: the comment at its head, and its options. */
#include <string.h>

#include "compiler/chunk_read.h"
#include "compiler/clean_text.h"
#include "script_help.h"

#define COLUMN	22	/* column of the descriptions of options */

/*
 * The text of the script, without included files; NULL if the chunk lacks it.
 */
static const char *script_text(const struct chunk *chunk, const char **end)
{
	const struct chunk_section *files = &chunk->sections[KTAP_SEC_FILES];
	uint32_t text, len;

	if (!files->count)
		return NULL;
	text = get_le32(files->data + 4);
	len = get_le32(files->data + 8);
	if (text > files->size || len > files->size - text)
		return NULL;
	*end = (const char *)files->data + text + len;
	return (const char *)files->data + text;
}

static bool line_begins(const char *line, const char *end, const char *what)
{
	size_t len = strlen(what);

	return (size_t)(end - line) >= len && !memcmp(line, what, len);
}

/* Print the lines of the first comment. */
static void show_head(FILE *out, const struct chunk *chunk)
{
	const char *end = NULL, *line = script_text(chunk, &end), *next, *eol;
	bool shown = false;

	for (; line && line < end && *line == '#'; line = next) {
		eol = memchr(line, '\n', end - line);
		next = eol ? eol + 1 : end;
		if (!eol)
			eol = end;
		if (line_begins(line, eol, "#!") || line_begins(line, eol, "# SPDX-"))
			continue;
		line += line_begins(line, eol, "# ") ? 2 : 1;
		if (eol[-1] == '\r')
			eol--;
		/* skip empty lines after the license */
		if (line == eol && !shown)
			continue;
		put_clean(out, line, eol - line);
		fputc('\n', out);
		shown = true;
	}
	if (shown)
		fputc('\n', out);
}

static const char *get_text(const struct chunk *chunk, uint32_t string, int *len)
{
	const char *text;
	uint32_t n = 0;

	text = string == KTAP_NONE ? "" : chunk_get_string(chunk, string, &n);
	*len = n;
	return text;
}

/* Print "  --pid=VALUE  only that process (default 0)". */
static void help_show_option(FILE *out, const struct chunk *chunk, const unsigned char *p)
{
	int name_len, help_len, value_len, width;
	const char *name = get_text(chunk, get_le32(p), &name_len);
	const char *help = get_text(chunk, get_le32(p + 4), &help_len);
	const char *value = get_text(chunk, get_le32(p + 8), &value_len);
	bool flag = value_len == 5 && !memcmp(value, "false", 5);

	width = fprintf(out, "  --") + name_len;
	put_clean(out, name, name_len);
	if (!flag)
		width += fprintf(out, "=VALUE");
	fprintf(out, "%*s ", width < COLUMN ? COLUMN - width : 0, "");
	put_clean(out, help, help_len);
	if (value_len && !flag) {
		fprintf(out, "%s(default ", help_len ? " " : "");
		put_clean(out, value, value_len);
		fputc(')', out);
	}
	fputc('\n', out);
}

bool ktap_has_options(const void *data, size_t len)
{
	struct chunk chunk;

	return !chunk_read(&chunk, data, len) && chunk.sections[KTAP_SEC_OPTIONS].count;
}

bool ktap_has_event(const void *data, size_t len, const char *event)
{
	const struct chunk_section *probes;
	struct chunk chunk;
	const char *text;
	uint32_t size;

	if (chunk_read(&chunk, data, len))
		return false;
	probes = &chunk.sections[KTAP_SEC_PROBES];
	for (uint32_t i = 0; i < probes->count; i++) {
		text = chunk_get_string(&chunk, get_le32(probes->data +
					i * sizeof(struct ktap_probe_desc)), &size);
		if (size == strlen(event) && !memcmp(text, event, size))
			return true;
	}
	return false;
}

static bool help_text_is(const char *text, int len, const char *other)
{
	return (size_t)len == strlen(other) && !memcmp(text, other, len);
}

bool ktap_option_takes_value(const void *data, size_t len, const char *name)
{
	const struct chunk_section *options;
	int name_len, value_len;
	struct chunk chunk;

	if (chunk_read(&chunk, data, len))
		return false;
	options = &chunk.sections[KTAP_SEC_OPTIONS];
	for (uint32_t i = 0; i < options->count; i++) {
		const unsigned char *p = options->data + i * sizeof(struct ktap_option);
		const char *its_name = get_text(&chunk, get_le32(p), &name_len);
		const char *value = get_text(&chunk, get_le32(p + 8), &value_len);

		if (help_text_is(its_name, name_len, name))
			return !help_text_is(value, value_len, "false") &&
			       !help_text_is(value, value_len, "true");
	}
	return false;
}

void ktap_list_options(FILE *out, const void *data, size_t len)
{
	const struct chunk_section *options;
	struct chunk chunk;

	if (chunk_read(&chunk, data, len))
		return;
	options = &chunk.sections[KTAP_SEC_OPTIONS];
	for (uint32_t i = 0; i < options->count; i++) {
		int name_len;
		const char *name = get_text(&chunk, get_le32(options->data +
					    i * sizeof(struct ktap_option)), &name_len);

		fputs(i ? ", --" : "--", out);
		put_clean(out, name, name_len);
	}
}

void ktap_show_help(FILE *out, const char *name, const void *data, size_t len)
{
	const struct chunk_section *options;
	struct chunk chunk;
	uint32_t i;

	if (chunk_read(&chunk, data, len))
		return;
	options = &chunk.sections[KTAP_SEC_OPTIONS];
	show_head(out, &chunk);
	if (options->count)
		fprintf(out, "Options of %s:\n", name);
	else
		fprintf(out, "%s has no options of its own.\n", name);
	for (i = 0; i < options->count; i++)
		help_show_option(out, &chunk, options->data + i * sizeof(struct ktap_option));
}
