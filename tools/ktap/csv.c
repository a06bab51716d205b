// SPDX-License-Identifier: GPL-2.0
/*
 * The output as comma-separated values (Documentation/trace/ktap-json.rst says
 * how). Lines of JSON with the same columns become rows of one table; where the
 * columns change, an empty line and a new header follow.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "csv.h"

static const char * const csv_columns[] = { "count", "sum", "min", "max", "avg" };

#define CSV_COLUMNS	(sizeof(csv_columns) / sizeof(csv_columns[0]))

static void csv_put(struct csv *c, const char *text, size_t len)
{
	size_t size = c->size ? c->size : 4096;
	char *more;

	while (size < c->len + len)
		size *= 2;
	if (size != c->size) {
		more = realloc(c->text, size);
		if (!more) {
			c->no_memory = true;
			return;
		}
		c->text = more;
		c->size = size;
	}
	memcpy(c->text + c->len, text, len);
	c->len += len;
}

static void csv_put_text(struct csv *c, const char *text)
{
	csv_put(c, text, strlen(text));
}

/* The next character of a string of JSON in UTF-8; control characters become '?'. */
static size_t csv_character(const char **pos, const char *end, char *to)
{
	const char *p = *pos;
	unsigned long code;
	char hex[5] = "";

	if (*p != '\\' || p + 1 >= end) {
		*to = *p;
		*pos = p + 1;
		return 1;
	}
	*pos = p + 2;
	if (p[1] != 'u' || end - p < 6) {
		*to = p[1] == 'n' ? '\n' : p[1] == 't' ? '\t' : p[1];
		return 1;
	}
	memcpy(hex, p + 2, 4);
	*pos = p + 6;
	code = strtoul(hex, NULL, 16);
	if (code < ' ' || (code >= 127 && code < 160)) {
		*to = '?';
		return 1;
	}
	if (code < 0x80) {
		*to = code;
		return 1;
	}
	if (code >= 0xd800 && code < 0xe000)
		code = 0xfffd;
	if (code < 0x800) {
		to[0] = 0xc0 | code >> 6;
		to[1] = 0x80 | (code & 0x3f);
		return 2;
	}
	to[0] = 0xe0 | code >> 12;
	to[1] = 0x80 | (code >> 6 & 0x3f);
	to[2] = 0x80 | (code & 0x3f);
	return 3;
}

static void csv_put_string(struct csv *c, const char *p, const char *end)
{
	char text[4];

	while (p < end) {
		size_t n = csv_character(&p, end, text);

		csv_put(c, text, n);
		if (*text == '"')
			csv_put_text(c, "\"");
	}
}

/* Put a value without quotes around it; quotes in it are doubled. */
static void csv_put_bare(struct csv *c, const struct span *value)
{
	const char *pos = value->begin + 1;
	struct span part;
	bool first = true;

	switch (*value->begin) {
	case '"':
		csv_put_string(c, value->begin + 1, value->end - 1);
		break;
	case '[':
		for (; json_next(&pos, value->end, &part); first = false) {
			if (!first)
				csv_put_text(c, ";");
			csv_put_bare(c, &part);
		}
		break;
	case '{':
		if (json_member(value, "table", &part)) {
			csv_put_text(c, "table ");
			csv_put(c, part.begin, part.end - part.begin);
		} else if (json_member(value, "omitted", &part)) {
			csv_put_text(c, "...");
		} else {
			for (const char *p = value->begin; p < value->end; p++)
				csv_put(c, *p == '"' ? "\"\"" : p, 1 + (*p == '"'));
		}
		break;
	default:
		if (!json_is(value, "null"))
			csv_put(c, value->begin, value->end - value->begin);
	}
}

/* Put the field of a value, quoted if it must be. */
static void csv_put_field(struct csv *c, const struct span *value)
{
	size_t begin = c->len, len;
	bool quoted = false;

	csv_put_text(c, ",\"");
	if (value)
		csv_put_bare(c, value);
	if (c->no_memory)
		return;
	len = c->len - begin - 2;
	for (size_t i = 0; i < len && !quoted; i++)
		quoted = strchr("\",\n\r", c->text[begin + 2 + i]) && c->text[begin + 2 + i];
	if (quoted) {
		csv_put_text(c, "\"");
		return;
	}
	memmove(c->text + begin + 1, c->text + begin + 2, len);
	c->len--;
}

