/* SPDX-License-Identifier: GPL-2.0 */
/* The tokens of a script in their order, with what the parser took them for. */
#ifndef KTAP_LAYOUT_H
#define KTAP_LAYOUT_H

#include "lexer.h"

enum layout_flag {
	LAYOUT_STATEMENT	= 1 << 0,	/* begins a statement of a list */
	LAYOUT_BODY		= 1 << 1,	/* begins a body without braces */
	LAYOUT_BODY_END		= 1 << 2,	/* stands behind such a body */
	LAYOUT_IF_END		= 1 << 3,	/* the ';' keeps an `else` from the `if` there */
	LAYOUT_BLOCK		= 1 << 4,	/* the '{' of a block, not of a table */
	LAYOUT_EVENT		= 1 << 5,	/* the text of an event, or a pattern */
	LAYOUT_FILTER		= 1 << 6,	/* the '/' before a filter */
	LAYOUT_FILTER_END	= 1 << 7,	/* and behind it */
};

struct layout_token {
	enum tok kind;
	unsigned int flags;
	unsigned int bodies;	/* how many end in front of it */
	size_t start;		/* first byte in the source */
	size_t end;		/* behind its last */
};

struct layout {
	struct arena *arena;
	struct layout_token *tokens;
	unsigned int count;
	unsigned int max;
};

/* The next token; one that is read again takes the place of what came of it before. */
void layout_add(struct layout *l, const struct token *t);
void layout_add_event(struct layout *l, size_t start, size_t end);
/* Says what the latest token is. */
void layout_mark(struct layout *l, enum layout_flag flag);

#endif
