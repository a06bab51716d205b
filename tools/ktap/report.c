// SPDX-License-Identifier: GPL-2.0
/*
 * What the kernel says about a script: an error with a position is followed by
 * its source line, one about an unknown event by what may have been meant.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean.h"
#include "compile.h"
#include "near.h"
#include "report.h"
#include "util.h"

/* Beginnings of notes that tell of no loss */
static const char * const harmless_notes[] = {
	"skipped ",
	"total enabled ",
};

#define NR_HARMLESS_NOTES	ARRAY_SIZE(harmless_notes)

/* Cut "FILE:LINE:COLUMN" apart; @text is changed. */
static bool split_position(char *text, unsigned int *line, unsigned int *column)
{
	unsigned int *const number[] = { column, line };

	for (int i = 0; i < 2; i++) {
		char *colon = strrchr(text, ':');
		char *end;

		if (!colon)
			return false;
		*number[i] = strtoul(colon + 1, &end, 10);
		if (end == colon + 1 || *end)
			return false;
		*colon = '\0';
	}
	return true;
}

/* The event that an error is about is what it quotes. */
static void suggest_event(const char *message)
{
	const char *begin = strchr(message, '\'');
	const char *end = begin ? strchr(begin + 1, '\'') : NULL;
	const char *suggestion = NULL;
	char *event;

	/* what the tool has found out of a file, it has said itself */
	if (!end || strchr(message, '/'))
		return;
	event = strndup(begin + 1, end - begin - 1);
	if (!event)
		return;
	if (!strncmp(message, "no function ", strlen("no function ")))
		suggestion = ktap_suggest_function(event);
	else if (strstr(message, "event"))
		suggestion = ktap_suggest_event(event);
	if (suggestion && is_clean(suggestion))
		fprintf(stderr, "note: did you mean '%s'?\n", suggestion);
	free(event);
}

static void put_line(const char *before, const char *text)
{
	fputs(before, stderr);
	put_clean(stderr, text, strlen(text));
	putc('\n', stderr);
}

static void show_error(struct report *r, char *text)
{
	static const char marker[] = ": error: ";
	char *message = strstr(text, marker);
	unsigned int line, column;

	put_line("", text);
	if (!message)
		return;
	r->errors++;
	*message = '\0';
	if (split_position(text, &line, &column))
		ktap_show_position(stderr, r->chunk, r->chunk_len, text, line, column);
	suggest_event(message + strlen(marker));
}

static void show_note(struct report *r, char *text)
{
	for (size_t i = 0; i < NR_HARMLESS_NOTES; i++) {
		if (r->quiet && !strncmp(text, harmless_notes[i], strlen(harmless_notes[i])))
			return;
	}
	put_line("ktap: ", text);
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
