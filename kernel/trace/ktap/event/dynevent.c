// SPDX-License-Identifier: GPL-2.0
/*
 * Probes with fetch arguments of the kernel's own: "probe:f a=%di b=+4($stack)".
 *
 * The kernel's parser makes a dynamic event of them, in the system "ktap",
 * whose name has the session's number in it; the clause then waits for it like
 * for any trace event.  It is deleted when the session is closed.
 */
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../trace.h"
#include "../trace_dynevent.h"
#include "source.h"

#define SYSTEM		"ktap"

/* The parser takes names of less than 64 bytes: leave room for the numbers. */
#define MAX_NAME	32

/* "FUNCTION" of "MODULE:FUNCTION+OFFSET%return" */
static char *function_name(const char *location)
{
	const char *colon = strchr(location, ':');
	const char *name = colon ? colon + 1 : location;

	return kmemdup_nul(name, strcspn(name, "+%"), GFP_KERNEL_ACCOUNT);
}

/* One that the parser takes, and no other session has. */
static void event_name(char *name, size_t size, const struct ktap_session *s, const char *func)
{
	char *p;

	snprintf(name, size, "%.*s_%llu_%u", MAX_NAME, func, s->id, s->npoints);
	for (p = name; *p; p++) {
		if (!isalnum(*p))
			*p = '_';
	}
	if (isdigit(*name))
		*name = '_';
}

/* The command, with one blank between its words: offsets of errors are in that. */
static char *make_command(char type, const char *name, char **words)
{
	char *command = kasprintf(GFP_KERNEL_ACCOUNT, "%c:" SYSTEM "/%s", type, name);
	char *longer;

	for (; command && *words; words++) {
		longer = kasprintf(GFP_KERNEL_ACCOUNT, "%s %s", command, *words);
		kfree(command);
		command = longer;
	}
	return command;
}

static int command_error(struct ktap_vm *vm, const struct ktap_probe *probe, const char *command,
			 const struct dyn_event_error *error, int err)
{
	const char *at;

	if (!error->text)
		return ktap_event_error(vm, probe->event, err);
	at = command + clamp_t(int, error->pos, 0, strlen(command));
	if (!*at)
		return ktap_vm_error(vm, err, "%s at the end", error->text);
	return ktap_vm_error(vm, err, "%s: '%.*s'", error->text, (int)strcspn(at, " "), at);
}

static struct trace_event_call *find_call(const char *name)
{
	struct trace_event_call *call;

	lockdep_assert_held(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list) {
		if (!strcmp(call->class->system, SYSTEM) && !strcmp(trace_event_name(call), name))
			return call;
	}
	return NULL;
}

static int add_event(struct ktap_probe *probe, const char *name, const char *func, bool ret)
{
	struct trace_event_call *call;

	guard(mutex)(&event_mutex);
	call = find_call(name);
	return call ? ktap_tracepoint_add_own(probe, call, func, ret) : -ENOENT;
}

void ktap_dynevent_delete(const char *name)
{
	char command[sizeof("-:" SYSTEM "/") + MAX_EVENT_NAME_LEN];

	/* It fails if somebody else uses the event: then it is theirs. */
	snprintf(command, sizeof(command), "-:" SYSTEM "/%s", name);
	dyn_event_command(command, NULL);
}

static int add_words(struct ktap_vm *vm, struct ktap_probe *probe, char **words, bool ret)
{
	char *command __free(kfree) = NULL, *func __free(kfree) = NULL;
	struct dyn_event_error error = {};
	char name[MAX_EVENT_NAME_LEN];
	int err;

	func = function_name(*words);
	if (!func)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	event_name(name, sizeof(name), probe->session, func);
	command = make_command(ret ? 'r' : 'p', name, words);
	if (!command)
		return ktap_vm_error(vm, -ENOMEM, "no memory");

	err = dyn_event_command(command, &error);
	if (err)
		return command_error(vm, probe, command, &error, err);
	err = add_event(probe, name, func, ret);
	if (err) {
		ktap_dynevent_delete(name);
		return ktap_event_error(vm, probe->event, err);
	}
	return 0;
}

/**
 * ktap_dynevent_add() - Adds a probe with fetch arguments to a clause
 * @vm: for errors
 * @probe: the clause
 * @rest: "FUNCTION ARGUMENT..."
 * @ret: of the function's return
 *
 * Return: 0, or an error that is set.
 */
int ktap_dynevent_add(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest, bool ret)
{
	char **words = argv_split(GFP_KERNEL_ACCOUNT, rest, NULL);
	int err;

	if (!words)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	err = add_words(vm, probe, words, ret);
	argv_free(words);
	return err;
}
