/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the two parts of the verifier: rules for a single instruction
 * (verifier_insn.c), and rules for the paths to it (verifier.c).
 */
#ifndef _KTAP_VERIFIER_H
#define _KTAP_VERIFIER_H

#include <linux/types.h>

#include "load/verifier_types.h"
#include "vm/opcode.h"
#include "vm/program.h"

/**
 * struct verifier - the function being verified
 * @prog: program
 * @diag: gets the error
 * @func: function
 * @target: by instruction of @func: its number among those where paths meet, from
 *	1, or 0
 * @state: by target: sets of its registers, @func->nregs each; the first set is
 *	0 if no path to it was found yet
 * @queued: by target: it is in @queue
 * @queue: ring of target instructions to visit
 * @ntargets: number of targets
 * @head: first index of @queue
 * @nqueued: entries of @queue
 * @facts: by target: facts about its registers (verifier_types.h); NULL if the
 *	program does not use types
 * @typing: types found so far
 * @regs: sets at the current instruction
 * @known: facts at the current instruction
 * @failed: sets if it fails; there are no facts then
 * @work: rest of MAX_WORK
 */
struct verifier {
	struct ktap_program *prog;
	struct ktap_diag *diag;
	const struct ktap_func *func;
	u32 *target;
	u16 *state;
	bool *queued;
	u32 *queue;
	u32 ntargets;
	u32 head;
	u32 nqueued;
	u32 *facts;
	struct ktap_typing typing;
	u16 regs[KTAP_MAX_REGS];
	u32 known[KTAP_MAX_REGS];
	u16 failed[KTAP_MAX_REGS];
	u32 work;
};

/* Report an error at @pc.  Always -EINVAL. */
__printf(3, 4) int ktap_refuse(struct verifier *v, u32 pc, const char *fmt, ...);

static inline bool ktap_is_jump(const struct ktap_code *insn)
{
	return ktap_opdefs[insn->op].d == KTAP_X_JUMP;
}

/* Is R[a] the function that an instruction calls?  Its arguments follow it. */
static inline bool ktap_calls_by_value(const struct ktap_code *insn)
{
	return ktap_opdefs[insn->op].flags & KTAP_OPF_BY_VALUE;
}

/* Does an instruction leave, or consume, open values? */
bool ktap_gives_open(const struct ktap_code *insn);
bool ktap_takes_open(const struct ktap_code *insn);

/* Check each instruction of @v->func by itself.  0 or -EINVAL. */
int ktap_check_code(struct verifier *v);

#endif /* _KTAP_VERIFIER_H */
