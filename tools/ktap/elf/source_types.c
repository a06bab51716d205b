// SPDX-License-Identifier: GPL-2.0
/*
 * Find structures of programs in their DWARF, for the compiler.
 *
 * A structure that is a member is declared before the one around it. The target of a pointer is
 * declared only if the script reads a member of the pointer's name, which bounds what is read;
 * other pointers are void *.
 *
 * Each unit has its own DIE of a structure, and most of them are of the same one: those that are
 * met are written, and their texts compared.
 */
#include "elf/source_types.h"

#ifdef HAVE_LIBDW
#include <linux/ktap.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/lexer.h"
#include "compiler/util.h"
#include "elf/source_type_priv.h"

#define MAX_TYPES	512	/* structures that a script gets */
#define MAX_OTHERS	1024	/* DIEs of one name that are compared */
#define MAX_INDEX	(4U << 20)	/* names of a file */
#define MAX_NAME	100	/* bytes of the name of a structure */
#define TAKEN		"'%s' is a type of the kernel elsewhere in this script"

bool source_types_is_name(const char *name)
{
	return name && is_name(name) && strlen(name) <= MAX_NAME;
}

const char *source_types_keyword(Dwarf_Die *die)
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

bool source_types_fail(struct source_types *t, const char *error)
{
	if (!t->error)
		t->error = error;
	return false;
}

