// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of short functions: the code of the callee is written in place of the call.
 *
 * The callee has no frame.  Its registers are where they would be, after those of the caller.
 * It consists of instructions that call nothing, so that nobody sees that there is no frame.
 * If a guard fails, the frame is made, and the ordinary code of the callee continues at the
 * same instruction, which has not written anything yet.
 */
#include <linux/stddef.h>
#include <linux/string.h>

#include "jit/call.h"
#include "jit/lower.h"
#include "load/verifier.h"
#include "vm/frame.h"
#include "vm/vm.h"

/* Instructions of a function that is short */
#define INLINE_INSNS	12
#define INLINE_JUMPS	(INLINE_INSNS * UNIT_JUMPS)

/* A jump of eBPF, and the instruction of bytecode that it leads to */
struct inline_jump {
	u32 at;
	u32 pc;
};

/**
 * struct unit_inlined - a call whose callee is written in place of it
 * @leaves: jumps to where a frame is made for the callee's instruction
 * @nleaves: number of @leaves
 * @ahead: jumps to later instructions of the callee
 * @nahead: number of @ahead
 * @ends: jumps to the end
 * @nends: number of @ends
 */
struct unit_inlined {
	struct inline_jump leaves[INLINE_JUMPS];
	u32 nleaves;
	struct inline_jump ahead[INLINE_JUMPS];
	u32 nahead;
	u32 ends[INLINE_INSNS];
	u32 nends;
};

void ktap_inline_leave(struct ktap_unit *u)
{
	struct unit_inlined *in = u->inlined;

	in->leaves[in->nleaves++] = (struct inline_jump){ .at = u->emit.n, .pc = u->pc };
}

void ktap_inline_jump(struct ktap_unit *u, u32 at, u32 to)
{
	struct unit_inlined *in = u->inlined;

	in->ahead[in->nahead++] = (struct inline_jump){ .at = at, .pc = to };
}

static bool inline_fits_insn(const struct ktap_program *prog, u32 pc)
{
	const struct ktap_code *insn = &prog->code[pc];

	if (ktap_catch_at(prog, pc))
		return false;
	if (insn->op == KTAP_OP_RET)
		return insn->b != KTAP_MULTI;
	return ktap_lowers_locally(insn) && !(ktap_is_jump(insn) && insn->d < 0);
}

static bool inline_fits(const struct ktap_unit *u, const struct ktap_code *insn,
			const struct ktap_func *func)
{
	u32 pc;

	if (insn->c == KTAP_MULTI || insn->b == KTAP_MULTI || func->variadic ||
	    insn->b < func->nparams || func->ninsns > INLINE_INSNS)
		return false;
	for (pc = func->first; pc < func->first + func->ninsns; pc++) {
		if (!inline_fits_insn(u->prog, pc))
			return false;
	}
	return true;
}

/* As ktap_frame_enter_plain().  If it would fail, the interpreter executes the call. */
static void inline_pay(struct ktap_unit *u, const struct ktap_code *insn,
		       const struct ktap_func *func)
{
	struct ktap_emit *e = &u->emit;
	u32 cost = func->cost + 1;

	ktap_emit_load(e, BPF_W, R1, VM, offsetof(struct ktap_vm, ncalls));
	ktap_emit_load(e, BPF_W, R2, VM, offsetof(struct ktap_vm, max_calls));
	ktap_emit_jump_if(e, BPF_JEQ, R1, R2, ktap_unit_step(u));
	ktap_emit_load(e, BPF_W, R1, VM, offsetof(struct ktap_vm, base));
	ktap_emit_alu_imm(e, BPF_ADD, R1, insn->a + func->nregs);
	ktap_emit_load(e, BPF_W, R2, VM, offsetof(struct ktap_vm, stack_size));
	ktap_emit_jump_if(e, BPF_JGT, R1, R2, ktap_unit_step(u));
	ktap_emit_load(e, BPF_DW, R0, VM, offsetof(struct ktap_vm, budget));
	ktap_emit_jump_if_imm(e, BPF_JLE, R0, cost, ktap_unit_step(u));
	ktap_emit_alu_imm(e, BPF_SUB, R0, cost);
	ktap_emit_store(e, BPF_DW, VM, offsetof(struct ktap_vm, budget), R0);
}

