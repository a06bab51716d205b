/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the two parts of the verifier: each instruction for itself
 * (verifier_insn.c), and on the ways that lead to it (verifier.c).
 */
#ifndef _KTAP_VERIFIER_H
#define _KTAP_VERIFIER_H

#include <linux/types.h>

#include "opcode.h"
#include "program.h"
#include "typing.h"

/**
 * struct verifier - the function being verified
 * @prog: program
 * @diag: what is wrong
 * @func: function
 * @target: by instruction of @func: its number among those where ways meet, from
 *	1, or 0
 * @state: sets of the registers there, @func->nregs each; the first is 0 if
 *	no way was found yet
 * @queued: by number: to be looked at (again)
 * @queue: ring of numbers to look at
 * @ntargets: number of @target's
 * @head: first place of @queue
 * @nqueued: numbers in @queue
 * @facts: facts of the registers there (typing.h), beside @state; NULL if the
 *	program has nothing to do with types
 * @typing: what is known about types
 * @regs: the sets at the instruction being looked at
 * @known: the facts at it
 * @failed: the sets if it fails; there are no facts then
 * @work: left of MAX_WORK
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

/* Says what is wrong at @pc.  -EINVAL. */
__printf(3, 4) int ktap_refuse(struct verifier *v, u32 pc, const char *fmt, ...);

static inline bool ktap_is_jump(const struct ktap_code *insn)
{
	return ktap_opdefs[insn->op].d == KTAP_X_JUMP;
}

/* KTAP_MULTI: as many values as there are. */
bool ktap_gives_open(const struct ktap_code *insn);
bool ktap_takes_open(const struct ktap_code *insn);

/* What must hold for each instruction of @v->func, wherever it stands.  0 or -EINVAL. */
int ktap_check_code(struct verifier *v);

#endif /* _KTAP_VERIFIER_H */
