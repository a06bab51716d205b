// SPDX-License-Identifier: GPL-2.0
/*
 * ktap -l: list the events that a pattern matches.
 *
 * Events of user space are resolved as for a script; those of the kernel are
 * read from files of tracefs. The syntax of patterns is that of the kernel
 * (event/source.c, event/func_parse.c in kernel/trace/ktap). A pattern without
 * a colon is no event of the kernel: it is searched in all kinds of events.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/clean_text.h"
#include "compiler/kernel_calls.h"
#include "compiler/suggest.h"
#include "compiler/util.h"
#include "elf/resolve.h"
#include "list.h"
#include "list_details.h"
#include "session_file.h"

/* Which lines to select from a list of the kernel, and how to print them. */
struct wanted {
	const char *file;
	const char *group;	/* pattern of the system, module or vmlinux; NULL: any */
	const char *name;	/* pattern of the name after @skipped */
	const char *skipped;	/* common prefix of the names */
	const char *prefix, *offset, *ret;	/* printed around the name */
	const char *search;	/* instead of @group and @name: a pattern without a colon */
	enum listed_kind kind;
};

enum found {
	FOUND_NONE,
	FOUND,
	FOUND_ERROR,		/* reported */
};

/* "GROUP:NAME", or "NAME [GROUP]" for the functions of a module */
static bool split_line(char *line, const char **group, const char **name)
{
	char *blank, *colon;

	line[strcspn(line, "\n")] = '\0';
	*name = line;
	blank = strpbrk(line, " \t");
	if (blank) {
		*blank++ = '\0';
		blank += strspn(blank, " \t[");
		blank[strcspn(blank, "]")] = '\0';
		*group = blank;
	} else {
		/* a function of the kernel itself, or "SYSTEM:EVENT" */
		*group = "vmlinux";
		colon = strchr(line, ':');
		if (colon) {
			*colon = '\0';
			*group = line;
			*name = colon + 1;
		}
	}
	/* placeholder of a removed function */
	return strncmp(*name, "__ftrace_invalid_address", 24);
}

/* Print a part of a line, which may come from an untrusted file. */
static void list_put(FILE *out, const char *text)
{
	put_clean(out, text, strlen(text));
}

/* Does a pattern without a colon match an event? */
static bool list_search_matches(const char *pattern, const char *group, const char *name)
{
	static const char * const calls[] = { "sys_enter_", "sys_exit_" };
	char event[256];

	if (!fnmatch(pattern, name, 0))
		return true;
	if (!group)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(calls) && !strcmp(group, "syscalls"); i++) {
		size_t len = strlen(calls[i]);

		if (!strncmp(name, calls[i], len) && !fnmatch(pattern, name + len, 0))
			return true;
	}
	/* "*sched*" also matches the name of a system */
	snprintf(event, sizeof(event), "%s:%s", group, name);
	return !fnmatch(pattern, event, 0);
}

static bool list_matches(const struct wanted *w, const char *group, const char *name)
{
	if (w->search)
		return list_search_matches(w->search, w->kind == LISTED_TRACEPOINT ? group : NULL,
					   name);
	return !fnmatch(w->name, name, 0) && (!w->group || !fnmatch(w->group, group, 0));
}

static enum found list_file(const struct wanted *w, struct details *details)
{
	const char *dir = session_tracefs(), *group, *name;
	size_t size = 0, skipped = strlen(w->skipped);
	enum found found = FOUND_NONE;
	char path[4096], *line = NULL;
	FILE *f;

	if (!dir || (access(dir, F_OK) && errno == ENOENT)) {
		session_no_tracefs(dir);
		return FOUND_ERROR;
	}
	snprintf(path, sizeof(path), "%s/%s", dir, w->file);
	f = fopen(path, "re");
	if (!f && errno == ENOENT)
		return FOUND_NONE;
	if (!f) {
		int err = errno;

		fprintf(stderr, "ktap: error: cannot read %s: %s\n", path, strerror(err));
		if (err == EACCES || err == EPERM)
			session_advise(dir, err);
		return FOUND_ERROR;
	}
	while (getline(&line, &size, f) > 0) {
		if (!split_line(line, &group, &name) || strncmp(name, w->skipped, skipped))
			continue;
		name += skipped;
		if (!list_matches(w, group, name) || !is_clean(name) || !is_clean(group))
			continue;
		if (w->group)
			printf("%s%s:%s%s%s\n", w->prefix, group, name, w->offset, w->ret);
		else
			printf("%s%s%s%s\n", w->prefix, name, w->offset, w->ret);
		details_put(details, *w->offset ? LISTED_OTHER : w->kind, group, name, *w->ret);
		found = FOUND;
	}
	if (ferror(f)) {
		fprintf(stderr, "ktap: error: cannot read %s: %s\n", path, strerror(errno));
		found = FOUND_ERROR;
	}
	free(line);
	fclose(f);
	return found;
}

/* "SYSTEM:EVENT", "SYSTEM:" or, after "tp:", "SYSTEM" alone */
static enum found list_tracepoints(char *rest, bool after_tp, struct details *details)
{
	struct wanted w = { "available_events", rest, "*", "", "", "", "",
			    .kind = LISTED_TRACEPOINT };
	char *colon = strchr(rest, ':');

