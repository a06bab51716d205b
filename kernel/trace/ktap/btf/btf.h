/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of the kernel and its modules (BTF): the targets of pointers.  A type is a
 * number, the same for all programs that hold the BTF of its module; 0 is no type, or
 * void.
 */
#ifndef _KTAP_BTF_H
#define _KTAP_BTF_H

#include <linux/bitmap.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/types.h>

struct ktap_suggest;

/**
 * enum ktap_load_kind - value that a script gets for a variable in memory
 * @KTAP_LOAD_NONE: none: scripts have no values of this type
 * @KTAP_LOAD_SIGNED: integer
 * @KTAP_LOAD_UNSIGNED: integer
 * @KTAP_LOAD_POINTER: pointer
 * @KTAP_LOAD_ADDRESS: a pointer to the variable, which is a structure or an array
 * @KTAP_LOAD_CHARS: string: the variable is an array of char
 */
enum ktap_load_kind {
	KTAP_LOAD_NONE,
	KTAP_LOAD_SIGNED,
	KTAP_LOAD_UNSIGNED,
	KTAP_LOAD_POINTER,
	KTAP_LOAD_ADDRESS,
	KTAP_LOAD_CHARS,
};

/**
 * struct ktap_load - how to read a member, or an element
 * @offset: bytes from the address in the pointer; 0 for an element
 * @type: target of the pointer that is read; otherwise the type of the variable
 * @size: bytes of the variable; CHARS: 0 if only a NUL ends the string
 * @kind: enum ktap_load_kind
 * @shift: bit-field: bits of the variable before it
 * @bits: bit-field: its width; otherwise 0
 */
struct ktap_load {
	u32 offset;
	u32 type;
	u32 size;
	u8 kind;
	u8 shift;
	u8 bits;
};

/* An array of 0 or 1 elements may be a flexible array at the end of a structure. */
static inline bool ktap_is_open_array(u32 nelems)
{
	return nelems <= 1;
}

/* Make @load, of the type of a bit-field, that of its @n bits from bit @bits on. */
static inline void ktap_load_bits(struct ktap_load *load, u64 bits, u8 n)
{
	load->offset = bits / 8;
	load->shift = bits % 8;
	load->bits = n;
	load->size = DIV_ROUND_UP(load->shift + n, 8);
	if (load->size > sizeof(u64))
		load->kind = KTAP_LOAD_NONE;
}

/* Part of the numbers of types that programs declare (btf/type.h); those of BTF are smaller */
#define KTAP_DECLARED		BIT(31)

/* The kernel, and at most 127 modules whose types are in use */
#define KTAP_BTF_OWNERS		128

/**
 * struct ktap_btf_set - the modules whose types a program holds
 * @owners: a bit for each
 *
 * The program holds them until ktap_btf_release().  A zeroed set is empty.
 */
struct ktap_btf_set {
	DECLARE_BITMAP(owners, KTAP_BTF_OWNERS);
};

/* Parameters of a function that scripts call, at most */
#define KTAP_PROTOTYPE_PARAMS	6

/**
 * struct ktap_prototype - how to call a function
 * @n: number of its parameters
 * @params: size and kind of each, as if it were in memory; @bits is 1 for bool
 * @result: the same for the result; KTAP_LOAD_NONE: it has none
 */
struct ktap_prototype {
	u32 n;
	struct ktap_load params[KTAP_PROTOTYPE_PARAMS];
	struct ktap_load result;
};

/* Size of a buffer for the text of a type */
#define KTAP_TYPE_TEXT		80

/**
 * struct ktap_btf_mount - offsets in struct mount, which only fs/ declares
 * @parent: of mnt_parent
 * @mountpoint: of mnt_mountpoint
 * @mnt: of the struct vfsmount in it
 */
struct ktap_btf_mount {
	u32 parent;
	u32 mountpoint;
	u32 mnt;
};

#ifdef CONFIG_KTAP_BTF
/**
 * ktap_btf_begin() - Make the types of the kernel available
 *
 * Must succeed before any type is looked up.
 * Context: process.
 * Return: 0; -EOPNOTSUPP if there are none; -EPERM if the kernel is locked down.
 */
int ktap_btf_begin(void);

/* Release the types of a program, which does not use them any more.  Context: process. */
void ktap_btf_release(struct ktap_btf_set *set);

/* Copy the offsets; false before ktap_btf_begin(), or if they are not known.  Context: any. */
bool ktap_btf_mount(struct ktap_btf_mount *layout);

/* Return the type "struct task_struct", 0 before ktap_btf_begin().  Context: any. */
u32 ktap_btf_task(void);

/**
 * ktap_btf_find() - Find a type by its name
 * @name: "struct sock", "u32", "unsigned long"; of the kernel, or of any module
 * @set: the modules that the program holds
 * @type: set to it
 *
 * Context: process.
 * Return: 0; -ENOENT if there is none; -EINVAL if @name is a pointer type.
 */
int ktap_btf_find(const char *name, struct ktap_btf_set *set, u32 *type);

