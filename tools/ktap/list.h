/* SPDX-License-Identifier: GPL-2.0 */
/* ktap -l: list events by a pattern. */
#ifndef KTAP_LIST_H
#define KTAP_LIST_H

#include <stdbool.h>
#include <stdint.h>

/*
 * Print the events that match @pattern, one per line. @pid: process whose files
 * are searched, or 0. @verbose: print the fields, parameters and result of each, too.
 * Returns false after a message if there are none.
 */
bool list_events(const char *pattern, uint64_t pid, bool verbose, bool bpftrace);

#endif
