// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions other than arithmetic: comparison, text, compound keys, tables,
 * events, iteration.
 *
 * Operands are in registers, except constants: an event's text replaces its
 * operand in place, and the arena updates registers when it moves blobs.
 */
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include <linux/string_choices.h>

#include "data/agg.h"
#include "data/table_recent.h"
#include "vm/arena.h"
#include "vm/arith.h"
#include "vm/bytes.h"
#include "vm/env.h"
#include "vm/frame.h"
#include "vm/integer.h"
#include "vm/ops.h"
#include "vm/simple_part.h"
#include "vm/vm.h"

/* ARGSTR is a string that is formatted only when it is read. */
static int op_make_comparable(struct ktap_vm *vm, struct ktap_value *x, struct ktap_value *y)
{
	int err;

	err = ktap_make_text(vm, x);
	return err ?: ktap_make_text(vm, y);
}

/* Charge for hashing or comparing a long blob, in addition to the instruction. */
static int op_pay_for_bytes(struct ktap_vm *vm, size_t n)
{
	return likely(n < 64) ? 0 : ktap_vm_charge(vm, n / 64);
}

static int op_pay_for_comparison(struct ktap_vm *vm, const struct ktap_value *x,
				 const struct ktap_value *y)
{
	if (!ktap_is_blob(x) || !ktap_is_blob(y))
		return 0;
	return ktap_vm_charge(vm, 1 + min(x->len, y->len) / 64);
}

static noinline int op_equal_other(struct ktap_vm *vm, struct ktap_value *x,
				   struct ktap_value *y, bool *result)
{
	int err = 0;

	if (x->tag != y->tag && (x->tag == KTAP_STR || y->tag == KTAP_STR))
		err = op_make_comparable(vm, x, y);
	if (!err)
		err = op_pay_for_comparison(vm, x, y);
	*result = ktap_equal(x, y);
	return err;
}

int ktap_op_equal(struct ktap_vm *vm, struct ktap_value *x, struct ktap_value *y, bool *result)
{
	u32 cost;

	if (unlikely(x->tag != KTAP_STR || y->tag != KTAP_STR))
		return op_equal_other(vm, x, y, result);
	cost = 1 + min(x->len, y->len) / 64;
	*result = x->len == y->len && ktap_same_bytes(ktap_blob_of(x), ktap_blob_of(y), x->len);
	return ktap_vm_charge(vm, cost);
}

int ktap_op_less(struct ktap_vm *vm, struct ktap_value *x, struct ktap_value *y, bool or_equal,
		 bool *result)
{
	int err, c;

	*result = false;
	if (x->tag == KTAP_NIL || y->tag == KTAP_NIL)
		return 0;
	err = op_make_comparable(vm, x, y) ?: op_pay_for_comparison(vm, x, y);
	if (err)
		return err;
	if (x->tag != y->tag || (x->tag != KTAP_INT && x->tag != KTAP_STR))
		return ktap_vm_error(vm, -EINVAL, "%s and %s have no order",
				     ktap_type_name(x), ktap_type_name(y));
	c = ktap_compare(x, y);
	*result = or_equal ? c <= 0 : c < 0;
	return 0;
}

/* Return the bytes of the text of an operand of `..`, or a negative errno. */
static int op_concat_len(struct ktap_vm *vm, struct ktap_value *v)
{
	int err;

	switch (v->tag) {
	case KTAP_STR:
		return v->len;
	case KTAP_INT:
		return ktap_decimal_len(v->i);
	case KTAP_BOOL:
		return strlen(str_true_false(v->i));
	case KTAP_NIL:
		return 3;
	case KTAP_ARGSTR:
		err = ktap_make_text(vm, v);
		return err ?: v->len;
	default:
		return ktap_vm_error(vm, -EINVAL, "'..' on %s", ktap_type_name(v));
	}
}

