// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier: what it lets through can be run.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "builtin.h"
#include "verifier.h"

/**
 * DOC: What the verifier guarantees
 *
 * For each instruction, wherever it stands (verifier_insn.c):
 *
 * - The opcode and the built-in function exist; fields that are not used are
 *   zero; every index is in range.
 * - The registers it names are registers of its function, those it implies
 *   (arguments, results, the parts of a concatenation, the five registers of an
 *   iteration) included.
 * - A jump lands in its function, and the last instruction of a function is RET
 *   or JMP: control does not run off its end.
 * - A built-in gets a number of arguments that it takes.
 * - Open values (KTAP_MULTI) are taken by the instruction behind the one that
 *   gives them, and by no other; there is no other way to it.  Variable
 *   arguments are asked for in a variadic function only.
 * - Its errors are caught, if they are, in its own function.
 *
 * For each instruction that can be reached (here):
 *
 * - A register was written on every way that leads there before it is read.
 *   One way leads from each instruction to where its errors are caught: with
 *   what was written before it, less what it may have spoiled.
 * - An argument of a built-in has a chance to be of a type that it takes.
 *
 * The latter are found by abstract interpretation: for each register the set of
 * types it may have, and whether it may be unwritten.  Where ways meet, the sets
 * are united.  They only ever grow, so this ends; how long it may take is
 * bounded besides (MAX_WORK).
 *
 * In the same way goes, beside the types of a register, what it points to, if
 * that is known (typing.c).  There it ends too: facts are only ever lost.
 *
 * Left to run time: types that may or may not fit, how many open values there
 * are, room on the stack, division by zero, and how long a run takes.
 */

/* In a register's set: it may be unwritten. */
#define UNWRITTEN	BIT(15)
#define ANY		GENMASK(KTAP_NR_TAGS - 1, 0)

static_assert(KTAP_NR_TAGS <= 15);

/*
 * Instructions, registers and members looked at, for a whole chunk; and sets kept for
 * a function.
 */
#define MAX_WORK	(64U << 20)
#define MAX_STATE	(4U << 20)

/* No set is empty. */
#define UNSEEN		0

/* So much is done in less than a millisecond. */
#define WORK_AT_ONCE	4096

/* Pays for work, makes room for who waits for this CPU, and ends with the process. */
static int charge(struct verifier *v, u32 pc, u32 work)
{
	u32 left = v->work;

	if (left < work) {
		ktap_diag_at(v->diag, v->prog, pc, "function %s is too complex", v->func->name);
		return -E2BIG;
	}
	v->work = left - work;
	/* To ask takes longer than most work does. */
	if (left / WORK_AT_ONCE == v->work / WORK_AT_ONCE)
		return 0;
	cond_resched();
	return fatal_signal_pending(current) ? -EINTR : 0;
}

static int read_reg(struct verifier *v, u32 pc, u32 reg)
{
	if (!(v->regs[reg] & UNWRITTEN))
		return 0;
	return ktap_refuse(v, pc,
			   "instruction %u reads register %u, which may be unwritten", pc, reg);
}

static int read_regs(struct verifier *v, u32 pc, u32 first, u32 n)
{
	int err;
	u32 i;

	for (i = first; i < first + n; i++) {
		err = read_reg(v, pc, i);
		if (err)
			return err;
	}
	return 0;
}

static void set_regs(u16 *regs, u32 first, u32 end, u16 set)
{
	for (; first < end; first++)
		regs[first] = set;
}

/* They are written: what was known is gone. */
static void write_regs(struct verifier *v, u32 first, u32 end, u16 set)
{
	set_regs(v->regs, first, end, set);
	memset(v->known + first, 0, (end - first) * sizeof(*v->known));
}

/* Values from register @first on that an instruction takes, open ones left out. */
static u32 nfixed(const struct ktap_code *insn, u32 first, u32 n)
{
	return ktap_takes_open(insn) ? insn[-1].a - first : n;
}

/* Will somebody look at an event's text? */
static bool shows_text(u32 id, u16 args)
{
	switch (id) {
	case KTAP_FN_ARGSTR:
		return true;
	case KTAP_FN_PRINT:
	case KTAP_FN_PRINTF:
	case KTAP_FN_FORMAT:
	case KTAP_FN_TOSTRING:
	case KTAP_FN_STRINGOF:
	case KTAP_FN_SYSTEM:
		return args & (ktap_bit(EVENT) | ktap_bit(ARGSTR));
	default:
		return false;
	}
}

