// SPDX-License-Identifier: GPL-2.0
/*
 * ktap --live: the variables of a script, on one screen.
 *
 * A tick and a trace_end are added to the script. They print each global variable of the
 * script after the word "ktap:live", and then this word alone: then all values are known,
 * and the screen is drawn. Everything else that the script prints is shown below. A file or
 * a pipe gets the screens one after another.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "compiler/chunk_read.h"
#include "compiler/clean_text.h"
#include "live.h"

#define LIVE_WORD	"ktap:live"
#define LIVE_ROWS	20	/* rows of a table, and columns of its text, if it is no terminal */
#define LIVE_COLUMNS	120
#define LIVE_NUMBERS	28	/* columns of a number and its rate after a key */
#define LIVE_STATS	30	/* of average and maximum */
#define LIVE_KEY	12	/* least columns of a key */
#define LIVE_TEXT	6	/* lines of other text on a terminal */
#define MAX_TEXT	4096	/* bytes of this text that are kept */

static bool live_is_name(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Does the script itself, and not only an included one, have this name? */
static bool live_names(const char *text, size_t len, const char *name, size_t name_len)
{
	for (size_t i = 0; i + name_len <= len; i++) {
		if (!memcmp(text + i, name, name_len) && (!i || !live_is_name(text[i - 1])) &&
		    (i + name_len == len || !live_is_name(text[i + name_len])))
			return true;
	}
	return false;
}

static bool live_is_variable(const char *name, size_t len)
{
	if (!len || len >= sizeof(((struct live *)NULL)->name) ||
	    isdigit((unsigned char)*name))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (!live_is_name(name[i]))
			return false;
	}
	return true;
}

char *live_script(const char *text, size_t len, const void *data, size_t data_len,
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

		if (live_is_variable(name, name_len) && live_names(text, len, name, name_len))
			text_printf(&t, "\tprint(\"" LIVE_WORD "\", \"%.*s\", %.*s)\n", n, name, n,
				    name);
	}
	text_printf(&t, "\tprint(\"" LIVE_WORD "\")\n}\ntick-%llus { ktap_live_show() }\n"
		    "trace_end { ktap_live_show() }\n", (unsigned long long)seconds);
	if (t.no_memory) {
		text_free(&t);
		return NULL;
	}
	*new_len = t.len;
	return t.text;
}

void live_init(struct live *l, int fd)
{
	const char *term = getenv("TERM");

	l->fd = isatty(fd) && term && strcmp(term, "dumb") ? fd : -1;
}

