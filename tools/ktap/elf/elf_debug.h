/* SPDX-License-Identifier: GPL-2.0 */
/* Functions shared by the files that use libelf. */
#ifndef KTAP_ELF_DEBUG_H
#define KTAP_ELF_DEBUG_H

#include <gelf.h>

#include "elf/elf_file.h"

/* Limit of a section; executables have smaller ones. */
#define MAX_SECTION	(512UL << 20)

/* Add the symbols of the compressed image in .gnu_debugdata, if any. */
void elf_add_packed_symbols(struct elf_file *f);

/*
 * Open an ELF file in memory; close it with elf_end(). NULL if it is not an ELF
 * file.
 */
void *elf_image(char *image, size_t len);

/* The bytes of a section, unconverted; NULL if there are none, or too many. */
Elf_Data *elf_section_bytes(Elf_Scn *scn, const GElf_Shdr *shdr);

/* The bytes of the section with that name; NULL if it is missing or damaged. */
const unsigned char *elf_section(void *handle, const char *name, size_t *len, uint64_t *addr);

/*
 * A string table by its section number, and one of its strings; NULL if it is
 * missing or damaged.
 */
const Elf_Data *elf_strings(Elf *elf, size_t section);
const char *elf_string(const Elf_Data *strings, size_t at, size_t max);

#endif
