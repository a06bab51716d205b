/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: how a function of the script begins, ends, and is left by an error.
 * Used by the interpreter (vm.c) and by its callers (run.c).
 */
#ifndef _KTAP_FRAME_H
#define _KTAP_FRAME_H

#include "vm/opcode.h"
#include "vm/program.h"
#include "vm/vm.h"

/* Units of straight code: long code costs even without backward jumps and calls. */
static inline u32 ktap_straight_cost(const struct ktap_program *prog, u32 first, u32 end)
{
	return (prog->work[end] - prog->work[first]) / KTAP_UNIT_WORK;
}

/* Count the open values from stack value @first on, and charge for them. */
int ktap_open_values(struct ktap_vm *vm, u32 first, unsigned int *n);

/* Make the frame of @func, whose @nargs arguments are the stack values from @base on. */
int ktap_frame_make(struct ktap_vm *vm, const struct ktap_func *func, u32 base,
		    unsigned int nargs);

/* Save the running frame for a call by @insn.  The caller checks that there is room. */
static __always_inline void ktap_frame_save(struct ktap_vm *vm, const struct ktap_code *insn)
{
	struct ktap_call *call = &vm->calls[vm->ncalls];

	call->func = vm->func;
	call->insn = insn;
	call->base = vm->base;
	call->nvarargs = vm->nvarargs;
	call->tail = false;
}

/* Call @func for @insn with arguments from @base on. */
int ktap_frame_enter(struct ktap_vm *vm, const struct ktap_func *func, u32 base,
		     const struct ktap_code *insn);

/*
 * ktap_frame_enter() for most calls: the callee takes no variable arguments, each parameter
 * gets an argument, and there is room.  Return false if not: then nothing has changed.
 */
static __always_inline bool ktap_frame_enter_plain(struct ktap_vm *vm,
						   const struct ktap_func *func, u32 base,
						   const struct ktap_code *insn)
{
	u32 top = base + func->nregs, cost = func->cost + 1;

	/* KTAP_MULTI plus one is 0: never enough. */
	if (unlikely((u8)(insn->b + 1) <= func->plain_args || vm->budget <= cost ||
		     vm->ncalls == vm->max_calls || top > vm->stack_size))
		return false;
	vm->budget -= cost;
	ktap_frame_save(vm, insn);
	vm->ncalls++;
	vm->func = func;
	vm->base = base;
	vm->nvarargs = 0;
	vm->top = top;
	return true;
}

/*
 * Tail call: @func replaces the running function and returns to its caller,
 * which must exist.  @nargs: number of arguments, or KTAP_MULTI.
 */
int ktap_frame_replace(struct ktap_vm *vm, const struct ktap_func *func, u32 base,
		       unsigned int nargs);

/* Make the frame of a call's caller the running one. */
static __always_inline void ktap_frame_resume(struct ktap_vm *vm, const struct ktap_call *call)
{
	vm->func = call->func;
	vm->base = call->base;
	vm->nvarargs = call->nvarargs;
	vm->top = call->base + call->func->nregs;
}

/* Copy @n results to where @insn, the call in the running frame, expects them. */
void ktap_frame_give_results(struct ktap_vm *vm, const struct ktap_code *insn,
			     const struct ktap_value *results, unsigned int n);

/*
 * Return @n results to the caller, which must exist.  @insn gets the instruction that called:
 * the caller continues after it.  Returns the caller's first register.
 */
static __always_inline struct ktap_value *
ktap_frame_leave(struct ktap_vm *vm, const struct ktap_value *results, unsigned int n,
		 const struct ktap_code **insn)
{
	const struct ktap_call *call = &vm->calls[--vm->ncalls];
	struct ktap_value *R = vm->stack + call->base;

	*insn = call->insn;
	ktap_frame_resume(vm, call);
	if (likely((*insn)->c == 1 && n))
		R[(*insn)->a] = *results;
	else if ((*insn)->c)
		ktap_frame_give_results(vm, *insn, results, n);
	return R;
}

/* Copy @n variable arguments to @dst, all of them if @n is KTAP_MULTI. */
int ktap_frame_varargs(struct ktap_vm *vm, struct ktap_value *dst, unsigned int n);

/**
 * ktap_frame_catch() - Handle the error of an instruction
 * @vm: the activation
 * @pc: instruction of the running function
 * @err: the error that it has ended with
 * @to: gets the instruction of the `try` that catches the error
 *
 * Notes the position of the error for the message.
 * Return: 0, with the frame of the `try` as the running one; or the error, if no
 * `try` of this interpreter catches it.
 */
int ktap_frame_catch(struct ktap_vm *vm, u32 pc, int err, u32 *to);

/*
 * vm.c: run @vm->func to its end, from @insn on; @R is its first register.  If it is the
 * filter of a probe and true, continue in @vm->handler.  @vm->result gets the result.
 */
int ktap_interpret(struct ktap_vm *vm, struct ktap_value *R, const struct ktap_code *insn);
/* fenced.c: the same, with a barrier before each instruction */
int ktap_interpret_fenced(struct ktap_vm *vm, struct ktap_value *R, const struct ktap_code *insn);

#endif /* _KTAP_FRAME_H */
