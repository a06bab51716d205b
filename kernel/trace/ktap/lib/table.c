// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions on tables.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "data/agg.h"
#include "data/table.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/ops.h"

int ktap_fn_count(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_value one = KTAP_VALUE_INT(1);
	int err;

	err = ktap_op_check_key(vm, &r[1]);
	if (!err)
		err = ktap_table_add_and_get(vm, ktap_table_of(&r[0]), &r[1],
					     n > 2 ? &r[2] : &one, &r[0]);
	return err;
}

int ktap_fn_len(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_table *t;
	int err;

	err = ktap_make_text(vm, &r[0]);
	if (err)
		return err;
	if (ktap_is_object(&r[0])) {
		t = ktap_value_table(&r[0]);
		r[0] = KTAP_VALUE_INT(t ? ktap_table_len(t) : 0);
	} else if (r[0].tag == KTAP_KSTACK || r[0].tag == KTAP_USTACK) {
		r[0] = KTAP_VALUE_INT(ktap_stack_depth(&r[0]));
	} else if (r[0].tag == KTAP_ARRAY) {
		r[0] = KTAP_VALUE_INT(r[0].len / sizeof(s64));
	} else {
		r[0] = KTAP_VALUE_INT(r[0].len);
	}
	return 0;
}

int ktap_fn_clear(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err;

	if (r[0].tag == KTAP_AGG)
		err = ktap_agg_clear(vm, ktap_agg_of(&r[0]));
	else
		err = ktap_table_clear(vm, ktap_table_of(&r[0]));
	r[0] = KTAP_VALUE_NIL;
	return err;
}

int ktap_fn_table_new(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u64 max = 0;
	unsigned int i;

	for (i = 0; i < n; i++) {
		/* As unsigned numbers, negative ones are above the limit. */
		if (r[i].u > KTAP_TABLE_LIMIT || max + r[i].u > KTAP_TABLE_LIMIT)
			return ktap_vm_error(vm, -EINVAL, "table.new: a table has 0 to %lu entries",
					     KTAP_TABLE_LIMIT);
		max += r[i].u;
	}
	return ktap_table_new(vm, max, &r[0]);
}

/**
 * struct table_fn_sorting - a table being sorted by a function of the script
 * @vm: the activation
 * @func: the function
 * @entries: the entries of the table
 * @err: error of a call of the function: the order does not matter any more
 */
struct table_fn_sorting {
	struct ktap_vm *vm;
	const struct ktap_func *func;
	const struct ktap_pair *entries;
	int err;
};

/* Return 1 if the function puts @x first, -1 if it puts @y first, 0 if it does not decide. */
static int table_fn_ask(struct table_fn_sorting *s, u32 x, u32 y)
{
	const struct ktap_value args[] = { s->entries[x].value, s->entries[y].value };
	struct ktap_value v = KTAP_VALUE_NIL;

	if (!s->err)
		s->err = ktap_vm_call(s->vm, s->func, args, ARRAY_SIZE(args), &v);
	if (v.tag == KTAP_INT)
		return (v.i < 0) - (v.i > 0);
	return v.tag == KTAP_BOOL && v.i;
}

/*
 * The function may contradict itself.  The sort is a heap sort: it ends in any case, and
 * keeps each entry exactly once.
 */
static int table_fn_by_function(const void *a, const void *b, const void *priv)
{
	struct table_fn_sorting *s = (struct table_fn_sorting *)priv;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;
	int first;

	first = table_fn_ask(s, x, y) ?: -table_fn_ask(s, y, x);
	return -first ?: (x > y) - (x < y);
}

static int table_fn_fill_sorted(struct ktap_vm *vm, struct ktap_sorted *sorted, const u32 *order,
				struct ktap_value *r)
{
	struct ktap_pair *pair;
	int err;
	u32 i;

	err = ktap_table_new(vm, sorted->n, &r[0]);
	for (i = 0; i < sorted->n && !err && r[0].tag == KTAP_TABLE; i++) {
		pair = &sorted->entries[order ? order[i] : i];
		err = ktap_vm_charge(vm, 1);
		if (!err)
			err = ktap_table_set(vm, ktap_table_of(&r[0]), &pair->key, &pair->value);
	}
	return err;
}

static int table_fn_sort_by_function(struct ktap_vm *vm, struct ktap_sorted *sorted,
				     struct ktap_value *r)
{
	struct table_fn_sorting s = {
		.vm = vm,
		.func = ktap_func_of(vm->env->prog, &r[1]),
		.entries = sorted->entries,
	};
	u32 i, *order;
	int err;

	order = kvmalloc_array(sorted->n, sizeof(*order), KTAP_GFP);
	if (!order)
		return ktap_sort_failed(vm, -ENOMEM);
	for (i = 0; i < sorted->n; i++)
		order[i] = i;
	sort_r_nonatomic(order, sorted->n, sizeof(*order), table_fn_by_function, NULL, &s);
	err = s.err ?: table_fn_fill_sorted(vm, sorted, order, r);
	kvfree(order);
	return err;
}

/* The new table keeps the order in which its entries are inserted. */
int ktap_fn_sort(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	enum ktap_order order = n > 1 ? KTAP_AS_INSERTED : KTAP_BY_VALUE;
	struct ktap_table *t = ktap_value_table(&r[0]);
	struct ktap_sorted sorted;
	int err;

	err = ktap_charge_sort(vm, t) ?: ktap_table_sort(vm, t, order, &sorted);
	if (err)
		return ktap_sort_failed(vm, err);
	if (n > 1)
		err = table_fn_sort_by_function(vm, &sorted, r);
	else
		err = table_fn_fill_sorted(vm, &sorted, NULL, r);
	ktap_sorted_free(&sorted);
	return err;
}
