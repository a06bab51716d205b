// SPDX-License-Identifier: GPL-2.0
/*
 * Check the words after the script on the command line: its arguments, and
 * commands or options that the user put there by mistake.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arguments.h"
#include "compiler/clean_text.h"
#include "compiler/compile.h"
#include "script_args.h"
#include "script_help.h"
#include "script_source.h"

/* Set-up lines end at a newline, so names and arguments may not contain one. */
static bool arguments_are_lines(const struct options *opts, const char *name)
{
	const char *what = strchr(name, '\n') ? "the name" : NULL;

	for (char **arg = opts->args; *arg && !what; arg++) {
		if (strchr(*arg, '\n'))
			what = "an argument";
	}
	if (what)
		fprintf(stderr, "ktap: error: %s of the script has a newline in it\n", what);
	return !what;
}

/*
 * After -e, an unknown option belongs to the script, if the script takes
 * options.
 */
static bool arguments_known_option(const struct options *opts, bool has_options)
{
	if (!opts->foreign || has_options)
		return true;
	fputs("ktap: error: unknown option ", stderr);
	put_clean(stderr, opts->foreign, strlen(opts->foreign));
	fputs(", and the script has none of its own\n", stderr);
	options_advise(opts->foreign);
	fputs("Try 'ktap -h'.\n", stderr);
	return false;
}

/* Is this word an argument, and no option of the script? */
static bool is_argument(const char *arg, bool has_options)
{
	return !has_options || strncmp(arg, "--", 2) || !arg[2];
}

/* Return the first argument after the first @max. */
static char **arguments_beyond(char **args, int64_t max, bool has_options)
{
	for (; *args; args++) {
		if (is_argument(*args, has_options) && max-- <= 0)
			return args;
	}
	return NULL;
}

static void arguments_put_script(const struct options *opts)
{
	if (opts->text)
		fputs("-e '...'", stderr);
	else
		put_clean(stderr, opts->script, strlen(opts->script));
}

/* The words as the command of -c, which has them in one */
static void arguments_put_small_command(const struct options *opts, char **words)
{
	fputs("bpftrace: to run and trace a command: bpftrace -c '", stderr);
	for (char **arg = words; *arg; arg++) {
		fputs(arg == words ? "" : " ", stderr);
		put_clean(stderr, *arg, strlen(*arg));
	}
	fputs("' ", stderr);
	arguments_put_script(opts);
	for (char **arg = opts->args; arg != words; arg++) {
		fputc(' ', stderr);
		put_clean(stderr, *arg, strlen(*arg));
	}
	fputc('\n', stderr);
}

static void arguments_put_command(const struct options *opts, char **words)
{
	fputs("ktap: to run and trace a command: ktap ", stderr);
	arguments_put_script(opts);
	for (char **arg = opts->args; *arg; arg++) {
		fputs(arg == words ? " -- " : " ", stderr);
		put_clean(stderr, *arg, strlen(*arg));
	}
	fputc('\n', stderr);
}

static void arguments_list_options(const void *chunk, size_t len)
{
	if (!ktap_has_options(chunk, len))
		return;
	fprintf(stderr, "%s: options of the script: ", options_program());
	ktap_list_options(stderr, chunk, len);
	fputc('\n', stderr);
}

/* Print the options of the script, and where options of ktap belong. */
static void arguments_put_options(const struct options *opts, char **words, const void *chunk,
				  size_t len)
{
	if (opts->as_bpftrace) {
		fputs("bpftrace: options of bpftrace go before --", stderr);
		fputs(ktap_has_options(chunk, len) ? "\n" :
		      ", and the script has none of its own: it does not call getopt()\n",
		      stderr);
	} else if (options_among(words)) {
		fputs("ktap: options of ktap go before the script: ktap ", stderr);
		put_clean(stderr, options_among(words), strlen(options_among(words)));
		fputs(" ... ", stderr);
		arguments_put_script(opts);
		fputc('\n', stderr);
	}
	arguments_list_options(chunk, len);
}

/* The word before this one, if that is an option of ktap, of which this may be the value. */
static char **arguments_option_before(const struct options *opts, char **word)
{
	char *before[] = { word > opts->args ? word[-1] : NULL, NULL };

	return options_among(before) ? word - 1 : NULL;
}

