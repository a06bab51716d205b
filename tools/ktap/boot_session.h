/* SPDX-License-Identifier: GPL-2.0 */
/* Sessions that the kernel has begun at boot: ktap/boot/NAME of tracefs. */
#ifndef KTAP_BOOT_SESSION_H
#define KTAP_BOOT_SESSION_H

#include <stdbool.h>

#include "options.h"

/*
 * Open the file of a session. Returns the file descriptor, -ENOENT if there is no such
 * session, or another negative errno.
 */
int boot_session_open(const char *name);

/*
 * Show the text that the file @fd returns until the session ends; end it before that with
 * --stop. Closes @fd; returns the exit code.
 */
int boot_session_show(const struct options *opts, int fd, const char *name);

/* List these sessions, as attach_list() does. */
void boot_session_list(void);

#endif