bool source_types_next(Dwarf_Die *die, const char **name)
{
	Dwarf_Attribute attr;

	for (unsigned int steps = 0; steps < MAX_TYPE_STEPS; steps++) {
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

const char *source_types_tag(struct source_types *t, Dwarf_Die *die, const char *name)
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

static uint32_t source_types_hash(const char *name)
{
	uint32_t hash = 2166136261U;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 16777619U;
	return hash;
}

static int source_types_compare_entries(const void *px, const void *py)
{
	const struct source_index_entry *x = px, *y = py;

	if (x->hash != y->hash)
		return x->hash < y->hash ? -1 : 1;
	return x->die < y->die ? -1 : x->die > y->die;
}

static bool source_types_index_unit(struct source_types *t, Dwarf_Die *unit, size_t *max)
{
	struct source_index_entry *larger;
	const char *name;
	Dwarf_Die child;

	if (dwarf_child(unit, &child))
		return true;
	do {
		if (t->nindex == MAX_INDEX)
			return false;
		name = dwarf_diename(&child);
		if (!name || (dwarf_tag(&child) != DW_TAG_typedef && !source_types_keyword(&child)))
			continue;
		if (t->nindex == *max) {
			*max = *max ? 2 * *max : 1024;
			larger = realloc(t->index, *max * sizeof(*larger));
			if (!larger)
				return false;
			t->index = larger;
		}
		t->index[t->nindex++] = (struct source_index_entry){
			.hash = source_types_hash(name), .die = dwarf_dieoffset(&child),
		};
	} while (!dwarf_siblingof(&child, &child));
	return true;
}

/* Index the names of all units, once for each file; false: there are too many. */
static bool source_types_index(struct source_types *t)
{
	Dwarf_Off at = 0, next;
	bool good = true;
	size_t header, max = 0;
	Dwarf_Die die;

	if (t->indexed)
		return t->index_good;
	while (good &&
	       !dwarf_nextcu(t->lines->dwarf, at, &next, &header, NULL, NULL, NULL) && next > at) {
		if (dwarf_offdie(t->lines->dwarf, at + header, &die) &&
		    !dwarf_hasattr(&die, DW_AT_dwo_name) &&
		    !dwarf_hasattr(&die, DW_AT_GNU_dwo_name))
			good = source_types_index_unit(t, &die, &max);
		at = next;
	}
	if (t->nindex)
		qsort(t->index, t->nindex, sizeof(*t->index), source_types_compare_entries);
	t->indexed = true;
	t->index_good = good;
	return good;
}

/* The first entry of the index that is not before @entry */
static size_t source_types_seek(const struct source_types *t, struct source_index_entry entry)
{
	size_t low = 0, high = t->nindex;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (source_types_compare_entries(&t->index[middle], &entry) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * The next structure of a name. @keyword: "struct" or "union", NULL: @name is a typedef; @i: the
 * first entry of the index to look at, is set to the one after
 */
static bool source_types_next_of(const struct source_types *t, const char *keyword,
				 const char *name, size_t *i, Dwarf_Die *found)
{
	uint32_t hash = source_types_hash(name);
	const char *own;

	for (; *i < t->nindex && t->index[*i].hash == hash; (*i)++) {
		if (!dwarf_offdie(t->lines->dwarf, t->index[*i].die, found))
			continue;
		own = dwarf_diename(found);
		if (own && !strcmp(own, name) && source_types_is(found, keyword)) {
			(*i)++;
			return true;
		}
	}
	return false;
}

/* Is it outside of namespaces, functions and classes? */
static bool source_types_is_outer(struct source_types *t, Dwarf_Die *die, const char *name)
{
	struct source_index_entry entry = {
		.hash = source_types_hash(name), .die = dwarf_dieoffset(die),
	};
	size_t i = source_types_index(t) ? source_types_seek(t, entry) : t->nindex;

	return i < t->nindex && !source_types_compare_entries(&t->index[i], &entry) &&
	       dwarf_cu_getdwarf(die->cu) == t->lines->dwarf;
}

static struct source_type *source_types_known(const struct source_types *t, const char *tag)
{
	struct source_type *type = t->types;

	while (type && strcmp(type->tag, tag))
		type = type->next;
	return type;
}

/* Compare a DIE with those of the same name that were met in this file, later. */
static bool source_types_meet(struct source_types *t, struct source_type *type, Dwarf_Die *die)
{
	struct source_other *other = type->others;

	while (other && other->die.addr != die->addr)
		other = other->next;
	if (other || type->die.addr == die->addr)
		return true;
	if (type->nothers == MAX_OTHERS)
		return source_types_fail(t, pool_printf(&t->pool,
			"%s has too many structures '%s' to compare them", t->path, type->tag));
	other = pool_alloc(&t->pool, sizeof(*other));
	*other = (struct source_other){ .die = *die, .next = type->others };
	type->others = other;
	type->nothers++;
	return true;
}

struct source_type *source_types_want(struct source_types *t, Dwarf_Die *die, const char *tag)
{
	struct source_type *type = source_types_known(t, tag);

	if (type && !type->die.addr)
		type->die = *die;
	if (type)
		return source_types_meet(t, type, die) ? type : NULL;
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

/*
 * Want all structures of a name, which are @tag: the caller cannot say which one is meant, so
 * they have to be the same.
 */
static struct source_type *source_types_want_all(struct source_types *t, const char *keyword,
						 const char *name, const char *tag)
{
	struct source_type *type = source_types_known(t, tag);
	const char *other;
	Dwarf_Die die;
	size_t i;

	if (type && type->die.addr && type->searched)
		return type;
	i = source_types_seek(t, (struct source_index_entry){ .hash = source_types_hash(name) });
	type = NULL;
	while (source_types_next_of(t, keyword, name, &i, &die)) {
		other = source_types_tag(t, &die, name);
		if (!other || strcmp(other, tag)) {
			source_types_fail(t, pool_printf(&t->pool, "%s has two types '%s'",
							 t->path, name));
			return NULL;
		}
		type = source_types_want(t, &die, tag);
		if (!type)
			return NULL;
	}
	if (type && keyword)
		type->searched = true;
	return type;
}

const char *source_types_target(struct source_types *t, Dwarf_Die *die, const char *name,
				bool follow)
{
	const char *tag = follow ? source_types_tag(t, die, name) : NULL;
	const char *own = dwarf_diename(die);
	enum ktap_user_tag state = tag ? t->query->tag_state(t->query->ctx, tag) :
					 KTAP_USER_TAG_TAKEN;
	struct source_type *type;
	Dwarf_Word size;

	if (state == KTAP_USER_TAG_DECLARED)
		return tag;
	/* the type that was asked for, and not that of a member */
	if (tag && state == KTAP_USER_TAG_TAKEN && !t->depth)
		source_types_fail(t, pool_printf(&t->pool, TAKEN, tag));
	if (state == KTAP_USER_TAG_TAKEN)
		return "void";
	if (!dwarf_hasattr(die, DW_AT_declaration))
		type = t->depth && (dwarf_aggregate_size(die, &size) ||
				    size > KTAP_MAX_TYPE_SIZE) ?
		       NULL : source_types_want(t, die, tag);
	else
		type = own && source_types_is_outer(t, die, own) ?
		       source_types_want_all(t, source_types_keyword(die), own, tag) : NULL;
	return type ? tag : "void";
}

/* The members of a structure that is declared by itself */
static const char *source_types_declared(struct source_types *t, Dwarf_Die *die)
{
	unsigned int indent = t->indent;
	const char *text;

	t->indent = 1;
	t->depth++;
	text = source_types_members(t, die);
	t->depth--;
	t->indent = indent;
	return text;
}

/* Compare the members of a structure with those that were written. */
static bool source_types_compare(struct source_types *t, const struct source_type *type,
				 Dwarf_Die *die)
{
	unsigned int nmembers = t->nmembers;
	const char *text;

	t->nmembers = 0;
	text = source_types_declared(t, die);
	t->nmembers = nmembers;
	if (text && !strcmp(type->text, text))
		return true;
	if (!strcmp(t->path, type->path))
		return source_types_fail(t, pool_printf(&t->pool, "%s has two structures '%s'",
							t->path, type->tag));
	return source_types_fail(t, pool_printf(&t->pool, "'%s' of %s is not the one of %s",
						type->tag, t->path, type->path));
}

bool source_types_write(struct source_types *t, struct source_type *type)
{
	Dwarf_Die die = type->die;
	const char *text;

	if (type->open || t->error)
		return false;
	if (type->done)
		return true;
	type->open = true;
	if (type->text) {
		source_types_compare(t, type, &die);
	} else {
		text = source_types_declared(t, &die);
		if (!text)
			source_types_fail(t, pool_printf(&t->pool, "'%s' has no size",
							 type->tag));
		else
			fprintf(t->out, "%s%s {\n%s} __packed;", ftell(t->out) ? "\n" : "",
				type->tag, text);
		type->text = text;
	}
	type->open = false;
	type->done = true;
	return !t->error;
}

/* Write or compare one of those that are still to be done; false: there is none. */
static bool source_types_write_next(struct source_types *t)
{
	for (struct source_type *type = t->types; type; type = type->next) {
		if (type->die.addr && !type->done) {
			source_types_write(t, type);
			return true;
		}
	}
	for (struct source_type *type = t->types; type; type = type->next) {
		for (struct source_other *other = type->others; other; other = other->next) {
			if (other->done)
				continue;
			other->done = true;
			source_types_compare(t, type, &other->die);
			return true;
		}
	}
	return false;
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
	} while (++n < MAX_TYPE_CHILDREN && !dwarf_siblingof(&child, &child));
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
	/* an array is no argument of C */
	if (!text || strchr(text, '['))
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

/* The structure @name in the unit; false: it has none. */
static bool source_types_of_unit(const struct source_types *t, struct source_unit *unit,
				 const char *keyword, const char *name, Dwarf_Die *found)
{
	size_t i = source_types_seek(t, (struct source_index_entry){
		.hash = source_types_hash(name), .die = dwarf_dieoffset(&unit->die) });
	Dwarf_Die cu;

	return source_types_next_of(t, keyword, name, &i, found) &&
	       dwarf_diecu(found, &cu, NULL, NULL) &&
	       dwarf_dieoffset(&cu) == dwarf_dieoffset(&unit->die);
}

static bool source_types_of_tag(struct source_types *t, struct source_unit *unit,
				struct ktap_user_type *type)
{
	const char *text = t->query->tag, *space = strchr(text, ' '), *keyword = NULL, *tag;
	struct source_type *wanted;
	bool near;
	Dwarf_Die die;
	size_t i;

	if (space && strncmp(text, "struct ", 7) && strncmp(text, "union ", 6))
		return false;
	if (space) {
		keyword = pool_strndup(&t->pool, text, space - text);
		text = space + 1;
	}
	if (!source_types_index(t))
		return source_types_fail(t, pool_printf(&t->pool, "%s has too many types",
							t->path));
	i = source_types_seek(t, (struct source_index_entry){ .hash = source_types_hash(text) });
	near = source_types_of_unit(t, unit, keyword, text, &die);
	if (!near && !source_types_next_of(t, keyword, text, &i, &die))
		return false;
	tag = source_types_tag(t, &die, text);
	if (!tag || t->query->tag_state(t->query->ctx, tag) != KTAP_USER_TAG_FREE)
		return false;
	wanted = near ? source_types_want(t, &die, tag) :
			source_types_want_all(t, keyword, text, tag);
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
	free(t->index);
	free(t);
}

/* The structures of this file are compared with those that were declared. */
static void source_types_begin(struct source_types *t, const struct ktap_user_query *q,
			       struct source_lines *s, const char *path)
{
	t->query = q;
	t->error = NULL;
	t->nread = 0;
	if (t->lines && t->serial == s->serial)
		return;
	t->lines = s;
	t->serial = s->serial;
	t->path = pool_strndup(&t->pool, path, strlen(path));
	free(t->index);
	t->index = NULL;
	t->nindex = 0;
	t->indexed = false;
	for (struct source_type *type = t->types; type; type = type->next) {
		type->die.addr = NULL;
		type->done = false;
		type->searched = false;
		type->others = NULL;
		type->nothers = 0;
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
	while (!t->error && source_types_write_next(t))
		;
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
