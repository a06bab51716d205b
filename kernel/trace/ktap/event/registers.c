// SPDX-License-Identifier: GPL-2.0
/*
 * Registers of the event.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "event/registers.h"
#include "vm/builtin.h"
#include "vm/event.h"

/* Units of the comparison with the names of all registers */
#define REGISTER_COST	4

/* More than any name of an architecture has, and its NUL */
#define REGISTER_NAME_SIZE	32

int ktap_fn_reg(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const struct ktap_event *ev = vm->event;
	struct pt_regs *regs = ev && ev->ops->regs ? ev->ops->regs(ev) : NULL;
	char name[REGISTER_NAME_SIZE];
	int offset = -EINVAL;
	const char *text;
	int err;

	err = ktap_make_text(vm, &r[0]) ?: ktap_vm_charge(vm, REGISTER_COST);
	if (err)
		return err;
	text = ktap_blob_of(&r[0]);
	if (r[0].len < sizeof(name)) {
		memcpy(name, text, r[0].len);
		name[r[0].len] = '\0';
		offset = ktap_register_offset(name);
	}
	if (offset < 0)
		return ktap_vm_error(vm, -EINVAL, "this machine has no register '%.*s'",
				     (int)min(r[0].len, sizeof(name)), text);
	r[0] = regs ? KTAP_VALUE_INT(ktap_register_at(regs, offset)) : KTAP_VALUE_NIL;
	return 0;
}
