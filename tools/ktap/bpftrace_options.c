// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of bpftrace, for ktap under that name: one table has its
 * options, and their counterparts in ktap or the reason why there is none.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bpftrace_options.h"
#include "compiler/util.h"
#include "elf/elf_file.h"

enum bpftrace_action {
	BO_SAME,	/* an option of ktap */
	BO_LIST,
	BO_BUFFER,
	BO_INCLUDE,
	BO_DEBUGINFO,
	BO_NONE,	/* it changes nothing here, which goes without saying */
	BO_NOTE,	/* it changes nothing here, and a warning says why */
	BO_REFUSED,
};

struct bpftrace_option {
	char letter;
	unsigned char action;	/* enum bpftrace_action */
	const char *name;
	const char *value;	/* the name of its value in the help, or NULL */
	const char *text;	/* the option of ktap, the reason, or NULL */
	const char *help;	/* NULL: it is not shown */
};

static const struct bpftrace_option bpftrace_options[] = {
	{ 'e', BO_SAME, NULL, "PROGRAM", "-e", "run PROGRAM, instead of a file" },
	{ 'l', BO_LIST, "list", NULL, NULL, "list the probes that match, or those of the script" },
	{ 'c', BO_SAME, "cmd", "COMMAND", "-c", "run COMMAND, and end with it" },
	{ 'p', BO_SAME, "pid", "PID", "-p", "only events of process PID" },
	{ 'f', BO_SAME, NULL, "FORMAT", "-f", "output format: text or json" },
	{ 'o', BO_SAME, "output", "FILE", "-o", "write the output to FILE" },
	{ 'B', BO_BUFFER, NULL, "MODE", NULL, "buffer output: none, line or full" },
	{ 'I', BO_SAME, NULL, "DIR", "-I", "search DIR for headers and scripts" },
	{ 0, BO_INCLUDE, "include", "FILE", NULL, "include FILE first" },
	{ 0, BO_SAME, "probe-filter", "REGEX", "--probe-filter", "only probes that match" },
	{ 0, BO_DEBUGINFO, "debuginfo", "DIR", NULL, "search DIR for debug information" },
	{ 0, BO_SAME, "dry-run", NULL, "--dry-run", "end when everything is attached" },
	{ 0, BO_SAME, "info", NULL, "--info", "show what the kernel has, and what it lacks" },
	{ 0, BO_SAME, "unsafe", NULL, "--unsafe", "the script may act on the system" },
	{ 'q', BO_SAME, "quiet", NULL, "-q", "print only errors, warnings and losses" },
	{ 'v', BO_SAME, "verbose", NULL, "-v", "say what happens; with -l: list fields" },
	{ 0, BO_SAME, "no-warnings", NULL, "-w", "no warnings" },
	{ 'h', BO_SAME, "help", NULL, "-h", "show this help" },
	{ 'V', BO_SAME, "version", NULL, "-V", "show the versions of the language and of ktap" },

	{ 'b', BO_NONE, "btf", NULL, NULL, NULL },
	{ 0, BO_NONE, "usdt-file-activation", NULL, NULL, NULL },
	{ 0, BO_NONE, "no-feature", "FEATURES", NULL, NULL },
	{ 0, BO_NONE, "verify-llvm-ir", NULL, NULL, NULL },
	{ 'k', BO_NOTE, "warnings", NULL,
	  "what cannot be read is 0, and a key that a map lacks has the value 0, without a warning",
	  NULL },
	{ 0, BO_NOTE, "traceable-functions", "FILE", "the kernel knows what can be traced", NULL },

	{ 'd', BO_REFUSED, "debug", "STAGE", "see ktapc --bt -d FILE, or ktap --bt --to-ktap FILE",
	  NULL },
	{ 0, BO_REFUSED, "aot", "FILE", "ktapc --bt -o FILE SCRIPT compiles a script", NULL },
	{ 0, BO_REFUSED, "emit-elf", "FILE", "ktapc --bt -o FILE SCRIPT compiles a script", NULL },
	{ 0, BO_REFUSED, "emit-llvm", "FILE", "there is no LLVM", NULL },
	{ 0, BO_REFUSED, "fmt", NULL, "ktapc --fmt formats scripts of ktap only", NULL },
	{ 0, BO_REFUSED, "mode", "MODE", "there are no benchmarks and tests", NULL },
	{ 0, BO_REFUSED, "test", NULL, "there are no tests", NULL },
	{ 0, BO_REFUSED, "bench", NULL, "there are no benchmarks", NULL },
	{ 0, BO_REFUSED, "dwarf-pid", "PID", "user stacks need frame pointers", NULL },
};

