/* SPDX-License-Identifier: GPL-2.0 */
/* The output of a script of bpftrace as the JSON that bpftrace prints, made from that of ktap. */
#ifndef KTAP_BPFTRACE_JSON_H
#define KTAP_BPFTRACE_JSON_H

#include <stddef.h>

#include "json_read.h"
#include "text_buffer.h"

/**
 * struct bpftrace_json - state of the conversion
 * @lines: the output as lines
 * @part: the beginning of an object whose end is still to come
 * @out: finished lines
 */
struct bpftrace_json {
	struct json_lines lines;
	struct text_buffer part;
	struct text_buffer out;
};

/* Convert a part of the output; @json: a struct bpftrace_json. */
void bpftrace_json_add(void *json, const char *data, size_t len);

/* Add the line that says how many probes are attached. */
void bpftrace_json_attached(struct bpftrace_json *b, unsigned int probes);

void bpftrace_json_free(struct bpftrace_json *b);

#endif
