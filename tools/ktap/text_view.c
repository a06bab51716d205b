// SPDX-License-Identifier: GPL-2.0
/*
 * Text from lines of JSON. It is the text that the kernel makes of the same values, as far
 * as the lines have what is needed: rows of a chart that have no values are left out, and
 * entries of tables in tables have all their keys on one line.
 *
 * Nothing marks the end of a table. So what is printed after its first line is held back,
 * until a line about another table, the end, or a pause. Its entries have come until then:
 * those of one table follow each other, except for lines of handlers among them.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text_view.h"

#define VIEW_BAR	23	/* columns of the longest bar */
#define VIEW_MIN_KEY	10
#define VIEW_MAX_KEY	48
#define VIEW_MAX_HELD	65536	/* bytes */

static void view_put_value(struct text_buffer *t, const struct span *value);

static void view_put_span(struct text_buffer *t, const struct span *s)
{
	text_put(t, s->begin, s->end - s->begin);
}

/* A string of JSON as it is; control characters become '?', as in a script's terminal. */
static void view_put_string(struct text_buffer *t, const struct span *value)
{
	const char *p = value->begin + 1, *end = value->end - 1;
	char text[4];

	while (p < end) {
		size_t n = json_character(&p, end, text);

		text_put(t, text, n);
	}
}

/* A stack has each frame on a line of its own; other arrays have numbers. */
static void view_put_array(struct text_buffer *t, const struct span *value)
{
	const char *pos = value->begin + 1;
	bool first = true, stack = value->end - pos > 1 && *pos == '"';
	struct span part;

	if (!stack)
		text_puts(t, "{");
	for (; json_next(&pos, value->end, &part); first = false) {
		if (stack && t->len && t->text[t->len - 1] != '\n')
			text_puts(t, "\n");
		text_puts(t, stack ? "        " : first ? "" : ", ");
		view_put_value(t, &part);
	}
	if (!stack)
		text_puts(t, "}");
}

/* Put a row of a chart, whose numbers add up to @sum. */
static void view_put_row(struct text_buffer *t, const char *key, int width, double sum,
			 const struct span *number)
{
	double bar = sum > 0 ? strtod(number->begin, NULL) * VIEW_BAR / sum : 0;
	int len = bar >= VIEW_BAR ? VIEW_BAR : bar > 0 ? (int)bar : 0;

	text_printf(t, "\n%*s |%.*s%*s", width, key, len, "@@@@@@@@@@@@@@@@@@@@@@@",
		    VIEW_BAR - len + 1, "");
	view_put_span(t, number);
}

static void view_put_title(struct text_buffer *t, int width)
{
	text_printf(t, "%*svalue ----- Distribution ----- count", width - 5, "");
}

/* The name of a row: the number where it begins, or "< N". */
static void view_bucket_name(const struct span *bucket, char *name, size_t size)
{
	struct span part;

	*name = '\0';
	if (json_member(bucket, "below", &part))
		snprintf(name, size, "< %.*s", (int)(part.end - part.begin), part.begin);
	else if (json_member(bucket, "from", &part))
		snprintf(name, size, "%.*s", (int)(part.end - part.begin), part.begin);
}

/* The chart of a histogram */
static void view_put_buckets(struct text_buffer *t, const struct span *buckets)
{
	const char *pos = buckets->begin + 1;
	struct span bucket, count;
	int width = VIEW_MIN_KEY;
	double sum = 0;
	char name[32];

	while (json_next(&pos, buckets->end, &bucket)) {
		view_bucket_name(&bucket, name, sizeof(name));
		if ((int)strlen(name) > width)
			width = strlen(name);
		if (json_member(&bucket, "count", &count))
			sum += strtod(count.begin, NULL);
	}
	view_put_title(t, width);
	pos = buckets->begin + 1;
	while (json_next(&pos, buckets->end, &bucket)) {
		view_bucket_name(&bucket, name, sizeof(name));
		if (json_member(&bucket, "count", &count))
			view_put_row(t, name, width, sum, &count);
	}
}

static void view_put_object(struct text_buffer *t, const struct span *value)
{
	static const char * const names[] = { "count", "sum", "min", "max", "avg" };
	struct span part;

	if (json_member(value, "buckets", &part)) {
		view_put_buckets(t, &part);
		return;
	}
	if (json_member(value, "omitted", &part)) {
		text_puts(t, "{...}");
		return;
	}
	if (!json_member(value, "count", &part)) {
		text_puts(t, "{}");
		return;
	}
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!json_member(value, names[i], &part))
			continue;
		text_printf(t, "%s%s ", i ? ", " : "", names[i]);
		view_put_span(t, &part);
	}
}

/* Put a value that is no table with entries. */
static void view_put_value(struct text_buffer *t, const struct span *value)
{
	switch (*value->begin) {
	case '"':
		view_put_string(t, value);
		break;
	case '[':
		view_put_array(t, value);
		break;
	case '{':
		view_put_object(t, value);
		break;
	default:
		if (json_is(value, "null"))
			text_puts(t, "nil");
		else
			view_put_span(t, value);
	}
}

