// SPDX-License-Identifier: GPL-2.0
/*
 * Structures of programs, by their DWARF, as declarations in C that the compiler reads.
 *
 * The debug information has the offset of each member. So a structure is declared as packed, and
 * bit-fields without a name fill what is between its members: the layout does not depend on the
 * rules of the machine, nor on attributes that the source has. Members that ktap cannot read, such
 * as floating point numbers, are filled so as well.
 *
 * Typedefs and qualifiers are left out.
 */
#include "elf/source_types.h"

#ifdef HAVE_LIBDW
#include <linux/ktap.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/cdef.h"
#include "compiler/util.h"
#include "elf/source_type_priv.h"

#define MAX_MEMBERS	8192	/* of all structures of a script, with what fills gaps */
#define MAX_READ	1000000	/* members, for one question */
#define MAX_FILLERS	64	/* one after another */
#define FILLER		"__filler"
#define TABS		"\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t\t"	/* MAX_TYPE_DEPTH and two */

/**
 * struct source_member - a member, before it is written
 * @at: its first bit
 * @bits: their number; of an array without a size, 0
 * @order: that in the debug information
 */
struct source_member {
	Dwarf_Die die;
	uint64_t at, bits;
	bool is_field;
	size_t order;
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

/* Has a type the bytes of its integers in the order that the file has? */
static bool source_types_is_ordered(const struct source_types *t, Dwarf_Die *die)
{
	bool little = elf_getident(t->lines->elf, NULL)[EI_DATA] == ELFDATA2LSB;
	Dwarf_Attribute attr;
	Dwarf_Word order;

	if (!dwarf_attr(die, DW_AT_endianity, &attr))
		return true;
	return !dwarf_formudata(&attr, &order) &&
	       (order == DW_END_default || order == (little ? DW_END_little : DW_END_big));
}

/* An integer type, or NULL. @part: an element of an array, or the target of a pointer */
static const char *source_types_integer(const struct source_types *t, Dwarf_Die *die, bool part)
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
	if (!source_types_is_ordered(t, die))
		return NULL;
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

/* The number of elements in a dimension of an array; false: it is not known */
static bool source_types_count(Dwarf_Die *range, Dwarf_Word lowest, Dwarf_Word *count)
{
	Dwarf_Attribute attr;

	if (dwarf_tag(range) != DW_TAG_subrange_type || dwarf_hasattr(range, DW_AT_byte_stride) ||
	    dwarf_hasattr(range, DW_AT_bit_stride))
		return false;
	if (dwarf_attr(range, DW_AT_lower_bound, &attr) && dwarf_formudata(&attr, &lowest))
		return false;
	*count = 0;
	if (dwarf_attr(range, DW_AT_upper_bound, &attr)) {
		if (!dwarf_formudata(&attr, count))
			*count -= lowest - 1;
	} else if (dwarf_attr(range, DW_AT_count, &attr) && dwarf_formudata(&attr, count)) {
		*count = 0;
	}
	return *count <= KTAP_MAX_TYPE_SIZE;
}

/*
 * "[2][3]" of an array; false: its size is not known, or its elements have another order than
 * in C
 */
static bool source_types_bounds(struct source_types *t, Dwarf_Die *array, const char **bounds)
{
	Dwarf_Die range, cu, element = *array;
	Dwarf_Word count, size, total = 1;
	Dwarf_Sword lowest = 0;
	unsigned int n = 0;
	Dwarf_Attribute attr;

	if (!dwarf_diecu(array, &cu, NULL, NULL) || dwarf_child(array, &range) ||
	    dwarf_hasattr(array, DW_AT_byte_stride) || dwarf_hasattr(array, DW_AT_bit_stride))
		return false;
	if (dwarf_hasattr(array, DW_AT_data_location) || dwarf_hasattr(array, DW_AT_allocated) ||
	    dwarf_hasattr(array, DW_AT_associated))
		return false;
	/* a language that is not known has bounds in each array */
	if (dwarf_default_lower_bound(dwarf_srclang(&cu), &lowest))
		lowest = 0;
	do {
		if (!source_types_count(&range, lowest, &count) || total > KTAP_MAX_TYPE_SIZE)
			return false;
		total *= count;
		*bounds = pool_printf(&t->pool, "%s[%llu]", *bounds, (unsigned long long)count);
	} while (++n < MAX_TYPE_STEPS && !dwarf_siblingof(&range, &range));
	/* elements that are not one after another */
	if (!dwarf_aggregate_size(array, &size) && source_types_next(&element, NULL) &&
	    !dwarf_aggregate_size(&element, &count) && total * count != size)
		return false;
	if (n == 1)
		return true;
	return !lowest && (!dwarf_attr(array, DW_AT_ordering, &attr) ||
			   (!dwarf_formudata(&attr, &count) && count == DW_ORD_row_major));
}

/* A structure as a member: it is declared before, or has no name. */
static const char *source_types_inner(struct source_types *t, Dwarf_Die *die)
{
	const char *tag = source_types_tag(t, die, NULL), *text;
	struct source_type *type;

	if (dwarf_hasattr(die, DW_AT_declaration) || t->depth == MAX_TYPE_DEPTH)
		return NULL;
	if (!tag) {
		t->depth++;
		t->indent++;
		text = source_types_members(t, die);
		t->indent--;
		t->depth--;
		return text ? pool_printf(&t->pool, "%s {\n%s%.*s} __packed",
					  source_types_keyword(die), text, (int)t->indent,
					  TABS) : NULL;
	}
	if (t->query->tag_state(t->query->ctx, tag) != KTAP_USER_TAG_FREE)
		return NULL;
	type = source_types_want(t, die, tag);
	return type && source_types_write(t, type) ? tag : NULL;
}

const char *source_types_declare(struct source_types *t, const Dwarf_Die *die, const char *name,
				 bool follow)
{
	const char *base = NULL, *typedefs = NULL, *bounds;
	bool pointer = false, part = false;
	Dwarf_Die type = *die;

	for (unsigned int steps = 0; steps < MAX_TYPE_STEPS && !base; steps++) {
		int tag = DW_TAG_unspecified_type;

		typedefs = NULL;
		if (source_types_next(&type, &typedefs))
			tag = dwarf_tag(&type);
		switch (tag) {
		case DW_TAG_pointer_type:
		case DW_TAG_reference_type:
		case DW_TAG_rvalue_reference_type:
			if (!pointer && dwarf_hasattr(&type, DW_AT_byte_size) &&
			    dwarf_bytesize(&type) != t->word)
				return NULL;
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
			base = source_types_integer(t, &type, part);
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
		fprintf(l->out, "%.*sunsigned long long : %u;\n", (int)t->indent, TABS, bits);
		t->nmembers++;
	}
	if (l->at == to)
		return;
	fprintf(l->out, "%.*sunsigned char " FILLER "%llu[%llu];\n", (int)t->indent, TABS,
		(unsigned long long)l->at / 8, (unsigned long long)(to - l->at) / 8);
	l->at += (to - l->at) / 8 * 8;
	t->nmembers++;
	if (l->at < to)
		fprintf(l->out, "%.*sunsigned char : %u;\n", (int)t->indent, TABS,
			(unsigned int)(to - l->at));
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
		type = *member;
		return *bits && *bits <= 64 && *at <= 8ULL * KTAP_MAX_TYPE_SIZE &&
		       source_types_next(&type, NULL) && !dwarf_aggregate_size(&type, &storage) &&
		       *bits <= 8 * storage;
	}
	if (!source_types_next(&type, NULL) || value > KTAP_MAX_TYPE_SIZE)
		return false;
	/* an array without a size, at the end */
	if (dwarf_aggregate_size(&type, &value))
		value = 0;
	*bits = 8 * value;
	return value <= KTAP_MAX_TYPE_SIZE;
}

/* Is it a name that a member of a structure can have in C, and that nothing else has there? */
static bool source_types_is_member(const char *name)
{
	return source_types_is_name(name) && !cdef_is_reserved(name) &&
	       strncmp(name, FILLER, strlen(FILLER));
}

static void source_types_member(struct source_types *t, struct source_layout *l,
				struct source_member *m)
{
	const char *name = dwarf_diename(&m->die), *text;

