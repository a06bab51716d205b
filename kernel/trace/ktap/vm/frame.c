// SPDX-License-Identifier: GPL-2.0
/*
 * Function frames on the stack of an activation.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "vm/env.h"
#include "vm/event.h"
#include "vm/frame.h"
#include "vm/opcode.h"
#include "vm/program.h"
#include "vm/vm.h"

/**
 * DOC: Frames
 *
 * A frame holds the registers of a function: &ktap_func.nregs values of the
 * stack from &ktap_vm.base on.  The caller's arguments are the callee's first
 * registers, so that nothing is copied.
 *
 * All arguments of a variadic function precede its frame.  The parameters are
 * copied into the frame; the variable arguments, the last &ktap_vm.nvarargs
 * values before the frame, stay where they are::
 *
 *	caller's frame       callee's frame
 *	... | p0 p1 v0 v1 v2 | p0 p1 r2 r3 ... |
 *
 * The number of open values is known at run time only: they are the results of
 * a call, or variable arguments.  They start in the caller's registers and may
 * reach beyond its frame.  &ktap_vm.open_end is their end.  It is valid from
 * the instruction that produces them to the next one, which consumes them;
 * nothing runs in between.  Meanwhile &ktap_vm.top is after them, so that the
 * arena sees them.
 *
 * A tail call replaces the frame of its caller: the callee's frame begins at
 * the register to which the caller's caller expects the results, and the
 * arguments move there.  So functions that tail call each other need only as
 * much stack as the largest of them.
 *
 * An error is caught by the innermost frame that is in a `try`; the frames
 * above it are dropped.  Errors that cannot be caught end the run: a script
 * could otherwise continue after the end of its budget.
 */

/* Units that a caught error costs, including its message. */
#define CATCH_COST		16

/* Instructions that are searched for the origin of a key that is nil */
#define NIL_KEY_DISTANCE	32U

static int frame_no_room(struct ktap_vm *vm)
{
	return ktap_vm_error(vm, -ENOSPC, "calls nest too deep: no room on the stack");
}

static int frame_pay_for_values(struct ktap_vm *vm, unsigned int n)
{
	return ktap_vm_charge(vm, n / 16);
}

int ktap_open_values(struct ktap_vm *vm, u32 first, unsigned int *n)
{
	*n = vm->open_end - first;
	if (*n > KTAP_MAX_REGS)
		return ktap_vm_error(vm, -E2BIG, "%u values at once; %u is the most", *n,
				     KTAP_MAX_REGS);
	return frame_pay_for_values(vm, *n);
}

int ktap_frame_make(struct ktap_vm *vm, const struct ktap_func *func, u32 base,
		    unsigned int nargs)
{
	struct ktap_value *args = vm->stack + base;
	unsigned int i, nvarargs = 0;

	if (func->variadic) {
		base += nargs;
		nvarargs = nargs > func->nparams ? nargs - func->nparams : 0;
	}
	if (base + func->nregs > vm->stack_size)
		return frame_no_room(vm);
	if (func->variadic)
		memcpy(vm->stack + base, args, (nargs - nvarargs) * sizeof(*args));
	for (i = nargs; i < func->nparams; i++)
		vm->stack[base + i] = KTAP_VALUE_NIL;
	vm->func = func;
	vm->base = base;
	vm->nvarargs = nvarargs;
	vm->top = base + func->nregs;
	return 0;
}

/* @nargs: number of arguments from @base on; KTAP_MULTI is replaced by their number */
static int frame_pay_for_call(struct ktap_vm *vm, const struct ktap_func *func,
			      u32 base, unsigned int *nargs)
{
	int err = ktap_vm_charge(vm, 1 + func->cost);

	if (!err && *nargs == KTAP_MULTI)
		err = ktap_open_values(vm, base, nargs);
	return err;
}

