/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A unit of compilation, shared by unit.c and lower.c.
 */
#ifndef _KTAP_UNIT_H
#define _KTAP_UNIT_H

#include <linux/kernel.h>
#include <linux/types.h>

#include "jit/emit.h"
#include "vm/env.h"
#include "vm/program.h"

/* Jumps of one instruction to its target */
#define UNIT_JUMPS	4

struct unit_inlined;

/**
 * struct unit_insn - indices into the code, of an instruction of bytecode
 * @start: its code
 * @step: the code that makes the interpreter execute it; 0 if there is none
 * @fail: the code that handles an error of it; 0 if there is none
 * @entry: the interpreter may continue at @start
 * @joined: it may follow another instruction than the previous one
 */
struct unit_insn {
	u32 start;
	u32 step;
	u32 fail;
	bool entry;
	bool joined;
};

/**
 * struct ktap_unit - a handler, its filter, and all functions that they may call
 * @env: the environment of the session
 * @prog: its program
 * @filter: the filter, or NULL
 * @handler: the handler
 * @funcs: by function: the unit contains it
 * @by_value: the unit calls functions that are values
 * @clean: no integer of the unit has a length
 * @insns: by instruction: where its code is
 * @ninsns: instructions of bytecode
 * @find: index of the code that finds the instruction whose number is in R0
 * @failed: index of the code that handles the error in R0 of the instruction in R2
 * @func: the function being lowered
 * @pc: the instruction being lowered
 * @shift: register of the running frame that is its register 0
 * @inlined: the call whose callee is written in place of it, or NULL (inline.c)
 * @jumps: jumps of it to its target
 * @njumps: number of @jumps
 * @emit: the code
 */
struct ktap_unit {
	struct ktap_env *env;
	const struct ktap_program *prog;
	const struct ktap_func *filter;
	const struct ktap_func *handler;
	bool *funcs;
	bool by_value;
	bool clean;
	struct unit_insn *insns;
	u32 ninsns;
	u32 find;
	u32 failed;
	const struct ktap_func *func;
	u32 pc;
	u32 shift;
	struct unit_inlined *inlined;
	u32 jumps[UNIT_JUMPS];
	u32 njumps;
	struct ktap_emit emit;
};

/* unit.c.  0 or -ENOMEM; ktap_unit_destroy() cleans up in any case. */
int ktap_unit_init(struct ktap_unit *u, struct ktap_env *env, const struct ktap_func *filter,
		   const struct ktap_func *handler);
void ktap_unit_destroy(struct ktap_unit *u);

/* Write the whole unit, from instruction 0 on. */
void ktap_unit_emit(struct ktap_unit *u);

/* lower.c: write the code of instruction @u->pc. */
void ktap_lower(struct ktap_unit *u);
/* Does it need no frame, unless a guard fails? */
bool ktap_lowers_locally(const struct ktap_code *insn);

/* inline.c: call a short function by its own code, without a frame.  False if that cannot be. */
bool ktap_inline_call(struct ktap_unit *u, const struct ktap_code *insn);
/* The next instruction of eBPF is a jump to where instruction @u->pc gets its frame. */
void ktap_inline_leave(struct ktap_unit *u);
/* The jump at @at leads to instruction @to of the callee, which is still to be written. */
void ktap_inline_jump(struct ktap_unit *u, u32 at, u32 to);

/*
 * Index of the code that makes the interpreter execute instruction @u->pc, for the jump
 * that is the next instruction of eBPF.
 */
static inline u32 ktap_unit_step(struct ktap_unit *u)
{
	u32 index = u->insns[u->pc].step;

	if (u->inlined) {
		ktap_inline_leave(u);
		return 0;
	}
	if (!index)
		u->insns[u->pc].step = U32_MAX;
	return index;
}

/* Index of the code that handles the error of instruction @u->pc in R0. */
static inline u32 ktap_unit_fail(struct ktap_unit *u)
{
	u32 index = u->insns[u->pc].fail;

	if (!index)
		u->insns[u->pc].fail = U32_MAX;
	return index;
}

/* FRAME = the frame that the activation is in */
void ktap_unit_reload_frame(struct ktap_unit *u);

/* Continue at the instruction whose number is in R0, or end with the result in R0. */
static inline void ktap_unit_find(struct ktap_unit *u)
{
	ktap_emit_jump(&u->emit, u->find);
}

#endif /* _KTAP_UNIT_H */
