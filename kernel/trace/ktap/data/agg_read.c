// SPDX-License-Identifier: GPL-2.0
/*
 * Reading aggregations: totals, buckets, quantiles.
 */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "data/agg_priv.h"
#include "data/value_slot.h"
#include "vm/vm.h"

/* Attempts of a reader to find a shard that is not being written. */
#define READ_TRIES	128

/* Retrying is pointless in NMI: the interrupted writer cannot run until it returns. */
static int agg_read_tries_on(int cpu)
{
	return in_nmi() && cpu == raw_smp_processor_id() ? 1 : READ_TRIES;
}

/*
 * Copy a piece of a shard, or zeroes if the shard is of another epoch.  Return false
 * if the shard was written all the time: the copy may be inconsistent.  A to D label
 * the barriers of agg_write_shard().
 */
static bool agg_read_copy_shard(const struct ktap_shard *shard, int tries, u32 epoch, void *to,
				const void *from, size_t size)
{
	bool good = false;
	u32 seq, its = 0;
	int i;

	for (i = 0; i < tries && !good; i++) {
		if (i)
			cpu_relax();
		seq = READ_ONCE(shard->seq);
		smp_rmb();	/* D: pairs with C */
		its = READ_ONCE(shard->epoch);
		/* A torn copy is detected below, and read again. */
		data_race(memcpy(to, from, size));
		smp_rmb();	/* B: pairs with A */
		good = !(seq & 1) && READ_ONCE(shard->seq) == seq;
	}
	if (its != epoch)
		memset(to, 0, size);
	return good;
}

static void agg_read_merge_total(struct ktap_total *to, const struct ktap_total *from)
{
	/* A torn copy may have counted the first number without having it as @min and @max. */
	if (!from->count || from->min > from->max)
		return;
	if (!to->count || from->min < to->min)
		to->min = from->min;
	if (!to->count || from->max > to->max)
		to->max = from->max;
	to->sum = ktap_int128_add(to->sum, from->sum);
	to->squares = ktap_int128_add_unsigned(to->squares, from->squares);
	to->count += from->count;
}

/**
 * struct agg_read_source - an aggregation being read
 * @agg: the aggregation
 * @shards: its shards, or NULL; sampled once for the whole read
 * @epoch: the epoch of @agg; sampled once, too
 */
struct agg_read_source {
	const struct ktap_agg *agg;
	struct ktap_shard __percpu *shards;
	u32 epoch;
};

static struct agg_read_source agg_read_source_of(const struct ktap_agg *agg)
{
	return (struct agg_read_source){
		.agg = agg,
		.shards = READ_ONCE(agg->shards),
		.epoch = atomic_read(&agg->epoch),
	};
}

/* Return one of the two shards of a CPU. */
static const struct ktap_shard *agg_read_shard_at(const struct agg_read_source *from, int cpu,
						  int nmi)
{
	const void *both = per_cpu_ptr(from->shards, cpu);

	return both + nmi * ktap_shard_size(&from->agg->shape);
}

static bool agg_read_shards_total(const struct agg_read_source *from, struct ktap_total *to)
{
	const struct ktap_shard *shard;
	struct ktap_total total;
	bool good = true;
	int cpu, nmi;

	for_each_possible_cpu(cpu) {
		for (nmi = 0; nmi < 2; nmi++) {
			shard = agg_read_shard_at(from, cpu, nmi);
			good &= agg_read_copy_shard(shard, agg_read_tries_on(cpu), from->epoch,
						    &total, &shard->total, sizeof(total));
			agg_read_merge_total(to, &total);
		}
	}
	return good;
}

/* Read the totals under the lock; without it, possibly torn, if this CPU is inside a lock. */
static bool agg_read_own_total(struct ktap_agg *agg, struct ktap_total *total)
{
	struct ktap_total now;
	unsigned long flags;
	bool locked;

	locked = ktap_lock(&agg->lock, &flags);
	now = agg->total;
	if (locked)
		ktap_unlock(&agg->lock, flags);
	agg_read_merge_total(total, &now);
	return locked;
}

void ktap_agg_read(struct ktap_env *env, const struct ktap_agg *agg, struct ktap_total *total)
{
	struct agg_read_source from = agg_read_source_of(agg);

	memset(total, 0, sizeof(*total));
	if (!(from.shards ? agg_read_shards_total(&from, total) :
			    agg_read_own_total((struct ktap_agg *)agg, total)))
		ktap_count_busy(env);
}

u32 ktap_agg_cost(const struct ktap_agg *agg)
{
	return ktap_agg_is_sharded(agg) ? num_possible_cpus() / 4 : 0;
}

/* Buckets are read in small pieces, so that few attempts collide with a writer. */