static void view_put_key(struct text_buffer *t, const struct span *key)
{
	const char *pos = key->begin + 1;
	struct span part;

	for (bool first = true; json_next(&pos, key->end, &part); first = false) {
		text_puts(t, first ? "" : ", ");
		view_put_value(t, &part);
	}
}

static bool view_is_chart(const struct span *value)
{
	struct span part;

	return *value->begin == '{' && json_member(value, "buckets", &part);
}

static bool view_is_table(const struct span *value)
{
	struct span part;

	return *value->begin == '{' && json_member(value, "table", &part);
}

/* Does the value have entries, which follow it? Their number goes to @v. */
static bool view_has_entries(struct text_view *v, const struct span *value)
{
	struct span part;

	if (*value->begin != '{' || !json_member(value, "table", &part))
		return false;
	snprintf(v->table, sizeof(v->table), "%.*s", (int)(part.end - part.begin), part.begin);
	return true;
}

/* Where the text of other lines goes */
static struct text_buffer *view_text(struct text_view *v)
{
	return v->kind == TEXT_VIEW_NONE ? &v->out : &v->held;
}

/* The entries of a table will come. */
static void view_open(struct text_view *v, enum text_view_kind kind)
{
	v->kind = kind;
	v->opened = v->times ? v->times->time : 0;
}

/* print(): values up to a table; those after it wait for its entries. */
static void view_print(struct text_view *v, const struct span *values)
{
	const char *pos = values->begin + 1;
	struct text_buffer *t = view_text(v);
	struct span value;
	bool table = false;

	for (bool first = true; json_next(&pos, values->end, &value); first = false) {
		text_puts(t, first ? "" : "\t");
		if (!view_is_table(&value)) {
			view_put_value(t, &value);
		} else if (!table) {
			table = true;
			text_view_flush(v);
			view_has_entries(v, &value);
			view_open(v, TEXT_VIEW_PRINT);
			/* it continues the line of the last entry */
			v->after_mark.inside = true;
			t = &v->after;
		}
	}
	text_puts(t, "\n");
}

/* The number of a row; that of an aggregation is its sum. */
static bool view_number(const struct text_view_row *row, struct span *number)
{
	const struct span value = { row->value, row->value + strlen(row->value) };

	*number = value;
	if (*row->value == '{')
		return json_member(&value, "sum", number) || json_member(&value, "count", number);
	return *row->value == '-' || isdigit((unsigned char)*row->value);
}

/* Its lines have the time of the call that prints it. */
static void view_put_chart(struct text_view *v)
{
	int64_t now = v->times ? v->times->time : 0;
	int width = VIEW_MIN_KEY;
	struct span number;
	double sum = 0;

	for (size_t i = 0; i < v->entries; i++) {
		if (!view_number(&v->rows[i], &number))
			continue;
		if ((int)strlen(v->rows[i].key) > width)
			width = strlen(v->rows[i].key);
		if (*number.begin != '-')
			sum += strtod(number.begin, NULL);
	}
	view_put_title(&v->out, width);
	for (size_t i = 0; i < v->entries; i++) {
		if (view_number(&v->rows[i], &number))
			view_put_row(&v->out, v->rows[i].key, width, sum, &number);
	}
	if (v->times) {
		v->times->time = v->opened;
		line_times_insert(v->times, &v->out, &v->out_mark);
		v->times->time = now;
	}
}

/* Put times before the lines that have been begun. */
static void view_put_times(struct text_view *v)
{
	if (!v->times)
		return;
	line_times_insert(v->times, &v->out, &v->out_mark);
	line_times_insert(v->times, &v->after, &v->after_mark);
	line_times_insert(v->times, &v->held, &v->held_mark);
}

/* Move to the finished text what has its times already. */
static void view_move(struct text_view *v, struct text_buffer *from, struct line_times_mark *mark)
{
	if (!from->len)
		return;
	text_put(&v->out, from->text, from->len);
	v->out_mark.inside = from->text[from->len - 1] != '\n';
	from->len = 0;
	*mark = (struct line_times_mark){ 0 };
}

void text_view_flush(struct text_view *v)
{
	/* what was finished before may have been taken */
	if (v->out_mark.at > v->out.len)
		v->out_mark.at = v->out.len;
	if (v->kind == TEXT_VIEW_CHART)
		view_put_chart(v);
	for (size_t i = 0; v->kind == TEXT_VIEW_CHART && i < v->entries; i++) {
		free(v->rows[i].key);
		free(v->rows[i].value);
	}
	if (v->kind == TEXT_VIEW_CHART || v->kind == TEXT_VIEW_VARIABLE)
		text_puts(&v->out, "\n");
	v->kind = TEXT_VIEW_NONE;
	v->entries = 0;
	view_put_times(v);
	view_move(v, &v->after, &v->after_mark);
	view_move(v, &v->held, &v->held_mark);
	v->out_mark.at = v->out.len;
}

