// SPDX-License-Identifier: GPL-2.0
/*
 * Arithmetic and comparison of values that may not be integers.
 */
#include "vm/arith.h"
#include "vm/vm.h"

int ktap_bad_operand(struct ktap_vm *vm, const struct ktap_value *v)
{
	return ktap_vm_error(vm, -EINVAL, "arithmetic on %s", ktap_type_name(v));
}

int ktap_want_addend(struct ktap_vm *vm, const struct ktap_value *n)
{
	return ktap_is_number(n) ? 0 : ktap_bad_operand(vm, n);
}

int ktap_by_zero(struct ktap_vm *vm)
{
	return ktap_vm_error(vm, -EDOM, "division by zero");
}

int ktap_two_numbers_slow(struct ktap_vm *vm, const struct ktap_value *v,
			  const struct ktap_value *w, s64 *x, s64 *y)
{
	if (!ktap_is_number(v))
		return ktap_bad_operand(vm, v);
	if (!ktap_is_number(w))
		return ktap_bad_operand(vm, w);
	*x = ktap_number(v);
	*y = ktap_number(w);
	return 0;
}

int ktap_no_order(struct ktap_vm *vm, const struct ktap_value *v)
{
	if (v->tag == KTAP_NIL)
		return 1;
	return ktap_vm_error(vm, -EINVAL, "%s and an integer have no order", ktap_type_name(v));
}
