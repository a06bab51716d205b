// SPDX-License-Identifier: GPL-2.0
/*
 * Start and end of a run, and the message of its error.
 */
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "data/object.h"
#include "vm/env.h"
#include "vm/frame.h"
#include "vm/vm.h"

/*
 * Nesting of built-ins that call functions of the script.  Each level takes a
 * kilobyte of the kernel's stack.
 */
#define RUN_MAX_NESTED		4

/* Charge for the straight code of the function, as a call does. */
static int run_begin(struct ktap_vm *vm, const struct ktap_func *f, unsigned int nargs)
{
	int err = ktap_frame_make(vm, f, 0, nargs);

	return err ?: ktap_vm_charge(vm, ktap_func_cost(vm->env->prog, f));
}

int ktap_vm_run(struct ktap_vm *vm, u32 func, const struct ktap_value *args,
		unsigned int nargs, struct ktap_value *result)
{
	const struct ktap_func *f = &vm->env->prog->funcs[func];
	int err;

	vm->error = 0;
	vm->message[0] = '\0';
	vm->fault.func = NULL;
	vm->pc = f->first;
	vm->ncalls = 0;
	vm->nested = 0;
	vm->speculation = 0;
	vm->top = 0;
	vm->arena.cur = 0;
	vm->arena.used = 0;
	ktap_vm_grant_budget(vm);

	if (!f->variadic)
		nargs = min_t(unsigned int, nargs, f->nparams);
	if (nargs)
		memcpy(vm->stack, args, nargs * sizeof(*args));
	err = run_begin(vm, f, nargs);
	if (err)
		vm->fault = (struct ktap_fault){ .func = f, .pc = f->first };
	else
		err = ktap_interpret(vm, &vm->stack[0]);
	vm->error = err;
	if (result) {
		*result = err ? KTAP_VALUE_NIL : vm->stack[0];
		if (ktap_is_object(result))
			*result = KTAP_VALUE_BOOL(true);
	}
	ktap_objects_end_run(vm);
	return err;
}

int ktap_vm_call(struct ktap_vm *vm, const struct ktap_func *func, const struct ktap_value *args,
		 unsigned int nargs, struct ktap_value *result)
{
	const struct ktap_call caller = {
		.func = vm->func,
		.base = vm->base,
		.pc = vm->pc + 1,
		.nvarargs = vm->nvarargs,
	};
	u32 top = vm->top, ncalls = vm->ncalls;
	int err;

	*result = KTAP_VALUE_NIL;
	err = ktap_vm_charge(vm, 1 + ktap_func_cost(vm->env->prog, func));
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
	vm->nested++;
	err = ktap_frame_make(vm, func, top, nargs);
	if (!err)
		err = ktap_interpret(vm, result);
	vm->nested--;
	vm->ncalls = ncalls;
	vm->func = caller.func;
	vm->base = caller.base;
	vm->pc = caller.pc - 1;
	vm->nvarargs = caller.nvarargs;
	vm->top = top;
	return err;
}

/* Lines of a backtrace; the outermost calls of a deeper one are left out. */
#define BACKTRACE_MAX	16

static size_t run_put_frame(const struct ktap_program *prog, const struct ktap_func *func, u32 pc,
			    char *buf, size_t size)
{
	char place[KTAP_PLACE_SIZE];

	if (ktap_program_place(prog, pc, false, place, sizeof(place)))
		return scnprintf(buf, size, "  in %s (%s)\n", func->name, place);
	return scnprintf(buf, size, "  in %s\n", func->name);
}

size_t ktap_vm_backtrace(const struct ktap_vm *vm, char *buf, size_t size)
{
	const struct ktap_program *prog = vm->env->prog;
	const struct ktap_fault *fault = &vm->fault;
	const struct ktap_call *call;
	unsigned int lines;
	char place[KTAP_PLACE_SIZE];
	size_t len;
	u32 i;

	if (!fault->func)
		return scnprintf(buf, size, "ktap: error: %s\n", vm->message);
	if (!ktap_program_place(prog, fault->pc, true, place, sizeof(place)))
		strscpy(place, "ktap");
	/* Only error() in a script can have an empty message. */
	len = scnprintf(buf, size, "%s: error: %s\n", place,
			vm->message[0] ? vm->message : "error() without a message");
	len += run_put_frame(prog, fault->func, fault->pc, buf + len, size - len);
	for (i = fault->ncalls, lines = 1; i && lines < BACKTRACE_MAX; i--, lines++) {
		call = &vm->calls[i - 1];
		if (call->tail)
			len += scnprintf(buf + len, size - len, "  (tail calls)\n");
		len += run_put_frame(prog, call->func, call->pc - 1, buf + len, size - len);
	}
	if (i)
		len += scnprintf(buf + len, size - len, "  and %u more\n", i);
	return len;
}
