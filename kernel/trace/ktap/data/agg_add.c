// SPDX-License-Identifier: GPL-2.0
/*
 * Adding of a number to an aggregation, and to that of a key.  agg.c describes how
 * writers, readers and snapshots work together.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/nospec.h>
#include <linux/percpu.h>
#include <linux/string.h>

#include "data/agg.h"
#include "data/agg_priv.h"
#include "data/table_recent.h"
#include "data/value_slot.h"
#include "vm/vm.h"

/* Return the row (see agg_hist_rows()) of an unsigned number, counted from that of 0. */
static __always_inline u32 agg_hist_row(u32 bits, u64 n)
{
	u32 shift;

	/* A row for each power of two, the usual case: the formula below, in short */
	if (likely(!bits))
		return fls64(n);
	shift = max(fls64(n) - 1 - (int)bits, 0);
	return (shift << bits) + (n >> shift);
}

static __always_inline u32 agg_hist_bucket(const struct ktap_agg_shape *shape, s64 n)
{
	u32 zero = shape->nbuckets / 2;

	if (likely(n >= 0))
		return zero + agg_hist_row(shape->bits, n);
	return zero - agg_hist_row(shape->bits, -(u64)n);
}

static u32 agg_lhist_bucket(const struct ktap_agg_shape *shape, s64 n)
{
	if (n < shape->min)
		return 0;
	if (n >= shape->max)
		return shape->nbuckets - 1;
	return 1 + div64_u64((u64)n - (u64)shape->min, shape->step);
}

/* The bucket of ktap_agg_hist, with a mask for the same reason as below. */
static __always_inline u32 agg_log2_bucket(s64 n)
{
	u32 zero = KTAP_LOG2_BUCKETS / 2;

	return (likely(n >= 0) ? zero + fls64(n) : zero - fls64(-(u64)n)) & (KTAP_LOG2_BUCKETS - 1);
}

/* The bucket is always valid; the mask is for speculative execution (Spectre v1). */
static __always_inline u32 agg_bucket_of(const struct ktap_agg_shape *shape, s64 n)
{
	u32 bucket;

	if (likely(shape->kind == KTAP_AGG_HIST))
		bucket = agg_hist_bucket(shape, n);
	else if (shape->kind == KTAP_AGG_LHIST)
		bucket = agg_lhist_bucket(shape, n);
	else
		return KTAP_NONE;
	return array_index_nospec(bucket, shape->nbuckets);
}

u32 ktap_agg_bucket(const struct ktap_agg_shape *shape, s64 n)
{
	return agg_bucket_of(shape, n);
}

/* All totals but the sum of squares, which few programs need */
static __always_inline void agg_add_number(struct ktap_total *total, s64 n)
{
	total->count++;
	if (unlikely(n < total->min))
		total->min = n;
	if (unlikely(n > total->max))
		total->max = n;
	ktap_int128_increase(&total->sum, n);
}

static void agg_add_square(const struct ktap_agg *agg, struct ktap_total *total, s64 n)
{
	if (agg->way % KTAP_WAY_OWN == KTAP_WAY_SQUARES)
		total->squares = ktap_int128_add_unsigned(total->squares, ktap_int128_square(n));
}

static void agg_empty_shard(const struct ktap_agg *agg, struct ktap_shard *shard)
{
	shard->total = KTAP_NO_TOTAL;
	memset(shard->buckets, 0, agg->shape.nbuckets * sizeof(*shard->buckets));
}

/* Return the shard for this CPU and @level. */
static __always_inline struct ktap_shard *agg_my_shard(const struct ktap_agg *agg,
						       enum ktap_level level)
{
	/* Pairs with E, by address dependency. */
	struct ktap_shard __percpu *shards = READ_ONCE(agg->shards);
	void *both = this_cpu_ptr(shards);

	ktap_assert_irqs_off();
	return level == KTAP_LEVEL_NMI ? both + ktap_shard_size(&agg->shape) : both;
}

/* The result of an addition. */
enum agg_outcome {
	ADDED,
	BUSY,
	NO_BLOCK,	/* the bucket has no block, and the caller gave no new one */
};

/*
 * Add a number to the shard of this CPU and @level.  Return false if this event has
 * interrupted the writer of the shard, or, with @quick, if the shard must be emptied first.
 * @quick is for an aggregation without squares.
 */
