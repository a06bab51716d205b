// SPDX-License-Identifier: GPL-2.0
/*
 * The verifier's rules for single instructions, reachable or not.
 */
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/nospec.h>
#include <linux/stdarg.h>

#include "data/table.h"
#include "load/verifier.h"
#include "vm/builtin.h"
#include "vm/kernel_call.h"
#include "vm/kernel_function.h"

int ktap_refuse(struct verifier *v, u32 pc, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	ktap_vdiag_at(v->diag, v->prog, pc, fmt, args);
	va_end(args);
	return -EINVAL;
}

/*
 * An index that is in range is masked and stored masked, so that a later use,
 * here or at run time, is safe from speculative execution (see ktap_index()).
 */

/* Check the @n registers from @first; any @first is valid if @n is 0. */
static int insn_check_registers(struct verifier *v, u32 pc, u8 *first, u32 n)
{
	u32 reg = *first;

	if (!n)
		return 0;
	if (reg + n > v->func->nregs)
		return ktap_refuse(v, pc, "register %u of %u in instruction %u", reg + n - 1,
				   v->func->nregs, pc);
	n = array_index_nospec(n, v->func->nregs + 1);
	*first = array_index_nospec(reg, v->func->nregs - n + 1);
	return 0;
}

static int insn_check_register(struct verifier *v, u32 pc, u8 *reg)
{
	return insn_check_registers(v, pc, reg, 1);
}

static int insn_check_index(struct verifier *v, u32 pc, const char *what, s32 *index, u32 n)
{
	u32 i = *index;

	if (!ktap_index(&i, n))
		return ktap_refuse(v, pc, "%s %d of %u in instruction %u", what, *index, n, pc);
	*index = i;
	return 0;
}

static int insn_check_jump(struct verifier *v, u32 pc, s32 *distance)
{
	u32 next = pc + 1 - v->func->first, to = next + *distance;

	if (!ktap_index(&to, v->func->ninsns))
		return ktap_refuse(v, pc,
				   "jump out of function %s in instruction %u",
				   v->func->name, pc);
	*distance = to - next;
	return 0;
}

static int insn_check_field(struct verifier *v, u32 pc, unsigned int kind, u8 *field)
{
	s32 index = *field;

	switch (kind) {
	case KTAP_X_NONE:
		if (*field)
			return ktap_refuse(v, pc,
					   "instruction %u (%s) sets a field that it does not use",
					   pc, ktap_opdefs[v->prog->code[pc].op].name);
		return 0;
	case KTAP_X_READ:
	case KTAP_X_WRITE:
	case KTAP_X_REG:
		return insn_check_register(v, pc, field);
	case KTAP_X_ITER:
		return insn_check_registers(v, pc, field, 5);
	case KTAP_X_FOR:
		return insn_check_registers(v, pc, field, 4);
	case KTAP_X_BOOL:
		return insn_check_index(v, pc, "boolean", &index, 2);
	case KTAP_X_NEED:
		return insn_check_index(v, pc, "need of a field", &index, KTAP_NEED_NOTHING + 1);
	default:
		return 0;
	}
}

static int insn_check_operand(struct verifier *v, u32 pc, unsigned int kind, s32 *d)
{
	const struct ktap_program *prog = v->prog;

	switch (kind) {
	case KTAP_X_NONE:
		if (*d)
			return ktap_refuse(v, pc,
					   "instruction %u (%s) sets a field that it does not use",
					   pc, ktap_opdefs[prog->code[pc].op].name);
		return 0;
	case KTAP_X_DIVISOR:
		return *d ? 0 : ktap_refuse(v, pc, "division by zero");
	case KTAP_X_INT:
		return insn_check_index(v, pc, "integer", d, prog->nints);
	case KTAP_X_STR:
		return insn_check_index(v, pc, "string", d, prog->nstrings);
	case KTAP_X_FUNC:
		return insn_check_index(v, pc, "function", d, prog->nfuncs);
	case KTAP_X_GLOBAL:
		return insn_check_index(v, pc, "global", d, prog->nglobals);
	case KTAP_X_FIELD:
		return insn_check_index(v, pc, "field", d, prog->nown_fields);
	case KTAP_X_ARG:
		return insn_check_index(v, pc, "argument", d, S32_MAX);
	case KTAP_X_SIZE:
		return insn_check_index(v, pc, "table size", d, KTAP_TABLE_LIMIT + 1);
	case KTAP_X_JUMP:
		return insn_check_jump(v, pc, d);
	default:
		return 0;
	}
}

