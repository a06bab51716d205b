// SPDX-License-Identifier: GPL-2.0
/*
 * Lowering of jumps and loops.
 */
#include "jit/lower.h"
#include "vm/frame.h"
#include "vm/ops.h"
#include "vm/vm.h"

/* A jump to the target of the instruction, which lower_end_jumps() completes */
static void lower_jump_if(struct ktap_unit *u, u8 op, u8 dst, u8 src)
{
	u->jumps[u->njumps++] = ktap_emit_ahead_if(&u->emit, op, dst, src);
}

static void lower_jump_if_imm(struct ktap_unit *u, u8 op, u8 dst, s32 imm)
{
	u->jumps[u->njumps++] = ktap_emit_ahead_if_imm(&u->emit, op, dst, imm);
}

static u32 lower_jump_cost(const struct ktap_unit *u, const struct ktap_code *insn)
{
	return 1 + ktap_straight_cost(u->prog, u->pc + 1 + insn->d, u->pc + 1);
}

/* Charge for a backward jump.  Nothing may have been written before. */
static void lower_charge_jump(struct ktap_unit *u, const struct ktap_code *insn)
{
	u32 cost = lower_jump_cost(u, insn);
	struct ktap_emit *e = &u->emit;

	ktap_emit_load(e, BPF_DW, R0, VM, offsetof(struct ktap_vm, budget));
	ktap_emit_jump_if_imm(e, BPF_JLE, R0, cost, ktap_unit_step(u));
	ktap_emit_alu_imm(e, BPF_SUB, R0, cost);
	ktap_emit_store(e, BPF_DW, VM, offsetof(struct ktap_vm, budget), R0);
}

/* All jumps to the target have been written; what follows is the next instruction. */
static void lower_end_jumps(struct ktap_unit *u, const struct ktap_code *insn)
{
	u32 to = u->insns[u->pc + 1 + insn->d].start, i, next;
	struct ktap_emit *e = &u->emit;

	if (insn->d >= 0) {
		for (i = 0; i < u->njumps; i++) {
			if (u->inlined)
				ktap_inline_jump(u, u->jumps[i], u->pc + 1 + insn->d);
			else
				ktap_emit_aim(e, u->jumps[i], to);
		}
		return;
	}
	next = ktap_emit_ahead(e);
	for (i = 0; i < u->njumps; i++)
		ktap_emit_land(e, u->jumps[i]);
	lower_charge_jump(u, insn);
	ktap_emit_jump(e, to);
	ktap_emit_land(e, next);
}

void ktap_lower_jmp(struct ktap_unit *u, const struct ktap_code *insn, const struct lower_op *op)
{
	if (insn->d < 0)
		lower_charge_jump(u, insn);
	ktap_emit_jump(&u->emit, u->insns[u->pc + 1 + insn->d].start);
	if (u->inlined)
		ktap_inline_jump(u, u->emit.n - 1, u->pc + 1 + insn->d);
}

/*
 * Jump to the target of the instruction if the truth of R[a] is @truth.  @op->op: BPF_JNE
 * for true, BPF_JEQ for false
 */
void ktap_lower_jump_truth(struct ktap_unit *u, const struct ktap_code *insn,
			   const struct lower_op *op)
{
	bool truth = op->op == BPF_JNE;
	struct ktap_emit *e = &u->emit;
	u32 other = 0;

	if (!lower_is_int(u, KTAP_OTHER_A)) {
		ktap_emit_load(e, BPF_W, R0, FRAME, lower_tag(u, insn->a));
		if (truth) {
			lower_jump_if_imm(u, BPF_JGT, R0, KTAP_INT);
			other = ktap_emit_ahead_if_imm(e, BPF_JEQ, R0, KTAP_NIL);
		} else {
			lower_jump_if_imm(u, BPF_JEQ, R0, KTAP_NIL);
			other = ktap_emit_ahead_if_imm(e, BPF_JGT, R0, KTAP_INT);
		}
	}
	lower_load(u, R1, insn->a);
	lower_jump_if_imm(u, op->op, R1, 0);
	if (other)
		ktap_emit_land(e, other);
	lower_end_jumps(u, insn);
}

void ktap_lower_jump_nil(struct ktap_unit *u, const struct ktap_code *insn,
			 const struct lower_op *op)
{
	ktap_emit_load(&u->emit, BPF_W, R0, FRAME, lower_tag(u, insn->a));
	lower_jump_if_imm(u, op->op, R0, KTAP_NIL);
	lower_end_jumps(u, insn);
}

static s16 lower_immediate(const struct ktap_code *insn)
{
	return insn->b | insn->c << 8;
}

void ktap_lower_jump_equal_imm(struct ktap_unit *u, const struct ktap_code *insn,
			       const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;
	u32 other = 0;

	if (!lower_is_int(u, KTAP_OTHER_A)) {
		ktap_emit_load(e, BPF_W, R0, FRAME, lower_tag(u, insn->a));
		if (op->op == BPF_JNE)
			lower_jump_if_imm(u, BPF_JNE, R0, KTAP_INT);
		else
			other = ktap_emit_ahead_if_imm(e, BPF_JNE, R0, KTAP_INT);
	}
	lower_load(u, R1, insn->a);
	lower_jump_if_imm(u, op->op, R1, lower_immediate(insn));
	if (other)
		ktap_emit_land(e, other);
	lower_end_jumps(u, insn);
}

