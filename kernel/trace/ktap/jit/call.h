/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that native code calls.
 */
#ifndef _KTAP_CALL_H
#define _KTAP_CALL_H

#include <linux/kernel.h>
#include <linux/types.h>

struct ktap_code;
struct ktap_func;
struct ktap_global;
struct ktap_table;
struct ktap_value;
struct ktap_vm;

/* Result of ktap_jit_step() and others: the run has ended without an error. */
#define KTAP_STEP_DONE	S32_MAX

/*
 * These return the number of the instruction to continue at, KTAP_STEP_DONE, or the
 * negative errno with which the run ends.
 *
 * ktap_jit_step(): execute instruction @pc, @r is register 0 of its function (step.c).
 * ktap_jit_fail(): instruction @pc has failed with @err.
 * ktap_jit_return(): return @n values from @r on.
 */
s64 ktap_jit_step(struct ktap_vm *vm, struct ktap_value *r, u32 pc);
s64 ktap_jit_fail(struct ktap_vm *vm, u32 pc, int err);
s64 ktap_jit_return(struct ktap_vm *vm, const struct ktap_value *r, unsigned int n);

/*
 * As above.  These execute @insn, whose register a is @r.
 *
 * ktap_jit_return_any(): RET.  It may be the end of a filter, and have open values.
 * ktap_jit_decide(): DECIDE.  It may be where there is no filter.
 * ktap_jit_call_value(): CALLV (step.c).
 * ktap_jit_tail_call_value(): TAILV (step.c).
 */
s64 ktap_jit_return_any(struct ktap_vm *vm, const struct ktap_value *r,
			const struct ktap_code *insn);
s64 ktap_jit_decide(struct ktap_vm *vm, const struct ktap_value *r, const struct ktap_code *insn);
s64 ktap_jit_call_value(struct ktap_vm *vm, const struct ktap_value *r,
			const struct ktap_code *insn);
s64 ktap_jit_tail_call_value(struct ktap_vm *vm, const struct ktap_value *r,
			     const struct ktap_code *insn);

/* Call @func for @insn, or tail call it.  0, or the error of the instruction. */
int ktap_jit_enter(struct ktap_vm *vm, const struct ktap_func *func, const struct ktap_code *insn);
int ktap_jit_tail_call(struct ktap_vm *vm, const struct ktap_func *func,
		       const struct ktap_code *insn);

/*
 * Make the frame of @func, which was called by @insn in place and has been paid for, to
 * continue at its instruction @pc.  Returns @pc.
 */
s64 ktap_jit_make_frame(struct ktap_vm *vm, const struct ktap_func *func,
			const struct ktap_code *insn, u32 pc);

/* The interpreter would continue where no code begins: a bug.  Always -EINVAL. */
int ktap_jit_lost(struct ktap_vm *vm);

/* Enter the handler after its filter.  0, or the error with which the run ends. */
int ktap_jit_enter_handler(struct ktap_vm *vm);

/* These do what an instruction does.  0 or, with the error set, a negative errno. */
int ktap_jit_call_builtin(struct ktap_vm *vm, struct ktap_value *r, u32 id, unsigned int n);
int ktap_jit_call_kernel(struct ktap_vm *vm, struct ktap_value *r, u32 call, unsigned int n);
int ktap_jit_printf(struct ktap_vm *vm, struct ktap_value *r, u32 format, unsigned int n);
int ktap_jit_set_global(struct ktap_vm *vm, u32 n, struct ktap_value *v);
int ktap_jit_sum(struct ktap_vm *vm, const struct ktap_global *g, const struct ktap_value *v);
int ktap_jit_sum_number(struct ktap_vm *vm, const struct ktap_global *g, s64 n);
int ktap_jit_field(struct ktap_vm *vm, u32 field, struct ktap_value *dst);
int ktap_jit_arg(struct ktap_vm *vm, u32 n, struct ktap_value *dst);

/* Begin a loop with the registers from @r on.  1, or 0 if it ends at once, or an error. */
int ktap_jit_for(struct ktap_vm *vm, struct ktap_value *r);

/*
 * Set an entry of a steady table, or add to it, if it is a recent one (data/table_recent.h).
 * 1, or 0 if that cannot be done.
 */
int ktap_jit_set_recent(const struct ktap_table *t, const struct ktap_value *key, s64 n);
int ktap_jit_add_recent(const struct ktap_table *t, const struct ktap_value *key, s64 n);

/* Add @n to a global that is kept per CPU.  Returns 0 if it is not a number now. */
int ktap_jit_sum_int(const struct ktap_global *g, s64 n);

#endif /* _KTAP_CALL_H */