#define NR_BPFTRACE_OPTIONS	ARRAY_SIZE(bpftrace_options)
#define LONG_ONLY	256	/* more than any letter */

bool bpftrace_is_name(void)
{
	return !strcmp(options_program(), "bpftrace");
}

static const char bpftrace_synopsis[] =
	"USAGE:\n"
	"    bpftrace [options] FILE [args] [-- args]\n"
	"    bpftrace [options] -e 'PROGRAM' [args] [-- args]\n"
	"    bpftrace -l [PATTERN | FILE | -e 'PROGRAM'] [-v] [-p PID]\n";

void bpftrace_usage(FILE *out)
{
	fputs(bpftrace_synopsis, out);
	fputs("\n"
	      "This is ktap under the name bpftrace. It runs a script of bpftrace until it ends,\n"
	      "Control-C is pressed, or COMMAND exits. FILE may be - for standard input.\n"
	      "\n", out);
	for (size_t i = 0; i < NR_BPFTRACE_OPTIONS; i++) {
		const struct bpftrace_option *o = &bpftrace_options[i];
		char letter[] = { '-', o->letter, '\0' }, left[32];

		if (!o->help)
			continue;
		snprintf(left, sizeof(left), "%s%s%s%s%s%s", o->letter ? letter : "",
			 o->letter && o->name ? ", " : "", o->name ? "--" : "",
			 o->name ? o->name : "", o->value ? " " : "", o->value ? o->value : "");
		fprintf(out, "  %-21s  %s\n", left, o->help);
	}
	fputs("\n"
	      "Exit code: 0, what the script's exit() says, 1 if it cannot be run.\n", out);
}

static bool bpftrace_fail(const char *what, const char *arg)
{
	fprintf(stderr, "ERROR: USAGE: %s%s%s (bpftrace -h lists the options)\n", what, arg ? " " : "",
		arg ? arg : "");
	return false;
}

/* The path of the file, in this folder or in those of -I, as clang finds it; NULL: there is none */
static const char *bpftrace_found(const struct options *opts, const char *name)
{
	char *path;

	if (!access(name, F_OK))
		return name;
	for (const char *const *dir = opts->folders; *dir && *name != '/'; dir++) {
		if (asprintf(&path, "%s/%s", *dir, name) < 0)
			return NULL;
		if (!access(path, F_OK))
			return path;
		free(path);
	}
	return NULL;
}

/*
 * Find the files to include, and keep those that exist: a header of the system is none of the
 * script's files, as in '#include <errno.h>'.
 */
static void bpftrace_find_includes(struct options *opts)
{
	const char **to = opts->includes;

	for (const char **name = opts->includes; *name; name++) {
		const char *path = bpftrace_found(opts, *name);

		if (path)
			*to++ = path;
		else if (!opts->nowarn)
			fprintf(stderr,
				"WARNING: --include %s: there is no such file, and headers of the system are not read: types come from the kernel (BTF) or the script\n",
				*name);
	}
	*to = NULL;
}

static bool bpftrace_buffer(struct options *opts, const char *mode)
{
	opts->hold = !strcmp(mode, "full");
	if (opts->hold || !strcmp(mode, "line") || !strcmp(mode, "none"))
		return true;
	return bpftrace_fail("-B must be either 'line', 'full', or 'none', not", mode);
}

/* The colour of messages and of the output, unless there is an option */
static bool bpftrace_colour(struct options *opts)
{
	const char *when = getenv("BPFTRACE_COLOR");

	if (!when || !*when)
		return true;
	if (!options_is_colour(when)) {
		fprintf(stderr, "ERROR: BPFTRACE_COLOR must be auto, always or never, not %s\n",
			when);
		return false;
	}
	opts->color = when;
	return true;
}

