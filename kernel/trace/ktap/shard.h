/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of aggregations.
 */
#ifndef _KTAP_SHARD_H
#define _KTAP_SHARD_H

#include <linux/list.h>
#include <linux/percpu.h>

#include "agg.h"
#include "lock.h"
#include "object.h"

/**
 * struct ktap_shard - a place to add up in
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

/**
 * struct ktap_agg - an aggregation
 * @object: its head
 * @shape: what it is; constant
 * @epoch: how often the shards were emptied; atomic
 * @keyed: its table, or NULL; set once, by cmpxchg()
 * @shards: two for each CPU; NULL if @own is the one
 * @own: the only shard, behind this; NULL if there are @shards
 * @lock: protects @own
 * @sharded: in &ktap_env.sharded, if there are @shards; process context only
 */
struct ktap_agg {
	struct ktap_object object;
	struct ktap_agg_shape shape;
	atomic_t epoch;
	struct ktap_table *keyed;
	struct ktap_shard __percpu *shards;
	struct ktap_shard *own;
	struct ktap_lock lock;
	struct hlist_node sharded;
};

/* A value may be taken for what it is the head of. */
static_assert(!offsetof(struct ktap_agg, object));

#endif /* _KTAP_SHARD_H */
