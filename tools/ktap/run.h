/* SPDX-License-Identifier: GPL-2.0 */
/* A run of a script, from its text to its exit code. */
#ifndef KTAP_RUN_H
#define KTAP_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "cat.h"
#include "command.h"
#include "compiler/compile.h"
#include "elf/resolve.h"
#include "options.h"
#include "output_file.h"
#include "report.h"
#include "run_limit.h"
#include "script_source.h"
#include "session_file.h"
#include "shell.h"
#include "symbolize.h"
#include "views.h"

enum {
	EXIT_RUNTIME = 1,
	EXIT_LOAD = 2,
	EXIT_NO_COMMAND = 127,
	EXIT_SIGNAL = 128,	/* plus the number of the signal */
};

/**
 * struct run - one run of a script
 * @name: name of the script in messages
 * @tool: path of the script if it is an installed tool, or NULL
 * @cgroup: path of the cgroup to trace, or NULL
 * @sources: the files that it was read from
 * @chunk: the compiled script
 * @chunk_len: its length
 * @views: forms of the output that ktap makes
 * @symbolizer: adds names to addresses of user code in the output
 * @command: the command it traces; its pid is 0 if there is none
 * @limit: what ends it (--for, --until)
 * @reason: argument of dump(), of which a part has come
 * @dump_reported: a message says that dump() has no effect
 * @collected: file with the output of the command of system(), in JSON; or -1
 * @began: when loading began
 * @loading: the script is being loaded
 * @progress: the terminal shows the progress of loading
 * @refused: the kernel refused the script
 * @stopping: the session was asked to end
 * @heard: number of signals to stop that were handled
 * @requests: number of requests to stop that these made
 * @requested: time of the last request, in ms
 * @ended: the session has ended, and all its output was read
 * @exit_code: exit code from the session
 */
struct run {
	struct options opts;
	const char *name;
	char *tool;
	char *cgroup;
	struct sources sources;
	void *chunk;
	size_t chunk_len;
	struct session session;
	struct output output;
	struct views views;
	struct symbolizer symbolizer;
	struct cat cat;
	struct shell shell;
	struct report report;
	struct command command;
	struct run_limit limit;
	struct text_buffer reason;
	bool dump_reported;
	int collected;
	struct timespec began;
	bool loading;
	bool progress;
	bool refused;
	bool stopping;
	int heard;
	unsigned int requests;
	int64_t requested;
	bool ended;
	uint32_t exit_code;
	struct ktap_bpftrace_probes bpftrace_probes;
	struct ktap_script script;	/* of bpftrace */
	struct btf_file *types;		/* those of the kernel that it asked for */
	struct user_types user_types;	/* those of programs, while it is compiled */
};

/* run_chunk.c */
/* Is it "ktap SCRIPT -h"? */
bool run_wants_help(const struct options *opts);
/* The options for compiling; @r keeps what they point to. */
struct ktap_compile_opts run_compile_opts(struct run *r);
/* Read and compile the script; false after a message. */
bool run_get_chunk(struct run *r);

/* run_load.c */
/* Set up the session, before the chunk is loaded. */
int run_set_up(struct run *r);
/* The kernel refused the chunk or a set-up line: show its messages; returns the exit code. */
int run_load_failed(struct run *r, int err);
/*
 * Loading is done. Returns 0 if everything is attached, or the exit code if the
 * kernel refused the chunk.
 */
int run_loaded(struct run *r);

/* ktap.c */
void run_stop(struct run *r);
/*
 * Show the input. The rest of the input stays for later if the output is full, if a
 * command is running, or after a mark whose file had to be read: reading may take
 * long, and signals must be handled meanwhile.
 */
void run_show(struct run *r);
/* Read available data and show it; false after a message on failure. */
bool run_take(struct run *r);
int run_output_failed(struct run *r, int err);

#endif
