/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Integers as text.
 */
#ifndef _KTAP_INTEGER_H
#define _KTAP_INTEGER_H

#include <linux/types.h>

/* Digits of the largest integer, and a sign */
#define KTAP_INTEGER_TEXT	20

bool ktap_parse_integer(const char *text, size_t len, s64 *value);

/* Return the bytes of @i in decimal, with its sign. */
unsigned int ktap_decimal_len(s64 i);
/* Write the decimal digits of @u, at least one, before @end; return the first one. */
char *ktap_decimal_digits(u64 u, char *end);
/* Write @i in decimal before @end; return the first byte.  Context of all: any. */
char *ktap_decimal_put(s64 i, char *end);
/* Write @i in decimal at @p; return the byte after it. */
char *ktap_decimal_append(s64 i, char *p);

#endif /* _KTAP_INTEGER_H */
