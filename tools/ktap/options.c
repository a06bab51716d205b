// SPDX-License-Identifier: GPL-2.0
/*
 * The command line of ktap: one table has the names of the options, their
 * values, where these are stored, and their help.
 *
 * Options end at the script, whose arguments follow. After -e they end at the
 * first argument that is no option of ktap. "--" always begins the command to
 * trace.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "cmdline.h"
#include "compiler/clean_text.h"
#include "compiler/library.h"
#include "compiler/suggest.h"
#include "compiler/util.h"
#include "elf/source_lines.h"
#include "heatmap.h"
#include "keeper.h"
#include "metrics.h"
#include "options.h"
#include "script_source.h"

enum option_kind {
	OPT_FLAG,	/* bool */
	OPT_STRING,	/* const char * */
	OPT_PATTERN,	/* const char *; may be missing, and is "*" then */
	OPT_FOLDER,	/* const char *[MAX_FOLDERS + 1]: appended */
	OPT_NUMBER,	/* uint64_t, greater than 0 */
	OPT_SIZE,	/* uint64_t with an optional suffix k, M or G */
	OPT_PERCENT,	/* uint64_t, 1 to 100 */
	OPT_TIME,	/* uint64_t, seconds, with an optional suffix s, m, h or d */
};

struct option_row {
	const char *name;	/* with its dashes */
	const char *alias;	/* a second name, or NULL */
	const char *value;	/* name of its value in the help */
	unsigned char kind;	/* enum option_kind */
	unsigned short field;	/* offset in struct options */
	const char *help;
};

#define MAX_PID	4194304	/* of Linux */
#define MAX_COMM	15	/* as above */
#define FIELD(name)	offsetof(struct options, name)

