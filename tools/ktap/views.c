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

/* Open a file for the end of the run. */
static bool views_open_file(const char *file, int *fd)
{
	*fd = open(file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (*fd >= 0)
		return true;
	fprintf(stderr, "ktap: error: cannot write to %s: %s\n", file, strerror(errno));
	return false;
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
	return !opts->flame || views_open_file(opts->flame, &v->flame_fd);
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
		/* it is no file with an end if this fails */
		if (ftruncate(v->flame_fd, 0))
			errno = 0;
		flame_err = folds_write_to(&v->folds, v->flame_fd, name);
	}
	if (flame_err) {
		fprintf(stderr, "ktap: error: cannot write to %s: %s\n", opts->flame,
			strerror(-flame_err));
		*failed = true;
	}
	return err;
}

int views_show(struct views *v, const struct options *opts, struct output *o, const char *name,
	       bool *failed)
{
	*failed = false;
	if (opts->metrics)
		*failed = !metrics_end(&v->metrics);
	if (v->csv.out.no_memory || v->live.out.no_memory || v->metrics.out.no_memory) {
		fprintf(stderr, "ktap: error: no memory for all of the output\n");
		*failed = true;
	}
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
	live_free(&v->live);
	metrics_free(&v->metrics);
}
