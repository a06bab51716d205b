/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Aggregations: totals and distributions of numbers.
 */
#ifndef _KTAP_AGG_H
#define _KTAP_AGG_H

#include "data/int128.h"
#include "vm/value.h"

struct ktap_env;
struct ktap_reaper;
struct ktap_vm;

/* Kind of an aggregation; all kinds keep the same totals. */
enum ktap_agg_kind {
	KTAP_AGG_COUNT,		/* shown as the count */
	KTAP_AGG_STATS,		/* shown as all totals */
	KTAP_AGG_HIST,		/* has buckets: powers of two, or equal parts of them */
	KTAP_AGG_LHIST,		/* has buckets: equal steps */
};

#define KTAP_AGG_MAX_STEPS	1000	/* of an lhist */
#define KTAP_AGG_MAX_BITS	4	/* of a hist */

/**
 * struct ktap_agg_shape - the constant part of an aggregation
 * @kind: enum ktap_agg_kind
 * @bits: hist: log2 of the parts of a power of two
 * @nbuckets: number of buckets, see ktap_agg_row()
 * @min: lhist: start of the first step
 * @max: lhist: end of the last step
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

/* Make the shape of a hist with 2^@bits parts.  Return NULL, or an error message. */
const char *ktap_agg_log_linear(struct ktap_agg_shape *shape, s64 bits);
/* Make the shape of an lhist.  Return NULL, or an error message. */
const char *ktap_agg_lhist(struct ktap_agg_shape *shape, s64 min, s64 max, s64 step);

/**
 * struct ktap_total - the totals of an aggregation
 * @count: count of numbers
 * @sum: their sum
 * @squares: the sum of their squares, unsigned; see ktap_int128_too_large().  0 unless
 *	the program has KTAP_USES_SQUARES
 * @min: the smallest number, unless @count is 0
 * @max: the largest number, unless @count is 0
 */
struct ktap_total {
	u64 count;
	struct ktap_int128 sum;
	struct ktap_int128 squares;
	s64 min;
	s64 max;
};

/*
 * These functions can be called in any context, except where stated.  An operation
 * that fails because it has interrupted another one on this CPU is counted.
 */

/* Set @v to a new aggregation, or to KTAP_VALUE_LOST (counted) without memory. */
int ktap_agg_new(struct ktap_vm *vm, const struct ktap_agg_shape *shape, struct ktap_value *v);

/*
 * Make an aggregation that is in no register; the caller frees it.  Return NULL
 * (counted) without memory.  ktap_agg_free() fails, half done, if this CPU is inside a
 * lock of ktap.  With @reaper (object.c) it may sleep.
 */
struct ktap_agg *ktap_agg_make(struct ktap_vm *vm, const struct ktap_agg_shape *shape);
bool ktap_agg_free(struct ktap_env *env, struct ktap_agg *agg, struct ktap_reaper *reaper);

/* Free the shards of all aggregations, which are not in the heap.  Context: process. */
void ktap_aggs_destroy(struct ktap_env *env);

/* Add a number.  Concurrent updates are not lost.  Return 0, or the error of a charge. */
typedef int ktap_agg_add_fn(struct ktap_vm *vm, struct ktap_agg *agg, s64 n);
ktap_agg_add_fn ktap_agg_add;
/* Return the function that does this for @agg. */
ktap_agg_add_fn *ktap_agg_adder(const struct ktap_agg *agg);
/*
 * Add a number, or one to the aggregation of @key if its entry is a recent one (table_recent.h), in
 * the event of a task.  Return false if that cannot be done without an activation.
 */
bool ktap_agg_try(struct ktap_agg *agg, s64 n);
/* Can that ever be done, with or without a key? */
bool ktap_agg_may_try(const struct ktap_agg *agg, bool keyed);
bool ktap_agg_try_keyed(struct ktap_agg *agg, const struct ktap_value *key, s64 n);
/* Remove all keys, as ktap_table_clear() does, and then all numbers. */
int ktap_agg_clear(struct ktap_vm *vm, struct ktap_agg *agg);

const struct ktap_agg_shape *ktap_agg_shape(const struct ktap_agg *agg);

/*
 * Return the table with an aggregation of the same shape for each key, or NULL if
 * there are no keys yet.
 */
