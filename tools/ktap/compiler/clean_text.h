/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and texts from files, programs and the kernel, which are not trusted. Control
 * characters, including newlines, are replaced by '?'.
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

/* Has a text such characters, other than newlines and tabs? */
bool has_controls(const char *text, size_t len);

/*
 * Replace them in @len bytes of a longer text, except newlines and tabs. *@rest keeps which part
 * of a character comes next; it is 0 at the beginning.
 */
void clean_part(char *text, size_t len, unsigned int *rest);

/* Length of the UTF-8 character at @p; 1 if it is invalid. */
size_t utf8_length(const unsigned char *p, size_t left);

#endif
