// SPDX-License-Identifier: GPL-2.0
/* The chunk of a run: read the script, and compile it unless it is a chunk already. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "list_bpftrace.h"
#include "member_type.h"
#include "run.h"
#include "shown.h"

bool run_wants_help(const struct options *opts)
{
	const char *first = opts->args[0];

	return first && (!strcmp(first, "-h") || !strcmp(first, "--help"));
}

/* Compile again, with what shows the variables; its warnings have been shown. */
static bool run_add_variables(struct run *r, const struct ktap_script *source,
			      const struct ktap_compile_opts *copts)
{
	struct ktap_compile_opts again = *copts;
	struct ktap_script script = *source;

	again.nowarn = true;
	again.werror = false;
	script.text = shown_script(source->text, source->len, r->chunk, r->chunk_len,
				  r->opts.shows, &script.len);
	free(r->chunk);
	user_types_free(&r->user_types);
	r->chunk = script.text ? ktap_compile(&script, &again, &r->chunk_len) : NULL;
	if (!script.text)
		fprintf(stderr, "ktap: error: no memory\n");
	free((void *)script.text);
	return r->chunk;
}

struct ktap_compile_opts run_compile_opts(struct run *r)
{
	const struct options *opts = &r->opts;

	return (struct ktap_compile_opts) {
		.werror = opts->werror, .nowarn = opts->nowarn, .diag = stderr,
		.folders = opts->folders, .read = sources_read, .read_ctx = &r->sources,
		.tool = program_invocation_short_name,
		.bpftrace = source_is_bpftrace(opts), .bpftrace_probes = &r->bpftrace_probes,
		.bpftrace_output = opts->bpftrace_json ? KTAP_BPFTRACE_JSON :
				   opts->json ? KTAP_BPFTRACE_PLAIN : KTAP_BPFTRACE_TEXT,
		.bpftrace_filter = opts->probe_filter, .bpftrace_unsafe = opts->unsafe,
		.bpftrace_tracer = getpid(), .bpftrace_inner = source_is_inner(),
		.bpftrace_command = r->command.pid,
		.bpftrace_limit = opts->command_line, .bpftrace_includes = opts->includes,
		.bpftrace_args = opts->args,
		.event_state = list_bpftrace_state, .event_ctx = &r->opts.pid,
		.member_type = member_type_find, .type_part = member_type_part,
		.parameter_type = member_type_parameter,
		.member_ctx = &r->types,
		.user_type = user_types_find, .user_ctx = &r->user_types,
	};
}

bool run_get_chunk(struct run *r)
{
	const struct options *opts = &r->opts;
	const struct ktap_compile_opts copts = run_compile_opts(r);
	struct ktap_script source;

	r->user_types.pid = opts->pid;
	if (opts->shows && copts.bpftrace) {
		fprintf(stderr, "ktap: error: %s needs a script of ktap: save the output of --to-ktap\n",
			options_showing(opts));
		return false;
	}
	if (source_read(opts, &r->sources, &r->tool, &source))
		return false;
	r->name = source.name;
	if (!opts->text && ktap_is_chunk(source.text, source.len)) {
		r->chunk = (void *)source.text;
		r->chunk_len = source.len;
		if (opts->shows)
			fprintf(stderr, "ktap: error: %s needs a script, and %s is compiled\n",
				options_showing(opts), r->name);
		return !opts->shows;
	}
	r->chunk = ktap_compile(&source, &copts, &r->chunk_len);
	if (r->chunk && opts->shows && !run_wants_help(opts))
		run_add_variables(r, &source, &copts);
	user_types_free(&r->user_types);
	if (copts.bpftrace)
		r->script = source;
	else if (!opts->text)
		free((void *)source.text);
	return r->chunk;
}