	if (!colon && !after_tp)
		return FOUND_NONE;
	if (colon) {
		*colon = '\0';
		if (colon[1])
			w.name = colon + 1;
	}
	if (!*rest)
		w.group = "*";
	return list_file(&w, details);
}

/* "[MODULE:]FUNCTION[+OFFSET][%return]"; fetch arguments are ignored */
static enum found list_functions(char *rest, bool ret, struct details *details)
{
	struct wanted w = { "available_filter_functions", NULL, rest, "", "probe:", "", "",
			    .kind = LISTED_FUNCTION };
	char *end, *offset, *colon;

	rest[strcspn(rest, " ")] = '\0';
	end = strchr(rest, '%');
	if (end && strcmp(end, "%return"))
		return FOUND_NONE;
	if (end)
		*end = '\0';
	if (end || ret)
		w.ret = "%return";

	offset = strchr(rest, '+');
	if (offset) {
		w.offset = strdupa(offset);
		*offset = '\0';
	}
	colon = strchr(rest, ':');
	if (colon) {
		*colon = '\0';
		w.group = rest;
		w.name = colon + 1;
	}
	return list_file(&w, details);
}

/* Each raw tracepoint has a stub that calls its probes. */
static enum found list_raw_tracepoints(const char *rest, struct details *details)
{
	const struct wanted w = { "available_filter_functions", NULL, rest, "__probestub_",
				  "rawtp:", "", "", .kind = LISTED_RAW_TRACEPOINT };

	return list_file(&w, details);
}

/* Does a row of the file with the features of the kernel's ktap have this word? */
static bool list_has_word(const char *row, const char *wanted)
{
	const char *dir = session_tracefs();
	char path[4096], *line = NULL, *word, *at;
	bool found = false;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/ktap/features", dir ? dir : "");
	f = fopen(path, "re");
	while (f && getline(&line, &size, f) > 0) {
		if (strncmp(line, row, strlen(row)))
			continue;
		for (word = strtok_r(line, " \n", &at); word; word = strtok_r(NULL, " \n", &at))
			found |= !strcmp(word, wanted);
	}
	free(line);
	if (f)
		fclose(f);
	return found;
}

/* Functions that scripts can call, with their prototypes */
static enum found list_calls(const char *pattern)
{
	enum found found = FOUND_NONE;

	for (size_t i = 0; i < nkernel_calls; i++) {
		const struct kernel_call *call = &kernel_calls[i];

		if (fnmatch(pattern, call->fn.name, 0) || !list_has_word("calls:", call->fn.name))
			continue;
		printf("ffi.C: %s;%s\n", call->prototype,
		       call->fn.acts ? " needs --unsafe" : "");
		found = FOUND;
	}
	return found;
}

static const char * const list_packets[] = { "in", "out", "forward", NULL };

/* Events of a source that has few, by their names after @source and ':'. @rest: the pattern */
static enum found list_few(const char *source, const char * const *names, enum listed_kind kind,
			   const char *rest, struct details *details)
{
	enum found found = FOUND_NONE;

	if (!list_has_word("sources:", source))
		return FOUND_NONE;
	for (; *names; names++) {
		if (fnmatch(rest, *names, 0))
			continue;
		printf("%s:%s\n", source, *names);
		details_put(details, kind, NULL, *names, false);
		found = FOUND;
	}
	return found;
}

/* Print the counters of perf that a pattern matches, with a usual period. */
static enum found list_counters(const char *pattern)
{
	enum found found = FOUND_NONE;
	const char *counter;
	char event[64];

	for (unsigned int i = 0; (counter = ktap_counter(i)); i++) {
		/* The period of clocks is in nanoseconds. */
		snprintf(event, sizeof(event), "%s:%s", counter,
			 strncmp(counter, "hardware:", 9) && !strstr(counter, "-clock") ?
			 "1" : "1000000");
		if (fnmatch(pattern, counter, 0) && fnmatch(pattern, event, 0) &&
		    fnmatch(pattern, strchr(counter, ':') + 1, 0))
			continue;
		puts(event);
		found = FOUND;
	}
	return found;
}

/* Events that are in no list of the kernel */
static const char * const list_words[] = {
	"trace_begin", "trace_end", "tick-1s", "profile-99hz", "ftrace:function",
};

/* Search events of all kinds; of user space none, as there are too many files. */
static enum found list_search(const char *pattern, struct details *details)
{
	const struct wanted lists[] = {
		{ "available_events", "", "", "", "", "", "", pattern, LISTED_TRACEPOINT },
		{ "available_filter_functions", NULL, "", "__probestub_", "rawtp:", "", "", pattern,
		  LISTED_RAW_TRACEPOINT },
		{ "available_filter_functions", NULL, "", "", "probe:", "", "", pattern,
		  LISTED_FUNCTION },
	};
	enum found found = FOUND_NONE, more;