static const struct option_row option_table[] = {
	{ "-e", NULL, "SCRIPT", OPT_STRING, FIELD(text), "run SCRIPT, instead of a file" },
	{ "-o", NULL, "FILE", OPT_STRING, FIELD(output), "write the script's output to FILE" },
	{ "-f", "--format", "FORMAT", OPT_STRING, FIELD(format),
	  "output format: text (default), json or csv" },
	{ "-T", "--timestamps", NULL, OPT_FLAG, FIELD(timestamps),
	  "begin each line of output with its local time" },
	{ "--folded", NULL, NULL, OPT_FLAG, FIELD(folded),
	  "print only stacks of tables, folded" },
	{ "--flame", NULL, "FILE", OPT_STRING, FIELD(flame),
	  "write a flame graph of these (SVG) to FILE" },
	{ "--live", NULL, "SECONDS", OPT_NUMBER, FIELD(live),
	  "show the script's variables on one screen" },
	{ "--metrics", NULL, "FILE", OPT_STRING, FIELD(metrics),
	  "write the script's variables to FILE, for Prometheus" },
	{ "--heatmap", NULL, "FILE", OPT_STRING, FIELD(heatmap),
	  "write heat maps of histograms (SVG) to FILE; - prints" },
	{ "--interval", NULL, "SECONDS", OPT_NUMBER, FIELD(interval),
	  "with these two: seconds between times (default 15, 1)" },
	{ "--record", NULL, "FILE", OPT_STRING, FIELD(record),
	  "keep the output in FILE, in any format, for --replay" },
	{ "--replay", NULL, "FILE...", OPT_STRING, FIELD(replay),
	  "show recordings, merged by time" },
	{ "--for", NULL, "TIME", OPT_TIME, FIELD(seconds), "end after TIME (30, 10m, 2h, 1d)" },
	{ "--until", NULL, "LINES", OPT_NUMBER, FIELD(until), "end after LINES of output" },
	{ "--detach", NULL, "NAME", OPT_STRING, FIELD(detach),
	  "run without a terminal, as session NAME" },
	{ "--keep", NULL, "SIZE", OPT_SIZE, FIELD(keep),
	  "with --detach: keep the newest output (default 16M)" },
	{ "--dump", NULL, "FILE", OPT_STRING, FIELD(dump),
	  "with --detach: dump() and SIGUSR1 write it to FILE.N" },
	{ "--attach", NULL, "NAME", OPT_STRING, FIELD(attach), "show the output of session NAME" },
	{ "--stop", NULL, "NAME", OPT_STRING, FIELD(stop), "end session NAME and show its output" },
	{ "--sessions", NULL, NULL, OPT_FLAG, FIELD(sessions), "list these sessions" },
	{ "--color", NULL, "WHEN", OPT_STRING, FIELD(color),
	  "colour on a terminal: auto, always or never" },
	{ "--bt", NULL, NULL, OPT_FLAG, FIELD(bpftrace),
	  "the script is one of bpftrace, as FILE.bt is" },
	{ "-c", NULL, "COMMAND", OPT_STRING, FIELD(command_line),
	  "with --bt: run COMMAND, split at blanks; as -a -- COMMAND" },
	{ "--probe-filter", NULL, "REGEX", OPT_STRING, FIELD(probe_filter),
	  "with --bt: only events of the script that match" },
	{ "--to-ktap", NULL, NULL, OPT_FLAG, FIELD(to_ktap),
	  "print it in ktap's language, run nothing" },
	{ "-I", NULL, "DIR", OPT_FOLDER, FIELD(folders), "search DIR for included scripts" },
	{ "-l", NULL, "[PATTERN]", OPT_PATTERN, FIELD(list),
	  "list events (sched:*, *open*); -lv: with their fields" },
	{ "--dry-run", NULL, NULL, OPT_FLAG, FIELD(dry_run),
	  "attach nothing, but say what would be attached" },
	{ "--info", NULL, NULL, OPT_FLAG, FIELD(info),
	  "show what the kernel has, and what it lacks" },
	{ "--explain", NULL, "TEXT", OPT_STRING, FIELD(explain),
	  "explain a message, or the word that it names" },
	{ "-p", NULL, "PID", OPT_NUMBER, FIELD(pid), "only events of process PID" },
	{ "--follow", NULL, NULL, OPT_FLAG, FIELD(follow), "with -p: and of its descendants" },
	{ "-a", NULL, NULL, OPT_FLAG, FIELD(all), "with COMMAND: all events, not only its own" },
	{ "--cgroup", NULL, "PATH", OPT_STRING, FIELD(cgroup),
	  "only events of a cgroup: its path, or just its name" },
	{ "--comm", NULL, "COMM", OPT_STRING, FIELD(comm), "only events of threads of this name" },
	{ "-C", NULL, "CPUS", OPT_STRING, FIELD(cpus), "only events of these CPUs (0,2-3)" },
	{ "--self", NULL, NULL, OPT_FLAG, FIELD(self), "also events that ktap itself causes" },
	{ "--unsafe", NULL, NULL, OPT_FLAG, FIELD(unsafe), "the script may act on the system" },
	{ "-m", NULL, "SIZE", OPT_SIZE, FIELD(memory), "limit what the script keeps (256k, 16M)" },
	{ "--max-overhead", NULL, "PCT", OPT_PERCENT, FIELD(overhead),
	  "skip events when handlers take more of a CPU" },
	{ "--no-symbols", NULL, NULL, OPT_FLAG, FIELD(no_symbols),
	  "show user code as FILE+OFFSET" },
	{ "--lines", NULL, NULL, OPT_FLAG, FIELD(lines),
	  "show source file and line of user code (DWARF)" },
	{ "--dump-jit", NULL, NULL, OPT_FLAG, FIELD(dump_jit),
	  "load the script, and only list its native code" },
	{ "-q", NULL, NULL, OPT_FLAG, FIELD(quiet), "print only errors, warnings and losses" },
	{ "-v", NULL, NULL, OPT_FLAG, FIELD(verbose), "say what happens" },
	{ "-w", NULL, NULL, OPT_FLAG, FIELD(nowarn), "no warnings" },
	{ "-Werror", NULL, NULL, OPT_FLAG, FIELD(werror), "warnings are errors" },
	{ "-h", "--help", NULL, OPT_FLAG, FIELD(help), "show this help" },
	{ "-V", "--version", NULL, OPT_FLAG, FIELD(version), "show the version" },
};

