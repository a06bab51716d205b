// SPDX-License-Identifier: GPL-2.0
/*
 * The variables of a script, again and again, for --live and --metrics.
 *
 * A tick and a trace_end are added to the script. They print each global variable of the
 * script after the word "ktap:live", and then this word alone: then all values are known.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/chunk_read.h"
#include "shown.h"

#define SHOWN_WORD	"ktap:live"

static bool shown_is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Does the script itself, and not only an included one, have this name? */
static bool shown_names(const char *text, size_t len, const char *name, size_t name_len)
{
	for (size_t i = 0; i + name_len <= len; i++) {
		if (!memcmp(text + i, name, name_len) && (!i || !shown_is_name(text[i - 1])) &&
		    (i + name_len == len || !shown_is_name(text[i + name_len])))
			return true;
	}
	return false;
}

static bool shown_is_variable(const char *name, size_t len)
{
	if (!len || len >= sizeof(((struct shown *)NULL)->name) ||
	    isdigit((unsigned char)*name))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!shown_is_name(name[i]))
			return false;
	}
	return true;
}

char *shown_script(const char *text, size_t len, const void *data, size_t data_len,
		  uint64_t seconds, size_t *new_len)
{
	const struct chunk_section *globals;
	struct text_buffer t = { 0 };
	struct chunk chunk;
	uint32_t name_len;

	if (chunk_read(&chunk, data, data_len))
		return NULL;
	text_put(&t, text, len);
	text_puts(&t, "\nfunction ktap_live_show() {\n");
	globals = &chunk.sections[KTAP_SEC_GLOBALS];
	for (uint32_t i = 0; i < globals->count; i++) {
		const char *name = chunk_get_string(&chunk, get_le32(globals->data + 4 * i),
						    &name_len);
		int n = name_len;

		if (shown_is_variable(name, name_len) && shown_names(text, len, name, name_len))
			text_printf(&t, "\tprint(\"" SHOWN_WORD "\", \"%.*s\", %.*s)\n", n, name, n,
				    name);
	}
	text_printf(&t, "\tprint(\"" SHOWN_WORD "\")\n}\ntick-%llus { ktap_live_show() }\n"
		    "trace_end { ktap_live_show() }\n", (unsigned long long)seconds);
	if (t.no_memory) {
		text_free(&t);
		return NULL;
	}
	*new_len = t.len;
	return t.text;
}

/* Append a value as text on one line. */
void shown_put_value(struct text_buffer *t, const struct span *value)
{
	const char *p = value->begin + 1, *end = value->end - 1;
	struct span part;
	char text[4];

	if (*value->begin == '[') {
		for (bool first = true; json_next(&p, value->end, &part); first = false) {
			text_puts(t, first ? "" : ", ");
			shown_put_value(t, &part);
		}
	} else if (*value->begin == '"') {
		while (p < end) {
			size_t n = json_character(&p, end, text);

			text_put(t, *text == '\n' || *text == '\t' ? " " : text, n);
		}
	} else if (*value->begin == '{' && json_member(value, "table", &part)) {
		text_puts(t, "table ");
		text_put(t, part.begin, part.end - part.begin);
	} else {
		text_put(t, value->begin, value->end - value->begin);
	}
}

/* A line of print() that shown_script() has added; false: it is another one. */
static bool shown_print(struct shown *s, uint64_t time, const struct span *values)
{
	const char *pos = values->begin + 1;
	struct text_buffer name = { 0 };
	struct span value, number;

	if (!json_next(&pos, values->end, &value) || !json_is(&value, "\"" SHOWN_WORD "\""))
		return false;
	s->time = time;
	if (!json_next(&pos, values->end, &value)) {
		s->ops->all(s);
		s->order = 0;
		return true;
	}
	shown_put_value(&name, &value);
	snprintf(s->name, sizeof(s->name), "%.*s", (int)name.len, name.len ? name.text : "");
	text_free(&name);
	s->order++;
	s->table[0] = '\0';
	if (!json_next(&pos, values->end, &value))
		return true;
	if (*value.begin == '{' && json_member(&value, "table", &number))
		snprintf(s->table, sizeof(s->table), "%.*s", (int)(number.end - number.begin),
			 number.begin);
	else
		s->ops->value(s, NULL, &value);
	return true;
}

/* Other text: strings as they are, and a newline if @line. */
static void shown_keep(struct shown *s, const struct span *value, bool line)
{
	if (*value->begin == '"') {
		const char *p = value->begin + 1, *end = value->end - 1;
		char text[4];

		while (p < end) {
			size_t n = json_character(&p, end, text);

			text_put(&s->text, text, n);
		}
	} else {
		shown_put_value(&s->text, value);
	}
	if (line)
		text_puts(&s->text, "\n");
	s->ops->text(s);
}

static void shown_line(struct shown *s, const struct span *line)
{
	struct span time, type, value, key, table;

	if (!json_member(line, "time", &time) || !json_member(line, "type", &type))
		return;
	if (json_is(&type, "\"entry\"") && json_member(line, "table", &table) &&
	    json_member(line, "key", &key) && json_member(line, "value", &value)) {
		if (*s->table && json_is(&table, s->table)) {
			s->ops->value(s, &key, &value);
		} else {
			shown_keep(s, &key, false);
			text_puts(&s->text, ": ");
			shown_keep(s, &value, true);
		}
	} else if (json_member(line, "values", &value)) {
		if (!shown_print(s, strtoull(time.begin, NULL, 10), &value))
			shown_keep(s, &value, true);
	} else if ((json_is(&type, "\"text\"") || json_is(&type, "\"cat\"") ||
		    json_is(&type, "\"system\"")) && json_member(line, "text", &value)) {
		shown_keep(s, &value, false);
	}
}

bool shown_add(struct shown *s, const char *data, size_t len)
{
	struct span line;

	while (json_add(&s->lines, &data, &len, &line))
		shown_line(s, &line);
	return !s->lines.no_memory && !s->text.no_memory;
}

void shown_free(struct shown *s)
{
	json_free(&s->lines);
	text_free(&s->text);
}
