/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What pointers with a type point to: members and elements.
 */
#ifndef _KTAP_BTF_READ_H
#define _KTAP_BTF_READ_H

#include "btf/btf.h"
#include "vm/vm.h"

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
 * All of them give nil, and count it, if the memory cannot be read, nil for a
 * NULL pointer, and nil for what is of a type that a script cannot hold.  They
 * return 0 or, with the error set, a negative errno.
 */

/* Reads what lies at @base + @load->offset. */
int ktap_load_value(struct ktap_vm *vm, struct ktap_value *dst, u64 base,
		    const struct ktap_load *load);
/* The value that was passed in a register of the CPU. */
void ktap_load_register(struct ktap_value *dst, unsigned long value,
			const struct ktap_load *load);
/* @object is a pointer: its member by the name that is constant @string. */
int ktap_member_by_name(struct ktap_vm *vm, struct ktap_value *dst,
			const struct ktap_value *object, u32 string);
/* @object is a pointer: what stands @key places behind it. */
int ktap_element_get(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *object,
		     const struct ktap_value *key);

/* Instructions that the verifier makes: of nil they give nil. */
int ktap_op_member(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *object,
		   u32 access);
int ktap_op_element(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *object,
		    struct ktap_value *key);
int ktap_op_cast(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *v,
		 u32 type);

/*
 * Memory for what is found by name while the program runs, unless there is some:
 * 0 or -ENOMEM.  Context: process, before the first event.
 */
int ktap_members_init(struct ktap_env *env);
void ktap_members_destroy(struct ktap_env *env);

#endif /* _KTAP_BTF_READ_H */
