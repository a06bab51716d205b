// SPDX-License-Identifier: GPL-2.0
/*
 * ktap: compiles a script, loads it into the kernel, and shows its output until
 * it ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cat.h"
#include "cmdline.h"
#include "command.h"
#include "compile.h"
#include "list.h"
#include "options.h"
#include "output.h"
#include "report.h"
#include "resolve.h"
#include "session.h"
#include "shell.h"
#include "symbolize.h"
#include "tool.h"
#include "util.h"

enum {
	EXIT_RUNTIME = 1,
	EXIT_LOAD = 2,
	EXIT_NO_COMMAND = 127,
	EXIT_SIGNAL = 128,	/* plus its number */
};

#define SAME_REQUEST_MS	50

/**
 * struct run - one run of a script
 * @name: of the script, in messages
 * @tool: path of the installed tool that the script is, or NULL
 * @sources: the files that it was read from
 * @chunk: the compiled script
 * @chunk_len: its length
 * @symbolizer: names the places of user code in its output
 * @command: the command it traces; its pid is 0 if there is none
 * @refused: the kernel does not take the script
 * @stopping: the session was asked to end
 * @heard: signals to stop that were looked at
 * @requests: to stop, that these made
 * @requested: when the last was acted upon, in ms
 * @ended: the session has said all
 * @exit_code: what it said the exit code is
 */
struct run {
	struct options opts;
	const char *name;
	char *tool;
	struct sources sources;
	void *chunk;
	size_t chunk_len;
	struct session session;
	struct output output;
	struct symbolizer symbolizer;
	struct cat cat;
	struct shell shell;
	struct report report;
	struct command command;
	bool refused;
	bool stopping;
	int heard;
	unsigned int requests;
	int64_t requested;
	bool ended;
	uint32_t exit_code;
};

static volatile sig_atomic_t stop_signals;	/* how many have come */
static volatile sig_atomic_t last_signal;
static volatile sig_atomic_t child_signal;
static bool deaf;	/* to Control-C, as a shell that is no terminal's makes its jobs */

static void on_stop_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	/* what the terminal says to all is not for us, what somebody says to us is */
	if (deaf && sig == SIGINT && info->si_code == SI_KERNEL)
		return;
	stop_signals++;
	last_signal = sig;
}

static void on_child_signal(int sig)
{
	child_signal = sig;
}

/*
 * From here on signals arrive in ppoll() only.  Until here Control-C just ends
 * ktap: a script whose top level never ends must not keep it from that.
 */