/* Write the text of an operand, cut to @room bytes; return the bytes written. */
static size_t op_concat_put(const struct ktap_value *v, char *p, size_t room)
{
	char buf[KTAP_INTEGER_TEXT] __uninitialized;
	const char *text = "nil";
	size_t len = 3;

	switch (v->tag) {
	case KTAP_STR:
		text = ktap_blob_of(v);
		len = v->len;
		break;
	case KTAP_INT:
		len = ktap_decimal_len(v->i);
		if (likely(len <= room)) {
			ktap_decimal_put(v->i, p + len);
			return len;
		}
		text = ktap_decimal_put(v->i, buf + sizeof(buf));
		break;
	case KTAP_BOOL:
		text = str_true_false(v->i);
		len = strlen(text);
		break;
	}
	len = min(len, room);
	memcpy(p, text, len);
	return len;
}

/* Parts of a concatenation that is written at once, and bytes of each */
#define CONCAT_PARTS	8
#define CONCAT_PART	64

static_assert(CONCAT_PART >= KTAP_INTEGER_TEXT);

/* Units of the text of an integer */
#define CONCAT_NUMBER	2

/*
 * Join a few integers and short strings, if the arena has room for the longest ones.  Return
 * false if not, or if the budget is low: then nothing has changed.
 */
static __always_inline bool op_concat_short(struct ktap_vm *vm, struct ktap_value *dst,
					    const struct ktap_value *src, unsigned int n)
{
	const struct ktap_value *last = src + n;
	char *text, *p;
	u32 cost = 0;

	if (unlikely(n > CONCAT_PARTS ||
		     !ktap_arena_has_room(&vm->arena, CONCAT_PARTS * CONCAT_PART)))
		return false;
	text = ktap_arena_next(&vm->arena);
	p = text;
	/* The verifier allows no concatenation without parts. */
	do {
		if (src->tag == KTAP_INT) {
			p = ktap_decimal_append(src->i, p);
			cost += CONCAT_NUMBER;
		} else if (src->tag == KTAP_STR && src->len <= CONCAT_PART) {
			ktap_copy_bytes(p, ktap_blob_of(src), src->len);
			p += src->len;
		} else {
			return false;
		}
	} while (++src != last);
	cost += (p - text) / 64;
	if (unlikely(vm->budget <= cost))
		return false;
	vm->budget -= cost;
	ktap_arena_push_text(&vm->arena, text, p, dst);
	return true;
}

static noinline int op_concat_long(struct ktap_vm *vm, struct ktap_value *dst,
				   struct ktap_value *src, unsigned int n)
{
	size_t total = 0, used = 0;
	unsigned int i, numbers = 0;
	int err, len;
	char *p;

	for (i = 0; i < n; i++) {
		len = op_concat_len(vm, &src[i]);
		if (len < 0)
			return len;
		total += len;
		numbers += src[i].tag == KTAP_INT;
	}
	if (total > KTAP_MAX_STRLEN) {
		total = KTAP_MAX_STRLEN;
		atomic_long_inc(&vm->env->counters.cut_strings);
	}
	/* Charge for long strings and for many parts. */
	err = ktap_vm_charge(vm, total / 64 + n / 16 + CONCAT_NUMBER * numbers);
	if (err)
		return err;
	p = ktap_arena_alloc(vm, total);
	if (!p)
		return vm->error;
	for (i = 0; i < n; i++)
		used += op_concat_put(&src[i], p + used, total - used);
	*dst = KTAP_VALUE_STR(p, used);
	return 0;
}

int ktap_op_concat(struct ktap_vm *vm, struct ktap_value *dst, struct ktap_value *src,
		   unsigned int n)
{
	return likely(op_concat_short(vm, dst, src, n)) ? 0 : op_concat_long(vm, dst, src, n);
}

/* Nearly all keys are integers or short blobs: they need no check and cost nothing. */
static __always_inline bool op_is_simple_key(const struct ktap_value *v)
{
	return v->tag == KTAP_INT || (v->tag >= KTAP_STR && v->len < KTAP_SIMPLE_KEY);
}

static noinline int op_check_other_part(struct ktap_vm *vm, struct ktap_value *v)
{
	int err;

	switch (v->tag) {
	case KTAP_FUNC:
	case KTAP_TABLE:
	case KTAP_AGG:
	case KTAP_EVENT:
		return ktap_vm_error(vm, -EINVAL, "%s cannot be a table key", ktap_type_name(v));
	default:
		if (v->tag < KTAP_ARGSTR)
			return 0;
		/* The blob will be hashed, compared and copied. */
		err = ktap_make_text(vm, v);
		return err ?: op_pay_for_bytes(vm, v->len);
	}
}

