// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions on aggregations, and those that truncate a value with entries or set
 * how its numbers are shown.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>

#include "data/agg.h"
#include "data/object.h"
#include "data/table.h"
#include "vm/builtin.h"

int ktap_fn_new_count(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return ktap_agg_new(vm, &ktap_agg_count, &r[0]);
}

int ktap_fn_new_stats(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return ktap_agg_new(vm, &ktap_agg_stats, &r[0]);
}

int ktap_fn_new_hist(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_agg_shape shape;
	s64 bits = n ? r[0].i : 0;
	const char *wrong = ktap_agg_log_linear(&shape, bits);

	if (wrong)
		return ktap_vm_error(vm, -EINVAL, "hist(%lld): %s", bits, wrong);
	return ktap_agg_new(vm, &shape, &r[0]);
}

int ktap_fn_new_lhist(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_agg_shape shape;
	const char *wrong = ktap_agg_lhist(&shape, r[0].i, r[1].i, r[2].i);

	if (wrong)
		return ktap_vm_error(vm, -EINVAL, "lhist(%lld, %lld, %lld): %s", r[0].i, r[1].i,
				     r[2].i, wrong);
	return ktap_agg_new(vm, &shape, &r[0]);
}

/* A key without an aggregation has the value nil, which counts as an empty aggregation. */
static int agg_fn_read_totals(struct ktap_vm *vm, const struct ktap_value *v,
			      struct ktap_total *total)
{
	*total = (struct ktap_total){ };
	if (v->tag != KTAP_AGG)
		return 0;
	ktap_agg_read(vm->env, ktap_agg_of(v), total);
	return ktap_vm_charge(vm, ktap_agg_cost(ktap_agg_of(v)));
}

int ktap_fn_count_of(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_total total;
	int err;

	err = agg_fn_read_totals(vm, &r[0], &total);
	r[0] = KTAP_VALUE_INT(total.count);
	return err;
}

int ktap_fn_sum(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_total total;
	int err;

	err = agg_fn_read_totals(vm, &r[0], &total);
	if (!err && !ktap_int128_fits(total.sum))
		err = ktap_vm_error(vm, -EOVERFLOW, "the sum does not fit into 64 bits");
	r[0] = KTAP_VALUE_INT(total.sum.lo);
	return err;
}

/* Units of a 128-bit division */
#define WIDE_AVG_COST	16

int ktap_fn_avg(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_total total;
	int err;

	err = agg_fn_read_totals(vm, &r[0], &total);
	if (!err && !ktap_int128_fits(total.sum))
		err = ktap_vm_charge(vm, WIDE_AVG_COST);
	r[0] = KTAP_VALUE_NIL;
	/* The average is between the minimum and the maximum: it fits. */
	if (total.count)
		r[0] = KTAP_VALUE_INT(ktap_int128_div(total.sum, total.count).lo);
	return err;
}

/* Units of a standard deviation */
#define STDDEV_COST	64

int ktap_fn_stddev(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_total total;
	int err;

	err = agg_fn_read_totals(vm, &r[0], &total) ?: ktap_vm_charge(vm, STDDEV_COST);
	if (err)
		return err;
	r[0] = KTAP_VALUE_NIL;
	if (!total.count)
		return 0;
	if (ktap_int128_too_large(total.squares))
		return ktap_vm_error(vm, -EOVERFLOW, "the numbers are too large for stddev");
	r[0] = KTAP_VALUE_INT(ktap_int128_stddev(total.count, total.sum, total.squares));
	return 0;
}

/* Check that r[0] has buckets or is nil, and that r[1] is from 0 to @scale. */
static int agg_fn_check_quantile(struct ktap_vm *vm, const struct ktap_value *r, s64 scale)
{
	const struct ktap_agg_shape *shape = NULL;

	if (scale < 1)
		return ktap_vm_error(vm, -EINVAL, "quantile: the scale is %lld, not 1 or more",
				     scale);
	if (r[1].i < 0 || r[1].i > scale)
		return ktap_vm_error(vm, -EINVAL, "quantile: %lld is not in 0 to %lld", r[1].i,
				     scale);
	if (r[0].tag == KTAP_AGG)
		shape = ktap_agg_shape(ktap_agg_of(&r[0]));
	if (shape && !shape->nbuckets)
		return ktap_vm_error(vm, -EINVAL,
				     "quantile of a %s(): only hist() and lhist() have rows; try hist(4)",
				     shape->kind == KTAP_AGG_COUNT ? "count" : "stats");
	return 0;
}

/* Number of values up to quantile @p, rounded up: at least 1 if @p is at least 1 */
static u64 agg_fn_rank_of(u64 count, u64 p, u64 scale)
{
	struct ktap_int128 up = ktap_int128_add(ktap_int128_mul(count, p), ktap_int128(scale - 1));

	return ktap_int128_div(up, scale).lo;
}

int ktap_fn_quantile(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	s64 p = r[1].i, scale = n > 2 ? r[2].i : 100, result;
	struct ktap_total total;
	int err;

	err = agg_fn_check_quantile(vm, r, scale) ?: agg_fn_read_totals(vm, &r[0], &total);
	if (err)
		return err;
	result = p ? total.max : total.min;
	if (total.count && p && p < scale)
		err = ktap_agg_quantile(vm, ktap_agg_of(&r[0]), &total,
					agg_fn_rank_of(total.count, p, scale), &result);
	r[0] = total.count ? KTAP_VALUE_INT(result) : KTAP_VALUE_NIL;
	return err;
}

