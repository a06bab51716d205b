// SPDX-License-Identifier: GPL-2.0
/* Colours of a terminal. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/clean_text.h"
#include "compiler/colour.h"
#include "compiler/util.h"

static const char * const colour_codes[] = {
	[COLOUR_ERROR]		= "\033[1;31m",
	[COLOUR_WARNING]	= "\033[1;35m",
	[COLOUR_NOTE]		= "\033[1;36m",
	[COLOUR_PLACE]		= "\033[4m",
	[COLOUR_CARET]		= "\033[1;32m",
	[COLOUR_TITLE]		= "\033[1m",
	[COLOUR_BAR]		= "\033[36m",
	[COLOUR_END]		= "\033[0m",
};

/* Where messages have colour; NULL: nowhere */
static const FILE *colour_stream;

const char *colour_code(enum colour colour)
{
	return colour_codes[colour];
}

bool colour_wanted(const char *when, int fd)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (!strcmp(when, "always"))
		return true;
	if (!strcmp(when, "never") || (no && *no) || !term || !strcmp(term, "dumb"))
		return false;
	return isatty(fd);
}

void colour_messages(const FILE *out)
{
	colour_stream = out;
}

const char *colour_message(const FILE *out, enum colour colour)
{
	return out == colour_stream ? colour_codes[colour] : "";
}

void colour_put_message(FILE *out, const char *text)
{
	static const struct {
		const char *word;
		enum colour colour;
	} words[] = {
		{ ": error:", COLOUR_ERROR },
		{ ": warning:", COLOUR_WARNING },
	};
	const char *begin = NULL, *found;
	size_t word = 0;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++) {
		found = strstr(text, words[i].word);
		if (found && (!begin || found < begin)) {
			begin = found;
			word = i;
		}
	}
	if (begin) {
		size_t len = strlen(words[word].word) - 2;

		begin += 2;
		put_clean(out, text, begin - text);
		fprintf(out, "%s%.*s%s", colour_message(out, words[word].colour), (int)len, begin,
			colour_message(out, COLOUR_END));
		text = begin + len;
	}
	put_clean(out, text, strlen(text));
	fputc('\n', out);
}
