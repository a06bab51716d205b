/* SPDX-License-Identifier: GPL-2.0 */
/* Structures of programs, by their DWARF, as declarations in C that the compiler reads. */
#ifndef KTAP_SOURCE_TYPES_H
#define KTAP_SOURCE_TYPES_H

#include "compiler/compile.h"
#include "elf/source_lines.h"

struct source_types;

struct source_types *source_types_new(void);
void source_types_free(struct source_types *t);

/*
 * Find the type of the parameter @q->param of the function whose entry is @addr, or the type
 * @q->tag of the program @path, and declare the structures that it needs and that were not declared
 * before. Returns false if there is none. Strings live as long as @t.
 */
bool source_types_find(struct source_types *t, struct source_lines *s, const char *path,
		       uint64_t addr, const struct ktap_user_query *q,
		       struct ktap_user_type *type);

#endif
