/* SPDX-License-Identifier: GPL-2.0 */
/* What the readers of ELF files share that know libelf. */
#ifndef KTAP_ELF_DEBUG_H
#define KTAP_ELF_DEBUG_H

#include <gelf.h>

#include "elf_file.h"

/* No section that is read is larger in any file that was built to be run. */
#define MAX_SECTION	(512UL << 20)

/* Adds the symbols of the compressed image in .gnu_debugdata, if there is one. */
void elf_add_packed_symbols(struct elf_file *f);

/* An ELF file in memory, to be ended with elf_end(); NULL if it is none. */
void *elf_image(char *image, size_t len);

/* As they stand in the file; NULL if there are none, or more than are believed. */
Elf_Data *elf_section_bytes(Elf_Scn *scn, const GElf_Shdr *shdr);

/* The bytes of a section; NULL if there is none, or it is damaged. */
const unsigned char *elf_section(void *handle, const char *name, size_t *len, uint64_t *addr);

/* The strings that a section has, by its number, and one of them; NULL: see there. */
const Elf_Data *elf_strings(Elf *elf, size_t section);
const char *elf_string(const Elf_Data *strings, size_t at, size_t max);

#endif
