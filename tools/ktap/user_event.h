/* SPDX-License-Identifier: GPL-2.0 */
/* Events of user space as a script spells them. */
#ifndef KTAP_USER_EVENT_H
#define KTAP_USER_EVENT_H

#include <stdbool.h>

#include "arena.h"

enum user_event_kind {
	USER_NONE,	/* an event of the kernel, or none */
	USER_FUNCTION,
	USER_MARKER,
};

/**
 * struct user_event - an event of user space, taken apart
 * @kind: what it names
 * @ret: the return of a function
 * @maybe: it may be meant for the kernel: "probe:NAME:FUNCTION"
 * @rest: the text behind the first colon, without "%return"
 */
struct user_event {
	enum user_event_kind kind;
	bool ret;
	bool maybe;
	char *rest;
};

struct user_event user_event_parse(struct arena *arena, const char *text);

/* Has the name one of the signs that make it a pattern? */
bool is_pattern(const char *name);

#endif
