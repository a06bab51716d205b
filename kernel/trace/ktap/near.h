/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How much alike two names are, for messages: did you mean ...?
 */
#ifndef _KTAP_NEAR_H
#define _KTAP_NEAR_H

#include <linux/types.h>

/* A longer name is near to none. */
#define KTAP_MAX_NEAR	40

/*
 * The number of bytes to change, insert or leave out, to make one name of the
 * other; more than KTAP_MAX_NEAR if either is longer than that.
 */
u32 ktap_distance(const char *a, const char *b);

#endif /* _KTAP_NEAR_H */
