// SPDX-License-Identifier: GPL-2.0
/*
 * ktap --explain: causes and remedies that do not fit into a message. Messages of ktap
 * name the word; a message of the kernel is found by its text.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "compiler/clean_text.h"
#include "compiler/util.h"
#include "explain.h"

/**
 * struct explanation - what there is to say about some messages
 * @word: its name
 * @cause: why the message is printed
 * @check: how to see whether it is so
 * @remedy: what to do
 */
struct explanation {
	const char *word;
	const char *cause;
	const char *check;
	const char *remedy;
};

static const struct explanation explanations[] = {
	{
		"btf",
		"Names of parameters, members of structures and types of variables come from the\n"
		"type information of the kernel (BTF), and this kernel, or this module, has none.",
		"ls /sys/kernel/btf; ktap --info has a line about it.",
		"Use arg0 to arg9 instead of args.NAME: they are the arguments in their order.\n"
		"Or build the kernel with CONFIG_DEBUG_INFO_BTF=y, which needs pahole.",
	},
	{
		"budget",
		"A handler runs while something else waits, in an interrupt perhaps. So each run may\n"
		"take only a number of units, max_insns; this handler took more. Often it is a loop\n"
		"over a table, or a long list that is followed.",
		"cat /sys/kernel/tracing/ktap/max_insns; ktapc -d SCRIPT lists the instructions.",
		"Move the loop to a tick or to trace_end, which have no budget. Bound loops over\n"
		"lists. Root can write a larger number to max_insns.",
	},
	{
		"complex",
		"The kernel follows all paths of a function when it loads a script, and gives up\n"
		"after a number of steps. Long functions with many branches and variables reach it.",
		"ktapc -d SCRIPT lists the instructions of each function.",
		"Divide the function into several, or a long list of comparisons into a table.",
	},
	{
		"kernel",
		"ktap is a part of the kernel, and the one that runs has none: it was not configured,\n"
		"or it is another kernel than the one that was built.",
		"uname -r; zgrep KTAP /proc/config.gz; ktap --info.",
		"Build the kernel with CONFIG_KTAP=y, and boot it.",
	},
	{
		"lockdown",
		"The kernel is locked down, usually because of secure boot. Locked down for integrity,\n"
		"scripts cannot change anything; for confidentiality, nobody can read the kernel, and\n"
		"so nobody can trace it.",
		"cat /sys/kernel/security/lockdown: the word in brackets is the present state.",
		"Boot with a lesser lockdown= on the command line of the kernel, or without secure\n"
		"boot. It cannot be undone while the kernel runs.",
	},
	{
		"losses",
		"The output is written to a buffer, and ktap reads it. If events come faster than the\n"
		"terminal or the disk takes their text, the buffer is full and records are dropped.\n"
		"Tables count without this buffer.",
		"ktap -v shows what each probe counted; the last lines say how much was lost.",
		"Print less: a filter, or a table that is printed once. Write to a file (-o FILE), or\n"
		"raise the limit (-m 64M), of which the buffers are a part.",
	},
	{
		"memory",
		"Tables, texts and aggregations of a script share a limit, and a table has room for a\n"
		"fixed number of entries. What does not fit is dropped and counted.",
		"cat /sys/kernel/tracing/ktap/sessions: memory= is what a session has.",
		"Delete what is no longer needed (t[k] = nil), use a coarser key, make the table larger\n"
		"(t = table.new(100000)), or raise the limit (-m 64M). Root can raise max_memory.",
	},
	{
		"missed",
		"A probe does not run inside of another handler on the same CPU, nor where the kernel\n"
		"could not call it. Such events are counted, and no handler sees them.",
		"ktap -v: missed= of each probe.",
		"Take a tracepoint instead of a function that ktap itself calls, or fewer probes that\n"
		"are nested. Counts are too small by the number that is reported.",
	},
	{
		"overhead",
		"Handlers ran for most of the time of a CPU. Without --max-overhead such a script is\n"
		"ended after some seconds; with it, events are skipped, and counted.",
		"ktap -v: time= of each probe; cat /sys/kernel/tracing/ktap/sessions: overhead=.",
		"Choose a rarer event, or put the test into the predicate, which is cheaper than an\n"
		"if in the handler. --max-overhead PCT bounds the share; 100 takes the limit away.",
	},
	{
		"permission",
		"Scripts see the whole machine. So a user needs the files of tracefs, and CAP_PERFMON\n"
		"for functions and memory; perf_event_paranoid=-1 is enough for tracepoints, stacks and\n"
		"timers. With 0 to 2 a user may trace system calls of own processes, which\n"
		"have no more rights than the user. Root of a container has none of these outside of it.",
		"ktap --info says what this user may do; ls -l /sys/kernel/tracing/ktap/session.",
		"For own processes, ktap -p PID or ktap -- COMMAND; otherwise\n"
		"sudo; or, for a group, mount -o remount,gid=GROUP,mode=750 /sys/kernel/tracing and\n"
		"chmod 660 /sys/kernel/tracing/ktap/session, and setcap cap_perfmon+ep of ktap.",
	},
	{
		"tracefs",
		"ktap talks to the kernel by files in tracefs, and it is not mounted.",
		"grep tracefs /proc/mounts.",
		"mount -t tracefs nodev /sys/kernel/tracing. In a container, the file system of the\n"
		"machine must be passed in. KTAP_TRACEFS names another place.",
	},
	{
		"unsafe",
		"Scripts only watch, unless they are allowed to act: to send signals, replace results,\n"
		"drop packets, run commands. This one wants to.",
		"ktapc -d SCRIPT: its first line says so; read the script before it may.",
		"ktap --unsafe SCRIPT, as a user with CAP_SYS_ADMIN on a kernel without lockdown.",
	},
	{
		"version",
		"The script was compiled for another version of ktap than the kernel has. A kernel\n"
		"runs chunks of its own version and of older ones with the same first number.",
		"ktap --info; ktapc -d CHUNK shows the version of a chunk.",
		"Pass the script itself to ktap, or compile it with the ktapc of this kernel.",
	},
};

