// SPDX-License-Identifier: GPL-2.0
/*
 * Single instructions of the interpreter, for native code.
 */
#include <linux/compiler.h>

#include "jit/call.h"

/* The same source defines what an instruction does, here and in the interpreter. */
#define KTAP_STEP
#include "vm/vm.c"

s64 ktap_jit_step(struct ktap_vm *vm, struct ktap_value *r, u32 pc)
{
	return step_execute(vm, r, vm->env->prog->code + pc);
}

/* The function that is the value @v; NULL, with the error set, if it is another one. */
static const struct ktap_func *step_func_of(struct ktap_vm *vm, const struct ktap_value *v)
{
	if (likely(v->tag == KTAP_FUNC))
		return ktap_func_of(vm->env->prog, v);
	vm_no_function(vm, v);
	return NULL;
}

/* The call by @insn has entered @func, or failed with @err. */
static s64 step_continue(struct ktap_vm *vm, const struct ktap_func *func,
			 const struct ktap_code *insn, int err)
{
	const struct ktap_code *code = vm->env->prog->code;

	return likely(!err) ? func->code - code : ktap_jit_fail(vm, insn - code, err);
}

s64 ktap_jit_call_value(struct ktap_vm *vm, const struct ktap_value *r,
			const struct ktap_code *insn)
{
	const struct ktap_func *func = step_func_of(vm, r);
	u32 base = vm->base + insn->a + 1;
	int err = 0;

	if (unlikely(!func))
		err = vm->error;
	else if (unlikely(!ktap_frame_enter_plain(vm, func, base, insn)))
		err = ktap_frame_enter(vm, func, base, insn);
	return step_continue(vm, func, insn, err);
}

s64 ktap_jit_tail_call_value(struct ktap_vm *vm, const struct ktap_value *r,
			     const struct ktap_code *insn)
{
	const struct ktap_func *func;

	if (vm->ncalls == vm->floor)
		return ktap_jit_call_value(vm, r, insn);
	func = step_func_of(vm, r);
	return step_continue(vm, func, insn, func ?
			     ktap_frame_replace(vm, func, vm->base + insn->a + 1, insn->b) :
			     vm->error);
}

int ktap_jit_call_builtin(struct ktap_vm *vm, struct ktap_value *r, u32 id, unsigned int n)
{
	const struct ktap_builtin *fn = &ktap_builtins[id];

	if (unlikely(n == KTAP_MULTI))
		return vm_call_builtin_open(vm, fn, r);
	return vm_call_builtin(vm, fn, r, n);
}

int ktap_jit_call_kernel(struct ktap_vm *vm, struct ktap_value *r, u32 call, unsigned int n)
{
	return vm_call_builtin(vm, &ktap_kernel_calls[call], r, n);
}

int ktap_jit_printf(struct ktap_vm *vm, struct ktap_value *r, u32 format, unsigned int n)
{
	if (likely(ktap_print_split(vm, vm->env->prog->formats[format], format, r, n)))
		return 0;
	return vm_call_builtin(vm, &ktap_builtins[KTAP_FN_PRINTF], r, n);
}
