/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The output of sessions at a panic.
 */
#ifndef _KTAP_SESSION_DUMP_H
#define _KTAP_SESSION_DUMP_H

#include <linux/sizes.h>

#define KTAP_MAX_PANIC_DUMP	SZ_16M

/* Bytes of the output of a session that are shown at a panic, 0: none */
extern unsigned long ktap_panic_dump;

#endif /* _KTAP_SESSION_DUMP_H */