/* Return the values of @ret as the results of @call, whose registers are below. */
static void inline_return(struct ktap_unit *u, const struct ktap_code *call,
			  const struct ktap_code *ret)
{
	struct ktap_emit *e = &u->emit;
	u32 i;

	for (i = 0; i < call->c; i++) {
		if (i >= ret->b) {
			lower_set_value(u, i, &KTAP_VALUE_NIL);
			continue;
		}
		if (!ret->a)
			continue;
		ktap_emit_load(e, BPF_DW, R1, FRAME, lower_value(u, ret->a + i));
		ktap_emit_load(e, BPF_DW, R2, FRAME, lower_tag(u, ret->a + i));
		ktap_emit_store(e, BPF_DW, FRAME, lower_value(u, i), R1);
		ktap_emit_store(e, BPF_DW, FRAME, lower_tag(u, i), R2);
	}
}

static void inline_land(struct ktap_unit *u)
{
	struct unit_inlined *in = u->inlined;
	u32 i;

	for (i = 0; i < in->nahead; i++) {
		if (in->ahead[i].pc == u->pc)
			ktap_emit_land(&u->emit, in->ahead[i].at);
	}
}

static void inline_body(struct ktap_unit *u, const struct ktap_code *call,
			const struct ktap_func *func)
{
	struct unit_inlined *in = u->inlined;
	u32 end = func->first + func->ninsns;

	for (u->pc = func->code - u->prog->code; u->pc < end; u->pc++) {
		const struct ktap_code *insn = &u->prog->code[u->pc];

		inline_land(u);
		if (insn->op != KTAP_OP_RET) {
			ktap_lower(u);
			continue;
		}
		inline_return(u, call, insn);
		if (u->pc + 1 == end && !in->nleaves)
			continue;
		in->ends[in->nends++] = ktap_emit_ahead(&u->emit);
	}
}

/* A guard has failed at one of the instructions. */
static void inline_leaves(struct ktap_unit *u, const struct ktap_code *call,
			  const struct ktap_func *func)
{
	struct unit_inlined *in = u->inlined;
	struct ktap_emit *e = &u->emit;
	u32 i, pc = U32_MAX;

	for (i = 0; i < in->nleaves; i++) {
		ktap_emit_land(e, in->leaves[i].at);
		if (i + 1 < in->nleaves && in->leaves[i + 1].pc == in->leaves[i].pc)
			continue;
		pc = in->leaves[i].pc;
		ktap_emit_mov(e, R1, VM);
		ktap_emit_address(e, R2, func);
		ktap_emit_address(e, R3, call);
		ktap_emit_mov_imm(e, R4, pc);
		ktap_emit_call(e, ktap_jit_make_frame);
		if (call->a)
			ktap_emit_alu_imm(e, BPF_ADD, FRAME,
					  call->a * sizeof(struct ktap_value));
		ktap_emit_jump(e, u->insns[pc].start);
	}
}

bool ktap_inline_call(struct ktap_unit *u, const struct ktap_code *insn)
{
	const struct ktap_func *func = &u->prog->funcs[insn->d], *caller = u->func;
	struct unit_inlined in;
	u32 pc = u->pc, i;

	if (!inline_fits(u, insn, func))
		return false;
	inline_pay(u, insn, func);
	in.nleaves = 0;
	in.nahead = 0;
	in.nends = 0;
	u->inlined = &in;
	u->func = func;
	u->shift = insn->a;
	inline_body(u, insn, func);
	inline_leaves(u, insn, func);
	u->inlined = NULL;
	u->func = caller;
	u->shift = 0;
	u->pc = pc;
	for (i = 0; i < in.nends; i++)
		ktap_emit_land(&u->emit, in.ends[i]);
	return true;
}
