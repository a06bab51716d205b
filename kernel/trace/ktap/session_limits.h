/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits of a session that feed.c needs, in the kernel and in its fuzzer.
 */
#ifndef _KTAP_SESSION_LIMITS_H
#define _KTAP_SESSION_LIMITS_H

#include <linux/sizes.h>

#define KTAP_MAX_LINE		4096	/* bytes of a line of text, newline included */
#define KTAP_MAX_SCRIPTARGS	256
#define KTAP_MIN_MARK_KEY	8
#define KTAP_MAX_MARK_KEY	32
#define KTAP_MIN_MEMORY		SZ_256K
#define KTAP_DEFAULT_MEMORY	SZ_16M

#endif /* _KTAP_SESSION_LIMITS_H */