/* Parts of messages, and their words. A test looks for them in the sources. */
static const struct {
	const char *message;
	const char *word;
} explained[] = {
	{ "this kernel has no types", "btf" },
	{ "used up its budget", "budget" },
	{ "is too complex", "complex" },
	{ "this kernel has no ktap", "kernel" },
	{ "must be built with CONFIG_KTAP=y", "kernel" },
	{ "locked down", "lockdown" },
	{ "(lockdown)", "lockdown" },
	{ "they were not read fast enough", "losses" },
	{ "the session had no memory left", "memory" },
	{ "which was full (", "memory" },
	{ "that no global holds, which were full", "memory" },
	{ "' missed ", "missed" },
	{ "the handlers held more than", "overhead" },
	{ "to stay below --max-overhead", "overhead" },
	{ "CAP_PERFMON is needed", "permission" },
	{ "tracing needs CAP_PERFMON", "permission" },
	{ "tracefs belongs to root", "permission" },
	{ "not allowed in a user namespace", "permission" },
	{ "tracefs is not mounted", "tracefs" },
	{ "can change the running system", "unsafe" },
	{ "not run without --unsafe", "unsafe" },
	{ "needs ktap version", "version" },
};

const char *explain_word(const char *message)
{
	for (size_t i = 0; i < ARRAY_SIZE(explained); i++) {
		if (strstr(message, explained[i].message))
			return explained[i].word;
	}
	return NULL;
}

static void explain_put(const char *title, const char *text)
{
	printf("\n%s\n", title);
	for (size_t len; *text; text += len + (text[len] == '\n')) {
		len = strcspn(text, "\n");
		printf("  %.*s\n", (int)len, text);
	}
}

bool explain_show(const char *text)
{
	const char *word = explain_word(text);

	for (size_t i = 0; i < ARRAY_SIZE(explanations); i++) {
		const struct explanation *e = &explanations[i];

		if (strcasecmp(text, e->word) && (!word || strcmp(word, e->word)))
			continue;
		printf("%s\n", e->word);
		explain_put("Cause", e->cause);
		explain_put("How to see it", e->check);
		explain_put("What to do", e->remedy);
		return true;
	}
	fputs("ktap: error: no explanation of '", stderr);
	put_clean(stderr, text, strlen(text));
	fputs("': take a whole message, or one of", stderr);
	for (size_t i = 0; i < ARRAY_SIZE(explanations); i++)
		fprintf(stderr, " %s", explanations[i].word);
	fputs("\n", stderr);
	return false;
}
