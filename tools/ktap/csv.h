/* SPDX-License-Identifier: GPL-2.0 */
/* The output as tables of comma-separated values, made from lines of JSON. */
#ifndef KTAP_CSV_H
#define KTAP_CSV_H

#include <stdbool.h>
#include <stddef.h>

#include "json_read.h"

/**
 * struct csv - state of the conversion
 * @lines: the output as lines
 * @text: finished lines of CSV
 * @len: bytes of @text
 * @size: size of @text
 * @at: bytes of @text that were taken
 * @header: the header of the present table, or NULL
 * @header_size: size of @header
 * @no_memory: a part is missing
 */
struct csv {
	struct json_lines lines;
	char *text;
	size_t len;
	size_t size;
	size_t at;
	char *header;
	size_t header_size;
	bool no_memory;
};

/* Convert a part of the output. */
void csv_add(struct csv *c, const char *data, size_t len);

/* Take up to @room bytes of what is finished; returns their number. */
size_t csv_take(struct csv *c, char *to, size_t room);

void csv_free(struct csv *c);

#endif
