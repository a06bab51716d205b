/* SPDX-License-Identifier: GPL-2.0 */
/* Functions of the kernel that scripts can call: ffi.C.NAME(...). */
#ifndef KTAP_KERNEL_CALLS_H
#define KTAP_KERNEL_CALLS_H

#include <stdbool.h>
#include <stddef.h>

#include "compiler/builtins.h"

struct kernel_call {
	const char *prototype;
	struct builtin fn;	/* arguments and result, as of a built-in function */
};

extern const struct kernel_call kernel_calls[];
extern const size_t nkernel_calls;

const struct kernel_call *kernel_call_find(const char *name);
/* The nearest name, or NULL. */
const char *kernel_call_near(const char *name);

#endif