int ktap_frame_enter(struct ktap_vm *vm, const struct ktap_func *func, u32 base,
		     const struct ktap_code *insn)
{
	unsigned int nargs = insn->b;
	int err = frame_pay_for_call(vm, func, base, &nargs);

	if (err)
		return err;
	if (vm->ncalls == vm->max_calls)
		return ktap_vm_error(vm, -ENOSPC, "calls nest too deep: %u is the most",
				     vm->max_calls);
	ktap_frame_save(vm, insn);
	err = ktap_frame_make(vm, func, base, nargs);
	if (!err)
		vm->ncalls++;
	return err;
}

/* @dst is below @src, or they do not overlap. */
static void frame_move_values(struct ktap_value *dst, unsigned int wanted,
			      const struct ktap_value *src, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < wanted; i++)
		dst[i] = i < n ? src[i] : KTAP_VALUE_NIL;
}

int ktap_frame_replace(struct ktap_vm *vm, const struct ktap_func *func, u32 base,
		       unsigned int nargs)
{
	struct ktap_call *call = &vm->calls[vm->ncalls - 1];
	u32 start = call->base + call->insn->a;
	int err = frame_pay_for_call(vm, func, base, &nargs);

	if (err)
		return err;
	frame_move_values(vm->stack + start, nargs, vm->stack + base, nargs);
	call->tail = true;
	return ktap_frame_make(vm, func, start, nargs);
}

static void frame_open_until(struct ktap_vm *vm, u32 end)
{
	vm->open_end = end;
	vm->top = max(vm->top, end);
}

void ktap_frame_give_results(struct ktap_vm *vm, const struct ktap_code *insn,
			     const struct ktap_value *results, unsigned int n)
{
	unsigned int wanted = insn->c;
	u32 dst = vm->base + insn->a;

	if (wanted == KTAP_MULTI) {
		/* There is room: the results are in a frame above @dst. */
		wanted = n;
		frame_open_until(vm, dst + n);
	}
	frame_move_values(vm->stack + dst, wanted, results, n);
}

int ktap_frame_varargs(struct ktap_vm *vm, struct ktap_value *dst, unsigned int n)
{
	const struct ktap_value *src = vm->stack + vm->base - vm->nvarargs;
	u32 end = dst - vm->stack + vm->nvarargs;
	int err;

	err = frame_pay_for_values(vm, n == KTAP_MULTI ? vm->nvarargs : n);
	if (err)
		return err;
	if (n == KTAP_MULTI) {
		if (end > vm->stack_size)
			return frame_no_room(vm);
		n = vm->nvarargs;
		frame_open_until(vm, end);
	}
	frame_move_values(dst, n, src, vm->nvarargs);
	return 0;
}

static bool frame_can_be_caught(int err)
{
	return err != -ETIME && err != -EINTR && err != -ECANCELED;
}

/*
 * Clear the caught error and store its message in @v.  If making the string
 * fails with an error that cannot be caught, that one ends the run.
 */
static int frame_give_message(struct ktap_vm *vm, struct ktap_value *v)
{
	static const char no_memory[] = "no memory for the message of an error";
	int err = ktap_make_string(vm, vm->message, strlen(vm->message), v);

	if (err && !frame_can_be_caught(err))
		return err;
	if (err)
		*v = KTAP_VALUE_STR(no_memory, strlen(no_memory));
	vm->error = 0;
	vm->fault.func = NULL;
	vm->message[0] = '\0';
	return 0;
}

/* May the instruction write register @reg?  A call writes those from its first one on. */
static bool frame_may_write(const struct ktap_code *insn, u8 reg)
{
	switch (ktap_opdefs[insn->op].a) {
	case KTAP_X_WRITE:
		return insn->a == reg;
	case KTAP_X_REG:
	case KTAP_X_ITER:
	case KTAP_X_FOR:
		return insn->a <= reg;
	default:
		return false;
	}
}

