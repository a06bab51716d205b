/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the verifier finds out about pointers.
 */
#ifndef _KTAP_TYPING_H
#define _KTAP_TYPING_H

#include "names.h"
#include "program.h"

/*
 * A fact of a register: if its tag is KTAP_PTR alone, what it points to; if it is
 * KTAP_STR alone, the string constant, from 1.  0: not known before it runs.
 */
#define KTAP_FACT_TYPELESS	U32_MAX		/* surely a pointer to nothing known */
#define KTAP_FACT_NO_PARAM	(U32_MAX - 1)	/* surely nil: there is no such parameter */

/* What an instruction becomes. */
struct ktap_note {
	u32 op;		/* 0: it stays as it is */
	u32 d;
};

/**
 * struct ktap_typing - types in a program
 * @prog: the program
 * @diag: what is wrong
 * @err: why there are no types, or 0
 * @reads: what pointers point to may be read
 * @notes: by instruction; NULL if the program has nothing to do with types
 * @slots: by instruction: its member in @accesses, from 1
 * @accesses: members
 * @naccesses: number of them
 * @protos: by function: what its events are calls of; 0: not known, or several
 * @names: types and variables that were looked for
 * @work: members that were looked at since the verifier has charged for them
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
 * struct ktap_typed - what an instruction gives
 * @tags: set of tags
 * @fact: fact
 */
struct ktap_typed {
	u16 tags;
	u32 fact;
};

/* 0, -ENOMEM, -EINTR; ktap_typing_end() is due in any case. */
int ktap_typing_begin(struct ktap_typing *t, struct ktap_program *prog, struct ktap_diag *diag);

/**
 * ktap_typing_step() - Looks at an instruction
 * @t: typing
 * @func: index of its function
 * @pc: the instruction
 * @tags: sets of its registers' tags
 * @facts: facts of its registers
 * @out: what its table says that it gives; gets more than that
 *
 * Called again when less is known than before; the last call counts.
 * Return: 0; -EINVAL, with @diag filled, if a member or a type is not there.
 */
int ktap_typing_step(struct ktap_typing *t, u32 func, u32 pc, const u16 *tags, const u32 *facts,
		     struct ktap_typed *out);

/* What is known where two ways meet: more tags, fewer facts. */
u32 ktap_typing_unite(u16 x_tags, u32 x, u16 y_tags, u32 y);

/* All of it is right: puts other instructions in the place of those that have notes. */
void ktap_typing_apply(struct ktap_typing *t);
void ktap_typing_end(struct ktap_typing *t);

#endif /* _KTAP_TYPING_H */
