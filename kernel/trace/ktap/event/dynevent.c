// SPDX-License-Identifier: GPL-2.0
/*
 * Probes with fetch arguments, in the kernel's syntax: "probe:f a=%di b=+4($stack)".
 *
 * The kernel's parser creates a dynamic event in the system "ktap".  Its name
 * contains the number of the session.  The probe then waits for it like for any
 * trace event.  The event is deleted when the session is closed.
 */
#include <linux/cleanup.h>
#include <linux/ctype.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../../trace.h"
#include "../../trace_dynevent.h"
#include "../../trace_probe.h"
#include "event/source.h"
#include "session.h"

#define SYSTEM		"ktap"

/* The parser accepts names below 64 bytes: leave room for the numbers. */
#define DYNEVENT_MAX_NAME	32

/* Estimate of the memory that the kernel allocates for an event and its files */
#define DYNEVENT_KERNEL_BYTES	4096

/* "FUNCTION" of "MODULE:FUNCTION+OFFSET%return" */
static char *dynevent_function_name(const char *location)
{
	const char *colon = strchr(location, ':');
	const char *name = colon ? colon + 1 : location;

	return kmemdup_nul(name, strcspn(name, "+%"), KTAP_GFP);
}

/* Make a name that the parser accepts and that no other session uses. */
static void dynevent_event_name(char *name, size_t size, struct ktap_session *s, const char *func)
{
	char *p;

	snprintf(name, size, "%.*s_%llu_%u", DYNEVENT_MAX_NAME, func, s->id, s->ndynevents++);
	for (p = name; *p; p++) {
		if (!isalnum(*p))
			*p = '_';
	}
	if (isdigit(*name))
		*name = '_';
}

/* Join the command with one blank between words: offsets of errors refer to this. */
static char *dynevent_make_command(char type, const char *name, char **words)
{
	char *command = kasprintf(KTAP_GFP, "%c:" SYSTEM "/%s", type, name);
	char *longer;

	for (; command && *words; words++) {
		longer = kasprintf(KTAP_GFP, "%s %s", command, *words);
		kfree(command);
		command = longer;
	}
	return command;
}

static int dynevent_command_error(struct ktap_vm *vm, const struct ktap_probe *probe,
				  const char *command, const struct dyn_event_error *error, int err)
{
	const char *at;

	if (!error->text)
		return ktap_event_error(vm, probe->event, err);
	at = command + clamp_t(int, error->pos, 0, strlen(command));
	if (!*at)
		return ktap_vm_error(vm, err, "%s at the end", error->text);
	return ktap_vm_error(vm, err, "%s: '%.*s'", error->text, (int)strcspn(at, " "), at);
}

static struct trace_event_call *dynevent_find_call(const char *name)
{
	struct trace_event_call *call;

	lockdep_assert_held(&event_mutex);
	list_for_each_entry(call, &ftrace_events, list) {
		if (!strcmp(call->class->system, SYSTEM) && !strcmp(trace_event_name(call), name))
			return call;
	}
	return NULL;
}

static int dynevent_add_event(struct ktap_probe *probe, const char *name, const char *func,
			      bool ret)
{
	struct trace_event_call *call;
	int err;

	guard(mutex)(&event_mutex);
	call = dynevent_find_call(name);
	err = call ? ktap_tracepoint_add_own(probe, call, func, ret) : -ENOENT;
	if (!err)
		WRITE_ONCE(probe->fetch_event, call);
	return err;
}

static void dynevent_delete(const char *name)
{
	char command[sizeof("-:" SYSTEM "/") + MAX_EVENT_NAME_LEN];

	/* Fails if somebody else uses the event: then it stays until they delete it. */
	snprintf(command, sizeof(command), "-:" SYSTEM "/%s", name);
	dyn_event_command(command, NULL);
}

/**
 * ktap_dynevent_release() - Drop the reference to an event of a probe, and delete the event
 * @probe: the probe; it keeps what the event has missed
 * @call: the event; no handler of it runs
 *
 * Context: process, &ktap_session.lock held.
 */
void ktap_dynevent_release(struct ktap_probe *probe, struct trace_event_call *call)
{
	char name[MAX_EVENT_NAME_LEN];

	scoped_guard(mutex, &event_mutex) {
		WRITE_ONCE(probe->missed, probe->missed + trace_kprobe_event_missed(call));
		WRITE_ONCE(probe->fetch_event, NULL);
	}
	/* After dropping the reference, the event may be deleted: copy its name. */
	strscpy(name, trace_event_name(call));
	trace_event_put_ref(call);
	dynevent_delete(name);
}

/**
 * ktap_dynevent_missed() - Count what the kprobe of a probe with fetch arguments missed
 * @probe: any probe; its event may be released meanwhile
 *
 * Context: process.  Takes event_mutex if the probe has such an event.
 * Return: the number of events, 0 for other probes.
 */
u64 ktap_dynevent_missed(const struct ktap_probe *probe)
{
	if (!READ_ONCE(probe->fetch_event))
		return 0;
	guard(mutex)(&event_mutex);
	return probe->fetch_event ? trace_kprobe_event_missed(probe->fetch_event) : 0;
}

static int dynevent_add_words(struct ktap_vm *vm, struct ktap_probe *probe, char **words, bool ret)
{
	char *command __free(kfree) = NULL, *func __free(kfree) = NULL;
	struct dyn_event_error error = {};
	char name[MAX_EVENT_NAME_LEN];
	int err;

	func = dynevent_function_name(*words);
	if (!func)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	dynevent_event_name(name, sizeof(name), probe->session, func);
	command = dynevent_make_command(ret ? 'r' : 'p', name, words);
	if (!command)
		return ktap_vm_error(vm, -ENOMEM, "no memory");

	err = ktap_probe_charge(probe, DYNEVENT_KERNEL_BYTES);
	if (err)
		return err;
	err = dyn_event_command(command, &error);
	if (err)
		return dynevent_command_error(vm, probe, command, &error, err);
	err = dynevent_add_event(probe, name, func, ret);
	if (err) {
		dynevent_delete(name);
		return ktap_event_error(vm, probe->event, err);
	}
	probe->fetches = !ret;
	return 0;
}

/**
 * ktap_dynevent_add() - Add an event with fetch arguments to a probe
 * @vm: for errors
 * @probe: the probe
 * @rest: "FUNCTION ARGUMENT..."
 * @ret: the event is the function's return
 *
 * Return: 0, or a negative errno with the error set in @vm.
 */
int ktap_dynevent_add(struct ktap_vm *vm, struct ktap_probe *probe, const char *rest, bool ret)
{
	char **words = argv_split(KTAP_GFP, rest, NULL);
	int err;

	if (!words)
		return ktap_vm_error(vm, -ENOMEM, "no memory");
	err = dynevent_add_words(vm, probe, words, ret);
	argv_free(words);
	return err;
}
