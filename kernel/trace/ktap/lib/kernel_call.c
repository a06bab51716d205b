// SPDX-License-Identifier: GPL-2.0
/*
 * Functions of the kernel that scripts can call, and that need only their arguments and the
 * activation.
 */
#include <linux/bitops.h>
#include <linux/math.h>
#include <linux/swab.h>

#include "vm/kernel_call.h"

/*
 * The context of the event, not of the handler: a breakpoint of kprobes, for example, is an
 * NMI for the kernel.
 */
int ktap_kernel_in_hardirq(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_BOOL(vm->level == KTAP_LEVEL_HARDIRQ);
	return 0;
}

int ktap_kernel_in_nmi(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_BOOL(vm->level == KTAP_LEVEL_NMI);
	return 0;
}

int ktap_kernel_in_serving_softirq(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_BOOL(vm->level == KTAP_LEVEL_SOFTIRQ);
	return 0;
}

int ktap_kernel_in_task(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_BOOL(vm->level == KTAP_LEVEL_TASK || vm->level == KTAP_LEVEL_PROCESS);
	return 0;
}

int ktap_kernel_fls64(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(fls64(r[0].u));
	return 0;
}

int ktap_kernel_hweight64(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(hweight64(r[0].u));
	return 0;
}

int ktap_kernel_int_sqrt64(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(int_sqrt64(r[0].u));
	return 0;
}

int ktap_kernel_swab16(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(swab16((u16)r[0].u));
	return 0;
}

int ktap_kernel_swab32(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(swab32((u32)r[0].u));
	return 0;
}

int ktap_kernel_swab64(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_INT(swab64(r[0].u));
	return 0;
}
