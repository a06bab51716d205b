/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Aggregations: what many numbers come to.
 */
#ifndef _KTAP_AGG_H
#define _KTAP_AGG_H

#include "vm.h"
#include "wide.h"

struct ktap_table;

/* What an aggregation is shown as; all of them keep the same totals. */
enum ktap_agg_kind {
	KTAP_AGG_COUNT,		/* how many */
	KTAP_AGG_STATS,		/* the totals */
	KTAP_AGG_HIST,		/* buckets by powers of two, or equal parts of them */
	KTAP_AGG_LHIST,		/* buckets by equal steps */
};

#define KTAP_AGG_MAX_STEPS	1000	/* of an lhist */
#define KTAP_AGG_MAX_BITS	4	/* of a hist */

/**
 * struct ktap_agg_shape - what is constant in an aggregation
 * @kind: enum ktap_agg_kind
 * @bits: hist: log2 of the parts of a power of two
 * @nbuckets: number of buckets, see ktap_agg_row()
 * @min: lhist: where the first step begins
 * @max: lhist: where the last one ends
 * @step: lhist: width of a step
 */
struct ktap_agg_shape {
	u16 kind;
	u16 bits;
	u32 nbuckets;
	s64 min;
	s64 max;
	u64 step;
};

extern const struct ktap_agg_shape ktap_agg_count;
extern const struct ktap_agg_shape ktap_agg_stats;
extern const struct ktap_agg_shape ktap_agg_hist;

/* The shape of a hist with 2^@bits parts; NULL, or what is wrong with @bits. */
const char *ktap_agg_log_linear(struct ktap_agg_shape *shape, s64 bits);
/* The shape of an lhist; NULL, or what is wrong with its arguments. */
const char *ktap_agg_lhist(struct ktap_agg_shape *shape, s64 min, s64 max, s64 step);

/**
 * struct ktap_total - what the numbers of an aggregation come to
 * @count: how many there were
 * @sum: their sum
 * @squares: the sum of their squares, without a sign; see ktap_wide_too_large()
 * @min: the least, if there is any
 * @max: the largest, if there is any
 */
struct ktap_total {
	u64 count;
	struct ktap_wide sum;
	struct ktap_wide squares;
	s64 min;
	s64 max;
};

/*
 * All of these can be called in any context, unless they say otherwise.  What
 * this CPU cannot do since it has interrupted itself is counted.
 */

/* Gives a new one, empty; if there is no memory a nil that is lost (counted). */
int ktap_agg_new(struct ktap_vm *vm, const struct ktap_agg_shape *shape, struct ktap_value *v);

/*
 * One that no register knows of: whoever makes it frees it.  NULL (counted) if
 * there is no memory.  Freeing fails, half done, if this CPU is inside a lock of
 * ktap.
 */
struct ktap_agg *ktap_agg_make(struct ktap_vm *vm, const struct ktap_agg_shape *shape);
bool ktap_agg_free(struct ktap_env *env, struct ktap_agg *agg);

/* Frees what does not lie in the heap, of all aggregations.  Context: process. */
void ktap_aggs_destroy(struct ktap_env *env);

/* Adds a number: no update is lost. */
void ktap_agg_add(struct ktap_vm *vm, struct ktap_agg *agg, s64 n);
/* Forgets all numbers, and all keys. */
void ktap_agg_clear(struct ktap_vm *vm, struct ktap_agg *agg);

const struct ktap_agg_shape *ktap_agg_shape(const struct ktap_agg *agg);

/*
 * The table of what it keeps by key: aggregations of its own shape.  NULL if
 * there are no keys yet.
 */
struct ktap_table *ktap_agg_keyed(const struct ktap_agg *agg);
/* What has entries in a value: a table, or the keys of an aggregation; or NULL. */
static inline struct ktap_table *ktap_value_table(const struct ktap_value *v)
{
	if (v->tag == KTAP_AGG)
		return ktap_agg_keyed(ktap_agg_of(v));
	return v->tag == KTAP_TABLE ? ktap_table_of(v) : NULL;
}

/* The table of the keys, made if need be; NULL (counted) if there is no memory. */
struct ktap_table *ktap_agg_make_keyed(struct ktap_vm *vm, struct ktap_agg *agg);

/* Numbers that are added meanwhile may or may not be in what these give. */
void ktap_agg_read(struct ktap_env *env, const struct ktap_agg *agg, struct ktap_total *total);
/* Adds the buckets to those of @buckets.  Context: as long as there are buckets. */
void ktap_agg_read_buckets(struct ktap_env *env, const struct ktap_agg *agg, u64 *buckets);

/*
 * The name of a bucket: of the numbers it holds the one nearest 0, or, for an lhist,
 * the least.  A hist has the buckets of numbers below 0 first.  An lhist has one
 * for what is below its minimum in front, and one for what is not below its
 * maximum behind: they have no such name.
 */
s64 ktap_agg_row(const struct ktap_agg_shape *shape, u32 bucket);

/* Work that reading the totals is, in units of ktap_vm_charge(). */
u32 ktap_agg_cost(const struct ktap_agg *agg);

/**
 * ktap_agg_quantile() - Gives a number that so many others are not above
 * @vm: the activation; pays for the work
 * @agg: the aggregation; it has buckets
 * @total: what ktap_agg_read() has given
 * @rank: how many, 1 to @total->count
 * @result: the middle of the row which the @rank'th number lies in, counted from the
 *	least one; of what of that row lies between the least and the largest
 *	number
 *
 * Context: any.
 * Return: 0 or a negative errno, with the error set.
 */
int ktap_agg_quantile(struct ktap_vm *vm, const struct ktap_agg *agg,
		      const struct ktap_total *total, u64 rank, s64 *result);

/**
 * ktap_agg_snapshot() - Takes all numbers and keys away from an aggregation
 * @vm: the activation, of KTAP_LEVEL_PROCESS
 * @agg: the aggregation
 * @v: gets a new one of the same shape, which has them, and which does not change
 *	any more
 *
 * Each number is in either of both, not in both.  Waits for a grace period.
 * Context: process, may sleep.
 * Return: 0; or -ENOMEM, with the error set, and nothing is taken away.
 */
int ktap_agg_snapshot(struct ktap_vm *vm, struct ktap_agg *agg, struct ktap_value *v);

/* What it counts as where aggregations are put in order: its count or its sum. */
struct ktap_wide ktap_agg_number(const struct ktap_agg *agg, const struct ktap_total *total);

#endif /* _KTAP_AGG_H */