struct ktap_table *ktap_agg_keyed(const struct ktap_agg *agg);
/* Return the table with the entries of a table or of a keyed aggregation, or NULL. */
static inline struct ktap_table *ktap_value_table(const struct ktap_value *v)
{
	if (v->tag == KTAP_AGG)
		return ktap_agg_keyed(ktap_agg_of(v));
	return v->tag == KTAP_TABLE ? ktap_table_of(v) : NULL;
}

/* Return the table of the keys, a new one if needed; NULL (counted) without memory. */
struct ktap_table *ktap_agg_make_keyed(struct ktap_vm *vm, struct ktap_agg *agg);

/*
 * Add a number to the aggregation in the entry @key of the table of @agg, or of any table @t.
 * Without an entry, make one; with @t, the aggregation gets this @shape.
 */
int ktap_agg_add_keyed(struct ktap_vm *vm, struct ktap_agg *agg, const struct ktap_value *key,
		       s64 n);
int ktap_agg_add_in_table(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
			  const struct ktap_agg_shape *shape, s64 n);
/*
 * ktap_agg_add_keyed() if the entry is a recent one (table_recent.h).  1; 0 if it is not; or a
 * negative errno.
 */
int ktap_agg_add_recent(struct ktap_vm *vm, struct ktap_agg *agg, const struct ktap_value *key,
			s64 n);

/*
 * Set *@agg to the aggregation in the entry @key of @t, a new one if there is no entry.
 * It is NULL if the table is full or without memory (counted).
 */
int ktap_agg_in_table(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		      const struct ktap_agg_shape *shape, struct ktap_agg **agg);

/* Read the totals.  Numbers that are added meanwhile may or may not be included. */
void ktap_agg_read(struct ktap_env *env, const struct ktap_agg *agg, struct ktap_total *total);

/**
 * ktap_agg_read_buckets() - Add the buckets of an aggregation to those of an array
 * @vm: the activation; it is charged for the work
 * @agg: the aggregation
 * @buckets: one number for each bucket
 *
 * Context: process, as it takes long.
 * Return: 0; or a negative errno, with the error set and some of the buckets added.
 */
int ktap_agg_read_buckets(struct ktap_vm *vm, const struct ktap_agg *agg, u64 *buckets);

/*
 * Return the number that names a bucket: of its numbers the one nearest to 0, or, for
 * an lhist, the smallest.  The buckets of a hist start with those of negative numbers.
 * The first bucket of an lhist is for numbers below @min, the last one for numbers from
 * @max on: no number names these two.
 */
s64 ktap_agg_row(const struct ktap_agg_shape *shape, u32 bucket);

/* Return the units to charge for reading the totals. */
u32 ktap_agg_cost(const struct ktap_agg *agg);

/**
 * ktap_agg_quantile() - Estimate the @rank'th number, counted from the smallest
 * @vm: the activation; it is charged for the work
 * @agg: the aggregation; it has buckets
 * @total: the result of ktap_agg_read()
 * @rank: 1 to @total->count
 * @result: the middle of the bucket of that number; the bucket is first clipped to
 *	the range from @total->min to @total->max
 *
 * Context: any.
 * Return: 0 or a negative errno, with the error set.
 */
int ktap_agg_quantile(struct ktap_vm *vm, const struct ktap_agg *agg,
		      const struct ktap_total *total, u64 rank, s64 *result);

/**
 * ktap_agg_snapshot() - Move all numbers and keys to a new aggregation
 * @vm: the activation, of KTAP_LEVEL_PROCESS
 * @agg: the aggregation, empty afterwards
 * @v: set to the new aggregation, which has the same shape and does not change any more
 *
 * Each number is in exactly one of the two.  Waits for a grace period.
 * Context: process, may sleep.
 * Return: 0; or a negative errno, with the error set.
 */
int ktap_agg_snapshot(struct ktap_vm *vm, struct ktap_agg *agg, struct ktap_value *v);

/* Return the number to sort an aggregation by: its count or its sum. */
struct ktap_int128 ktap_agg_number(const struct ktap_agg *agg, const struct ktap_total *total);

#endif /* _KTAP_AGG_H */
