// SPDX-License-Identifier: GPL-2.0
/*
 * Names of events: other spellings of timers, and suggestions from the events
 * of this machine.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ast.h"
#include "compiler/lexer.h"
#include "compiler/suggest.h"
#include "compiler/util.h"

static const char * const event_lists[] = {
	"/sys/kernel/tracing/available_events",
	"/sys/kernel/debug/tracing/available_events",
};

/* "10ms" of tick-10ms: a number and one of the units. */
static bool timer_period(const char *s, bool profile)
{
	static const char * const units[] = { "s", "ms", "us", "hz", "ns" };
	size_t i;

	if (*s < '1' || *s > '9')
		return false;
	while (*s >= '0' && *s <= '9')
		s++;
	for (i = 0; i < 5 - (profile ? 1 : 0); i++)
		if (!strcmp(s, units[i]))
			return true;
	return false;
}

/* interval:s:1 is tick-1s, profile:hz:99 is profile-99hz. */
static const char *from_colons(struct compiler *cc, const char *s)
{
	const char *timer, *unit, *count;

	if (!strncmp(s, "interval:", 9) || !strncmp(s, "tick:", 5))
		timer = "tick";
	else if (!strncmp(s, "profile:", 8))
		timer = "profile";
	else
		return s;
	unit = strchr(s, ':') + 1;
	count = strchr(unit, ':');
	/* errors in "10ms:5" are reported with the original spelling */
	if (!count || (*unit >= '0' && *unit <= '9'))
		return pool_printf(&cc->pool, "%s-%s", timer, unit);
	return pool_printf(&cc->pool, "%s-%s%.*s", timer, count + 1, (int)(count - unit), unit);
}

/* Counters of perf; in a script, a period follows the name. */
static const char * const counters[] = {
	"software:cpu-clock", "software:task-clock", "software:page-faults", "software:faults",
	"software:minor-faults", "software:major-faults", "software:context-switches",
	"software:cs", "software:cpu-migrations", "software:migrations",
	"software:alignment-faults", "software:emulation-faults", "software:cgroup-switches",
	"hardware:cpu-cycles", "hardware:cycles", "hardware:instructions",
	"hardware:cache-references", "hardware:cache-misses", "hardware:branch-instructions",
	"hardware:branches", "hardware:branch-misses", "hardware:bus-cycles",
	"hardware:ref-cycles", "hardware:stalled-cycles-frontend",
	"hardware:stalled-cycles-backend",
};

const char * const ktap_iterators[] = { "task", "task_file", "task_vma", NULL };

bool ktap_is_iterator(const char *name)
{
	for (const char * const *known = ktap_iterators; *known; known++)
		if (!strcmp(*known, name))
			return true;
	return false;
}

const char *ktap_counter(unsigned int number)
{
	return number < ARRAY_SIZE(counters) ? counters[number] : NULL;
}

static bool is_counter(const char *spec)
{
	return !strncmp(spec, "software:", 9) || !strncmp(spec, "hardware:", 9);
}

/* A period in a suggestion: an interrupt at each cycle would leave no time for anything else. */
static const char *counter_period(const char *counter)
{
	return !strncmp(counter, "hardware:", 9) ? "1000000" : "1";
}

/* Return the nearest name, with the period of @spec if it has one. */
static const char *nearest_counter(const char *spec, char *best, size_t size)
{
	size_t len = strcspn(spec + 9, ":") + 9, i;
	unsigned int d, limit;
	char name[64];

	if (len >= sizeof(name))
		return NULL;
	snprintf(name, sizeof(name), "%.*s", (int)len, spec);
	limit = edit_limit(name) + 1;
	best[0] = 0;
	for (i = 0; i < ARRAY_SIZE(counters); i++) {
		d = edit_distance(name, counters[i]);
		/* "software:cpu" */
		if (d && !strncmp(counters[i], name, len) && counters[i][len] == '-')
			d = 1;
		/* an exact match needs no suggestion */
		if (!d && spec[len])
			return NULL;
		if (d < limit) {
			limit = d;
			snprintf(best, size, "%s:%s", counters[i],
				 spec[len] ? spec + len + 1 : counter_period(counters[i]));
		}
	}
	return best[0] ? best : NULL;
}

static bool word_is_one_of(const char *word, const char *const *words, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(words[i], word))
			return true;
	return false;
}

/* Does @s begin with a name, a pattern or a path? */
static bool begins_event(const char *s)
{
	if (is_name_char(s[0]) || strchr("*?[./", s[0]) || (unsigned char)s[0] >= 0x80)
		return s[strspn(s, "0123456789")];
	return false;
}

