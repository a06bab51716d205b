/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types: functions that only btf.c and btf_name.c use.
 */
#ifndef _KTAP_BTF_PRIV_H
#define _KTAP_BTF_PRIV_H

#include <linux/btf.h>

#include "btf/btf.h"

struct btf;

/*
 * Return the type that @btf has at @id, 0 if there are too many modules.  The program
 * holds @btf from now on, if it is a module's.  Context: process.
 */
u32 ktap_btf_type(struct btf *btf, u32 id, struct ktap_btf_set *set);

/* Return the BTF entry of a type, NULL if there is none.  Context: any. */
const struct btf_type *ktap_btf_at(u32 type);
/* Return the type that has @id in the BTF of @type. */
u32 ktap_btf_other(u32 type, u32 id);
/* Return the string at @offset in the BTF of @type. */
const char *ktap_btf_string(u32 type, u32 offset);
/* Skip typedefs, qualifiers and type tags: update @type.  NULL: void. */
const struct btf_type *ktap_btf_resolve(u32 *type);

/* Type and number of the elements of an array */
static inline const struct btf_array *btf_array_of(const struct btf_type *t)
{
	return (const struct btf_array *)(t + 1);
}

/* Offset of a member of the structure @t, in bits */
static inline u32 btf_bit_offset(const struct btf_type *t, const struct btf_member *m)
{
	return btf_type_kflag(t) ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset;
}

#endif /* _KTAP_BTF_PRIV_H */