static __always_inline bool agg_write_shard(struct ktap_agg *agg, enum ktap_level level, s64 n,
					    u32 bucket, bool quick)
{
	struct ktap_shard *shard = agg_my_shard(agg, level);
	u32 epoch = atomic_read(&agg->epoch), seq = shard->seq;

	if (unlikely(seq & 1))
		return false;
	if (quick && unlikely(shard->epoch != epoch))
		return false;
	WRITE_ONCE(shard->seq, seq + 1);
	smp_wmb();	/* A: a reader of any later store finds @seq changed; pairs with B */
	if (!quick && shard->epoch != epoch) {
		agg_empty_shard(agg, shard);
		WRITE_ONCE(shard->epoch, epoch);
	}
	agg_add_number(&shard->total, n);
	if (!quick)
		agg_add_square(agg, &shard->total, n);
	if (bucket != KTAP_NONE)
		shard->buckets[bucket]++;
	smp_wmb();	/* C: a reader that finds @seq even sees all stores; pairs with D */
	WRITE_ONCE(shard->seq, seq + 2);
	return true;
}

static bool agg_add_sharded(struct ktap_vm *vm, struct ktap_agg *agg, s64 n, u32 bucket)
{
	unsigned long flags;
	bool added;

	raw_local_irq_save(flags);
	added = agg_write_shard(agg, vm->level, n, bucket, false);
	raw_local_irq_restore(flags);
	return added;
}

struct ktap_agg_block *ktap_agg_block(struct ktap_agg *agg, u32 bucket, u32 *visited)
{
	u32 first = round_down(bucket, KTAP_AGG_PIECE);
	struct ktap_agg_block **link, *block;

	ktap_assert_held(&agg->lock);
	for (link = &agg->blocks; (block = *link); link = &block->next) {
		++*visited;
		if (block->first != first)
			continue;
		/* Move it to the front: the next number is probably near this one. */
		*link = block->next;
		block->next = agg->blocks;
		agg->blocks = block;
		return block;
	}
	return NULL;
}

/* If @bucket has no block yet, use the empty block *@new and set that to NULL. */
static enum agg_outcome agg_add_to_own(struct ktap_agg *agg, s64 n, u32 bucket,
				       struct ktap_agg_block **new, u32 *visited)
{
	struct ktap_agg_block *block;

	ktap_assert_held(&agg->lock);
	if (bucket != KTAP_NONE) {
		block = ktap_agg_block(agg, bucket, visited);
		if (!block && *new) {
			block = *new;
			*new = NULL;
			block->first = round_down(bucket, KTAP_AGG_PIECE);
			block->next = agg->blocks;
			agg->blocks = block;
		}
		if (!block)
			return NO_BLOCK;
		block->buckets[bucket - block->first]++;
	}
	agg_add_number(&agg->total, n);
	agg_add_square(agg, &agg->total, n);
	return ADDED;
}

/* Return an empty block, or NULL (counted) without memory. */
static struct ktap_agg_block *agg_new_block(struct ktap_vm *vm, struct ktap_agg *agg)
{
	struct ktap_agg_block *block;

	/* In process context the allocation may free objects: hold @agg like a slot. */
	if (vm->level == KTAP_LEVEL_PROCESS)
		ktap_object_enter(&agg->object);
	block = ktap_slot_alloc(vm, sizeof(*block));
	if (vm->level == KTAP_LEVEL_PROCESS)
		ktap_object_leave(vm->env, &agg->object);
	if (block)
		memset(block, 0, sizeof(*block));
	return block;
}

/* Without memory for its bucket, a number is not added to the totals, either. */
static enum agg_outcome agg_add_locked(struct ktap_vm *vm, struct ktap_agg *agg, s64 n,
				       u32 bucket, u32 *visited)
{
	struct ktap_agg_block *new = NULL;
	enum agg_outcome outcome;
	unsigned long flags;

	do {
		outcome = BUSY;
		if (!ktap_lock(&agg->lock, &flags))
			break;
		outcome = agg_add_to_own(agg, n, bucket, &new, visited);
		ktap_unlock(&agg->lock, flags);
		if (outcome == NO_BLOCK)
			new = agg_new_block(vm, agg);
	} while (outcome == NO_BLOCK && new);
	/* Free the block if another CPU was faster. */
	if (new)
		ktap_heap_free(&vm->env->heap, new, sizeof(*new));
	return outcome;
}

/* Blocks that are visited for a unit */
#define BLOCKS_A_UNIT	16

static noinline int agg_add_slowly(struct ktap_vm *vm, struct ktap_agg *agg, s64 n, u32 bucket)
{
	u32 visited = 0;
	bool done;

	if (ktap_agg_is_sharded(agg))
		done = agg_add_sharded(vm, agg, n, bucket);
	else
		done = agg_add_locked(vm, agg, n, bucket, &visited) != BUSY;
	if (unlikely(!done))
		ktap_count_busy(vm->env);
	return visited < BLOCKS_A_UNIT ? 0 : ktap_vm_charge(vm, visited / BLOCKS_A_UNIT);
}