/* @out: what is known of its result, beside what its table says */
static int step_builtin(struct verifier *v, u32 pc, const struct ktap_code *insn,
			const struct ktap_typed *out)
{
	const struct ktap_builtin *fn = &ktap_builtins[insn->d];
	u32 i, n = nfixed(insn, insn->a, insn->b);
	u16 args = ktap_takes_open(insn) ? ANY : 0;
	int err;

	err = read_regs(v, pc, insn->a, n);
	if (err)
		return err;
	for (i = 0; i < n; i++) {
		u16 set = v->regs[insn->a + i];
		const struct ktap_value any = { .tag = __ffs(set) };

		args |= set;
		if (i < ARRAY_SIZE(fn->args) && fn->args[i] && !(fn->args[i] & set))
			return ktap_refuse(v, pc,
					   "%s: argument %u is %s, which it does not take",
					   fn->name, i + 1, ktap_type_name(&any));
	}
	if (shows_text(insn->d, args))
		v->prog->uses |= KTAP_USES_ARGSTR;
	/* It may have made other values of its arguments. */
	write_regs(v, insn->a, insn->a + n, UNWRITTEN);
	v->regs[insn->a] = out->tags ?: fn->result;
	v->known[insn->a] = out->fact;
	return 0;
}

static int step_call(struct verifier *v, u32 pc, const struct ktap_code *insn, u32 first)
{
	int err;

	err = read_regs(v, pc, insn->a, nfixed(insn, insn->a, insn->b + first));
	if (err)
		return err;
	write_regs(v, insn->a, v->func->nregs, UNWRITTEN);
	if (!ktap_gives_open(insn))
		write_regs(v, insn->a, insn->a + insn->c, ANY);
	return 0;
}

static void step_varargs(struct verifier *v, const struct ktap_code *insn)
{
	if (ktap_gives_open(insn))
		write_regs(v, insn->a, v->func->nregs, UNWRITTEN);
	else
		write_regs(v, insn->a, insn->a + insn->c, ANY);
}

/* Instructions whose registers no table describes. */
static int step_own(struct verifier *v, u32 pc, const struct ktap_code *insn,
		    const struct ktap_typed *out)
{
	int err;

	switch (insn->op) {
	case KTAP_OP_NIL:
		write_regs(v, insn->a, insn->b + 1, ktap_bit(NIL));
		return 0;
	case KTAP_OP_MOV:
		v->regs[insn->a] = v->regs[insn->b];
		v->known[insn->a] = v->known[insn->b];
		return 0;
	case KTAP_OP_CONCAT:
	case KTAP_OP_TUPLE:
		return read_regs(v, pc, insn->b, insn->c);
	case KTAP_OP_ITER:
		write_regs(v, insn->a + 1, insn->a + 2, ktap_bit(INT));
		write_regs(v, insn->a + 2, insn->a + 3, ktap_bit(NIL));
		return read_reg(v, pc, insn->a);
	case KTAP_OP_NEXT:
		err = read_regs(v, pc, insn->a, 3);
		/* Its place: the number, and the key, of the last entry. */
		write_regs(v, insn->a + 1, insn->a + 2, ktap_bit(INT));
		write_regs(v, insn->a + 2, insn->a + 3,
			   v->regs[insn->a + 2] | ktap_opdefs[insn->op].result);
		write_regs(v, insn->a + 3, insn->a + 5, ktap_opdefs[insn->op].result);
		return err;
	case KTAP_OP_FORPREP:
	case KTAP_OP_FORLOOP:
		err = read_regs(v, pc, insn->a, 3);
		write_regs(v, insn->a, insn->a + 4, ktap_opdefs[insn->op].result);
		return err;
	case KTAP_OP_CALL:
		return step_call(v, pc, insn, 0);
	case KTAP_OP_CALLV:
		return step_call(v, pc, insn, 1);
	case KTAP_OP_CALLB:
		return step_builtin(v, pc, insn, out);
	case KTAP_OP_RET:
		return read_regs(v, pc, insn->a, nfixed(insn, insn->a, insn->b));
	case KTAP_OP_VARG:
		step_varargs(v, insn);
		return 0;
	case KTAP_OP_TSETM:
		return read_regs(v, pc, insn->b, nfixed(insn, insn->b, 0));
	default:
		return 0;
	}
}

static int step_types(struct verifier *v, u32 pc, struct ktap_typed *out)
{
	int err;

	v->typing.work = 0;
	err = ktap_typing_step(&v->typing, v->func - v->prog->funcs, pc, v->regs, v->known, out);
	return err ?: charge(v, pc, v->typing.work);
}