/*
 * Is it a prefix such as "kprobe:", or a prefix and a path, without a function
 * name?
 */
static bool without_name(const char *s)
{
	static const char * const prefixes[] = {
		"probe:", "kprobe:", "kretprobe:", "uprobe:", "uretprobe:", "sdt:", "usdt:",
		"ftrace:", "rawtp:", "software:", "hardware:", "packet:", "watch:",
		"iter:",
	};
	size_t i, len;

	for (i = 0; i < ARRAY_SIZE(prefixes); i++) {
		len = strlen(prefixes[i]);
		if (strncmp(s, prefixes[i], len))
			continue;
		if (!s[len] || (s[len] == '/' && s[strlen(s) - 1] == ':'))
			return true;
	}
	return false;
}

static void check_counter(struct compiler *cc, const struct node *event, const char *s)
{
	size_t len = strcspn(s + 9, ":") + 9;
	const char *near;
	char best[256];

	for (size_t i = 0; i < ARRAY_SIZE(counters); i++)
		if (strlen(counters[i]) == len && !strncmp(s, counters[i], len))
			return;
	diag_error(&cc->diag, event->pos, "no event '%s'", s);
	near = nearest_counter(s, best, sizeof(best));
	if (near)
		diag_note(&cc->diag, "did you mean '%s'?", near);
}

/*
 * Report errors in "watch:ADDRESS:LENGTH:MODE", or with [MODULE:]NAME[+OFFSET] instead of the
 * address. The kernel finds the rest.
 */
static void check_watch(struct compiler *cc, struct pos pos, const char *s)
{
	static const char * const lengths[] = { "1", "2", "4", "8" };
	static const char * const modes[] = { "w", "rw", "wr", "r", "x" };
	char *place = pool_strndup(&cc->pool, s, strlen(s)) + strlen("watch:");
	char *length = strchr(place, ':'), *mode = NULL, *end = NULL;
	bool number = *place >= '0' && *place <= '9';
	unsigned long long address;

	/* a name after the colon is that of a variable in a module */
	if (length && !number && is_name_char(length[1]) &&
	    (length[1] < '0' || length[1] > '9') &&
	    !word_is_one_of(length + 1, modes, ARRAY_SIZE(modes)))
		length = strchr(length + 1, ':');
	if (length)
		*length++ = 0;
	if (length)
		mode = strchr(length, ':');
	if (mode)
		*mode++ = 0;
	address = strtoull(place, &end, 0);
	if (number && *end)
		diag_error(&cc->diag, pos, "'%s' is no address", place);
	else if (length && !word_is_one_of(length, lengths, ARRAY_SIZE(lengths)))
		diag_error(&cc->diag, pos, "bad length '%s': a length is 1, 2, 4 or 8 bytes",
			   length);
	else if (mode && !word_is_one_of(mode, modes, ARRAY_SIZE(modes)))
		diag_error(&cc->diag, pos, "bad mode '%s': a mode is w, rw, r or x", mode);
	else if (number && length && *length != '1' && !(mode && *mode == 'x') &&
		 address % (*length - '0'))
		diag_error(&cc->diag, pos,
			   "%s is no multiple of %s: an address must be one of the length",
			   place, length);
	else
		return;
	diag_note(&cc->diag, "write it as watch:ADDRESS:LENGTH:MODE, such as watch:jiffies:8:w");
}

static void check_iterator(struct compiler *cc, struct pos pos, const char *s)
{
	if (ktap_is_iterator(s + strlen("iter:")))
		return;
	diag_error(&cc->diag, pos, "no iterator '%s'", s);
	diag_note(&cc->diag, "there are iter:task, iter:task_file and iter:task_vma");
}

/* Report errors in a timer. @s is @written in the spelling with '-'. */
static void check_timer(struct compiler *cc, struct pos pos, const char *s, const char *written)
{
	bool profile = !strncmp(s, "profile-", 8);
	const char *units = profile ? "{s|ms|us|hz}" : "{s|ms|us|ns|hz}";

	if (profile ? timer_period(s + 8, true) :
		      strncmp(s, "tick-", 5) || timer_period(s + 5, false))
		return;
	diag_error(&cc->diag, pos, "bad timer '%s'", written);
	if (ktap_foreign_event(written))
		diag_note(&cc->diag, "did you mean '%s'?", ktap_foreign_event(written));
	else if (s == written)
		diag_note(&cc->diag, "write it as %s-N%s, N from 1 on",
			  profile ? "profile" : "tick", units);
	else
		diag_note(&cc->diag, "write it as %.*s:%s:N, N from 1 on",
			  (int)strcspn(written, ":"), written, units);
}

