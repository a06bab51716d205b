// SPDX-License-Identifier: GPL-2.0
/*
 * Structures of programs, by their DWARF, as declarations in C that the compiler reads.
 *
 * The debug information has the offset of each member. So a structure is declared as packed, and
 * bit-fields without a name fill what is between its members: the layout does not depend on the
 * rules of the machine, nor on attributes that the source has. Members that ktap cannot read, such
 * as floating point numbers, are filled so as well.
 *
 * A structure that is a member is declared before the one around it. The target of a pointer is
 * declared only if the script reads a member of the pointer's name, which bounds what is read;
 * other pointers are void *. Typedefs and qualifiers are left out.
 */
#include "elf/source_types.h"

#ifdef HAVE_LIBDW
#include <dwarf.h>
#include <linux/ktap.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/util.h"
#include "elf/source_priv.h"

#define MAX_STEPS	32	/* types of types */
#define MAX_DEPTH	16	/* structures in structures */
#define MAX_CHILDREN	65536	/* of a DIE */
#define MAX_TYPES	512	/* structures that a script gets */
#define MAX_MEMBERS	8192	/* of all of them, with what fills gaps */
#define MAX_FILLERS	64	/* one after another */
#define MAX_NAME	100	/* bytes of the name of a structure */
#define TAKEN		"'%s' is a type of the kernel elsewhere in this script"

/**
 * struct source_type - a structure that is declared
 * @tag: "struct x"
 * @text: its members, as they are declared; NULL: not yet
 * @die: its DIE in the file that is read now, if it was found there
 * @open: its members are being written
 * @done: those of @die were written, or compared with those of another program
 * @path: the file in which it was first
 */
struct source_type {
	const char *tag;
	const char *text;
	Dwarf_Die die;
	bool open;
	bool done;
	const char *path;
	struct source_type *next;
};

/**
 * struct source_types - the structures of all programs of a script
 * @types: latest first
 * @lines: the debug information that is read now
 * @path: its file
 * @query: the question
 * @out: gets the declarations
 * @error: why this cannot be declared, or NULL
 * @word: bytes of an address in the program
 * @ntypes: number of @types
 * @nmembers: number of members that were written
 */
struct source_types {
	struct pool pool;
	struct source_type *types;
	struct source_lines *lines;
	const char *path;
	const struct ktap_user_query *query;
	FILE *out;
	const char *error;
	uint8_t word;
	unsigned int ntypes;
	unsigned int nmembers;
	unsigned int depth;
};

/**
 * struct source_layout - the members of a structure or union
 * @out: gets them
 * @at: the next bit; of a union, which all begin at bit 0, the end of the longest one
 * @is_union: it is one
 */
struct source_layout {
	FILE *out;
	uint64_t at;
	bool is_union;
};

