/* SPDX-License-Identifier: GPL-2.0 */
/* The words after the script on the command line. */
#ifndef KTAP_ARGUMENTS_H
#define KTAP_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

/*
 * Join the words "--pid 68" to "--pid=68", which the kernel expects. Returns
 * false after a message on stderr.
 */
bool arguments_join(struct options *opts, const void *chunk, size_t len);

/*
 * Check that the script takes the given arguments. @name is the file that it
 * was read from, and the script takes at least @least arguments. Returns false
 * after a message on stderr with the correct usage.
 */
bool arguments_check(const struct options *opts, const char *name, const void *chunk, size_t len,
		     unsigned int least);

/*
 * The option --pid of a tool names a process or thread that exists; false after a message. The
 * tool would wait for its events for ever.
 */
bool arguments_check_pid(const struct options *opts);

#endif