void event_normalise(struct compiler *cc, struct node *event)
{
	const char *s = event->str, *written;

	if (strlen(pool_strndup(&cc->pool, s, event->len)) != event->len || !event->len) {
		diag_error(&cc->diag, event->pos, "this is no name of an event");
		return;
	}
	s = pool_strndup(&cc->pool, s, event->len);
	if (!begins_event(s)) {
		diag_error(&cc->diag, event->pos, "'%s' is no name of an event", s);
		return;
	}
	if (without_name(s)) {
		diag_error(&cc->diag, event->pos, "a name is missing after '%s'", s);
		return;
	}
	if (is_counter(s))
		check_counter(cc, event, s);
	if (!strncmp(s, "watch:", 6))
		check_watch(cc, event->pos, s);
	if (!strncmp(s, "iter:", 5))
		check_iterator(cc, event->pos, s);
	if (!strcmp(s, "BEGIN"))
		s = "trace_begin";
	else if (!strcmp(s, "END"))
		s = "trace_end";
	written = s;
	s = from_colons(cc, s);
	check_timer(cc, event->pos, s, written);
	event->str = s;
	event->len = strlen(s);
}

/*
 * Does @spec name the event without its system, or a system call by its own
 * name?
 */
static bool event_is_named(const char *spec, const char *event)
{
	const char *colon = strchr(event, ':');

	if (!colon)
		return false;
	if (!strcmp(colon + 1, spec))
		return true;
	if (!strncmp(spec, "syscalls:", 9))
		spec += 9;
	return !strncmp(event, "syscalls:sys_enter_", 19) && !strcmp(event + 19, spec);
}

static void nearest_event(FILE *f, const char *spec, char *best, size_t size)
{
	unsigned int limit = edit_limit(spec) + 1;
	size_t len = strlen(spec);
	char line[256];
	bool system;

	while (fgets(line, sizeof(line), f)) {
		unsigned int d;

		line[strcspn(line, "\n")] = 0;
		system = !strncmp(line, spec, len) && line[len] == ':';
		d = event_is_named(spec, line) || system ? 1 : edit_distance(spec, line);
		if (d && d < limit) {
			limit = d;
			snprintf(best, size, "%.*s%s", system ? (int)len : (int)strlen(line), line,
				 system ? ":*" : "");
		}
	}
}

/*
 * Lines of these files: "NAME", or "ADDRESS TYPE NAME", where TYPE tells
 * functions from variables; "[MODULE]" follows for symbols of modules.
 */
static const struct {
	const char *path;
	bool symbols;
} function_lists[] = {
	{ "/sys/kernel/tracing/available_filter_functions", false },
	{ "/sys/kernel/debug/tracing/available_filter_functions", false },
	{ "/proc/kallsyms", true },
};

static bool function_line(const char *line, bool symbols, char *function, char *module)
{
	char type = 't';
	int n;

	strcpy(module, "vmlinux");
	if (symbols)
		n = sscanf(line, "%*s %c %255s [%63[^]]", &type, function, module) - 1;
	else
		n = sscanf(line, "%255s [%63[^]]", function, module);
	return n >= 1 && strchr("tTwW", type);
}

/*
 * @module: "vmlinux" is the kernel itself; NULL: any. If a function has exactly
 * this name, the user forgot the prefix of the probe.
 */
static void nearest_kernel_function(FILE *f, bool symbols, const char *name, const char *module,
				    char *best, size_t size)
{
	unsigned int limit = edit_limit(name) + 1, d;
	char line[512], function[256], its_module[64];

	while (fgets(line, sizeof(line), f)) {
		if (!function_line(line, symbols, function, its_module) ||
		    (module && strcmp(module, its_module)))
			continue;
		d = edit_distance(name, function);
		if (d < limit) {
			limit = d;
			snprintf(best, size, "%s%.240s", d ? "" : "probe:", function);
		}
	}
}

const char *ktap_suggest_function(const char *name, const char *module)
{
	static char best[256];
	size_t i;
	FILE *f;

	best[0] = 0;
	for (i = 0; i < ARRAY_SIZE(function_lists); i++) {
		f = fopen(function_lists[i].path, "r");
		if (!f)
			continue;
		nearest_kernel_function(f, function_lists[i].symbols, name, module, best,
					sizeof(best));
		fclose(f);
		break;
	}
	return best[0] ? best : NULL;
}

