// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of functions on the stack of an activation.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "frame.h"

/**
 * DOC: Frames
 *
 * A frame is the registers of a function, &ktap_func.nregs values of the stack
 * from &ktap_vm.base on.  The caller's arguments are the callee's first
 * registers, so that nothing is copied.
 *
 * In front of the frame of a variadic function stand its arguments, all of
 * them; the parameters are copied into the frame, and the variable ones, the
 * last &ktap_vm.nvarargs in front of it, stay where they are::
 *
 *	caller's frame       callee's frame
 *	... | p0 p1 v0 v1 v2 | p0 p1 r2 r3 ... |
 *
 * Open values are as many as there happen to be: the results of a call, or the
 * variable arguments.  They stand in the caller's registers and may reach
 * beyond its frame.  &ktap_vm.open_end says where they end, from the
 * instruction that gives them to the next one, which takes them; nothing runs
 * in between.  While they are there &ktap_vm.top lies behind them, so that the
 * arena sees them.
 *
 * An error is caught by the innermost frame that stands in a `try`: the frames
 * above it are forgotten.  What cannot be caught ends the run: a script that
 * could go on after the end of its budget would not have one.
 */

/* Units that a caught error costs, the making of its message included. */
#define CATCH_COST		16

static int no_room(struct ktap_vm *vm)
{
	return ktap_vm_error(vm, -ENOSPC, "calls nest too deep: no room on the stack");
}

/* Moving them costs. */
static int pay_for_values(struct ktap_vm *vm, unsigned int n)
{
	return ktap_vm_charge(vm, n / 16);
}

int ktap_open_values(struct ktap_vm *vm, u32 first, unsigned int *n)
{
	*n = vm->open_end - first;
	if (*n > KTAP_MAX_REGS)
		return ktap_vm_error(vm, -E2BIG, "%u values at once; %u is the most", *n,
				     KTAP_MAX_REGS);
	return pay_for_values(vm, *n);
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
		return no_room(vm);
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

int ktap_frame_enter(struct ktap_vm *vm, const struct ktap_func *func, u32 base,
		     const struct ktap_code *insn, u32 pc)
{
	struct ktap_call *call = &vm->calls[vm->ncalls];
	unsigned int nargs = insn->b;
	int err;

	err = ktap_vm_charge(vm, 1 + ktap_func_cost(vm->env->prog, func));
	if (!err && nargs == KTAP_MULTI)
		err = ktap_open_values(vm, base, &nargs);
	if (err)
		return err;
	if (vm->ncalls == vm->max_calls)
		return ktap_vm_error(vm, -ENOSPC, "calls nest too deep: %u is the most",
				     vm->max_calls);
	*call = (struct ktap_call){
		.func = vm->func,
		.base = vm->base,
		.pc = pc,
		.dst = insn->a,
		.nresults = insn->c,
		.nvarargs = vm->nvarargs,
	};
	err = ktap_frame_make(vm, func, base, nargs);
	if (!err)
		vm->ncalls++;
	return err;
}

/* Values move down, or do not overlap. */
static void move_values(struct ktap_value *dst, unsigned int wanted,
			const struct ktap_value *src, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < wanted; i++)
		dst[i] = i < n ? src[i] : KTAP_VALUE_NIL;
}

static void resume(struct ktap_vm *vm, const struct ktap_call *call)
{
	vm->func = call->func;
	vm->base = call->base;
	vm->nvarargs = call->nvarargs;
	vm->top = call->base + call->func->nregs;
}

static void open_until(struct ktap_vm *vm, u32 end)
{
	vm->open_end = end;
	vm->top = max(vm->top, end);
}

u32 ktap_frame_leave(struct ktap_vm *vm, const struct ktap_value *results, unsigned int n)
{
	const struct ktap_call *call = &vm->calls[--vm->ncalls];
	unsigned int wanted = call->nresults;
	u32 dst = call->base + call->dst;

	resume(vm, call);
	if (wanted == KTAP_MULTI) {
		/* There is room: they stand in what was a frame further up. */
		wanted = n;
		open_until(vm, dst + n);
	}
	move_values(vm->stack + dst, wanted, results, n);
	return call->pc;
}

int ktap_frame_varargs(struct ktap_vm *vm, struct ktap_value *dst, unsigned int n)
{
	const struct ktap_value *src = vm->stack + vm->base - vm->nvarargs;
	u32 end = dst - vm->stack + vm->nvarargs;
	int err;

	err = pay_for_values(vm, n == KTAP_MULTI ? vm->nvarargs : n);
	if (err)
		return err;
	if (n == KTAP_MULTI) {
		if (end > vm->stack_size)
			return no_room(vm);
		n = vm->nvarargs;
		open_until(vm, end);
	}
	move_values(dst, n, src, vm->nvarargs);
	return 0;
}

static bool can_be_caught(int err)
{
	return err != -ETIME && err != -EINTR && err != -ECANCELED;
}

/* The error is over: its message becomes a string; or the making of that ends the run. */
static int give_message(struct ktap_vm *vm, struct ktap_value *v)
{
	static const char no_memory[] = "no memory for the message of an error";
	int err = ktap_make_string(vm, vm->message, strlen(vm->message), v);

	if (err && !can_be_caught(err))
		return err;
	if (err)
		*v = KTAP_VALUE_STR(no_memory, strlen(no_memory));
	vm->error = 0;
	vm->fault.func = NULL;
	vm->message[0] = '\0';
	return 0;
}

int ktap_frame_catch(struct ktap_vm *vm, int err, u32 floor, u32 *pc)
{
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_catch *catch;
	const struct ktap_func *func;
	u32 n = vm->ncalls;

	if (!can_be_caught(err))
		return err;
	catch = ktap_catch_at(prog, vm->pc);
	while (!catch && n > floor)
		catch = ktap_catch_at(prog, vm->calls[--n].pc - 1);
	if (!catch)
		return err;

	/*
	 * Without a cost, what is tried again and again would never end.  The
	 * handler may stand in front: it is a jump back, too.
	 */
	vm->error = 0;
	func = n < vm->ncalls ? vm->calls[n].func : vm->func;
	err = ktap_vm_charge(vm, CATCH_COST + (vm->ncalls - n) + ktap_func_cost(prog, func));
	if (err)
		return err;
	if (n < vm->ncalls)
		resume(vm, &vm->calls[n]);
	else
		vm->top = vm->base + vm->func->nregs;
	vm->ncalls = n;
	*pc = catch->handler;
	return give_message(vm, &vm->stack[vm->base + catch->reg]);
}
