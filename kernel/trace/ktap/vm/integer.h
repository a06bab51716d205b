/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Integers as text.
 */
#ifndef _KTAP_INTEGER_H
#define _KTAP_INTEGER_H

#include <linux/types.h>

bool ktap_parse_integer(const char *text, size_t len, s64 *value);

#endif /* _KTAP_INTEGER_H */