#define NR_OPTIONS	ARRAY_SIZE(option_table)

/* Options about the events that a session gets */
#define OF_EVENTS	"-p --follow -a -C --cgroup --comm --self"
/* Other options of a session */
#define OF_SESSION	"--unsafe -m --max-overhead --no-symbols --lines"
/* Forms of the output that is not text as the script prints it */
#define SHOWN	"--folded --flame --live --metrics --heatmap"
/* Options that trace nothing */
#define ASKING	"-l --info --explain --dry-run --dump-jit"

static const struct exclusion ktap_exclusions[] = {
	{ "-f", "--folded --flame" },
	{ "--live", "-f --folded --flame " ASKING },
	{ "--metrics", "-f --folded --flame --live " ASKING },
	{ "--heatmap", "-f --folded --flame --live --metrics " ASKING },
	{ "-T", "--to-ktap --sessions -l --info --explain --dump-jit " SHOWN },
	{ "-l", "-o -f --folded --flame --dump-jit --follow -a -C --cgroup --comm --self "
		OF_SESSION },
	{ "--info", "-e -l -o -f --folded --flame -p --dump-jit" },
	{ "--explain", "-e -l --info -o -p --dry-run --dump-jit" },
	{ "--dry-run", "-l --info --folded --flame --dump-jit" },
	{ "--record", "-o --replay --to-ktap " SHOWN " " ASKING },
	{ "--replay", "-e -I --live --interval --bt --to-ktap " OF_EVENTS " " OF_SESSION " " ASKING
		      " -w -Werror" },
	{ "--detach", "-o --record --replay --attach --stop --to-ktap -a " SHOWN " " ASKING },
	{ "--attach", "-e -I --live --interval --bt --to-ktap " OF_EVENTS " " OF_SESSION " " ASKING
		      " --record --replay --stop --for --until" },
	{ "--stop", "-e -I --live --interval --bt --to-ktap " OF_EVENTS " " OF_SESSION " " ASKING
		    " --record --replay --for --until" },
	{ "--sessions", "-e -l --info --explain --detach --attach --stop --record --replay -o" },
	{ "--no-symbols", "--lines" },
	{ "-c", "--follow" },
	{ "-w", "-Werror" },
	{ "--to-ktap", "--live --metrics --heatmap -l --info --explain" },
	{ "--bt", "--live --metrics --heatmap --info --explain" },
	{ 0 },
};

const char *options_program(void)
{
	return strcmp(program_invocation_short_name, "bpftrace") ? "ktap" : "bpftrace";
}

bool options_is_colour(const char *when)
{
	return !strcmp(when, "auto") || !strcmp(when, "always") || !strcmp(when, "never");
}

const char *options_showing(const struct options *opts)
{
	return opts->live ? "--live" : opts->metrics ? "--metrics" :
	       opts->heatmap ? "--heatmap" : "--interval";
}

