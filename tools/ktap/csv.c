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

static void csv_put_string(struct csv *c, const char *p, const char *end)
{
	char text[4];

	while (p < end) {
		size_t n = json_character(&p, end, text);

		text_put(&c->out, text, n);
		if (*text == '"')
			text_puts(&c->out, "\"");
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
				text_puts(&c->out, ";");
			csv_put_bare(c, &part);
		}
		break;
	case '{':
		if (json_member(value, "table", &part)) {
			text_puts(&c->out, "table ");
			text_put(&c->out, part.begin, part.end - part.begin);
		} else if (json_member(value, "omitted", &part)) {
			text_puts(&c->out, "...");
		} else {
			for (const char *p = value->begin; p < value->end; p++)
				text_put(&c->out, *p == '"' ? "\"\"" : p, 1 + (*p == '"'));
		}
		break;
	default:
		if (!json_is(value, "null"))
			text_put(&c->out, value->begin, value->end - value->begin);
	}
}

/* Put the field of a value, quoted if it must be. */
static void csv_put_field(struct csv *c, const struct span *value)
{
	size_t begin = c->out.len, len;
	/* An empty string, unlike nil */
	bool quoted = value && value->end - value->begin == 2 && *value->begin == '"';

	text_puts(&c->out, ",\"");
	if (value)
		csv_put_bare(c, value);
	if (c->out.no_memory)
		return;
	len = c->out.len - begin - 2;
	for (size_t i = 0; i < len && !quoted; i++)
		quoted = !!memchr("\",\n\r", c->out.text[begin + 2 + i], 4);
	if (quoted) {
		text_puts(&c->out, "\"");
		return;
	}
	memmove(c->out.text + begin + 1, c->out.text + begin + 2, len);
	c->out.len--;
}

/* The text from @begin on is the header of the next row: keep it if it is a new one. */
static void csv_header(struct csv *c, size_t begin)
{
	size_t len = c->out.len - begin;
	char *header;

	if (c->out.no_memory)
		return;
	if (c->header && c->header_size == len && !memcmp(c->header, c->out.text + begin, len)) {
		c->out.len = begin;
		return;
	}
	header = malloc(len + 1);
	if (!header) {
		c->out.no_memory = true;
		return;
	}
	memcpy(header, c->out.text + begin, len);
	c->out.len = begin;
	if (c->header)
		text_puts(&c->out, "\n");
	text_put(&c->out, header, len);
	text_puts(&c->out, "\n");
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
		text_puts(&c->out, ",value");
	} else if (shape == CSV_BUCKETS) {
		text_puts(&c->out, ",bucket,count");
	} else {
		for (size_t i = 0; i < CSV_COLUMNS; i++) {
			text_puts(&c->out, ",");
			text_puts(&c->out, csv_columns[i]);
		}
	}
}

/* The fields before the value: time, name of the variable or table, parts of the key */
static void csv_put_front(struct csv *c, const struct span *time, const struct span *name,
			  const struct span *key)
{
	const char *pos = key ? key->begin + 1 : NULL;
	struct span part;

	text_put(&c->out, time->begin, time->end - time->begin);
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
	size_t begin = c->out.len;
	char column[32];
	int n = 0;

	text_puts(&c->out, "time,name");
	while (key && json_next(&pos, key->end, &part)) {
		snprintf(column, sizeof(column), ",key%d", ++n);
		text_puts(&c->out, column);
	}
	csv_put_shape(c, shape);
	csv_header(c, begin);
	if (shape != CSV_BUCKETS) {
		csv_put_front(c, time, name, key);
		if (shape == CSV_VALUE)
			csv_put_field(c, value);
		for (size_t i = 0; shape == CSV_AGGREGATION && i < CSV_COLUMNS; i++)
			csv_put_field(c, json_member(value, csv_columns[i], &part) ? &part : NULL);
		text_puts(&c->out, "\n");
		return;
	}
	json_member(value, "buckets", &buckets);
	pos = buckets.begin + 1;
	while (json_next(&pos, buckets.end, &bucket)) {
		csv_put_front(c, time, name, key);
		if (json_member(&bucket, "below", &part)) {
			text_puts(&c->out, ",<");
			text_put(&c->out, part.begin, part.end - part.begin);
		} else {
			csv_put_field(c, json_member(&bucket, "from", &part) ? &part : NULL);
		}
		csv_put_field(c, json_member(&bucket, "count", &part) ? &part : NULL);
		text_puts(&c->out, "\n");
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
	size_t begin = c->out.len;
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
	text_puts(&c->out, "time");
	for (int i = 0; i < n; i++) {
		snprintf(column, sizeof(column), ",value%d", i + 1);
		text_puts(&c->out, column);
	}
	csv_header(c, begin);
	text_put(&c->out, time->begin, time->end - time->begin);
	pos = values->begin + 1;
	while (json_next(&pos, values->end, &value))
		csv_put_field(c, &value);
	text_puts(&c->out, "\n");
}

/* Text of the script, a file or a command, without a newline at its end */
static void csv_text(struct csv *c, const struct span *time, const struct span *type,
		     const struct span *text)
{
	struct span shown = *text;
	size_t begin = c->out.len, len = text->end - text->begin;

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
	text_puts(&c->out, "time,");
	text_put(&c->out, type->begin + 1, type->end - type->begin - 2);
	csv_header(c, begin);
	text_put(&c->out, time->begin, time->end - time->begin);
	csv_put_field(c, &shown);
	text_puts(&c->out, "\n");
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

void csv_add(void *csv, const char *data, size_t len)
{
	struct csv *c = csv;
	struct span line;

	while (json_add(&c->lines, &data, &len, &line)) {
		if (!c->out.no_memory)
			csv_line(c, &line);
	}
	c->out.no_memory |= c->lines.no_memory;
}

void csv_free(struct csv *c)
{
	json_free(&c->lines);
	text_free(&c->out);
	free(c->header);
}
