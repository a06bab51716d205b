/* SPDX-License-Identifier: GPL-2.0 */
/* Forms of the output that ktap makes from lines of JSON. */
#ifndef KTAP_VIEWS_H
#define KTAP_VIEWS_H

#include <stdbool.h>

#include "csv.h"
#include "folded_stacks.h"
#include "heatmap.h"
#include "live.h"
#include "metrics.h"
#include "options.h"
#include "output_file.h"

/**
 * struct views - the forms of the output
 * @folds: with --folded or --flame: the stacks in the output
 * @flame_fd: with --flame: the file
 * @csv: with -f csv
 * @live: with --live
 * @metrics: with --metrics
 * @heatmap: with --heatmap
 * @heatmap_fd: with --heatmap: the file, or that of the output
 */
struct views {
	struct folds folds;
	int flame_fd;
	struct csv csv;
	struct live live;
	struct metrics metrics;
	struct heatmap heatmap;
	int heatmap_fd;
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

/* Nothing was traced: say so where it matters. Returns @code. */
int views_cancel(struct views *v, const struct options *opts, int code);

void views_free(struct views *v);

#endif