void options_usage(FILE *out)
{
	fprintf(out,
		"usage: ktap [options] SCRIPT [args] [-- COMMAND [args]]\n"
		"       ktap [options] -e 'SCRIPT' [args] [-- COMMAND [args]]\n"
		"       ktap [options] --replay FILE...\n"
		"       ktap [options] --detach NAME SCRIPT [args]\n"
		"       ktap [options] --attach NAME\n"
		"       ktap [options] --stop NAME\n"
		"       ktap --sessions\n"
		"       ktap -l [PATTERN] [-v] [-p PID]\n"
		"       ktap --info\n"
		"       ktap --explain TEXT\n"
		"\n"
		"Runs a script, or a chunk made by ktapc, in the kernel and shows its output\n"
		"until it ends, Control-C is pressed, or COMMAND exits.  A COMMAND is started\n"
		"when all probes are attached, and only it and its descendants are traced.\n"
		"SCRIPT is a file, - for standard input, or the name of an installed tool;\n"
		"ktap SCRIPT -h prints its help.  Options after SCRIPT belong to it; after\n"
		"-e 'SCRIPT' only those that ktap does not have.\n"
		"\n");
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		const struct option_row *o = &option_table[i];
		char left[32];

		snprintf(left, sizeof(left), "%s%s%s%s%s", o->name,
			 o->alias ? ", " : "", o->alias ? o->alias : "",
			 o->value ? " " : "", o->value ? o->value : "");
		fprintf(out, "  %-19s  %s\n", left, o->help);
	}
	fprintf(out,
		"\n"
		"Exit code: 0, what the script's exit() says, 1 after a run-time error, 2 when\n"
		"the script cannot be compiled or loaded, 127 when COMMAND cannot be run.\n");
}

/* Options of other tracers and of ktapc, and long names of options that have a short one only. */
static const struct {
	const char *name;
	const char *advice;
} foreign_options[] = {
	{ "-d", "ktapc -d SCRIPT shows what a script is compiled to" },
	{ "-n", "write -e 'SCRIPT'" },
	{ "-s", "a script is given by its name alone: ktap SCRIPT" },
	{ "-x", "write -p PID" },
	{ "--all", "write -a" },
	{ "--all-cpus", "write -a" },
	{ "--ast", "ktapc --ast SCRIPT prints the tree of a script" },
	{ "--command", "write a command to trace after --: ktap SCRIPT -- COMMAND" },
	{ "--cpu", "write -C CPUS" },
	{ "--cpus", "write -C CPUS" },
	{ "--csv", "write -f csv" },
	{ "--duration", "write --for TIME" },
	{ "--eval", "write -e 'SCRIPT'" },
	{ "--fmt", "ktapc --fmt SCRIPT prints a script in its usual layout" },
	{ "--include", "write -I DIR" },
	{ "--json", "write -f json" },
	{ "--list", "write -l PATTERN" },
	{ "--memory", "write -m SIZE" },
	{ "--output", "write -o FILE" },
	{ "--pid", "write -p PID" },
	{ "--quiet", "write -q" },
	{ "--timeout", "write --for TIME" },
	{ "--verbose", "write -v" },
};

/* Is it "--name" or "--name=value", which may be an option of a script? */
static bool is_long(const char *arg)
{
	return !strncmp(arg, "--", 2) && arg[2];
}

/* Return the long option that is nearest to the first @len bytes of @arg, or NULL. */
static const char *options_nearest(const char *arg, size_t len)
{
	unsigned int limit, distance;
	const char *best = NULL;
	char name[32];

	if (len >= sizeof(name))
		return NULL;
	memcpy(name, arg, len);
	name[len] = '\0';
	limit = edit_limit(name) + 1;
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		const struct option_row *o = &option_table[i];
		const char *known = o->alias ? o->alias : o->name;

		distance = is_long(known) ? edit_distance(name, known) : limit;
		if (distance < limit) {
			limit = distance;
			best = known;
		}
	}
	return best;
}

void options_advise(const char *arg)
{
	size_t len = strcspn(arg, "=");
	const char *near;

	for (size_t i = 0; i < ARRAY_SIZE(foreign_options); i++) {
		const char *name = foreign_options[i].name;

		if (!strncmp(arg, name, len) && !name[len]) {
			fprintf(stderr, "ktap: %s\n", foreign_options[i].advice);
			return;
		}
	}
	near = is_long(arg) ? options_nearest(arg, len) : NULL;
	if (near)
		fprintf(stderr, "ktap: did you mean '%s'?\n", near);
}

