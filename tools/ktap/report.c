// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of the kernel about a script. After an error with a position its
 * script line is shown; after an unknown event, a suggestion.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/builtins.h"
#include "compiler/clean_text.h"
#include "compiler/colour.h"
#include "compiler/compile.h"
#include "compiler/suggest.h"
#include "compiler/util.h"
#include "explain.h"
#include "report.h"

/* Prefixes of notes that report no loss. */
static const char * const harmless_notes[] = {
	"skipped ",
	"total enabled ",
	"no event ",
};

#define NR_HARMLESS_NOTES	ARRAY_SIZE(harmless_notes)

/* Split "FILE:LINE:COLUMN"; @text is changed. */
static bool split_position(char *text, unsigned int *line, unsigned int *column)
{
	unsigned int *const number[] = { column, line };

	for (int i = 0; i < 2; i++) {
		char *colon = strrchr(text, ':');
		char *end;

		if (!colon)
			return false;
		*number[i] = strtoull(colon + 1, &end, 10);
		if (end == colon + 1 || *end)
			return false;
		*colon = '\0';
	}
	return true;
}

/*
 * @rest: end of the message: " in a module 'MODULE'", " in 'vmlinux', the
 * kernel without ...", or ""
 */
static const char *suggest_function(const char *function, const char *rest)
{
	const char *begin = strchr(rest, '\'');
	size_t len = begin ? strcspn(begin + 1, "'") : 0;
	const char *suggestion;
	char *module;

	if (!len)
		return ktap_suggest_function(function, NULL);
	module = strndup(begin + 1, len);
	if (!module)
		return NULL;
	suggestion = ktap_suggest_function(function, module);
	free(module);
	return suggestion;
}

/* Suggest an event for the one that an error quotes. */
static void suggest_event(const char *message)
{
	const char *begin = strchr(message, '\'');
	const char *end = begin ? strchr(begin + 1, '\'') : NULL;
	const char *suggestion = NULL;
	char *event;

	/* errors about files are reported by ktap itself */
	if (!end || strchr(message, '/'))
		return;
	event = strndup(begin + 1, end - begin - 1);
	if (!event)
		return;
	if (!strncmp(message, "no function ", strlen("no function ")))
		suggestion = suggest_function(event, end + 1);
	else if (strstr(message, "event") && !strstr(message, " cannot be "))
		suggestion = ktap_suggest_event(event);
	if (suggestion && is_clean(suggestion))
		fprintf(stderr, "%snote:%s did you mean '%s'?\n",
			colour_message(stderr, COLOUR_NOTE), colour_message(stderr, COLOUR_END),
			suggestion);
	free(event);
}

static void report_put_line(const char *before, const char *text)
{
	fputs(before, stderr);
	colour_put_message(stderr, text);
}

/* Is the text at @at the number of a timer, as in 'profile-99hz', and ends before @end? */
static bool quotes_period(const char *quoted, size_t at, const char *end)
{
	return ((at == strlen("tick-") && !strncmp(quoted, "tick-", at)) ||
		(at == strlen("profile-") && !strncmp(quoted, "profile-", at))) &&
	       (*end < '0' || *end > '9');
}

/* Does the quoted event contain @arg, as in 'probe:ARG%return' or 'profile-ARGhz'? */
static bool quotes_argument(const char *quoted, size_t len, const char *arg)
{
	size_t arg_len = strlen(arg);

	for (size_t i = 0; arg_len && i + arg_len <= len; i++) {
		const char *end = quoted + i + arg_len;

		if (strncmp(quoted + i, arg, arg_len))
			continue;
		if (((!i || quoted[i - 1] == ':') && (end == quoted + len || *end == '%')) ||
		    quotes_period(quoted, i, end))
			return true;
	}
	return false;
}

/* Find the argument that is part of the first quoted text, or NULL. */
static char **find_argument(const struct report *r, const char *message)
{
	const char *quoted = strchr(message, '\'');
	size_t len = quoted ? strcspn(++quoted, "'") : 0;

	for (char **arg = r->args; len && arg && *arg; arg++) {
		const char *value = strncmp(*arg, "--", 2) ? *arg : strchr(*arg, '=');

		if (value && quotes_argument(quoted, len, value + (*value == '=')))
			return arg;
	}
	return NULL;
}

/* "ktap funccount: error: ": print the script as the user calls it. */
static void report_put_script(const struct report *r)
{
	const char *slash = strrchr(r->script, '/');
	const char *name = slash ? slash + 1 : r->script;
	size_t len = strlen(name);

	if (len > 3 && !strcmp(name + len - 3, ".kp"))
		len -= 3;
	fputs("ktap ", stderr);
	put_clean(stderr, name, len);
	fprintf(stderr, ": %serror:%s ", colour_message(stderr, COLOUR_ERROR),
		colour_message(stderr, COLOUR_END));
}

