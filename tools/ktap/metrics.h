/* SPDX-License-Identifier: GPL-2.0 */
/* ktap --metrics: the variables of a script, as a file for Prometheus. */
#ifndef KTAP_METRICS_H
#define KTAP_METRICS_H

#include <stdbool.h>
#include <stddef.h>

#include "shown.h"

/* Seconds between two files, unless --interval says otherwise */
#define METRICS_INTERVAL	15

/**
 * struct metric - a value of a variable
 * @name: of the variable
 * @labels: those of its key, such as key1="cat", or ""
 * @value: the value, in JSON
 * @order: of the variable
 */
struct metric {
	char *name;
	char *labels;
	char *value;
	unsigned int order;
};

/**
 * struct metrics - the file
 * @shown: the output of the script
 * @out: what else the script has printed
 * @file: its name
 * @script: name of the script, for the label
 * @values: the last complete values, or those that are received
 * @n: number of @values
 * @size: size of @values
 * @omitted: values that the format has no room for
 * @complete: @values are complete
 * @failed: the file could not be written, and a message says so
 */
struct metrics {
	struct shown shown;
	struct text_buffer out;
	const char *file;
	const char *script;
	struct metric *values;
	size_t n;
	size_t size;
	unsigned long omitted;
	bool complete;
	bool failed;
};

/* Write a first file. Returns false after a message. */
bool metrics_init(struct metrics *m, const char *file, const char *script);

/* Convert a part of the output; @metrics: a struct metrics. */
void metrics_add(void *metrics, const char *data, size_t len);

/* Write the last file: nothing runs any more. Returns false if a file was not written. */
bool metrics_end(struct metrics *m);

void metrics_free(struct metrics *m);

#endif
