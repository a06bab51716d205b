// SPDX-License-Identifier: GPL-2.0
/*
 * ktap --live: the variables of a script, on one screen. Everything else that the script
 * prints is shown below. A file or a pipe gets the screens one after another.
 */
#include <ctype.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "compiler/clean_text.h"
#include "live.h"

#define LIVE_ROWS	20	/* rows of a table, and columns of its text, if it is no terminal */
#define LIVE_COLUMNS	120
#define LIVE_NUMBERS	28	/* columns of a number and its rate after a key */
#define LIVE_STATS	30	/* of average and maximum */
#define LIVE_KEY	12	/* least columns of a key */
#define LIVE_TEXT	6	/* lines of other text on a terminal */
#define MAX_TEXT	4096	/* bytes of this text that are kept */

static struct live *live_of(struct shown *shown)
{
	return (struct live *)((char *)shown - offsetof(struct live, shown));
}

static int64_t live_number(const struct span *object, const char *name)
{
	struct span value;

	return json_member(object, name, &value) ? strtoll(value.begin, NULL, 10) : 0;
}

/* Add a row for a number or an aggregation; other values have none. */
static void live_add_row(struct shown *shown, const struct span *key, const struct span *value)
{
	struct live *l = live_of(shown);
	struct live_rows *r = &l->now;
	struct live_row row = { .order = shown->order };
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
		shown_put_value(&text, key);
	text_put(&text, "", 1);
	row.name = strdup(shown->name);
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
	const char *text = l->shown.text.text, *end = text + l->shown.text.len, *p = end;
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
		l->shown.text.len = 0;
}

/* Number of rows of each variable that the screen has room for. */
static size_t live_room(const struct live *l, unsigned int height)
{
	size_t room = height > LIVE_TEXT + 2 ? height - LIVE_TEXT - 2 : 1;

	if (l->fd < 0)
		return LIVE_ROWS;
	room /= l->shown.order ? l->shown.order : 1;
	return room > 3 ? room - 2 : 1;
}

/* Everything is known: print it. */
static void live_show(struct shown *shown)
{
	struct live *l = live_of(shown);
	unsigned int columns = LIVE_COLUMNS, height = 24;
	struct live_rows *r = &l->now;
	struct winsize size;

	r->time = shown->time;
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
	l->screens++;
}

/* Keep other text for the next screen, its end if there is too much. */
static void live_keep_text(struct shown *shown)
{
	struct live *l = live_of(shown);
	struct text_buffer *text = &shown->text;
	size_t n;

	/* a file gets all of it */
	if (l->fd < 0 || text->len <= MAX_TEXT)
		return;
	n = text->len - MAX_TEXT;
	memmove(text->text, text->text + n, MAX_TEXT);
	text->len = MAX_TEXT;
}

static const struct shown_ops live_ops = {
	.value = live_add_row,
	.all = live_show,
	.text = live_keep_text,
};

void live_init(struct live *l, int fd)
{
	const char *term = getenv("TERM");

	l->shown.ops = &live_ops;
	l->fd = isatty(fd) && term && strcmp(term, "dumb") ? fd : -1;
}

void live_add(void *live, const char *data, size_t len)
{
	struct live *l = live;

	if (!shown_add(&l->shown, data, len))
		l->out.no_memory = true;
}

void live_free(struct live *l)
{
	shown_free(&l->shown);
	text_free(&l->out);
	live_free_rows(&l->now);
	live_free_rows(&l->before);
}
