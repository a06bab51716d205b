// SPDX-License-Identifier: GPL-2.0
/*
 * ktap --bt -l: list events in the spelling of bpftrace.
 *
 * A pattern is KIND:REST, and either may have '*', or it is searched in the whole names. Events
 * of programs are listed as without --bt: their names are the same.
 */
#define _GNU_SOURCE
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "btf_file.h"
#include "compiler/clean_text.h"
#include "compiler/compile.h"
#include "compiler/suggest.h"
#include "compiler/util.h"
#include "elf/resolve.h"
#include "list.h"
#include "list_bpftrace.h"
#include "list_details.h"
#include "session_file.h"

enum bpftrace_list { LIST_TRACEPOINTS, LIST_FUNCTIONS, LIST_NAMES, LIST_PROGRAMS };

static const char * const bpftrace_units[] = { "hz", "us", "ms", "s", NULL };
static const char * const bpftrace_edges[] = { "", NULL };
static const char * const bpftrace_software[] = {
	"alignment-faults", "bpf-output", "context-switches", "cs", "cpu-clock", "cpu",
	"cpu-migrations", "dummy", "emulation-faults", "major-faults", "minor-faults",
	"page-faults", "faults", "task-clock", NULL,
};

static const char * const bpftrace_hardware[] = {
	"backend-stalls", "branch-instructions", "branches", "branch-misses", "bus-cycles",
	"cache-misses", "cache-references", "cpu-cycles", "cycles", "frontend-stalls",
	"instructions", "ref-cycles", NULL,
};

/*
 * @group: what is printed between the kind and the name of an event of the kernel: "" that of
 * the list, NULL: nothing; @names: of a kind that has a fixed list
 */
static const struct bpftrace_kind {
	const char *name;
	const char *alias;
	enum bpftrace_list list;
	const char *group;
	enum listed_kind details;
	bool ret;
	const char * const *names;
} bpftrace_kinds[] = {
	{ "begin", "BEGIN", LIST_NAMES, .names = bpftrace_edges },
	{ "end", "END", LIST_NAMES, .names = bpftrace_edges },
	{ "software", "s", LIST_NAMES, .names = bpftrace_software },
	{ "hardware", "h", LIST_NAMES, .names = bpftrace_hardware },
	{ "iter", "it", LIST_NAMES, .details = LISTED_ITERATOR, .names = ktap_iterators },
	{ "interval", "i", LIST_NAMES, .names = bpftrace_units },
	{ "profile", "p", LIST_NAMES, .names = bpftrace_units },
	{ "tracepoint", "t", LIST_TRACEPOINTS, .group = "", .details = LISTED_TRACEPOINT },
	{ "rawtracepoint", "rt", LIST_TRACEPOINTS, .group = "vmlinux",
	  .details = LISTED_RAW_TRACEPOINT },
	{ "kprobe", "k", LIST_FUNCTIONS, .details = LISTED_FUNCTION },
	{ "kretprobe", "kr", LIST_FUNCTIONS, .details = LISTED_FUNCTION, .ret = true },
	{ "fentry", "f", LIST_FUNCTIONS, .group = "", .details = LISTED_FUNCTION },
	{ "fexit", "fr", LIST_FUNCTIONS, .group = "", .details = LISTED_FUNCTION, .ret = true },
	{ "uprobe", "u", LIST_PROGRAMS, .ret = false },
	{ "uretprobe", "ur", LIST_PROGRAMS, .ret = true },
	{ "usdt", "U", LIST_PROGRAMS, .ret = false },
};

/**
 * struct bpftrace_listing - what is listed
 * @pattern: the pattern of KIND:REST without its kind, or of the whole name if @whole
 * @found: there was an event
 * @silent: print none
 */
struct bpftrace_listing {
	const char *pattern;
	bool whole;
	bool found;
	bool silent;
	uint64_t pid;
	struct details details;
};

static bool bpftrace_matches(const struct bpftrace_listing *l, const char *kind,
			     const char *group, const char *name)
{
	char event[512];

	if (!l->whole && !fnmatch(l->pattern, name, 0))
		return true;
	snprintf(event, sizeof(event), "%s%s%s:%s", l->whole ? kind : "", l->whole ? ":" : "",
		 group, name);
	return !fnmatch(l->pattern, event, 0);
}

static void bpftrace_put(struct bpftrace_listing *l, const struct bpftrace_kind *kind,
			 const char *group, const char *name)
{
	const char *shown = kind->group && !*kind->group ? group : kind->group;

	if (!is_clean(name) || !is_clean(group) || !bpftrace_matches(l, kind->name, group, name))
		return;
	l->found = true;
	if (l->silent)
		return;
	printf("%s:%s%s%s\n", kind->name, shown ? shown : "", shown ? ":" : "", name);
	details_put(&l->details, kind->details, group, name, kind->ret);
}

