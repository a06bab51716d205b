/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs of handlers.  The common path is inline: it is a part of the cost of each event.
 */
#ifndef _KTAP_RUN_H
#define _KTAP_RUN_H

#include "data/object.h"
#include "vm/env.h"
#include "vm/frame.h"
#include "vm/native.h"
#include "vm/vm.h"

/*
 * Units of the first slice of a measured handler.  A run that lasts longer is always
 * measured from then on, slice by slice (overhead.c).
 */
#define KTAP_FIRST_SLICE	128

/* Slice of a run in process context */
#define KTAP_NO_BUDGET		0

/*
 * Set the budget at the start of a run.  @slice: units of the first slice, U64_MAX if the
 * run is not measured, KTAP_NO_BUDGET in process context.
 */
static __always_inline void ktap_vm_grant_budget(struct ktap_vm *vm, u64 slice)
{
	if (slice == KTAP_NO_BUDGET)
		vm->budget = KTAP_PROCESS_SLICE;
	else
		ktap_vm_begin_slice(vm, vm->env->max_insns, slice);
}

/* The slice that fits to the activation */
static inline u64 ktap_vm_slice(const struct ktap_vm *vm)
{
	if (vm->level == KTAP_LEVEL_PROCESS)
		return KTAP_NO_BUDGET;
	return vm->overhead ? KTAP_FIRST_SLICE : U64_MAX;
}

/* run.c: forget the error of the last run, and its frames. */
void ktap_vm_forget_error(struct ktap_vm *vm);

/* Begin a run.  A run that succeeds leaves no error, no calls and no nested functions. */
static __always_inline void ktap_vm_begin_run(struct ktap_vm *vm, u64 slice)
{
	if (unlikely(vm->error))
		ktap_vm_forget_error(vm);
	vm->speculation = 0;
	vm->execname_len = 0;
	vm->arena.cur = 0;
	vm->arena.used = 0;
	ktap_vm_grant_budget(vm, slice);
}

/* No function has more registers than a stack has. */
static_assert(KTAP_MAX_REGS <= KTAP_EVENT_STACK);

/* Enter the first function of a run with @nargs arguments; charge for its straight code. */
static __always_inline int ktap_vm_enter(struct ktap_vm *vm, const struct ktap_func *func,
					 unsigned int nargs)
{
	int err;

	if (likely(!func->variadic && func->nparams <= nargs)) {
		vm->func = func;
		vm->base = 0;
		vm->nvarargs = 0;
		vm->top = func->nregs;
	} else {
		vm->top = 0;
		err = ktap_frame_make(vm, func, 0, nargs);
		if (err)
			return err;
	}
	return ktap_vm_charge(vm, func->cost);
}

/* The filter was true: enter its handler.  Returns 0, or an error with its position. */
static __always_inline int ktap_vm_enter_handler(struct ktap_vm *vm,
						 const struct ktap_func *handler)
{
	int err;

	vm->handler = NULL;
	vm->speculation = 0;
	vm->stack[0] = ktap_event_value(vm->event);
	err = ktap_vm_enter(vm, handler, 1);
	if (unlikely(err))
		vm->fault = (struct ktap_fault){ .func = handler, .pc = handler->first };
	return err;
}

/* run.c: an error of the run, whose function was not compiled */
int ktap_vm_not_native(struct ktap_vm *vm);

/*
 * Run @func, whose frame begins at @R: its native code, or if that is NULL its bytecode.
 * Where nothing is interpreted, only tests have an interpreter.
 */
static __always_inline int ktap_execute(struct ktap_vm *vm, struct ktap_value *R,
					const struct ktap_func *func,
					const struct ktap_native *native)
{
	if (IS_ENABLED(CONFIG_KTAP_JIT) && native)
		return ktap_native_run(native, vm);
	if (IS_ENABLED(CONFIG_KTAP_JIT_ALWAYS) &&
	    (!IS_ENABLED(CONFIG_KTAP_KUNIT_TEST) || vm->env->jit_always))
		return ktap_vm_not_native(vm);
	if (IS_ENABLED(CONFIG_KTAP_FENCED) && unlikely(vm->env->fenced))
		return ktap_interpret_fenced(vm, R, func->code);
	return ktap_interpret(vm, R, func->code);
}

