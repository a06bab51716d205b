/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much alike two names are, for messages: did you mean ...?
 */
#ifndef _KTAP_SUGGEST_H
#define _KTAP_SUGGEST_H

#include <linux/types.h>

/* A longer name is near to none. */
#define KTAP_MAX_NEAR	40

/*
 * The number of bytes to change, insert or leave out, to make one name of the
 * other; more than KTAP_MAX_NEAR if either is longer than that.
 */
u32 ktap_distance(const char *a, const char *b);

/**
 * struct ktap_suggest - the name that is most like another
 * @name: the other
 * @len: bytes of it
 * @limit: steps that are too many
 * @best: the name, or NULL
 */
struct ktap_suggest {
	const char *name;
	size_t len;
	u32 limit;
	const char *best;
};

void ktap_suggest_begin(struct ktap_suggest *n, const char *name);
/* True: it is more like it than those before. */
bool ktap_suggest_look(struct ktap_suggest *n, const char *name);

#endif /* _KTAP_SUGGEST_H */
