// SPDX-License-Identifier: GPL-2.0
/* Events in the spelling of bpftrace. */
#include <fnmatch.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/lexer.h"
#include "compiler/suggest.h"
#include "compiler/util.h"

enum bt_event_kind {
	BE_TRACEPOINT, BE_RAW, BE_FUNCTION, BE_PROGRAM, BE_COUNTER, BE_TIMER, BE_EDGE, BE_SIGNAL,
	BE_WATCH, BE_ITER, BE_LEFT_OUT,
};

/* Names, their short form, ktap's prefix or the advice, and the number of parts. */
static const struct bt_event_row {
	const char *name;
	const char *alias;
	enum bt_event_kind kind;
	const char *ours;
	unsigned int min, max;
} bt_events[] = {
	{ "tracepoint", "t", BE_TRACEPOINT, "", 2, 2 },
	{ "rawtracepoint", "rt", BE_RAW, "rawtp:", 1, 2 },
	{ "kprobe", "k", BE_FUNCTION, "probe:", 1, 2 },
	{ "kretprobe", "kr", BE_FUNCTION, "kretprobe:", 1, 2 },
	{ "fentry", "f", BE_FUNCTION, "probe:", 1, 2 },
	{ "kfunc", NULL, BE_FUNCTION, "probe:", 1, 2 },
	{ "fexit", "fr", BE_FUNCTION, "kretprobe:", 1, 2 },
	{ "kretfunc", NULL, BE_FUNCTION, "kretprobe:", 1, 2 },
	{ "uprobe", "u", BE_PROGRAM, "uprobe:", 2, 9 },
	{ "uretprobe", "ur", BE_PROGRAM, "uretprobe:", 2, 9 },
	{ "usdt", "U", BE_PROGRAM, "usdt:", 2, 9 },
	{ "profile", "p", BE_TIMER, "profile-", 1, 2 },
	{ "interval", "i", BE_TIMER, "tick-", 1, 2 },
	{ "software", "s", BE_COUNTER, "software:", 1, 2 },
	{ "hardware", "h", BE_COUNTER, "hardware:", 1, 2 },
	{ "BEGIN", "begin", BE_EDGE, "trace_begin", 0, 0 },
	{ "END", "end", BE_EDGE, "trace_end", 0, 0 },
	{ "watchpoint", "w", BE_WATCH, "watch:", 3, 3 },
	{ "asyncwatchpoint", "aw", BE_WATCH, "watch:", 3, 3 },
	{ "iter", "it", BE_ITER, "iter:", 1, 2 },
	{ "self", NULL, BE_SIGNAL, "signal:signal_generate", 2, 2 },
	{ "bench", NULL, BE_LEFT_OUT, "", 0, 1 },
	{ "test", NULL, BE_LEFT_OUT, "", 0, 1 },
};

static const struct bt_event_row *bt_event_row(const char *text, const char **rest)
{
	size_t len = strcspn(text, ":");

	*rest = text[len] ? text + len + 1 : "";
	for (size_t i = 0; i < ARRAY_SIZE(bt_events); i++) {
		const struct bt_event_row *row = &bt_events[i];

		if ((strlen(row->name) == len && !strncmp(text, row->name, len)) ||
		    (row->alias && strlen(row->alias) == len && !strncmp(text, row->alias, len)))
			return row;
	}
	return NULL;
}

/* Default periods of counters. */
static const char *bt_default_period(const char *name)
{
	static const char * const every[] = {
		"page-faults", "faults", "minor-faults", "major-faults", "context-switches", "cs",
		"cpu-migrations", "alignment-faults", "emulation-faults", "cgroup-switches",
	};

	for (size_t i = 0; i < ARRAY_SIZE(every); i++)
		if (!strcmp(every[i], name))
			return "1";
	return "1000000";
}

static const char *bt_counter(struct bt_script *s, const struct bt_event_row *row,
			      const char *rest)
{
	const char *period = strchr(rest, ':');
	const char *name = pool_strndup(&s->cc->pool, rest, strcspn(rest, ":"));

	period = period && period[1] ? period + 1 : bt_default_period(name);
	/* 1e6 */
	if (strchr(period, 'e'))
		period = pool_printf(&s->cc->pool, "%.0f", strtod(period, NULL));
	if (!strcmp(row->name, "software") && !strcmp(name, "cpu"))
		name = "cpu-clock";
	return pool_printf(&s->cc->pool, "%s%s:%s", row->ours, name, period);
}

static const char bt_least_interval[] = "10us";