/* Run the function that was entered, if @err is 0, and end the run. */
static __always_inline int ktap_vm_finish_run(struct ktap_vm *vm, const struct ktap_func *func,
					      const struct ktap_native *native, int err)
{
	if (likely(!err))
		err = ktap_execute(vm, vm->stack + vm->base, func, native);
	else
		vm->fault = (struct ktap_fault){ .func = func, .pc = func->first };
	vm->error = err;
	return err;
}

/* End a run: free the objects that only its registers refer to. */
static __always_inline void ktap_vm_end_run(struct ktap_vm *vm, u64 slice)
{
	if (vm->after & KTAP_AFTER_OBJECTS || slice == KTAP_NO_BUDGET)
		ktap_objects_end_run(vm);
}

/**
 * ktap_vm_handle() - Run the filter of a probe and, if it is true, the handler
 * @vm: as for ktap_vm_run()
 * @filter: function without arguments, or NULL
 * @handler: function; its argument is the event
 * @native: native code of @filter and @handler, or NULL
 * @ev: the event, or NULL if it has no parts
 * @slice: ktap_vm_slice() of @vm, which the caller may know to be a constant
 *
 * They are one run, with one budget: the filter continues in the handler.
 * Context: as for ktap_vm_run().
 * Return: as ktap_vm_run().  @vm->handler is NULL if the handler has begun.
 */
static __always_inline int ktap_vm_handle(struct ktap_vm *vm, const struct ktap_func *filter,
					  const struct ktap_func *handler,
					  const struct ktap_native *native,
					  const struct ktap_event *ev, u64 slice)
{
	const struct ktap_func *first = handler;
	int err;

	ktap_vm_begin_run(vm, slice);
	vm->event = ev;
	if (filter) {
		vm->handler = handler;
		first = filter;
		err = ktap_vm_enter(vm, filter, 0);
	} else {
		vm->handler = NULL;
		vm->stack[0] = ktap_event_value(ev);
		err = ktap_vm_enter(vm, handler, 1);
	}
	err = ktap_vm_finish_run(vm, first, native, err);
	ktap_vm_end_run(vm, slice);
	return err;
}

/**
 * struct ktap_start - how each run of a probe begins, computed before the first one
 * @plain: the first function has no variable arguments and no parameter without an
 *	argument, and the first slice pays for its straight code
 * @first: the filter, or the handler if there is no filter
 * @next: the handler if there is a filter, otherwise NULL
 * @native: native code of both, or NULL
 * @budget: units left of the first slice after the charge for the straight code
 * @rest: units left after the first slice
 */
struct ktap_start {
	bool plain;
	const struct ktap_func *first;
	const struct ktap_func *next;
	const struct ktap_native *native;
	u64 budget;
	u64 rest;
};

/* run.c.  @filter and @native may be NULL; @slice: as for ktap_vm_grant_budget(). */
void ktap_start_init(struct ktap_start *start, const struct ktap_func *filter,
		     const struct ktap_func *handler, const struct ktap_native *native,
		     u64 max_insns, u64 slice);

/**
 * ktap_vm_start() - Run a probe of which @start->plain is true
 * @vm: as for ktap_vm_run(), of event context; the last run has left no frames
 * @start: made for the budget of @vm's session
 * @ev: the event
 *
 * The same as ktap_vm_handle(), without its tests.  The caller frees objects, if
 * @vm->after says so, and after an error sets @vm->error to it.
 * Return: as ktap_vm_run().
 */
static __always_inline int ktap_vm_start(struct ktap_vm *vm, const struct ktap_start *start,
					 const struct ktap_event *ev)
{
	const struct ktap_func *first = start->first;
	struct ktap_value *R = vm->stack;

	vm->event = ev;
	vm->error = 0;
	vm->speculation = 0;
	vm->execname_len = 0;
	vm->arena.cur = 0;
	vm->arena.used = 0;
	vm->budget = start->budget;
	vm->rest = start->rest;
	vm->handler = start->next;
	vm->func = first;
	vm->base = 0;
	vm->nvarargs = 0;
	vm->top = first->nregs;
	/* A filter has no parameter, and writes its first register before it reads it. */
	R[0].blob = ev;
	R[0].tag = KTAP_EVENT;
	R[0].len = 0;
	return ktap_execute(vm, R, first, start->native);
}

#endif /* _KTAP_RUN_H */