/*
 * Before the exchange, handlers may have looked up a table or an aggregation in @t.  They
 * have finished with it after a grace period: then the snapshot does not change any more.
 */
static int agg_fn_snapshot_table(struct ktap_vm *vm, struct ktap_table *t, struct ktap_value *v)
{
	int err;

	err = ktap_table_new(vm, ktap_table_max(t), v);
	if (err)
		return err;
	if (v->tag == KTAP_NIL)
		return ktap_vm_error(vm, -ENOMEM, "no memory for a snapshot");
	if (!ktap_table_exchange(t, v->table))
		return ktap_vm_error(vm, -EBUSY, "a snapshot inside of a lock");
	synchronize_rcu();
	return 0;
}

int ktap_fn_snapshot(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_value v;
	int err;

	if (r[0].tag == KTAP_AGG)
		err = ktap_agg_snapshot(vm, ktap_agg_of(&r[0]), &v);
	else
		err = agg_fn_snapshot_table(vm, ktap_table_of(&r[0]), &v);
	if (err)
		return err;
	v.object->divisor = READ_ONCE(ktap_object_of(&r[0])->divisor);
	r[0] = v;
	return 0;
}

/* Minimum or maximum of integers; nil counts as 0. */
static int agg_fn_extreme_of(struct ktap_vm *vm, const char *name, struct ktap_value *r,
			     unsigned int n, bool largest)
{
	s64 best = 0, x;
	unsigned int i;
	int err;

	err = ktap_vm_charge(vm, n / 16);
	if (err)
		return err;
	for (i = 0; i < n; i++) {
		if (r[i].tag != KTAP_INT && r[i].tag != KTAP_NIL)
			return ktap_vm_error(vm, -EINVAL,
					     "%s of several values takes integers, not %s", name,
					     ktap_type_name(&r[i]));
		x = r[i].tag == KTAP_INT ? r[i].i : 0;
		if (!i || (largest ? x > best : x < best))
			best = x;
	}
	r[0] = KTAP_VALUE_INT(best);
	return 0;
}

static int agg_fn_extreme(struct ktap_vm *vm, const char *name, struct ktap_value *r,
			  unsigned int n, bool largest)
{
	struct ktap_total total;
	int err;

	if (n > 1)
		return agg_fn_extreme_of(vm, name, r, n, largest);
	if (r[0].tag == KTAP_INT)
		return ktap_vm_error(vm, -EINVAL, "%s takes an aggregation, or several integers",
				     name);
	err = agg_fn_read_totals(vm, &r[0], &total);
	r[0] = KTAP_VALUE_NIL;
	if (total.count)
		r[0] = KTAP_VALUE_INT(largest ? total.max : total.min);
	return err;
}

int ktap_fn_min(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return agg_fn_extreme(vm, "min", r, n, false);
}

int ktap_fn_max(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return agg_fn_extreme(vm, "max", r, n, true);
}

/* Range of entries to keep, sorted by value: the @n largest, or the -@n smallest */
static void agg_fn_what_stays(const struct ktap_sorted *sorted, s64 n, u32 *first, u32 *end)
{
	*first = 0;
	if (n >= 0) {
		*end = min_t(u64, n, sorted->n);
		return;
	}
	/* Values that are not numbers come last, but they are not the smallest. */
	for (*end = 0; *end < sorted->n && sorted->entries[*end].numeric; ++*end)
		;
	*first = *end - min_t(u64, -(u64)n, *end);
}

/* Nobody adds to an entry without the lock now. */
static int agg_fn_trunc(struct ktap_vm *vm, struct ktap_table *t, s64 n)
{
	struct ktap_value nil = KTAP_VALUE_NIL;
	struct ktap_sorted sorted;
	u32 i, first, end;
	int err;

	err = ktap_charge_sort(vm, t) ?: ktap_table_sort(vm, t, KTAP_BY_VALUE, &sorted);
	if (err)
		return ktap_sort_failed(vm, err);
	agg_fn_what_stays(&sorted, n, &first, &end);
	for (i = 0; i < sorted.n && !err; i++) {
		if (i < first || i >= end)
			ktap_table_set(vm, t, &sorted.entries[i].key, &nil);
		err = ktap_vm_charge(vm, 1);
	}
	ktap_sorted_free(&sorted);
	return err;
}

int ktap_fn_trunc(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_table *t = ktap_value_table(&r[0]);
	int err;

	if (t && !ktap_table_pause(vm, t))
		return ktap_sort_failed(vm, -EBUSY);
	err = agg_fn_trunc(vm, t, r[1].i);
	if (t)
		ktap_table_resume(t);
	r[0] = KTAP_VALUE_NIL;
	return err;
}

int ktap_fn_normalize(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	if (r[1].i < 1)
		return ktap_vm_error(vm, -EINVAL, "normalize: the divisor is %lld, not 1 or more",
				     r[1].i);
	WRITE_ONCE(ktap_object_of(&r[0])->divisor, r[1].i);
	r[0] = KTAP_VALUE_NIL;
	return 0;
}
