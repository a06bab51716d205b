// SPDX-License-Identifier: GPL-2.0
/*
 * Types of pointers: those that the program declares, and those of the kernel (BTF).
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include <uapi/linux/ktap.h>

#include "btf/type.h"
#include "data/suggest.h"

/* Return the type, NULL if it is one of BTF. */
static const struct ktap_declared_type *type_get(const struct ktap_declared *declared, u32 type)
{
	u32 i = type & ~KTAP_DECLARED;

	if (!(type & KTAP_DECLARED) || !declared || i >= declared->ntypes)
		return NULL;
	return &declared->types[array_index_nospec(i, declared->ntypes)];
}

static bool type_has_members(const struct ktap_declared_type *t)
{
	return (t->kind == KTAP_TYPE_STRUCT || t->kind == KTAP_TYPE_UNION) && !t->incomplete;
}

u32 ktap_type_declared(const struct ktap_declared *declared, const char *name)
{
	u32 i;

	for (i = 0; declared && i < declared->ntypes; i++) {
		if (declared->types[i].name && !strcmp(declared->types[i].name, name))
			return declared->types[i].type;
	}
	return 0;
}

bool ktap_type_incomplete(const struct ktap_declared *declared, u32 type)
{
	const struct ktap_declared_type *t = type_get(declared, type);

	return t && t->incomplete;
}

u64 ktap_type_size(const struct ktap_declared *declared, u32 type)
{
	const struct ktap_declared_type *t = type_get(declared, type);

	return t ? t->size : ktap_btf_size(type);
}

int ktap_type_member(const struct ktap_declared *declared, u32 type, const char *name,
		     struct ktap_load *load, u32 *cost)
{
	const struct ktap_declared_type *t = type_get(declared, type);
	u32 i;

	if (!t)
		return ktap_btf_member(type, name, load, cost);
	*cost = 0;
	if (!type_has_members(t))
		return -EINVAL;
	for (i = 0; i < t->count; i++) {
		if (strcmp(t->members[i].name, name))
			continue;
		*load = t->members[i].load;
		*cost = i + 1;
		return 0;
	}
	*cost = t->count;
	return -ENOENT;
}

const char *ktap_type_near_member(const struct ktap_declared *declared, u32 type,
				  const char *name)
{
	const struct ktap_declared_type *t = type_get(declared, type);
	struct ktap_suggest near;
	u32 i;

	if (!t)
		return ktap_btf_near_member(type, name);
	if (!type_has_members(t))
		return NULL;
	ktap_suggest_begin(&near, name);
	for (i = 0; i < t->count; i++)
		ktap_suggest_look(&near, t->members[i].name);
	return near.best;
}

/* The elements of a declared array are declared, too: they are not incomplete. */
s64 ktap_type_element(const struct ktap_declared *declared, u32 type, struct ktap_load *load,
		      u32 *step)
{
	const struct ktap_declared_type *t = type_get(declared, type);
	s64 n = 0;

	if (!t)
		return ktap_btf_element(type, load, step);
	if (t->kind == KTAP_TYPE_ARRAY) {
		n = ktap_is_open_array(t->count) ? 0 : t->count;
		t = type_get(declared, t->element);
	}
	if (!t || !t->size)
		return -EINVAL;
	*step = t->size;
	*load = t->load;
	return n;
}

const char *ktap_type_text(const struct ktap_declared *declared, u32 type, char *text)
{
	const struct ktap_declared_type *t = type_get(declared, type);

	if (!t)
		return ktap_btf_text(type, text);
	if (t->name)
		return t->name;
	switch (t->kind) {
	case KTAP_TYPE_INT:
		return "an integer";
	case KTAP_TYPE_ARRAY:
		return "an array";
	case KTAP_TYPE_POINTER:
		return "a pointer";
	case KTAP_TYPE_UNION:
		return "union without a name";
	default:
		return "struct without a name";
	}
}