/* Prefixes of events in bpftrace and perf; of those that begin alike, the longest is first. */
static const struct {
	const char *prefix;
	const char *ours;
} spellings[] = {
	{ "kfunc:", "probe:" }, { "fentry:", "probe:" },
	{ "kretfunc:", "kretprobe:" }, { "fexit:", "kretprobe:" },
	{ "raw_tracepoint:", "rawtp:" }, { "rawtracepoint:", "rawtp:" }, { "rt:", "rawtp:" },
	{ "t:", "tp:" }, { "k:", "kprobe:" }, { "kr:", "kretprobe:" },
	{ "u:", "uprobe:" }, { "ur:", "uretprobe:" }, { "U:", "usdt:" },
	{ "i:", "interval:" }, { "p:hz:", "profile:hz:" }, { "p:s:", "profile:s:" },
	{ "p:ms:", "profile:ms:" }, { "p:us:", "profile:us:" }, { "p:", "kprobe:" },
	{ "r:", "kretprobe:" }, { "s:", "software:" }, { "h:", "hardware:" },
	{ "watchpoint:", "watch:" }, { "mem:", "watch:" }, { "w:", "watch:" },
	{ "it:", "iter:" },
};

/* Replace a foreign prefix of @spec by ktap's; NULL if it has none. */
static const char *event_from_foreign(const char *spec, char *best, size_t size)
{
	static const char image[] = "vmlinux:";

	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		size_t len = strlen(spellings[i].prefix);

		if (strncmp(spec, spellings[i].prefix, len))
			continue;
		spec += len;
		if (!strncmp(spec, image, strlen(image)))
			spec += strlen(image);
		snprintf(best, size, "%s%s", spellings[i].ours, spec);
		return best;
	}
	return NULL;
}

const char *ktap_foreign_prefix(const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i < ARRAY_SIZE(spellings); i++) {
		const char *prefix = spellings[i].prefix;

		if (!strncmp(prefix, word, len) && !strcmp(prefix + len, ":"))
			return spellings[i].ours;
	}
	return NULL;
}

/*
 * Suggest the event for "PREFIX:NAME", with or without ":entry" or ":return" at the
 * end, as in DTrace; NULL if @spec is no such thing.
 */
static const char *event_from_dtrace(const char *spec, const char *prefix, const char *entry,
				     const char *ret, char *best, size_t size)
{
	size_t len = strlen(prefix);
	const char *end;

	if (strncmp(spec, prefix, len))
		return NULL;
	spec += len;
	spec += strspn(spec, ":");
	end = strchr(spec, ':');
	if (!*spec || (end && strcmp(end, ":entry") && strcmp(end, ":return")))
		return NULL;
	len = end ? (size_t)(end - spec) : strlen(spec);
	snprintf(best, size, "%s%.*s", end && !strcmp(end, ":return") ? ret : entry, (int)len,
		 spec);
	return best;
}

static const char *event_from_call(const char *spec, char *best, size_t size)
{
	static const char enter[] = "syscalls:sys_enter_", exit[] = "syscalls:sys_exit_";
	const char *event;

	/* the event exists, or is misspelt */
	if (!strncmp(spec, "syscalls:sys_", strlen("syscalls:sys_")))
		return NULL;
	event = event_from_dtrace(spec, "syscalls:", enter, exit, best, size);
	if (!event)
		event = event_from_dtrace(spec, "syscall:", enter, exit, best, size);
	return event ? event : event_from_dtrace(spec, "fbt:", "probe:", "kretprobe:", best, size);
}

/* "pid1:libc:malloc:entry" of DTrace */
static const char *event_from_pid(const char *spec, char *best, size_t size)
{
	const char *file, *function, *end;

	if (strncmp(spec, "pid", 3))
		return NULL;
	file = spec + 3 + strspn(spec + 3, "0123456789");
	if (file == spec + 3 && !strncmp(file, "$target", strlen("$target")))
		file += strlen("$target");
	if (*file != ':' || file == spec + 3)
		return NULL;
	file++;
	function = file + strcspn(file, ":");
	end = *function ? function + 1 + strcspn(function + 1, ":") : function;
	if (function == file || end <= function + 1)
		return NULL;
	snprintf(best, size, "%s:%.*s", strcmp(end, ":return") ? "uprobe" : "uretprobe",
		 (int)(end - file), file);
	return best;
}