static __always_inline int op_check_key_part(struct ktap_vm *vm, struct ktap_value *v)
{
	return likely(op_is_simple_key(v)) ? 0 : op_check_other_part(vm, v);
}

int ktap_op_tuple(struct ktap_vm *vm, struct ktap_value *dst, struct ktap_value *src,
		  unsigned int n)
{
	size_t size = 0;
	unsigned int i;
	void *p, *end;
	int err;

	for (i = 0; i < n; i++) {
		err = op_check_key_part(vm, &src[i]);
		if (err)
			return err;
		size += ktap_tuple_item_size(&src[i]);
	}
	if (size > KTAP_MAX_STRLEN)
		return ktap_vm_error(vm, -E2BIG, "a compound key of %zu bytes; %u is the most",
				     size, KTAP_MAX_STRLEN);
	/* Blobs are already charged; other parts have 8 bytes. */
	err = ktap_vm_charge(vm, n / 8);
	if (err)
		return err;
	p = ktap_arena_alloc(vm, size);
	if (!p)
		return vm->error;
	end = p;
	for (i = 0; i < n; i++)
		end = ktap_tuple_put(end, &src[i]);
	*dst = (struct ktap_value){ .blob = p, .tag = KTAP_TUPLE, .len = end - p };
	return 0;
}

/* Up to this number, parts cost nothing. */
#define SIMPLE_PARTS	7

int ktap_op_small_tuple(struct ktap_vm *vm, struct ktap_value *dst,
			const struct ktap_value *src, unsigned int n)
{
	const struct ktap_value *last = src + n;
	void *data, *end;
	u32 size;

	if (unlikely(n > SIMPLE_PARTS ||
		     !ktap_arena_has_room(&vm->arena, SIMPLE_PARTS * KTAP_SIMPLE_PART)))
		return false;
	data = ktap_arena_next(&vm->arena);
	end = data;
	/* The verifier allows no tuple without parts. */
	do {
		if (unlikely(!ktap_put_simple_part(&end, src)))
			return false;
	} while (++src != last);
	size = end - data;
	ktap_arena_push(&vm->arena, data, size);
	*dst = (struct ktap_value){ .blob = data, .tag = KTAP_TUPLE, .len = size };
	return true;
}

/* Table instructions.  A key is in a register or is a constant. */

static noinline int op_not_indexed(struct ktap_vm *vm, const struct ktap_value *v)
{
	return ktap_vm_error(vm, -EINVAL, "%s is indexed, only a table can be",
			     ktap_type_name(v));
}

int ktap_op_drop(struct ktap_vm *vm)
{
	atomic_long_inc(&vm->env->counters.no_memory);
	return 0;
}

/* Return the table if the key needs no check; or NULL. */
static __always_inline struct ktap_table *op_simple_table(const struct ktap_value *table,
							  const struct ktap_value *key)
{
	struct ktap_table *t = ktap_table_of(table);	/* NULL if it is none */

	return op_is_simple_key(key) ? t : NULL;
}

/* The table to read a key from; NULL for a lost object or an aggregation without keys. */
static int op_readable(struct ktap_vm *vm, const struct ktap_value *v, struct ktap_table **t)
{
	*t = ktap_table_of(v);
	if (likely(v->tag == KTAP_TABLE))
		return 0;
	*t = NULL;
	if (ktap_is_lost(v))
		return 0;
	if (v->tag != KTAP_AGG)
		return op_not_indexed(vm, v);
	*t = ktap_agg_keyed(ktap_agg_of(v));
	return 0;
}

