// SPDX-License-Identifier: GPL-2.0
/*
 * A unit of compilation: which functions it contains, and the code around them.
 */
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/slab.h>
#include <linux/stddef.h>

#include "data/heap.h"
#include "jit/call.h"
#include "jit/unit.h"
#include "load/verifier.h"
#include "vm/frame.h"
#include "vm/vm.h"

/**
 * DOC: Native code
 *
 * One program of eBPF is made for each handler.  It contains the filter, the handler, and
 * all functions that these may call, so that a call of a function of the script is a jump,
 * and takes no stack of the kernel.  Registers of the script stay where the interpreter has
 * them, in &ktap_vm.stack.  So the interpreter can execute any instruction of the program:
 * the native code calls ktap_jit_step(), which does that, and returns the number of the
 * instruction to continue at.
 *
 * An instruction is lowered in one of three ways (lower.c):
 *
 * - inline, for integers, with a guard for each operand that the verifier has not proven
 *   to be one.  If a guard fails, nothing has been written yet, and the interpreter
 *   executes the instruction;
 * - as a call of the function that the interpreter calls for it;
 * - as a call of ktap_jit_step().
 *
 * Code that is seldom executed comes after all other code: for each instruction that needs
 * it, the call of ktap_jit_step(), and the way to ktap_jit_fail(), which finds the `try` that
 * catches an error.  Where the interpreter continues elsewhere than at the next instruction or the
 * target of the jump, a binary search over the possible places finds the code.
 *
 * The code is written twice.  The first pass counts the instructions, and notes where each
 * one begins; both passes write the same number of them.
 */

/* Does it continue at the next instruction, its target, or with an error? */
static bool unit_is_straight(const struct ktap_code *insn)
{
	return !(ktap_opdefs[insn->op].flags & (KTAP_OPF_ENDS | KTAP_OPF_CALLS));
}

static void unit_add_func(struct ktap_unit *u, u32 func, bool *again)
{
	*again |= !u->funcs[func];
	u->funcs[func] = true;
}

/* Add the functions that are values somewhere in the program. */
static void unit_add_values(struct ktap_unit *u, bool *again)
{
	u32 i;

	for (i = 0; i < u->prog->nfuncs; i++) {
		if (u->prog->funcs[i].is_value)
			unit_add_func(u, i, again);
	}
}

/* Add the functions that a function may call. */
static void unit_add_callees(struct ktap_unit *u, const struct ktap_func *f, bool *again)
{
	const struct ktap_code *insn = u->prog->code + f->first, *end = insn + f->ninsns;
	u8 flags;

	for (; insn < end; insn++) {
		flags = ktap_opdefs[insn->op].flags;
		if (insn->op == KTAP_OP_NEXT)
			u->clean = false;
		if (!(flags & KTAP_OPF_CALLS))
			continue;
		if (!(flags & KTAP_OPF_BY_VALUE)) {
			unit_add_func(u, insn->d, again);
			continue;
		}
		if (!u->by_value)
			unit_add_values(u, again);
		u->by_value = true;
	}
}

static void unit_find_funcs(struct ktap_unit *u)
{
	bool again = true;
	u32 i;

	u->clean = true;
	u->funcs[u->handler - u->prog->funcs] = true;
	if (u->filter)
		u->funcs[u->filter - u->prog->funcs] = true;
	while (again) {
		again = false;
		for (i = 0; i < u->prog->nfuncs; i++) {
			if (u->funcs[i])
				unit_add_callees(u, &u->prog->funcs[i], &again);
		}
	}
}

/* Find the instructions at which the interpreter may continue. */
static void unit_find_entries(struct ktap_unit *u, const struct ktap_func *f)
{
	const struct ktap_program *prog = u->prog;
	const struct ktap_catch *catch;
	const struct ktap_code *insn;
	u32 pc, end = f->first + f->ninsns;

	u->ninsns += f->ninsns;
	u->insns[f->code - prog->code].entry = true;
	for (pc = f->first; pc < end; pc++) {
		insn = &prog->code[pc];
		if (!unit_is_straight(insn) && pc + 1 < end)
			u->insns[pc + 1].entry = true;
		if (ktap_is_jump(insn))
			u->insns[pc + 1 + insn->d].joined = true;
		catch = ktap_catch_at(prog, pc);
		if (catch)
			u->insns[catch->handler].entry = true;
	}
}

int ktap_unit_init(struct ktap_unit *u, struct ktap_env *env, const struct ktap_func *filter,
		   const struct ktap_func *handler)
{
	const struct ktap_program *prog = env->prog;
	u32 i;

	*u = (struct ktap_unit){
		.env = env,
		.prog = prog,
		.filter = filter,
		.handler = handler,
	};
	u->funcs = kvcalloc(prog->nfuncs, sizeof(*u->funcs), KTAP_GFP);
	u->insns = kvcalloc(prog->ninsns, sizeof(*u->insns), KTAP_GFP);
	if (!u->funcs || !u->insns)
		return -ENOMEM;
	unit_find_funcs(u);
	for (i = 0; i < prog->nfuncs; i++) {
		if (u->funcs[i])
			unit_find_entries(u, &prog->funcs[i]);
	}
	return 0;
}

void ktap_unit_destroy(struct ktap_unit *u)
{
	kvfree(u->funcs);
	kvfree(u->insns);
}

void ktap_unit_reload_frame(struct ktap_unit *u)
{
	struct ktap_emit *e = &u->emit;

	ktap_emit_load(e, BPF_W, EMIT_FRAME, EMIT_VM, offsetof(struct ktap_vm, base));
	ktap_emit_alu_imm(e, BPF_LSH, EMIT_FRAME, ilog2(sizeof(struct ktap_value)));
	ktap_emit_load(e, BPF_DW, BPF_REG_1, EMIT_VM, offsetof(struct ktap_vm, stack));
	ktap_emit_alu(e, BPF_ADD, EMIT_FRAME, BPF_REG_1);
}