static int insn_check_arguments(struct verifier *v, u32 pc, struct ktap_code *insn,
				const struct ktap_builtin *fn)
{
	if (insn->b < fn->min || insn->b > fn->max)
		return ktap_refuse(v, pc, "%s takes %u to %u arguments, got %u", fn->name, fn->min,
				   fn->max, insn->b);
	/* At least one register, for the result. */
	return insn_check_registers(v, pc, &insn->a, max_t(u32, insn->b, 1));
}

static int insn_check_builtin(struct verifier *v, u32 pc, struct ktap_code *insn)
{
	u32 id = insn->d;

	if (!ktap_index(&id, KTAP_NR_FUNCTIONS) || !ktap_builtins[id].fn)
		return ktap_refuse(v, pc, "this kernel has no built-in function %d", insn->d);
	insn->d = id;
	if (insn->b == KTAP_MULTI)
		return 0;
	return insn_check_arguments(v, pc, insn, &ktap_builtins[id]);
}

/* A function that is not in the list is found when the rights of the session are known. */
static int insn_check_other_call(struct verifier *v, u32 pc, struct ktap_code *insn)
{
	const char *name = v->prog->strings[insn->d].blob, *near = ktap_near_kernel_call(name);

	if (KTAP_CAN_CALL) {
		insn->op = KTAP_OP_KANY;
		return insn_check_arguments(v, pc, insn, &ktap_kernel_any);
	}
	if (near)
		return ktap_refuse(v, pc,
				   "ffi.C: scripts cannot call '%s' (others need CONFIG_KTAP_CALL); did you mean '%s'?",
				   name, near);
	return ktap_refuse(v, pc,
			   "ffi.C: scripts cannot call '%s': this kernel was built without CONFIG_KTAP_CALL",
			   name);
}

/* It is replaced at once: the name is not searched again. */
static int insn_check_kernel_call(struct verifier *v, u32 pc, struct ktap_code *insn)
{
	u32 call;

	if (!ktap_find_kernel_call(v->prog->strings[insn->d].blob, &call))
		return insn_check_other_call(v, pc, insn);
	insn->op = KTAP_OP_KERNEL;
	insn->d = call;
	return insn_check_arguments(v, pc, insn, &ktap_kernel_calls[call]);
}

static int insn_check_call(struct verifier *v, u32 pc, struct ktap_code *insn)
{
	u32 nargs = insn->b == KTAP_MULTI ? 0 : insn->b;
	u32 nresults = insn->c == KTAP_MULTI ? 0 : insn->c;

	if (nargs > KTAP_MAX_ARGS)
		return ktap_refuse(v, pc, "a call with %u arguments; %u is the most", nargs,
				   KTAP_MAX_ARGS);
	return insn_check_registers(v, pc, &insn->a, ktap_calls_by_value(insn) + nargs) ?:
	       insn_check_registers(v, pc, &insn->a, nresults);
}

static int insn_check_varargs(struct verifier *v, u32 pc, struct ktap_code *insn)
{
	if (!v->func->variadic)
		return ktap_refuse(v, pc, "function %s has no variable arguments", v->func->name);
	return insn_check_registers(v, pc, &insn->a, insn->c == KTAP_MULTI ? 0 : insn->c);
}