/* The table to write a key to; NULL if it is lost.  Only `<<<` writes to an aggregation. */
static int op_want_table(struct ktap_vm *vm, const struct ktap_value *v, struct ktap_table **t)
{
	*t = ktap_table_of(v);
	if (likely(v->tag == KTAP_TABLE))
		return 0;
	*t = NULL;
	if (ktap_is_lost(v))
		return 0;
	if (v->tag == KTAP_PTR)
		return ktap_vm_error(vm, -EINVAL, "the target of a pointer can only be read");
	if (v->tag == KTAP_ARRAY)
		return ktap_vm_error(vm, -EINVAL, "an array of an event can only be read");
	if (v->tag != KTAP_AGG)
		return op_not_indexed(vm, v);
	return ktap_vm_error(vm, -EINVAL, "only '<<<' writes to a key of an aggregation");
}

static int op_readable_key(struct ktap_vm *vm, const struct ktap_value *v, struct ktap_value *key,
			   struct ktap_table **t)
{
	int err;

	err = op_readable(vm, v, t);
	if (err || key->tag == KTAP_NIL)
		return err;
	return op_check_key_part(vm, key);
}

static int op_get(struct ktap_vm *vm, struct ktap_value *dst, struct ktap_table *t,
		  const struct ktap_value *key)
{
	if (likely(t))
		return ktap_table_get(vm, t, key, dst);
	*dst = KTAP_VALUE_NIL;
	return 0;
}

static noinline int op_get_other(struct ktap_vm *vm, struct ktap_value *dst,
				 const struct ktap_value *table, struct ktap_value *key)
{
	struct ktap_table *t;
	int err;

	if (table->tag == KTAP_PTR)
		return ktap_element_get(vm, dst, table, key);
	if (ktap_has_parts(table))
		return ktap_part_get(vm, dst, table, key);
	err = op_readable_key(vm, table, key, &t);
	return err ?: op_get(vm, dst, t, key);
}

int ktap_op_get(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *table,
		struct ktap_value *key)
{
	struct ktap_table *t = op_simple_table(table, key);

	return likely(t) ? ktap_table_get(vm, t, key, dst) : op_get_other(vm, dst, table, key);
}

int ktap_op_has(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *table,
		struct ktap_value *key)
{
	struct ktap_table *simple = op_simple_table(table, key), *t;
	int err;

	if (likely(simple)) {
		*dst = KTAP_VALUE_BOOL(ktap_table_has(vm, simple, key));
		return 0;
	}
	err = op_readable_key(vm, table, key, &t);
	if (!err)
		*dst = KTAP_VALUE_BOOL(t && ktap_table_has(vm, t, key));
	return err;
}

int ktap_op_check_key(struct ktap_vm *vm, struct ktap_value *key)
{
	if (key->tag == KTAP_NIL) {
		vm->fault.nil_key = true;
		return ktap_vm_error(vm, -EINVAL, "nil cannot be a table key");
	}
	return op_check_key_part(vm, key);
}

static noinline int op_set_other(struct ktap_vm *vm, const struct ktap_value *table,
				 struct ktap_value *key, struct ktap_value *v)
{
	struct ktap_table *t = NULL;
	int err;

	err = v->tag == KTAP_NIL ? op_readable(vm, table, &t) : op_want_table(vm, table, &t);
	if (!err)
		err = ktap_op_check_key(vm, key);
	if (err)
		return err;
	if (unlikely(!t))
		return v->tag == KTAP_NIL ? 0 : ktap_op_drop(vm);
	/* The loss was counted when the object could not be made; keep the old value. */
	if (unlikely(ktap_is_lost(v)))
		return 0;
	return ktap_table_set(vm, t, key, v);
}

static noinline int op_set_any(struct ktap_vm *vm, const struct ktap_value *table,
			       struct ktap_value *key, struct ktap_value *v)
{
	struct ktap_table *t = op_simple_table(table, key);

	if (likely(t && v->tag != KTAP_NIL))
		return ktap_table_set(vm, t, key, v);
	if (likely(t && !ktap_is_lost(v)))
		return ktap_table_delete(vm, t, key);
	return op_set_other(vm, table, key, v);
}

int ktap_op_set(struct ktap_vm *vm, const struct ktap_value *table, struct ktap_value *key,
		struct ktap_value *v)
{
	struct ktap_table *t = ktap_table_of(table);	/* NULL if it is none */