static bool options_unknown(const char *arg)
{
	fputs("ktap: error: unknown option ", stderr);
	put_clean(stderr, arg, strlen(arg));
	fputc('\n', stderr);
	options_advise(arg);
	fprintf(stderr, "Try 'ktap -h'.\n");
	return false;
}

static bool usage_error(const char *what, const char *arg)
{
	fprintf(stderr, "%s: error: %s%s%s\nTry '%s -h'.\n", options_program(), what,
		arg ? " " : "", arg ? arg : "", options_program());
	return false;
}

static bool parse_number(const char *text, bool suffix, uint64_t *result)
{
	static const char units[] = "kMG";
	uint64_t scale = 1;
	char *end;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*result = strtoull(text, &end, 10);
	if (suffix && *end) {
		const char *unit = strchr(units, *end == 'K' ? 'k' : *end);

		if (!unit)
			return false;
		scale <<= 10 * (unit - units + 1);
		end++;
	}
	if (*end || errno || !*result || *result > INT64_MAX / scale)
		return false;
	*result *= scale;
	return true;
}

/* "90", "90s", "10m", "2h" or "1d", in seconds, at most a year or so */
static bool parse_time(const char *text, uint64_t *seconds)
{
	static const struct {
		char name;
		uint32_t seconds;
	} units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 }, { 'd', 86400 } };
	char digits[16];
	size_t len = strspn(text, "0123456789");
	uint32_t scale = text[len] ? 0 : 1;

	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (text[len] == units[i].name && !text[len + 1])
			scale = units[i].seconds;
	}
	if (!scale || len > 8)
		return false;
	snprintf(digits, sizeof(digits), "%.*s", (int)len, text);
	if (!parse_number(digits, false, seconds))
		return false;
	*seconds *= scale;
	return true;
}

bool options_append(const char **list, const char *item)
{
	size_t n = 0;

	while (list[n])
		n++;
	if (n < MAX_FOLDERS)
		list[n] = item;
	return n < MAX_FOLDERS;
}

static bool options_add_folder(const char **folders, const char *folder)
{
	if (options_append(folders, folder))
		return true;
	fprintf(stderr, "%s: error: more than %u folders to include from\n", options_program(),
		MAX_FOLDERS);
	return false;
}

/* Describe the values of an option for messages. */
static const char *what_is_wanted(enum option_kind kind)
{
	switch (kind) {
	case OPT_SIZE:
		return "size: a number with k, M or G after it (256k, 16M)";
	case OPT_PERCENT:
		return "whole percentage from 1 to 100, where 100 is no limit";
	case OPT_TIME:
		return "time (try 30s, 10m or 2h)";
	default:
		return "number above 0";
	}
}

static bool option_set(struct options *opts, const struct option_row *o, const char *value)
{
	void *field = (char *)opts + o->field;

	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)field = true;
		return true;
	case OPT_STRING:
	case OPT_PATTERN:
		*(const char **)field = value;
		return true;
	case OPT_FOLDER:
		return options_add_folder(field, value);
	case OPT_NUMBER:
	case OPT_SIZE:
	case OPT_PERCENT:
	case OPT_TIME:
		if (o->kind == OPT_TIME ? parse_time(value, field) :
		    parse_number(value, o->kind == OPT_SIZE, field) &&
		    (o->kind != OPT_PERCENT || *(uint64_t *)field <= 100))
			return true;
		if (opts->bpftrace && !strcmp(o->name, "-p"))
			fprintf(stderr, "ERROR: Failed to parse pid: invalid %s: %s\n",
				isdigit((unsigned char)*value) ? "trailing bytes" : "integer",
				value);
		else
			fprintf(stderr, "ktap: error: %s '%s': not a %s\n", o->name, value,
				what_is_wanted(o->kind));
		return false;
	}
	return false;
}

