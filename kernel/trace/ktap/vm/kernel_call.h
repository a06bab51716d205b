/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions of the kernel that scripts can call.
 */
#ifndef _KTAP_KERNEL_CALL_H
#define _KTAP_KERNEL_CALL_H

#include "vm/builtin.h"
#include "vm/opcode.h"

enum ktap_kernel_call {
#define CALL(name, ...)	KTAP_KERNEL_##name,
#include "vm/kernel_call_list.h"
#undef CALL
	KTAP_NR_KERNEL_CALLS
};

/* The functions are called like built-in ones, and described in the same way. */
extern const struct ktap_builtin ktap_kernel_calls[KTAP_NR_KERNEL_CALLS];

#define CALL(name, ...)	ktap_builtin_fn ktap_kernel_##name;
#include "vm/kernel_call_list.h"
#undef CALL

/* Define such a function whose result is an integer, or a boolean; @_value may use @r and @vm. */
#define KTAP_KERNEL_CALL(_name, _kind, _value)						\
	int ktap_kernel_##_name(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)	\
	{										\
		r[0] = KTAP_VALUE_##_kind(_value);					\
		return 0;								\
	}

/* All functions that are not in the list. */
extern const struct ktap_builtin ktap_kernel_any;

/* Find a function by its name.  False, and *@call is not set, if the list does not have it. */
bool ktap_find_kernel_call(const char *name, u32 *call);

/* The name in the list that is most like @name; NULL if none is. */
const char *ktap_near_kernel_call(const char *name);

/*
 * The function that an instruction of a verified program calls, if it is a built-in one or
 * one of the kernel; or NULL.
 */
static inline const struct ktap_builtin *ktap_called_function(const struct ktap_code *insn)
{
	if (insn->op == KTAP_OP_CALLB)
		return &ktap_builtins[insn->d];
	if (insn->op == KTAP_OP_KANY)
		return &ktap_kernel_any;
	return insn->op == KTAP_OP_KERNEL ? &ktap_kernel_calls[insn->d] : NULL;
}

#endif /* _KTAP_KERNEL_CALL_H */
