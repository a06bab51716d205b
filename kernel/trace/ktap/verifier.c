// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier: what it lets through can be run.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#include "builtin.h"
#include "opcode.h"
#include "table.h"

/**
 * DOC: What the verifier guarantees
 *
 * For each instruction, wherever it stands:
 *
 * - The opcode and the built-in function exist; fields that are not used are
 *   zero; every index is in range.
 * - The registers it names are registers of its function, those it implies
 *   (arguments, results, the parts of a concatenation, the five registers of an
 *   iteration) included.
 * - A jump lands in its function, and the last instruction of a function is RET
 *   or JMP: control does not run off its end.
 * - A built-in gets a number of arguments that it takes.
 *
 * For each instruction that can be reached:
 *
 * - A register was written on every way that leads there before it is read.
 * - An argument of a built-in has a chance to be of a type that it takes.
 *
 * The latter are found by abstract interpretation: for each register the set of
 * types it may have, and whether it may be unwritten.  Where ways meet, the sets
 * are united.  They only ever grow, so this ends; how long it may take is
 * bounded besides (MAX_WORK).
 *
 * Left to run time: types that may or may not fit, room on the stack, division
 * by zero, and how long a run takes.
 */

/* In a register's set: it may be unwritten. */
#define UNWRITTEN	BIT(15)
#define ANY		GENMASK(KTAP_NR_TAGS - 1, 0)

static_assert(KTAP_NR_TAGS < 15);

/* Instructions and registers looked at, for a whole chunk; and sets kept for a function. */
#define MAX_WORK	(64U << 20)
#define MAX_STATE	(4U << 20)

/**
 * struct verifier - the function being verified
 * @prog: program
 * @diag: what is wrong
 * @func: function
 * @target: by instruction of @func: its number among those where ways meet, from
 *	1, or 0
 * @state: sets of the registers there, @func->nregs each; the first is UNSEEN
 *	if no way was found yet
 * @queued: by number: to be looked at (again)
 * @queue: ring of numbers to look at
 * @ntargets: number of @target's
 * @head: first place of @queue
 * @nqueued: numbers in @queue
 * @regs: the sets at the instruction being looked at
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
	u16 regs[KTAP_MAX_REGS];
	u32 work;
};

/* No set is empty. */
#define UNSEEN		0

static __printf(3, 4) int fail(struct verifier *v, u32 pc, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ktap_vdiag_at(v->diag, v->prog, pc, fmt, args);
	va_end(args);
	return -EINVAL;
}

static int check_register(struct verifier *v, u32 pc, u32 reg)
{
	if (reg < v->func->nregs)
		return 0;
	return fail(v, pc, "register %u of %u in instruction %u", reg, v->func->nregs, pc);
}

/* The @n registers from @first; none is fine anywhere. */
static int check_registers(struct verifier *v, u32 pc, u32 first, u32 n)
{
	return n ? check_register(v, pc, first + n - 1) : 0;
}

static int check_index(struct verifier *v, u32 pc, const char *what, s32 index, u32 n)
{
	if (index >= 0 && index < n)
		return 0;
	return fail(v, pc, "%s %d of %u in instruction %u", what, index, n, pc);
}

static int check_jump(struct verifier *v, u32 pc, s32 distance)
{
	s64 to = (s64)pc + 1 + distance - v->func->first;

	if (to >= 0 && to < v->func->ninsns)
		return 0;
	return fail(v, pc, "jump out of function %s in instruction %u", v->func->name, pc);
}

static int check_field(struct verifier *v, u32 pc, unsigned int kind, u8 field)
{
	switch (kind) {
	case KTAP_X_NONE:
		if (field)
			return fail(v, pc, "instruction %u (%s) sets a field that it does not use",
				    pc, ktap_opcode_name(v->prog->code[pc].op));
		return 0;
	case KTAP_X_READ:
	case KTAP_X_WRITE:
		return check_register(v, pc, field);
	default:
		return 0;
	}
}

static int check_operand(struct verifier *v, u32 pc, unsigned int kind, s32 d)
{
	const struct ktap_program *prog = v->prog;

	switch (kind) {
	case KTAP_X_NONE:
		if (d)
			return fail(v, pc, "instruction %u (%s) sets a field that it does not use",
				    pc, ktap_opcode_name(prog->code[pc].op));
		return 0;
	case KTAP_X_DIVISOR:
		return d ? 0 : fail(v, pc, "division by zero");
	case KTAP_X_INT:
		return check_index(v, pc, "integer", d, prog->nints);
	case KTAP_X_STR:
		return check_index(v, pc, "string", d, prog->nstrings);
	case KTAP_X_FUNC:
		return check_index(v, pc, "function", d, prog->nfuncs);
	case KTAP_X_GLOBAL:
		return check_index(v, pc, "global", d, prog->nglobals);
	case KTAP_X_FIELD:
		return check_index(v, pc, "field", d, prog->nown_fields);
	case KTAP_X_JUMP:
		return check_jump(v, pc, d);
	default:
		return 0;
	}
}

