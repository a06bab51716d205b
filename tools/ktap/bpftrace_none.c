// SPDX-License-Identifier: GPL-2.0
/*
 * Replacement for the command line of bpftrace, its listings and its JSON in builds
 * without its language: all of these are refused, or never needed.
 */
#include <string.h>

#include "bpftrace_json.h"
#include "bpftrace_options.h"
#include "list_bpftrace.h"

bool bpftrace_is_name(void)
{
	return !strcmp(options_program(), "bpftrace");
}

static bool bpftrace_is_missing(void)
{
	fprintf(stderr, "%s: error: this program was built without the language of bpftrace (BPFTRACE=0)\n",
		options_program());
	return false;
}

bool bpftrace_parse(struct options *opts, int argc, char **argv)
{
	(void)opts;
	(void)argc;
	(void)argv;
	return bpftrace_is_missing();
}

/* bpftrace_parse() has refused -h. */
void bpftrace_usage(FILE *out)
{
	(void)out;
}

bool list_bpftrace(const struct options *opts)
{
	(void)opts;
	return bpftrace_is_missing();
}

/* Only the language of bpftrace asks. */
enum ktap_event_state list_bpftrace_state(void *pid, const char *kind, const char *rest)
{
	(void)pid;
	(void)kind;
	(void)rest;
	return KTAP_EVENT_EXISTS;
}

/* No script has such an output. */
void bpftrace_json_add(void *json, const char *data, size_t len)
{
	(void)json;
	(void)data;
	(void)len;
}

void bpftrace_json_attached(struct bpftrace_json *b, unsigned int probes)
{
	(void)b;
	(void)probes;
}

void bpftrace_json_free(struct bpftrace_json *b)
{
	(void)b;
}