/* "GROUP:NAME", "NAME [MODULE]" or "NAME" */
static void bpftrace_line(struct bpftrace_listing *l, const struct bpftrace_kind *kind, char *line)
{
	char *name = line, *group = "vmlinux", *end;

	line[strcspn(line, "\n")] = '\0';
	end = strchr(line, kind->list == LIST_TRACEPOINTS ? ':' : ' ');
	if (end)
		*end++ = '\0';
	if (end && kind->list == LIST_TRACEPOINTS) {
		group = line;
		name = end;
	} else if (end) {
		group = end + strspn(end, " \t[");
		group[strcspn(group, "]")] = '\0';
	}
	/* the placeholder of a removed function; a system call has no raw tracepoint of its own */
	if (!strncmp(name, "__ftrace_invalid_address", 24) ||
	    (kind->details == LISTED_RAW_TRACEPOINT && !strcmp(group, "syscalls")))
		return;
	bpftrace_put(l, kind, kind->details == LISTED_RAW_TRACEPOINT ? "vmlinux" : group, name);
}

static bool bpftrace_list_file(struct bpftrace_listing *l, const struct bpftrace_kind *kind)
{
	const char *dir = session_tracefs();
	char path[4096], *line = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", dir ? dir : "", kind->list == LIST_TRACEPOINTS ?
		 "available_events" : "available_filter_functions");
	f = fopen(path, "re");
	if (!f) {
		session_no_tracefs(dir);
		return false;
	}
	while (getline(&line, &size, f) > 0)
		bpftrace_line(l, kind, line);
	free(line);
	fclose(f);
	return true;
}

/* "interval:ms:" is also what "interval:ms:100" is. */
static void bpftrace_list_names(struct bpftrace_listing *l, const struct bpftrace_kind *kind)
{
	size_t len = strcspn(l->pattern, ":");
	char first[256], event[256];

	snprintf(first, sizeof(first), "%.*s", (int)len, l->pattern);
	for (size_t i = 0; kind->names[i]; i++) {
		snprintf(event, sizeof(event), "%s:%s%s", kind->name, kind->names[i],
			 *kind->names[i] && kind->names != ktap_iterators ? ":" : "");
		if (l->whole ? fnmatch(l->pattern, event, 0) : fnmatch(first, kind->names[i], 0))
			continue;
		event[strlen(event) - !*kind->names[i]] = '\0';
		l->found = true;
		if (l->silent)
			continue;
		puts(event);
		details_put(&l->details, kind->details, NULL, kind->names[i], false);
	}
}

/* Without a path, the program of the process is meant. */
static void bpftrace_list_programs(struct bpftrace_listing *l, const struct bpftrace_kind *kind)
{
	char path[4096] = "", link[64], pattern[8192];
	ssize_t n = -1;

	if (l->whole)
		return;
	if (l->pid && (!strchr(l->pattern, ':') || !strncmp(l->pattern, "*:", 2)) &&
	    strcmp(kind->name, "usdt")) {
		snprintf(link, sizeof(link), "/proc/%llu/exe", (unsigned long long)l->pid);
		n = readlink(link, path, sizeof(path) - 1);
	}
	if (n > 0)
		snprintf(pattern, sizeof(pattern), "%s:%.*s:%s", kind->name, (int)n, path,
			 strchr(l->pattern, ':') ? strchr(l->pattern, ':') + 1 : l->pattern);
	else
		snprintf(pattern, sizeof(pattern), "%s:%s", kind->name, l->pattern);
	fflush(stdout);
	l->found |= list_events(pattern, l->pid, l->details.wanted, true);
}

static bool bpftrace_list_kind(struct bpftrace_listing *l, const struct bpftrace_kind *kind)
{
	switch (kind->list) {
	case LIST_NAMES:
		bpftrace_list_names(l, kind);
		return true;
	case LIST_PROGRAMS:
		bpftrace_list_programs(l, kind);
		return true;
	default:
		return bpftrace_list_file(l, kind);
	}
}

/* A kind with '*' means those of the kernel, unless the rest is a path. */
static bool bpftrace_is_kind(const struct bpftrace_kind *kind, const char *wanted,
			     const char *rest, uint64_t pid)
{
	bool pattern = strpbrk(wanted, "*?[");

	if (!strcmp(wanted, kind->name) || (kind->alias && !strcmp(wanted, kind->alias)))
		return true;
	if (!pattern || fnmatch(wanted, kind->name, 0))
		return false;
	return (kind->list == LIST_PROGRAMS) == (*rest == '/' || *rest == '.' || pid);
}

