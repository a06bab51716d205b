/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Instructions other than arithmetic.
 */
#ifndef _KTAP_OPS_H
#define _KTAP_OPS_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "vm/event.h"
#include "vm/vm.h"

struct ktap_format;

/* A blob of fewer bytes is hashed and compared for nothing. */
#define KTAP_SIMPLE_KEY	64

/*
 * All of them return 0 or, with the error set, a negative errno;
 * ktap_op_next() returns 1, or 0 at the end.  ktap_op_field() and ktap_op_arg()
 * only set @vm->error.
 */

int ktap_op_equal(struct ktap_vm *vm, struct ktap_value *x, struct ktap_value *y, bool *result);
int ktap_op_less(struct ktap_vm *vm, struct ktap_value *x, struct ktap_value *y, bool or_equal,
		 bool *result);
int ktap_op_concat(struct ktap_vm *vm, struct ktap_value *dst, struct ktap_value *src,
		   unsigned int n);
int ktap_op_tuple(struct ktap_vm *vm, struct ktap_value *dst, struct ktap_value *src,
		  unsigned int n);
/*
 * ktap_op_tuple() if all parts are integers, pointers, booleans and short strings, and the
 * arena has room: then 1.  Otherwise 0, and nothing has changed.
 */
int ktap_op_small_tuple(struct ktap_vm *vm, struct ktap_value *dst,
			const struct ktap_value *src, unsigned int n);
int ktap_op_get(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *table,
		struct ktap_value *key);

/* Has it parts that an integer numbers, without being a table? */
static inline bool ktap_has_parts(const struct ktap_value *v)
{
	return v->tag == KTAP_STR || v->tag == KTAP_ARGSTR || v->tag == KTAP_TUPLE ||
	       v->tag == KTAP_KSTACK || v->tag == KTAP_ARRAY;
}

/* part.c: part @index of such a value; nil after its end */
int ktap_part_get(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *of,
		  const struct ktap_value *index);

int ktap_op_has(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *table,
		struct ktap_value *key);
int ktap_op_set(struct ktap_vm *vm, const struct ktap_value *table, struct ktap_value *key,
		struct ktap_value *v);
int ktap_op_add(struct ktap_vm *vm, const struct ktap_value *table, struct ktap_value *key,
		const struct ktap_value *n);
/* @table[@first], @table[@first + 1], ... = the open values from @v on. */
int ktap_op_set_open(struct ktap_vm *vm, const struct ktap_value *table, s32 first,
		     struct ktap_value *v);
/* The verifier has checked @field. */
static inline void ktap_op_field(struct ktap_vm *vm, u32 field, struct ktap_value *dst)
{
	if (likely(vm->event))
		vm->event->ops->field(vm, field, dst);
	else
		*dst = KTAP_VALUE_NIL;
}

void ktap_op_arg(struct ktap_vm *vm, u32 n, struct ktap_value *dst);
int ktap_op_get_name(struct ktap_vm *vm, struct ktap_value *dst,
		     const struct ktap_value *object, u32 string);
int ktap_op_iter(struct ktap_vm *vm, struct ktap_value *r);
int ktap_op_next(struct ktap_vm *vm, struct ktap_value *r);
/* Begin a counting loop; @enter: there is a first iteration. */
int ktap_op_for(struct ktap_vm *vm, struct ktap_value *r, bool *enter);

/* Count a write to a lost object.  Always 0. */
int ktap_op_drop(struct ktap_vm *vm);

/* Check a key for a write. */
int ktap_op_check_key(struct ktap_vm *vm, struct ktap_value *key);

/* @agg <<< @v, and @base[@key] <<< @v */
int ktap_op_aggregate(struct ktap_vm *vm, const struct ktap_value *agg,
		      const struct ktap_value *v);
int ktap_op_taggregate(struct ktap_vm *vm, const struct ktap_value *base,
		       struct ktap_value *key, const struct ktap_value *v);

/* btf/btf_read.c: @object is a pointer: read the member whose name is constant @string. */
int ktap_member_by_name(struct ktap_vm *vm, struct ktap_value *dst,
			const struct ktap_value *object, u32 string);
/* btf/btf_read.c: @object is a pointer: read element @key of its target. */
int ktap_element_get(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *object,
		     const struct ktap_value *key);

/*
 * lib/print.c: printf in event context, with number @format of the program's split formats;
 * @r[0] is the format, @r[1] to @r[@nargs - 1] are its arguments.  False, and nothing is done,
 * if the built-in must be called: the format is another one, the values need more than a
 * copy, or the budget is low.
 */
bool ktap_print_split(struct ktap_vm *vm, const struct ktap_format *f, u32 format,
		      struct ktap_value *r, unsigned int nargs);

/* task_fields.c: the current task's field whose name is constant @string */
int ktap_self_get(struct ktap_vm *vm, u32 string, struct ktap_value *v);
int ktap_self_set_number(struct ktap_vm *vm, u32 string, struct ktap_value *v);
int ktap_self_set(struct ktap_vm *vm, u32 string, struct ktap_value *v);
int ktap_self_add(struct ktap_vm *vm, u32 string, const struct ktap_value *n);

#endif /* _KTAP_OPS_H */
