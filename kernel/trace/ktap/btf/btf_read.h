/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Members and elements that typed pointers point to.
 */
#ifndef _KTAP_BTF_READ_H
#define _KTAP_BTF_READ_H

#include "btf/btf.h"

struct ktap_env;
struct ktap_value;
struct ktap_vm;

/**
 * struct ktap_access - a member that the verifier has found
 * @of: the structure
 * @string: the name of the member, a string constant
 * @load: how to read it
 */
struct ktap_access {
	u32 of;
	u32 string;
	struct ktap_load load;
};

/*
 * The value is nil if the memory cannot be read, which is counted; if the pointer is
 * NULL; and if scripts have no values of the type.  The functions return 0 or, with
 * the error set, a negative errno.
 */

/* Read the value at @base + @load->offset. */
int ktap_load_value(struct ktap_vm *vm, struct ktap_value *dst, u64 base,
		    const struct ktap_load *load);
/* Convert a value that was passed in a register of the CPU. */
void ktap_load_register(struct ktap_value *dst, unsigned long value,
			const struct ktap_load *load);

/* Instructions that the verifier makes.  For nil they result in nil. */
int ktap_op_member(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *object,
		   u32 access);
int ktap_op_element(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *object,
		    struct ktap_value *key);
int ktap_op_cast(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *v,
		 u32 type);

#endif /* _KTAP_BTF_READ_H */