static int check_builtin(struct verifier *v, u32 pc, const struct ktap_code *insn)
{
	const struct ktap_builtin *fn;

	if (insn->d < 0 || insn->d >= KTAP_NR_FUNCTIONS || !ktap_builtins[insn->d].fn)
		return fail(v, pc, "this kernel has no built-in function %d", insn->d);
	fn = &ktap_builtins[insn->d];
	if (insn->b < fn->min || insn->b > fn->max)
		return fail(v, pc, "%s takes %u to %u arguments, got %u", fn->name, fn->min,
			    fn->max, insn->b);
	/* One at least, for the result. */
	return check_registers(v, pc, insn->a, max_t(u32, insn->b, 1));
}

static int check_call(struct verifier *v, u32 pc, const struct ktap_code *insn, u32 first)
{
	if (insn->b > KTAP_MAX_ARGS)
		return fail(v, pc, "a call with %u arguments; %u is the most", insn->b,
			    KTAP_MAX_ARGS);
	/* The frame of the callee begins there: a register, even if unused. */
	return check_register(v, pc, insn->a) ?:
	       check_registers(v, pc, insn->a, insn->b + first) ?:
	       check_registers(v, pc, insn->a, insn->c);
}

/* The rules that no table holds. */
static int check_own_rule(struct verifier *v, u32 pc, const struct ktap_code *insn)
{
	switch (insn->op) {
	case KTAP_OP_NIL:
		if (insn->a > insn->b)
			return fail(v, pc, "instruction %u: registers %u to %u", pc, insn->a,
				    insn->b);
		return check_register(v, pc, insn->b);
	case KTAP_OP_BOOL:
		return check_index(v, pc, "boolean", insn->b, 2);
	case KTAP_OP_MOV:
		return check_register(v, pc, insn->a);
	case KTAP_OP_CONCAT:
	case KTAP_OP_TUPLE:
		if (insn->c < (insn->op == KTAP_OP_TUPLE ? 2 : 1))
			return fail(v, pc, "instruction %u: %u parts", pc, insn->c);
		return check_registers(v, pc, insn->b, insn->c);
	case KTAP_OP_NEWT:
		return check_index(v, pc, "table size", insn->d, KTAP_TABLE_LIMIT + 1);
	case KTAP_OP_ITER:
	case KTAP_OP_NEXT:
		return check_registers(v, pc, insn->a, 5);
	case KTAP_OP_FORPREP:
	case KTAP_OP_FORLOOP:
		return check_registers(v, pc, insn->a, 4);
	case KTAP_OP_CALL:
		return check_call(v, pc, insn, 0);
	case KTAP_OP_CALLV:
		return check_call(v, pc, insn, 1);
	case KTAP_OP_CALLB:
		return check_builtin(v, pc, insn);
	case KTAP_OP_RET:
		return check_register(v, pc, insn->a) ?:
		       check_registers(v, pc, insn->a, insn->b);
	case KTAP_OP_ARG:
		return check_index(v, pc, "argument", insn->d, S32_MAX);
	default:
		return 0;
	}
}

static bool is_jump(const struct ktap_code *insn)
{
	return ktap_opdefs[insn->op].d == KTAP_X_JUMP;
}

static int check_insn(struct verifier *v, u32 pc)
{
	const struct ktap_code *insn = &v->prog->code[pc];
	const struct ktap_opdef *op = &ktap_opdefs[insn->op];

	if (!op->name)
		return fail(v, pc, "this kernel has no instruction %u", insn->op);
	return check_field(v, pc, op->a, insn->a) ?:
	       check_field(v, pc, op->b, insn->b) ?:
	       check_field(v, pc, op->c, insn->c) ?:
	       check_operand(v, pc, op->d, insn->d) ?:
	       check_own_rule(v, pc, insn);
}

static int check_code(struct verifier *v)
{
	u32 pc, end = v->func->first + v->func->ninsns;
	int err;

	for (pc = v->func->first; pc < end; pc++) {
		err = check_insn(v, pc);
		if (err)
			return err;
	}
	switch (v->prog->code[end - 1].op) {
	case KTAP_OP_RET:
	case KTAP_OP_JMP:
		return 0;
	default:
		return fail(v, end - 1, "function %s has no end", v->func->name);
	}
}

