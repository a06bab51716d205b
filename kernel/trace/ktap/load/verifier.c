// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier: a program that it accepts is safe to run.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/heap.h"
#include "load/rewrite.h"
#include "load/verifier.h"
#include "vm/kernel_call.h"
#include "vm/frame.h"

/**
 * DOC: What the verifier guarantees
 *
 * For each instruction, reachable or not (verifier_insn.c):
 *
 * - The opcode and the built-in function exist; fields that are not used are
 *   zero; every index is in range.
 * - Its registers are registers of its function, including implied ones
 *   (arguments, results, the parts of a concatenation, the five registers of an
 *   iteration).
 * - A jump lands in its function, and the last instruction of a function is RET
 *   or JMP: control does not run off its end.
 * - A built-in gets a number of arguments that it takes.
 * - Open values (KTAP_MULTI) are consumed by the instruction directly after the
 *   one that leaves them, and by no other; no jump leads to it.  Only a variadic
 *   function reads variable arguments.
 * - A `try` that catches its errors is in its own function.
 *
 * For each reachable instruction (in this file):
 *
 * - A register is written on every path to the instruction before it is read.
 *   One path leads from each instruction to the handler of its errors, with the
 *   registers written before it, except those it may have changed.
 * - An argument of a built-in may have one of the types that it accepts.
 *
 * The latter rules use abstract interpretation: each register has a set of
 * possible types, and a flag for "may be unwritten".  Where paths meet, the sets
 * are united.  The sets only grow, so this ends; its time is also bounded by
 * MAX_WORK.
 *
 * The types that pointers refer to are propagated in the same way
 * (verifier_types.c).  That ends as well, because facts are only lost.
 *
 * Checked at run time: types that may or may not fit, the number of open values,
 * room on the stack, division by zero, and the length of a run.
 */

/* In a register's set: it may be unwritten. */
#define UNWRITTEN	BIT(15)
#define VERIFIER_ANY		GENMASK(KTAP_NR_TAGS - 1, 0)

static_assert(KTAP_NR_TAGS <= 15);

/*
 * Instructions, registers and members visited, for a whole chunk; and sets stored
 * for a function.
 */
#define MAX_WORK	(64U << 20)
#define MAX_STATE	(4U << 20)

/* Valid as a mark, because no set is empty. */
#define UNSEEN		0

/* Takes less than a millisecond. */
#define WORK_AT_ONCE	4096

/* Charge for work, reschedule if needed, and fail if the process is killed. */
static int verifier_charge(struct verifier *v, u32 pc, u32 work)
{
	u32 left = v->work;

	if (left < work) {
		ktap_diag_at(v->diag, v->prog, pc, "function %s is too complex", v->func->name);
		return -E2BIG;
	}
	v->work = left - work;
	/* These checks take longer than most work does. */
	if (left / WORK_AT_ONCE == v->work / WORK_AT_ONCE)
		return 0;
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int verifier_read_reg(struct verifier *v, u32 pc, u32 reg)
{
	if (!(v->regs[reg] & UNWRITTEN))
		return 0;
	return ktap_refuse(v, pc,
			   "instruction %u reads register %u, which may be unwritten", pc, reg);
}

static int verifier_read_regs(struct verifier *v, u32 pc, u32 first, u32 n)
{
	int err;
	u32 i;

	for (i = first; i < first + n; i++) {
		err = verifier_read_reg(v, pc, i);
		if (err)
			return err;
	}
	return 0;
}

static void verifier_set_regs(u16 *regs, u32 first, u32 end, u16 set)
{
	for (; first < end; first++)
		regs[first] = set;
}

/* Registers are written: facts about them are lost. */
static void verifier_write_regs(struct verifier *v, u32 first, u32 end, u16 set)
{
	verifier_set_regs(v->regs, first, end, set);
	memset(v->known + first, 0, (end - first) * sizeof(*v->known));
}

/* Number of values from register @first on that an instruction consumes, without open ones. */
static u32 verifier_nfixed(const struct ktap_code *insn, u32 first, u32 n)
{
	return ktap_takes_open(insn) ? insn[-1].a - first : n;
}

/* Does a built-in read the text of the event?  argstr has no arguments. */
static bool verifier_shows_text(const struct ktap_builtin *fn, u16 args)
{
	return fn->uses & KTAP_USES_ARGSTR &&
	       (!fn->max || args & (ktap_bit(EVENT) | ktap_bit(ARGSTR)));
}

static int verifier_refuse_argument(struct verifier *v, u32 pc, const struct ktap_builtin *fn,
				    u32 i, u16 set)
{
	char types[256];

	ktap_name_types(set, types, sizeof(types));
	return ktap_refuse(v, pc, "%s: argument %u is %s, which it does not take", fn->name,
			   i + 1, types);
}

/* Does it take tables or aggregations?  For one that could not be allocated it gives nil. */
static bool verifier_takes_objects(const struct ktap_builtin *fn)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fn->args); i++) {
		if (fn->args[i] & (ktap_bit(TABLE) | ktap_bit(AGG)))
			return true;
	}
	return false;
}

