// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in values of the event that is handled.
 */
#include <linux/bitops.h>

#include "vm/builtin.h"
#include "vm/env.h"

int ktap_fn_argstr(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = vm->event ? (struct ktap_value){ .tag = KTAP_ARGSTR } : KTAP_VALUE_NIL;
	return 0;
}

int ktap_fn_probename(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_NIL;
	if (vm->event && vm->event->ops->name)
		vm->event->ops->name(vm->event, &r[0]);
	return 0;
}

int ktap_fn_probefunc(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_NIL;
	if (vm->event && vm->event->ops->func)
		vm->event->ops->func(vm->event, &r[0]);
	return 0;
}

int ktap_fn_retval(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_NIL;
	if (vm->event && vm->event->ops->retval)
		vm->event->ops->retval(vm->event, &r[0]);
	return 0;
}

/* The bit is set by exactly one call, on whichever CPU and in whichever context. */
int ktap_fn_first(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u32 i = r[0].u;

	if (r[0].u >= KTAP_MAX_PROBES || !ktap_index(&i, KTAP_MAX_PROBES))
		return ktap_vm_error(vm, -EINVAL, "first: %lld is no number from 0 to %u", r[0].i,
				     KTAP_MAX_PROBES - 1);
	r[0] = KTAP_VALUE_BOOL(!test_bit(i, vm->env->first) &&
			       !test_and_set_bit(i, vm->env->first));
	return 0;
}

int ktap_fn_event_field(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	s64 field = r[1].i;

	r[0] = KTAP_VALUE_NIL;
	if (vm->event && vm->event->ops->nth)
		vm->event->ops->nth(vm, field, &r[0]);
	return vm->error;
}