/* "timer.s(1)" and "timer:1s": the unit and the number, or the number and the unit */
static const char *event_from_timer(const char *spec, char *best, size_t size)
{
	char unit[4], close;
	unsigned int count;

	if (!strcmp(spec, "timer.profile")) {
		snprintf(best, size, "profile-99hz");
		return best;
	}
	if (sscanf(spec, "timer.%3[a-z](%u%c", unit, &count, &close) == 3 && close == ')') {
		snprintf(best, size, "tick-%u%s", count, unit);
		return timer_period(best + strlen("tick-"), false) ? best : NULL;
	}
	if (strncmp(spec, "timer:", 6) || !timer_period(spec + 6, false))
		return NULL;
	snprintf(best, size, "tick-%s", spec + 6);
	return best;
}

/* Probes that begin with their provider, as "profile:::tick-1s" and "dtrace:::BEGIN" */
static const char *event_from_provider(const char *spec, char *best, size_t size)
{
	static const char tick[] = "profile:::tick-", profile[] = "profile:::profile-";
	bool is_tick = !strncmp(spec, tick, strlen(tick));
	const char *period;

	if (!strcmp(spec, "dtrace:::BEGIN") || !strcmp(spec, "begin"))
		return "BEGIN";
	if (!strcmp(spec, "dtrace:::END") || !strcmp(spec, "end"))
		return "END";
	if (!is_tick && strncmp(spec, profile, strlen(profile)))
		return NULL;
	period = spec + (is_tick ? strlen(tick) : strlen(profile));
	/* a number without a unit is one in hertz */
	snprintf(best, size, "%s-%s%s", is_tick ? "tick" : "profile", period,
		 period[strspn(period, "0123456789")] ? "" : "hz");
	return timer_period(strchr(best, '-') + 1, !is_tick) ? best : NULL;
}

/* "syscall.read" and "syscall.read.return" */
static const char *event_from_systemtap(const char *spec, char *best, size_t size)
{
	const char *name, *end;

	if (strncmp(spec, "syscall.", strlen("syscall.")))
		return NULL;
	name = spec + strlen("syscall.");
	end = name + strcspn(name, ".");
	if (end == name || (*end && strcmp(end, ".return")))
		return NULL;
	snprintf(best, size, "syscalls:sys_%s_%.*s", *end ? "exit" : "enter", (int)(end - name),
		 name);
	return best;
}

const char *ktap_foreign_event(const char *spec)
{
	static const char *(*const translate[])(const char *spec, char *best, size_t size) = {
		event_from_foreign, event_from_call, event_from_pid, event_from_timer,
		event_from_provider, event_from_systemtap,
	};
	static char best[256];
	const char *event;

	for (size_t i = 0; i < ARRAY_SIZE(translate); i++) {
		event = translate[i](spec, best, sizeof(best));
		if (event)
			return event;
	}
	return NULL;
}

/* "cycles": perf has counters without a prefix and a period. */
static const char *event_from_counter(const char *spec, char *best, size_t size)
{
	for (size_t i = 0; i < ARRAY_SIZE(counters); i++) {
		if (strcmp(strchr(counters[i], ':') + 1, spec))
			continue;
		snprintf(best, size, "%s:%s", counters[i], counter_period(counters[i]));
		return best;
	}
	return NULL;
}

/* Suggest a probe for the name of a function. */
static const char *event_suggest_probe(const char *name, char *best, size_t size)
{
	const char *near = ktap_suggest_function(name, NULL);

	if (!near)
		return NULL;
	if (!strchr(near, ':'))
		snprintf(best, size, "probe:%.240s", near);
	return strchr(near, ':') ? near : best;
}

const char *ktap_suggest_event(const char *spec)
{
	static char best[256];
	const char *near;
	size_t i;
	FILE *f;

	if (is_counter(spec))
		return nearest_counter(spec, best, sizeof(best));
	near = ktap_foreign_event(spec);
	if (!near)
		near = event_from_counter(spec, best, sizeof(best));
	if (near)
		return near;
	if (!strncmp(spec, "tp:", 3))
		spec += 3;
	else if (!strncmp(spec, "tracepoint:", 11))
		spec += 11;
	if (strpbrk(spec, "*?["))
		return NULL;
	best[0] = 0;
	for (i = 0; i < 2; i++) {
		f = fopen(event_lists[i], "r");
		if (!f)
			continue;
		nearest_event(f, spec, best, sizeof(best));
		fclose(f);
		break;
	}
	if (!best[0] && !strchr(spec, ':'))
		return event_suggest_probe(spec, best, sizeof(best));
	return best[0] ? best : NULL;
}