/* @out: its result, as far as it is known better than from its table */
static int verifier_step_builtin(struct verifier *v, u32 pc, const struct ktap_code *insn,
				 const struct ktap_typed *out)
{
	const struct ktap_builtin *fn = ktap_called_function(insn);
	u32 i, n = verifier_nfixed(insn, insn->a, insn->b);
	u16 args = ktap_takes_open(insn) ? VERIFIER_ANY : 0;
	int err;

	err = verifier_read_regs(v, pc, insn->a, n);
	if (err)
		return err;
	for (i = 0; i < n; i++) {
		u16 set = v->regs[insn->a + i];

		args |= set;
		if (i < ARRAY_SIZE(fn->args) && fn->args[i] && !(fn->args[i] & set))
			return verifier_refuse_argument(v, pc, fn, i, set);
	}
	if (verifier_shows_text(fn, args))
		v->prog->uses |= KTAP_USES_ARGSTR;
	/* The built-in may have changed its arguments. */
	verifier_write_regs(v, insn->a, insn->a + n, UNWRITTEN);
	v->regs[insn->a] = out->tags ?: fn->result;
	if (verifier_takes_objects(fn))
		v->regs[insn->a] |= ktap_bit(NIL);
	v->known[insn->a] = out->fact;
	return 0;
}

static int verifier_step_call(struct verifier *v, u32 pc, const struct ktap_code *insn)
{
	u32 n = verifier_nfixed(insn, insn->a, ktap_calls_by_value(insn) + insn->b);
	int err;

	err = verifier_read_regs(v, pc, insn->a, n);
	if (err)
		return err;
	verifier_write_regs(v, insn->a, v->func->nregs, UNWRITTEN);
	if (!ktap_gives_open(insn))
		verifier_write_regs(v, insn->a, insn->a + insn->c, VERIFIER_ANY);
	return 0;
}

static void verifier_step_varargs(struct verifier *v, const struct ktap_code *insn)
{
	if (ktap_gives_open(insn))
		verifier_write_regs(v, insn->a, v->func->nregs, UNWRITTEN);
	else
		verifier_write_regs(v, insn->a, insn->a + insn->c, VERIFIER_ANY);
}

