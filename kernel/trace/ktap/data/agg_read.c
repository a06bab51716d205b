// SPDX-License-Identifier: GPL-2.0
/*
 * Reading of aggregations: the totals, the buckets, quantiles.
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

#include "shard.h"
#include "slot.h"

/* Tries of a reader to find a shard at rest. */
#define READ_TRIES	128

/* Whom this NMI has interrupted does not go on before it returns. */
static int tries_on(int cpu)
{
	return in_nmi() && cpu == raw_smp_processor_id() ? 1 : READ_TRIES;
}

/*
 * Copies a piece of a shard of this epoch, or zeroes.  False: it was written all
 * the time, and what was copied may not hang together.  The marks of the barriers
 * are those of write_shard().
 */
static bool copy_shard(const struct ktap_shard *shard, int tries, u32 epoch, void *to,
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
		/* What is torn is seen below, and read again. */
		data_race(memcpy(to, from, size));
		smp_rmb();	/* B: pairs with A */
		good = !(seq & 1) && READ_ONCE(shard->seq) == seq;
	}
	if (its != epoch)
		memset(to, 0, size);
	return good;
}

static void merge_total(struct ktap_total *to, const struct ktap_total *from)
{
	if (!from->count)
		return;
	if (!to->count || from->min < to->min)
		to->min = from->min;
	if (!to->count || from->max > to->max)
		to->max = from->max;
	to->sum = ktap_wide_add(to->sum, from->sum);
	to->squares = ktap_wide_add_unsigned(to->squares, from->squares);
	to->count += from->count;
}

/**
 * struct source - what is read
 * @agg: the aggregation
 * @shards: its shards, or NULL; the same ones from the first to the last look
 * @epoch: theirs
 */
struct source {
	const struct ktap_agg *agg;
	struct ktap_shard __percpu *shards;
	u32 epoch;
};

static struct source source_of(const struct ktap_agg *agg)
{
	return (struct source){
		.agg = agg,
		.shards = READ_ONCE(agg->shards),
		.epoch = atomic_read(&agg->epoch),
	};
}

/* One of the two shards of a CPU. */
static const struct ktap_shard *shard_at(const struct source *from, int cpu, int nmi)
{
	const void *both = per_cpu_ptr(from->shards, cpu);

	return both + nmi * ktap_shard_size(&from->agg->shape);
}

static bool read_total(const struct source *from, struct ktap_total *to)
{
	const struct ktap_shard *shard;
	struct ktap_total total;
	bool good = true;
	int cpu, nmi;

	for_each_possible_cpu(cpu) {
		for (nmi = 0; nmi < 2; nmi++) {
			shard = shard_at(from, cpu, nmi);
			good &= copy_shard(shard, tries_on(cpu), from->epoch, &total,
					   &shard->total, sizeof(total));
			merge_total(to, &total);
		}
	}
	return good;
}

/* The lock makes it hang together, unless this CPU holds it. */
static bool read_own_total(struct ktap_agg *agg, struct ktap_total *total)
{
	unsigned long flags;
	bool locked;

	locked = ktap_lock(&agg->lock, &flags);
	*total = agg->total;
	if (locked)
		ktap_unlock(&agg->lock, flags);
	return locked;
}

void ktap_agg_read(struct ktap_env *env, const struct ktap_agg *agg, struct ktap_total *total)
{
	struct source from = source_of(agg);

	memset(total, 0, sizeof(*total));
	if (!(from.shards ? read_total(&from, total) :
			    read_own_total((struct ktap_agg *)agg, total)))
		ktap_count_busy(env);
}

u32 ktap_agg_cost(const struct ktap_agg *agg)
{
	return ktap_agg_is_sharded(agg) ? num_possible_cpus() / 4 : 0;
}

/* Buckets are read a small piece at a time, so that it is soon found at rest. */

static u32 piece_end(const struct source *from, u32 first)
{
	return min(first + KTAP_AGG_PIECE, from->agg->shape.nbuckets);
}

