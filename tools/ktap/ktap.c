// SPDX-License-Identifier: GPL-2.0
/*
 * ktap: compile a script, load it into the kernel, and show its output until it
 * ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "arguments.h"
#include "bpftrace_options.h"
#include "btf_file.h"
#include "cgroup_path.h"
#include "compiler/chunk_read.h"
#include "compiler/colour.h"
#include "compiler/util.h"
#include "keeper.h"
#include "modes.h"
#include "run.h"
#include "script_help.h"
#include "signals.h"

#define SAME_REQUEST_MS	50

#define NR_FDS		4	/* the session, the output, the pipe of the loader, the timer */

/* Show progress if more events than this are attached, as it takes long. */
#define PROGRESS_EVENTS	100
#define PROGRESS_MS	250	/* delay, and interval */

/* Time for remaining output after the request to end at once. */
#define LAST_OUTPUT_MS	500

/* In JSON, the output of a command is collected first. */
static void run_start_shell(struct run *r)
{
	if (!r->opts.json) {
		shell_start(&r->shell, r->output.fd);
		return;
	}
	r->collected = memfd_create("ktap-system", MFD_CLOEXEC);
	if (r->collected < 0)
		shell_refuse(&r->shell, strerror(errno));
	else
		shell_start(&r->shell, r->collected);
}

/* The command has ended: show the output that was collected. */
static void run_show_collected(struct run *r)
{
	if (r->collected < 0 || r->shell.pid)
		return;
	r->cat.json = "system";
	cat_begin(&r->cat, r->collected, "the output of a command");
	r->collected = -1;
}

/* The text of the command is complete. */
static void run_command(struct run *r)
{
	if (!r->opts.unsafe)
		shell_refuse(&r->shell, "not run without --unsafe");
	else if (r->opts.dry_run)
		shell_refuse(&r->shell, "not run with --dry-run");
	else if (shell_is_cut(&r->shell))
		shell_refuse(&r->shell, "not run: it is too long and was truncated");
	else if (r->refused)
		shell_refuse(&r->shell, "not run, as the script was refused");
	else
		run_start_shell(r);
}

void run_stop(struct run *r)
{
	if (!r->stopping)
		session_stop(&r->session);
	r->stopping = true;
}

/* A message, or a request to the keeper, which is a part of the recording */
static void run_record(struct run *r, enum ktap_channel channel, const char *data, size_t len)
{
	views_message(&r->views, &r->opts, r->loading || r->refused ? NULL : &r->output, channel,
		      data, len);
}

static void run_dump(struct run *r, const struct piece *piece)
{
	static const char none[] =
		"dump() writes nothing: only ktap --detach NAME --dump FILE keeps output for it\n";

	text_put(&r->reason, piece->data, piece->len);
	if (!piece->last)
		return;
	if (r->opts.dump) {
		run_record(r, KTAP_CH_DUMP, r->reason.text, r->reason.len);
	} else if (!r->dump_reported) {
		report_add(&r->report, KTAP_CH_NOTE, none, strlen(none));
		run_record(r, KTAP_CH_NOTE, none, strlen(none));
		r->dump_reported = true;
	}
	r->reason.len = 0;
}

void run_show(struct run *r)
{
	struct piece piece;
	size_t n;

	r->symbolizer.opened = false;
	run_show_collected(r);
	while (!r->shell.pid && symbolize_flush(&r->symbolizer, &r->output) &&
	       cat_copy(&r->cat, &r->output) && session_peek(&r->session, &piece)) {
		n = piece.len;
		switch (piece.channel) {
		case KTAP_CH_OUTPUT:
			n = symbolize_add(&r->symbolizer, &r->output, piece.data, piece.len);
			if (!n)
				return;
			if (run_limit_count(&r->limit, piece.data, n))
				run_stop(r);
			break;
		case KTAP_CH_ERROR:
		case KTAP_CH_NOTE:
			if (output_pending(&r->output))
				return;	/* keep the order */
			if (r->loading && r->script.text)
				return;	/* if the script is refused, there may be another one */
			report_add(&r->report, piece.channel, piece.data, piece.len);
			run_record(r, piece.channel, piece.data, piece.len);
			break;
		case KTAP_CH_TIME:
			line_times_next(&r->views.times, piece.data, n);
			break;
		case KTAP_CH_DUMP:
			if (output_pending(&r->output))
				return;	/* what was printed before belongs to it */
			run_dump(r, &piece);
			break;
		case KTAP_CH_CAT:
			cat_add(&r->cat, piece.data, piece.len);
			r->cat.json = r->opts.json ? "cat" : NULL;
			if (piece.last)
				cat_open(&r->cat, &r->output);
			break;
		case KTAP_CH_SYSTEM:
			/* * its output follows ours, and the script may still be refused */
			if (output_pending(&r->output) || r->loading)
				return;
			shell_add(&r->shell, piece.data, piece.len);
			if (piece.last)
				run_command(r);
			break;
		case KTAP_CH_EXIT:
			/* * the code is little-endian, and may be split into pieces */
			for (size_t i = 0; i < n; i++)
				r->exit_code = r->exit_code >> 8 |
					       (uint32_t)(unsigned char)piece.data[i] << 24;
			break;
		}
		session_take(&r->session, n);
		if (r->symbolizer.opened)
			return;
	}
}

