// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier: what it lets through can be run.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#include "builtin.h"
#include "opcode.h"
#include "table.h"
#include "typing.h"

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
 * - Open values (KTAP_MULTI) are taken by the instruction behind the one that
 *   gives them, and by no other; there is no other way to it.  Variable
 *   arguments are asked for in a variadic function only.
 * - Its errors are caught, if they are, in its own function.
 *
 * For each instruction that can be reached:
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

/*
 * What is found to be in range is masked, and put back masked: whatever uses it
 * later, here or in a run, cannot overtake this (see ktap_index()).
 */

/* The @n registers from @first; none is fine anywhere. */
static int check_registers(struct verifier *v, u32 pc, u8 *first, u32 n)
{
	u32 reg = *first;

	if (!n)
		return 0;
	if (reg + n > v->func->nregs)
		return fail(v, pc, "register %u of %u in instruction %u", reg + n - 1,
			    v->func->nregs, pc);
	*first = array_index_nospec(reg, v->func->nregs - n + 1);
	return 0;
}

static int check_register(struct verifier *v, u32 pc, u8 *reg)
{
	return check_registers(v, pc, reg, 1);
}

static int check_index(struct verifier *v, u32 pc, const char *what, s32 *index, u32 n)
{
	u32 i = *index;

	if (!ktap_index(&i, n))
		return fail(v, pc, "%s %d of %u in instruction %u", what, *index, n, pc);
	*index = i;
	return 0;
}

static int check_jump(struct verifier *v, u32 pc, s32 *distance)
{
	u32 next = pc + 1 - v->func->first, to = next + *distance;

	if (!ktap_index(&to, v->func->ninsns))
		return fail(v, pc, "jump out of function %s in instruction %u", v->func->name, pc);
	*distance = to - next;
	return 0;
}