bool options_set(struct options *opts, const char *name, const char *value)
{
	for (size_t i = 0; i < NR_OPTIONS; i++)
		if (!strcmp(option_table[i].name, name))
			return option_set(opts, &option_table[i], value);
	return false;
}

/* The value in the same word as the option @name; NULL if there is none. */
static const char *option_value(const char *arg, const char *name)
{
	size_t len = strlen(name);

	if (strncmp(arg, name, len))
		return NULL;
	if (name[1] != '-')
		return arg + len;
	return arg[len] == '=' ? arg + len + 1 : NULL;
}

/*
 * Find the option of @arg; *value is the rest of the same word ("-m16M",
 * "--max-overhead=5"), or NULL.
 */
static const struct option_row *option_find(const char *arg, const char **value)
{
	*value = NULL;
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		const struct option_row *o = &option_table[i];

		if (!strcmp(arg, o->name) || (o->alias && !strcmp(arg, o->alias)))
			return o;
	}
	for (size_t i = 0; i < NR_OPTIONS; i++) {
		const struct option_row *o = &option_table[i];

		*value = o->value ? option_value(arg, o->name) : NULL;
		if (o->value && !*value && o->alias)
			*value = option_value(arg, o->alias);
		if (*value)
			return o;
	}
	return NULL;
}

/* Split off the command after the first "--". */
static int split_command(struct options *opts, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--"))
			continue;
		opts->command = &argv[i + 1];
		argv[i] = NULL;
		return i;
	}
	return argc;
}

/* The words of -c, as bpftrace splits them; its events are not limited to the command. */
static bool options_split(struct options *opts)
{
	char *words = strdup(opts->command_line), *at;
	size_t n = 0;

	if (!source_is_bpftrace(opts))
		return usage_error("-c is for scripts of bpftrace; write a command to trace after --: ktap SCRIPT --",
				   opts->command_line);
	if (opts->command)
		return usage_error("either -c or -- has the command, not both", NULL);
	opts->command = calloc(strlen(opts->command_line) / 2 + 2, sizeof(*opts->command));
	if (!words || !opts->command)
		return usage_error("no memory for a command", NULL);
	for (char *word = strtok_r(words, " ", &at); word; word = strtok_r(NULL, " ", &at))
		opts->command[n++] = word;
	opts->all = true;
	return n || usage_error("no command in -c", NULL);
}

/* "-l -I DIR FILE.bt" is "-I DIR -l FILE.bt". */
static void options_move_script(struct options *opts)
{
	if (!opts->list || strcmp(opts->list, "*") || !ktap_is_bpftrace(opts->script))
		return;
	opts->list = opts->script;
	opts->script = NULL;
	opts->bpftrace = true;
}

