/* SPDX-License-Identifier: GPL-2.0 */
/* The output as tables of comma-separated values, made from lines of JSON. */
#ifndef KTAP_CSV_H
#define KTAP_CSV_H

#include <stddef.h>

#include "json_read.h"
#include "text_buffer.h"

/**
 * struct csv - state of the conversion
 * @lines: the output as lines
 * @out: finished lines of CSV
 * @header: the header of the present table, or NULL
 * @header_size: size of @header
 */
struct csv {
	struct json_lines lines;
	struct text_buffer out;
	char *header;
	size_t header_size;
};

/* Convert a part of the output; @csv: a struct csv. */
void csv_add(void *csv, const char *data, size_t len);

void csv_free(struct csv *c);

#endif
