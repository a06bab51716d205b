/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of ktap. */
#ifndef KTAP_OPTIONS_H
#define KTAP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_FOLDERS	32
#define REPLAY_MAX_FILES	64

/**
 * struct options - the parsed command line
 * @script: file of the script or chunk, "-" for standard input; NULL with @text
 * @text: the script itself (-e), or NULL
 * @args: its arguments, NULL-terminated; "--pid 68" may become one word
 * @foreign: an unknown option, which must be one of the script; or NULL
 * @command: command to start and trace, NULL-terminated; or NULL
 * @command_line: that command in one word, with blanks between its words; or NULL
 * @output: file for the script's output, or NULL
 * @format: format of that output: "text", "json", "csv", or NULL
 * @color: "auto", "always" or "never"
 * @flame: file for a flame graph of the stacks, or NULL
 * @live: seconds between screens, or 0
 * @metrics: file for the variables, or NULL
 * @heatmap: file for heat maps of the histograms, "-" for the output, or NULL
 * @record: file for a recording, or NULL
 * @replay: first recording to show instead of running a script, or NULL
 * @recordings: all of these, NULL-terminated
 * @detach: name under which the session runs without a terminal, or NULL
 * @attach: such a session to show, or NULL
 * @stop: such a session to end, or NULL
 * @keep: bytes of its output to keep, or 0
 * @dump: the beginning of the names of files with that output, or NULL
 * @ready: in the process that runs it: file descriptor to say that it is armed
 * @received: all output of that session was shown
 * @seconds: time until the end, or 0
 * @until: lines of output until the end, or 0
 * @interval: seconds between two such files, or of a column of a heat map; or 0
 * @shows: seconds after which variables are shown (--live, --metrics, --heatmap), or 0
 * @json: the kernel makes lines of JSON
 * @csv: these become comma-separated values
 * @as_text: a recording's lines of JSON become text
 * @folders: folders to search for included files, NULL-terminated
 * @includes: of a script of bpftrace: paths of files to include first, NULL-terminated
 * @bpftrace: the script is one of bpftrace
 * @as_bpftrace: and the program has the name bpftrace
 * @hold: write output only when a buffer is full
 * @bpftrace_json: its output is JSON as bpftrace prints it
 * @probe_filter: of that script, only events that match this regular expression, or NULL
 * @to_ktap: only print it in ktap's language
 * @dry_run: attach nothing
 * @info: show what the kernel has instead
 * @explain: word or message to explain instead, or NULL
 * @list: pattern of events to list instead, or NULL
 * @pid: process to trace, or 0
 * @cgroup: path of a cgroup to trace, or NULL
 * @comm: name of the threads to trace, or NULL
 * @timestamps: put the local time before each line of output
 * @all: with @command: trace others, too
 * @cpus: list of CPUs to trace, or NULL
 * @memory: memory limit of the session in bytes, 0 for the kernel's default
 * @lines: show lines of source files for code of programs
 * @dump_jit: only list native code
 * @overhead: overhead limit in percent of each CPU, 0 for the kernel's default
 *
 * The strings are those of argv.
 */
struct options {
	const char *script;
	const char *text;
	char **args;
	const char *foreign;
	char **command;
	const char *command_line;
	const char *output;
	const char *format;
	const char *color;
	const char *flame;
	const char *explain;
	const char *list;
	const char *probe_filter;
	const char *folders[MAX_FOLDERS + 1];
	const char *includes[MAX_FOLDERS + 1];
	uint64_t live;
	const char *metrics;
	const char *heatmap;
	const char *record;
	const char *replay;
	char **recordings;
	const char *detach;
	const char *attach;
	const char *stop;
	uint64_t keep;
	const char *dump;
	int ready;
	uint64_t seconds;
	uint64_t until;
	uint64_t interval;
	uint64_t shows;
	uint64_t pid;
	const char *cgroup;
	const char *comm;
	const char *cpus;
	uint64_t memory;
	uint64_t overhead;
	bool json;
	bool csv;
	bool as_text;
	bool received;
	bool sessions;
	bool folded;
	bool all;
	bool follow;
	bool self;
	bool unsafe;
	bool timestamps;
	bool no_symbols;
	bool lines;
	bool dump_jit;
	bool quiet;
	bool verbose;
	bool nowarn;
	bool werror;
	bool bpftrace;
	bool as_bpftrace;
	bool hold;
	bool bpftrace_json;
	bool to_ktap;
	bool info;
	bool dry_run;
	bool help;
	bool version;
};

/*
 * Fill @opts from the command line; changes @argv. Returns false after a
 * message on stderr if the command line is invalid.
 */
bool options_parse(struct options *opts, int argc, char **argv);

/*
 * Set the option of ktap that has that name. Returns false after a message if the value is
 * wrong.
 */
bool options_set(struct options *opts, const char *name, const char *value);

/* Append to options.folders or options.includes; false if it is full. */
bool options_append(const char **list, const char *item);

/*
 * Check what belongs together, and set what follows from it. Returns false after a message.
 */
bool options_check(struct options *opts);

/* Is it a value of --color? */
bool options_is_colour(const char *when);

/* The name in messages about the command line: "bpftrace" if the program has it, or "ktap" */
const char *options_program(void);

/* Print what to write instead of an unknown option, if that is known. */
void options_advise(const char *arg);

/* Find the first of @args that is an option of ktap, or NULL. */
const char *options_among(char **args);

/* The option that has variables shown (&options.shows). */
const char *options_showing(const struct options *opts);

void options_usage(FILE *out);

#endif