/* Return a name similar to @name, for messages, or NULL.  @text has KTAP_TYPE_TEXT bytes. */
const char *ktap_btf_near_type(const char *name, char *text);

/* No pointer steps by a size that is as large: it would not fit into 32 bits. */
#define KTAP_TYPE_TOO_LARGE	BIT_ULL(32)

/*
 * Return the size of a value of the type, 0 if the type has none.  That of an array is exact below
 * KTAP_TYPE_TOO_LARGE.
 */
u64 ktap_btf_size(u32 type);

/**
 * ktap_btf_load() - Find out how to read a value of a type
 * @type: the type
 * @load: set to the result
 *
 * Context: any.
 */
void ktap_btf_load(u32 type, struct ktap_load *load);

/**
 * ktap_btf_member() - Find a member of a structure
 * @type: the structure, or the union
 * @name: the member; members of unnamed members are found, too
 * @load: set to how to read it
 * @cost: set to the number of members that were visited
 *
 * Context: any.
 * Return: 0; -ENOENT if it has no such member; -EINVAL if it has no members.
 */
int ktap_btf_member(u32 type, const char *name, struct ktap_load *load, u32 *cost);

/*
 * Return the name of the member that is most similar to @name, or NULL.  It is compared
 * with all members: for the verifier only, not for handlers.
 */
const char *ktap_btf_near_member(u32 type, const char *name);

/**
 * ktap_btf_element() - Find out how to read the elements that a pointer points to
 * @type: target of the pointer: an array, or the first element
 * @load: set to how to read the first element
 * @step: set to the number of bytes from one element to the next
 *
 * Context: any.
 * Return: number of elements; 0 if it is not known; -EINVAL if an element has no size.
 */
s64 ktap_btf_element(u32 type, struct ktap_load *load, u32 *step);

/* Text of a type for messages, "struct sock"; @text has KTAP_TYPE_TEXT bytes.  Context: any. */
const char *ktap_btf_text(u32 type, char *text);

/**
 * ktap_btf_enumerator() - Get the value of an enumerator
 * @name: its name
 * @value: set to it
 *
 * Context: process.
 * Return: 0; -ENOENT if there is none.
 */
int ktap_btf_enumerator(const char *name, s64 *value);

/**
 * ktap_btf_function() - Find the prototype of a function
 * @module: its module; "": the kernel; NULL: the kernel or any module
 * @name: its name
 * @set: the modules that the program holds
 *
 * Context: process.
 * Return: the type of the prototype; 0 if it is not known.
 */
u32 ktap_btf_function(const char *module, const char *name, struct ktap_btf_set *set);

/**
 * ktap_btf_variable() - Find out how to read a variable
 * @module: as for ktap_btf_function()
 * @name: its name
 * @set: the modules that the program holds
 * @load: set to how to read it at its address
 *
 * Context: process.
 * Return: false if its type is not known.
 */
bool ktap_btf_variable(const char *module, const char *name, struct ktap_btf_set *set,
		       struct ktap_load *load);

/**
 * ktap_btf_param() - Find a parameter
 * @proto: the prototype
 * @name: the parameter
 * @load: set to its size and kind, as if it were in memory
 *
 * A parameter that does not fit into a register is not found, nor are the parameters
 * after it, but on x86-64 those after a structure that is passed by value are.  None is found
 * if the function returns a structure in memory and gets the address of that memory before its
 * parameters.
 * Context: process.
 * Return: the number of its register, from 0; -ENOENT if there is none.
 */
int ktap_btf_param(u32 proto, const char *name, struct ktap_load *load);

/* The same for the parameter in register @n, from 0.  @load is unchanged if it is not known. */
void ktap_btf_param_at(u32 proto, u32 n, struct ktap_load *load);

/* Suggest names of parameters, from number @first on. */
void ktap_btf_near_param(u32 proto, u32 first, struct ktap_suggest *near);

/**
 * ktap_btf_result() - Find out how to read the return value of a function
 * @proto: the prototype
 * @load: set to its size and kind, as if it were in memory; @kind is KTAP_LOAD_NONE if
 *	a script cannot read it
 *
 * Context: process.
 * Return: false if the prototype is not known.
 */
bool ktap_btf_result(u32 proto, struct ktap_load *load);

/**
 * ktap_btf_prototype() - Find out how to call a function
 * @proto: the prototype
 * @p: set to the result
 *
 * Context: process.
 * Return: NULL; or why scripts cannot call it: a part of a sentence.
 */
const char *ktap_btf_prototype(u32 proto, struct ktap_prototype *p);

/* Text of a prototype for messages, "int f(int a, char *b)"; a long one is cut. */
void ktap_btf_prototype_text(u32 proto, const char *name, char *text, size_t size);

/* Return the name of a function of the kernel that is most like @name, or NULL. */
const char *ktap_btf_near_function(const char *name);
#else
static inline int ktap_btf_begin(void)
{
	return -EOPNOTSUPP;
}

static inline void ktap_btf_release(struct ktap_btf_set *set)
{
}

static inline bool ktap_btf_mount(struct ktap_btf_mount *layout)
{
	return false;
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

static inline u64 ktap_btf_size(u32 type)
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