	if (likely(t && v->tag == KTAP_INT && ktap_recent_put(t, key, v->i, false)))
		return 0;
	return op_set_any(vm, table, key, v);
}

int ktap_op_set_open(struct ktap_vm *vm, const struct ktap_value *table, s32 first,
		     struct ktap_value *v)
{
	struct ktap_value key = KTAP_VALUE_INT(first);
	unsigned int i, n;
	int err;

	err = ktap_open_values(vm, v - vm->stack, &n);
	if (!err)
		err = ktap_vm_charge(vm, n);
	for (i = 0; i < n && !err; i++, key.i++)
		err = ktap_op_set(vm, table, &key, &v[i]);
	vm->top = vm->base + vm->func->nregs;
	return err;
}

static noinline int op_add_other(struct ktap_vm *vm, const struct ktap_value *table,
				 struct ktap_value *key, const struct ktap_value *n)
{
	struct ktap_table *t;
	int err;

	err = op_want_table(vm, table, &t);
	if (!err)
		err = ktap_op_check_key(vm, key);
	if (err)
		return err;
	return likely(t) ? ktap_table_add(vm, t, key, n) : ktap_op_drop(vm);
}

static noinline int op_add_any(struct ktap_vm *vm, const struct ktap_value *table,
			       struct ktap_value *key, const struct ktap_value *n)
{
	struct ktap_table *t = op_simple_table(table, key);

	return likely(t) ? ktap_table_add(vm, t, key, n) : op_add_other(vm, table, key, n);
}

int ktap_op_add(struct ktap_vm *vm, const struct ktap_value *table, struct ktap_value *key,
		const struct ktap_value *n)
{
	struct ktap_table *t = ktap_table_of(table);	/* NULL if it is none */

	if (likely(t && n->tag == KTAP_INT && ktap_recent_put(t, key, n->i, true)))
		return 0;
	return op_add_any(vm, table, key, n);
}

static noinline int op_aggregate_other(struct ktap_vm *vm, const struct ktap_value *agg,
				       const struct ktap_value *v)
{
	int err;

	if (unlikely(ktap_is_lost(agg)))
		return ktap_op_drop(vm);
	if (unlikely(agg->tag != KTAP_AGG))
		return ktap_vm_error(vm, -EINVAL, "'<<<' on %s: only an aggregation takes values",
				     ktap_type_name(agg));
	err = ktap_want_addend(vm, v);
	return err ?: ktap_agg_add(vm, ktap_agg_of(agg), 0);
}

int ktap_op_aggregate(struct ktap_vm *vm, const struct ktap_value *agg,
		      const struct ktap_value *v)
{
	struct ktap_agg *to = ktap_agg_of(agg);		/* NULL if it is none */

	return likely(to && v->tag == KTAP_INT) ? ktap_agg_add(vm, to, v->i) :
						  op_aggregate_other(vm, agg, v);
}

static noinline int op_taggregate_other(struct ktap_vm *vm, const struct ktap_value *base,
					struct ktap_value *key, const struct ktap_value *v)
{
	struct ktap_agg *agg;
	int err;

	if (unlikely(ktap_is_lost(base)))
		return ktap_op_drop(vm);
	if (!ktap_is_object(base))
		return op_not_indexed(vm, base);
	if (unlikely(!op_is_simple_key(key) || v->tag != KTAP_INT)) {
		err = ktap_op_check_key(vm, key) ?: ktap_want_addend(vm, v);
		if (err)
			return err;
	}

	agg = ktap_agg_of(base);
	if (agg)
		return ktap_agg_add_keyed(vm, agg, key, ktap_number(v));
	return ktap_agg_add_in_table(vm, ktap_table_of(base), key, &ktap_agg_stats,
				     ktap_number(v));
}

int ktap_op_taggregate(struct ktap_vm *vm, const struct ktap_value *base,
		       struct ktap_value *key, const struct ktap_value *v)
{
	struct ktap_agg *agg = ktap_agg_of(base);	/* NULL if it is none */
	int done = agg && v->tag == KTAP_INT ? ktap_agg_add_recent(vm, agg, key, v->i) : 0;

