/* SPDX-License-Identifier: GPL-2.0 */
/* Forms of the output that ktap makes from lines of JSON. */
#ifndef KTAP_VIEWS_H
#define KTAP_VIEWS_H

#include <stdbool.h>

#include "bpftrace_json.h"
#include "csv.h"
#include "folded_stacks.h"
#include "heatmap.h"
#include "line_times.h"
#include "live.h"
#include "metrics.h"
#include "options.h"
#include "output_file.h"
#include "recording.h"
#include "text_view.h"

/**
 * struct views - the forms of the output
 * @folds: with --folded or --flame: the stacks in the output
 * @flame_fd: with --flame: the file
 * @csv: with -f csv
 * @bpftrace: with -f json, for a script of bpftrace
 * @live: with --live
 * @metrics: with --metrics
 * @heatmap: with --heatmap
 * @heatmap_fd: with --heatmap: the file, or that of the output
 * @recording: with --record
 * @text: for a recording that is shown as text
 * @times: with -T; of a recording, to be initialized before views_open()
 */
struct views {
	struct folds folds;
	int flame_fd;
	struct csv csv;
	struct bpftrace_json bpftrace;
	struct live live;
	struct metrics metrics;
	struct heatmap heatmap;
	int heatmap_fd;
	struct recording recording;
	struct text_view text;
	struct line_times times;
};

/*
 * Let the output be converted as the options say. Files are opened before anything is
 * traced for them; they keep their contents until the end, except that of metrics. @name: of
 * the script. Returns false after a message.
 */
bool views_open(struct views *v, const struct options *opts, struct output *o, const char *name);

/*
 * Show what was only collected so far. @name: of the script. Returns 0, or the negative
 * errno of the output. *@failed: there was another error, and a message.
 */
int views_show(struct views *v, const struct options *opts, struct output *o, const char *name,
	       bool *failed);

/* Everything is attached: a recording begins. */
void views_begin(struct views *v, const struct options *opts, struct output *o);

/* With -f json: say how many probes of a script of bpftrace are attached. */
void views_attached(struct views *v, struct output *o, unsigned int probes);

/*
 * Record a message of the kernel. @o: NULL if the script may still be refused: then the old
 * contents of the file must not be replaced yet.
 */
void views_message(struct views *v, const struct options *opts, struct output *o,
		   enum ktap_channel channel, const char *data, size_t len);

/* The session has ended: a recording ends, too. Returns 0 or the negative errno of the output. */
int views_end(struct views *v, const struct options *opts, struct output *o, uint32_t exit_code);

/* No output is known to follow at once: show as text what waits for it. */
void views_pause(struct views *v, struct output *o);

/* Nothing was traced: say so where it matters. Returns @code. */
int views_cancel(struct views *v, const struct options *opts, int code);

void views_free(struct views *v);

#endif