static void catch_signals(sigset_t *ignored)
{
	static const int stop[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction stop_action = {
		.sa_sigaction = on_stop_signal, .sa_flags = SA_SIGINFO,
	};
	struct sigaction child_action = { .sa_handler = on_child_signal };
	struct sigaction old;
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	for (size_t i = 0; i < ARRAY_SIZE(stop); i++)
		sigaddset(&set, stop[i]);
	sigprocmask(SIG_BLOCK, &set, NULL);

	sigemptyset(ignored);
	for (size_t i = 0; i < ARRAY_SIZE(stop); i++) {
		sigaction(stop[i], &stop_action, &old);
		if (old.sa_handler != SIG_IGN)
			continue;
		sigaddset(ignored, stop[i]);
		if (stop[i] == SIGINT)
			deaf = true;
		else
			sigaction(stop[i], &old, NULL);	/* as nohup wants it */
	}
	sigaction(SIGCHLD, &child_action, NULL);
	if (signal(SIGPIPE, SIG_IGN) == SIG_IGN)
		sigaddset(ignored, SIGPIPE);
}

/* Where there is always something to do, ppoll() lets none through. */
static void hear_signals(void)
{
	sigset_t none, old;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, &old);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

/*
 * Read the script.  A name alone, "opensnoop", is that of a tool before it is that of a
 * file: who runs tools should not run what others have put into this folder.  What has
 * an ending or a slash is a file before it is a tool.
 */
static int read_script(struct run *r, struct ktap_source *source)
{
	const struct options *opts = &r->opts;
	const char *script = opts->script;
	struct stat st;
	bool bare = !strpbrk(script, "./") && strcmp(script, "-");
	int err = -ENOENT;

	r->name = script;
	if (bare)
		r->tool = ktap_find_tool(script);
	if (!r->tool)
		err = sources_read(&r->sources, script, source);
	if ((err == -ENOENT || err == -EISDIR) && !bare)
		r->tool = ktap_find_tool(script);
	if (r->tool && bare && !opts->quiet && !stat(script, &st) && S_ISREG(st.st_mode))
		fprintf(stderr, "ktap: %s is the tool of that name; the file is ./%s\n", script,
			script);
	if (r->tool) {
		r->name = r->tool;
		err = sources_read(&r->sources, r->tool, source);
	}
	if (!err) {
		if (!strcmp(script, "-"))
			r->name = "<stdin>";
		return 0;
	}
	fprintf(stderr, "ktap: error: cannot read %s: %s\n", r->name, ktap_read_error(err));
	if (err == -ENOENT)
		ktap_suggest_tool(stderr, script);
	return err;
}

static bool get_chunk(struct run *r)
{
	const struct options *opts = &r->opts;
	struct ktap_compile_opts copts = {
		.werror = opts->werror, .nowarn = opts->nowarn, .diag = stderr,
		.folders = opts->folders, .read = sources_read, .read_ctx = &r->sources,
	};
	struct ktap_source source = { .text = opts->text };

	if (opts->text) {
		r->name = "-e";
		source.len = strlen(opts->text);
	} else {
		if (read_script(r, &source))
			return false;
		if (ktap_is_chunk(source.text, source.len)) {
			r->chunk = (void *)source.text;
			r->chunk_len = source.len;
			return true;
		}
	}
	source.name = r->name;
	r->chunk = ktap_compile(&source, &copts, &r->chunk_len);
	if (!opts->text)
		free((void *)source.text);
	return r->chunk;
}

/* The command is whole. */
static void run_command(struct run *r)
{
	if (!r->opts.unsafe)
		shell_refuse(&r->shell, "not run without --unsafe");
	else if (shell_is_cut(&r->shell))
		shell_refuse(&r->shell, "not run, as it is too long to be whole");
	else if (r->refused)
		shell_refuse(&r->shell, "not run, as the script was refused");
	else
		shell_start(&r->shell, r->output.fd);
}

/*
 * Show what was read; what finds no room in the output, or comes behind a command
 * that runs, stays for later.  So does what comes behind a place in a file that had to
 * be read: a program may have many, and signals are to be heard meanwhile.
 */
static void show(struct run *r)
{
	struct piece piece;
	size_t n;

	r->symbolizer.opened = false;
	while (!r->shell.pid && symbolize_flush(&r->symbolizer, &r->output) &&
	       cat_copy(&r->cat, &r->output) && session_peek(&r->session, &piece)) {
		n = piece.len;
		switch (piece.channel) {
		case KTAP_CH_OUTPUT:
			n = symbolize_add(&r->symbolizer, &r->output, piece.data, piece.len);
			if (!n)
				return;
			break;
		case KTAP_CH_ERROR:
		case KTAP_CH_NOTE:
			if (output_pending(&r->output))
				return;	/* keep the order */
			report_add(&r->report, piece.channel, piece.data, piece.len);
			break;
		case KTAP_CH_CAT:
			cat_add(&r->cat, piece.data, piece.len);
			if (piece.last)
				cat_open(&r->cat, &r->output);
			break;
		case KTAP_CH_SYSTEM:
			if (output_pending(&r->output))
				return;	/* its output comes behind ours */
			shell_add(&r->shell, piece.data, piece.len);
			if (piece.last)
				run_command(r);
			break;
		case KTAP_CH_EXIT:
			/* little-endian, and a piece may be any part of it */
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

/* Read what there is, and show it; false after a message if that fails. */
static bool take(struct run *r)
{
	ssize_t n = session_read(&r->session);

	if (n < 0 && n != -EAGAIN && n != -EINTR) {
		fprintf(stderr, "ktap: error: cannot read the session: %s\n", strerror(-n));
		return false;
	}
	r->ended = !n;
	if (r->ended)
		symbolize_end(&r->symbolizer);
	show(r);
	return true;
}

static void stop(struct run *r)
{
	if (!r->stopping)
		session_stop(&r->session);
	r->stopping = true;
}

static int64_t now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

/*
 * One request may come as several signals: timeout(1) tells us and then the whole group,
 * and that a terminal is gone the kernel says, and the shell.
 */
static bool is_request(const struct run *r)
{
	return !r->requests || now_ms() - r->requested >= SAME_REQUEST_MS;
}

static void obey(struct run *r)
{
	r->requests++;
	stop(r);
	/* what comes behind a command, or a file, waits for its end; not so the next */
	shell_signal(&r->shell, last_signal);
	cat_stop(&r->cat);
	r->requested = now_ms();
}

/* Returns whether the run must end at once. */
static bool handle_signals(struct run *r)
{
	int heard = stop_signals;

	if (heard != r->heard) {
		r->heard = heard;
		if (is_request(r))
			obey(r);
	}
	if (child_signal) {
		child_signal = 0;
		if (command_exited(&r->command))
			stop(r);
		shell_exited(&r->shell);
	}
	if (r->requests > 1)
		return true;
	show(r);
	return false;
}

static int output_failed(struct run *r, int err)
{
	if (err == -EPIPE)
		return 0;	/* nobody wants to know more */
	fprintf(stderr, "ktap: error: cannot write to %s: %s\n",
		r->opts.output ? r->opts.output : "standard output", strerror(-err));
	return EXIT_RUNTIME;
}

/* Pass on what the session says until it ends; returns the exit code. */
static int follow_session(struct run *r)
{
	struct pollfd fds[2] = {
		{ .fd = r->session.fd },
		{ .fd = r->output.fd },
	};
	const struct timespec at_once = { 0 };
	struct piece piece;
	sigset_t none;
	int err;

	sigemptyset(&none);
	while (!r->ended || output_pending(&r->output) || r->shell.pid) {
		bool more = session_peek(&r->session, &piece);
		bool go_on = more && r->symbolizer.opened;

		fds[0].fd = r->ended || more ? -1 : r->session.fd;
		fds[0].events = POLLIN;
		fds[1].events = output_pending(&r->output) ? POLLOUT : 0;
		if (ppoll(fds, 2, go_on ? &at_once : NULL, &none) < 0) {
			if (errno != EINTR) {
				perror("ktap: error: poll");
				return EXIT_RUNTIME;
			}
			fds[0].revents = 0;
			fds[1].revents = 0;
		}
		hear_signals();
		if ((stop_signals != r->heard || child_signal) && handle_signals(r))
			return EXIT_SIGNAL + last_signal;

		if (fds[0].revents) {
			if (!take(r))
				return EXIT_RUNTIME;
		} else if (fds[1].revents) {
			err = fds[1].revents & POLLOUT ? output_write(&r->output) : -EPIPE;
			if (err)
				return output_failed(r, err);
			show(r);
		} else if (go_on) {
			show(r);
		}
	}
	report_flush(&r->report);
	return r->exit_code;
}

/* The kernel refused the chunk or a line: show what it says about that. */
static int load_failed(struct run *r, int err)
{
	int wrong = 0;

	r->refused = true;
	fcntl(r->session.fd, F_SETFL, O_RDWR | O_NONBLOCK);
	while (!wrong && session_read(&r->session) > 0) {
		show(r);
		while (!wrong && output_pending(&r->output)) {
			struct pollfd fd = { .fd = r->output.fd, .events = POLLOUT };

			poll(&fd, 1, -1);
			wrong = output_write(&r->output);
			show(r);
		}
	}
	report_flush(&r->report);
	if (!r->report.errors)
		fprintf(stderr, "ktap: error: cannot load %s: %s\n", r->name, strerror(-err));
	return EXIT_LOAD;
}

/* What the script names of programs and libraries is looked up here. */
static int set_up_user(struct run *r)
{
	struct resolver resolver;
	char *lines;
	int err = 0;

	resolver_init(&resolver, &r->symbolizer.target);
	lines = resolve_chunk(&resolver, r->chunk, r->chunk_len, r->opts.args,
			      r->opts.quiet ? NULL : stderr);
	if (lines)
		err = session_setup(&r->session, "%s", lines);
	free(lines);
	resolver_free(&resolver);
	return err;
}

static int set_up(struct run *r)
{
	const struct options *opts = &r->opts;
	bool only_command = r->command.pid && !opts->all;
	struct session *s = &r->session;
	const char *key;
	int err;

	err = session_setup(s, "arg %s", r->name);
	for (char **arg = opts->args; *arg && !err; arg++)
		err = session_setup(s, "arg %s", *arg);
	if (!err && (opts->pid || only_command))
		err = session_setup(s, "pid %lld", opts->pid ? (long long)opts->pid :
				    (long long)r->command.pid);
	if (!err && (opts->follow || only_command))
		err = session_setup(s, "follow");
	if (!err && opts->cpus)
		err = session_setup(s, "cpus %s", opts->cpus);
	if (!err && opts->unsafe)
		err = session_setup(s, "unsafe");
	if (!err && opts->self)
		err = session_setup(s, "self");
	if (!err && opts->memory)
		err = session_setup(s, "memory %llu", (unsigned long long)opts->memory);
	if (!err && opts->overhead)
		err = session_setup(s, "overhead %llu", (unsigned long long)opts->overhead);
	key = !opts->no_symbols && symbolize_wanted(r->chunk, r->chunk_len) ?
		symbolize_key(&r->symbolizer) : NULL;
	if (!err && key)
		err = session_setup(s, "symbols %s", key);
	if (!err)
		err = set_up_user(r);
	return err;
}

/* Load the chunk; 0, or the exit code. */
static int load(struct run *r)
{
	struct timespec begin, end;
	int err;

	if (!session_accepts(&r->session, r->name, r->chunk, r->chunk_len))
		return EXIT_LOAD;
	clock_gettime(CLOCK_MONOTONIC, &begin);
	err = set_up(r);
	if (!err)
		err = session_load(&r->session, r->chunk, r->chunk_len);
	if (err)
		return load_failed(r, err);

	clock_gettime(CLOCK_MONOTONIC, &end);
	if (r->opts.verbose)
		fprintf(stderr, "ktap: loaded a chunk of %zu bytes in %lld us\n", r->chunk_len,
			(end.tv_sec - begin.tv_sec) * 1000000LL +
			(end.tv_nsec - begin.tv_nsec) / 1000);
	return 0;
}

/* The part of a run that needs the session. */
static int run_session(struct run *r)
{
	int code, err;

	if (!session_open(&r->session))
		return EXIT_LOAD;
	code = load(r);
	if (code)
		return code;
	err = output_begin(&r->output);
	if (err)
		return output_failed(r, err);

	catch_signals(&r->shell.ignored);
	if (r->command.pid) {
		err = command_start(&r->command);
		if (err) {
			fprintf(stderr, "ktap: error: cannot run %s: %s\n", r->opts.command[0],
				strerror(-err));
			return EXIT_NO_COMMAND;
		}
	} else if (!r->opts.quiet && session_status(&r->session, NULL)) {
		/* what the kernel has to say about loading comes first */
		if (!take(r))
			return EXIT_RUNTIME;
		fprintf(stderr, "Press Control-C to stop.\n");
	}

	code = follow_session(r);
	if (r->opts.verbose)
		session_status(&r->session, stderr);
	return code;
}

/* In the session a line ends where a name or an argument has a newline in it. */
static bool check_lines(const struct run *r)
{
	const char *what = strchr(r->name, '\n') ? "the name" : NULL;

	for (char **arg = r->opts.args; *arg && !what; arg++) {
		if (strchr(*arg, '\n'))
			what = "an argument";
	}
	if (what)
		fprintf(stderr, "ktap: error: %s of the script has a newline in it\n", what);
	return !what;
}

/* Behind -e an option that ktap does not have is the script's, if that has any. */
static bool check_foreign(const struct run *r)
{
	if (!r->opts.foreign || ktap_has_options(r->chunk, r->chunk_len))
		return true;
	fprintf(stderr, "ktap: error: unknown option %s, and the script has none of its own\n"
		"Try 'ktap -h'.\n", r->opts.foreign);
	return false;
}

/* "ktap SCRIPT -p 1": most likely it was meant for ktap. */
static void note_options(const struct run *r)
{
	const char *option = r->opts.script ? options_among(r->opts.args) : NULL;

	if (option && !ktap_has_options(r->chunk, r->chunk_len))
		fprintf(stderr, "ktap: %s is an argument of the script, as it stands behind it\n",
			option);
}

/* "ktap SCRIPT -h" */
static bool wants_help(const struct options *opts)
{
	const char *first = opts->args[0];

	return first && (!strcmp(first, "-h") || !strcmp(first, "--help"));
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
	err = output_open(&r->output, r->opts.output);
	if (err)
		output_failed(r, err);
	return !err;
}

static int run(struct run *r)
{
	int code, err;

	if (!get_chunk(r) || !check_lines(r) || !check_foreign(r))
		return EXIT_LOAD;
	if (wants_help(&r->opts)) {
		ktap_show_help(stdout, r->name, r->chunk, r->chunk_len);
		return finish_stdout("ktap") ? 0 : EXIT_RUNTIME;
	}
	if (!r->opts.quiet)
		note_options(r);
	r->report.chunk = r->chunk;
	r->report.chunk_len = r->chunk_len;
	r->report.quiet = r->opts.quiet;
	target_init(&r->symbolizer.target, r->opts.pid);

	if (!open_output(r))
		return EXIT_LOAD;
	if (r->opts.command) {
		err = command_fork(&r->command, r->opts.command);
		if (err) {
			fprintf(stderr, "ktap: error: cannot make a process: %s\n", strerror(-err));
			return EXIT_LOAD;
		}
	}

	code = run_session(r);
	session_close(&r->session);
	shell_signal(&r->shell, SIGTERM);
	command_end(&r->command);
	err = output_close(&r->output);
	if (err && !code)
		code = output_failed(r, err);
	return code;
}

/* Without any script */
static bool show_what_there_is(const struct options *opts)
{
	if (opts->list && !opts->help && !opts->version)
		return list_events(opts->list, opts->pid);
	if (opts->help)
		options_usage(stdout);
	else
		printf("ktap %d.%d\n", KTAP_ABI_MAJOR, KTAP_ABI_MINOR);
	return true;
}

int main(int argc, char **argv)
{
	static struct run r;
	int code;

	streams_open("ktap");
	if (!options_parse(&r.opts, argc, argv))
		return EXIT_LOAD;
	if (r.opts.help || r.opts.version || r.opts.list)
		return show_what_there_is(&r.opts) && finish_stdout("ktap") ? 0 : EXIT_RUNTIME;
	code = run(&r);
	symbolize_free(&r.symbolizer);
	free(r.chunk);
	free(r.tool);
	return code;
}
