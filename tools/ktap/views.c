// SPDX-License-Identifier: GPL-2.0
/*
 * Forms of the output that ktap makes from lines of JSON: stacks are collected
 * and shown at the end, comma-separated values and screens are made at once.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "views.h"

/* Returns false. */
static bool views_file_failed(const char *file, int err)
{
	fprintf(stderr, "ktap: error: cannot write to %s: %s\n", file, strerror(-err));
	return false;
}

/* Open a file for the end of the run. */
static bool views_open_file(const char *file, int *fd)
{
	*fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	return *fd >= 0 || views_file_failed(file, -errno);
}

static bool views_prints_heatmap(const struct options *opts)
{
	return !strcmp(opts->heatmap, "-");
}

bool views_open(struct views *v, const struct options *opts, struct output *o, const char *name)
{
	if (opts->folded || opts->flame)
		o->folds = &v->folds;
	if (opts->csv) {
		o->convert = csv_add;
		o->converter = &v->csv;
		o->converted = &v->csv.out;
	}
	if (opts->bpftrace_json) {
		o->convert = bpftrace_json_add;
		o->converter = &v->bpftrace;
		o->converted = &v->bpftrace.out;
	}
	if (opts->live) {
		live_init(&v->live, o->fd);
		o->convert = live_add;
		o->converter = &v->live;
		o->converted = &v->live.out;
	}
	if (opts->metrics) {
		o->convert = metrics_add;
		o->converter = &v->metrics;
		o->converted = &v->metrics.out;
		if (!metrics_init(&v->metrics, opts->metrics, name))
			return false;
	}
	if (opts->heatmap) {
		heatmap_init(&v->heatmap, opts->shows);
		o->convert = heatmap_add;
		o->converter = &v->heatmap;
		o->converted = &v->heatmap.out;
		if (!views_prints_heatmap(opts) && !views_open_file(opts->heatmap, &v->heatmap_fd))
			return false;
	}
	if (opts->record) {
		recording_init(&v->recording, name, opts->json, opts->shows);
		o->convert = recording_add_output;
		o->converter = &v->recording;
		o->converted = &v->recording.out;
	}
	if (opts->timestamps && opts->as_text) {
		v->text.times = &v->times;
	} else if (opts->timestamps) {
		line_times_start(&v->times);
		o->convert = line_times_add;
		o->converter = &v->times;
		o->converted = &v->times.out;
	}
	if (opts->as_text) {
		o->convert = text_view_add;
		o->converter = &v->text;
		o->converted = &v->text.out;
	}
	return !opts->flame || views_open_file(opts->flame, &v->flame_fd);
}

void views_begin(struct views *v, const struct options *opts, struct output *o)
{
	if (!opts->record)
		return;
	recording_begin(&v->recording);
	output_take(o);
}

void views_attached(struct views *v, struct output *o, unsigned int probes)
{
	bpftrace_json_attached(&v->bpftrace, probes);
	output_take(o);
}

void views_message(struct views *v, const struct options *opts, struct output *o,
		   enum ktap_channel channel, const char *data, size_t len)
{
	if (!opts->record)
		return;
	recording_add(&v->recording, channel, data, len);
	if (o)
		output_take(o);
}

int views_end(struct views *v, const struct options *opts, struct output *o, uint32_t exit_code)
{
	int err = 0;

	if (!opts->record)
		return 0;
	recording_end(&v->recording, exit_code);
	output_take(o);
	while (output_pending(o) && !err)
		err = output_write(o);
	if (!err && !opts->quiet)
		fprintf(stderr, "ktap: recorded %llu lines: ktap --replay %s\n", v->recording.lines,
			opts->record);
	return err;
}

void views_pause(struct views *v, struct output *o)
{
	if (o->converter != &v->text)
		return;
	text_view_flush(&v->text);
	output_take(o);
}

/* Remove the old contents. It is no file with an end if this fails. */
static void views_empty_file(int fd)
{
	if (ftruncate(fd, 0))
		errno = 0;
}

static int views_show_stacks(struct views *v, const struct options *opts, struct output *o,
			     const char *name, bool *failed)
{
	int err = 0, flame_err = 0;

	folds_sort(&v->folds);
	if (!v->folds.n)
		fprintf(stderr, "ktap: no table with stacks as keys was printed: try s[stack()] += 1\n");
	if (v->folds.no_memory || v->folds.lines.no_memory) {
		fprintf(stderr, "ktap: error: no memory for all stacks\n");
		*failed = true;
	}
	if (opts->folded)
		err = output_begin(o);
	if (opts->folded && !err)
		err = folds_write_to(&v->folds, dup(o->fd), NULL);
	if (opts->flame) {
		views_empty_file(v->flame_fd);
		flame_err = folds_write_to(&v->folds, v->flame_fd, name);
	}
	if (flame_err)
		*failed = !views_file_failed(opts->flame, flame_err);
	return err;
}

static int views_show_heatmap(struct views *v, const struct options *opts, struct output *o,
			      const char *name, bool *failed)
{
	int err;

	if (!v->heatmap.n)
		fprintf(stderr, "ktap: no global variable is a histogram: write h = hist() at the top level, and h <<< n in a handler\n");
	if (v->heatmap.omitted)
		fprintf(stderr, "ktap: there were too many histograms for heat maps: %lu values of others are left out\n",
			v->heatmap.omitted);
	if (views_prints_heatmap(opts)) {
		err = output_begin(o);
		return err ? err : heatmap_write_to(&v->heatmap, dup(o->fd), NULL);
	}
	views_empty_file(v->heatmap_fd);
	err = heatmap_write_to(&v->heatmap, v->heatmap_fd, name);
	if (err)
		*failed = !views_file_failed(opts->heatmap, err);
	return 0;
}

int views_show(struct views *v, const struct options *opts, struct output *o, const char *name,
	       bool *failed)
{
	*failed = false;
	if (opts->metrics)
		*failed = !metrics_end(&v->metrics);
	if (v->csv.out.no_memory || v->bpftrace.out.no_memory || v->live.out.no_memory ||
	    v->metrics.out.no_memory || v->heatmap.out.no_memory || v->heatmap.no_memory ||
	    v->recording.out.no_memory || v->text.out.no_memory || v->times.out.no_memory) {
		fprintf(stderr, "ktap: error: no memory for all of the output\n");
		*failed = true;
	}
	if (opts->heatmap)
		return views_show_heatmap(v, opts, o, name, failed);
	return o->folds ? views_show_stacks(v, opts, o, name, failed) : 0;
}

int views_cancel(struct views *v, const struct options *opts, int code)
{
	if (opts->metrics)
		metrics_end(&v->metrics);
	return code;
}

void views_free(struct views *v)
{
	folds_free(&v->folds);
	csv_free(&v->csv);
	bpftrace_json_free(&v->bpftrace);
	live_free(&v->live);
	metrics_free(&v->metrics);
	heatmap_free(&v->heatmap);
	recording_free(&v->recording);
	text_view_free(&v->text);
	line_times_free(&v->times);
}
