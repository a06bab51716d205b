// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that native code calls.
 */
#include <linux/bug.h>
#include <linux/errno.h>

#include "data/table_recent.h"
#include "jit/call.h"
#include "vm/env.h"
#include "vm/frame.h"
#include "vm/global.h"
#include "vm/ops.h"
#include "vm/run.h"

s64 ktap_jit_fail(struct ktap_vm *vm, u32 pc, int err)
{
	u32 to;

	err = ktap_frame_catch(vm, pc, err, &to);
	return err ? err : (s64)to;
}

int ktap_jit_enter(struct ktap_vm *vm, const struct ktap_func *func, const struct ktap_code *insn)
{
	u32 base = vm->base + insn->a;

	if (likely(ktap_frame_enter_plain(vm, func, base, insn)))
		return 0;
	return ktap_frame_enter(vm, func, base, insn);
}

s64 ktap_jit_make_frame(struct ktap_vm *vm, const struct ktap_func *func,
			const struct ktap_code *insn, u32 pc)
{
	u32 base = vm->base + insn->a;

	ktap_frame_save(vm, insn);
	vm->ncalls++;
	vm->func = func;
	vm->base = base;
	vm->nvarargs = 0;
	vm->top = base + func->nregs;
	return pc;
}

s64 ktap_jit_return(struct ktap_vm *vm, const struct ktap_value *r, unsigned int n)
{
	const struct ktap_code *insn;

	if (vm->ncalls != vm->floor) {
		ktap_frame_leave(vm, r, n, &insn);
		return insn + 1 - vm->env->prog->code;
	}
	vm->result = n ? *r : KTAP_VALUE_NIL;
	return KTAP_STEP_DONE;
}

/* The first frame of a run has no caller to return to. */
int ktap_jit_tail_call(struct ktap_vm *vm, const struct ktap_func *func,
		       const struct ktap_code *insn)
{
	if (vm->ncalls == vm->floor)
		return ktap_jit_enter(vm, func, insn);
	return ktap_frame_replace(vm, func, vm->base + insn->a, insn->b);
}

/* The filter has ended with @v: enter the handler, or end the run. */
static s64 call_end_filter(struct ktap_vm *vm, const struct ktap_value *v)
{
	const struct ktap_func *handler = vm->handler;
	int err;

	if (!ktap_is_true(v))
		return KTAP_STEP_DONE;
	err = ktap_vm_enter_handler(vm, handler);
	return err ? err : handler->code - vm->env->prog->code;
}

s64 ktap_jit_return_any(struct ktap_vm *vm, const struct ktap_value *r,
			const struct ktap_code *insn)
{
	unsigned int n = insn->b;
	s64 to;
	int err;

	if (n == KTAP_MULTI) {
		err = ktap_open_values(vm, r - vm->stack, &n);
		if (err)
			return ktap_jit_fail(vm, insn - vm->env->prog->code, err);
	}
	to = ktap_jit_return(vm, r, n);
	if (to != KTAP_STEP_DONE || !vm->handler || vm->floor)
		return to;
	return call_end_filter(vm, &vm->result);
}

s64 ktap_jit_decide(struct ktap_vm *vm, const struct ktap_value *r, const struct ktap_code *insn)
{
	if (!vm->handler)
		return ktap_jit_return_any(vm, r, insn);
	return call_end_filter(vm, r);
}

int ktap_jit_lost(struct ktap_vm *vm)
{
	WARN_ON_ONCE(1);
	return ktap_vm_error(vm, -EINVAL, "native code is lost: this is a bug of ktap");
}

int ktap_jit_enter_handler(struct ktap_vm *vm)
{
	return ktap_vm_enter_handler(vm, vm->handler);
}

int ktap_jit_set_global(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	return ktap_global_set_int(&vm->env->globals[n], v->i) ? 0 : ktap_global_set(vm, n, v);
}

int ktap_jit_sum(struct ktap_vm *vm, const struct ktap_global *g, const struct ktap_value *v)
{
	if (likely(ktap_global_sum(vm, g, v)))
		return 0;
	return ktap_global_add(vm, g - vm->env->globals, v);
}

static noinline int call_add_number(struct ktap_vm *vm, const struct ktap_global *g, s64 n)
{
	const struct ktap_value v = KTAP_VALUE_INT(n);

	return ktap_global_add(vm, g - vm->env->globals, &v);
}

int ktap_jit_sum_number(struct ktap_vm *vm, const struct ktap_global *g, s64 n)
{
	return likely(ktap_global_sum_int(vm, g, n)) ? 0 : call_add_number(vm, g, n);
}

int ktap_jit_sum_int(const struct ktap_global *g, s64 n)
{
	struct ktap_sum __percpu *sums = READ_ONCE(g->adding);

	if (unlikely(!sums))
		return 0;
	ktap_sum_add(sums, n);
	return 1;
}

int ktap_jit_set_recent(const struct ktap_table *t, const struct ktap_value *key, s64 n)
{
	return ktap_recent_put(t, key, n, false);
}

int ktap_jit_add_recent(const struct ktap_table *t, const struct ktap_value *key, s64 n)
{
	return ktap_recent_put(t, key, n, true);
}

int ktap_jit_field(struct ktap_vm *vm, u32 field, struct ktap_value *dst)
{
	ktap_op_field(vm, field, dst);
	return vm->error;
}

int ktap_jit_for(struct ktap_vm *vm, struct ktap_value *r)
{
	bool enter;
	int err = ktap_op_for(vm, r, &enter);

	return err ? err : enter;
}

int ktap_jit_arg(struct ktap_vm *vm, u32 n, struct ktap_value *dst)
{
	ktap_op_arg(vm, n, dst);
	return vm->error;
}
