// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in values of the event that is handled.
 */
#include "vm/builtin.h"

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

int ktap_fn_event_field(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	s64 field = r[1].i;

	r[0] = KTAP_VALUE_NIL;
	if (vm->event && vm->event->ops->nth)
		vm->event->ops->nth(vm, field, &r[0]);
	return vm->error;
}