bool run_take(struct run *r)
{
	ssize_t n = session_read(&r->session);

	if (n < 0 && n != -EAGAIN && n != -EINTR) {
		fprintf(stderr, "ktap: error: cannot read the session: %s\n", strerror(-n));
		return false;
	}
	r->ended = !n;
	if (r->ended)
		symbolize_end(&r->symbolizer);
	run_show(r);
	return true;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/*
 * One request may cause several signals: timeout(1) signals ktap and then its
 * group; after a hangup, the kernel and the shell both send SIGHUP.
 */
static bool is_request(const struct run *r)
{
	return !r->requests || now_ms() - r->requested >= SAME_REQUEST_MS;
}

/* Continue on a new line after the ^C of the terminal. */
static void say_stopping(const struct run *r)
{
	if (r->opts.quiet || signals_last != SIGINT)
		return;
	fprintf(stderr, "%sktap: stopping; press Control-C again to end at once\n",
		isatty(STDERR_FILENO) ? "\n" : "");
}

static void run_obey(struct run *r)
{
	r->requests++;
	if (r->requests == 1)
		say_stopping(r);
	run_stop(r);
	/* * the first stop waits for the running command and file, the next one does not */
	shell_signal(&r->shell, signals_last);
	cat_stop(&r->cat);
	r->requested = now_ms();
}

/* Show what the session has sent so far, while the reader accepts it. */
static void show_rest(struct run *r)
{
	const int64_t end = now_ms() + LAST_OUTPUT_MS;
	struct pollfd fd = { .fd = r->output.fd, .events = POLLOUT };
	struct piece piece;

	while (now_ms() < end) {
		run_show(r);
		if (output_pending(&r->output)) {
			if (poll(&fd, 1, end - now_ms()) <= 0 || output_write(&r->output))
				break;
		} else if (!session_peek(&r->session, &piece)) {
			if (session_read(&r->session) <= 0)
				break;
		} else if (!r->symbolizer.opened) {
			break;
		}
	}
	report_flush(&r->report);
}

/* End without waiting; returns the exit code. */
static int end_at_once(struct run *r)
{
	bool end = ktap_has_event(r->chunk, r->chunk_len, "trace_end");

	shell_signal(&r->shell, SIGTERM);
	show_rest(r);
	fprintf(stderr, "ktap: ended at once: %s\n",
		end ? "trace_end was cut off, or did not run" :
		      "some output is missing");
	return EXIT_SIGNAL + signals_last;
}

/* Returns true if the run must end at once. */
static bool handle_signals(struct run *r)
{
	int heard = signals_to_stop;

	if (heard != r->heard) {
		r->heard = heard;
		if (is_request(r))
			run_obey(r);
	}
	if (signals_child) {
		signals_child = 0;
		if (command_exited(&r->command))
			run_stop(r);
		shell_exited(&r->shell);
	}
	if (r->requests > 1)
		return true;
	run_show(r);
	return false;
}

int run_output_failed(struct run *r, int err)
{
	if (err == -EPIPE)
		return 0;	/* the output was closed */
	fprintf(stderr, "ktap: error: cannot write to %s: %s\n",
		r->opts.output ? r->opts.output : "standard output", strerror(-err));
	return EXIT_RUNTIME;
}

static bool wants_progress(const struct run *r)
{
	return r->loading && !r->stopping && !r->opts.quiet && isatty(STDERR_FILENO);
}

/* Show progress on one line, which is rewritten and finally removed. */
static void show_progress(struct run *r)
{
	unsigned int done, all;

	if (!session_attached(&r->session, &done, &all) || all < PROGRESS_EVENTS)
		return;
	fprintf(stderr, "\rktap: attaching %u of %u events ... ", done, all);
	r->progress = true;
}

static void clear_progress(struct run *r)
{
	if (r->progress)
		fputs("\r\033[K", stderr);
	r->progress = false;
}

/* Wait until there is something to do; false after a message. */
static bool wait_for_work(struct run *r, struct pollfd *fds, bool work)
{
	const struct timespec at_once = { 0 }, soon = { .tv_nsec = PROGRESS_MS * 1000000 };
	const struct timespec *timeout = wants_progress(r) ? &soon : NULL;
	int n;

	n = signals_poll(fds, NR_FDS, work ? &at_once : timeout);
	if (n < 0 && errno != EINTR) {
		perror("ktap: error: poll");
		return false;
	}
	if (!n && !work)
		show_progress(r);
	else
		clear_progress(r);
	for (int i = 0; i < NR_FDS && n < 0; i++)
		fds[i].revents = 0;
	signals_hear();
	return true;
}

/*
 * The output of a script of bpftrace follows the message that its probes are attached. It may
 * also wait until the buffer is full, unless there is @more from the session, which waits for it.
 */
static bool run_holds(const struct run *r, bool more)
{
	if (r->opts.hold && !more && !r->ended && output_room(&r->output))
		return true;
	return r->loading && !r->opts.quiet && source_is_bpftrace(&r->opts) &&
	       output_room(&r->output);
}

/*
 * The time of --for is over: end the session. Attaching many events is no part of the time, but
 * the top level before it is, which may have no end.
 */
static bool run_time_is_over(struct run *r)
{
	unsigned int done = 0, all;

	if (r->loading && session_attached(&r->session, &done, &all) && done) {
		run_limit_pause(&r->limit);
		return false;
	}
	if (r->loading)
		fputs("ktap: the time of --for was over before the top level of the script had ended\n",
		      stderr);
	run_stop(r);
	return true;
}

/* Show the output of the session until it ends; returns the exit code. */
static int follow_session(struct run *r)
{
	struct pollfd fds[NR_FDS] = {
		{ .events = POLLIN },
		{ .fd = r->output.fd },
		{ .events = POLLIN },
		{ .fd = r->limit.timer, .events = POLLIN },
	};
	struct piece piece;
	int code, err;

	while (r->loading || !r->ended || output_pending(&r->output) || r->shell.pid) {
		bool more = session_peek(&r->session, &piece);
		bool go_on = more && r->symbolizer.opened;

		fds[0].fd = r->ended || more ? -1 : r->session.fd;
		fds[1].events = output_pending(&r->output) && !run_holds(r, more) ? POLLOUT : 0;
		fds[2].fd = session_loaded_fd(&r->session);
		if (!wait_for_work(r, fds, go_on))
			return EXIT_RUNTIME;
		if ((signals_to_stop != r->heard || signals_child) && handle_signals(r))
			return end_at_once(r);

		if (fds[3].revents && run_time_is_over(r))
			fds[3].fd = -1;
		if (fds[2].revents) {
			code = run_loaded(r);
			if (code)
				return code;
			/* a command waits for an empty output */
			run_show(r);
		} else if (fds[0].revents) {
			if (!run_take(r))
				return EXIT_RUNTIME;
		} else if (fds[1].revents) {
			err = fds[1].revents & POLLOUT ? output_write(&r->output) : -EPIPE;
			if (err)
				return run_output_failed(r, err);
			run_show(r);
		} else if (go_on) {
			run_show(r);
		}
	}
	report_flush(&r->report);
	return r->exit_code;
}

/* The part of a run that needs the session. */
static int run_session(struct run *r)
{
	int code, err;

	if (!session_open(&r->session) ||
	    !session_accepts(&r->session, r->name, r->chunk, r->chunk_len))
		return EXIT_LOAD;
	if (!run_limit_begin(&r->limit, r->opts.seconds, r->opts.until))
		return EXIT_LOAD;
	clock_gettime(CLOCK_MONOTONIC, &r->began);
	err = run_set_up(r);
	if (err)
		return run_load_failed(r, err);
	signals_catch(&r->shell.ignored);
	if (r->bpftrace_probes.signals)
		signals_pass_user();
	err = session_load(&r->session, r->chunk, r->chunk_len);
	if (err) {
		fprintf(stderr, "ktap: error: cannot load %s: %s\n", r->name, strerror(-err));
		return EXIT_LOAD;
	}
	r->loading = true;
	code = follow_session(r);
	if (r->opts.verbose)
		session_status(&r->session, stderr);
	return code;
}

static bool open_output(struct run *r)
{
	struct stat st;
	int err;

	if (r->opts.output && !stat(r->opts.output, &st) && sources_have(&r->sources, &st)) {
		fprintf(stderr, "ktap: error: the output would replace the script %s\n",
			r->opts.output);
		return false;
	}
	err = output_open(&r->output, r->opts.output, r->opts.record);
	if (err == -EEXIST)
		fprintf(stderr, "ktap: error: %s belongs to another user: name another file\n",
			r->opts.output);
	else if (err)
		run_output_failed(r, err);
	return !err;
}

/* Show what was only collected so far; returns the exit code. */
static int run_show_views(struct run *r, int code)
{
	bool failed;
	int err;

	if (code == EXIT_LOAD)
		return views_cancel(&r->views, &r->opts, code);
	err = r->ended && !output_pending(&r->output) ?
	      views_end(&r->views, &r->opts, &r->output, r->exit_code) : 0;
	if (!err)
		err = views_show(&r->views, &r->opts, &r->output,
				 r->opts.text ? r->opts.text : r->name, &failed);
	if (err)
		code = run_output_failed(r, err);
	return code ? code : failed ? EXIT_RUNTIME : 0;
}

static int run_loop(struct run *r)
{
	int code, err;

	/* a script of bpftrace may have the number of the process in it */
	err = r->opts.command ? command_fork(&r->command, r->opts.command) : 0;
	if (err) {
		fprintf(stderr, "ktap: error: cannot make a process: %s\n", strerror(-err));
		return EXIT_LOAD;
	}
	if (!run_get_chunk(r))
		return EXIT_LOAD;
	if (run_wants_help(&r->opts)) {
		ktap_show_help(stdout, r->name, r->chunk, r->chunk_len);
		return finish_stdout("ktap") ? 0 : EXIT_RUNTIME;
	}
	if (!arguments_join(&r->opts, r->chunk, r->chunk_len) ||
	    !arguments_check(&r->opts, r->name, r->chunk, r->chunk_len,
			     r->bpftrace_probes.params))
		return EXIT_LOAD;
	if (r->tool && !arguments_check_pid(&r->opts))
		return EXIT_LOAD;
	r->cgroup = r->opts.cgroup ? cgroup_path_find(r->opts.cgroup) : NULL;
	if (r->opts.cgroup && !r->cgroup)
		return EXIT_LOAD;
	r->report.chunk = r->chunk;
	r->report.chunk_len = r->chunk_len;
	r->report.script = r->opts.script;
	r->report.tool = r->tool;
	r->report.args = r->opts.args;
	r->report.quiet = r->opts.quiet;
	r->report.bpftrace = r->script.text;
	r->report.explain = !r->opts.quiet && isatty(STDERR_FILENO);
	target_init(&r->symbolizer.target, r->opts.pid);
	r->symbolizer.json = r->opts.json;
	r->symbolizer.lines = r->opts.lines;
	if (!r->opts.json || r->opts.bpftrace_json) {
		r->symbolizer.frames = r->bpftrace_probes.frames;
		r->symbolizer.several_frames = r->bpftrace_probes.several_frames;
		r->symbolizer.lines |= r->bpftrace_probes.lines;
	}
	r->collected = -1;
	r->cat.bpftrace = r->script.text;
	r->cat.limit = r->bpftrace_probes.cat_bytes;

	if (!open_output(r))
		return EXIT_LOAD;
	r->output.colour = !r->opts.json && colour_wanted(r->opts.color, r->output.fd);
	/* a script that writes to the terminal itself must know what it adds */
	r->output.clean = !r->opts.json && isatty(r->output.fd) &&
			  !chunk_has_controls(r->chunk, r->chunk_len);
	if (!views_open(&r->views, &r->opts, &r->output, r->name))
		return EXIT_LOAD;
	code = run_session(r);
	session_close(&r->session);
	shell_signal(&r->shell, SIGTERM);
	command_end(&r->command);
	code = run_show_views(r, code);
	err = output_close(&r->output);
	if (err && !code)
		code = run_output_failed(r, err);
	return code;
}

int main(int argc, char **argv)
{
	static struct run r;
	int code;

	streams_open("ktap");
	if (bpftrace_is_name() && !bpftrace_parse(&r.opts, argc, argv))
		return EXIT_RUNTIME;
	if (!bpftrace_is_name() && !options_parse(&r.opts, argc, argv))
		return EXIT_LOAD;
	code = mode_without_script(&r.opts);
	if (code < 0 && r.opts.detach)
		code = keeper_detach(&r.opts);
	if (code >= 0)
		return code;
	code = run_loop(&r);
	/* the script itself may have said the same number */
	if (r.opts.as_bpftrace && (code == EXIT_LOAD || code == EXIT_NO_COMMAND) &&
	    (int)r.exit_code != code)
		code = EXIT_RUNTIME;
	symbolize_free(&r.symbolizer);
	btf_free(r.types);
	views_free(&r.views);
	text_free(&r.reason);
	/* the loader thread may still read it */
	if (!r.loading)
		free(r.chunk);
	if (!r.opts.text)
		free((void *)r.script.text);
	free(r.tool);
	free(r.cgroup);
	return code;
}
