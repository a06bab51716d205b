/* SPDX-License-Identifier: GPL-2.0 */
/* Colours of a terminal, for messages and for the output of scripts. */
#ifndef KTAP_COLOUR_H
#define KTAP_COLOUR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum colour {
	COLOUR_ERROR,
	COLOUR_WARNING,
	COLOUR_NOTE,
	COLOUR_PLACE,	/* the words of a script that a message is about */
	COLOUR_CARET,
	COLOUR_TITLE,	/* the first line of a chart */
	COLOUR_BAR,
	COLOUR_END,	/* no colour from here on */
};

/* The bytes that turn it on. */
const char *colour_code(enum colour colour);

/*
 * Is colour wanted on this file? @when: "always", "never", or "auto": if it is a
 * terminal, and neither NO_COLOR nor TERM=dumb is in the environment.
 */
bool colour_wanted(const char *when, int fd);

/* Use colour for messages on this stream. */
void colour_messages(const FILE *out);

/* The bytes that turn it on in messages; none if messages have no colour. */
const char *colour_message(const FILE *out, enum colour colour);

/* Print a message, cleaned, and a newline. The first "error:" or "warning:" has its colour. */
void colour_put_message(FILE *out, const char *text);

#endif