/* Instructions whose registers ktap_opdefs does not describe. */
static int verifier_step_own(struct verifier *v, u32 pc, const struct ktap_code *insn,
			     const struct ktap_typed *out)
{
	int err;

	switch (insn->op) {
	case KTAP_OP_NIL:
		verifier_write_regs(v, insn->a, insn->b + 1, ktap_bit(NIL));
		return 0;
	case KTAP_OP_MOV:
		v->regs[insn->a] = v->regs[insn->b];
		v->known[insn->a] = v->known[insn->b];
		return 0;
	case KTAP_OP_CONCAT:
	case KTAP_OP_TUPLE:
		return verifier_read_regs(v, pc, insn->b, insn->c);
	case KTAP_OP_ITER:
		verifier_write_regs(v, insn->a + 1, insn->a + 2, ktap_bit(INT));
		verifier_write_regs(v, insn->a + 2, insn->a + 3, ktap_bit(NIL));
		return verifier_read_reg(v, pc, insn->a);
	case KTAP_OP_NEXT:
		err = verifier_read_regs(v, pc, insn->a, 3);
		/* Position of the iteration: number and key of the last entry. */
		verifier_write_regs(v, insn->a + 1, insn->a + 2, ktap_bit(INT));
		verifier_write_regs(v, insn->a + 2, insn->a + 3,
				    v->regs[insn->a + 2] | ktap_opdefs[insn->op].result);
		verifier_write_regs(v, insn->a + 3, insn->a + 5, ktap_opdefs[insn->op].result);
		return err;
	case KTAP_OP_FORPREP:
	case KTAP_OP_FORLOOP:
		err = verifier_read_regs(v, pc, insn->a, 3);
		verifier_write_regs(v, insn->a, insn->a + 4, ktap_opdefs[insn->op].result);
		return err;
	case KTAP_OP_CALL:
	case KTAP_OP_CALLV:
		return verifier_step_call(v, pc, insn);
	case KTAP_OP_CALLB:
	case KTAP_OP_KERNEL:
	case KTAP_OP_KANY:
		return verifier_step_builtin(v, pc, insn, out);
	case KTAP_OP_RET:
		return verifier_read_regs(v, pc, insn->a, verifier_nfixed(insn, insn->a, insn->b));
	case KTAP_OP_VARG:
		verifier_step_varargs(v, insn);
		return 0;
	case KTAP_OP_TSETM:
		return verifier_read_regs(v, pc, insn->b, verifier_nfixed(insn, insn->b, 0));
	default:
		return 0;
	}
}

static int verifier_step_types(struct verifier *v, u32 pc, struct ktap_typed *out)
{
	int err;

	v->typing.work = 0;
	err = ktap_typing_step(&v->typing, v->func - v->prog->funcs, pc, v->regs, v->known, out);
	return err ?: verifier_charge(v, pc, v->typing.work);
}

static u8 verifier_other(const struct verifier *v, u32 reg, u8 operand)
{
	return v->regs[reg] == ktap_bit(INT) ? 0 : operand;
}

static bool verifier_is_reg(u8 operand)
{
	return operand == KTAP_X_READ || operand == KTAP_X_WRITE || operand == KTAP_X_REG;
}

/*
 * Note which operands may be no integers.  An instruction is visited again
 * when more types are known to be possible.
 */
static void verifier_note_others(struct verifier *v, u32 pc)
{
	const struct ktap_code *insn = &v->prog->code[pc];
	const struct ktap_opdef *op = &ktap_opdefs[insn->op];
	u8 others = 0, i;

	if (op->a == KTAP_X_FOR) {
		for (i = 0; i < 4; i++)
			others |= verifier_other(v, insn->a + i, BIT(i));
	} else {
		if (verifier_is_reg(op->a))
			others |= verifier_other(v, insn->a, KTAP_OTHER_A);
		if (verifier_is_reg(op->b))
			others |= verifier_other(v, insn->b, KTAP_OTHER_B);
		if (verifier_is_reg(op->c))
			others |= verifier_other(v, insn->c, KTAP_OTHER_C);
		if (op->a == KTAP_X_READ &&
		    (v->regs[insn->a] & ~(ktap_bit(INT) | ktap_bit(NIL)) ||
		     v->known[insn->a] == KTAP_FACT_HINT))
			others |= KTAP_NO_NUMBER;
	}
	v->prog->others[pc] |= others;
}

