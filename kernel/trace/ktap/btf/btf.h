/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of the kernel and its modules (BTF): what pointers point to.  A type is a
 * number, which means the same for all programs that hold its module's types; 0
 * is none, or void.
 */
#ifndef _KTAP_BTF_H
#define _KTAP_BTF_H

#include <linux/bitmap.h>
#include <linux/errno.h>
#include <linux/types.h>

struct ktap_suggest;

/**
 * enum ktap_load_kind - what becomes of a place in memory that is read
 * @KTAP_LOAD_NONE: nothing: it is of a type that a script cannot hold
 * @KTAP_LOAD_SIGNED: integer
 * @KTAP_LOAD_UNSIGNED: integer
 * @KTAP_LOAD_POINTER: pointer
 * @KTAP_LOAD_PLACE: a pointer to the place itself: it is a structure or an array
 * @KTAP_LOAD_CHARS: string: it is an array of char
 */
enum ktap_load_kind {
	KTAP_LOAD_NONE,
	KTAP_LOAD_SIGNED,
	KTAP_LOAD_UNSIGNED,
	KTAP_LOAD_POINTER,
	KTAP_LOAD_PLACE,
	KTAP_LOAD_CHARS,
};

/**
 * struct ktap_load - how to read a member, or an element
 * @offset: bytes from where the pointer points to; of an element 0
 * @type: what the pointer that is read points to; otherwise its own type
 * @size: bytes of the place; CHARS: 0 if only the NUL tells where it ends
 * @kind: enum ktap_load_kind
 * @shift: of a bit-field: bits of the place in front of it
 * @bits: of a bit-field: bits; otherwise 0
 */
struct ktap_load {
	u32 offset;
	u32 type;
	u32 size;
	u8 kind;
	u8 shift;
	u8 bits;
};

/* The kernel, and so many modules whose types are in use. */
#define KTAP_BTF_OWNERS		128

/**
 * struct ktap_btf_set - the modules whose types a program knows
 * @owners: a bit for each
 *
 * It holds them until ktap_btf_release().  Zeroed: none.
 */
struct ktap_btf_set {
	DECLARE_BITMAP(owners, KTAP_BTF_OWNERS);
};

/* Room for the text of a type. */
#define KTAP_TYPE_TEXT		80

#ifdef CONFIG_DEBUG_INFO_BTF
/**
 * ktap_btf_begin() - Makes the kernel's types known
 *
 * Must have succeeded before a type is asked for.
 * Context: process.
 * Return: 0; -EOPNOTSUPP if there are none; -EPERM if the kernel is locked down.
 */
int ktap_btf_begin(void);

/* The program is gone, and with it all types that it was told of.  Context: process. */
void ktap_btf_release(struct ktap_btf_set *set);

/* "struct task_struct"; 0 before ktap_btf_begin().  Any context. */
u32 ktap_btf_task(void);

/**
 * ktap_btf_find() - Finds a type by its name
 * @name: "struct sock", "u32", "unsigned long"; of the kernel, or of any module
 * @set: of the program
 * @type: gets it
 *
 * Context: process.
 * Return: 0; -ENOENT if there is none; -EINVAL if it names a pointer.
 */
int ktap_btf_find(const char *name, struct ktap_btf_set *set, u32 *type);

/* A name much like @name, for messages; NULL if there is none.  @text is of KTAP_TYPE_TEXT. */
const char *ktap_btf_near_type(const char *name, char *text);

/* Bytes of a value of the type; 0 if it has none of its own. */
u32 ktap_btf_size(u32 type);

/**
 * ktap_btf_load() - How to read a value of a type
 * @type: the type
 * @load: gets that
 *
 * Context: any.
 */
void ktap_btf_load(u32 type, struct ktap_load *load);

/**
 * ktap_btf_member() - Finds a member of a structure
 * @type: the structure, or the union
 * @name: its name; members of unnamed members count
 * @load: gets how to read it
 * @cost: gets how many members were looked at
 *
 * Context: any.
 * Return: 0; -ENOENT if it has no such member; -EINVAL if it has no members.
 */
int ktap_btf_member(u32 type, const char *name, struct ktap_load *load, u32 *cost);

/* The name of the member much like @name, NULL if there is none.  Any context. */
const char *ktap_btf_near_member(u32 type, const char *name);

/**
 * ktap_btf_element() - How to read an element behind a pointer
 * @type: what it points to: an array, or the element
 * @load: gets how to read one; its @offset is that of the first
 * @step: gets bytes from one to the next
 *
 * Context: any.
 * Return: number of elements; 0: not known; -EINVAL if there can be none.
 */
