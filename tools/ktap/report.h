/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel says about a script, shown as a compiler would. */
#ifndef KTAP_REPORT_H
#define KTAP_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/ktap.h>

struct report_line {
	char text[4096];
	size_t len;
};

/**
 * struct report - collects text of the session into lines for standard error
 * @chunk: the chunk that runs, for its source text
 * @chunk_len: its length
 * @quiet: leave out notes that tell of no loss
 * @errors: number of errors that were shown
 * @error: the line of KTAP_CH_ERROR that has no end yet
 * @note: the same of KTAP_CH_NOTE
 */
struct report {
	const void *chunk;
	size_t chunk_len;
	bool quiet;
	unsigned int errors;
	struct report_line error;
	struct report_line note;
};

/* Take text of a channel; a line is shown when it is whole. */
void report_add(struct report *r, enum ktap_channel channel, const char *data, size_t len);

/* Show what is left of lines that have no end. */
void report_flush(struct report *r);

#endif
