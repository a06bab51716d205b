/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of ktap. */
#ifndef KTAP_OPTIONS_H
#define KTAP_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#define MAX_FOLDERS	32

/**
 * struct options - what the command line asks for
 * @script: file of the script or chunk, "-" for standard input; NULL with @text
 * @text: the script itself (-e), or NULL
 * @args: its arguments, NULL-terminated
 * @foreign: an argument that is an option of the script, if not a mistake; or NULL
 * @command: what to start and trace, NULL-terminated; NULL if nothing
 * @output: file for the script's output, or NULL
 * @folders: where to search for what the script includes, NULL-terminated
 * @list: pattern of events to list instead, or NULL
 * @pid: process to trace, or 0
 * @all: with @command: trace others, too
 * @cpus: list of CPUs to trace, or NULL
 * @memory: limit of the session's memory in bytes, 0 for the kernel's own
 * @overhead: percent of each CPU that handlers may take, 0 for the kernel's own rule
 *
 * Everything points into the argv that was parsed.
 */
struct options {
	const char *script;
	const char *text;
	char **args;
	const char *foreign;
	char **command;
	const char *output;
	const char *list;
	const char *folders[MAX_FOLDERS + 1];
	uint64_t pid;
	const char *cpus;
	uint64_t memory;
	uint64_t overhead;
	bool all;
	bool follow;
	bool self;
	bool unsafe;
	bool no_symbols;
	bool quiet;
	bool verbose;
	bool nowarn;
	bool werror;
	bool help;
	bool version;
};

/*
 * Fill @opts from the command line; changes @argv.  Returns false after a
 * message on stderr if the command line makes no sense.
 */
bool options_parse(struct options *opts, int argc, char **argv);

/* The first of @args that is spelled as an option of ktap, or NULL. */
const char *options_among(char **args);

void options_usage(FILE *out);

#endif