/* hz:99, s:1, or 10ms; the number may be a parameter */
static const char *bt_timer(struct bt_script *s, const struct bt_event_row *row,
			    const char *rest, const struct bt_event *event)
{
	static const char * const units[] = { "hz", "s", "ms", "us", "ns" };
	const char *number = strchr(rest, ':'), *unit;
	size_t digits;

	if (number) {
		unit = pool_strndup(&s->cc->pool, rest, number - rest);
		number++;
		digits = (*number == '$') + strspn(number + (*number == '$'), "0123456789");
	} else {
		number = rest;
		digits = strspn(rest, "0123456789");
		unit = rest[digits] ? rest + digits : "ns";
	}
	if (!strcmp(unit, "us") && digits == 1 && *number != '0' && *row->ours == 't') {
		diag_warn(&s->cc->diag, event->pos, "ktap runs an interval every %s at most",
			  bt_least_interval);
		return pool_printf(&s->cc->pool, "%s%s", row->ours, bt_least_interval);
	}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(units[i], unit) && digits && (number == rest || !number[digits]) &&
		    strspn(number, "0") < digits)
			return pool_printf(&s->cc->pool, "%s%.*s%s", row->ours, (int)digits,
					   number, unit);
	bt_error(s, event->pos,
		 "write profile:hz:99, interval:s:1, interval:ms:100 or interval:us:50",
		 "'%s' is no timer", event->text);
	return NULL;
}

/* self:signal:SIGUSR1: the signal is sent to the program ktap */
static const char *bt_signal(struct bt_script *s, const struct bt_event_row *row,
			     const char *rest, const struct bt_event *event)
{
	int64_t tracer = s->cc->opts->bpftrace_tracer;

	if (strcmp(rest, "signal:SIGUSR1"))
		bt_error(s, event->pos, "self:signal:SIGUSR1", "'%s' is no signal that is supported",
			 event->text);
	else if (!tracer)
		bt_error(s, event->pos, "ktap FILE.bt", "'self' is the program ktap that runs the script");
	s->event_filter = pool_printf(&s->cc->pool, "sig == %d && args.pid == %lld", SIGUSR1,
				      (long long)tracer);
	s->signals = true;
	return row->ours;
}

/* The breakpoint stays until the script ends: its events are dropped from now on. */
void bt_unwatch(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n->a);

	if (t->kind == BT_STRING || bt_is_compound(t))
		bt_error(s, n->a->pos, "unwatch(0x1000)", "unwatch() takes an address");
	bt_put(s, n->pos, "bt_unwatched[ipof(");
	bt_value(s, n->a);
	bt_put(s, n->pos, ")] = true");
}

/* The length of the name of a variable of the kernel, whose address is watched, at @place; or 0 */
static int bt_watch_name_length(const char *place)
{
	int len = 0;

	while (is_name_char(place[len]))
		len++;
	return *place >= '0' && *place <= '9' ? 0 : len;
}

const char *bt_watch_symbol(struct bt_script *s, const struct bt_event *event)
{
	const char *rest;
	const struct bt_event_row *row = bt_event_row(event->text, &rest);
	int len = row && row->kind == BE_WATCH ? bt_watch_name_length(rest) : 0;

	return len ? pool_printf(&s->cc->pool, "\"%.*s\"", len, rest) : NULL;
}

/* The address that the event watches as an expression: 0x1000, $1, NAME, NAME+4; NULL: another */
static const char *bt_watch_address(struct bt_script *s, const char *rest)
{
	const char *place = pool_strndup(&s->cc->pool, rest, strcspn(rest, ":")), *digits;
	int len = bt_watch_name_length(place);
	char *end;

	if (*place == '$') {
		digits = place + 1;
		return *digits && !digits[strspn(digits, "0123456789")] ?
		       pool_printf(&s->cc->pool, "tonumber(%s)", place) : NULL;
	}
	digits = place + len + (len && place[len]);
	if (len && !place[len])
		return pool_printf(&s->cc->pool, "kaddr_%s", place);
	if ((len && place[len] != '+') || *digits < '0' || *digits > '9')
		return NULL;
	strtoull(digits, &end, 0);
	if (*end)
		return NULL;
	return len ? pool_printf(&s->cc->pool, "kaddr_%.*s + %s", len, place, digits) : place;
}

/* ADDRESS:LENGTH:MODE; older versions had also "function+argN" in place of the address */
static const char *bt_watch(struct bt_script *s, const struct bt_event_row *row,
			    const char *rest, const struct bt_event *event)
{
	const char *plus = strchr(rest, '+');

	if (plus && !strncmp(plus, "+arg", 4)) {
		bt_error(s, event->pos,
			 "the address as a number, which an earlier run prints: uprobe:PATH:NAME { printf(\"%p\", arg0) }",
			 "'%s': an argument of a function cannot be watched", event->text);
		return NULL;
	}
	if (s->unwatches)
		s->watched = bt_watch_address(s, rest);
	if (s->unwatches && !s->watched)
		bt_error(s, event->pos, "an address such as 0x1000, $1, or the name of a variable",
			 "'%s': unwatch() does not know this address", event->text);
	return pool_printf(&s->cc->pool, "%s%s", row->ours, rest);
}

