/* SPDX-License-Identifier: GPL-2.0 */
/* Messages of the kernel about a script, shown like those of a compiler. */
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
 * @chunk: the loaded chunk, for its source text
 * @chunk_len: its length
 * @script: file of the script; NULL if its text was given
 * @tool: the script is an installed tool
 * @args: its arguments, NULL-terminated
 * @quiet: leave out notes that report no loss
 * @bpftrace: warn as bpftrace does
 * @explain: name the explanation of a message
 * @explained: the last word that was named
 * @errors: number of errors that were shown
 * @hide_calls: hide the call trace of the last error
 * @error: incomplete line of KTAP_CH_ERROR
 * @note: incomplete line of KTAP_CH_NOTE
 */
struct report {
	const void *chunk;
	size_t chunk_len;
	const char *script;
	bool tool;
	char **args;
	bool quiet;
	bool bpftrace;
	bool explain;
	const char *explained;
	unsigned int errors;
	bool hide_calls;
	struct report_line error;
	struct report_line note;
};

/* Add text of a channel; complete lines are shown. */
void report_add(struct report *r, enum ktap_channel channel, const char *data, size_t len);

/* Show incomplete lines. */
void report_flush(struct report *r);

#endif