static __always_inline bool agg_add_to_shard(struct ktap_agg *agg, enum ktap_level level, s64 n,
					     u32 bucket)
{
	unsigned long flags;
	bool added;

	raw_local_irq_save(flags);
	added = agg_write_shard(agg, level, n, bucket, true);
	raw_local_irq_restore(flags);
	return added;
}

static __always_inline int agg_add_quickly(struct ktap_vm *vm, struct ktap_agg *agg, s64 n,
					   u32 bucket)
{
	if (likely(agg_add_to_shard(agg, vm->level, n, bucket)))
		return 0;
	return agg_add_slowly(vm, agg, n, bucket);
}

static int agg_add_total(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	return agg_add_quickly(vm, agg, n, KTAP_NONE);
}

static int agg_add_log2(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	return agg_add_quickly(vm, agg, n, agg_log2_bucket(n));
}

/* As agg_bucket_of() */
static __always_inline u32 agg_linear_bucket(const struct ktap_agg *agg, s64 n)
{
	return array_index_nospec(agg_lhist_bucket(&agg->shape, n), agg->shape.nbuckets);
}

static int agg_add_linear(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	return agg_add_quickly(vm, agg, n, agg_linear_bucket(agg, n));
}

static int agg_add_bucket(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	return agg_add_quickly(vm, agg, n, agg_bucket_of(&agg->shape, n));
}

static int agg_add_other(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	return agg_add_slowly(vm, agg, n, agg_bucket_of(&agg->shape, n));
}

ktap_agg_add_fn *ktap_agg_adder(const struct ktap_agg *agg)
{
	switch (agg->way) {
	case KTAP_WAY_TOTALS:
		return agg_add_total;
	case KTAP_WAY_LOG2:
		return agg_add_log2;
	case KTAP_WAY_BUCKETS:
		return agg->shape.kind == KTAP_AGG_LHIST ? agg_add_linear : agg_add_bucket;
	default:
		return agg_add_other;
	}
}

int ktap_agg_add(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	if (agg->way == KTAP_WAY_TOTALS)
		return agg_add_total(vm, agg, n);
	if (likely(agg->way == KTAP_WAY_LOG2))
		return agg_add_log2(vm, agg, n);
	return agg->way == KTAP_WAY_BUCKETS ? agg_add_bucket(vm, agg, n) :
					      agg_add_other(vm, agg, n);
}

bool ktap_agg_may_try(const struct ktap_agg *agg, bool keyed)
{
	/* The aggregations of keys have no shards. */
	u32 way = keyed ? agg->way % KTAP_WAY_OWN : agg->way;

	return way == KTAP_WAY_LOG2 || way == KTAP_WAY_TOTALS ||
	       (way == KTAP_WAY_BUCKETS && !keyed);
}

bool ktap_agg_try(struct ktap_agg *agg, s64 n)
{
	u32 bucket;

	if (likely(agg->way == KTAP_WAY_LOG2))
		return agg_add_to_shard(agg, KTAP_LEVEL_TASK, n, agg_log2_bucket(n));
	if (agg->way == KTAP_WAY_TOTALS)
		return agg_add_to_shard(agg, KTAP_LEVEL_TASK, n, KTAP_NONE);
	if (unlikely(agg->way != KTAP_WAY_BUCKETS))
		return false;
	bucket = agg->shape.kind == KTAP_AGG_LHIST ? agg_linear_bucket(agg, n) :
						     agg_bucket_of(&agg->shape, n);
	return agg_add_to_shard(agg, KTAP_LEVEL_TASK, n, bucket);
}

/* Keys */

struct ktap_table *ktap_agg_keyed(const struct ktap_agg *agg)
{
	/* Pairs with the cmpxchg() of ktap_agg_make_keyed(), by address dependency. */
	return READ_ONCE(agg->keyed);
}

struct ktap_table *ktap_agg_make_keyed(struct ktap_vm *vm, struct ktap_agg *agg)
{
	struct ktap_table *made, *old = ktap_agg_keyed(agg);

	if (old)
		return old;
	made = ktap_table_make(vm, KTAP_TABLE_DEFAULT);
	if (!made)
		return NULL;
	old = cmpxchg(&agg->keyed, NULL, made);
	if (!old)
		return made;
	ktap_table_free(vm->env, made, NULL);
	return old;
}

static struct ktap_object *agg_make_object(struct ktap_vm *vm, const void *shape)
{
	struct ktap_agg *agg = ktap_agg_make(vm, shape);

	return agg ? &agg->object : NULL;
}

