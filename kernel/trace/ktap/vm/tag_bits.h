/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Short names for sets of tags, for the tables of opcodes and built-in functions.
 */
#ifndef _KTAP_TAG_BITS_H
#define _KTAP_TAG_BITS_H

#include "vm/value.h"

#define NIL		ktap_bit(NIL)
#define BOOL		ktap_bit(BOOL)
#define INT		ktap_bit(INT)
#define STRING		(ktap_bit(STR) | ktap_bit(ARGSTR))
#define FUNC		ktap_bit(FUNC)
#define TABLE		ktap_bit(TABLE)

#endif /* _KTAP_TAG_BITS_H */
