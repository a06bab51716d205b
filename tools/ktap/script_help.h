/* SPDX-License-Identifier: GPL-2.0 */
/* The help of a script, and its options. */
#ifndef KTAP_SCRIPT_HELP_H
#define KTAP_SCRIPT_HELP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/*
 * Print the help of a script: the comment at its head, from the source text in
 * the chunk, and its options, which do not need that text.
 */
void ktap_show_help(FILE *out, const char *name, const void *chunk, size_t len);

/* Does the script take options? */
bool ktap_has_options(const void *chunk, size_t len);

/* Is @name, without its dashes, an option of the script that needs a value? */
bool ktap_option_takes_value(const void *chunk, size_t len, const char *name);

/* Print the options in one line: "--pid, --comm". */
void ktap_list_options(FILE *out, const void *chunk, size_t len);

/* Does a probe of the script have an event with this text? */
bool ktap_has_event(const void *chunk, size_t len, const char *event);

#endif