static u32 agg_read_piece_end(const struct agg_read_source *from, u32 first)
{
	return min(first + KTAP_AGG_PIECE, from->agg->shape.nbuckets);
}

static bool agg_read_add_piece(const struct agg_read_source *from, u32 first, u64 *to)
{
	u32 i, n = agg_read_piece_end(from, first) - first;
	const struct ktap_shard *shard;
	u64 piece[KTAP_AGG_PIECE];
	bool good = true;
	int cpu, nmi;

	for_each_possible_cpu(cpu) {
		for (nmi = 0; nmi < 2; nmi++) {
			shard = agg_read_shard_at(from, cpu, nmi);
			good &= agg_read_copy_shard(shard, agg_read_tries_on(cpu), from->epoch,
						    piece, &shard->buckets[first],
						    n * sizeof(*piece));
			for (i = 0; i < n; i++)
				to[i] += piece[i];
		}
	}
	return good;
}

/* Return false if this CPU is inside a lock: the blocks may be moving or being freed. */
static bool agg_read_add_own_piece(struct ktap_agg *agg, u32 first, u32 n, u64 *to)
{
	const struct ktap_agg_block *block;
	unsigned long flags;
	u32 i, visited = 0;

	if (!ktap_lock(&agg->lock, &flags))
		return false;
	block = ktap_agg_block(agg, first, &visited);
	for (i = 0; block && i < n; i++)
		to[i] += block->buckets[i];
	ktap_unlock(&agg->lock, flags);
	return true;
}

/* Add the buckets of the piece that starts at @first to those of @to. */
static void agg_read_piece(struct ktap_env *env, const struct agg_read_source *from, u32 first,
			   u64 *to)
{
	struct ktap_agg *agg = (struct ktap_agg *)from->agg;

	if (!(from->shards ? agg_read_add_piece(from, first, to) :
			     agg_read_add_own_piece(agg, first,
						    agg_read_piece_end(from, first) - first, to)))
		ktap_count_busy(env);
}

/* A piece is copied from each shard, or found by a walk along the blocks. */
static u32 agg_read_piece_cost(const struct agg_read_source *from)
{
	u32 blocks = from->agg->shape.nbuckets / KTAP_AGG_PIECE;

	return from->shards ? 1 + num_possible_cpus() : 2 + blocks / 32;
}

int ktap_agg_read_buckets(struct ktap_vm *vm, const struct ktap_agg *agg, u64 *buckets)
{
	struct agg_read_source from = agg_read_source_of(agg);
	u32 first;
	int err;

	for (first = 0; first < agg->shape.nbuckets; first = agg_read_piece_end(&from, first)) {
		err = ktap_vm_charge(vm, agg_read_piece_cost(&from));
		if (err)
			return err;
		agg_read_piece(vm->env, &from, first, buckets + first);
	}
	return 0;
}

/* Return the middle of a bucket, clipped to the range of the totals. */
static s64 agg_read_middle(const struct ktap_agg_shape *shape, u32 bucket,
			   const struct ktap_total *total)
{
	s64 least, largest;

	ktap_agg_range(shape, bucket, &least, &largest);
	/* The bucket may be outside of that range: numbers are added concurrently. */
	least = clamp_t(s64, least, total->min, total->max);
	largest = clamp_t(s64, largest, total->min, total->max);
	return (u64)least + ((u64)largest - (u64)least) / 2;
}

int ktap_agg_quantile(struct ktap_vm *vm, const struct ktap_agg *agg,
		      const struct ktap_total *total, u64 rank, s64 *result)
{
	u32 bucket = round_down(ktap_agg_bucket(&agg->shape, total->min), KTAP_AGG_PIECE);
	struct agg_read_source from = agg_read_source_of(agg);
	u64 piece[KTAP_AGG_PIECE], seen = 0;
	u32 first, end;
	int err;

	/* For an aggregation that is cleared meanwhile. */
	*result = total->max;
	for (; bucket < agg->shape.nbuckets; bucket = end) {
		err = ktap_vm_charge(vm, agg_read_piece_cost(&from));
		if (err)
			return err;
		first = bucket;
		end = agg_read_piece_end(&from, first);
		memset(piece, 0, sizeof(piece));
		agg_read_piece(vm->env, &from, first, piece);
		for (; bucket < end; bucket++) {
			seen += piece[bucket - first];
			if (seen >= rank) {
				*result = agg_read_middle(&agg->shape, bucket, total);
				return 0;
			}
		}
	}
	return 0;
}

struct ktap_int128 ktap_agg_number(const struct ktap_agg *agg, const struct ktap_total *total)
{
	if (agg->shape.kind == KTAP_AGG_COUNT)
		return (struct ktap_int128){ .lo = total->count };
	return total->sum;
}
