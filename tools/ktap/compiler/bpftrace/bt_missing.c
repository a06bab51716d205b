// SPDX-License-Identifier: GPL-2.0
/* Events that do not exist, or that --probe-filter leaves out: config = { missing_probes = ... } */
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"

/* kprobe:0x1234: the kernel has refused the script, and an address is in no list of functions. */
static bool bt_is_address(const struct bt_script *s, const char *kind, const char *rest)
{
	return s->refused && !s->cc->diag.nerrors && !strcmp(kind, "kprobe") &&
	       !strncmp(rest, "0x", 2) && !rest[2 + strspn(rest + 2, "0123456789abcdefABCDEF")];
}

static bool bt_is_pattern(const char *rest)
{
	return strpbrk(rest, "*?[");
}

/* Can the answer be used before the kernel was asked?  A list of functions is long. */
static bool bt_is_asked(const struct bt_script *s, const char *kind, const char *rest,
			bool among_others)
{
	return s->missing != BT_MISSING_ERROR || s->refused ||
	       (among_others && bt_is_pattern(rest)) ||
	       (!strcmp(kind, "rawtracepoint") && strchr(rest, ':'));
}

/* Report an event that does not exist. */
static void bt_report_missing(struct bt_script *s, const struct bt_event *event, const char *kind,
			      const char *rest, enum ktap_event_state state)
{
	const char *colon = strchr(rest, ':'), *name = colon ? colon + 1 : rest;
	struct pos place = event->pos;
	struct diag *d = &s->cc->diag;

	if (s->missing == BT_MISSING_IGNORE)
		return;
	if (state == KTAP_EVENT_NO_MODULE)
		bt_error(s, event->pos, NULL,
			 "specified module %.*s in probe %s:%s is not loaded.",
			 (int)(colon - rest), rest, kind, rest);
	else if (s->missing == BT_MISSING_WARN)
		diag_warn(d, event->pos, "No matches for %s %s. Skipping.", kind, rest);
	else if (s->cc->opts->bpftrace_unsafe && !strcmp(kind, "kprobe"))
		bt_error(s, event->pos, NULL, "Unable to attach probe: %s:%s.", kind, rest);
	else
		bt_error(s, event->pos, NULL, "No matches for %s %s.", kind, rest);
	/* a place has one message */
	place.col += strlen(event->text) - strlen(name);
	if ((!strcmp(kind, "kprobe") || !strcmp(kind, "kretprobe")) && !bt_is_pattern(rest))
		diag_warn(d, place,
			  "%s is not traceable (either non-existing, inlined, or marked as \"notrace\"); attaching to it will likely fail",
			  name);
}

/* Does the event stay? */
static bool bt_keep_event(struct bt_script *s, const struct bt_event *event, const regex_t *filter,
			  bool among_others)
{
	const struct ktap_compile_opts *opts = s->cc->opts;
	const char *rest, *kind = bt_event_kind(event, &rest);
	enum ktap_event_state state;

	/* an unknown kind is reported later */
	if (!kind || bt_event_is_edge(event) || strchr(event->text, '$'))
		return true;
	if (filter && regexec(filter, pool_printf(&s->cc->pool, "%s:%s", kind, rest), 0, NULL, 0))
		return false;
	if (!opts->event_state || !bt_is_asked(s, kind, rest, among_others))
		return true;
	state = opts->event_state(opts->event_ctx, kind, rest);
	if (state == KTAP_EVENT_EXISTS && bt_is_address(s, kind, rest)) {
		bt_error(s, event->pos,
			 pool_printf(&s->cc->pool, "kprobe:FUNCTION+OFFSET, which ktap -e 'print(ksym(%s))' shows",
				     rest), "Unable to attach probe: %s:%llu.", kind,
			 strtoull(rest, NULL, 16));
		return false;
	}
	if (state == KTAP_EVENT_EXISTS)
		return true;
	/* a pattern may match nothing if the block has other events */
	if (!among_others || !bt_is_pattern(rest))
		bt_report_missing(s, event, kind, rest, state);
	return false;
}

/* Remove events that do not exist. */
static void bt_keep_events(struct bt_script *s, struct bt_probe *probe, const regex_t *filter)
{
	struct bt_event **event = &probe->events;
	struct diag *d = &s->cc->diag;
	bool several = probe->events->next;
	unsigned int before = d->nmsgs;

	while (*event) {
		if (bt_keep_event(s, *event, filter, several))
			event = &(*event)->next;
		else
			*event = (*event)->next;
	}
	if (probe->events || (d->nmsgs == before && (filter || s->missing == BT_MISSING_IGNORE)))
		return;
	if (s->missing == BT_MISSING_WARN)
		diag_warn(d, probe->body->pos,
			  "Probe has no valid attach points. It is being removed which may cause issues with program behavior.");
	else
		bt_error(s, probe->body->pos, NULL, "Probe has no valid attach points.");
}

static void bt_keep_probes(struct bt_script *s, const regex_t *filter)
{
	struct bt_probe **probe = &s->probes;

	while (*probe) {
		bt_keep_events(s, *probe, filter);
		if ((*probe)->events)
			probe = &(*probe)->next;
		else
			*probe = (*probe)->next;
	}
	if (s->probes || s->cc->diag.nerrors)
		return;
	diag_flush(&s->cc->diag);
	fputs("No probes to attach\n", s->cc->opts->diag);
	s->cc->diag.nerrors++;
}

void bt_find_missing(struct bt_script *s)
{
	const char *pattern = s->cc->opts->bpftrace_filter;
	regex_t filter;

	if (pattern && regcomp(&filter, pattern, REG_EXTENDED | REG_NOSUB)) {
		bt_error(s, s->probes->events->pos, NULL, "Invalid --probe-filter regex: %s",
			 pattern);
		return;
	}
	bt_keep_probes(s, pattern ? &filter : NULL);
	if (pattern)
		regfree(&filter);
}