static int charge(struct verifier *v, u32 pc, u32 work)
{
	if (v->work < work) {
		ktap_diag_at(v->diag, v->prog, pc, "function %s is too complex", v->func->name);
		return -E2BIG;
	}
	v->work -= work;
	return 0;
}

static int read_reg(struct verifier *v, u32 pc, u32 reg)
{
	if (!(v->regs[reg] & UNWRITTEN))
		return 0;
	return fail(v, pc, "instruction %u reads register %u, which may be unwritten", pc, reg);
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

static void set_regs(struct verifier *v, u32 first, u32 end, u16 set)
{
	for (; first < end; first++)
		v->regs[first] = set;
}

/* Will somebody look at an event's text? */
static bool shows_text(u32 id, u16 args)
{
	switch (id) {
	case KTAP_FN_ARGSTR:
		return true;
	case KTAP_FN_PRINT:
	case KTAP_FN_PRINTF:
	case KTAP_FN_TOSTRING:
		return args & (ktap_bit(EVENT) | ktap_bit(ARGSTR));
	default:
		return false;
	}
}

static int step_builtin(struct verifier *v, u32 pc, const struct ktap_code *insn)
{
	const struct ktap_builtin *fn = &ktap_builtins[insn->d];
	u16 args = 0;
	u32 i;
	int err;

	err = read_regs(v, pc, insn->a, insn->b);
	if (err)
		return err;
	for (i = 0; i < insn->b; i++) {
		u16 set = v->regs[insn->a + i];

		args |= set;
		if (i < ARRAY_SIZE(fn->args) && fn->args[i] && !(fn->args[i] & set))
			return fail(v, pc, "%s: argument %u is %s, which it does not take",
				    fn->name, i + 1,
				    ktap_type_name(&(struct ktap_value){ .tag = __ffs(set) }));
	}
	if (shows_text(insn->d, args))
		v->prog->uses |= KTAP_USES_ARGSTR;
	/* It may have made other values of its arguments. */
	set_regs(v, insn->a, insn->a + insn->b, UNWRITTEN);
	v->regs[insn->a] = fn->result;
	return 0;
}

static int step_call(struct verifier *v, u32 pc, const struct ktap_code *insn, u32 first)
{
	int err;

	err = read_regs(v, pc, insn->a, insn->b + first);
	if (err)
		return err;
	set_regs(v, insn->a, v->func->nregs, UNWRITTEN);
	set_regs(v, insn->a, insn->a + insn->c, ANY);
	return 0;
}

/* Instructions whose registers no table describes. */
static int step_own(struct verifier *v, u32 pc, const struct ktap_code *insn)
{
	switch (insn->op) {
	case KTAP_OP_NIL:
		set_regs(v, insn->a, insn->b + 1, ktap_bit(NIL));
		return 0;
	case KTAP_OP_MOV:
		v->regs[insn->a] = v->regs[insn->b];
		return 0;
	case KTAP_OP_CONCAT:
	case KTAP_OP_TUPLE:
		return read_regs(v, pc, insn->b, insn->c);
	case KTAP_OP_ITER:
		v->regs[insn->a + 1] = ktap_bit(INT);
		v->regs[insn->a + 2] = ktap_bit(NIL);
		return read_reg(v, pc, insn->a);
	case KTAP_OP_NEXT:
		set_regs(v, insn->a + 3, insn->a + 5, ktap_opdefs[insn->op].result);
		return read_regs(v, pc, insn->a, 3);
	case KTAP_OP_FORPREP:
	case KTAP_OP_FORLOOP:
		v->regs[insn->a + 3] = ktap_opdefs[insn->op].result;
		return read_regs(v, pc, insn->a, 3);
	case KTAP_OP_CALL:
		return step_call(v, pc, insn, 0);
	case KTAP_OP_CALLV:
		return step_call(v, pc, insn, 1);
	case KTAP_OP_CALLB:
		return step_builtin(v, pc, insn);
	case KTAP_OP_RET:
		return read_regs(v, pc, insn->a, insn->b);
	default:
		return 0;
	}
}

static int step(struct verifier *v, u32 pc)
{
	const struct ktap_code *insn = &v->prog->code[pc];
	const struct ktap_opdef *op = &ktap_opdefs[insn->op];
	int err = 0;

	if (op->a == KTAP_X_READ)
		err = read_reg(v, pc, insn->a);
	if (!err && op->b == KTAP_X_READ)
		err = read_reg(v, pc, insn->b);
	if (!err && op->c == KTAP_X_READ)
		err = read_reg(v, pc, insn->c);
	if (!err)
		err = step_own(v, pc, insn);
	if (!err && op->a == KTAP_X_WRITE)
		v->regs[insn->a] = op->result;
	return err;
}

/* Unites the sets with those at a target; if they grow, it is looked at again. */
static int flow_to(struct verifier *v, u32 pc, u32 to)
{
	u32 n = v->target[to - v->func->first] - 1, nregs = v->func->nregs, i;
	u16 *state = v->state + (size_t)n * nregs;
	bool grown = state[0] == UNSEEN;
	int err;

	err = charge(v, pc, nregs / 8);
	if (err)
		return err;
	for (i = 0; i < nregs; i++) {
		grown |= v->regs[i] & ~state[i];
		state[i] |= v->regs[i];
	}
	if (grown && !v->queued[n]) {
		v->queued[n] = true;
		v->queue[(v->head + v->nqueued++) % v->ntargets] = to;
	}
	return 0;
}

/* Follows the code from a target to where its way ends or meets another. */
static int follow(struct verifier *v, u32 pc)
{
	const struct ktap_code *insn;
	int err;

	for (;; pc++) {
		insn = &v->prog->code[pc];
		err = charge(v, pc, 1);
		if (!err)
			err = step(v, pc);
		if (!err && is_jump(insn))
			err = flow_to(v, pc, pc + 1 + insn->d);
		if (err || insn->op == KTAP_OP_RET || insn->op == KTAP_OP_JMP)
			return err;
		if (v->target[pc + 1 - v->func->first])
			return flow_to(v, pc, pc + 1);
	}
}

/* Gives each instruction where ways meet a number: the entry, and what is jumped to. */
static void number_targets(struct verifier *v)
{
	const struct ktap_code *code = v->prog->code + v->func->first;
	u32 pc, to;

	v->ntargets = 1;
	v->target[0] = 1;
	for (pc = 0; pc < v->func->ninsns; pc++) {
		if (!is_jump(&code[pc]))
			continue;
		to = pc + 1 + code[pc].d;
		if (!v->target[to])
			v->target[to] = ++v->ntargets;
	}
}

static int run_to_fixed_point(struct verifier *v)
{
	u32 to, n;
	int err;

	/* Parameters may be anything; what is not passed is nil. */
	set_regs(v, 0, v->func->nparams, ANY);
	set_regs(v, v->func->nparams, v->func->nregs, UNWRITTEN);
	err = flow_to(v, v->func->first, v->func->first);
	while (!err && v->nqueued) {
		to = v->queue[v->head];
		v->head = (v->head + 1) % v->ntargets;
		v->nqueued--;
		n = v->target[to - v->func->first] - 1;
		v->queued[n] = false;
		memcpy(v->regs, v->state + (size_t)n * v->func->nregs,
		       v->func->nregs * sizeof(*v->regs));
		err = follow(v, to);
		cond_resched();
	}
	return err;
}

static int check_flow(struct verifier *v)
{
	size_t nstate;
	int err = -ENOMEM;

	v->head = 0;
	v->nqueued = 0;
	v->target = kvcalloc(v->func->ninsns, sizeof(*v->target), GFP_KERNEL);
	if (!v->target)
		return -ENOMEM;
	number_targets(v);
	nstate = (size_t)v->ntargets * v->func->nregs;
	if (nstate > MAX_STATE) {
		kvfree(v->target);
		return charge(v, v->func->first, U32_MAX);
	}
	v->state = kvcalloc(nstate, sizeof(*v->state), GFP_KERNEL);
	v->queued = kvcalloc(v->ntargets, sizeof(*v->queued), GFP_KERNEL);
	v->queue = kvcalloc(v->ntargets, sizeof(*v->queue), GFP_KERNEL);
	if (v->state && v->queued && v->queue)
		err = run_to_fixed_point(v);
	kvfree(v->queue);
	kvfree(v->queued);
	kvfree(v->state);
	kvfree(v->target);
	return err;
}

static void find_uses(struct ktap_program *prog)
{
	u32 i;

	if (prog->nglobals)
		prog->uses |= KTAP_USES_HEAP;
	for (i = 0; i < prog->ninsns; i++) {
		if (prog->code[i].op == KTAP_OP_NEWT)
			prog->uses |= KTAP_USES_HEAP;
	}
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
	for (i = 0; i < prog->nfuncs && !err; i++) {
		v->func = &prog->funcs[i];
		err = check_code(v);
		if (!err)
			err = check_flow(v);
	}
	kvfree(v);
	if (!err)
		find_uses(prog);
	return err;
}
