// SPDX-License-Identifier: GPL-2.0
/* Load the chunk of a run: set up its session, and report what the kernel says. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "compiler/chunk_read.h"
#include "keeper.h"
#include "native_code.h"
#include "resolve_chunk.h"
#include "run.h"

/* Show all input of a refused script; returns an error of its output. */
static int run_show_refused(struct run *r)
{
	struct pollfd fd = { .fd = r->output.fd, .events = POLLOUT };
	struct piece piece;
	int err = 0;

	run_show(r);
	while (!err && (output_pending(&r->output) || session_peek(&r->session, &piece))) {
		if (output_pending(&r->output)) {
			poll(&fd, 1, -1);
			err = output_write(&r->output);
		}
		run_show(r);
	}
	return err;
}

/* Does an event of a script of bpftrace not exist?  Then say so in bpftrace's words. */
static bool run_explains_events(struct run *r)
{
	const struct ktap_compile_opts copts = run_compile_opts(r);

	return r->script.text && ktap_bpftrace_explain(&r->script, &copts);
}

int run_load_failed(struct run *r, int err)
{
	r->refused = true;
	if (!r->report.errors && run_explains_events(r))
		return EXIT_LOAD;
	fcntl(r->session.fd, F_SETFL, O_RDWR | O_NONBLOCK);
	/* first what was read while loading */
	while (!run_show_refused(r) && session_read(&r->session) > 0)
		;
	report_flush(&r->report);
	if (!r->report.errors)
		fprintf(stderr, "ktap: error: cannot load %s: %s\n", r->name, strerror(-err));
	return EXIT_LOAD;
}

/* Seconds that local time is ahead of UTC, now */
static long run_utc_offset(void)
{
	time_t now = time(NULL);
	struct tm tm;

	return localtime_r(&now, &tm) ? tm.tm_gmtoff : 0;
}

/* Resolve the events of user space in the script. */
static int run_set_up_user(struct run *r)
{
	struct resolver resolver;
	char *lines;
	int err = 0;

	resolver_init(&resolver, &r->symbolizer.target);
	resolver.unsafe = r->opts.unsafe;
	lines = resolve_chunk(&resolver, r->chunk, r->chunk_len, r->opts.args,
			      r->opts.quiet ? NULL : stderr);
	if (lines)
		err = session_setup(&r->session, "%s", lines);
	free(lines);
	resolver_free(&resolver);
	return err;
}

int run_set_up(struct run *r)
{
	const struct options *opts = &r->opts;
	bool only_command = r->command.pid &&
			    (!opts->all || (opts->command_line && r->bpftrace_probes.of_process));
	const long utc_offset = run_utc_offset();
	struct session *s = &r->session;
	const char *key;
	int err;

	err = session_setup(s, "arg %s", r->name);
	for (char **arg = opts->args; *arg && !err; arg++)
		err = session_setup(s, "arg %s", *arg);
	if (!err && (opts->pid || only_command))
		err = session_setup(s, "pid %lld", opts->pid ? (long long)opts->pid :
				    (long long)r->command.pid);
	if (!err && (opts->follow || (only_command && !opts->command_line)))
		err = session_setup(s, "follow");
	if (!err && r->cgroup)
		err = session_setup(s, "cgroup %s", r->cgroup);
	if (!err && opts->comm)
		err = session_setup(s, "comm %s", opts->comm);
	if (!err && opts->cpus)
		err = session_setup(s, "cpus %s", opts->cpus);
	if (!err && opts->dry_run)
		err = session_setup(s, "dry");
	if (!err && opts->json)
		err = session_setup(s, "format json");
	if (!err && opts->timestamps)
		err = session_setup(s, "times");
	if (!err && opts->unsafe)
		err = session_setup(s, "unsafe");
	if (!err && opts->self)
		err = session_setup(s, "self");
	if (!err && opts->memory)
		err = session_setup(s, "memory %llu", (unsigned long long)opts->memory);
	if (!err && utc_offset && chunk_calls(r->chunk, r->chunk_len, KTAP_FN_UTC_OFFSET))
		err = session_setup(s, "utc_offset %ld", utc_offset);
	if (!err && opts->overhead)
		err = session_setup(s, "overhead %llu", (unsigned long long)opts->overhead);
	key = !opts->no_symbols && symbolize_wanted(r->chunk, r->chunk_len) ?
		symbolize_key(&r->symbolizer) : NULL;
	if (!err && key)
		err = session_setup(s, "symbols %s", key);
	if (!err)
		err = run_set_up_user(r);
	return err;
}

/* As bpftrace does, once everything is attached */
static void run_say_attached(struct run *r)
{
	unsigned int attached = 0, all = 0;

	if (r->opts.quiet || !source_is_bpftrace(&r->opts))
		return;
	/* a script that ends at once has detached its events */
	if (!session_attached(&r->session, &attached, &all) || !attached)
		attached = r->bpftrace_probes.events;
	attached += r->bpftrace_probes.others;
	if (r->opts.bpftrace_json)
		views_attached(&r->views, &r->output, attached);
	else
		fprintf(stderr, "Attached %u probe%s\n", attached, attached == 1 ? "" : "s");
}

static void run_say_loaded(const struct run *r)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (r->opts.verbose)
		fprintf(stderr, "ktap: loaded a chunk of %zu bytes in %lld us\n", r->chunk_len,
			(now.tv_sec - r->began.tv_sec) * 1000000LL +
			(now.tv_nsec - r->began.tv_nsec) / 1000);
}

int run_loaded(struct run *r)
{
	int err = session_loaded(&r->session);
	struct piece piece;

	r->loading = false;
	if (err)
		return run_load_failed(r, err);
	run_limit_attached(&r->limit);
	run_say_loaded(r);
	err = output_begin(&r->output);
	if (err)
		return run_output_failed(r, err);
	views_begin(&r->views, &r->opts, &r->output);
	run_say_attached(r);
	keeper_armed(&r->opts);
	if (r->stopping || r->opts.dry_run)
		return 0;
	if (r->opts.dump_jit) {
		run_stop(r);
		return native_code_print(&r->session) ? 0 : EXIT_RUNTIME;
	}
	if (r->command.pid) {
		err = command_start(&r->command);
		if (err) {
			fprintf(stderr, "ktap: error: cannot run %s: %s\n", r->opts.command[0],
				strerror(-err));
			return EXIT_NO_COMMAND;
		}
	} else if (!r->opts.quiet && !source_is_bpftrace(&r->opts) &&
		   session_status(&r->session, NULL)) {
		/* messages about loading come first, unless they are after a command */
		run_show(r);
		if (!session_peek(&r->session, &piece) && !run_take(r))
			return EXIT_RUNTIME;
		fprintf(stderr, "Press Control-C to stop.\n");
	}
	return 0;
}
