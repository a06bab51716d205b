/* SPDX-License-Identifier: GPL-2.0 */
/* The tokens of a script in order, and how the parser interpreted them. */
#ifndef KTAP_LAYOUT_H
#define KTAP_LAYOUT_H

#include "compiler/lexer.h"

enum layout_flag {
	LAYOUT_STATEMENT	= 1 << 0,	/* begins a statement of a list */
	LAYOUT_BODY		= 1 << 1,	/* begins a body without braces */
	LAYOUT_BODY_END		= 1 << 2,	/* follows such a body */
	LAYOUT_IF_END		= 1 << 3,	/* the ';' separates an `else` from this `if` */
	LAYOUT_BLOCK		= 1 << 4,	/* the '{' of a block, not of a table */
	LAYOUT_EVENT		= 1 << 5,	/* the text of an event, or a pattern */
	LAYOUT_FILTER		= 1 << 6,	/* the '/' before a filter */
	LAYOUT_FILTER_END	= 1 << 7,	/* the '/' after a filter */
};

struct layout_token {
	enum tok kind;
	unsigned int flags;
	unsigned int bodies;	/* number of bodies that end before it */
	size_t start;		/* first byte in the source */
	size_t end;		/* after its last */
};

struct layout {
	struct pool *pool;
	struct layout_token *tokens;
	unsigned int count;
	unsigned int max;
};

/*
 * Add the next token. A token that is read again replaces the old one and those
 * after it.
 */
void layout_add(struct layout *l, const struct token *t);
void layout_add_event(struct layout *l, size_t start, size_t end);
/* Set a flag of the latest token. */
void layout_mark(struct layout *l, enum layout_flag flag);

#endif