/* @optional: that no event matches is no error */
static bool bpftrace_list_pattern(const struct options *opts, char *pattern, bool optional)
{
	struct bpftrace_listing l = { .pid = opts->pid, .details = { .wanted = opts->verbose } };
	char *colon = strchr(pattern, ':');
	bool good = true, known = false;
	const uint64_t pid = opts->pid;

	l.whole = !colon && !pid;
	l.pattern = colon ? colon + 1 : pid ? "*" : pattern;
	if (colon)
		*colon = '\0';
	for (size_t i = 0; i < ARRAY_SIZE(bpftrace_kinds) && good; i++) {
		const struct bpftrace_kind *kind = &bpftrace_kinds[i];

		/* "kprobe*" is a kind, "*nanosleep*" a name */
		if (!l.whole && !bpftrace_is_kind(kind, colon ? pattern : "*", l.pattern, pid))
			continue;
		known = true;
		good = bpftrace_list_kind(&l, kind);
	}
	details_end(&l.details);
	if (!known)
		fprintf(stderr, "ktap: error: '%s' is no kind of event of bpftrace\n", pattern);
	else if (good && !l.found)
		fprintf(stderr, "ktap: error: no event matches '%s%s%s'\n", colon ? pattern : "",
			colon ? ":" : "", l.pattern);
	return good && (l.found || optional);
}

/* "struct file", "enum *": types of the kernel, which are no events */
static bool bpftrace_is_type(const char *pattern)
{
	return !strncmp(pattern, "struct ", 7) || !strncmp(pattern, "union ", 6) ||
	       !strncmp(pattern, "enum ", 5);
}

static bool bpftrace_list_types(const char *pattern, bool verbose)
{
	struct btf_file *files = NULL;
	const struct btf_file *kernel = btf_open(&files, "vmlinux");
	bool found = kernel && btf_list_types(kernel, pattern, verbose, stdout);

	if (!kernel)
		fputs("ktap: error: this kernel was built without types (CONFIG_DEBUG_INFO_BTF)\n",
		      stderr);
	else if (!found)
		fprintf(stderr, "ktap: error: the kernel has no type '%s'\n", pattern);
	btf_free(files);
	return found;
}

/* An event of the kernel, except for the place within a function */
static bool bpftrace_has(const struct bpftrace_kind *kind, const char *rest)
{
	struct bpftrace_listing l = { .silent = true };
	char *pattern = strndup(rest, strcspn(rest, "+"));

	l.pattern = pattern;
	/* without the list, the kernel decides */
	l.found = !pattern || !bpftrace_list_kind(&l, kind) || l.found;
	free(pattern);
	return l.found;
}

/* The name under which events of this kind are listed */
static const char *bpftrace_listed_kind(const char *kind)
{
	return !strcmp(kind, "kfunc") ? "fentry" : !strcmp(kind, "kretfunc") ? "fexit" : kind;
}

struct bpftrace_events {
	const struct options *opts;
	bool good;
};

/* Is there no list of such events, only of their names at most?  Then the event is one itself. */
static bool bpftrace_is_event(const char *kind, const char *rest)
{
	if (strchr(rest, '$') || !strcmp(kind, "interval") || !strcmp(kind, "profile") ||
	    !strcmp(kind, "watchpoint") || !strcmp(kind, "asyncwatchpoint"))
		return true;
	for (size_t i = 0; i < ARRAY_SIZE(bpftrace_kinds); i++) {
		const struct bpftrace_kind *k = &bpftrace_kinds[i];

		if (!strcmp(k->name, kind))
			return k->list == LIST_NAMES && !strpbrk(rest, "*?[") &&
			       bpftrace_has(k, rest);
	}
	return false;
}

/* bpftrace leaves out how often they happen: "interval:ms:", "software:faults:". */
static void bpftrace_print_event(const char *kind, const char *rest)
{
	const bool counter = !strcmp(kind, "software") || !strcmp(kind, "hardware");
	const bool timer = !strcmp(kind, "interval") || !strcmp(kind, "profile");
	const char *colon = counter || timer ? strrchr(rest, ':') : NULL;

	printf("%s:", kind);
	put_clean(stdout, rest, colon ? (size_t)(colon + 1 - rest) : strlen(rest));
	puts(counter && !colon ? ":" : "");
}

