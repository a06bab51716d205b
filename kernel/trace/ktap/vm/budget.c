// SPDX-License-Identifier: GPL-2.0
/*
 * Instruction budget and errors of a run.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/smp.h>
#include <linux/stdarg.h>
#include <linux/trace_clock.h>

#include "vm/env.h"
#include "vm/overhead.h"
#include "vm/vm.h"

/* Units of a slice of a measured handler after the first one. */
#define SLICE			1024

int ktap_vm_error(struct ktap_vm *vm, int err, const char *fmt, ...)
{
	va_list args;

	/* The first one is the cause. */
	if (vm->error)
		return vm->error;
	vm->error = err;
	va_start(args, fmt);
	vscnprintf(vm->message, sizeof(vm->message), fmt, args);
	va_end(args);
	return err;
}

int ktap_vm_held_cpu(struct ktap_vm *vm)
{
	return ktap_vm_error(vm, -ETIME,
			     "the handlers held more than 90%% of CPU %u for three seconds: %s",
			     raw_smp_processor_id(),
			     "try a filter, fewer events, or --max-overhead PCT, which skips some");
}

static int budget_next_slice(struct ktap_vm *vm, u32 n)
{
	u64 left = vm->budget + vm->rest;

	if (left <= n)
		return ktap_vm_error(vm, -ETIME,
				     "the handler used up its budget: max_insns is %llu",
				     vm->env->max_insns);
	ktap_vm_begin_slice(vm, left - n, SLICE);
	vm->after |= KTAP_AFTER_MEASURE;
	if (ktap_overhead_slice(vm->overhead, trace_clock_local()))
		return ktap_vm_held_cpu(vm);
	return 0;
}

int ktap_vm_out_of_budget(struct ktap_vm *vm, u32 n)
{
	if (vm->level != KTAP_LEVEL_PROCESS)
		return budget_next_slice(vm, n);
	vm->budget = KTAP_PROCESS_SLICE;
	cond_resched();
	if ((vm->abort && READ_ONCE(*vm->abort)) || fatal_signal_pending(current))
		return ktap_vm_error(vm, -EINTR, "the session ends");
	return 0;
}
