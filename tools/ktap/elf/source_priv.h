/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by source_lines.c, source_functions.c and source_params.c. */
#ifndef KTAP_SOURCE_PRIV_H
#define KTAP_SOURCE_PRIV_H

#include <elfutils/libdw.h>
#include <stdbool.h>
#include <stdint.h>

#include "compiler/pool.h"
#include "elf/source_lines.h"

/**
 * struct source_function - a range of addresses of a function, which may have several
 * @die: offset of its DIE
 * @parent: index of the innermost one around it, or -1
 * @depth: of the DIE in the tree
 * @inlined: it is inlined there
 * @entry: the range begins with its first instruction
 */
struct source_function {
	uint64_t begin, end;
	Dwarf_Off die;
	int parent;
	unsigned int depth;
	bool inlined;
	bool entry;
};

/**
 * struct source_unit - the functions of a compilation unit
 * @die: its DIE
 * @functions: sorted by address, an outer one before an inner one
 * @more: DIEs that may still be read: damaged ones may form a ring
 */
struct source_unit {
	struct pool pool;
	Dwarf_Die die;
	struct source_function *functions;
	unsigned int n;
	unsigned int max;
	size_t more;
};

/**
 * struct unit_range - addresses of a compilation unit
 * @die: offset of its DIE
 * @bytes: of all its DIEs
 */
struct unit_range {
	uint64_t begin, end;
	Dwarf_Off die;
	size_t bytes;
};

/**
 * struct source_lines - the DWARF of a file
 * @elf: the file, of which libdw reads more later
 * @alt: what several files share, or NULL
 * @machine: EM_*
 * @ranges: addresses of all units, sorted
 * @more: ranges that may still be read: many units may share a list
 * @unit: the unit that was used last
 * @serial: no other one that was opened has it
 * @split: there are units whose DWARF is in files of their own, which are not read
 */
struct source_lines {
	struct pool pool;
	Dwarf *dwarf;
	Elf *elf;
	int fd;
	struct source_lines *alt;
	unsigned int machine;
	struct unit_range *ranges;
	unsigned int nranges;
	unsigned int max_ranges;
	size_t more;
	struct source_unit unit;
	uint64_t serial;
	bool split;
};

/* source_lines.c: find the unit with code at @addr, and read its functions; NULL if none has. */
struct source_unit *source_unit_at(struct source_lines *s, uint64_t addr);

/* source_functions.c: read the functions of the unit with this DIE, which has @bytes of DIEs. */
void source_read_functions(struct source_unit *unit, const Dwarf_Die *die, size_t bytes);
void source_forget_functions(struct source_unit *unit);

/*
 * Number of ranges that begin at @addr or before it; @ranges are sorted, have @size bytes each,
 * and begin with their first address.
 */
unsigned int source_ranges_until(const void *ranges, unsigned int n, size_t size, uint64_t addr);

/* Find the innermost function with the code at @addr; -1 if there is none. */
int source_function_at(const struct source_unit *unit, uint64_t addr);

#endif