static int verifier_step(struct verifier *v, u32 pc)
{
	const struct ktap_code *insn = &v->prog->code[pc];
	const struct ktap_opdef *op = &ktap_opdefs[insn->op];
	struct ktap_typed out = { .tags = op->result };
	int err = 0;

	verifier_note_others(v, pc);
	if (op->a == KTAP_X_READ)
		err = verifier_read_reg(v, pc, insn->a);
	if (!err && op->b == KTAP_X_READ)
		err = verifier_read_reg(v, pc, insn->b);
	if (!err && op->c == KTAP_X_READ)
		err = verifier_read_reg(v, pc, insn->c);
	if (!err)
		err = verifier_step_types(v, pc, &out);
	if (!err)
		err = verifier_step_own(v, pc, insn, &out);
	if (!err && op->a == KTAP_X_WRITE) {
		v->regs[insn->a] = out.tags;
		v->known[insn->a] = out.fact;
	}
	return err;
}

/* Merge facts where paths meet.  @state is not yet updated. */
static bool verifier_unite_facts(struct verifier *v, const u16 *state, const u16 *regs,
				 const u32 *known, u32 *facts)
{
	bool lost = false;
	u32 i, fact;

	for (i = 0; i < v->func->nregs; i++) {
		fact = ktap_typing_unite(state[i], facts[i], regs[i], known[i]);
		lost |= fact != facts[i];
		facts[i] = fact;
	}
	return lost;
}

/*
 * Unite the sets with those at a target, and queue it if they have grown.
 * @known: facts, or NULL if there are none
 */
static int verifier_flow_to(struct verifier *v, u32 pc, const u16 *regs, const u32 *known, u32 to)
{
	static const u32 nothing[KTAP_MAX_REGS];
	u32 n = v->target[to - v->func->first] - 1, nregs = v->func->nregs, i;
	u16 *state = v->state + (size_t)n * nregs;
	bool grown = state[0] == UNSEEN;
	int err;

	err = verifier_charge(v, pc, nregs / 8);
	if (err)
		return err;
	if (v->facts)
		grown |= verifier_unite_facts(v, state, regs, known ?: nothing,
					      v->facts + (size_t)n * nregs);
	for (i = 0; i < nregs; i++) {
		grown |= regs[i] & ~state[i];
		state[i] |= regs[i];
	}
	if (grown && !v->queued[n]) {
		v->queued[n] = true;
		v->queue[(v->head + v->nqueued++) % v->ntargets] = to;
	}
	return 0;
}

/* Registers @first to @end - 1 are undefined after a failed instruction. */
static void verifier_spoiled(const struct verifier *v, const struct ktap_code *insn, u32 *first,
			     u32 *end)
{
	*first = insn->a;
	*end = insn->a;
	switch (insn->op) {
	case KTAP_OP_CALL:
	case KTAP_OP_CALLV:
		*end = v->func->nregs;
		break;
	case KTAP_OP_CALLB:
	case KTAP_OP_KERNEL:
	case KTAP_OP_KANY:
		*end += max_t(u32, verifier_nfixed(insn, insn->a, insn->b), 1);
		break;
	case KTAP_OP_NEXT:
		*end += 5;
		break;
	}
}

/*
 * If the instruction fails and the error is caught, the handler may read the
 * registers written before it.  Their types are not tracked.
 */
static int verifier_flow_if_it_fails(struct verifier *v, u32 pc)
{
	const struct ktap_catch *catch = ktap_catch_at(v->prog, pc);
	u32 i, first, end;

	if (!catch)
		return 0;
	for (i = 0; i < v->func->nregs; i++)
		v->failed[i] = v->regs[i] & UNWRITTEN ? UNWRITTEN : VERIFIER_ANY;
	verifier_spoiled(v, &v->prog->code[pc], &first, &end);
	verifier_set_regs(v->failed, first, end, UNWRITTEN);
	v->failed[catch->reg] = ktap_bit(STR);
	return verifier_flow_to(v, pc, v->failed, NULL, catch->handler);
}

