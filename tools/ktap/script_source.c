// SPDX-License-Identifier: GPL-2.0
/* Read the script that the command line names. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "btf_file.h"
#include "compiler/library.h"
#include "elf/resolve.h"
#include "member_type.h"
#include "script_source.h"

/*
 * A name alone, "opensnoop", is a tool first and a file second: a user of tools
 * must not run files that others have put into this folder. A name with a
 * suffix or a slash is a file first.
 */
static int source_read_file(const struct options *opts, struct sources *sources, char **tool,
			    struct ktap_script *source)
{
	const char *script = opts->script;
	bool bare = !strpbrk(script, "./") && strcmp(script, "-");
	const char *name = script;
	int err = -ENOENT;
	struct stat st;

	if (bare)
		*tool = ktap_find_tool(script);
	if (!*tool)
		err = sources_read(sources, script, source);
	if ((err == -ENOENT || err == -EISDIR) && !bare)
		*tool = ktap_find_tool(script);
	if (*tool && bare && !opts->quiet && !stat(script, &st) && S_ISREG(st.st_mode))
		fprintf(stderr, "ktap: %s is the tool of that name; the file is ./%s\n", script,
			script);
	if (*tool) {
		name = *tool;
		err = sources_read(sources, *tool, source);
	}
	source->name = strcmp(script, "-") ? name : "<stdin>";
	if (!err && !*tool)
		*tool = ktap_tool_at(script);
	if (!err)
		return 0;
	if (source_is_bpftrace(opts)) {
		fprintf(stderr, "ERROR: failed to open file '%s': %s\n", name,
			ktap_read_error(err));
		return err;
	}
	fprintf(stderr, "ktap: error: cannot read %s: %s\n", *name ? name : "''",
		ktap_read_error(err));
	if (err == -ENOENT)
		ktap_suggest_tool(stderr, script);
	return err;
}

/* Does the script have nothing but blanks? */
static bool source_is_empty(const struct ktap_script *source)
{
	size_t i;

	for (i = 0; i < source->len && strchr(" \t\r\n", source->text[i]); i++)
		;
	return i == source->len;
}

static int source_check(const struct ktap_script *source)
{
	if (!source_is_empty(source))
		return 0;
	fprintf(stderr, "ktap: error: %s: the script is empty: write, for example, trace sched:sched_switch { n += 1 }\n",
		source->name);
	return -EINVAL;
}

int source_read(const struct options *opts, struct sources *sources, char **tool,
		struct ktap_script *source)
{
	int err = 0;

	*source = (struct ktap_script) { .name = "-e", .text = opts->text };
	if (opts->text)
		source->len = strlen(opts->text);
	else
		err = source_read_file(opts, sources, tool, source);
	return err ? err : source_check(source);
}

bool source_is_bpftrace(const struct options *opts)
{
	return opts->bpftrace || ktap_is_bpftrace(opts->script);
}

bool source_is_inner(void)
{
	static const char first[] = "pid:[4026531836]";	/* PROC_PID_INIT_INO */
	char own[sizeof(first)] = "";

	return readlink("/proc/self/ns/pid", own, sizeof(own) - 1) > 0 && strcmp(own, first);
}

bool source_show_translation(const struct options *opts)
{
	struct user_types user_types = { .pid = opts->pid };
	struct btf_file *types = NULL;
	struct ktap_compile_opts copts = { .werror = opts->werror, .nowarn = opts->nowarn,
					   .bpftrace_filter = opts->probe_filter, .diag = stderr,
					   .folders = opts->folders,
					   .bpftrace_inner = source_is_inner(),
					   .member_type = member_type_find,
					   .parameter_type = member_type_parameter,
					   .type_part = member_type_part, .member_ctx = &types,
					   .user_type = user_types_find, .user_ctx = &user_types };
	struct sources sources = { .count = 0 };
	struct ktap_script source;
	char *tool = NULL, *text = NULL;
	size_t len;

	if (!source_is_bpftrace(opts)) {
		fputs("ktap: error: --to-ktap is for scripts of bpftrace: FILE.bt, or --bt\n",
		      stderr);
		return false;
	}
	if (!source_read(opts, &sources, &tool, &source)) {
		text = ktap_from_bpftrace(&source, &copts, &len);
		if (!opts->text)
			free((void *)source.text);
	}
	user_types_free(&user_types);
	btf_free(types);
	free(tool);
	if (!text)
		return false;
	fwrite(text, 1, len, stdout);
	free(text);
	return true;
}
