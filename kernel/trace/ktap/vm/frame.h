/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: how a function of the script begins, ends, and is left by an error.
 * Between the interpreter (vm.c) and those who start it (run.c).
 */
#ifndef _KTAP_FRAME_H
#define _KTAP_FRAME_H

#include "opcode.h"
#include "vm.h"

/* What may be run without a jump back or a call costs too, if it is long. */
static inline u32 ktap_straight_cost(const struct ktap_program *prog, u32 first, u32 end)
{
	return (prog->work[end] - prog->work[first]) / KTAP_UNIT_WORK;
}

static inline u32 ktap_func_cost(const struct ktap_program *prog, const struct ktap_func *func)
{
	return ktap_straight_cost(prog, func->first, func->first + func->ninsns);
}

/* Counts, and pays for, the open values from stack value @first on. */
int ktap_open_values(struct ktap_vm *vm, u32 first, unsigned int *n);

/* Begins @func: the @nargs arguments are the stack values from @base on. */
int ktap_frame_make(struct ktap_vm *vm, const struct ktap_func *func, u32 base,
		    unsigned int nargs);

/* Calls @func by @insn, with arguments from @base on; the running one goes on at @pc. */
int ktap_frame_enter(struct ktap_vm *vm, const struct ktap_func *func, u32 base,
		     const struct ktap_code *insn, u32 pc);

/* Returns @n results to the caller, which there is.  Gives where that goes on. */
u32 ktap_frame_leave(struct ktap_vm *vm, const struct ktap_value *results, unsigned int n);

/* Variable arguments: @n of them, or all if @n is KTAP_MULTI. */
int ktap_frame_varargs(struct ktap_vm *vm, struct ktap_value *dst, unsigned int n);

/**
 * ktap_frame_catch() - Looks for who catches an error
 * @vm: the activation; the error happened at @vm->pc, or in what that called
 * @err: the error
 * @floor: calls that were there before the interpreter began
 * @pc: gets where it goes on, in the frame that is the running one then
 *
 * Return: 0, the frame made ready; or the error, if nobody catches it.
 */
int ktap_frame_catch(struct ktap_vm *vm, int err, u32 floor, u32 *pc);

/* vm.c: runs @vm->func to its end. */
int ktap_interpret(struct ktap_vm *vm, struct ktap_value *result);

#endif /* _KTAP_FRAME_H */