/* Does the event have a block of its own, and are there no others but BEGIN and END? */
static bool bt_is_alone(const struct bt_script *s, const struct bt_event *event)
{
	for (const struct bt_probe *probe = s->probes; probe; probe = probe->next)
		for (const struct bt_event *other = probe->events; other; other = other->next)
			if (other != event && (probe == s->probe || !bt_event_is_edge(other)))
				return false;
	return true;
}

/* The kernel's iterators; bpftrace has also the name of a file that keeps one */
static const char *bt_iter(struct bt_script *s, const struct bt_event_row *row,
			   const char *rest, const struct bt_event *event)
{
	size_t len = strcspn(rest, ":");

	if (!bt_is_alone(s, event)) {
		bt_error(s, event->pos, "a script of ktap may have several, and other events",
			 "'%s': an iterator is the only event of a script, beside BEGIN and END",
			 event->text);
		return NULL;
	}
	if (rest[len]) {
		bt_error(s, event->pos, pool_printf(&s->cc->pool, "ktap --detach -e '%s:%.*s {...}'",
						    row->name, (int)len, rest),
			 "'%s': an iterator cannot be kept in a file", event->text);
		return NULL;
	}
	if (ktap_is_iterator(rest))
		return pool_printf(&s->cc->pool, "%s%s", row->ours, rest);
	bt_error(s, event->pos, "iter:task, iter:task_file, iter:task_vma",
		 "'%s' is no iterator", event->text);
	return NULL;
}

static unsigned int bt_event_parts(const char *rest)
{
	unsigned int n = *rest != 0;

	for (; *rest; rest++)
		n += *rest == ':';
	return n;
}

/* "kprobe:$1": the event is an expression */
static const char *bt_event_of_params(struct bt_script *s, const char *event)
{
	const char *text = "(", *param = event;
	int digits;

	for (; (param = strchr(event, '$')); event = param + digits) {
		digits = 1 + strspn(param + 1, "0123456789");
		text = pool_printf(&s->cc->pool, "%s%s\"%.*s\" .. %.*s", text,
				   text[1] ? " .. " : "", (int)(param - event), event, digits,
				   param);
	}
	if (*event)
		text = pool_printf(&s->cc->pool, "%s .. \"%s\"", text, event);
	return pool_printf(&s->cc->pool, "%s)", text);
}

/* The value of `probe`: what does not vary is known. */
static void bt_event_probe(struct bt_script *s, const struct bt_event_row *row, const char *rest,
			   bool params)
{
	const char *colon = strrchr(rest, ':');
	size_t len = colon ? (size_t)(colon - rest) + 1 : 0;

	s->probe_type = row->kind == BE_EDGE ? "special" : row->name;
	s->user_mode = row->kind == BE_EDGE || row->kind == BE_PROGRAM ? "1" :
		       row->kind == BE_TIMER && row->ours[0] == 'p' ? "(arg1 ? 1 : 0)" : "0";
	if (row->kind == BE_EDGE)
		s->probe_text = pool_printf(&s->cc->pool, "\"%s\"", row->alias);
	else if (!params && !strpbrk(rest, "*?["))
		s->probe_text = pool_printf(&s->cc->pool, "\"%s:%s\"", row->name, rest);
	else if (params || memchr(rest, '*', len))
		s->probe_text = pool_printf(&s->cc->pool, "(\"%s:\" .. probename)", row->name);
	else
		s->probe_text = pool_printf(&s->cc->pool, "(\"%s:%.*s\" .. probename)", row->name,
					    (int)len, rest);
}

/* Does the event name the kernel itself as a module, as in "vmlinux:vfs_read"? */
static bool bt_is_kernel(struct bt_script *s, const char *rest)
{
	const char *colon = strchr(rest, ':');

	return colon && !fnmatch(pool_strndup(&s->cc->pool, rest, colon - rest), "vmlinux", 0) &&
	       *rest != '*';
}

const char *bt_event_kind(const struct bt_event *event, const char **rest)
{
	const struct bt_event_row *row = bt_event_row(event->text, rest);

	return row ? row->name : NULL;
}

bool bt_event_is_left_out(struct bt_script *s, const struct bt_event *event)
{
	const char *rest;
	/* there is no text after an error */
	const struct bt_event_row *row = event->text ? bt_event_row(event->text, &rest) : NULL;

	if (!row || row->kind != BE_LEFT_OUT)
		return false;
	diag_warn(&s->cc->diag, event->pos,
		  "'%s' is left out: bpftrace runs it with --%s only, which ktap does not have",
		  event->text, row->name);
	return true;
}