s64 ktap_btf_element(u32 type, struct ktap_load *load, u32 *step);

/* Text of a type for messages, "struct sock"; @text is of KTAP_TYPE_TEXT.  Any context. */
const char *ktap_btf_text(u32 type, char *text);

/**
 * ktap_btf_enumerator() - The value of an enumerator
 * @name: its name
 * @value: gets it
 *
 * Context: process.
 * Return: 0; -ENOENT if there is none.
 */
int ktap_btf_enumerator(const char *name, s64 *value);

/**
 * ktap_btf_function() - Finds how a function is called
 * @module: of this module; "": of the kernel; NULL: of either
 * @name: its name
 * @set: of the program
 *
 * Context: process.
 * Return: its prototype's type; 0 if it is not known.
 */
u32 ktap_btf_function(const char *module, const char *name, struct ktap_btf_set *set);

/**
 * ktap_btf_variable() - Finds how to read a variable
 * @module: see ktap_btf_function()
 * @name: its name
 * @set: of the program
 * @load: gets how to read it, where it is
 *
 * Context: process.
 * Return: false if its type is not known.
 */
bool ktap_btf_variable(const char *module, const char *name, struct ktap_btf_set *set,
		       struct ktap_load *load);

/**
 * ktap_btf_param() - Finds a parameter
 * @proto: the prototype
 * @name: the parameter
 * @load: gets its size and what it is, as if it lay in memory
 *
 * Parameters behind one that does not fit into a register are not found, nor are those
 * of a function that returns a structure by an address that comes before them.
 * Context: process.
 * Return: its place, from 0; -ENOENT if there is none.
 */
int ktap_btf_param(u32 proto, const char *name, struct ktap_load *load);

/* The same of parameter @n, from 0; @load stays what it is if that is not known. */
void ktap_btf_param_at(u32 proto, u32 n, struct ktap_load *load);

/* Looks at the names of parameters, from @first on. */
void ktap_btf_near_param(u32 proto, u32 first, struct ktap_suggest *near);

/**
 * ktap_btf_result() - What a function gives
 * @proto: the prototype
 * @load: gets its size and what it is, as if it lay in memory; its @kind is
 *	KTAP_LOAD_NONE if there is nothing that a script can hold
 *
 * Context: process.
 * Return: false if that is not known.
 */
bool ktap_btf_result(u32 proto, struct ktap_load *load);
#else
static inline int ktap_btf_begin(void)
{
	return -EOPNOTSUPP;
}

static inline void ktap_btf_release(struct ktap_btf_set *set)
{
}

static inline u32 ktap_btf_task(void)
{
	return 0;
}

static inline int ktap_btf_find(const char *name, struct ktap_btf_set *set, u32 *type)
{
	return -ENOENT;
}

static inline const char *ktap_btf_near_type(const char *name, char *text)
{
	return NULL;
}

static inline u32 ktap_btf_size(u32 type)
{
	return 0;
}

static inline void ktap_btf_load(u32 type, struct ktap_load *load)
{
	*load = (struct ktap_load){};
}

static inline int ktap_btf_member(u32 type, const char *name, struct ktap_load *load, u32 *cost)
{
	*cost = 0;
	return -EINVAL;
}

static inline const char *ktap_btf_near_member(u32 type, const char *name)
{
	return NULL;
}

static inline s64 ktap_btf_element(u32 type, struct ktap_load *load, u32 *step)
{
	return -EINVAL;
}

static inline const char *ktap_btf_text(u32 type, char *text)
{
	return "a type";
}

static inline int ktap_btf_enumerator(const char *name, s64 *value)
{
	return -ENOENT;
}

static inline u32 ktap_btf_function(const char *module, const char *name,
				    struct ktap_btf_set *set)
{
	return 0;
}

static inline bool ktap_btf_variable(const char *module, const char *name,
				     struct ktap_btf_set *set, struct ktap_load *load)
{
	return false;
}

static inline int ktap_btf_param(u32 proto, const char *name, struct ktap_load *load)
{
	return -ENOENT;
}

static inline void ktap_btf_param_at(u32 proto, u32 n, struct ktap_load *load)
{
}

static inline void ktap_btf_near_param(u32 proto, u32 first, struct ktap_suggest *near)
{
}

static inline bool ktap_btf_result(u32 proto, struct ktap_load *load)
{
	return false;
}
#endif

#endif /* _KTAP_BTF_H */
