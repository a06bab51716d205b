/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of pointers: those that the program declares, and those of the kernel (BTF).
 *
 * The number of a type says which of them it is.  So the verifier and the interpreter
 * read members without a look at where the type comes from.
 */
#ifndef _KTAP_TYPE_H
#define _KTAP_TYPE_H

#include "btf/btf.h"

/**
 * struct ktap_declared_type - a type that a program declares
 * @name: text by which it is found; NULL if it has none
 * @kind: enum ktap_type_kind; a typedef has that of its type; 0 for void
 * @is_char: an array of it is a string
 * @incomplete: its members and its size are not known
 * @type: number of the type: its own, that of the type it is another name of, or one of BTF;
 *	0 for void
 * @size: bytes
 * @align: alignment in a structure, in bytes
 * @element: array: number of the type of its elements
 * @count: array: number of elements; structure and union: number of @members
 * @members: members; those of unnamed structures inside it are among them
 * @load: how to read a value of it
 */
struct ktap_declared_type {
	const char *name;
	u8 kind;
	bool is_char;
	bool incomplete;
	u32 type;
	u32 size;
	u32 align;
	u32 element;
	u32 count;
	struct ktap_declared_member *members;
	struct ktap_load load;
};

struct ktap_declared_member {
	const char *name;
	struct ktap_load load;
};

/**
 * struct ktap_declared - the types that a program declares; load/declare.c makes them
 * @ntypes: number of types
 * @types: the types; the number of a type is KTAP_DECLARED plus its index
 * @members: memory of the members of all types
 *
 * They do not change once the program is loaded: any context may read them.
 */
struct ktap_declared {
	u32 ntypes;
	struct ktap_declared_type *types;
	struct ktap_declared_member *members;
};

/*
 * The following are like the functions of btf/btf.h, for any type.  @declared: those of
 * the program; NULL if it declares none.
 */

/* Find a type that the program declares.  Return its number; 0: there is none. */
u32 ktap_type_declared(const struct ktap_declared *declared, const char *name);
/* Is it a structure whose members are not known? */
bool ktap_type_incomplete(const struct ktap_declared *declared, u32 type);
u64 ktap_type_size(const struct ktap_declared *declared, u32 type);
int ktap_type_member(const struct ktap_declared *declared, u32 type, const char *name,
		     struct ktap_load *load, u32 *cost);
const char *ktap_type_near_member(const struct ktap_declared *declared, u32 type,
				  const char *name);
s64 ktap_type_element(const struct ktap_declared *declared, u32 type, struct ktap_load *load,
		      u32 *step);
const char *ktap_type_text(const struct ktap_declared *declared, u32 type, char *text);

#endif /* _KTAP_TYPE_H */