	for (size_t i = 0; i < ARRAY_SIZE(list_words); i++) {
		if (fnmatch(pattern, list_words[i], 0))
			continue;
		puts(list_words[i]);
		found = FOUND;
	}
	if (list_counters(pattern) == FOUND)
		found = FOUND;
	if (list_few("packet", list_packets, LISTED_OTHER, pattern, details) == FOUND)
		found = FOUND;
	if (list_few("iter", ktap_iterators, LISTED_ITERATOR, pattern, details) == FOUND)
		found = FOUND;
	for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
		more = list_file(&lists[i], details);
		if (more == FOUND_ERROR)
			return FOUND_ERROR;
		if (more == FOUND)
			found = FOUND;
	}
	return found;
}

/* Events that contain any number, and so are in no list. */
static const struct {
	const char *prefix;
	const char *advice;
} unlisted[] = {
	{ "tick-",	"a tick is like tick-10ms (s, ms, us, ns, hz)" },
	{ "profile-",	"a timer on each CPU is like profile-99hz or profile-1ms" },
	{ "watch:",	"a watch on memory is like watch:jiffies:8:w or watch:0x1000:4:rw" },
};

/* Move *@pattern past @prefix, if it begins with that. */
static bool list_skip_prefix(char **pattern, const char *prefix)
{
	size_t len = strlen(prefix);

	if (strncmp(*pattern, prefix, len))
		return false;
	*pattern += len;
	return true;
}

static enum found list_kernels(const char *pattern, struct details *details)
{
	char *p = strdupa(pattern);

	for (size_t i = 0; i < ARRAY_SIZE(unlisted); i++) {
		if (!list_skip_prefix(&p, unlisted[i].prefix))
			continue;
		fprintf(stderr, "ktap: error: there is no list of '%s': %s\n", pattern,
			unlisted[i].advice);
		return FOUND_ERROR;
	}
	if (!strcmp(p, "trace_begin") || !strcmp(p, "trace_end") || !strcmp(p, "ftrace:function")) {
		printf("%s\n", p);
		return FOUND;
	}
	if (list_skip_prefix(&p, "tp:") || list_skip_prefix(&p, "tracepoint:"))
		return list_tracepoints(p, true, details);
	if (list_skip_prefix(&p, "probe:") || list_skip_prefix(&p, "kprobe:"))
		return list_functions(p, false, details);
	if (list_skip_prefix(&p, "kretprobe:"))
		return list_functions(p, true, details);
	if (list_skip_prefix(&p, "rawtp:"))
		return list_raw_tracepoints(p, details);
	if (list_skip_prefix(&p, "packet:"))
		return list_few("packet", list_packets, LISTED_OTHER, p, details);
	if (list_skip_prefix(&p, "iter:"))
		return list_few("iter", ktap_iterators, LISTED_ITERATOR, p, details);
	if (list_skip_prefix(&p, "ffi:"))
		return list_calls(p);
	if (!strncmp(p, "software:", 9) || !strncmp(p, "hardware:", 9))
		return list_counters(p);
	if (!strchr(p, ':'))
		return list_search(p, details);
	return list_tracepoints(p, false, details);
}

static const char *prefix_of(const struct user_event *e)
{
	if (e->kind == USER_MARKER)
		return "usdt";
	return e->ret ? "uretprobe" : "uprobe";
}

/* All addresses of a marker are one event. */
static bool was_listed(const struct answer *a, unsigned int i)
{
	const struct place *p = &a->places[i];

	for (unsigned int j = 0; j < i; j++) {
		if (a->places[j].file == p->file && !strcmp(a->places[j].name, p->name))
			return true;
	}
	return false;
}

bool list_events(const char *pattern, uint64_t pid, bool verbose, bool bpftrace)
{
	struct details details = { .wanted = verbose, .bpftrace = bpftrace };
	struct target target;
	struct resolver r;
	enum found kernels;
	struct answer a;
	bool found;

	target_init(&target, pid);
	resolver_init(&r, &target);
	resolve_event(&r, pattern, &a);
	if (a.kernels) {
		kernels = list_kernels(pattern, &details);
		found = kernels == FOUND;
		if (kernels == FOUND_NONE)
			fprintf(stderr, "ktap: error: no event matches '%s'%s\n", pattern,
				strpbrk(pattern, ":*") ? "" : ": try '*' before and after the name");
	} else {
		found = !a.message;
		if (!found) {
			fputs("ktap: error: ", stderr);
			list_put(stderr, a.message);
			fputc('\n', stderr);
		}
		if (found && a.note) {
			fputs("ktap: ", stderr);
			list_put(stderr, a.note);
			fputc('\n', stderr);
		}
		for (unsigned int i = 0; found && i < a.nplaces; i++) {
			const struct place *p = &a.places[i];

			if (a.event.kind == USER_MARKER && was_listed(&a, i))
				continue;
			printf("%s:", prefix_of(&a.event));
			list_put(stdout, a.files.files[p->file].shown);
			printf(":%s\n", p->name);
			details_put_place(&details, &r, &a, i);
		}
	}
	details_end(&details);
	resolver_free(&r);
	return found;
}
