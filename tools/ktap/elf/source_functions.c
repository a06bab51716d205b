// SPDX-License-Identifier: GPL-2.0
/*
 * The functions of a compilation unit, and those that are inlined into them, by address.
 *
 * The tree of a unit is walked once, and then searched often: a unit can have some ten thousand
 * functions, and a pattern selects all of them.
 */
#include "elf/source_lines.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "elf/source_priv.h"

#define MAX_DEPTH	64	/* of a tree of DIEs */

static void add_function(struct source_unit *unit, Dwarf_Die *die, unsigned int depth)
{
	struct source_function f = {
		.die = dwarf_dieoffset(die), .depth = depth, .entry = true,
		.inlined = dwarf_tag(die) == DW_TAG_inlined_subroutine,
	};
	Dwarf_Addr base, begin, end;
	ptrdiff_t at = 0;

	while ((at = dwarf_ranges(die, at, &base, &begin, &end)) > 0 && unit->more) {
		unit->more--;
		if (begin >= end)
			continue;
		f.begin = begin;
		f.end = end;
		unit->functions = pool_grow(&unit->pool, unit->functions, unit->n, &unit->max,
					    sizeof(f));
		unit->functions[unit->n++] = f;
		f.entry = false;
	}
}

static void add_children(struct source_unit *unit, Dwarf_Die *die, unsigned int depth)
{
	Dwarf_Die child;

	if (depth == MAX_DEPTH || dwarf_child(die, &child))
		return;
	do {
		if (!unit->more)
			return;
		unit->more--;
		switch (dwarf_tag(&child)) {
		case DW_TAG_subprogram:
		case DW_TAG_inlined_subroutine:
			add_function(unit, &child, depth);
			add_children(unit, &child, depth + 1);
			break;
		case DW_TAG_lexical_block:
		case DW_TAG_try_block:
		case DW_TAG_catch_block:
		case DW_TAG_namespace:
		case DW_TAG_module:
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
			add_children(unit, &child, depth + 1);
			break;
		}
	} while (!dwarf_siblingof(&child, &child));
}

static int compare_functions(const void *a, const void *b)
{
	const struct source_function *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

void source_read_functions(struct source_unit *unit, const Dwarf_Die *die, size_t bytes)
{
	int around = -1;

	source_forget_functions(unit);
	unit->die = *die;
	/* each has one byte at least */
	unit->more = bytes;
	add_children(unit, &unit->die, 0);
	if (unit->n)
		qsort(unit->functions, unit->n, sizeof(*unit->functions), compare_functions);
	for (unsigned int i = 0; i < unit->n; i++) {
		struct source_function *f = &unit->functions[i];

		while (around >= 0 && unit->functions[around].end <= f->begin)
			around = unit->functions[around].parent;
		f->parent = around;
		around = i;
	}
}

void source_forget_functions(struct source_unit *unit)
{
	pool_free(&unit->pool);
	memset(unit, 0, sizeof(*unit));
}

unsigned int source_ranges_until(const void *ranges, unsigned int n, size_t size, uint64_t addr)
{
	unsigned int low = 0, high = n;

	while (low < high) {
		unsigned int middle = low + (high - low) / 2;
		const uint64_t *begin = (const void *)((const char *)ranges + middle * size);

		if (*begin <= addr)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

int source_function_at(const struct source_unit *unit, uint64_t addr)
{
	int at = source_ranges_until(unit->functions, unit->n, sizeof(*unit->functions), addr);

	/* what is around the address is around the last function before it, too */
	for (at--; at >= 0 && unit->functions[at].end <= addr;)
		at = unit->functions[at].parent;
	return at;
}
#endif