static void view_print_hist(struct text_view *v, const struct span *values)
{
	const char *pos = values->begin + 1;
	struct span value;

	text_view_flush(v);
	if (!json_next(&pos, values->end, &value))
		return;
	if (view_has_entries(v, &value)) {
		view_open(v, TEXT_VIEW_CHART);
		return;
	}
	if (json_is(&value, "{}"))
		view_put_title(&v->out, VIEW_MIN_KEY);
	else
		view_put_value(&v->out, &value);
	text_puts(&v->out, "\n");
}

static void view_variable(struct text_view *v, const struct span *name, const struct span *value)
{
	text_view_flush(v);
	view_put_string(&v->out, name);
	text_puts(&v->out, ":");
	if (view_has_entries(v, value)) {
		view_open(v, TEXT_VIEW_VARIABLE);
		return;
	}
	text_puts(&v->out, view_is_chart(value) ? "\n" : " ");
	view_put_value(&v->out, value);
	text_puts(&v->out, "\n");
}

/* Keep the entry for the chart; keys are on one line, and not long. */
static void view_add_row(struct text_view *v, const struct span *key, const struct span *value)
{
	struct text_buffer text = { 0 };
	struct text_view_row *row;

	if (v->entries == v->size) {
		size_t size = v->size ? 2 * v->size : 64;
		struct text_view_row *rows = realloc(v->rows, size * sizeof(*rows));

		if (!rows) {
			v->out.no_memory = true;
			return;
		}
		v->rows = rows;
		v->size = size;
	}
	view_put_key(&text, key);
	for (size_t i = 0; i < text.len; i++) {
		if (text.text[i] == '\n')
			text.text[i] = ' ';
	}
	row = &v->rows[v->entries];
	row->key = text.len > VIEW_MAX_KEY ? malloc(VIEW_MAX_KEY + 1) :
		   strndup(text.len ? text.text : "", text.len);
	row->value = strndup(value->begin, value->end - value->begin);
	if (row->key && text.len > VIEW_MAX_KEY)
		snprintf(row->key, VIEW_MAX_KEY + 1, "%.*s...", VIEW_MAX_KEY - 3, text.text);
	text_free(&text);
	if (row->key && row->value) {
		v->entries++;
		return;
	}
	free(row->key);
	free(row->value);
	v->out.no_memory = true;
}

static void view_entry(struct text_view *v, const struct span *table, const struct span *key,
		       const struct span *value)
{
	if (v->kind != TEXT_VIEW_NONE && !json_is(table, v->table))
		text_view_flush(v);
	if (v->kind == TEXT_VIEW_CHART) {
		view_add_row(v, key, value);
		return;
	}
	if (v->entries++ || v->kind == TEXT_VIEW_VARIABLE)
		text_puts(&v->out, v->kind == TEXT_VIEW_NONE ? "" : "\n");
	text_puts(&v->out, v->kind == TEXT_VIEW_VARIABLE ? "  " : "");
	view_put_key(&v->out, key);
	text_puts(&v->out, view_is_chart(value) ? ":\n" : ": ");
	view_put_value(&v->out, value);
	/* a second table of one print(), or an entry that came late */
	if (v->kind == TEXT_VIEW_NONE)
		text_puts(&v->out, "\n");
}

static void view_line(struct text_view *v, const struct span *line)
{
	struct span type, part, key, value;

	/* what was finished before may have been taken */
	v->out_mark.at = v->out.len;
	if (!json_member(line, "type", &type))
		return;
	if (v->times && json_member(line, "time", &part))
		v->times->time = strtoll(part.begin, NULL, 10);
	if (json_is(&type, "\"print\"") && json_member(line, "values", &value)) {
		view_print(v, &value);
	} else if (json_is(&type, "\"print_hist\"") && json_member(line, "values", &value)) {
		view_print_hist(v, &value);
	} else if (json_is(&type, "\"variable\"") && json_member(line, "name", &part) &&
		   json_member(line, "value", &value)) {
		view_variable(v, &part, &value);
	} else if (json_is(&type, "\"entry\"") && json_member(line, "table", &part) &&
		   json_member(line, "key", &key) && json_member(line, "value", &value)) {
		view_entry(v, &part, &key, &value);
	} else if ((json_is(&type, "\"text\"") || json_is(&type, "\"cat\"") ||
		    json_is(&type, "\"system\"")) && json_member(line, "text", &part) &&
		   *part.begin == '"') {
		view_put_string(view_text(v), &part);
	}
	/* errors, losses and notes are on standard error */
	view_put_times(v);
	if (v->held.len > VIEW_MAX_HELD)
		text_view_flush(v);
}

void text_view_add(void *view, const char *data, size_t len)
{
	struct text_view *v = view;
	struct span line;

	while (json_add(&v->lines, &data, &len, &line))
		view_line(v, &line);
	v->out.no_memory |= v->lines.no_memory;
}

void text_view_free(struct text_view *v)
{
	text_view_flush(v);
	json_free(&v->lines);
	text_free(&v->after);
	text_free(&v->held);
	text_free(&v->out);
	free(v->rows);
	memset(v, 0, sizeof(*v));
}
