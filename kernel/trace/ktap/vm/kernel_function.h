/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the kernel that are not in kernel_call_list.h: scripts call them by the
 * prototype that BTF has.
 */
#ifndef _KTAP_KERNEL_FUNCTION_H
#define _KTAP_KERNEL_FUNCTION_H

#include "vm/program.h"
#include "vm/vm.h"

/**
 * struct ktap_kernel_function - a function that a program calls
 * @address: its address
 * @mod: its module, pinned; or NULL
 * @prototype: its parameters and its result
 */
struct ktap_kernel_function {
	unsigned long address;
	struct module *mod;
	struct ktap_prototype prototype;
};

#ifdef CONFIG_KTAP_CALL
#define KTAP_CAN_CALL	1

/**
 * ktap_kernel_functions_find() - Find the functions that a program calls by prototype
 * @prog: the program, verified; the caller has checked that it may act on the system
 * @diag: set to the reason of a refusal
 *
 * Pins the modules of the functions.
 * Context: process.
 * Return: 0; -EINTR; or, with @diag set, -ENOENT, -EINVAL, -EPERM, -EOPNOTSUPP, -ENOMEM.
 */
int ktap_kernel_functions_find(struct ktap_program *prog, struct ktap_diag *diag);
/* Release the modules.  Does nothing if no function was looked up. */
void ktap_kernel_functions_put(struct ktap_program *prog);

/**
 * ktap_kernel_function_call() - Execute a call by prototype
 * @vm: the activation
 * @string: constant of the program that is the name of the function
 * @r: arguments; @r[0] gets the result
 * @n: number of arguments
 *
 * Return: 0 or the error of ktap_vm_error().
 */
int ktap_kernel_function_call(struct ktap_vm *vm, u32 string, struct ktap_value *r,
			      unsigned int n);
#else
#define KTAP_CAN_CALL	0

static inline int ktap_kernel_functions_find(struct ktap_program *prog, struct ktap_diag *diag)
{
	return 0;
}

static inline void ktap_kernel_functions_put(struct ktap_program *prog)
{
}

static inline int ktap_kernel_function_call(struct ktap_vm *vm, u32 string,
					    struct ktap_value *r, unsigned int n)
{
	return ktap_vm_error(vm, -EOPNOTSUPP, "this kernel was built without CONFIG_KTAP_CALL");
}
#endif

#endif /* _KTAP_KERNEL_FUNCTION_H */
