/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arithmetic and comparison.  The fast path, for integers, is inline in the
 * interpreter; other types are handled in arith.c and ops.c.
 */
#ifndef _KTAP_ARITH_H
#define _KTAP_ARITH_H

#include <linux/compiler.h>
#include <linux/math64.h>

#include "vm/ops.h"
#include "vm/value.h"

int ktap_bad_operand(struct ktap_vm *vm, const struct ktap_value *v);
int ktap_by_zero(struct ktap_vm *vm);

/* Returns 1 for nil, which is not an error; or a negative errno. */
int ktap_no_order(struct ktap_vm *vm, const struct ktap_value *v);

/* Check that an addend is a number, even if there is no slot to add it to. */
int ktap_want_addend(struct ktap_vm *vm, const struct ktap_value *n);

int ktap_two_numbers_slow(struct ktap_vm *vm, const struct ktap_value *v,
			  const struct ktap_value *w, s64 *x, s64 *y);

/* INT64_MIN / -1 wraps; the division instruction of some machines traps. */
static inline int ktap_divide(struct ktap_vm *vm, s64 x, s64 y, s64 *quotient)
{
	if (!y)
		return ktap_by_zero(vm);
	*quotient = y == -1 ? (s64)-(u64)x : div64_s64(x, y);
	return 0;
}

static inline int ktap_modulo(struct ktap_vm *vm, s64 x, s64 y, s64 *rest)
{
	if (!y)
		return ktap_by_zero(vm);
	*rest = y == -1 ? 0 : x - div64_s64(x, y) * y;
	return 0;
}

static __always_inline int ktap_two_numbers(struct ktap_vm *vm, const struct ktap_value *v,
					    const struct ktap_value *w, s64 *x, s64 *y)
{
	if (unlikely(v->tag != KTAP_INT || w->tag != KTAP_INT))
		return ktap_two_numbers_slow(vm, v, w, x, y);
	*x = v->i;
	*y = w->i;
	return 0;
}

static __always_inline int ktap_one_number(struct ktap_vm *vm, const struct ktap_value *v, s64 *x)
{
	if (unlikely(!ktap_is_number(v)))
		return ktap_bad_operand(vm, v);
	*x = ktap_number(v);
	return 0;
}

static __always_inline int ktap_quick_equal(struct ktap_vm *vm, struct ktap_value *v,
					    struct ktap_value *w, bool *result)
{
	if (unlikely(v->tag != KTAP_INT || w->tag != KTAP_INT))
		return ktap_op_equal(vm, v, w, result);
	*result = v->i == w->i;
	return 0;
}

static __always_inline int ktap_quick_less(struct ktap_vm *vm, struct ktap_value *v,
					   struct ktap_value *w, bool or_equal, bool *result)
{
	if (unlikely(v->tag != KTAP_INT || w->tag != KTAP_INT))
		return ktap_op_less(vm, v, w, or_equal, result);
	*result = or_equal ? v->i <= w->i : v->i < w->i;
	return 0;
}

/* Get the number to compare with an immediate.  Returns 1 for nil, or an error. */
static __always_inline int ktap_ordered(struct ktap_vm *vm, const struct ktap_value *v, s64 *x)
{
	if (unlikely(v->tag != KTAP_INT))
		return ktap_no_order(vm, v);
	*x = v->i;
	return 0;
}

#endif /* _KTAP_ARITH_H */