/* The text from @begin on is the header of the next row: keep it if it is a new one. */
static void csv_header(struct csv *c, size_t begin)
{
	size_t len = c->len - begin;
	char *header;

	if (c->no_memory)
		return;
	if (c->header && c->header_size == len && !memcmp(c->header, c->text + begin, len)) {
		c->len = begin;
		return;
	}
	header = malloc(len + 1);
	if (!header) {
		c->no_memory = true;
		return;
	}
	memcpy(header, c->text + begin, len);
	c->len = begin;
	if (c->header)
		csv_put_text(c, "\n");
	csv_put(c, header, len);
	csv_put_text(c, "\n");
	free(c->header);
	c->header = header;
	c->header_size = len;
}

/* The columns of a value */
enum csv_shape {
	CSV_VALUE,	/* "value" */
	CSV_AGGREGATION, /* those of csv_columns */
	CSV_BUCKETS,	/* a row for each bucket */
};

static enum csv_shape csv_shape_of(const struct span *value)
{
	struct span part;

	if (*value->begin != '{' || !json_member(value, "count", &part))
		return CSV_VALUE;
	return json_member(value, "buckets", &part) ? CSV_BUCKETS : CSV_AGGREGATION;
}

static void csv_put_shape(struct csv *c, enum csv_shape shape)
{
	if (shape == CSV_VALUE) {
		csv_put_text(c, ",value");
	} else if (shape == CSV_BUCKETS) {
		csv_put_text(c, ",bucket,count");
	} else {
		for (size_t i = 0; i < CSV_COLUMNS; i++) {
			csv_put_text(c, ",");
			csv_put_text(c, csv_columns[i]);
		}
	}
}

/* The fields before the value: time, name of the variable or table, parts of the key */
static void csv_put_front(struct csv *c, const struct span *time, const struct span *name,
			  const struct span *key)
{
	const char *pos = key ? key->begin + 1 : NULL;
	struct span part;

	csv_put(c, time->begin, time->end - time->begin);
	csv_put_field(c, name);
	while (key && json_next(&pos, key->end, &part))
		csv_put_field(c, &part);
}

/* Put rows for a value with a name and a key; both may be NULL. */
static void csv_put_rows(struct csv *c, const struct span *time, const struct span *name,
			 const struct span *key, const struct span *value)
{
	enum csv_shape shape = csv_shape_of(value);
	const char *pos = key ? key->begin + 1 : NULL;
	struct span buckets, bucket, part;
	size_t begin = c->len;
	char column[32];
	int n = 0;

	csv_put_text(c, "time,name");
	while (key && json_next(&pos, key->end, &part)) {
		snprintf(column, sizeof(column), ",key%d", ++n);
		csv_put_text(c, column);
	}
	csv_put_shape(c, shape);
	csv_header(c, begin);
	if (shape != CSV_BUCKETS) {
		csv_put_front(c, time, name, key);
		if (shape == CSV_VALUE)
			csv_put_field(c, value);
		for (size_t i = 0; shape == CSV_AGGREGATION && i < CSV_COLUMNS; i++)
			csv_put_field(c, json_member(value, csv_columns[i], &part) ? &part : NULL);
		csv_put_text(c, "\n");
		return;
	}
	json_member(value, "buckets", &buckets);
	pos = buckets.begin + 1;
	while (json_next(&pos, buckets.end, &bucket)) {
		csv_put_front(c, time, name, key);
		if (json_member(&bucket, "below", &part)) {
			csv_put_text(c, ",<");
			csv_put(c, part.begin, part.end - part.begin);
		} else {
			csv_put_field(c, json_member(&bucket, "from", &part) ? &part : NULL);
		}
		csv_put_field(c, json_member(&bucket, "count", &part) ? &part : NULL);
		csv_put_text(c, "\n");
	}
}