/* Append a value as text on one line. */
static void live_put_value(struct text_buffer *t, const struct span *value)
{
	const char *p = value->begin + 1, *end = value->end - 1;
	struct span part;
	char text[4];

	if (*value->begin == '[') {
		for (bool first = true; json_next(&p, value->end, &part); first = false) {
			text_puts(t, first ? "" : ", ");
			live_put_value(t, &part);
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

static int64_t live_number(const struct span *object, const char *name)
{
	struct span value;

	return json_member(object, name, &value) ? strtoll(value.begin, NULL, 10) : 0;
}

/* Add a row for a number or an aggregation; other values have none. */
static void live_add_row(struct live *l, const struct span *key, const struct span *value)
{
	struct live_rows *r = &l->now;
	struct live_row row = { .order = l->order };
	struct text_buffer text = { 0 };
	struct span count;

	if (*value->begin == '{') {
		if (!json_member(value, "count", &count))
			return;
		row.aggregation = true;
		row.count = live_number(value, "count");
		row.stats[0] = live_number(value, "avg");
		row.stats[1] = live_number(value, "max");
	} else if (*value->begin == '-' || isdigit((unsigned char)*value->begin)) {
		row.count = strtoll(value->begin, NULL, 10);
	} else {
		return;
	}
	if (r->n == r->size) {
		size_t size = r->size ? 2 * r->size : 64;
		struct live_row *rows = realloc(r->rows, size * sizeof(*rows));

		if (!rows) {
			l->out.no_memory = true;
			return;
		}
		r->rows = rows;
		r->size = size;
	}
	if (key)
		live_put_value(&text, key);
	text_put(&text, "", 1);
	row.name = strdup(l->name);
	row.key = text.text;
	if (text.no_memory || !row.name) {
		l->out.no_memory = true;
		free(row.name);
		text_free(&text);
		return;
	}
	r->rows[r->n++] = row;
}

static int live_compare_keys(const void *a, const void *b)
{
	const struct live_row *x = a, *y = b;
	int c = strcmp(x->name, y->name);

	return c ? c : strcmp(x->key, y->key);
}

static int live_compare_counts(const void *a, const void *b)
{
	const struct live_row *x = a, *y = b;

	if (x->order != y->order)
		return x->order < y->order ? -1 : 1;
	if (x->count != y->count)
		return x->count > y->count ? -1 : 1;
	return strcmp(x->key, y->key);
}

static void live_free_rows(struct live_rows *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->rows[i].name);
		free(r->rows[i].key);
	}
	free(r->rows);
	memset(r, 0, sizeof(*r));
}

/* Print a line that was made at @begin, as far as it fits, and end it. */
static void live_end_line(struct live *l, size_t begin, unsigned int columns)
{
	size_t at = begin;

	for (unsigned int n = 0; at < l->out.len && n < columns; n++)
		at += utf8_length((unsigned char *)l->out.text + at, l->out.len - at);
	if (at < l->out.len && !l->out.no_memory)
		l->out.len = at;
	text_puts(&l->out, l->fd >= 0 ? "\033[K\n" : "\n");
}

/* The change of a row in each second; a smaller number has begun again at 0. */
static double live_rate(const struct live *l, const struct live_row *row)
{
	const struct live_row *old = l->before.n ?
		bsearch(row, l->before.rows, l->before.n, sizeof(*row), live_compare_keys) : NULL;
	uint64_t time = l->now.time - l->before.time;
	double change = row->count;

	if (old && old->count <= row->count)
		change -= old->count;
	return time ? change * 1e9 / time : 0;
}

/* Print a key in @width columns, cut if it is longer. */
static void live_put_key(struct live *l, const char *key, unsigned int width)
{
	size_t left = strlen(key), n;
	unsigned int column = 0;

	for (; left && column < width; column++) {
		n = utf8_length((const unsigned char *)key, left);
		text_put(&l->out, key, n);
		key += n;
		left -= n;
	}
	for (; column < width; column++)
		text_puts(&l->out, " ");
}

static void live_put_row(struct live *l, const struct live_row *row, unsigned int columns)
{
	unsigned int others = LIVE_NUMBERS + (row->aggregation ? LIVE_STATS : 0);
	unsigned int width = columns > others + LIVE_KEY ? columns - others : LIVE_KEY;
	size_t begin = l->out.len;

	if (*row->key) {
		text_puts(&l->out, "  ");
		live_put_key(l, row->key, width - 2);
	} else {
		live_put_key(l, row->name, width);
	}
	text_printf(&l->out, " %14lld", (long long)row->count);
	if (l->screens)
		text_printf(&l->out, " %10.1f/s", live_rate(l, row));
	else if (row->aggregation)
		text_printf(&l->out, "%13s", "");
	if (row->aggregation)
		text_printf(&l->out, "  avg %lld, max %lld", (long long)row->stats[0],
			    (long long)row->stats[1]);
	live_end_line(l, begin, columns);
}

/* Print the rows of a variable, at most @most; returns their number. */
static size_t live_put_variable(struct live *l, const struct live_row *rows, size_t left,
				size_t most, unsigned int columns)
{
	size_t n = 1, begin = l->out.len;

	while (n < left && rows[n].order == rows->order)
		n++;
	if (*rows->key) {
		text_printf(&l->out, "%s: %zu", rows->name, n);
		live_end_line(l, begin, columns);
	}
	for (size_t i = 0; i < n && i < most; i++)
		live_put_row(l, &rows[i], columns);
	if (n > most) {
		begin = l->out.len;
		text_printf(&l->out, "  ... and %zu more", n - most);
		live_end_line(l, begin, columns);
	}
	return n;
}

/* Print other text: all of it, or its last lines on a terminal. */
static void live_put_text(struct live *l, unsigned int columns)
{
	const char *text = l->text.text, *end = text + l->text.len, *p = end;
	size_t lines = 0, begin;

	if (!text)
		return;
	if (l->fd >= 0) {
		while (p > text && (p[-1] != '\n' || lines++ < LIVE_TEXT))
			p--;
	} else {
		p = text;
	}
	while (p < end) {
		const char *newline = memchr(p, '\n', end - p);

		begin = l->out.len;
		text_put(&l->out, p, (newline ? newline : end) - p);
		live_end_line(l, begin, l->fd >= 0 ? columns : -1U);
		p = newline ? newline + 1 : end;
	}
	/* a terminal shows it until there is other text */
	if (l->fd < 0)
		l->text.len = 0;
}

/* Number of rows of each variable that the screen has room for. */
static size_t live_room(const struct live *l, unsigned int height)
{
	size_t room = height > LIVE_TEXT + 2 ? height - LIVE_TEXT - 2 : 1;

	if (l->fd < 0)
		return LIVE_ROWS;
	room /= l->order ? l->order : 1;
	return room > 3 ? room - 2 : 1;
}

/* Everything is known: print it. */
static void live_show(struct live *l)
{
	unsigned int columns = LIVE_COLUMNS, height = 24;
	struct live_rows *r = &l->now;
	struct winsize size;

	if (l->fd >= 0) {
		if (!ioctl(l->fd, TIOCGWINSZ, &size) && size.ws_col && size.ws_row) {
			columns = size.ws_col;
			height = size.ws_row;
		}
		text_puts(&l->out, l->screens ? "\033[H" : "\033[2J\033[H");
	} else if (l->screens) {
		text_puts(&l->out, "\n");
	}
	if (r->n)
		qsort(r->rows, r->n, sizeof(*r->rows), live_compare_counts);
	for (size_t i = 0; i < r->n;)
		i += live_put_variable(l, r->rows + i, r->n - i, live_room(l, height), columns);
	live_put_text(l, columns);
	if (l->fd >= 0)
		text_puts(&l->out, "\033[J");
	if (r->n)
		qsort(r->rows, r->n, sizeof(*r->rows), live_compare_keys);
	live_free_rows(&l->before);
	l->before = *r;
	memset(r, 0, sizeof(*r));
	l->order = 0;
	l->screens++;
}

/* A line of print() that live_script() has added; false: it is another one. */
static bool live_print(struct live *l, uint64_t time, const struct span *values)
{
	const char *pos = values->begin + 1;
	struct text_buffer name = { 0 };
	struct span value, number;

	if (!json_next(&pos, values->end, &value) || !json_is(&value, "\"" LIVE_WORD "\""))
		return false;
	l->now.time = time;
	if (!json_next(&pos, values->end, &value)) {
		live_show(l);
		return true;
	}
	live_put_value(&name, &value);
	snprintf(l->name, sizeof(l->name), "%.*s", (int)name.len, name.len ? name.text : "");
	text_free(&name);
	l->order++;
	l->table[0] = '\0';
	if (!json_next(&pos, values->end, &value))
		return true;
	if (*value.begin == '{' && json_member(&value, "table", &number))
		snprintf(l->table, sizeof(l->table), "%.*s", (int)(number.end - number.begin),
			 number.begin);
	else
		live_add_row(l, NULL, &value);
	return true;
}

/* Keep other text for the next screen, its end if there is too much. */
static void live_keep(struct live *l, const struct span *value, bool line)
{
	size_t n;

	if (*value->begin == '"') {
		const char *p = value->begin + 1, *end = value->end - 1;
		char text[4];

		while (p < end) {
			n = json_character(&p, end, text);
			text_put(&l->text, text, n);
		}
	} else {
		live_put_value(&l->text, value);
	}
	if (line)
		text_puts(&l->text, "\n");
	/* a file gets all of it */
	if (l->fd < 0 || l->text.len <= MAX_TEXT)
		return;
	n = l->text.len - MAX_TEXT;
	memmove(l->text.text, l->text.text + n, MAX_TEXT);
	l->text.len = MAX_TEXT;
}

static void live_line(struct live *l, const struct span *line)
{
	struct span time, type, value, key, table;

	if (!json_member(line, "time", &time) || !json_member(line, "type", &type))
		return;
	if (json_is(&type, "\"entry\"") && json_member(line, "table", &table) &&
	    json_member(line, "key", &key) && json_member(line, "value", &value)) {
		if (*l->table && json_is(&table, l->table)) {
			live_add_row(l, &key, &value);
		} else {
			live_keep(l, &key, false);
			text_puts(&l->text, ": ");
			live_keep(l, &value, true);
		}
	} else if (json_member(line, "values", &value)) {
		if (!live_print(l, strtoull(time.begin, NULL, 10), &value))
			live_keep(l, &value, true);
	} else if ((json_is(&type, "\"text\"") || json_is(&type, "\"cat\"") ||
		    json_is(&type, "\"system\"")) && json_member(line, "text", &value)) {
		live_keep(l, &value, false);
	}
}

void live_add(void *live, const char *data, size_t len)
{
	struct live *l = live;
	struct span line;

	while (json_add(&l->lines, &data, &len, &line))
		live_line(l, &line);
	l->out.no_memory |= l->lines.no_memory | l->text.no_memory;
}

void live_free(struct live *l)
{
	json_free(&l->lines);
	text_free(&l->out);
	text_free(&l->text);
	live_free_rows(&l->now);
	live_free_rows(&l->before);
}
