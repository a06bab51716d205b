// SPDX-License-Identifier: GPL-2.0
/* A recording that is being read, line by line. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/clean_text.h"
#include "replay_source.h"

static void source_report(const char *name, const char *what)
{
	fputs("ktap: error: ", stderr);
	put_clean(stderr, name, strlen(name));
	fprintf(stderr, ": %s\n", what);
}

bool replay_source_open(struct replay_source *s, int fd, const char *name, bool quiet)
{
	const char *wrong;

	memset(s, 0, sizeof(*s));
	s->name = name;
	s->frames.fd = fd;
	s->frames.framed = true;
	s->report.quiet = quiet;
	wrong = recording_read(fd, &s->about);
	if (wrong)
		source_report(name, wrong);
	return !wrong;
}

/* The input cannot be what a recorder has written. */
static void source_is_damaged(struct replay_source *s)
{
	source_report(s->name, "the recording is damaged: the rest is not shown");
	s->failed = true;
}

static void source_add_exit(struct replay_source *s, const struct piece *piece)
{
	/* the code is little-endian, and may be split into pieces */
	for (size_t i = 0; i < piece->len; i++)
		s->exit = s->exit >> 8 | (uint32_t)(unsigned char)piece->data[i] << 24;
	s->ended = piece->last;
}

/* Take output; true if a line is complete, or if it is a piece of text. */
static bool source_add_output(struct replay_source *s, const struct piece *piece)
{
	const char *data = piece->data;
	size_t len = piece->len;
	struct span time;
	bool whole;

	if (!s->about.json) {
		s->line = (struct span){ data, data + len };
		session_take(&s->frames, len);
		return true;
	}
	whole = json_add(&s->lines, &data, &len, &s->line);
	session_take(&s->frames, piece->len - len);
	if (!whole)
		return false;
	if (s->line.begin == s->line.end || *s->line.begin != '{') {
		source_is_damaged(s);
		return false;
	}
	if (json_member(&s->line, "time", &time))
		s->time = strtoll(time.begin, NULL, 10);
	return true;
}

bool replay_source_next(struct replay_source *s)
{
	struct piece piece;

	while (!s->failed && session_peek(&s->frames, &piece)) {
		switch (piece.channel) {
		case KTAP_CH_OUTPUT:
			if (source_add_output(s, &piece))
				return true;
			break;
		case KTAP_CH_ERROR:
		case KTAP_CH_NOTE:
			report_add(&s->report, piece.channel, piece.data, piece.len);
			session_take(&s->frames, piece.len);
			break;
		case KTAP_CH_EXIT:
			source_add_exit(s, &piece);
			session_take(&s->frames, piece.len);
			break;
		default:
			source_is_damaged(s);
		}
	}
	return false;
}

bool replay_source_read(struct replay_source *s)
{
	ssize_t n;

	if (s->failed)
		return false;
	do {
		n = session_read(&s->frames);
	} while (n == -EINTR);
	if (n > 0)
		return true;
	if (n < 0)
		source_report(s->name, strerror(-n));
	else if (!s->ended)
		source_report(s->name, "the recording is cut off: its end is missing");
	s->failed = n < 0 || !s->ended;
	report_flush(&s->report);
	return false;
}

void replay_source_close(struct replay_source *s)
{
	if (s->frames.fd >= 0)
		close(s->frames.fd);
	s->frames.fd = -1;
	json_free(&s->lines);
}
