/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Frames: how a function of the script begins, ends, and is left by an error.
 * Used by the interpreter (vm.c) and by its callers (run.c).
 */
#ifndef _KTAP_FRAME_H
#define _KTAP_FRAME_H

#include "vm/opcode.h"
#include "vm/program.h"

struct ktap_value;
struct ktap_vm;

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

/* Call @func for @insn with arguments from @base on; the caller continues at @pc. */
int ktap_frame_enter(struct ktap_vm *vm, const struct ktap_func *func, u32 base,
		     const struct ktap_code *insn, u32 pc);

/*
 * Tail call: @func replaces the running function and returns to its caller,
 * which must exist.  @nargs: number of arguments, or KTAP_MULTI.
 */
int ktap_frame_replace(struct ktap_vm *vm, const struct ktap_func *func, u32 base,
		       unsigned int nargs);

/* Return @n results to the caller, which must exist.  Returns its next instruction. */
u32 ktap_frame_leave(struct ktap_vm *vm, const struct ktap_value *results, unsigned int n);

/* Copy @n variable arguments to @dst, all of them if @n is KTAP_MULTI. */
int ktap_frame_varargs(struct ktap_vm *vm, struct ktap_value *dst, unsigned int n);

/**
 * ktap_frame_catch() - Find the `try` that catches an error
 * @vm: the activation; the error happened at @vm->pc, or in a callee of it
 * @err: the error
 * @floor: number of calls before the interpreter began
 * @pc: gets the instruction that handles the error, in the running frame
 *
 * Return: 0, with the frame of the `try` as the running one; or the error, if no
 * `try` catches it.
 */
int ktap_frame_catch(struct ktap_vm *vm, int err, u32 floor, u32 *pc);

/*
 * vm.c: run @vm->func to its end, from @insn on; @R is its first register.  If it is the
 * filter of a probe and true, continue in @vm->handler.  @vm->result gets the result.
 */
int ktap_interpret(struct ktap_vm *vm, struct ktap_value *R, const struct ktap_code *insn);

#endif /* _KTAP_FRAME_H */
