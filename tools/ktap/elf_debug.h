/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols that a file does not have itself, or has packed away. */
#ifndef KTAP_ELF_DEBUG_H
#define KTAP_ELF_DEBUG_H

#include "elf_file.h"

/* Adds the symbols of the compressed image in .gnu_debugdata, if there is one. */
void elf_add_packed_symbols(struct elf_file *f);

#endif