static void unit_begin(struct ktap_unit *u)
{
	const struct ktap_func *first = u->filter ?: u->handler;
	struct ktap_emit *e = &u->emit;

	ktap_emit_mov(e, EMIT_VM, BPF_REG_1);
	/* A function that a built-in calls has its frame above others. */
	if (first->variadic || first->is_value)
		ktap_unit_reload_frame(u);
	else
		ktap_emit_load(e, BPF_DW, EMIT_FRAME, EMIT_VM, offsetof(struct ktap_vm, stack));
	ktap_emit_jump(e, u->insns[first->code - u->prog->code].start);
}

static void unit_emit_func(struct ktap_unit *u, const struct ktap_func *f)
{
	u->func = f;
	for (u->pc = f->first; u->pc < f->first + f->ninsns; u->pc++) {
		u->insns[u->pc].start = u->emit.n;
		ktap_lower(u);
	}
}

/* The interpreter executes instruction @u->pc. */
static void unit_emit_step(struct ktap_unit *u)
{
	const struct ktap_code *insn = &u->prog->code[u->pc];
	struct ktap_emit *e = &u->emit;

	u->insns[u->pc].step = e->n;
	ktap_emit_mov(e, BPF_REG_1, EMIT_VM);
	ktap_emit_mov(e, BPF_REG_2, EMIT_FRAME);
	ktap_emit_mov_imm(e, BPF_REG_3, u->pc);
	ktap_emit_call(e, ktap_jit_step);
	/* The next instruction may be that of a caller which has caught an error: recursion. */
	ktap_unit_reload_frame(u);
	if (ktap_is_jump(insn))
		ktap_emit_jump_if_imm(e, BPF_JEQ, BPF_REG_0, u->pc + 1 + insn->d,
				      u->insns[u->pc + 1 + insn->d].start);
	if (unit_is_straight(insn))
		ktap_emit_jump_if_imm(e, BPF_JEQ, BPF_REG_0, u->pc + 1, u->insns[u->pc + 1].start);
	ktap_unit_find(u);
}

static void unit_emit_fail(struct ktap_unit *u)
{
	u->insns[u->pc].fail = u->emit.n;
	ktap_emit_mov_imm(&u->emit, BPF_REG_2, u->pc);
	ktap_emit_jump(&u->emit, u->failed);
}

static void unit_emit_seldom(struct ktap_unit *u, const struct ktap_func *f)
{
	u->func = f;
	for (u->pc = f->first; u->pc < f->first + f->ninsns; u->pc++) {
		if (u->insns[u->pc].step)
			unit_emit_step(u);
		if (u->insns[u->pc].fail)
			unit_emit_fail(u);
	}
}

/* Return the first entry from @pc on. */
static u32 unit_next_entry(const struct ktap_unit *u, u32 pc)
{
	while (pc < u->prog->ninsns && !u->insns[pc].entry)
		pc++;
	return pc;
}

static u32 unit_count_entries(const struct ktap_unit *u, u32 from)
{
	u32 n = 0;

	for (; from < u->prog->ninsns; from++)
		n += u->insns[from].entry;
	return n;
}

/* Search the @n entries from the one at @first on.  The depth is log2(@n). */
static void unit_emit_search(struct ktap_unit *u, u32 first, u32 n)
{
	struct ktap_emit *e = &u->emit;
	u32 middle = first, i, later;

	if (n == 1) {
		ktap_emit_jump_if_imm(e, BPF_JEQ, BPF_REG_0, first, u->insns[first].start);
		ktap_emit_mov(e, BPF_REG_1, EMIT_VM);
		ktap_emit_call(e, ktap_jit_lost);
		ktap_emit_exit(e);
		return;
	}
	for (i = 0; i < n / 2; i++)
		middle = unit_next_entry(u, middle + 1);
	later = ktap_emit_ahead_if_imm(e, BPF_JGE, BPF_REG_0, middle);
	unit_emit_search(u, first, n / 2);
	ktap_emit_land(e, later);
	unit_emit_search(u, middle, n - n / 2);
}

static void unit_end(struct ktap_unit *u)
{
	u32 first = unit_next_entry(u, 0), ended, done;
	struct ktap_emit *e = &u->emit;

	u->failed = e->n;
	ktap_emit_mov(e, BPF_REG_1, EMIT_VM);
	ktap_emit_mov(e, BPF_REG_3, BPF_REG_0);
	ktap_emit_call(e, ktap_jit_fail);

	u->find = e->n;
	ended = ktap_emit_ahead_if_imm(e, BPF_JSLT, BPF_REG_0, 0);
	done = ktap_emit_ahead_if_imm(e, BPF_JEQ, BPF_REG_0, KTAP_STEP_DONE);
	ktap_unit_reload_frame(u);
	unit_emit_search(u, first, unit_count_entries(u, first));
	ktap_emit_land(e, done);
	ktap_emit_mov_imm(e, BPF_REG_0, 0);
	ktap_emit_land(e, ended);
	ktap_emit_exit(e);
}

void ktap_unit_emit(struct ktap_unit *u)
{
	const struct ktap_program *prog = u->prog;
	u32 i;

	u->emit.n = 0;
	unit_begin(u);
	for (i = 0; i < prog->nfuncs; i++) {
		if (u->funcs[i])
			unit_emit_func(u, &prog->funcs[i]);
	}
	for (i = 0; i < prog->nfuncs; i++) {
		if (u->funcs[i])
			unit_emit_seldom(u, &prog->funcs[i]);
	}
	unit_end(u);
}
