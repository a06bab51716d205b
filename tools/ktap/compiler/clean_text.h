/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and texts of others, as files and the kernel have them: what a terminal would
 * obey, and what would begin a line, is shown as '?'.
 */
#ifndef KTAP_CLEAN_H
#define KTAP_CLEAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Is there nothing of the kind in a name? */
bool is_clean(const char *name);

/* Make it so, in place. */
void make_clean(char *name);

/* Print part of a line; it may have tabs. */
void put_clean(FILE *out, const char *text, size_t len);

#endif