static bool add_piece(const struct source *from, u32 first, u64 *to)
{
	u32 i, n = piece_end(from, first) - first;
	const struct ktap_shard *shard;
	u64 piece[KTAP_AGG_PIECE];
	bool good = true;
	int cpu, nmi;

	for_each_possible_cpu(cpu) {
		for (nmi = 0; nmi < 2; nmi++) {
			shard = shard_at(from, cpu, nmi);
			good &= copy_shard(shard, tries_on(cpu), from->epoch, piece,
					   &shard->buckets[first], n * sizeof(*piece));
			for (i = 0; i < n; i++)
				to[i] += piece[i];
		}
	}
	return good;
}

/* Without the lock the blocks may be about to change places, or to be freed. */
static bool add_own_piece(struct ktap_agg *agg, u32 first, u32 n, u64 *to)
{
	const struct ktap_agg_block *block;
	unsigned long flags;
	u32 i;

	if (!ktap_lock(&agg->lock, &flags))
		return false;
	block = ktap_agg_block(agg, first);
	for (i = 0; block && i < n; i++)
		to[i] += block->buckets[i];
	ktap_unlock(&agg->lock, flags);
	return true;
}

/* Adds the buckets from @first, of a piece, to those of @to. */
static void read_piece(struct ktap_env *env, const struct source *from, u32 first, u64 *to)
{
	struct ktap_agg *agg = (struct ktap_agg *)from->agg;

	if (!(from->shards ? add_piece(from, first, to) :
			     add_own_piece(agg, first, piece_end(from, first) - first, to)))
		ktap_count_busy(env);
}

void ktap_agg_read_buckets(struct ktap_env *env, const struct ktap_agg *agg, u64 *buckets)
{
	struct source from = source_of(agg);
	u32 first;

	for (first = 0; first < agg->shape.nbuckets; first = piece_end(&from, first))
		read_piece(env, &from, first, buckets + first);
}

/* The middle of what of a bucket lies between the least and the largest number. */
static s64 middle(const struct ktap_agg_shape *shape, u32 bucket, const struct ktap_total *total)
{
	s64 least, largest;

	ktap_agg_range(shape, bucket, &least, &largest);
	/* Others may have come since the totals were read. */
	least = clamp_t(s64, least, total->min, total->max);
	largest = clamp_t(s64, largest, total->min, total->max);
	return (u64)least + ((u64)largest - (u64)least) / 2;
}

/* A piece of one is a copy, or a walk along the blocks, of which most are not there. */
static u32 piece_cost(const struct source *from)
{
	return from->shards ? 1 + num_possible_cpus() : 2;
}

int ktap_agg_quantile(struct ktap_vm *vm, const struct ktap_agg *agg,
		      const struct ktap_total *total, u64 rank, s64 *result)
{
	u32 bucket = round_down(ktap_agg_bucket(&agg->shape, total->min), KTAP_AGG_PIECE);
	struct source from = source_of(agg);
	u64 piece[KTAP_AGG_PIECE], seen = 0;
	u32 first, end;
	int err;

	/* Unless it was emptied meanwhile, there is a bucket. */
	*result = total->max;
	for (; bucket < agg->shape.nbuckets; bucket = end) {
		err = ktap_vm_charge(vm, piece_cost(&from));
		if (err)
			return err;
		first = bucket;
		end = piece_end(&from, first);
		memset(piece, 0, sizeof(piece));
		read_piece(vm->env, &from, first, piece);
		for (; bucket < end; bucket++) {
			seen += piece[bucket - first];
			if (seen >= rank) {
				*result = middle(&agg->shape, bucket, total);
				return 0;
			}
		}
	}
	return 0;
}

struct ktap_wide ktap_agg_number(const struct ktap_agg *agg, const struct ktap_total *total)
{
	if (agg->shape.kind == KTAP_AGG_COUNT)
		return (struct ktap_wide){ .lo = total->count };
	return total->sum;
}