	if (likely(done))
		return min(done, 0);
	return op_taggregate_other(vm, base, key, v);
}

void ktap_op_arg(struct ktap_vm *vm, u32 n, struct ktap_value *dst)
{
	if (likely(vm->event && vm->event->ops->arg))
		vm->event->ops->arg(vm, n, dst);
	else
		*dst = KTAP_VALUE_NIL;
}

int ktap_op_get_name(struct ktap_vm *vm, struct ktap_value *dst,
		     const struct ktap_value *object, u32 string)
{
	const struct ktap_program *prog = vm->env->prog;
	u32 field;

	if (object->tag == KTAP_EVENT) {
		field = prog->string_field[string];
		if (field == KTAP_NONE)
			*dst = KTAP_VALUE_NIL;
		else
			ktap_op_field(vm, field, dst);
		return vm->error;
	}
	if (object->tag == KTAP_PTR)
		return ktap_member_by_name(vm, dst, object, string);
	return ktap_op_get(vm, dst, object, &prog->strings[string]);
}

/*
 * An iteration keeps its position in two hidden registers: the serial number of
 * the last entry, with the end and the cursor, and its key.  If malicious bytecode changes
 * them, entries are skipped or repeated, or the error is "broken iteration".
 */
int ktap_op_iter(struct ktap_vm *vm, struct ktap_value *r)
{
	if (!ktap_is_object(&r[0]) && !ktap_is_lost(&r[0]))
		return ktap_vm_error(vm, -EINVAL, "iteration over %s, only a table has pairs",
				     ktap_type_name(&r[0]));
	r[1] = KTAP_VALUE_INT(0);
	r[2] = KTAP_VALUE_NIL;
	return 0;
}

/* Returns 1, 0 at the end, or a negative errno. */
int ktap_op_next(struct ktap_vm *vm, struct ktap_value *r)
{
	struct ktap_table *t;
	struct ktap_iter it;
	int ret;

	if ((!ktap_is_object(&r[0]) && !ktap_is_lost(&r[0])) || r[1].tag != KTAP_INT)
		return ktap_vm_error(vm, -EINVAL, "broken iteration");
	op_readable(vm, &r[0], &t);
	if (!t) {
		r[3] = KTAP_VALUE_NIL;
		r[4] = KTAP_VALUE_NIL;
		return 0;
	}
	it = (struct ktap_iter){
		.seq = r[1].u,
		.cursor = r[1].len >> KTAP_ITER_END_BITS,
		.end = r[1].len,
	};
	ret = ktap_table_next(vm, t, &it, &r[2], &r[3], &r[4]);
	if (ret > 0) {
		r[1] = KTAP_VALUE_INT(it.seq);
		r[1].len = it.cursor << KTAP_ITER_END_BITS |
			   (it.end & GENMASK(KTAP_ITER_END_BITS - 1, 0));
		r[2] = r[3];
	}
	return ret;
}

/*
 * A counting loop computes the number of iterations before it begins, so that
 * it also ends at the largest integer.  R[a] is the value, R[a + 1] becomes the
 * number of iterations left, R[a + 2] is the step.
 */
int ktap_op_for(struct ktap_vm *vm, struct ktap_value *r, bool *enter)
{
	u64 distance, step;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (r[i].tag != KTAP_INT && r[i].tag != KTAP_NIL)
			return ktap_vm_error(vm, -EINVAL, "'for' counts integers, not %s",
					     ktap_type_name(&r[i]));
		r[i] = KTAP_VALUE_INT(r[i].tag == KTAP_INT ? r[i].i : 0);
	}
	if (!r[2].i)
		return ktap_vm_error(vm, -EINVAL, "the step of 'for' is zero");
	*enter = r[2].i > 0 ? r[0].i <= r[1].i : r[0].i >= r[1].i;
	distance = r[2].i > 0 ? r[1].u - r[0].u : r[0].u - r[1].u;
	step = r[2].i > 0 ? r[2].u : -r[2].u;
	r[1] = KTAP_VALUE_INT(*enter ? div64_u64(distance, step) : 0);
	r[3] = r[0];
	return 0;
}
