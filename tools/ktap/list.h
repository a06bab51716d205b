/* SPDX-License-Identifier: GPL-2.0 */
/* ktap -l: events by a pattern. */
#ifndef KTAP_LIST_H
#define KTAP_LIST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Print the events that match @pattern, one a line; @pid says whose files are
 * meant, or 0.  Returns false after a message if there are none.
 */
bool list_events(const char *pattern, uint64_t pid);

#endif