/* Does control come to (@from, @to] from elsewhere?  Look at instructions from @first to @end. */
static bool frame_is_entered(const struct ktap_program *prog, u32 from, u32 to, u32 first, u32 end)
{
	const struct ktap_code *insn;
	u32 pc, target;

	for (pc = first; pc < end; pc++) {
		insn = &prog->code[pc];
		target = pc + 1 + insn->d;
		if (ktap_opdefs[insn->op].d == KTAP_X_JUMP && (pc < from || pc > to) &&
		    target > from && target <= to)
			return true;
	}
	return false;
}

/*
 * Find the instruction that wrote register @reg for the one at @pc, which is not far away.
 * Return NULL if that is not certain.
 */
static const struct ktap_code *frame_find_writer(const struct ktap_vm *vm, u32 pc, u8 reg)
{
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_func *func = vm->func;
	u32 first = pc - min(pc - func->first, NIL_KEY_DISTANCE);
	u32 end = min(pc + NIL_KEY_DISTANCE, func->first + func->ninsns);
	u32 at;

	for (at = pc; at-- > first;) {
		if (!frame_may_write(&prog->code[at], reg))
			continue;
		return frame_is_entered(prog, at, pc, first, end) ? NULL : &prog->code[at];
	}
	return NULL;
}

static void frame_explain_nil_field(struct ktap_vm *vm, const char *name)
{
	struct ktap_value event = KTAP_VALUE_NIL;
	const char *text = "the event";
	int len = strlen(text);

	if (vm->event && vm->event->ops->name)
		vm->event->ops->name(vm->event, &event);
	if (event.tag == KTAP_STR) {
		text = event.blob;
		len = min_t(u32, event.len, 40);
	}
	vm->error = 0;
	ktap_vm_error(vm, -EINVAL,
		      "nil cannot be a table key: '%.*s' has no field '%.40s'; test it first: if (args.%.40s != nil) { ... }",
		      len, text, name, name);
}

/* Say where the nil comes from, if it is a field of the event or a global. */
static void frame_explain_nil_key(struct ktap_vm *vm, u32 pc)
{
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_code *insn = &prog->code[pc], *writer = NULL;

	vm->fault.nil_key = false;
	if (insn->op == KTAP_OP_TSET || insn->op == KTAP_OP_TADD || insn->op == KTAP_OP_TAGG)
		writer = frame_find_writer(vm, pc, insn->b);
	if (!writer)
		return;
	switch (writer->op) {
	case KTAP_OP_FIELD:
		frame_explain_nil_field(vm, prog->fields[writer->d]->blob);
		break;
	case KTAP_OP_GETG:
	case KTAP_OP_GETC:
		vm->error = 0;
		ktap_vm_error(vm, -EINVAL, "nil cannot be a table key: '%.64s' is nil",
			      prog->globals[writer->d]);
		break;
	}
}

int ktap_frame_catch(struct ktap_vm *vm, u32 pc, int err, u32 *to)
{
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_catch *catch;
	const struct ktap_func *func;
	u32 n = vm->ncalls;

	vm->pc = pc;
	if (vm->fault.nil_key)
		frame_explain_nil_key(vm, pc);
	if (!vm->fault.func)
		vm->fault = (struct ktap_fault){
			.func = vm->func,
			.pc = pc,
			.ncalls = n,
		};
	if (!frame_can_be_caught(err))
		return err;
	catch = ktap_catch_at(prog, pc);
	while (!catch && n > vm->floor)
		catch = ktap_catch_at(prog, vm->calls[--n].insn - prog->code);
	if (!catch)
		return err;

	/*
	 * The handler may precede the error, as a backward jump does.  Without a
	 * charge such a loop would never end.
	 */
	vm->error = 0;
	func = n < vm->ncalls ? vm->calls[n].func : vm->func;
	err = ktap_vm_charge(vm, CATCH_COST + (vm->ncalls - n) + func->cost);
	if (err)
		return err;
	if (n < vm->ncalls)
		ktap_frame_resume(vm, &vm->calls[n]);
	else
		vm->top = vm->base + vm->func->nregs;
	vm->ncalls = n;
	*to = catch->handler;
	return frame_give_message(vm, &vm->stack[vm->base + catch->reg]);
}