void ktap_lower_jump_order_imm(struct ktap_unit *u, const struct ktap_code *insn,
			       const struct lower_op *op)
{
	lower_want_int(u, insn->a, KTAP_OTHER_A);
	lower_load(u, R1, insn->a);
	lower_jump_if_imm(u, op->op, R1, lower_immediate(insn));
	lower_end_jumps(u, insn);
}

void ktap_lower_jump_order(struct ktap_unit *u, const struct ktap_code *insn,
			   const struct lower_op *op)
{
	lower_want_int(u, insn->a, KTAP_OTHER_A);
	lower_want_int(u, insn->b, KTAP_OTHER_B);
	lower_load(u, R1, insn->a);
	lower_load(u, R2, insn->b);
	lower_jump_if(u, op->op, R1, R2);
	lower_end_jumps(u, insn);
}

/* Loops */

/* The interpreter refuses a loop whose integers have a length: those of a NEXT. */
static void lower_want_no_lengths(struct ktap_unit *u, u32 first)
{
	u32 i;

	for (i = first; i < first + 3; i++) {
		ktap_emit_load(&u->emit, BPF_W, R0, FRAME, lower_len(u, i));
		ktap_emit_jump_if_imm(&u->emit, BPF_JNE, R0, 0, ktap_unit_step(u));
	}
}

void ktap_lower_for_loop(struct ktap_unit *u, const struct ktap_code *insn,
			 const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;
	u8 i = insn->a;
	u32 end;

	if (!u->clean)
		lower_want_no_lengths(u, i);
	lower_want_int(u, i, KTAP_OTHER_A);
	lower_want_int(u, i + 1, KTAP_OTHER_B);
	lower_want_int(u, i + 2, KTAP_OTHER_C);
	lower_load(u, R1, i + 1);
	end = ktap_emit_ahead_if_imm(e, BPF_JEQ, R1, 0);
	if (insn->d < 0)
		lower_charge_jump(u, insn);
	ktap_emit_alu_imm(e, BPF_SUB, R1, 1);
	lower_set_int(u, i + 1, R1, KTAP_OTHER_B);
	lower_load(u, R1, i);
	lower_load(u, R2, i + 2);
	ktap_emit_alu(e, BPF_ADD, R1, R2);
	lower_set_int(u, i, R1, KTAP_OTHER_A);
	lower_set_int(u, i + 3, R1, KTAP_OTHER_LOOP);
	ktap_emit_jump(e, u->insns[u->pc + 1 + insn->d].start);
	ktap_emit_land(e, end);
	lower_load(u, R1, i);
	lower_set_int(u, i + 3, R1, KTAP_OTHER_LOOP);
}

/*
 * The end of a loop that is the end of a round of another one: jump back.  Registers have
 * been written, so the interpreter could not execute the instruction again if the budget is
 * not enough.
 */
static void lower_end_in_loop(struct ktap_unit *u, const struct ktap_code *insn)
{
	u32 cost = lower_jump_cost(u, insn), next, enough;
	struct ktap_emit *e = &u->emit;

	next = ktap_emit_ahead_if_int(e, BPF_JNE, R0, 0);
	ktap_emit_load(e, BPF_DW, R0, VM, offsetof(struct ktap_vm, budget));
	enough = ktap_emit_ahead_if_imm(e, BPF_JGT, R0, cost);
	ktap_emit_mov(e, R1, VM);
	ktap_emit_mov_imm(e, R2, cost);
	ktap_emit_call(e, ktap_vm_out_of_budget);
	ktap_emit_jump_if_int(e, BPF_JSLT, R0, 0, ktap_unit_fail(u));
	ktap_emit_jump(e, u->insns[u->pc + 1 + insn->d].start);
	ktap_emit_land(e, enough);
	ktap_emit_alu_imm(e, BPF_SUB, R0, cost);
	ktap_emit_store(e, BPF_DW, VM, offsetof(struct ktap_vm, budget), R0);
	ktap_emit_jump(e, u->insns[u->pc + 1 + insn->d].start);
	ktap_emit_land(e, next);
}

/* NEXT and FORPREP: @op->fn returns 0 if the loop ends. */
void ktap_lower_loop(struct ktap_unit *u, const struct ktap_code *insn,
		     const struct lower_op *op)
{
	struct ktap_emit *e = &u->emit;

	ktap_emit_mov(e, R1, VM);
	ktap_emit_mov(e, R2, FRAME);
	ktap_emit_alu_imm(e, BPF_ADD, R2, lower_value(u, insn->a));
	ktap_emit_call(e, op->fn);
	ktap_emit_jump_if_int(e, BPF_JSLT, R0, 0, ktap_unit_fail(u));
	if (insn->d < 0)
		lower_end_in_loop(u, insn);
	else
		ktap_emit_jump_if_int(e, BPF_JEQ, R0, 0, u->insns[u->pc + 1 + insn->d].start);
}
