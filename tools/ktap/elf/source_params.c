// SPDX-License-Identifier: GPL-2.0
/* Parameters and results of functions of programs, with their types in C, by DWARF. */
#include "elf/source_lines.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/util.h"
#include "elf/source_priv.h"

#define MAX_TEXT	256	/* bytes of a declaration; a longer one is cut */
#define MAX_STEPS	32	/* types of types */
#define MAX_CHILDREN	1024	/* of a function, in which its parameters are */

static void source_before(char *decl, const char *text)
{
	char old[MAX_TEXT];

	snprintf(old, sizeof(old), "%s", decl);
	if (snprintf(decl, MAX_TEXT, "%s%s", text, old) >= MAX_TEXT)
		decl[MAX_TEXT - 1] = '\0';
}

static void source_after(char *decl, const char *text)
{
	size_t len = strlen(decl);

	snprintf(decl + len, MAX_TEXT - len, "%s", text);
}

static const char *source_keyword(int tag)
{
	switch (tag) {
	case DW_TAG_structure_type:
		return "struct ";
	case DW_TAG_union_type:
		return "union ";
	case DW_TAG_enumeration_type:
		return "enum ";
	default:
		return "";
	}
}

/* "[4]"; "[]" if the number is not known, or depends on a variable */
static void source_put_bounds(Dwarf_Die *array, char *decl)
{
	Dwarf_Attribute attr;
	Dwarf_Die range;
	Dwarf_Word n;
	char text[32] = "[]";

	if (!dwarf_child(array, &range)) {
		if (!dwarf_formudata(dwarf_attr(&range, DW_AT_count, &attr), &n))
			snprintf(text, sizeof(text), "[%llu]", (unsigned long long)n);
		else if (!dwarf_formudata(dwarf_attr(&range, DW_AT_upper_bound, &attr), &n))
			snprintf(text, sizeof(text), "[%llu]", (unsigned long long)n + 1);
	}
	source_after(decl, text);
}

/* Put the name of a type before a declaration; NULL: it is void. */
static void source_put_base(Dwarf_Die *type, const char *qualifier, char *decl)
{
	const char *name = type ? dwarf_diename(type) : "void";

	if (*decl)
		source_before(decl, " ");
	source_before(decl, name ? name : "{...}");
	source_before(decl, type ? source_keyword(dwarf_tag(type)) : "");
	source_before(decl, qualifier);
}

/*
 * Turn the name in @decl into the declaration of a variable that has the type of @die, from the
 * name outwards: "fn" becomes "*fn", "(*fn)()", "void (*fn)()".
 */
static void source_declare(Dwarf_Die *die, char *decl)
{
	const char *qualifier = "";
	Dwarf_Die type = *die;
	bool pointer = false;

	for (unsigned int steps = 0; steps < MAX_STEPS; steps++) {
		Dwarf_Attribute attr;
		int tag;

		if (!dwarf_formref_die(dwarf_attr_integrate(&type, DW_AT_type, &attr), &type)) {
			source_put_base(NULL, qualifier, decl);
			return;
		}
		tag = dwarf_tag(&type);
		if (pointer && (tag == DW_TAG_array_type || tag == DW_TAG_subroutine_type)) {
			source_before(decl, "(");
			source_after(decl, ")");
		}
		switch (tag) {
		case DW_TAG_pointer_type:
		case DW_TAG_reference_type:
		case DW_TAG_rvalue_reference_type:
			source_before(decl, *decl ? qualifier : "");
			source_before(decl, tag == DW_TAG_pointer_type ? "*" :
				      tag == DW_TAG_reference_type ? "&" : "&&");
			qualifier = "";
			pointer = true;
			break;
		case DW_TAG_const_type:
			qualifier = "const ";
			break;
		case DW_TAG_volatile_type:
			qualifier = "volatile ";
			break;
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			break;
		case DW_TAG_array_type:
			source_put_bounds(&type, decl);
			pointer = false;
			break;
		case DW_TAG_subroutine_type:
			source_after(decl, "()");
			pointer = false;
			break;
		default:
			source_put_base(&type, qualifier, decl);
			return;
		}
	}
}

/* Its size, negative if it is signed; 0: it is no integer, address or enumerator. */
static int source_size(Dwarf_Die *die, unsigned int word)
{
	Dwarf_Attribute attr;
	Dwarf_Die type = *die;
	Dwarf_Word encoding;
	int size;

	for (unsigned int steps = 0; steps < MAX_STEPS; steps++) {
		if (!dwarf_formref_die(dwarf_attr_integrate(&type, DW_AT_type, &attr), &type))
			return 0;
		size = dwarf_bytesize(&type);
		switch (dwarf_tag(&type)) {
		case DW_TAG_pointer_type:
		case DW_TAG_reference_type:
		case DW_TAG_rvalue_reference_type:
			return word;
		case DW_TAG_enumeration_type:
		case DW_TAG_base_type:
			/* of an enumeration, the type of its numbers */
			if (dwarf_hasattr(&type, DW_AT_type))
				break;
			if (dwarf_formudata(dwarf_attr(&type, DW_AT_encoding, &attr), &encoding) ||
			    (size != 1 && size != 2 && size != 4 && size != 8))
				return 0;
			switch (encoding) {
			case DW_ATE_signed:
			case DW_ATE_signed_char:
				return -size;
			case DW_ATE_unsigned:
			case DW_ATE_unsigned_char:
			case DW_ATE_boolean:
			case DW_ATE_UTF:
			case DW_ATE_address:
				return size;
			}
			return 0;
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			break;
		default:
			return 0;
		}
	}
	return 0;
}

