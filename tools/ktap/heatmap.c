// SPDX-License-Identifier: GPL-2.0
/*
 * ktap --heatmap: the histograms of a script over time.
 *
 * The script shows its histograms in each interval. The numbers that were added to a row since
 * the last time are a cell, which is darker the more there are. There is a column for each
 * interval, and a row for each row of the histogram from the first to the last that has values.
 * If there are more columns than fit, each of the drawing has several of them.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heatmap.h"
#include "svg.h"

#define MAX_MAPS	64
#define MAX_ROWS	200	/* with those that are empty */
#define MAX_COLUMNS	300	/* of a drawing */
#define TEXT_COLUMNS	64
#define LEVELS		9

#define WIDTH		1200
#define MARGIN		10
#define TITLE		30	/* height of the title */
#define NAME		24	/* height of the name of a map */
#define ROW		14
#define LABEL		150	/* width of the names of the rows */

static struct heatmap *heatmap_of(struct shown *shown)
{
	return (struct heatmap *)((char *)shown - offsetof(struct heatmap, shown));
}

/* Grow an array that has @n elements and room for them up to a power of 2. */
static void *heatmap_grow(struct heatmap *h, void *array, size_t n, size_t element)
{
	void *new;

	if (n && (n < 8 || n & (n - 1)))
		return array;
	new = realloc(array, (n < 8 ? 8 : 2 * n) * element);
	if (!new)
		h->no_memory = true;
	return new;
}

/* The map of this name, a new one if there is none; NULL if it is left out. */
static struct heat_map *heatmap_find(struct heatmap *h, const char *name)
{
	struct heat_map *maps;

	for (size_t i = 0; i < h->n; i++) {
		if (!strcmp(h->maps[i].name, name))
			return &h->maps[i];
	}
	if (h->n == MAX_MAPS) {
		h->omitted++;
		return NULL;
	}
	maps = heatmap_grow(h, h->maps, h->n, sizeof(*maps));
	if (!maps)
		return NULL;
	h->maps = maps;
	maps[h->n] = (struct heat_map){ .name = strdup(name) };
	if (!maps[h->n].name) {
		h->no_memory = true;
		return NULL;
	}
	return &maps[h->n++];
}

static struct heat_row *heatmap_row(struct heatmap *h, struct heat_map *map, int64_t from)
{
	struct heat_row *rows;
	size_t at = 0;

	while (at < map->nrows && map->rows[at].from < from)
		at++;
	if (at < map->nrows && map->rows[at].from == from)
		return &map->rows[at];
	rows = heatmap_grow(h, map->rows, map->nrows, sizeof(*rows));
	if (!rows)
		return NULL;
	map->rows = rows;
	memmove(&rows[at + 1], &rows[at], (map->nrows - at) * sizeof(*rows));
	rows[at] = (struct heat_row){ .from = from };
	map->nrows++;
	return &rows[at];
}

static bool heatmap_is_power(int64_t from)
{
	uint64_t n = from < 0 ? -(uint64_t)from : (uint64_t)from;

	return !(n & (n - 1));
}

/* The smallest number of the next row of a histogram whose rows double */
static int64_t heatmap_double(int64_t from)
{
	if (from < -1)
		return from / 2;
	return from < 1 ? from + 1 : from * 2;
}

static uint64_t heatmap_common_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

/*
 * Add the empty rows between others, which the output leaves out. If all rows begin with
 * powers of 2, they double; otherwise they are of the largest size that fits them, unless
 * that makes too many, as for hist(3) with its rows of different sizes. Return false
 * without memory.
 */
static bool heatmap_add_empty_rows(struct heatmap *h, struct heat_map *map)
{
	size_t first = map->nrows && map->rows[0].from == INT64_MIN, i;
	uint64_t size = 0;
	bool doubles = true;

	for (i = first; i < map->nrows; i++) {
		doubles &= heatmap_is_power(map->rows[i].from);
		if (i > first)
			size = heatmap_common_divisor(size, (uint64_t)map->rows[i].from -
						      map->rows[i - 1].from);
	}
	if (!size || (!doubles && ((uint64_t)map->rows[map->nrows - 1].from -
				   map->rows[first].from) / size >= MAX_ROWS))
		return true;
	for (i = first; i + 1 < map->nrows; i++) {
		int64_t from = map->rows[i].from;

		from = doubles ? heatmap_double(from) : (int64_t)(from + size);
		if (from < map->rows[i + 1].from && !heatmap_row(h, map, from))
			return false;
	}
	return true;
}

