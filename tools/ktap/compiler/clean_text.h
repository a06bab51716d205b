/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and texts of others, as files and the kernel have them: what a terminal would
 * obey, and what would begin a line, is shown as '?'.
 */
#ifndef KTAP_CLEAN_TEXT_H
#define KTAP_CLEAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Has the name no such characters? */
bool is_clean(const char *name);

/* Replace such characters in place. */
void make_clean(char *name);

/* Print part of a line; tabs are kept. */
void put_clean(FILE *out, const char *text, size_t len);

#endif