static bool source_types_is_name(const char *name)
{
	static const char letters[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

	return name && *name && !name[strspn(name, letters)] && (*name < '0' || *name > '9') &&
	       strlen(name) <= MAX_NAME;
}

static const char *source_types_keyword(Dwarf_Die *die)
{
	switch (dwarf_tag(die)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
		return "struct";
	case DW_TAG_union_type:
		return "union";
	default:
		return NULL;
	}
}

static bool source_types_fail(struct source_types *t, const char *error)
{
	if (!t->error)
		t->error = error;
	return false;
}

/*
 * Go from a DIE with a type to that type, without typedefs and qualifiers; false: void. @name:
 * that of the last typedef, if not NULL
 */
static bool source_types_next(Dwarf_Die *die, const char **name)
{
	Dwarf_Attribute attr;

	for (unsigned int steps = 0; steps < MAX_STEPS; steps++) {
		if (!dwarf_formref_die(dwarf_attr_integrate(die, DW_AT_type, &attr), die))
			return false;
		switch (dwarf_tag(die)) {
		case DW_TAG_typedef:
			if (name)
				*name = dwarf_diename(die);
			break;
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			break;
		case DW_TAG_unspecified_type:
			return false;
		default:
			return true;
		}
	}
	return false;
}

/* An integer type, or NULL. @part: an element of an array, or the target of a pointer */
static const char *source_types_integer(Dwarf_Die *die, bool part)
{
	static const char * const names[][2] = {
		[1] = { "unsigned char", "signed char" }, [2] = { "unsigned short", "short" },
		[4] = { "unsigned int", "int" }, [8] = { "unsigned long long", "long long" },
	};
	int size = dwarf_bytesize(die);
	Dwarf_Attribute attr;
	Dwarf_Word encoding;
	const char *name;

	if (dwarf_tag(die) == DW_TAG_enumeration_type && dwarf_hasattr(die, DW_AT_type) &&
	    !source_types_next(die, NULL))
		return NULL;
	name = dwarf_diename(die);
	if (size < 1 || size > 8 || !names[size][0])
		return NULL;
	if (dwarf_tag(die) == DW_TAG_enumeration_type)
		return names[size][0];
	if (dwarf_tag(die) != DW_TAG_base_type ||
	    dwarf_formudata(dwarf_attr(die, DW_AT_encoding, &attr), &encoding))
		return NULL;
	switch (encoding) {
	case DW_ATE_boolean:
		return size == 1 ? "bool" : names[size][0];
	case DW_ATE_signed_char:
	case DW_ATE_unsigned_char:
		if (part && size == 1 && name && !strcmp(name, "char"))
			return "char";
		return names[size][encoding == DW_ATE_signed_char];
	case DW_ATE_signed:
		return names[size][1];
	case DW_ATE_unsigned:
	case DW_ATE_UTF:
	case DW_ATE_address:
		return names[size][0];
	default:
		return NULL;
	}
}

/* "[2][3]" of an array; false: its size is not known */
static bool source_types_bounds(struct source_types *t, Dwarf_Die *array, const char **bounds)
{
	unsigned int n = 0;
	Dwarf_Attribute attr;
	Dwarf_Die range;
	Dwarf_Word count;

	if (dwarf_child(array, &range))
		return false;
	do {
		if (dwarf_tag(&range) != DW_TAG_subrange_type)
			continue;
		if (!dwarf_formudata(dwarf_attr(&range, DW_AT_upper_bound, &attr), &count))
			count++;
		else if (dwarf_formudata(dwarf_attr(&range, DW_AT_count, &attr), &count))
			count = 0;
		if (count > KTAP_MAX_TYPE_SIZE)
			return false;
		*bounds = pool_printf(&t->pool, "%s[%llu]", *bounds, (unsigned long long)count);
	} while (++n < MAX_STEPS && !dwarf_siblingof(&range, &range));
	return true;
}

static const char *source_types_tag(struct source_types *t, Dwarf_Die *die, const char *name)
{
	const char *keyword = source_types_keyword(die), *own = dwarf_diename(die);

	name = own ? own : name;
	return keyword && source_types_is_name(name) ?
	       pool_printf(&t->pool, "%s %s", keyword, name) : NULL;
}

/* Is it a structure, or a typedef of one, that has members?  @keyword: as below */
static bool source_types_is(Dwarf_Die *die, const char *keyword)
{
	const char *own;

	if (!keyword && (dwarf_tag(die) != DW_TAG_typedef || !source_types_next(die, NULL)))
		return false;
	own = source_types_keyword(die);
	return own && (!keyword || !strcmp(own, keyword)) &&
	       !dwarf_hasattr(die, DW_AT_declaration);
}

static bool source_types_search_unit(Dwarf_Die *unit, const char *keyword, const char *name,
				     Dwarf_Die *found)
{
	const char *own;
	Dwarf_Die child;

	if (dwarf_child(unit, &child))
		return false;
	for (unsigned int n = 0; n < MAX_CHILDREN; n++) {
		own = dwarf_diename(&child);
		*found = child;
		if (own && !strcmp(own, name) && source_types_is(found, keyword))
			return true;
		if (dwarf_siblingof(&child, &child))
			return false;
	}
	return false;
}

/*
 * Find a structure by its name, in all units. @keyword: "struct" or "union", NULL: @name is a
 * typedef; @first: search this unit first, if not NULL
 */
static bool source_types_search(struct source_types *t, Dwarf_Die *first, const char *keyword,
				const char *name, Dwarf_Die *found)
{
	Dwarf_Off at = 0, next;
	size_t header;
	Dwarf_Die die;

	if (first && source_types_search_unit(first, keyword, name, found))
		return true;
	while (!dwarf_nextcu(t->lines->dwarf, at, &next, &header, NULL, NULL, NULL) && next > at) {
		if (dwarf_offdie(t->lines->dwarf, at + header, &die) &&
		    !dwarf_hasattr(&die, DW_AT_dwo_name) &&
		    !dwarf_hasattr(&die, DW_AT_GNU_dwo_name) &&
		    source_types_search_unit(&die, keyword, name, found))
			return true;
		at = next;
	}
	return false;
}

static struct source_type *source_types_known(const struct source_types *t, const char *tag)
{
	struct source_type *type = t->types;

	while (type && strcmp(type->tag, tag))
		type = type->next;
	return type;
}

/*
 * Have two structures of one name the same size and members?  Each unit has its own DIE of a
 * structure, and most of them are of the same one.
 */
static bool source_types_alike(Dwarf_Die *x, Dwarf_Die *y)
{
	Dwarf_Word sizes[2] = { 0, 0 };
	Dwarf_Die a, b;
	int more_a = dwarf_child(x, &a), more_b = dwarf_child(y, &b);
	unsigned int n = 0;

	if (dwarf_aggregate_size(x, &sizes[0]) || dwarf_aggregate_size(y, &sizes[1]) ||
	    sizes[0] != sizes[1])
		return false;
	while (!more_a && !more_b && n++ < MAX_CHILDREN) {
		const char *name_a = dwarf_diename(&a), *name_b = dwarf_diename(&b);

		if (strcmp(name_a ? name_a : "", name_b ? name_b : ""))
			return false;
		more_a = dwarf_siblingof(&a, &a);
		more_b = dwarf_siblingof(&b, &b);
	}
	return more_a == more_b;
}

/* Note that a structure must be declared; its members are written later. */
static struct source_type *source_types_want(struct source_types *t, Dwarf_Die *die,
					     const char *tag)
{
	struct source_type *type = source_types_known(t, tag);

	if (type && !type->die.addr)
		type->die = *die;
	if (type && type->die.addr != die->addr && !source_types_alike(&type->die, die)) {
		source_types_fail(t, pool_printf(&t->pool, "%s has two structures '%s'", t->path,
						 tag));
		return NULL;
	}
	if (type)
		return type;
	if (++t->ntypes > MAX_TYPES) {
		source_types_fail(t, "more structures than a script can have");
		return NULL;
	}
	type = pool_alloc(&t->pool, sizeof(*type));
	*type = (struct source_type){
		.tag = tag, .die = *die, .path = t->path, .next = t->types,
	};
	t->types = type;
	return type;
}

static bool source_types_write(struct source_types *t, struct source_type *type);
static const char *source_types_members(struct source_types *t, Dwarf_Die *die);

/* The target of a pointer: the structure, if the script may read what it has. */
static const char *source_types_target(struct source_types *t, Dwarf_Die *die, const char *name,
				       bool follow)
{
	const char *tag = follow ? source_types_tag(t, die, name) : NULL;
	enum ktap_user_tag state = tag ? t->query->tag_state(t->query->ctx, tag) :
					 KTAP_USER_TAG_TAKEN;
	Dwarf_Die whole = *die;

	if (state == KTAP_USER_TAG_DECLARED)
		return tag;
	/* the type that was asked for, and not that of a member */
	if (tag && state == KTAP_USER_TAG_TAKEN && !t->depth)
		source_types_fail(t, pool_printf(&t->pool, TAKEN, tag));
	if (state == KTAP_USER_TAG_TAKEN)
		return "void";
	if (dwarf_hasattr(die, DW_AT_declaration) &&
	    !source_types_search(t, NULL, source_types_keyword(die), dwarf_diename(die), &whole))
		return "void";
	return source_types_want(t, &whole, tag) ? tag : "void";
}

/* Lines of members of members */
static const char *source_types_indented(struct source_types *t, const char *text)
{
	const char *out = "";
	size_t len;

	for (; *text; text += len) {
		len = strcspn(text, "\n") + 1;
		out = pool_printf(&t->pool, "%s\t%.*s", out, (int)len, text);
	}
	return out;
}

/* A structure as a member: it is declared before, or has no name. */
static const char *source_types_inner(struct source_types *t, Dwarf_Die *die)
{
	const char *tag = source_types_tag(t, die, NULL), *text;
	struct source_type *type;

	if (dwarf_hasattr(die, DW_AT_declaration) || t->depth == MAX_DEPTH)
		return NULL;
	if (!tag) {
		t->depth++;
		text = source_types_members(t, die);
		t->depth--;
		return text ? pool_printf(&t->pool, "%s {\n%s\t} __packed",
					  source_types_keyword(die),
					  source_types_indented(t, text)) : NULL;
	}
	if (t->query->tag_state(t->query->ctx, tag) != KTAP_USER_TAG_FREE)
		return NULL;
	type = source_types_want(t, die, tag);
	return type && source_types_write(t, type) ? tag : NULL;
}

/*
 * Declare @name with the type of @die, from the name outwards; NULL: ktap has no such type.
 * @follow: the script may read what a pointer points to
 */
static const char *source_types_declare(struct source_types *t, const Dwarf_Die *die,
					const char *name, bool follow)
{
	const char *base = NULL, *typedefs = NULL, *bounds;
	bool pointer = false, part = false;
	Dwarf_Die type = *die;

	for (unsigned int steps = 0; steps < MAX_STEPS && !base; steps++) {
		int tag = DW_TAG_unspecified_type;

		typedefs = NULL;
		if (source_types_next(&type, &typedefs))
			tag = dwarf_tag(&type);
		switch (tag) {
		case DW_TAG_pointer_type:
		case DW_TAG_reference_type:
		case DW_TAG_rvalue_reference_type:
			if (t->word != sizeof(long))
				return pointer ? pool_printf(&t->pool, "void %s", name) :
						 pool_printf(&t->pool, "unsigned int %s", name);
			name = pool_printf(&t->pool, "*%s", name);
			pointer = true;
			break;
		case DW_TAG_array_type:
			bounds = "";
			if (pointer) {
				base = "void";
				break;
			}
			if (!source_types_bounds(t, &type, &bounds))
				return NULL;
			name = pool_printf(&t->pool, "%s%s", name, bounds);
			break;
		case DW_TAG_structure_type:
		case DW_TAG_class_type:
		case DW_TAG_union_type:
			base = pointer ? source_types_target(t, &type, typedefs, follow) :
					 source_types_inner(t, &type);
			if (!base)
				return NULL;
			break;
		default:
			base = source_types_integer(&type, part);
			if (!base && !pointer)
				return NULL;
			base = base ? base : "void";
		}
		part = true;
	}
	return base ? pool_printf(&t->pool, "%s %s", base, name) : NULL;
}

static void source_types_fill(struct source_types *t, struct source_layout *l, uint64_t to)
{
	unsigned int fillers = 0, bits;

	for (; l->at < to && fillers < MAX_FILLERS; l->at += bits, fillers++) {
		/* up to the next byte first */
		bits = l->at % 8 ? 8 - l->at % 8 : 64;
		bits = bits > to - l->at ? to - l->at : bits;
		fprintf(l->out, "\tunsigned long long : %u;\n", bits);
		t->nmembers++;
	}
	if (l->at == to)
		return;
	fprintf(l->out, "\tunsigned char __filler%llu[%llu];\n", (unsigned long long)l->at / 8,
		(unsigned long long)(to - l->at) / 8);
	l->at += (to - l->at) / 8 * 8;
	t->nmembers++;
	if (l->at < to)
		fprintf(l->out, "\tunsigned char : %u;\n", (unsigned int)(to - l->at));
	l->at = to;
}

/* In DWARF 2 the place of a member is an operation, which adds to the address. */
static bool source_types_added(Dwarf_Attribute *attr, Dwarf_Word *value)
{
	Dwarf_Op *op;
	size_t n;

	if (dwarf_getlocation(attr, &op, &n) || n != 1 || op->atom != DW_OP_plus_uconst)
		return false;
	*value = op->number;
	return true;
}

/* Where is a member, and how many bits has it?  False: it is nowhere. */
static bool source_types_place(const struct source_types *t, Dwarf_Die *member, uint64_t *at,
			       uint64_t *bits, bool *is_field)
{
	bool little = elf_getident(t->lines->elf, NULL)[EI_DATA] == ELFDATA2LSB;
	Dwarf_Word value = 0, storage = 0, first;
	Dwarf_Attribute attr;
	Dwarf_Die type = *member;

	if (dwarf_hasattr(member, DW_AT_external) || dwarf_hasattr(member, DW_AT_declaration))
		return false;
	if (dwarf_attr(member, DW_AT_data_member_location, &attr) &&
	    dwarf_formudata(&attr, &value) && !source_types_added(&attr, &value))
		return false;
	*at = 8 * value;
	*is_field = !dwarf_formudata(dwarf_attr(member, DW_AT_bit_size, &attr), bits);
	if (*is_field) {
		if (!dwarf_formudata(dwarf_attr(member, DW_AT_data_bit_offset, &attr), &value)) {
			*at = value;
		} else if (!dwarf_formudata(dwarf_attr(member, DW_AT_bit_offset, &attr), &first)) {
			/* counted from the highest bit of the type */
			if (dwarf_formudata(dwarf_attr(member, DW_AT_byte_size, &attr), &storage) &&
			    (!source_types_next(&type, NULL) ||
			     dwarf_aggregate_size(&type, &storage)))
				return false;
			*at += little ? 8 * storage - first - *bits : first;
		}
		return *bits && *bits <= 64 && *at <= 8ULL * KTAP_MAX_TYPE_SIZE;
	}
	if (!source_types_next(&type, NULL) || value > KTAP_MAX_TYPE_SIZE)
		return false;
	/* an array without a size, at the end */
	if (dwarf_aggregate_size(&type, &value))
		value = 0;
	*bits = 8 * value;
	return value <= KTAP_MAX_TYPE_SIZE;
}

static void source_types_member(struct source_types *t, struct source_layout *l, Dwarf_Die *member)
{
	const char *name = dwarf_diename(member), *text;
	uint64_t at, bits;
	bool is_field;

	if ((name && !source_types_is_name(name)) ||
	    !source_types_place(t, member, &at, &bits, &is_field) ||
	    (l->is_union ? at : at < l->at))
		return;
	text = source_types_declare(t, member, name ? name : "",
				    name && t->query->follows(t->query->ctx, name));
	/* only structures need no name */
	if (!text || (!name && !strchr(text, '{')))
		return;
	if (!l->is_union)
		source_types_fill(t, l, at);
	/* without a name it has a blank at its end */
	fprintf(l->out, "\t%.*s", (int)(strlen(text) - !name), text);
	fprintf(l->out, is_field ? " : %u;\n" : ";\n", (unsigned int)bits);
	t->nmembers++;
	l->at = l->is_union && l->at > bits ? l->at : at + bits;
}

static const char *source_types_members(struct source_types *t, Dwarf_Die *die)
{
	struct source_layout l = { .is_union = dwarf_tag(die) == DW_TAG_union_type };
	unsigned int n = 0;
	char *buffer = NULL;
	const char *text;
	Dwarf_Die child;
	Dwarf_Word size;
	size_t len;

	if (dwarf_aggregate_size(die, &size) || size > KTAP_MAX_TYPE_SIZE)
		return NULL;
	l.out = open_memstream(&buffer, &len);
	if (!l.out)
		return NULL;
	if (!dwarf_child(die, &child)) {
		do {
			if (dwarf_tag(&child) == DW_TAG_member)
				source_types_member(t, &l, &child);
		} while (++n < MAX_CHILDREN && t->nmembers <= MAX_MEMBERS &&
			 !dwarf_siblingof(&child, &child));
	}
	/* the last bytes of a union, which its longest member may not have */
	if (l.is_union && l.at < 8 * size) {
		l.at = 0;
		fputs("\tstruct {\n", l.out);
		source_types_fill(t, &l, 8 * size);
		fputs("\t} __packed;\n", l.out);
	} else {
		source_types_fill(t, &l, 8 * size);
	}
	fclose(l.out);
	text = buffer ? pool_strndup(&t->pool, buffer, len) : NULL;
	free(buffer);
	if (t->nmembers > MAX_MEMBERS)
		source_types_fail(t, "more members than a script can have");
	return text;
}

/* Write the declaration of a structure, unless that was done; false: it contains itself. */
static bool source_types_write(struct source_types *t, struct source_type *type)
{
	Dwarf_Die die = type->die;
	const char *text;

	if (type->open || t->error)
		return false;
	if (type->done)
		return true;
	type->open = true;
	t->depth++;
	text = source_types_members(t, &die);
	t->depth--;
	type->open = false;
	type->done = true;
	if (!text)
		return source_types_fail(t, pool_printf(&t->pool, "'%s' has no size", type->tag));
	if (type->text && strcmp(type->text, text))
		return source_types_fail(t, pool_printf(&t->pool,
			"'%s' of %s is not the one of %s", type->tag, t->path, type->path));
	if (!type->text)
		fprintf(t->out, "%s%s {\n%s} __packed;", ftell(t->out) ? "\n" : "", type->tag,
			text);
	type->text = text;
	return true;
}

/* Write all that is wanted: each one may add others to the front of the list. */
static void source_types_write_all(struct source_types *t)
{
	struct source_type *type = t->types;

	while (type && !t->error) {
		if (!type->die.addr || type->done) {
			type = type->next;
			continue;
		}
		source_types_write(t, type);
		type = t->types;
	}
}

static bool source_types_find_param(Dwarf_Die *function, const char *name, Dwarf_Die *found)
{
	unsigned int n = 0;
	Dwarf_Die child;

	if (dwarf_child(function, &child))
		return false;
	do {
		const char *own = dwarf_tag(&child) == DW_TAG_formal_parameter ?
				  dwarf_diename(&child) : NULL;

		if (own && !strcmp(own, name)) {
			*found = child;
			return true;
		}
	} while (++n < MAX_CHILDREN && !dwarf_siblingof(&child, &child));
	return false;
}

/* The type of a parameter: a pointer, or an integer. */
static bool source_types_of_param(struct source_types *t, struct source_unit *unit, uint64_t addr,
				  struct ktap_user_type *type)
{
	const struct source_function *f = NULL;
	const char *text, *name;
	Dwarf_Die die, param;

	for (int i = source_function_at(unit, addr); i >= 0; i = f->parent) {
		f = &unit->functions[i];
		if (!f->inlined)
			break;
	}
	if (!f || !f->entry || f->begin != addr || !dwarf_offdie(t->lines->dwarf, f->die, &die) ||
	    !source_types_find_param(&die, t->query->param, &param))
		return false;
	/* a list of all arguments needs no structures */
	text = source_types_declare(t, &param, "", !t->query->number);
	if (!text)
		return false;
	/* "struct x **" */
	name = strchr(text, '*');
	name = name ? name : text + strlen(text);
	type->stars = strlen(name);
	while (name > text && name[-1] == ' ')
		name--;
	type->name = pool_strndup(&t->pool, text, name - text);
	return type->stars || !strchr(text, '{');
}

static bool source_types_of_tag(struct source_types *t, struct source_unit *unit,
				struct ktap_user_type *type)
{
	const char *text = t->query->tag, *space = strchr(text, ' '), *keyword = NULL, *tag;
	struct source_type *wanted;
	Dwarf_Die die;

	if (space && strncmp(text, "struct ", 7) && strncmp(text, "union ", 6))
		return false;
	if (space) {
		keyword = pool_strndup(&t->pool, text, space - text);
		text = space + 1;
	}
	if (!source_types_search(t, unit ? &unit->die : NULL, keyword, text, &die))
		return false;
	tag = source_types_tag(t, &die, text);
	if (!tag || t->query->tag_state(t->query->ctx, tag) != KTAP_USER_TAG_FREE)
		return false;
	wanted = source_types_want(t, &die, tag);
	type->name = tag;
	return wanted && source_types_write(t, wanted);
}

struct source_types *source_types_new(void)
{
	return calloc(1, sizeof(struct source_types));
}

void source_types_free(struct source_types *t)
{
	if (!t)
		return;
	pool_free(&t->pool);
	free(t);
}

/* The structures of this file are compared with those that were declared. */
static void source_types_begin(struct source_types *t, const struct ktap_user_query *q,
			       struct source_lines *s, const char *path)
{
	t->query = q;
	t->lines = s;
	t->path = pool_strndup(&t->pool, path, strlen(path));
	t->error = NULL;
	for (struct source_type *type = t->types; type; type = type->next) {
		type->die.addr = NULL;
		type->done = false;
	}
}

bool source_types_find(struct source_types *t, struct source_lines *s, const char *path,
		       uint64_t addr, const struct ktap_user_query *q,
		       struct ktap_user_type *type)
{
	Dwarf_Die cu;
	struct source_unit *unit = t && s ? source_unit_at(s, addr) : NULL;
	char *buffer = NULL;
	bool found = false;
	size_t len;

	*type = (struct ktap_user_type){ .declarations = "" };
	if (!unit)
		return false;
	source_types_begin(t, q, s, path);
	t->out = open_memstream(&buffer, &len);
	if (!t->out)
		return false;
	if (dwarf_diecu(&unit->die, &cu, &t->word, NULL))
		found = q->param ? source_types_of_param(t, unit, addr, type) :
				   source_types_of_tag(t, unit, type);
	source_types_write_all(t);
	fclose(t->out);
	if (buffer)
		type->declarations = pool_strndup(&t->pool, buffer, len);
	free(buffer);
	type->error = t->error;
	return found || t->error;
}
#else
struct source_types *source_types_new(void)
{
	return NULL;
}

void source_types_free(struct source_types *t)
{
	(void)t;
}

bool source_types_find(struct source_types *t, struct source_lines *s, const char *path,
		       uint64_t addr, const struct ktap_user_query *q,
		       struct ktap_user_type *type)
{
	(void)t;
	(void)s;
	(void)path;
	(void)addr;
	(void)q;
	*type = (struct ktap_user_type){ .declarations = "" };
	return false;
}
#endif