static int check_field(struct verifier *v, u32 pc, unsigned int kind, u8 *field)
{
	switch (kind) {
	case KTAP_X_NONE:
		if (*field)
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

static int check_operand(struct verifier *v, u32 pc, unsigned int kind, s32 *d)
{
	const struct ktap_program *prog = v->prog;

	switch (kind) {
	case KTAP_X_NONE:
		if (*d)
			return fail(v, pc, "instruction %u (%s) sets a field that it does not use",
				    pc, ktap_opcode_name(prog->code[pc].op));
		return 0;
	case KTAP_X_DIVISOR:
		return *d ? 0 : fail(v, pc, "division by zero");
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

static int check_builtin(struct verifier *v, u32 pc, struct ktap_code *insn)
{
	const struct ktap_builtin *fn;
	u32 id = insn->d;

	if (!ktap_index(&id, KTAP_NR_FUNCTIONS) || !ktap_builtins[id].fn)
		return fail(v, pc, "this kernel has no built-in function %d", insn->d);
	insn->d = id;
	fn = &ktap_builtins[id];
	if (insn->b == KTAP_MULTI)
		return check_register(v, pc, &insn->a);
	if (insn->b < fn->min || insn->b > fn->max)
		return fail(v, pc, "%s takes %u to %u arguments, got %u", fn->name, fn->min,
			    fn->max, insn->b);
	/* One at least, for the result. */
	return check_registers(v, pc, &insn->a, max_t(u32, insn->b, 1));
}

static int check_call(struct verifier *v, u32 pc, struct ktap_code *insn, u32 first)
{
	u32 nargs = insn->b == KTAP_MULTI ? 0 : insn->b;
	u32 nresults = insn->c == KTAP_MULTI ? 0 : insn->c;

	if (nargs > KTAP_MAX_ARGS)
		return fail(v, pc, "a call with %u arguments; %u is the most", nargs,
			    KTAP_MAX_ARGS);
	/* The frame of the callee begins there: a register, even if unused. */
	return check_register(v, pc, &insn->a) ?:
	       check_registers(v, pc, &insn->a, nargs + first) ?:
	       check_registers(v, pc, &insn->a, nresults);
}

static int check_varargs(struct verifier *v, u32 pc, struct ktap_code *insn)
{
	if (!v->func->variadic)
		return fail(v, pc, "function %s has no variable arguments", v->func->name);
	return check_register(v, pc, &insn->a) ?:
	       check_registers(v, pc, &insn->a, insn->c == KTAP_MULTI ? 0 : insn->c);
}

/* The rules that no table holds. */
static int check_own_rule(struct verifier *v, u32 pc, struct ktap_code *insn)
{
	s32 index;

	switch (insn->op) {
	case KTAP_OP_NIL:
		if (insn->a > insn->b)
			return fail(v, pc, "instruction %u: registers %u to %u", pc, insn->a,
				    insn->b);
		return check_register(v, pc, &insn->b);
	case KTAP_OP_BOOL:
		index = insn->b;
		return check_index(v, pc, "boolean", &index, 2);
	case KTAP_OP_MOV:
		return check_register(v, pc, &insn->a);
	case KTAP_OP_CONCAT:
	case KTAP_OP_TUPLE:
		if (insn->c < (insn->op == KTAP_OP_TUPLE ? 2 : 1))
			return fail(v, pc, "instruction %u: %u parts", pc, insn->c);
		return check_registers(v, pc, &insn->b, insn->c);
	case KTAP_OP_NEWT:
		return check_index(v, pc, "table size", &insn->d, KTAP_TABLE_LIMIT + 1);
	case KTAP_OP_ITER:
	case KTAP_OP_NEXT:
		return check_registers(v, pc, &insn->a, 5);
	case KTAP_OP_FORPREP:
	case KTAP_OP_FORLOOP:
		return check_registers(v, pc, &insn->a, 4);
	case KTAP_OP_CALL:
		return check_call(v, pc, insn, 0);
	case KTAP_OP_CALLV:
		return check_call(v, pc, insn, 1);
	case KTAP_OP_CALLB:
		return check_builtin(v, pc, insn);
	case KTAP_OP_RET:
		return check_register(v, pc, &insn->a) ?:
		       check_registers(v, pc, &insn->a, insn->b == KTAP_MULTI ? 0 : insn->b);
	case KTAP_OP_VARG:
		return check_varargs(v, pc, insn);
	case KTAP_OP_TSETM:
		return check_register(v, pc, &insn->b);
	case KTAP_OP_ARG:
		return check_index(v, pc, "argument", &insn->d, S32_MAX);
	default:
		return 0;
	}
}

static bool is_jump(const struct ktap_code *insn)
{
	return ktap_opdefs[insn->op].d == KTAP_X_JUMP;
}

static bool gives_open(const struct ktap_code *insn)
{
	switch (insn->op) {
	case KTAP_OP_CALL:
	case KTAP_OP_CALLV:
	case KTAP_OP_VARG:
		return insn->c == KTAP_MULTI;
	default:
		return false;
	}
}

static bool takes_open(const struct ktap_code *insn)
{
	switch (insn->op) {
	case KTAP_OP_CALL:
	case KTAP_OP_CALLV:
	case KTAP_OP_CALLB:
	case KTAP_OP_RET:
		return insn->b == KTAP_MULTI;
	case KTAP_OP_TSETM:
		return true;
	default:
		return false;
	}
}

/* Where the values begin that an instruction takes, the open ones last. */
static u32 first_taken(const struct ktap_code *insn)
{
	switch (insn->op) {
	case KTAP_OP_CALLV:
		return insn->a + 1;
	case KTAP_OP_TSETM:
		return insn->b;
	default:
		return insn->a;
	}
}

static int check_open(struct verifier *v, u32 pc)
{
	const struct ktap_code *insn = &v->prog->code[pc], *giver = insn - 1;

	if (pc == v->func->first || !gives_open(giver)) {
		if (!takes_open(insn))
			return 0;
		return fail(v, pc, "instruction %u takes open values, the one before gives none",
			    pc);
	}
	if (!takes_open(insn))
		return fail(v, pc, "instruction %u does not take the open values before it", pc);
	if (first_taken(insn) > giver->a)
		return fail(v, pc,
			    "instruction %u takes values from register %u on, the open ones begin at %u",
			    pc, first_taken(insn), giver->a);
	return 0;
}

static int check_catch(struct verifier *v, u32 pc)
{
	struct ktap_catch *catch = ktap_catch_at(v->prog, pc);
	u32 handler;

	if (!catch)
		return 0;
	handler = catch->handler - v->func->first;
	if (!ktap_index(&handler, v->func->ninsns))
		return fail(v, pc, "errors of instruction %u are caught outside of function %s",
			    pc, v->func->name);
	catch->handler = v->func->first + handler;
	return check_register(v, pc, &catch->reg);
}

static int check_insn(struct verifier *v, u32 pc)
{
	struct ktap_code *insn = &v->prog->code[pc];
	const struct ktap_opdef *op = &ktap_opdefs[insn->op];

	if (!op->name)
		return fail(v, pc, "this kernel has no instruction %u", insn->op);
	return check_field(v, pc, op->a, &insn->a) ?:
	       check_field(v, pc, op->b, &insn->b) ?:
	       check_field(v, pc, op->c, &insn->c) ?:
	       check_operand(v, pc, op->d, &insn->d) ?:
	       check_own_rule(v, pc, insn) ?:
	       check_open(v, pc) ?:
	       check_catch(v, pc);
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
	return takes_open(insn) ? insn[-1].a - first : n;
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
	u16 args = takes_open(insn) ? ANY : 0;
	int err;

	err = read_regs(v, pc, insn->a, n);
	if (err)
		return err;
	for (i = 0; i < n; i++) {
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
	if (!gives_open(insn))
		write_regs(v, insn->a, insn->a + insn->c, ANY);
	return 0;
}

static void step_varargs(struct verifier *v, const struct ktap_code *insn)
{
	if (gives_open(insn))
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
		if (!err && is_jump(insn))
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
		if (is_jump(&code[pc]))
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
		if (v->target[i] && takes_open(&v->prog->code[pc]))
			return fail(v, pc, "instruction %u takes open values, and is jumped to",
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
		err = check_code(v);
		if (!err)
			err = check_flow(v);
	}
	if (!err) {
		find_uses(prog);
		ktap_typing_apply(&v->typing);
	}
	ktap_typing_end(&v->typing);
	kvfree(v);
	return err;
}