bool options_check(struct options *opts)
{
	if (opts->help || opts->version)
		return true;
	/* the checks below see its command */
	if (opts->command_line && !options_split(opts))
		return false;
	if (!opts->color)
		opts->color = "auto";
	if (!options_is_colour(opts->color)) {
		fprintf(stderr, "ktap: error: --color '%s': not auto, always or never\n",
			opts->color);
		return false;
	}
	opts->csv = opts->format && !strcmp(opts->format, "csv");
	opts->json = (opts->format && !strcmp(opts->format, "json")) || opts->csv ||
		     opts->folded || opts->flame || opts->live || opts->metrics ||
		     opts->heatmap || ((opts->record || opts->detach) && !opts->format);
	opts->bpftrace_json = opts->format && !strcmp(opts->format, "json") &&
			      source_is_bpftrace(opts) && !opts->record && !opts->detach;
	opts->shows = opts->live;
	if (opts->metrics)
		opts->shows = opts->interval ? opts->interval : METRICS_INTERVAL;
	else if (opts->heatmap)
		opts->shows = opts->interval ? opts->interval : HEATMAP_INTERVAL;
	else if (opts->record || opts->detach)
		opts->shows = opts->interval;
	else if (opts->interval)
		return usage_error("--interval is for --metrics FILE, --heatmap FILE, --record FILE and --detach NAME",
				   NULL);
	if (opts->record && opts->csv)
		return usage_error("--record keeps no csv: ktap -f csv --replay FILE makes it",
				   NULL);
	if (opts->detach && opts->csv)
		return usage_error("--detach keeps no csv: ktap -f csv --attach NAME makes it",
				   NULL);
	if ((opts->record || opts->detach) && opts->shows && !opts->json)
		return usage_error("--interval cannot keep the variables as text", NULL);
	if (opts->keep && !opts->detach)
		return usage_error("--keep needs --detach NAME", NULL);
	if (opts->dump && !opts->detach)
		return usage_error("--dump needs --detach NAME", NULL);
	if (opts->keep && (opts->keep < KEEPER_MIN_SIZE || opts->keep > SIZE_MAX / 2))
		return usage_error("--keep needs at least 64k", NULL);
	if (opts->detach && opts->command)
		return usage_error("--detach takes no command: start it, and trace it by -p", NULL);
	if (opts->timestamps && opts->json && opts->format)
		return usage_error("-T is for text: json and csv have the time in each line", NULL);
	if (opts->timestamps && opts->record)
		return usage_error("--record keeps the times: ktap -T --replay FILE shows them",
				   NULL);
	if (opts->timestamps && opts->detach)
		return usage_error("--detach keeps the times: ktap -T --attach NAME shows them",
				   NULL);
	if (opts->record)
		opts->output = opts->record;
	if (opts->format && !opts->json && strcmp(opts->format, "text") &&
	    source_is_bpftrace(opts)) {
		fprintf(stderr, "ERROR: Invalid output format \"%s\"\n", opts->format);
		fputs("ktap: note: there are text, json and csv\n", stderr);
		return false;
	}
	if (opts->format && !opts->json && strcmp(opts->format, "text")) {
		fprintf(stderr,
			"ktap: error: -f '%s': there is no such format: there are text, json and csv%s\n",
			opts->format,
			opts->script ? "" : "; a script is given by its name alone, without -f");
		return false;
	}
	if (opts->explain && (opts->script || opts->command))
		return usage_error("--explain takes a word, or a message in quotes", NULL);
	if (opts->explain)
		return true;
	if (opts->info && (opts->script || opts->command))
		return usage_error(opts->script ? "--info takes no script" :
				   "--info takes no command", NULL);
	if (opts->info)
		return true;
	options_move_script(opts);
	if (!opts->nowarn && !opts->as_bpftrace)
		ktap_warn_no_folders(stderr, "ktap", opts->folders);
	if (opts->list && opts->folders[0] && !source_is_bpftrace(opts))
		return usage_error("-l and -I exclude each other, except with --bt", NULL);
	if (opts->list && opts->script)
		return usage_error("-l takes one pattern, in quotes, and no script:", opts->script);
	if (opts->list && opts->command)
		return usage_error("-l takes no command", NULL);
	if (opts->list && opts->text && opts->args[0])
		return usage_error("-l takes no arguments of a script:", opts->args[0]);
	if (opts->list && opts->text && (!source_is_bpftrace(opts) || strcspn(opts->list, "*:")))
		return usage_error("-l and -e exclude each other, except with --bt and no pattern",
				   NULL);
	if (opts->list)
		return true;
	if (opts->replay && opts->command)
		return usage_error("--replay takes no command", NULL);
	if (opts->replay)
		return true;
	if ((opts->attach || opts->stop || opts->sessions) && (opts->script || opts->command))
		return usage_error("--attach, --stop and --sessions take no script and no command",
				   NULL);
	if (opts->lines && !source_lines_can_read)
		return usage_error("--lines: this ktap was built without libdw", NULL);
	if (opts->attach || opts->stop || opts->sessions)
		return true;
	if (!opts->script && !opts->text)
		return usage_error("no script given", NULL);
	if (opts->pid > MAX_PID && source_is_bpftrace(opts)) {
		fprintf(stderr, "ERROR: Pid out of range: %llu\n", (unsigned long long)opts->pid);
		return false;
	}
	if (opts->probe_filter && !source_is_bpftrace(opts))
		return usage_error("--probe-filter is for scripts of bpftrace: FILE.bt, or --bt",
				   NULL);
	if (opts->command && !opts->command[0])
		return usage_error("no command after --", NULL);
	if (opts->command && opts->to_ktap)
		return usage_error("--to-ktap takes no command, as it runs nothing", NULL);
	if (opts->command && opts->pid)
		return usage_error("either -p or a command can say what to trace, not both", NULL);
	if (opts->all && !opts->command)
		return usage_error("-a needs a command", NULL);
	if (opts->follow && !opts->pid && !opts->command)
		return usage_error("--follow needs -p", NULL);
	if (opts->comm && (!*opts->comm || strlen(opts->comm) > MAX_COMM)) {
		fprintf(stderr, "ktap: error: --comm '%s': names of threads have 1 to %d bytes\n",
			opts->comm, MAX_COMM);
		return false;
	}
	/* a line that sets the session up ends there */
	if (opts->comm && strchr(opts->comm, '\n'))
		return usage_error("--comm: the name has a newline in it", NULL);
	if (opts->cpus && (!*opts->cpus || opts->cpus[strspn(opts->cpus, "0123456789,-")])) {
		fprintf(stderr, "ktap: error: -C '%s': not a list of CPUs (try 0,2-3)\n",
			opts->cpus);
		return false;
	}
	return true;
}

