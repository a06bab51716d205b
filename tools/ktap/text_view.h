/* SPDX-License-Identifier: GPL-2.0 */
/* Text, as the kernel makes it, from lines of JSON: for recordings that are shown. */
#ifndef KTAP_TEXT_VIEW_H
#define KTAP_TEXT_VIEW_H

#include <stdbool.h>
#include <stddef.h>

#include "json_read.h"
#include "line_times.h"
#include "text_buffer.h"

enum text_view_kind {
	TEXT_VIEW_NONE,		/* no table is open */
	TEXT_VIEW_PRINT,
	TEXT_VIEW_CHART,	/* print_hist() */
	TEXT_VIEW_VARIABLE,
};

/* An entry of a chart */
struct text_view_row {
	char *key;
	char *value;	/* in JSON */
};

/**
 * struct text_view - makes text from lines of JSON
 * @lines: the incomplete line
 * @kind: what prints the table whose entries are being received
 * @table: the number of this table
 * @entries: number of its entries so far
 * @rows: these entries, for a chart
 * @size: size of @rows
 * @after: values that print() shows after the table
 * @held: what was printed meanwhile by others
 * @out: finished text
 * @times: puts times before lines, or NULL
 * @opened: time of the table that is open
 * @after_mark: how far @after has them
 * @held_mark: the same of @held
 * @out_mark: the same of @out
 */
struct text_view {
	struct json_lines lines;
	enum text_view_kind kind;
	char table[24];
	size_t entries;
	struct text_view_row *rows;
	size_t size;
	struct text_buffer after;
	struct text_buffer held;
	struct text_buffer out;
	struct line_times *times;
	int64_t opened;
	struct line_times_mark after_mark;
	struct line_times_mark held_mark;
	struct line_times_mark out_mark;
};

/* Add a part of the output; @view: struct text_view, as &output.convert wants it. */
void text_view_add(void *view, const char *data, size_t len);

/* All entries of the open table have come: show what waits for them. */
void text_view_flush(struct text_view *v);

void text_view_free(struct text_view *v);

#endif
