// SPDX-License-Identifier: GPL-2.0
/* Modes of ktap that run no script: help, lists, recordings, detached sessions. */
#include <stdio.h>
#include <unistd.h>

#include <linux/ktap.h>

#include "attach.h"
#include "bpftrace_options.h"
#include "cmdline.h"
#include "compiler/colour.h"
#include "explain.h"
#include "info.h"
#include "list.h"
#include "list_bpftrace.h"
#include "modes.h"
#include "replay.h"
#include "script_source.h"

enum {
	EXIT_FAILED = 1,
	EXIT_REFUSED = 2,
};

static bool mode_shows(const struct options *opts)
{
	return opts->help || opts->version || opts->list || opts->info || opts->explain ||
	       opts->sessions;
}

static bool mode_show(const struct options *opts)
{
	bool plain = !opts->help && !opts->version;

	if (opts->list && plain && (opts->text || source_is_bpftrace(opts)))
		return list_bpftrace(opts);
	if (opts->list && plain)
		return list_events(opts->list, opts->pid, opts->verbose, false);
	if (opts->explain && plain)
		return explain_show(opts->explain);
	if (opts->sessions && plain)
		return attach_list();
	if (opts->help && opts->as_bpftrace)
		bpftrace_usage(stdout);
	else if (opts->help)
		options_usage(stdout);
	else if (opts->info && !opts->version)
		info_show();
	else if (opts->as_bpftrace)
		printf("bpftrace v" BPFTRACE_VERSION " (ktap %d.%d)\n", KTAP_ABI_MAJOR,
		       KTAP_ABI_MINOR);
	else
		printf("ktap %d.%d\n", KTAP_ABI_MAJOR, KTAP_ABI_MINOR);
	return true;
}

int mode_without_script(struct options *opts)
{
	if (mode_shows(opts))
		return mode_show(opts) && finish_stdout("ktap") ? 0 : EXIT_FAILED;
	if (colour_wanted(opts->color, STDERR_FILENO))
		colour_messages(stderr);
	if (opts->replay)
		return replay_files(opts);
	if (opts->attach || opts->stop)
		return attach_session(opts);
	if (opts->to_ktap)
		return source_show_translation(opts) && finish_stdout("ktap") ? 0 : EXIT_REFUSED;
	return -1;
}
