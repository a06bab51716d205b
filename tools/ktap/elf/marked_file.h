/* SPDX-License-Identifier: GPL-2.0 */
/* The ELF files that marks name, and their symbols. */
#ifndef KTAP_MARKED_FILE_H
#define KTAP_MARKED_FILE_H

#include <stdbool.h>

#include "elf_file.h"
#include "target.h"

struct marked_files;

/*
 * The file of a mark with @path and @build_id, as they are there, with its symbols;
 * NULL if there is none.  It is valid until the next call.  @opened becomes true if it
 * had to be opened.
 */
const struct elf_file *marked_file_find(struct marked_files **files, const struct target *t,
					const char *path, const char *build_id, bool *opened);
void marked_files_free(struct marked_files **files);

#endif