/* Number of registers that it may read or write, if they may be many. */
static u32 verifier_span(const struct verifier *v, const struct ktap_code *insn)
{
	switch (insn->op) {
	case KTAP_OP_NIL:
		return insn->b - insn->a;
	case KTAP_OP_CONCAT:
	case KTAP_OP_TUPLE:
		return insn->c;
	case KTAP_OP_CALL:
	case KTAP_OP_CALLV:
	case KTAP_OP_VARG:
		return v->func->nregs - insn->a;
	case KTAP_OP_TSETM:
		return v->func->nregs - insn->b;
	default:
		return 0;
	}
}

/* Follow the code from a target until its path ends or meets another one. */
static int verifier_follow(struct verifier *v, u32 pc)
{
	const struct ktap_code *insn;
	int err;

	for (;; pc++) {
		insn = &v->prog->code[pc];
		err = verifier_charge(v, pc, 1 + verifier_span(v, insn) / 8);
		if (!err)
			err = verifier_flow_if_it_fails(v, pc);
		if (!err)
			err = verifier_step(v, pc);
		if (!err && ktap_is_jump(insn))
			err = verifier_flow_to(v, pc, v->regs, v->known, pc + 1 + insn->d);
		if (err || ktap_opdefs[insn->op].flags & KTAP_OPF_ENDS)
			return err;
		if (v->target[pc + 1 - v->func->first])
			return verifier_flow_to(v, pc, v->regs, v->known, pc + 1);
	}
}

static void verifier_number_target(struct verifier *v, u32 to)
{
	if (!v->target[to])
		v->target[to] = ++v->ntargets;
}

/*
 * Number the instructions where paths meet: the entry, targets of jumps, and
 * handlers of errors.
 */
static void verifier_number_targets(struct verifier *v)
{
	const struct ktap_code *code = v->prog->code + v->func->first;
	const struct ktap_catch *catch;
	u32 pc;

	v->ntargets = 0;
	verifier_number_target(v, 0);
	for (pc = 0; pc < v->func->ninsns; pc++) {
		if (ktap_is_jump(&code[pc]))
			verifier_number_target(v, pc + 1 + code[pc].d);
		catch = ktap_catch_at(v->prog, v->func->first + pc);
		if (catch)
			verifier_number_target(v, catch->handler - v->func->first);
	}
}

/* Open values come only from the instruction before. */
static int verifier_check_ways(struct verifier *v)
{
	u32 i, pc;

	for (i = 0; i < v->func->ninsns; i++) {
		pc = v->func->first + i;
		if (v->target[i] && ktap_takes_open(&v->prog->code[pc]))
			return ktap_refuse(v, pc,
					   "instruction %u takes open values, and is jumped to",
					   pc);
	}
	return 0;
}

static int verifier_run_to_fixed_point(struct verifier *v)
{
	u32 to, n;
	int err;

	/* Parameters have any type; missing ones are nil. */
	verifier_write_regs(v, 0, v->func->nparams, VERIFIER_ANY);
	verifier_write_regs(v, v->func->nparams, v->func->nregs, UNWRITTEN);
	err = verifier_flow_to(v, v->func->first, v->regs, v->known, v->func->first);
	while (!err && v->nqueued) {
		to = v->queue[v->head];
		v->head = (v->head + 1) % v->ntargets;
		v->nqueued--;
		n = v->target[to - v->func->first] - 1;
		v->queued[n] = false;
		memcpy(v->regs, v->state + (size_t)n * v->func->nregs,
		       v->func->nregs * sizeof(*v->regs));
		if (v->facts)
			memcpy(v->known, v->facts + (size_t)n * v->func->nregs,
			       v->func->nregs * sizeof(*v->known));
		err = verifier_follow(v, to);
	}
	return err;
}

static int verifier_allocate_states(struct verifier *v)
{
	size_t nstate = (size_t)v->ntargets * v->func->nregs;

	if (nstate > MAX_STATE)
		return verifier_charge(v, v->func->first, U32_MAX);
	v->state = kvcalloc(nstate, sizeof(*v->state), KTAP_GFP);
	v->queued = kvcalloc(v->ntargets, sizeof(*v->queued), KTAP_GFP);
	v->queue = kvcalloc(v->ntargets, sizeof(*v->queue), KTAP_GFP);
	if (v->typing.notes)
		v->facts = kvcalloc(nstate, sizeof(*v->facts), KTAP_GFP);
	if (v->typing.notes && !v->facts)
		return -ENOMEM;
	return v->state && v->queued && v->queue ? 0 : -ENOMEM;
}