/* Print "option --name" or "argument N". */
static void put_argument(const struct report *r, char **arg)
{
	int number = 1;

	if (!strncmp(*arg, "--", 2)) {
		fputs("option ", stderr);
		put_clean(stderr, *arg, strcspn(*arg, "="));
		fputs(": ", stderr);
		return;
	}
	for (char **a = r->args; a < arg; a++)
		number += strncmp(*a, "--", 2) != 0;
	fprintf(stderr, "argument %d: ", number);
}

/*
 * Users of a tool do not know its script: report an error of an argument as
 * such. Returns false for other errors.
 */
static bool blame_argument(struct report *r, const char *message)
{
	bool option = !strncmp(message, "option --", strlen("option --"));
	char **arg = r->script && !option ? find_argument(r, message) : NULL;

	if (!r->script || (!option && !arg))
		return false;
	report_put_script(r);
	if (arg)
		put_argument(r, arg);
	report_put_line("", message);
	r->hide_calls = true;
	return true;
}

/* On a terminal: name the explanation of a message, unless it was the last one, too. */
static void report_explain(struct report *r, const char *message)
{
	const char *word = r->explain ? explain_word(message) : NULL;

	if (!word || word == r->explained)
		return;
	r->explained = word;
	fprintf(stderr, "%snote:%s see: ktap --explain %s\n", colour_message(stderr, COLOUR_NOTE),
		colour_message(stderr, COLOUR_END), word);
}

/* A tool that needs types of the kernel: say so, instead of showing a line of the tool. */
static bool report_no_types(struct report *r, const char *message)
{
	if (!r->tool || !strstr(message, "this kernel has no types (CONFIG_DEBUG_INFO_BTF)"))
		return false;
	report_put_script(r);
	fputs("this tool reads structures of the kernel, and needs one with CONFIG_DEBUG_INFO_BTF=y (ktap --info)\n",
	      stderr);
	r->hide_calls = true;
	return true;
}

static void report_put_older(const char *what, const char *name)
{
	fprintf(stderr, "%snote:%s %s'%s': this kernel is older than this ktap\n",
		colour_message(stderr, COLOUR_NOTE), colour_message(stderr, COLOUR_END), what,
		name);
}

/* A kernel that is older than ktap knows only the number of the function that it lacks. */
static void report_name_builtin(const char *message)
{
	static const char before[] = "this kernel has no built-in function ";
	const char *found = strstr(message, before), *name = NULL;

	if (found)
		name = builtin_name(strtoull(found + strlen(before), NULL, 10));
	if (name)
		report_put_older("that is ", name);
}

/* It does not know the line that an option of ktap writes, either. */
static void report_name_option(const char *message)
{
	static const struct {
		const char *line, *option;
	} lines[] = {
		{ "'times'", "-T" },
		{ "'cgroup ", "--cgroup" },
		{ "'comm ", "--comm" },
	};

	if (!strstr(message, "' is no line to set up a session with"))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		if (!strncmp(message, lines[i].line, strlen(lines[i].line)))
			report_put_older("that is for ", lines[i].option);
	}
}

static void show_error(struct report *r, char *text)
{
	static const char marker[] = ": error: ";
	char *message = strstr(text, marker);
	unsigned int line, column;

	if (!message) {
		if (!r->hide_calls)
			report_put_line("", text);
		return;
	}
	r->errors++;
	r->hide_calls = false;
	if (!blame_argument(r, message + strlen(marker)) &&
	    !report_no_types(r, message + strlen(marker))) {
		report_put_line("", text);
		*message = '\0';
		if (split_position(text, &line, &column))
			ktap_show_position(stderr, r->chunk, r->chunk_len, text, line, column);
	}
	suggest_event(message + strlen(marker));
	report_name_builtin(message + strlen(marker));
	report_name_option(message + strlen(marker));
	report_explain(r, message + strlen(marker));
}

static void show_note(struct report *r, char *text)
{
	for (size_t i = 0; i < NR_HARMLESS_NOTES; i++) {
		if (r->quiet && !strncmp(text, harmless_notes[i], strlen(harmless_notes[i])))
			return;
	}
	if (r->bpftrace && strstr(text, "which was full"))
		fputs("WARNING: Map full; can't update element. See below.\n", stderr);
	report_put_line("ktap: ", text);
	report_explain(r, text);
}

void report_add(struct report *r, enum ktap_channel channel, const char *data, size_t len)
{
	struct report_line *line = channel == KTAP_CH_ERROR ? &r->error : &r->note;

	for (size_t i = 0; i < len; i++) {
		if (data[i] != '\n') {
			line->text[line->len++] = data[i];
			if (line->len < sizeof(line->text) - 1)
				continue;
		}
		line->text[line->len] = '\0';
		line->len = 0;
		if (channel == KTAP_CH_ERROR)
			show_error(r, line->text);
		else
			show_note(r, line->text);
	}
}

void report_flush(struct report *r)
{
	if (r->error.len)
		report_add(r, KTAP_CH_ERROR, "\n", 1);
	if (r->note.len)
		report_add(r, KTAP_CH_NOTE, "\n", 1);
}