static void bpftrace_list_event(void *ctx, const char *kind, const char *rest)
{
	struct bpftrace_events *e = ctx;
	char *pattern;

	/* they always happen */
	if (!strcmp(kind, "BEGIN") || !strcmp(kind, "END") || !strcmp(kind, "self"))
		return;
	kind = bpftrace_listed_kind(kind);
	if (bpftrace_is_event(kind, rest)) {
		bpftrace_print_event(kind, rest);
		return;
	}
	if (asprintf(&pattern, "%s:%s", kind, rest) < 0) {
		e->good = false;
		return;
	}
	e->good &= bpftrace_list_pattern(e->opts, pattern, false);
	free(pattern);
}

static bool bpftrace_list_events(const struct options *opts, const struct ktap_script *script)
{
	const struct ktap_compile_opts copts = {
		.diag = stderr, .bpftrace = true, .werror = opts->werror, .nowarn = opts->nowarn,
		.folders = opts->folders, .bpftrace_includes = opts->includes,
		.bpftrace_tracer = getpid(),
	};
	struct bpftrace_events e = { opts, true };

	return ktap_bpftrace_events(script, &copts, bpftrace_list_event, &e) && e.good;
}

static bool bpftrace_list_file_of_script(const struct options *opts)
{
	struct ktap_script script = { 0 };
	bool good;
	int err = ktap_read_file(NULL, opts->list, &script);

	if (err) {
		fprintf(stderr, "ktap: error: cannot read %s: %s\n", opts->list,
			ktap_read_error(err));
		return false;
	}
	script.name = opts->list;
	good = bpftrace_list_events(opts, &script);
	free((void *)script.text);
	return good;
}

bool list_bpftrace(const struct options *opts)
{
	const struct ktap_script script = {
		.name = "-e", .text = opts->text, .len = opts->text ? strlen(opts->text) : 0,
	};
	bool good = true, file = ktap_is_bpftrace(opts->list);
	char *copy, *pattern, *at;
	struct stat st;

	if (opts->text)
		return bpftrace_list_events(opts, &script);
	if (!stat(opts->list, &st) && S_ISREG(st.st_mode))
		return bpftrace_list_file_of_script(opts);
	if (file)
		fprintf(stderr,
			"WARNING: It appears that '%s' is a filename but the file does not exist. Treating '%s' as a search pattern.\n",
			opts->list, opts->list);
	copy = strdup(opts->list);
	if (!copy)
		return false;
	for (pattern = strtok_r(copy, ",", &at); pattern; pattern = strtok_r(NULL, ",", &at))
		good &= bpftrace_is_type(pattern) ? bpftrace_list_types(pattern, opts->verbose) :
			bpftrace_list_pattern(opts, pattern, file);
	free(copy);
	return good;
}

/* Is there a module of this name?  The kernel itself is "vmlinux". */
static bool bpftrace_has_module(const char *name, size_t len)
{
	char path[512];

	if (memchr(name, '*', len) || (len == strlen("vmlinux") && !strncmp(name, "vmlinux", len)))
		return true;
	snprintf(path, sizeof(path), "/sys/module/%.*s", (int)len, name);
	return !access(path, F_OK);
}

static bool bpftrace_program_has(uint64_t pid, const char *kind, const char *rest)
{
	struct resolver resolver;
	struct target target;
	struct answer answer;
	char event[8192];
	bool found;

	target_init(&target, pid);
	resolver_init(&resolver, &target);
	snprintf(event, sizeof(event), "%s:%s", kind, rest);
	resolve_event(&resolver, event, &answer);
	found = !answer.message;
	resolver_free(&resolver);
	return found;
}

enum ktap_event_state list_bpftrace_state(void *pid, const char *kind, const char *rest)
{
	const char *colon = strchr(rest, ':'), *name = colon ? colon + 1 : rest;
	bool found = true;

	kind = bpftrace_listed_kind(kind);
	for (size_t i = 0; i < ARRAY_SIZE(bpftrace_kinds); i++) {
		const struct bpftrace_kind *k = &bpftrace_kinds[i];
		bool raw = k->details == LISTED_RAW_TRACEPOINT;

		if (strcmp(k->name, kind) || k->list == LIST_NAMES)
			continue;
		if (k->list == LIST_PROGRAMS)
			found = bpftrace_program_has(*(uint64_t *)pid, kind, rest);
		else if (colon && (raw || k->list == LIST_FUNCTIONS) &&
			 !bpftrace_has_module(rest, colon - rest))
			return raw ? KTAP_EVENT_MISSING : KTAP_EVENT_NO_MODULE;
		else if (*name < '0' || *name > '9')
			found = bpftrace_has(k, raw ? name : rest);
	}
	return found ? KTAP_EVENT_EXISTS : KTAP_EVENT_MISSING;
}
