/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of types, for those who look for them by name (btf_name.c).
 */
#ifndef _KTAP_BTF_PRIV_H
#define _KTAP_BTF_PRIV_H

#include "btf/btf.h"

struct btf;
struct btf_type;

/*
 * The type that @btf has at @id; the program holds @btf from now on, if it is a
 * module's.  0 if there are too many modules.  Context: process.
 */
u32 ktap_btf_type(struct btf *btf, u32 id, struct ktap_btf_set *set);

/* What BTF says about it; NULL if there is no such type.  Any context. */
const struct btf_type *ktap_btf_at(u32 type);
/* The type that @type refers to by the id of its own BTF. */
u32 ktap_btf_other(u32 type, u32 id);
/* Text that @type has the offset of. */
const char *ktap_btf_string(u32 type, u32 offset);
/* Goes on to the type that others only give a name, or a qualifier; NULL: void. */
const struct btf_type *ktap_btf_resolve(u32 *type);

#endif /* _KTAP_BTF_PRIV_H */
