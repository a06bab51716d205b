/* SPDX-License-Identifier: GPL-2.0 */
/* ktap --heatmap: the histograms of a script over time. */
#ifndef KTAP_HEATMAP_H
#define KTAP_HEATMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "shown.h"

/* Seconds of a column, unless --interval says otherwise */
#define HEATMAP_INTERVAL	1

/**
 * struct heat_row - a row of a histogram
 * @from: its smallest number; INT64_MIN: the numbers below the first row
 * @count: its count when it was shown last
 */
struct heat_row {
	int64_t from;
	uint64_t count;
};

/**
 * struct heat_cell - the count of a row in a column
 * @column: number of the column, from 0
 * @from: which row
 * @count: numbers that were added in this time
 */
struct heat_cell {
	unsigned int column;
	int64_t from;
	uint64_t count;
};

/**
 * struct heat_map - a histogram
 * @name: its variable, with its key if it is an entry of a table
 * @rows: its rows so far, sorted
 * @nrows: number of @rows
 * @cells: what is not 0, by column
 * @n: number of @cells
 * @size: size of @cells
 */
struct heat_map {
	char *name;
	struct heat_row *rows;
	size_t nrows;
	struct heat_cell *cells;
	size_t n;
	size_t size;
};

/**
 * struct heatmap - all histograms
 * @shown: the output of the script
 * @out: what else the script has printed
 * @maps: the histograms, in the order in which they came
 * @n: number of @maps
 * @columns: number of columns
 * @seconds: of a column
 * @omitted: values of histograms that are not in @maps, as these are too many
 * @no_memory: something is missing
 */
struct heatmap {
	struct shown shown;
	struct text_buffer out;
	struct heat_map *maps;
	size_t n;
	unsigned int columns;
	uint64_t seconds;
	unsigned long omitted;
	bool no_memory;
};

void heatmap_init(struct heatmap *h, uint64_t seconds);

/* Convert a part of the output; @heatmap: a struct heatmap. */
void heatmap_add(void *heatmap, const char *data, size_t len);

/*
 * Write the heat maps to @fd, which is closed: as an SVG with the title @svg, or as text if
 * that is NULL. Returns 0 or a negative errno.
 */
int heatmap_write_to(struct heatmap *h, int fd, const char *svg);

void heatmap_free(struct heatmap *h);

#endif