/* The entries of a table follow it; an empty one has none. */
static bool csv_is_table(const struct span *value)
{
	struct span part;

	return *value->begin == '{' && (json_is(value, "{}") || json_member(value, "table", &part));
}

/* print() and print_hist(): a column for each value */
static void csv_print(struct csv *c, const struct span *time, const struct span *values)
{
	const char *pos = values->begin + 1;
	struct span value = { 0 };
	size_t begin = c->len;
	bool tables = true;
	char column[32];
	int n = 0;

	for (; json_next(&pos, values->end, &value); n++)
		tables &= csv_is_table(&value);
	if (tables)
		return;
	if (n == 1 && csv_shape_of(&value) != CSV_VALUE) {
		csv_put_rows(c, time, NULL, NULL, &value);
		return;
	}
	csv_put_text(c, "time");
	for (int i = 0; i < n; i++) {
		snprintf(column, sizeof(column), ",value%d", i + 1);
		csv_put_text(c, column);
	}
	csv_header(c, begin);
	csv_put(c, time->begin, time->end - time->begin);
	pos = values->begin + 1;
	while (json_next(&pos, values->end, &value))
		csv_put_field(c, &value);
	csv_put_text(c, "\n");
}

/* Text of the script, a file or a command, without a newline at its end */
static void csv_text(struct csv *c, const struct span *time, const struct span *type,
		     const struct span *text)
{
	struct span shown = *text;
	size_t begin = c->len, len = text->end - text->begin;

	if (*text->begin != '"')
		return;
	/* not the end of an escaped backslash and an n; it is a newline in both forms of "\\n" */
	if (len > 3 && !strncmp(text->end - 3, "\\n\"", 3)) {
		size_t backslashes = 1;

		while (text->end - 3 - backslashes > text->begin &&
		       text->end[-3 - (long)backslashes] == '\\')
			backslashes++;
		shown.end -= backslashes % 2 ? 2 : 0;
	}
	csv_put_text(c, "time,");
	csv_put(c, type->begin + 1, type->end - type->begin - 2);
	csv_header(c, begin);
	csv_put(c, time->begin, time->end - time->begin);
	csv_put_field(c, &shown);
	csv_put_text(c, "\n");
}

static void csv_line(struct csv *c, const struct span *line)
{
	struct span time, type, part, key, value;

	if (!json_member(line, "time", &time) || !json_member(line, "type", &type))
		return;
	if ((json_is(&type, "\"print\"") || json_is(&type, "\"print_hist\"")) &&
	    json_member(line, "values", &value)) {
		csv_print(c, &time, &value);
	} else if (json_is(&type, "\"variable\"") && json_member(line, "name", &part) &&
		   json_member(line, "value", &value)) {
		if (!csv_is_table(&value))
			csv_put_rows(c, &time, &part, NULL, &value);
	} else if (json_is(&type, "\"entry\"") && json_member(line, "key", &key) &&
		   json_member(line, "value", &value)) {
		if (json_member(line, "name", &part) || json_member(line, "table", &part))
			csv_put_rows(c, &time, &part, &key, &value);
	} else if ((json_is(&type, "\"text\"") || json_is(&type, "\"cat\"") ||
		    json_is(&type, "\"system\"")) && json_member(line, "text", &part)) {
		csv_text(c, &time, &type, &part);
	}
	/* errors, losses and notes are on standard error */
}

void csv_add(struct csv *c, const char *data, size_t len)
{
	struct span line;

	while (json_add(&c->lines, &data, &len, &line)) {
		if (!c->no_memory)
			csv_line(c, &line);
	}
	c->no_memory |= c->lines.no_memory;
}

size_t csv_take(struct csv *c, char *to, size_t room)
{
	size_t n = c->len - c->at < room ? c->len - c->at : room;

	if (n)
		memcpy(to, c->text + c->at, n);
	c->at += n;
	if (c->at == c->len) {
		c->at = 0;
		c->len = 0;
	}
	return n;
}

void csv_free(struct csv *c)
{
	json_free(&c->lines);
	free(c->text);
	free(c->header);
}