int ktap_agg_in_table(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		      const struct ktap_agg_shape *shape, struct ktap_agg **agg)
{
	struct ktap_value v;
	int err;

	*agg = NULL;
	err = ktap_table_get_or_make(vm, t, key, agg_make_object, shape, &v);
	if (v.tag == KTAP_AGG)
		*agg = v.agg;
	else if (v.tag != KTAP_NIL)
		err = ktap_vm_error(vm, -EINVAL, "'<<<' on %s: only an aggregation takes values",
				    ktap_type_name(&v));
	return err;
}

/* As agg_add_to_own(), if the bucket is in the first block, and without squares. */
static __always_inline bool agg_add_to_first(struct ktap_agg *agg, s64 n, u32 bucket)
{
	struct ktap_agg_block *block;

	ktap_assert_held(&agg->lock);
	if (bucket != KTAP_NONE) {
		block = agg->blocks;
		if (unlikely(!block || block->first != round_down(bucket, KTAP_AGG_PIECE)))
			return false;
		block->buckets[bucket % KTAP_AGG_PIECE]++;
	}
	agg_add_number(&agg->total, n);
	return true;
}

/* Add to the aggregation of an entry, whose shards, if any, are no common case. */
static __always_inline bool agg_add_found(struct ktap_found_agg found, s64 n)
{
	struct ktap_agg *agg = found.agg;
	u32 way = agg->way, bucket;
	bool added;

	if (way == KTAP_WAY_OWN + KTAP_WAY_LOG2) {
		bucket = agg_log2_bucket(n);
	} else if (way == KTAP_WAY_OWN + KTAP_WAY_TOTALS) {
		bucket = KTAP_NONE;
	} else {
		ktap_unlock_cpu(found.flags);
		return false;
	}
	ktap_lock_others(&agg->lock);
	added = agg_add_to_first(agg, n, bucket);
	ktap_unlock(&agg->lock, found.flags);
	return added;
}

static noinline int agg_add_in_slowly(struct ktap_vm *vm, struct ktap_table *t,
				      const struct ktap_value *key,
				      const struct ktap_agg_shape *shape, s64 n)
{
	struct ktap_agg *agg;
	int err = ktap_agg_in_table(vm, t, key, shape, &agg);

	/* @agg remains valid even if its entry is deleted now (object.c). */
	if (agg && ktap_agg_add(vm, agg, n))
		return vm->error;
	return err;
}

/* The aggregation of @key, or NULL if its entry is not a recent one. */
static __always_inline struct ktap_agg *agg_find_recent(const struct ktap_agg *agg,
							const struct ktap_value *key)
{
	struct ktap_table *t = ktap_agg_keyed(agg);
	struct ktap_entry *e = t ? ktap_recent_find(t, key) : NULL;

	return e ? ktap_agg_of(&e->value) : NULL;
}

int ktap_agg_add_recent(struct ktap_vm *vm, struct ktap_agg *agg, const struct ktap_value *key,
			s64 n)
{
	struct ktap_found_agg found = { .agg = agg_find_recent(agg, key) };

	if (unlikely(!found.agg))
		return 0;
	if (likely(ktap_lock_cpu(&found.flags) && agg_add_found(found, n)))
		return 1;
	return agg_add_in_slowly(vm, ktap_agg_keyed(agg), key, &agg->shape, n) ?: 1;
}

bool ktap_agg_try_keyed(struct ktap_agg *agg, const struct ktap_value *key, s64 n)
{
	struct ktap_found_agg found = { .agg = agg_find_recent(agg, key) };

	return likely(found.agg && ktap_lock_cpu(&found.flags)) && agg_add_found(found, n);
}

static __always_inline int agg_add_in(struct ktap_vm *vm, struct ktap_table *t,
				      const struct ktap_value *key,
				      const struct ktap_agg_shape *shape, s64 n)
{
	struct ktap_found_agg found = ktap_table_find_agg(vm, t, key);

	if (likely(found.agg && agg_add_found(found, n)))
		return 0;
	return agg_add_in_slowly(vm, t, key, shape, n);
}

int ktap_agg_add_in_table(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
			  const struct ktap_agg_shape *shape, s64 n)
{
	return agg_add_in(vm, t, key, shape, n);
}

static noinline int agg_add_first_key(struct ktap_vm *vm, struct ktap_agg *agg,
				      const struct ktap_value *key, s64 n)
{
	struct ktap_table *t = ktap_agg_make_keyed(vm, agg);

	return t ? agg_add_in_slowly(vm, t, key, &agg->shape, n) : 0;
}

int ktap_agg_add_keyed(struct ktap_vm *vm, struct ktap_agg *agg, const struct ktap_value *key,
		       s64 n)
{
	struct ktap_table *t = ktap_agg_keyed(agg);

	return likely(t) ? agg_add_in(vm, t, key, &agg->shape, n) :
			   agg_add_first_key(vm, agg, key, n);
}
