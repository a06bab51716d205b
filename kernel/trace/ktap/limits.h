/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Limits of a session.
 */
#ifndef _KTAP_LIMITS_H
#define _KTAP_LIMITS_H

#include <linux/sizes.h>

#define KTAP_MAX_LINE		4096	/* bytes of a line of text, newline included */
#define KTAP_MAX_SCRIPTARGS	256
#define KTAP_MAX_BOOT		8	/* sessions that begin at boot */
#define KTAP_MAX_POINTS		16384	/* of all probes: enough for a few probes of `*:*` */
#define KTAP_MIN_MARK_KEY	8
#define KTAP_MAX_MARK_KEY	32
#define KTAP_MIN_MEMORY		SZ_256K
#define KTAP_DEFAULT_MEMORY	SZ_16M
#define KTAP_PROBE_MEMORY	SZ_32M	/* limit of all probes of a session, if @memory is less */

#endif /* _KTAP_LIMITS_H */
