/* SPDX-License-Identifier: GPL-2.0 */
/* ELF files that are named in marks, and their symbols. */
#ifndef KTAP_MARKED_FILE_H
#define KTAP_MARKED_FILE_H

#include <stdbool.h>

#include "elf/elf_file.h"
#include "elf/source_lines.h"
#include "elf/target.h"

struct marked_files;

/*
 * Find the file of a mark, with its symbols, by the @path and @build_id of the
 * mark; NULL if there is none. It is valid until the next call. @opened is set
 * if the file had to be opened. @lines, unless it is NULL, is set to the lines of its
 * source files, or to NULL; that must not change between calls.
 */
const struct elf_file *marked_file_find(struct marked_files **files, const struct target *t,
					const char *path, const char *build_id,
					struct source_lines **lines, bool *opened);
void marked_files_free(struct marked_files **files);

#endif
