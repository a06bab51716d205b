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

int ktap_jit_call_builtin(struct ktap_vm *vm, struct ktap_value *r, u32 id, unsigned int n)
{
	const struct ktap_builtin *fn = &ktap_builtins[id];

	if (unlikely(n == KTAP_MULTI))
		return vm_call_builtin_open(vm, fn, r);
	return vm_call_builtin(vm, fn, r, n);
}

int ktap_jit_printf(struct ktap_vm *vm, struct ktap_value *r, u32 format, unsigned int n)
{
	if (likely(ktap_print_split(vm, vm->env->prog->formats[format], format, r, n)))
		return 0;
	return vm_call_builtin(vm, &ktap_builtins[KTAP_FN_PRINTF], r, n);
}