static int step(struct verifier *v, u32 pc)
{
	const struct ktap_code *insn = &v->prog->code[pc];
	const struct ktap_opdef *op = &ktap_opdefs[insn->op];
	struct ktap_typed out = { .tags = op->result };
	int err = 0;

	if (op->a == KTAP_X_READ)
		err = read_reg(v, pc, insn->a);
	if (!err && op->b == KTAP_X_READ)
		err = read_reg(v, pc, insn->b);
	if (!err && op->c == KTAP_X_READ)
		err = read_reg(v, pc, insn->c);
	if (!err)
		err = step_types(v, pc, &out);
	if (!err)
		err = step_own(v, pc, insn, &out);
	if (!err && op->a == KTAP_X_WRITE) {
		v->regs[insn->a] = out.tags;
		v->known[insn->a] = out.fact;
	}
	return err;
}

/* Facts are lost where ways meet that know different ones.  @state is as it was. */
static bool unite_facts(struct verifier *v, const u16 *state, const u16 *regs, const u32 *known,
			u32 *facts)
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
 * Unites the sets with those at a target; if they grow, it is looked at again.
 * @known: facts, or NULL if there are none
 */
static int flow_to(struct verifier *v, u32 pc, const u16 *regs, const u32 *known, u32 to)
{
	static const u32 nothing[KTAP_MAX_REGS];
	u32 n = v->target[to - v->func->first] - 1, nregs = v->func->nregs, i;
	u16 *state = v->state + (size_t)n * nregs;
	bool grown = state[0] == UNSEEN;
	int err;

	err = charge(v, pc, nregs / 8);
	if (err)
		return err;
	if (v->facts)
		grown |= unite_facts(v, state, regs, known ?: nothing,
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

/* The registers from which on, and up to which, a failed instruction leaves anything. */
static void spoiled(const struct verifier *v, const struct ktap_code *insn, u32 *first, u32 *end)
{
	*first = insn->a;
	*end = insn->a;
	switch (insn->op) {
	case KTAP_OP_CALL:
	case KTAP_OP_CALLV:
		*end = v->func->nregs;
		break;
	case KTAP_OP_CALLB:
		*end += max_t(u32, nfixed(insn, insn->a, insn->b), 1);
		break;
	case KTAP_OP_NEXT:
		*end += 5;
		break;
	}
}

/*
 * If the instruction fails, and that is caught, the handler finds what was
 * written before.  Of what type it is nobody knows: that is worth nothing there.
 */
static int flow_if_it_fails(struct verifier *v, u32 pc)
{
	const struct ktap_catch *catch = ktap_catch_at(v->prog, pc);
	u32 i, first, end;

	if (!catch)
		return 0;
	for (i = 0; i < v->func->nregs; i++)
		v->failed[i] = v->regs[i] & UNWRITTEN ? UNWRITTEN : ANY;
	spoiled(v, &v->prog->code[pc], &first, &end);
	set_regs(v->failed, first, end, UNWRITTEN);
	v->failed[catch->reg] = ktap_bit(STR);
	return flow_to(v, pc, v->failed, NULL, catch->handler);
}

/* How many registers it may look at or write, if they may be many. */
static u32 span(const struct verifier *v, const struct ktap_code *insn)
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

/* Follows the code from a target to where its way ends or meets another. */
static int follow(struct verifier *v, u32 pc)
{
	const struct ktap_code *insn;
	int err;

	for (;; pc++) {
		insn = &v->prog->code[pc];
		err = charge(v, pc, 1 + span(v, insn) / 8);
		if (!err)
			err = flow_if_it_fails(v, pc);
		if (!err)
			err = step(v, pc);
		if (!err && ktap_is_jump(insn))
			err = flow_to(v, pc, v->regs, v->known, pc + 1 + insn->d);
		if (err || insn->op == KTAP_OP_RET || insn->op == KTAP_OP_JMP)
			return err;
		if (v->target[pc + 1 - v->func->first])
			return flow_to(v, pc, v->regs, v->known, pc + 1);
	}
}

static void number_target(struct verifier *v, u32 to)
{
	if (!v->target[to])
		v->target[to] = ++v->ntargets;
}

/*
 * Gives each instruction where ways meet a number: the entry, what is jumped
 * to, and where errors are caught.
 */
static void number_targets(struct verifier *v)
{
	const struct ktap_code *code = v->prog->code + v->func->first;
	const struct ktap_catch *catch;
	u32 pc;

	v->ntargets = 0;
	number_target(v, 0);
	for (pc = 0; pc < v->func->ninsns; pc++) {
		if (ktap_is_jump(&code[pc]))
			number_target(v, pc + 1 + code[pc].d);
		catch = ktap_catch_at(v->prog, v->func->first + pc);
		if (catch)
			number_target(v, catch->handler - v->func->first);
	}
}

/* Open values come from the instruction before, and from nowhere else. */
static int check_ways(struct verifier *v)
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

static int run_to_fixed_point(struct verifier *v)
{
	u32 to, n;
	int err;

	/* Parameters may be anything; what is not passed is nil. */
	write_regs(v, 0, v->func->nparams, ANY);
	write_regs(v, v->func->nparams, v->func->nregs, UNWRITTEN);
	err = flow_to(v, v->func->first, v->regs, v->known, v->func->first);
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
		err = follow(v, to);
	}
	return err;
}

static int allocate_states(struct verifier *v)
{
	size_t nstate = (size_t)v->ntargets * v->func->nregs;

	if (nstate > MAX_STATE)
		return charge(v, v->func->first, U32_MAX);
	v->state = kvcalloc(nstate, sizeof(*v->state), GFP_KERNEL);
	v->queued = kvcalloc(v->ntargets, sizeof(*v->queued), GFP_KERNEL);
	v->queue = kvcalloc(v->ntargets, sizeof(*v->queue), GFP_KERNEL);
	if (v->typing.notes)
		v->facts = kvcalloc(nstate, sizeof(*v->facts), GFP_KERNEL);
	if (v->typing.notes && !v->facts)
		return -ENOMEM;
	return v->state && v->queued && v->queue ? 0 : -ENOMEM;
}

static int check_flow(struct verifier *v)
{
	int err;

	v->head = 0;
	v->nqueued = 0;
	v->state = NULL;
	v->facts = NULL;
	v->queued = NULL;
	v->queue = NULL;
	v->target = kvcalloc(v->func->ninsns, sizeof(*v->target), GFP_KERNEL);
	if (!v->target)
		return -ENOMEM;
	number_targets(v);
	err = check_ways(v);
	if (!err)
		err = allocate_states(v);
	if (!err)
		err = run_to_fixed_point(v);
	kvfree(v->queue);
	kvfree(v->queued);
	kvfree(v->facts);
	kvfree(v->state);
	kvfree(v->target);
	return err;
}

/* What it takes to run an instruction. */
static u32 uses_of(const struct ktap_code *insn)
{
	switch (insn->op) {
	case KTAP_OP_NEWT:
		return KTAP_USES_HEAP;
	case KTAP_OP_GETSELF:
		return KTAP_USES_SELF;
	case KTAP_OP_SETSELF:
	case KTAP_OP_ADDSELF:
		return KTAP_USES_SELF | KTAP_USES_HEAP;
	case KTAP_OP_CALLB:
		if (insn->d >= KTAP_FN_SPECULATION && insn->d <= KTAP_FN_DISCARD)
			return KTAP_USES_SPECULATION;
		if (ktap_builtins[insn->d].result & (ktap_bit(TABLE) | ktap_bit(AGG)))
			return KTAP_USES_HEAP;
		if (insn->d == KTAP_FN_USTACK || insn->d == KTAP_FN_USYM)
			return KTAP_USES_USER_CODE;
		return 0;
	default:
		return 0;
	}
}

static int add_up_work(struct ktap_program *prog)
{
	u32 i;

	prog->work = kvmalloc_array(prog->ninsns + 1, sizeof(*prog->work), KTAP_GFP);
	if (!prog->work)
		return -ENOMEM;
	prog->work[0] = 0;
	for (i = 0; i < prog->ninsns; i++)
		prog->work[i + 1] = prog->work[i] + ktap_insn_work(&prog->code[i]);
	return 0;
}

static void find_uses(struct ktap_program *prog)
{
	u32 i;

	if (prog->nglobals)
		prog->uses |= KTAP_USES_HEAP;
	for (i = 0; i < prog->ninsns; i++)
		prog->uses |= uses_of(&prog->code[i]);
}

int ktap_verify(struct ktap_program *prog, struct ktap_diag *diag)
{
	struct verifier *v;
	int err = 0;
	u32 i;

	v = kvcalloc(1, sizeof(*v), GFP_KERNEL);
	if (!v)
		return -ENOMEM;
	v->prog = prog;
	v->diag = diag;
	v->work = MAX_WORK;
	err = ktap_typing_begin(&v->typing, prog, diag);
	for (i = 0; i < prog->nfuncs && !err; i++) {
		v->func = &prog->funcs[i];
		err = ktap_check_code(v);
		if (!err)
			err = check_flow(v);
	}
	if (!err)
		err = add_up_work(prog);
	if (!err) {
		find_uses(prog);
		ktap_typing_apply(&v->typing);
	}
	ktap_typing_end(&v->typing);
	kvfree(v);
	return err;
}