const char *options_among(char **args)
{
	const char *value;

	for (; *args; args++) {
		const struct option_row *o = option_find(*args, &value);

		if (o && (!value || o->name[1] == '-'))
			return *args;
	}
	return NULL;
}

/*
 * The pattern of -l: in the same word, or the next word if that is no option;
 * "*" if there is none. "-lv" is "-l -v".
 */
static const char *options_pattern(struct options *opts, const char *value, char **argv, int argc,
				   int *i)
{
	if (value && strcmp(value, "v"))
		return value;
	if (value)
		opts->verbose = true;
	if (*i + 1 < argc && argv[*i + 1][0] != '-' && argv[*i + 1][0])
		return argv[++*i];
	return "*";
}

bool options_parse(struct options *opts, int argc, char **argv)
{
	struct given given = { 0 };
	int i, nfiles = 0;

	memset(opts, 0, sizeof(*opts));
	argc = split_command(opts, argc, argv);

	for (i = 1; i < argc; i++) {
		const struct option_row *o;
		const char *value;

		/* recordings move to the front, after the first one in argv[0] */
		if (opts->replay && (argv[i][0] != '-' || !argv[i][1])) {
			argv[++nfiles] = argv[i];
			continue;
		}
		if (argv[i][0] != '-' || !argv[i][1])
			break;
		o = option_find(argv[i], &value);
		if (!o && opts->text && is_long(argv[i])) {
			opts->foreign = argv[i];
			break;
		}
		if (!o)
			return options_unknown(argv[i]);
		if (o->kind == OPT_PATTERN)
			value = options_pattern(opts, value, argv, argc, &i);
		if (o->value && !value && ++i == argc)
			return usage_error("no value for option", o->name);
		given_add(&given, o->name, o->value && o->kind != OPT_FOLDER);
		if (!option_set(opts, o, value ? value : argv[i]))
			return false;
	}

	if (opts->replay) {
		argv[0] = (char *)opts->replay;
		argv[nfiles + 1] = NULL;
		opts->recordings = argv;
	}
	if (!opts->text && i < argc)
		opts->script = argv[i++];
	opts->args = &argv[i];
	return given_check(&given, ktap_exclusions, "ktap") && options_check(opts);
}