bool bt_event_is_edge(const struct bt_event *event)
{
	const char *rest;
	const struct bt_event_row *row = bt_event_row(event->text, &rest);

	return row && row->kind == BE_EDGE;
}

/* Does bpftrace attach such an event to a process, if it runs a command? */
static bool bt_event_of_process(const struct bt_event_row *row)
{
	return row->kind == BE_PROGRAM || row->kind == BE_COUNTER || row->kind == BE_WATCH ||
	       row->kind == BE_ITER || (row->kind == BE_TIMER && *row->ours == 'p');
}

bool bt_events_of_process(const struct bt_script *s)
{
	const char *rest;

	for (const struct bt_probe *probe = s->probes; probe; probe = probe->next)
		for (const struct bt_event *event = probe->events; event; event = event->next) {
			const struct bt_event_row *row = bt_event_row(event->text, &rest);

			if (row && row->kind != BE_EDGE && row->kind != BE_TIMER &&
			    !bt_event_of_process(row))
				return false;
		}
	return true;
}

/*
 * With -c, events that belong to a process are those of the command, without its children. If
 * there are no others, the whole session is limited to it.
 */
static void bt_limit_event(struct bt_script *s, const struct bt_event_row *row)
{
	const struct ktap_compile_opts *opts = s->cc->opts;

	if (opts->bpftrace_limit && bt_event_of_process(row) && !bt_events_of_process(s))
		s->event_filter = pool_printf(&s->cc->pool, "%s == %lld",
					      opts->bpftrace_inner ? "ns_pid()" : "pid",
					      (long long)opts->bpftrace_command);
}

/* fentry:bpf:NAME: the program, or one of its functions */
static bool bt_event_is_bpf(const struct bt_event_row *row, const char *rest)
{
	return row->kind == BE_FUNCTION && *row->name == 'f' && !strncmp(rest, "bpf:", 4);
}

const char *bt_event(struct bt_script *s, const struct bt_event *event, enum bt_place *place)
{
	const struct bt_event_row *row;
	const char *rest, *text = NULL;
	bool params = strchr(event->text, '$');
	unsigned int parts;

	row = bt_event_row(event->text, &rest);
	if (!row) {
		bt_error(s, event->pos, "tracepoint, kprobe, kretprobe, fentry, fexit, uprobe, usdt, interval, profile, BEGIN ...",
			 "'%.*s' is no kind of event of bpftrace",
			 (int)strcspn(event->text, ":"), event->text);
		return NULL;
	}
	if (bt_event_is_bpf(row, rest)) {
		bt_error(s, event->pos, "the function of the kernel that the program is attached to",
			 "'%s': ktap does not trace programs of BPF", event->text);
		return NULL;
	}
	parts = bt_event_parts(rest);
	if (parts < row->min || parts > row->max) {
		unsigned int limit = parts < row->min ? row->min : row->max;

		bt_error(s, event->pos, NULL, "'%s': %s has %s%u part%s after its first ':'",
			 event->text, row->name, row->min == row->max ? "" :
			 parts < row->min ? "at least " : "at most ", limit,
			 limit == 1 ? "" : "s");
		return NULL;
	}
	s->iter = row->kind == BE_ITER;
	s->edge = row->kind == BE_EDGE || s->iter;
	s->event_filter = NULL;
	s->watched = NULL;
	*place = s->edge || row->ours[0] == 't' ? BT_IN_PROCESS : BT_IN_EVENT;
	bt_event_probe(s, row, rest, params);
	if (row->kind == BE_EDGE)
		return row->ours;
	bt_limit_event(s, row);
	if (row->kind == BE_COUNTER)
		text = bt_counter(s, row, rest);
	else if (row->kind == BE_TIMER)
		text = bt_timer(s, row, rest, event);
	else if (row->kind == BE_SIGNAL)
		text = bt_signal(s, row, rest, event);
	else if (row->kind == BE_WATCH)
		text = bt_watch(s, row, rest, event);
	else if (row->kind == BE_ITER)
		text = bt_iter(s, row, rest, event);
	else if (row->kind == BE_RAW)
		text = pool_printf(&s->cc->pool, "%s%s", row->ours,
				   strchr(rest, ':') ? strchr(rest, ':') + 1 : rest);
	else if (row->kind == BE_FUNCTION && bt_is_kernel(s, rest))
		text = pool_printf(&s->cc->pool, "%s%s", row->ours, strchr(rest, ':') + 1);
	else
		text = pool_printf(&s->cc->pool, "%s%s", row->ours, rest);
	return text && params ? bt_event_of_params(s, text) : text;
}
