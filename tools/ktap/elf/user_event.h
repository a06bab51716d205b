/* SPDX-License-Identifier: GPL-2.0 */
/* Events of user space, as a script writes them. */
#ifndef KTAP_USER_EVENT_H
#define KTAP_USER_EVENT_H

#include <stdbool.h>

#include "compiler/pool.h"

enum user_event_kind {
	USER_NONE,	/* an event of the kernel, or no event */
	USER_FUNCTION,
	USER_MARKER,
};

/**
 * struct user_event - a parsed event of user space
 * @kind: kind of event
 * @ret: it is the return of a function
 * @maybe: it may be an event of the kernel: "probe:NAME:FUNCTION"
 * @rest: the text after the first colon, without "%return"
 */
struct user_event {
	enum user_event_kind kind;
	bool ret;
	bool maybe;
	char *rest;
};

struct user_event user_event_parse(struct pool *pool, const char *text);

/* Is the name a pattern? */
bool is_pattern(const char *name);

#endif