static bool arguments_are_few(const struct options *opts, const void *chunk, size_t len,
			      bool has_options, int64_t least)
{
	int64_t max = ktap_max_args(chunk, len);
	char **extra, **option;

	max = max >= 0 && max < least ? least : max;
	extra = max < 0 ? NULL : arguments_beyond(opts->args, max, has_options);
	if (!extra)
		return true;
	fprintf(stderr, "%s: error: ", options_program());
	if (opts->text)
		fputs("this script", stderr);
	else
		arguments_put_script(opts);
	if (max)
		fprintf(stderr, " takes at most %" PRId64 " argument%s: '", max,
			max > 1 ? "s" : "");
	else
		fputs(" takes no arguments: '", stderr);
	put_clean(stderr, *extra, strlen(*extra));
	fputs(max ? "' is one more\n" : "' is one\n", stderr);
	option = **extra == '-' && (*extra)[1] ? extra : arguments_option_before(opts, extra);
	if (option)
		arguments_put_options(opts, option, chunk, len);
	else if (opts->as_bpftrace)
		arguments_put_small_command(opts, extra);
	else
		arguments_put_command(opts, extra);
	/* "ktap runqslower 500": a number that an option takes elsewhere */
	if (!option)
		arguments_list_options(chunk, len);
	return false;
}

/*
 * Suggest to put options before the script: "ktap SCRIPT -p 1" was probably
 * meant for ktap.
 */
static void arguments_note_options(const struct options *opts, bool has_options)
{
	const char *option = opts->script && !opts->as_bpftrace ?
			     options_among(opts->args) : NULL;

	if (option && !has_options && !opts->quiet)
		fprintf(stderr, "ktap: %s is an argument of the script, as it comes after the script\n",
			option);
}

/* bpftrace takes --name=False, too. */
static void arguments_small_boolean(char *arg, const void *chunk, size_t len)
{
	char *value = strchr(arg, '=');

	if (strncmp(arg, "--", 2) || !value || (strcmp(value, "=True") && strcmp(value, "=False")))
		return;
	*value = '\0';
	if (!ktap_option_takes_value(chunk, len, arg + 2))
		value[1] = value[1] == 'T' ? 't' : 'f';
	*value = '=';
}

bool arguments_join(struct options *opts, const void *chunk, size_t len)
{
	char **to = opts->args;

	for (char **arg = opts->args; *arg; arg++) {
		bool option = !strncmp(*arg, "--", 2) && (*arg)[2] && arg[1] &&
			      strncmp(arg[1], "--", 2) &&
			      ktap_option_takes_value(chunk, len, *arg + 2);

		*to = *arg;
		if (source_is_bpftrace(opts))
			arguments_small_boolean(*arg, chunk, len);
		if (option && asprintf(to, "%s=%s", *arg, arg[1]) < 0) {
			fputs("ktap: error: no memory for an option\n", stderr);
			return false;
		}
		to++;
		arg += option;
	}
	*to = NULL;
	return true;
}

bool arguments_check(const struct options *opts, const char *name, const void *chunk, size_t len,
		     unsigned int least)
{
	bool has_options = ktap_has_options(chunk, len);

	if (!arguments_are_lines(opts, name) || !arguments_known_option(opts, has_options) ||
	    !arguments_are_few(opts, chunk, len, has_options, least))
		return false;
	arguments_note_options(opts, has_options);
	return true;
}

bool arguments_check_pid(const struct options *opts)
{
	static const char pid[] = "--pid=";

	for (char **arg = opts->args; *arg; arg++) {
		const char *value = *arg + strlen(pid);
		size_t digits;

		if (strncmp(*arg, pid, strlen(pid)))
			continue;
		digits = strspn(value, "0123456789");
		/* 0 is that of all processes; what is no number is an error of the script */
		if (!digits || value[digits] || strspn(value, "0") == digits)
			continue;
		if (digits < 10 && (!kill(strtoll(value, NULL, 10), 0) || errno != ESRCH))
			continue;
		fprintf(stderr, "ktap: error: option --pid: there is no process %s\n", value);
		return false;
	}
	return true;
}
