/* SPDX-License-Identifier: GPL-2.0 */
/* Detached sessions, seen from outside: --attach, --stop, --sessions. */
#ifndef KTAP_ATTACH_H
#define KTAP_ATTACH_H

#include <stdbool.h>

#include "options.h"

/* Show the output of a session, and end it with --stop; returns the exit code. */
int attach_session(struct options *opts);

/* List the sessions; false after a message. */
bool attach_list(void);

#endif