/* Rules that ktap_opdefs cannot express, because they are about several operands. */
static int insn_check_own_rule(struct verifier *v, u32 pc, struct ktap_code *insn)
{
	switch (insn->op) {
	case KTAP_OP_NIL:
		if (insn->a > insn->b)
			return ktap_refuse(v, pc,
					   "instruction %u: registers %u to %u",
					   pc, insn->a, insn->b);
		return 0;
	case KTAP_OP_CONCAT:
	case KTAP_OP_TUPLE:
		if (insn->c < (insn->op == KTAP_OP_TUPLE ? 2 : 1))
			return ktap_refuse(v, pc, "instruction %u: %u parts", pc, insn->c);
		return insn_check_registers(v, pc, &insn->b, insn->c);
	case KTAP_OP_CALL:
	case KTAP_OP_CALLV:
		return insn_check_call(v, pc, insn);
	case KTAP_OP_CALLB:
		return insn_check_builtin(v, pc, insn);
	case KTAP_OP_CALLK:
		return insn_check_kernel_call(v, pc, insn);
	case KTAP_OP_RET:
		return insn_check_registers(v, pc, &insn->a, insn->b == KTAP_MULTI ? 0 : insn->b);
	case KTAP_OP_VARG:
		return insn_check_varargs(v, pc, insn);
	default:
		return 0;
	}
}

bool ktap_gives_open(const struct ktap_code *insn)
{
	return ktap_opdefs[insn->op].flags & KTAP_OPF_GIVES_OPEN && insn->c == KTAP_MULTI;
}

bool ktap_takes_open(const struct ktap_code *insn)
{
	u8 flags = ktap_opdefs[insn->op].flags;

	return flags & KTAP_OPF_ONLY_OPEN ||
	       (flags & KTAP_OPF_TAKES_OPEN && insn->b == KTAP_MULTI);
}

/* First of the values that an instruction consumes; the open ones are last. */
static u32 insn_first_taken(const struct ktap_code *insn)
{
	if (ktap_opdefs[insn->op].flags & KTAP_OPF_ONLY_OPEN)
		return insn->b;
	return insn->a + ktap_calls_by_value(insn);
}

static int insn_check_open(struct verifier *v, u32 pc)
{
	const struct ktap_code *insn = &v->prog->code[pc], *giver = insn - 1;

	if (pc == v->func->first || !ktap_gives_open(giver)) {
		if (!ktap_takes_open(insn))
			return 0;
		return ktap_refuse(v, pc,
				   "instruction %u takes open values, the one before gives none",
				   pc);
	}
	if (!ktap_takes_open(insn))
		return ktap_refuse(v, pc,
				   "instruction %u does not take the open values before it", pc);
	if (insn_first_taken(insn) > giver->a)
		return ktap_refuse(v, pc,
				   "instruction %u takes values from register %u on, the open ones begin at %u",
				   pc, insn_first_taken(insn), giver->a);
	return 0;
}

static int insn_check_catch(struct verifier *v, u32 pc)
{
	struct ktap_catch *catch = ktap_catch_at(v->prog, pc);
	u32 handler;

	if (!catch)
		return 0;
	handler = catch->handler - v->func->first;
	if (!ktap_index(&handler, v->func->ninsns))
		return ktap_refuse(v, pc,
				   "errors of instruction %u are caught outside of function %s",
				   pc, v->func->name);
	catch->handler = v->func->first + handler;
	return insn_check_register(v, pc, &catch->reg);
}

static int check_insn(struct verifier *v, u32 pc)
{
	struct ktap_code *insn = &v->prog->code[pc];
	const struct ktap_opdef *op = &ktap_opdefs[insn->op];

	if (!op->name)
		return ktap_refuse(v, pc, "this kernel has no instruction %u", insn->op);
	return insn_check_field(v, pc, op->a, &insn->a) ?:
	       insn_check_field(v, pc, op->b, &insn->b) ?:
	       insn_check_field(v, pc, op->c, &insn->c) ?:
	       insn_check_operand(v, pc, op->d, &insn->d) ?:
	       insn_check_own_rule(v, pc, insn) ?:
	       insn_check_open(v, pc) ?:
	       insn_check_catch(v, pc);
}

int ktap_check_code(struct verifier *v)
{
	u32 pc, end = v->func->first + v->func->ninsns;
	int err;

	for (pc = v->func->first; pc < end; pc++) {
		err = check_insn(v, pc);
		if (err)
			return err;
	}
	if (!(ktap_opdefs[v->prog->code[end - 1].op].flags & KTAP_OPF_ENDS))
		return ktap_refuse(v, end - 1, "function %s has no end", v->func->name);
	return 0;
}
