/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Types of pointers in the verifier.
 */
#ifndef _KTAP_VERIFIER_TYPES_H
#define _KTAP_VERIFIER_TYPES_H

#include "load/verifier_names.h"
#include "vm/program.h"

struct ktap_env;

/*
 * A fact about a register: if its only tag is KTAP_PTR, the type it points to; if
 * it is KTAP_STR, the index of a string constant plus 1.  0: not known.
 */
#define KTAP_FACT_TYPELESS	U32_MAX		/* a pointer without a type */
#define KTAP_FACT_NO_PARAM	(U32_MAX - 1)	/* nil: there is no such parameter */
#define KTAP_FACT_HINT		(U32_MAX - 2)	/* the set of tags proves nothing */

/**
 * struct ktap_iter_field_type - a field of an iterator
 * @name: its name
 * @type: the type of the kernel that it is a pointer to; NULL: it is an integer
 */
struct ktap_iter_field_type {
	const char *name;
	const char *type;
};

extern const struct ktap_iter_field_type ktap_iter_fields[KTAP_ITER_FIELDS];

/* Find the types of iterators that are no probe definitions.  Return 0 or -ENOMEM. */
int ktap_iter_find_types(struct ktap_env *env);

/* Replacement of an instruction. */
struct ktap_note {
	u32 op;		/* 0: no replacement */
	u32 d;
};

/**
 * struct ktap_typing - types in a program
 * @prog: the program
 * @diag: gets the error
 * @err: reason why there are no types, or 0
 * @reads: the program may read through pointers
 * @notes: by instruction; NULL if the program does not use types
 * @slots: by instruction: index of its member in @accesses plus 1
 * @accesses: members
 * @naccesses: number of @accesses
 * @protos: by function: prototype of the function that its events are calls of;
 *	0: unknown, or several
 * @names: types and variables that were looked up
 * @work: members visited, and not yet charged by the verifier
 */
struct ktap_typing {
	struct ktap_program *prog;
	struct ktap_diag *diag;
	int err;
	bool reads;
	struct ktap_note *notes;
	u32 *slots;
	struct ktap_access *accesses;
	u32 naccesses;
	u32 *protos;
	struct ktap_names names;
	u32 work;
};

/**
 * struct ktap_typed - result of an instruction
 * @tags: set of tags
 * @fact: fact about it
 */
struct ktap_typed {
	u16 tags;
	u32 fact;
};

/* 0, -ENOMEM or -EINTR; the caller must call ktap_typing_end() in any case. */
int ktap_typing_begin(struct ktap_typing *t, struct ktap_program *prog, struct ktap_diag *diag);

/**
 * ktap_typing_step() - Find the types of an instruction
 * @t: typing
 * @func: index of its function
 * @pc: the instruction
 * @tags: sets of its registers' tags
 * @facts: facts of its registers
 * @out: result according to ktap_opdefs; refined
 *
 * Called again when less is known than before; the last call counts.
 * Return: 0; -EINVAL, with @diag filled, if a member or a type does not exist.
 */
int ktap_typing_step(struct ktap_typing *t, u32 func, u32 pc, const u16 *tags, const u32 *facts,
		     struct ktap_typed *out);

/* Merge the facts of two paths: only common ones remain. */
u32 ktap_typing_unite(u16 x_tags, u32 x, u16 y_tags, u32 y);

/* Replace the instructions that have notes, after all of the program was verified. */
void ktap_typing_apply(struct ktap_typing *t);
void ktap_typing_end(struct ktap_typing *t);

#endif /* _KTAP_VERIFIER_TYPES_H */
