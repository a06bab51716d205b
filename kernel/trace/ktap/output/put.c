// SPDX-License-Identifier: GPL-2.0
/*
 * Output of a run: to the reader, or to a speculation.
 */
#include <linux/compiler.h>

#include "output/put.h"
#include "output/speculation.h"
#include "vm/output_ops.h"
#include "vm/vm.h"

void *ktap_put_reserve(struct ktap_vm *vm, size_t size)
{
	if (unlikely(vm->speculation))
		return ktap_speculation_reserve(vm, size);
	return ktap_out_reserve(vm, size);
}

void ktap_put_commit(struct ktap_vm *vm, void *rec)
{
	if (unlikely(vm->speculation)) {
		ktap_speculation_commit(vm);
		return;
	}
	ktap_out_commit(vm, rec);
}

int ktap_put_text(struct ktap_vm *vm, enum ktap_channel channel, const char *text, size_t len)
{
	if (vm->speculation)
		return ktap_speculation_text(vm, channel, text, len);
	return ktap_out_text(vm, channel, text, len);
}
