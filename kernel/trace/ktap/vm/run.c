// SPDX-License-Identifier: GPL-2.0
/*
 * Start and end of a run, and the message of its error.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "vm/run.h"

/*
 * Nesting of built-ins that call functions of the script.  Each level takes a
 * kilobyte of the kernel's stack.
 */
#define RUN_MAX_NESTED		4

void ktap_vm_forget_error(struct ktap_vm *vm)
{
	vm->error = 0;
	vm->message[0] = '\0';
	vm->fault.func = NULL;
	vm->fault.nil_key = false;
	vm->ncalls = 0;
	vm->floor = 0;
	vm->nested = 0;
}

int ktap_vm_not_native(struct ktap_vm *vm)
{
	return ktap_vm_error(vm, -EOPNOTSUPP,
			     "%s was not compiled, and this kernel interprets no scripts",
			     vm->func->name);
}

int ktap_vm_run(struct ktap_vm *vm, u32 func, const struct ktap_value *args,
		unsigned int nargs, struct ktap_value *result)
{
	const struct ktap_func *f = &vm->env->prog->funcs[func];
	u64 slice = ktap_vm_slice(vm);
	int err;

	ktap_vm_begin_run(vm, slice);
	vm->handler = NULL;
	vm->result = KTAP_VALUE_NIL;
	if (!f->variadic)
		nargs = min_t(unsigned int, nargs, f->nparams);
	if (nargs)
		memcpy(vm->stack, args, nargs * sizeof(*args));
	err = ktap_vm_finish_run(vm, f, f->native, ktap_vm_enter(vm, f, nargs));
	if (result) {
		*result = err ? KTAP_VALUE_NIL : vm->result;
		if (ktap_is_object(result))
			*result = KTAP_VALUE_BOOL(true);
	}
	ktap_vm_end_run(vm, slice);
	return err;
}

void ktap_start_init(struct ktap_start *start, const struct ktap_func *filter,
		     const struct ktap_func *handler, const struct ktap_native *native,
		     u64 max_insns, u64 slice)
{
	const struct ktap_func *first = filter ?: handler;
	u64 budget = min(max_insns, slice);

	*start = (struct ktap_start){
		.first = first,
		.next = filter ? handler : NULL,
		.native = native,
		.rest = max_insns - budget,
	};
	if (first->variadic || first->nparams > !filter || first->cost >= budget)
		return;
	start->budget = budget - first->cost;
	start->plain = true;
}

int ktap_vm_call(struct ktap_vm *vm, const struct ktap_func *func, const struct ktap_value *args,
		 unsigned int nargs, struct ktap_value *result)
{
	const struct ktap_call caller = {
		.func = vm->func,
		.insn = vm->env->prog->code + vm->pc,
		.base = vm->base,
		.nvarargs = vm->nvarargs,
	};
	u32 top = vm->top, ncalls = vm->ncalls, floor = vm->floor;
	int err;

	*result = KTAP_VALUE_NIL;
	err = ktap_vm_charge(vm, 1 + func->cost);
	if (err)
		return err;
	if (vm->nested == RUN_MAX_NESTED)
		return ktap_vm_error(vm, -ENOSPC,
				     "functions that built-ins call nest too deep: %u is the most",
				     RUN_MAX_NESTED);
	if (vm->ncalls == vm->max_calls)
		return ktap_vm_error(vm, -ENOSPC, "calls nest too deep: %u is the most",
				     vm->max_calls);
	if (top + nargs > vm->stack_size)
		return ktap_vm_error(vm, -ENOSPC, "calls nest too deep: no room on the stack");

	memcpy(vm->stack + top, args, nargs * sizeof(*args));
	vm->calls[vm->ncalls++] = caller;
	vm->floor = vm->ncalls;
	vm->nested++;
	err = ktap_frame_make(vm, func, top, nargs);
	if (!err)
		err = ktap_execute(vm, vm->stack + vm->base, func, func->native);
	if (!err)
		*result = vm->result;
	vm->nested--;
	vm->floor = floor;
	vm->ncalls = ncalls;
	vm->func = caller.func;
	vm->base = caller.base;
	vm->pc = caller.insn - vm->env->prog->code;
	vm->nvarargs = caller.nvarargs;
	vm->top = top;
	return err;
}

/* Lines of a backtrace; the outermost calls of a deeper one are left out. */
#define BACKTRACE_MAX	16

static size_t run_put_frame(const struct ktap_program *prog, const struct ktap_func *func, u32 pc,
			    char *buf, size_t size)
{
	char position[KTAP_POSITION_SIZE];

	if (ktap_program_position(prog, pc, false, position, sizeof(position)))
		return scnprintf(buf, size, "  in %s (%s)\n", func->name, position);
	return scnprintf(buf, size, "  in %s\n", func->name);
}

size_t ktap_vm_backtrace(const struct ktap_vm *vm, char *buf, size_t size)
{
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_fault *fault = &vm->fault;
	const struct ktap_call *call;
	unsigned int lines;
	char position[KTAP_POSITION_SIZE];
	size_t len;
	u32 i;

	if (!fault->func)
		return scnprintf(buf, size, "ktap: error: %s\n", vm->message);
	if (!ktap_program_position(prog, fault->pc, true, position, sizeof(position)))
		strscpy(position, "ktap");
	/* Only error() in a script can have an empty message. */
	len = scnprintf(buf, size, "%s: error: %s\n", position,
			vm->message[0] ? vm->message : "error() without a message");
	len += run_put_frame(prog, fault->func, fault->pc, buf + len, size - len);
	for (i = fault->ncalls, lines = 1; i && lines < BACKTRACE_MAX; i--, lines++) {
		call = &vm->calls[i - 1];
		if (call->tail)
			len += scnprintf(buf + len, size - len, "  (tail calls)\n");
		len += run_put_frame(prog, call->func, call->insn - prog->code, buf + len,
				     size - len);
	}
	if (i)
		len += scnprintf(buf + len, size - len, "  and %u more\n", i);
	return len;
}