	if (l->is_union ? m->at : m->at < l->at)
		return;
	text = source_types_declare(t, &m->die, name ? name : "",
				    name && t->query->follows(t->query->ctx, name));
	/* only structures need no name */
	if (!text || (!name && !strchr(text, '{')))
		return;
	if (!l->is_union)
		source_types_fill(t, l, m->at);
	/* without a name it has a blank at its end */
	fprintf(l->out, "%.*s%.*s", (int)t->indent, TABS, (int)(strlen(text) - !name), text);
	fprintf(l->out, m->is_field ? " : %u;\n" : ";\n", (unsigned int)m->bits);
	t->nmembers++;
	l->at = l->is_union && l->at > m->bits ? l->at : m->at + m->bits;
}

static int source_types_compare_members(const void *px, const void *py)
{
	const struct source_member *x = px, *y = py;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Read the members of a structure of @size bytes, which not all languages have in their order. */
static struct source_member *source_types_read_members(struct source_types *t, Dwarf_Die *die,
						       uint64_t size, size_t *n)
{
	struct source_member *members = NULL, *larger;
	unsigned int children = 0;
	Dwarf_Die child;
	size_t max = 0;

	*n = 0;
	if (dwarf_child(die, &child))
		return NULL;
	do {
		struct source_member m = { .die = child, .order = *n };
		const char *name = dwarf_diename(&child);

		if (dwarf_tag(&child) != DW_TAG_member || (name && !source_types_is_member(name)) ||
		    !source_types_place(t, &child, &m.at, &m.bits, &m.is_field) ||
		    m.at > 8 * size || m.bits > 8 * size - m.at)
			continue;
		if (*n == max) {
			max = max ? 2 * max : 16;
			larger = realloc(members, max * sizeof(*members));
			if (!larger)
				break;
			members = larger;
		}
		members[(*n)++] = m;
	} while (++children < MAX_TYPE_CHILDREN && ++t->nread <= MAX_READ &&
		 !dwarf_siblingof(&child, &child));
	if (*n)
		qsort(members, *n, sizeof(*members), source_types_compare_members);
	return members;
}

const char *source_types_members(struct source_types *t, Dwarf_Die *die)
{
	struct source_layout l = { .is_union = dwarf_tag(die) == DW_TAG_union_type };
	struct source_member *members;
	char *buffer = NULL;
	const char *text;
	Dwarf_Word size;
	size_t len, n;

	if (dwarf_aggregate_size(die, &size) || size > KTAP_MAX_TYPE_SIZE)
		return NULL;
	l.out = open_memstream(&buffer, &len);
	if (!l.out)
		return NULL;
	members = source_types_read_members(t, die, size, &n);
	for (size_t i = 0; i < n && t->nmembers <= MAX_MEMBERS; i++)
		source_types_member(t, &l, &members[i]);
	free(members);
	/* the last bytes of a union, which its longest member may not have */
	if (l.is_union && l.at < 8 * size) {
		l.at = 0;
		fprintf(l.out, "%.*sstruct {\n", (int)t->indent, TABS);
		t->indent++;
		source_types_fill(t, &l, 8 * size);
		t->indent--;
		fprintf(l.out, "%.*s} __packed;\n", (int)t->indent, TABS);
	} else {
		source_types_fill(t, &l, 8 * size);
	}
	fclose(l.out);
	text = buffer ? pool_strndup(&t->pool, buffer, len) : NULL;
	free(buffer);
	if (t->nmembers > MAX_MEMBERS || t->nread > MAX_READ)
		source_types_fail(t, "more members than a script can have");
	return text;
}
#endif
