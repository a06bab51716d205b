/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Private layout of aggregations.
 */
#ifndef _KTAP_AGG_PRIV_H
#define _KTAP_AGG_PRIV_H

#include <linux/compiler.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/percpu.h>

#include "data/agg.h"
#include "data/lock.h"
#include "data/object.h"

/**
 * struct ktap_shard - the part of an aggregation that one CPU writes
 * @seq: odd while it is written
 * @epoch: &ktap_agg.epoch when it was written last
 * @total: totals of all numbers
 * @buckets: count of numbers by bucket
 */
struct ktap_shard {
	u32 seq;
	u32 epoch;
	struct ktap_total total;
	u64 buckets[];
};

/* Buckets of ktap_agg_hist, which has one for a power of two */
#define KTAP_LOG2_BUCKETS	(2 * 64)

/* Buckets that are read at a time, and buckets of a struct ktap_agg_block. */
#define KTAP_AGG_PIECE	16

/**
 * struct ktap_agg_block - some buckets of an aggregation without shards
 * @next: next one
 * @first: its first bucket, a multiple of KTAP_AGG_PIECE
 * @buckets: count of numbers by bucket
 */
struct ktap_agg_block {
	struct ktap_agg_block *next;
	u32 first;
	u64 buckets[KTAP_AGG_PIECE];
};

/* The way to add a number, decided when the aggregation is made. */
enum ktap_agg_way {
	KTAP_WAY_TOTALS,	/* no buckets */
	KTAP_WAY_LOG2,		/* ktap_agg_hist: one bucket for a power of two */
	KTAP_WAY_BUCKETS,	/* other buckets */
	KTAP_WAY_SQUARES,	/* maybe buckets, and the sum of squares */
	KTAP_WAY_OWN,		/* added to one of these: without shards */
};

/**
 * struct ktap_agg - an aggregation
 * @object: its head
 * @shape: kind and buckets; constant
 * @way: enum ktap_agg_way; constant for writers
 * @epoch: how often the shards were emptied; atomic
 * @lock: protects @total and @blocks
 * @keyed: table of the keys, or NULL; set once, by cmpxchg()
 * @shards: two for each CPU; NULL if it uses @total and @blocks.  ktap_agg_snapshot()
 *	exchanges them for other ones
 * @sharded: node in &ktap_env.sharded, if there are @shards; process context only
 * @total: totals of all numbers, without @shards
 * @blocks: the buckets in use, without @shards; most recently used block first
 */
struct ktap_agg {
	struct ktap_object object;
	struct ktap_agg_shape shape;
	u8 way;
	atomic_t epoch;
	struct ktap_lock lock;
	struct ktap_table *keyed;
	struct ktap_shard __percpu *shards;
	struct hlist_node sharded;
	struct ktap_total total;
	struct ktap_agg_block *blocks;
};

/* ktap_value.object and ktap_value.agg are one union. */
static_assert(!offsetof(struct ktap_agg, object));

/*
 * Totals of no numbers.  Any number is the least and the largest one then, so that adding
 * the first one is no special case.
 */
#define KTAP_NO_TOTAL	((struct ktap_total){ .min = S64_MAX, .max = S64_MIN })

/* The result is constant for an aggregation, although its shards may be exchanged. */
static inline bool ktap_agg_is_sharded(const struct ktap_agg *agg)
{
	return READ_ONCE(agg->shards);
}

/* Return the bytes of a shard. */
static inline size_t ktap_shard_size(const struct ktap_agg_shape *shape)
{
	return sizeof(struct ktap_shard) + shape->nbuckets * sizeof(u64);
}

/* Return the bucket of a number, or KTAP_NONE if the shape has none. */
u32 ktap_agg_bucket(const struct ktap_agg_shape *shape, s64 n);
/* Return the smallest and the largest number of a bucket. */
void ktap_agg_range(const struct ktap_agg_shape *shape, u32 bucket, s64 *least, s64 *largest);
/*
 * Return the block of a bucket, or NULL, and add the blocks that were visited to *@visited.
 * &ktap_agg.lock must be held.
 */
struct ktap_agg_block *ktap_agg_block(struct ktap_agg *agg, u32 bucket, u32 *visited);

#endif /* _KTAP_AGG_PRIV_H */
