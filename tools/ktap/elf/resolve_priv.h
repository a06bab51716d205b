/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by resolve.c, resolve_line.c and resolve_params.c. */
#ifndef KTAP_RESOLVE_PRIV_H
#define KTAP_RESOLVE_PRIV_H

#include "elf/elf_file.h"
#include "elf/resolve.h"
#include "elf/source_lines.h"

/* Open a file and read its symbols; NULL after setting an error in the answer. */
struct elf_file *resolve_open(struct resolver *r, const struct target_file *file,
			      struct answer *a);

/* Add the instruction at @addr of file @number; false if there are too many. */
bool resolve_take_addr(struct resolver *r, struct answer *a, const struct elf_file *f,
		       unsigned int number, uint64_t addr);

/*
 * resolve_params.c: the debug information of a file, NULL if it has none; it is valid until the
 * next call.
 */
struct source_lines *resolve_debug_info(struct resolver *r, const char *path);

/* Is it a parameter that the kernel can get, with a name that a script can have? */
bool resolve_can_send(const struct source_param *param);

/* Add the arguments that the script reads by name. */
void resolve_params(struct resolver *r, struct answer *a);

/*
 * resolve_line.c: split "PATH@FILE:LINE[:COLUMN]" into the path, which @rest becomes, and the
 * place. Returns what comes after the path; NULL if it is no such event.
 */
const char *resolve_split_line(struct resolver *r, char *rest, struct source_place *place);

/* Resolve the event to the statements of that place. */
void resolve_lines(struct resolver *r, struct answer *a, const struct source_place *place);

#endif