static bool bpftrace_option_take(struct options *opts, const struct bpftrace_option *o, char *value)
{
	switch (o->action) {
	case BO_SAME:
		return options_set(opts, o->text, value);
	case BO_LIST:
		opts->list = "*:*";
		return true;
	case BO_BUFFER:
		return bpftrace_buffer(opts, value);
	case BO_INCLUDE:
		return options_append(opts->includes, value) ||
		       bpftrace_fail("too many --include", NULL);
	case BO_DEBUGINFO:
		return elf_add_debug_folders(value) ||
		       bpftrace_fail("too many --debuginfo", NULL);
	case BO_NONE:
	case BO_NOTE:
		return true;
	case BO_REFUSED:
		break;
	}
	fprintf(stderr, "ERROR: --%s is not supported: %s\n", o->name, o->text);
	return false;
}

/*
 * Warn of options that change nothing. @given: what getopt_long() has returned for each option of
 * the table, or 0.
 */
static void bpftrace_warn(const int *given)
{
	for (size_t i = 0; i < NR_BPFTRACE_OPTIONS; i++) {
		const struct bpftrace_option *o = &bpftrace_options[i];
		char letter[] = { o->letter, '\0' };

		if (given[i] && o->action == BO_NOTE)
			fprintf(stderr, "WARNING: -%s%s is not supported: %s\n",
				given[i] < LONG_ONLY ? "" : "-",
				given[i] < LONG_ONLY ? letter : o->name, o->text);
	}
}

/* Describe the options for getopt_long(). */
static void bpftrace_describe(char *letters, struct option *names)
{
	for (size_t i = 0; i < NR_BPFTRACE_OPTIONS; i++) {
		const struct bpftrace_option *o = &bpftrace_options[i];

		if (o->letter)
			*letters++ = o->letter;
		if (o->letter && o->value)
			*letters++ = ':';
		if (o->name)
			*names++ = (struct option) {
				.name = o->name, .val = LONG_ONLY + i,
				.has_arg = o->value ? required_argument : no_argument,
			};
	}
	*letters = '\0';
	*names = (struct option) { 0 };
}

static const struct bpftrace_option *bpftrace_option(int c)
{
	if (c >= LONG_ONLY)
		return &bpftrace_options[c - LONG_ONLY];
	for (size_t i = 0; i < NR_BPFTRACE_OPTIONS; i++)
		if (bpftrace_options[i].letter == c)
			return &bpftrace_options[i];
	return NULL;
}

/* The words after the options: a pattern, or a script and its arguments */
static bool bpftrace_words(struct options *opts, char **words)
{
	if (opts->list && *words) {
		opts->list = strcmp(*words, "*") ? *words : "*:*";
		if (words[1] || opts->text)
			return bpftrace_fail("-l takes one pattern or one script, not also",
					     opts->text ? *words : words[1]);
		words++;
	} else if (!opts->list && !opts->text) {
		if (!*words && !opts->help && !opts->version && !opts->info)
			return bpftrace_fail("filename or -e 'program' required.", NULL);
		if (*words)
			opts->script = *words++;
	}
	opts->args = words;
	return true;
}

bool bpftrace_parse(struct options *opts, int argc, char **argv)
{
	char letters[2 * NR_BPFTRACE_OPTIONS + 1];
	struct option names[NR_BPFTRACE_OPTIONS + 1];
	int given[NR_BPFTRACE_OPTIONS] = { 0 };
	const struct bpftrace_option *o;
	int c;

	memset(opts, 0, sizeof(*opts));
	opts->bpftrace = true;
	opts->as_bpftrace = true;
	bpftrace_describe(letters, names);
	while ((c = getopt_long(argc, argv, letters, names, NULL)) != -1) {
		o = bpftrace_option(c);
		if (!o) {
			fputs(bpftrace_synopsis, stderr);
			fputs("bpftrace -h lists the options; those of a script come after --\n",
			      stderr);
			return false;
		}
		given[o - bpftrace_options] = c;
		if (!bpftrace_option_take(opts, o, optarg))
			return false;
	}
	if (!opts->nowarn)
		bpftrace_warn(given);
	if (!bpftrace_colour(opts))
		return false;
	if (opts->command_line && opts->pid)
		return bpftrace_fail("Cannot use both -c and -p.", NULL);
	if (!bpftrace_words(opts, argv + optind))
		return false;
	bpftrace_find_includes(opts);
	return options_check(opts);
}