/* The registers of arguments, by the numbers that DWARF gives them */
static const struct {
	unsigned int machine;
	unsigned char n;
	unsigned char regs[8];
} argument_regs[] = {
	{ EM_X86_64, 6, { 5, 4, 1, 2, 8, 9 } },
	{ EM_AARCH64, 8, { 0, 1, 2, 3, 4, 5, 6, 7 } },
	{ EM_ARM, 4, { 0, 1, 2, 3 } },
	{ EM_RISCV, 8, { 10, 11, 12, 13, 14, 15, 16, 17 } },
	{ EM_S390, 5, { 2, 3, 4, 5, 6 } },
	{ EM_PPC64, 8, { 3, 4, 5, 6, 7, 8, 9, 10 } },
};

static int source_number_of_reg(unsigned int machine, unsigned int reg)
{
	for (size_t i = 0; i < ARRAY_SIZE(argument_regs); i++) {
		if (argument_regs[i].machine != machine)
			continue;
		for (int n = 0; n < argument_regs[i].n; n++) {
			if (argument_regs[i].regs[n] == reg)
				return n;
		}
	}
	return -1;
}

/*
 * In which argument is a parameter? Where it is at the entry says it, if that is a register:
 * compilers leave out what a function does not use, and have other conventions for other
 * languages. Otherwise it is on the stack, where the entry of code that is not optimized
 * puts it later: then @order is right, which is -1 if it is not known.
 */
static int source_number(Dwarf_Die *param, uint64_t entry, unsigned int machine, int order)
{
	Dwarf_Attribute attr;
	Dwarf_Op *op;
	size_t n;

	if (!dwarf_attr(param, DW_AT_location, &attr) ||
	    dwarf_getlocation_addr(&attr, entry, &op, &n, 1) <= 0 || n != 1)
		return -1;
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		return source_number_of_reg(machine, op->atom - DW_OP_reg0);
	return op->atom == DW_OP_fbreg ? order : -1;
}

static void source_each_param(const struct source_lines *s, Dwarf_Die *function, uint64_t entry,
			      source_param_fn put, void *ctx)
{
	bool has_result = dwarf_hasattr_integrate(function, DW_AT_type);
	struct source_param p = { .number = -1 };
	char decl[MAX_TEXT];
	Dwarf_Die child, cu;
	unsigned int n = 0;
	int order = 0;
	uint8_t word;

	if (!dwarf_diecu(function, &cu, &word, NULL))
		return;
	/* a structure can be returned where an argument says */
	if (has_result && !source_size(function, word))
		order = -1;
	p.decl = decl;
	if (!dwarf_child(function, &child)) {
		do {
			if (dwarf_tag(&child) != DW_TAG_formal_parameter)
				continue;
			p.name = dwarf_diename(&child);
			p.name = p.name ? p.name : "";
			p.size = source_size(&child, word);
			p.number = p.size && abs(p.size) <= word ?
				   source_number(&child, entry, s->machine, order) : -1;
			order = order >= 0 && p.number == order ? order + 1 : -1;
			snprintf(decl, sizeof(decl), "%s", p.name);
			source_declare(&child, decl);
			put(ctx, &p);
		} while (++n < MAX_CHILDREN && !dwarf_siblingof(&child, &child));
	}
	if (!has_result)
		return;
	p = (struct source_param){ .decl = decl, .number = -1 };
	p.size = source_size(function, word);
	snprintf(decl, sizeof(decl), "retval");
	source_declare(function, decl);
	put(ctx, &p);
}

void source_params(struct source_lines *s, uint64_t addr, source_param_fn put, void *ctx)
{
	struct source_unit *unit = s ? source_unit_at(s, addr) : NULL;
	const struct source_function *f;
	Dwarf_Die die;
	int i;

	for (i = unit ? source_function_at(unit, addr) : -1; i >= 0; i = f->parent) {
		f = &unit->functions[i];
		if (f->inlined)
			continue;
		if (f->entry && f->begin == addr && dwarf_offdie(s->dwarf, f->die, &die))
			source_each_param(s, &die, addr, put, ctx);
		break;
	}
}
#else
void source_params(struct source_lines *s, uint64_t addr, source_param_fn put, void *ctx)
{
	(void)s;
	(void)addr;
	(void)put;
	(void)ctx;
}
#endif