static int verifier_check_flow(struct verifier *v)
{
	int err;

	v->head = 0;
	v->nqueued = 0;
	v->state = NULL;
	v->facts = NULL;
	v->queued = NULL;
	v->queue = NULL;
	v->target = kvcalloc(v->func->ninsns, sizeof(*v->target), KTAP_GFP);
	if (!v->target)
		return -ENOMEM;
	verifier_number_targets(v);
	err = verifier_check_ways(v);
	if (!err)
		err = verifier_allocate_states(v);
	if (!err)
		err = verifier_run_to_fixed_point(v);
	kvfree(v->queue);
	kvfree(v->queued);
	kvfree(v->facts);
	kvfree(v->state);
	kvfree(v->target);
	return err;
}

/* Parts of the session that an instruction needs, except the text of events. */
static u32 verifier_uses_of(const struct ktap_code *insn)
{
	if (insn->op == KTAP_OP_CALLB)
		return ktap_builtins[insn->d].uses & ~KTAP_USES_ARGSTR;
	return ktap_opdefs[insn->op].uses;
}

static int verifier_add_up_work(struct ktap_program *prog)
{
	struct ktap_func *f;
	u32 i;

	prog->work = kvmalloc_array(prog->ninsns + 1, sizeof(*prog->work), KTAP_GFP);
	if (!prog->work)
		return -ENOMEM;
	prog->work[0] = 0;
	for (i = 0; i < prog->ninsns; i++)
		prog->work[i + 1] = prog->work[i] + ktap_insn_work(&prog->code[i]);
	for (i = 0; i < prog->nfuncs; i++) {
		f = &prog->funcs[i];
		f->cost = ktap_straight_cost(prog, f->first, f->first + f->ninsns);
	}
	return 0;
}

static void verifier_find_uses(struct ktap_program *prog)
{
	u32 i;

	if (prog->nglobals)
		prog->uses |= KTAP_USES_HEAP;
	for (i = 0; i < prog->ninsns; i++)
		prog->uses |= verifier_uses_of(&prog->code[i]);
}

/* Mark the functions that are values. */
static void verifier_find_values(struct ktap_program *prog)
{
	u32 pc;

	for (pc = 0; pc < prog->ninsns; pc++) {
		if (prog->code[pc].op == KTAP_OP_FUNC)
			prog->funcs[prog->code[pc].d].is_value = true;
	}
}

int ktap_verify(struct ktap_program *prog, struct ktap_diag *diag)
{
	struct verifier *v;
	int err = 0;
	u32 i;

	v = kvcalloc(1, sizeof(*v), KTAP_GFP);
	if (!v)
		return -ENOMEM;
	v->prog = prog;
	v->diag = diag;
	v->work = MAX_WORK;
	prog->others = kvzalloc(prog->ninsns, KTAP_GFP);
	err = prog->others ? ktap_typing_begin(&v->typing, prog, diag) : -ENOMEM;
	for (i = 0; i < prog->nfuncs && !err; i++) {
		v->func = &prog->funcs[i];
		err = ktap_check_code(v);
		if (!err)
			err = verifier_check_flow(v);
	}
	if (!err) {
		verifier_find_uses(prog);
		verifier_find_values(prog);
		ktap_rewrite_values(prog);
		err = verifier_add_up_work(prog) ?: ktap_rewrite_sums(prog) ?:
		      ktap_find_steady(prog);
	}
	if (!err) {
		ktap_typing_apply(&v->typing);
		ktap_rewrite_loops(prog);
		ktap_rewrite_tail_calls(prog);
	}
	ktap_typing_end(&v->typing);
	kvfree(v);
	return err;
}