/* @count: that of the row since the histogram began, or was cleared */
static void heatmap_add_count(struct heatmap *h, struct heat_map *map, int64_t from,
			      uint64_t count)
{
	struct heat_row *row = heatmap_row(h, map, from);
	struct heat_cell *cells;
	uint64_t before;

	if (!row)
		return;
	before = row->count > count ? 0 : row->count;
	row->count = count;
	if (count == before)
		return;
	cells = heatmap_grow(h, map->cells, map->n, sizeof(*cells));
	if (!cells)
		return;
	map->cells = cells;
	cells[map->n++] = (struct heat_cell){
		.column = h->columns, .from = from, .count = count - before,
	};
}

static void heatmap_add_value(struct shown *shown, const struct span *key,
			      const struct span *value)
{
	struct heatmap *h = heatmap_of(shown);
	struct span buckets, bucket, from, count;
	struct text_buffer name = { 0 };
	struct heat_map *map = NULL;
	const char *pos;

	if (*value->begin != '{' || !json_member(value, "buckets", &buckets))
		return;
	text_puts(&name, shown->name);
	if (key) {
		text_puts(&name, "[");
		shown_put_value(&name, key);
		text_puts(&name, "]");
	}
	text_put(&name, "", 1);
	if (!name.no_memory)
		map = heatmap_find(h, name.text);
	h->no_memory |= name.no_memory;
	text_free(&name);
	if (!map)
		return;
	pos = buckets.begin + 1;
	while (json_next(&pos, buckets.end, &bucket)) {
		if (json_member(&bucket, "count", &count))
			heatmap_add_count(h, map, json_member(&bucket, "from", &from) ?
					  strtoll(from.begin, NULL, 10) : INT64_MIN,
					  strtoull(count.begin, NULL, 10));
	}
}

static void heatmap_all(struct shown *shown)
{
	heatmap_of(shown)->columns++;
}

/* Other text of the script is its output. */
static void heatmap_text(struct shown *shown)
{
	text_put(&heatmap_of(shown)->out, shown->text.text, shown->text.len);
	shown->text.len = 0;
}

static const struct shown_ops heatmap_ops = {
	.value = heatmap_add_value,
	.all = heatmap_all,
	.text = heatmap_text,
};

void heatmap_init(struct heatmap *h, uint64_t seconds)
{
	h->shown.ops = &heatmap_ops;
	h->seconds = seconds;
}

void heatmap_add(void *heatmap, const char *data, size_t len)
{
	struct heatmap *h = heatmap;

	if (!shown_add(&h->shown, data, len))
		h->no_memory = true;
}

/**
 * struct heat_drawing - a map with the columns that fit
 * @rows: number of rows
 * @columns: number of columns, each of which has @merged of the map
 * @counts: the cells, row by row
 * @most: the largest of @counts
 */
struct heat_drawing {
	size_t rows;
	unsigned int columns;
	unsigned int merged;
	uint64_t *counts;
	uint64_t most;
};

/* Return false without memory. */
static bool heatmap_draw(const struct heatmap *h, const struct heat_map *map,
			 unsigned int max_columns, struct heat_drawing *d)
{
	*d = (struct heat_drawing){ .rows = map->nrows, .merged = 1 };
	if (h->columns > max_columns)
		d->merged = (h->columns + max_columns - 1) / max_columns;
	d->columns = (h->columns + d->merged - 1) / d->merged;
	d->counts = calloc(d->rows * d->columns + 1, sizeof(*d->counts));
	if (!d->counts)
		return false;
	for (size_t i = 0; i < map->n; i++) {
		const struct heat_cell *cell = &map->cells[i];
		size_t row = 0;
		uint64_t *count;

		/* trace_end may have been cut off before its last line. */
		if (cell->column >= h->columns)
			continue;
		while (map->rows[row].from != cell->from)
			row++;
		count = &d->counts[row * d->columns + cell->column / d->merged];
		*count += cell->count;
		if (*count > d->most)
			d->most = *count;
	}
	return true;
}

static uint64_t heatmap_count(const struct heat_drawing *d, size_t row, unsigned int column)
{
	return d->counts[row * d->columns + column];
}

/* From 1 to LEVELS; a quarter of the largest count is still dark. */
static unsigned int heatmap_level(const struct heat_drawing *d, uint64_t count)
{
	unsigned int bits = 64 - __builtin_clzll(count), most = 64 - __builtin_clzll(d->most);

	return most > 1 ? 1 + (bits - 1) * (LEVELS - 1) / (most - 1) : LEVELS;
}

static void heatmap_row_name(const struct heat_map *map, size_t row, char *name, size_t size)
{
	if (map->rows[row].from != INT64_MIN)
		snprintf(name, size, "%" PRId64, map->rows[row].from);
	else if (row + 1 < map->nrows)
		snprintf(name, size, "< %" PRId64, map->rows[row + 1].from);
	else
		snprintf(name, size, "<");
}

