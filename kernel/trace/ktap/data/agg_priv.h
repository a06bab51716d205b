/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of aggregations.
 */
#ifndef _KTAP_SHARD_H
#define _KTAP_SHARD_H

#include <linux/compiler.h>
#include <linux/list.h>
#include <linux/percpu.h>

#include "agg.h"
#include "lock.h"
#include "object.h"

/**
 * struct ktap_shard - a place where one CPU adds up
 * @seq: odd while it is written
 * @epoch: &ktap_agg.epoch when it was written last
 * @total: of all numbers
 * @buckets: how many of them lie where
 */
struct ktap_shard {
	u32 seq;
	u32 epoch;
	struct ktap_total total;
	u64 buckets[];
};

/* Buckets that are read at a time, and come at a time where they are not per CPU. */
#define KTAP_AGG_PIECE	16

/**
 * struct ktap_agg_block - some buckets of an aggregation without shards
 * @next: next one
 * @first: its first bucket, a multiple of KTAP_AGG_PIECE
 * @buckets: how many numbers lie where
 */
struct ktap_agg_block {
	struct ktap_agg_block *next;
	u32 first;
	u64 buckets[KTAP_AGG_PIECE];
};

/**
 * struct ktap_agg - an aggregation
 * @object: its head
 * @shape: what it is; constant
 * @epoch: how often the shards were emptied; atomic
 * @lock: protects @total and @blocks
 * @keyed: its table, or NULL; set once, by cmpxchg()
 * @shards: two for each CPU; NULL if it adds up in @total and @blocks.  Exchanged
 *	by ktap_agg_snapshot(), for others
 * @sharded: in &ktap_env.sharded, if there are @shards; process context only
 * @total: of all numbers
 * @blocks: the buckets in use, those that were looked at last first
 */
struct ktap_agg {
	struct ktap_object object;
	struct ktap_agg_shape shape;
	atomic_t epoch;
	struct ktap_lock lock;
	struct ktap_table *keyed;
	struct ktap_shard __percpu *shards;
	struct hlist_node sharded;
	struct ktap_total total;
	struct ktap_agg_block *blocks;
};

/* A value may be taken for what it is the head of. */
static_assert(!offsetof(struct ktap_agg, object));

/* It does not change any more when others can see it; which shards it has may. */
static inline bool ktap_agg_is_sharded(const struct ktap_agg *agg)
{
	return READ_ONCE(agg->shards);
}

/* Bytes of a shard. */
static inline size_t ktap_shard_size(const struct ktap_agg_shape *shape)
{
	return sizeof(struct ktap_shard) + shape->nbuckets * sizeof(u64);
}

/* What holds a number. */
u32 ktap_agg_bucket(const struct ktap_agg_shape *shape, s64 n);
/* What a bucket holds, from the least to the largest number. */
void ktap_agg_range(const struct ktap_agg_shape *shape, u32 bucket, s64 *least, s64 *largest);
/* The block of a bucket; the lock is held.  NULL: there is none. */
struct ktap_agg_block *ktap_agg_block(struct ktap_agg *agg, u32 bucket);

#endif /* _KTAP_SHARD_H */