static void heatmap_put_text(const struct heatmap *h, const struct heat_map *map,
			     const struct heat_drawing *d, FILE *out)
{
	static const char shades[LEVELS + 2] = " .:-=+*#%@";
	char name[32];

	fprintf(out, "\n%s, a column for each %" PRIu64 " s, at most %" PRIu64 "\n", map->name,
		h->seconds * d->merged, d->most);
	for (size_t row = map->nrows; row-- > 0;) {
		heatmap_row_name(map, row, name, sizeof(name));
		fprintf(out, "%20s |", name);
		for (unsigned int i = 0; i < d->columns; i++) {
			uint64_t count = heatmap_count(d, row, i);

			fputc(shades[count ? heatmap_level(d, count) : 0], out);
		}
		fputs("|\n", out);
	}
}

/* From yellow to dark red */
static void heatmap_put_colour(FILE *out, unsigned int level)
{
	fprintf(out, "rgb(%u,%u,%u)", 255 - level * level, 235 - (level - 1) * 28,
		160 - (level - 1) * 18);
}

static void heatmap_put_svg(const struct heatmap *h, const struct heat_map *map,
			    const struct heat_drawing *d, unsigned int y, FILE *out)
{
	double width = (double)(WIDTH - LABEL) / d->columns;
	uint64_t seconds = h->seconds * d->merged;
	char name[32];

	fprintf(out, "<text x=\"%d\" y=\"%u\" font-size=\"12\">", MARGIN, y + NAME - 8);
	svg_put_text(out, map->name, 100);
	fprintf(out, ", a column for each %" PRIu64 " s, at most %" PRIu64 "</text>\n", seconds,
		d->most);
	for (size_t row = map->nrows; row-- > 0;) {
		unsigned int top = y + NAME + (map->nrows - 1 - row) * ROW;

		heatmap_row_name(map, row, name, sizeof(name));
		fprintf(out, "<text x=\"%d\" y=\"%u\" text-anchor=\"end\">", MARGIN + LABEL - 6,
			top + ROW - 3);
		svg_put_text(out, name, sizeof(name));
		fputs("</text>\n", out);
		for (unsigned int i = 0; i < d->columns; i++) {
			uint64_t count = heatmap_count(d, row, i);

			if (!count)
				continue;
			fprintf(out, "<rect x=\"%.1f\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"",
				MARGIN + LABEL + i * width, top, width, ROW);
			heatmap_put_colour(out, heatmap_level(d, count));
			fprintf(out, "\"><title>%" PRIu64 " s to %" PRIu64 " s, from ",
				i * seconds, (i + 1) * seconds);
			svg_put_text(out, name, sizeof(name));
			fprintf(out, ": %" PRIu64 "</title></rect>\n", count);
		}
	}
}

static int heatmap_write(struct heatmap *h, FILE *out, const char *svg)
{
	unsigned int y = TITLE;
	struct heat_drawing d;

	for (size_t i = 0; i < h->n; i++) {
		if (!heatmap_add_empty_rows(h, &h->maps[i]))
			return -ENOMEM;
		y += NAME + h->maps[i].nrows * ROW;
	}
	if (svg) {
		svg_begin(out, WIDTH + 2 * MARGIN, y + MARGIN);
		fprintf(out, "<text x=\"%d\" y=\"20\" font-size=\"14\">", MARGIN);
		svg_put_text(out, svg, 120);
		fputs("</text>\n", out);
	}
	y = TITLE;
	for (size_t i = 0; i < h->n && h->columns; i++) {
		const struct heat_map *map = &h->maps[i];

		if (!heatmap_draw(h, map, svg ? MAX_COLUMNS : TEXT_COLUMNS, &d))
			return -ENOMEM;
		if (svg)
			heatmap_put_svg(h, map, &d, y, out);
		else
			heatmap_put_text(h, map, &d, out);
		y += NAME + map->nrows * ROW;
		free(d.counts);
	}
	if (svg)
		fputs("</svg>\n", out);
	return ferror(out) ? -EIO : 0;
}

int heatmap_write_to(struct heatmap *h, int fd, const char *svg)
{
	FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
	int err;

	if (!out)
		return -errno;
	err = heatmap_write(h, out, svg);
	return fclose(out) ? -errno : err;
}

void heatmap_free(struct heatmap *h)
{
	for (size_t i = 0; i < h->n; i++) {
		free(h->maps[i].name);
		free(h->maps[i].rows);
		free(h->maps[i].cells);
	}
	free(h->maps);
	text_free(&h->out);
	shown_free(&h->shown);
}
