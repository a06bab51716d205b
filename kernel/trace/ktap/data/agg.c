// SPDX-License-Identifier: GPL-2.0
/*
 * Aggregations: count, stats, hist, lhist.  agg_add.c adds to them, agg_read.c
 * reads them.
 */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/agg.h"
#include "data/agg_priv.h"
#include "data/table.h"
#include "data/value_slot.h"
#include "vm/vm.h"

/**
 * DOC: Aggregations
 *
 * An aggregation consists of *shards*: totals, and buckets if its kind has any.
 *
 * An aggregation made in process context has two shards per CPU, the second one for
 * NMI.  Only its CPU writes a shard, with interrupts off.  Only an NMI can interrupt
 * that, and it has a shard of its own.  So there is no lock, no atomic operation, and
 * no cache line that two CPUs write.  If an event still interrupts the writer (a
 * breakpoint in this very code, on a machine where that is no NMI), it finds
 * &ktap_shard.seq odd and gives up, which is counted.
 *
 * An aggregation made by a handler has totals of its own and a lock (see lock.h),
 * since a handler cannot allocate per-CPU memory.  So has an aggregation whose shards
 * the session has no memory for.  It allocates its buckets in blocks, when the
 * first number falls into a block: the writer unlocks, allocates, and tries again.
 * So a key costs memory only for the buckets in use.
 *
 * Readers merge the shards.  Readers see a consistent shard: the writer makes
 * &ktap_shard.seq odd before an update and even after it, and the reader tries again
 * if it has changed.  The number of attempts is limited, since the reader may have
 * interrupted the writer; after that it uses the inconsistent copy, which is counted.
 *
 * Only its CPU may write a shard.  Hence a clear only increments &ktap_agg.epoch: a
 * shard of another epoch is empty for a reader, and the writer empties it before it
 * adds to it.
 *
 * For the same reason a snapshot cannot empty the shards.  It gives the aggregation
 * new, empty shards and keeps the old ones.  Writers read epoch and address with
 * interrupts off: after a grace period no CPU writes the old shards any more.  Only
 * then the snapshot copies the epoch of the aggregation.  If a clear came in between,
 * some of the old shards may have been written in its epoch: their numbers were added
 * after the clear and before the snapshot, and all other shards were empty by then.
 * If the clear was later than these writes, the result is the same as if it had been
 * just before the snapshot.  Either way only the clear discards numbers, and none
 * counts twice.  The old shards are then added up and freed.
 *
 * For keys, an aggregation has a table of aggregations of the same shape, without
 * shards.  It is made for the first key, and lives as long as the aggregation.  A
 * snapshot takes its entries.  To add to an existing entry, a handler locks the stripe of
 * the key, finds the aggregation, unlocks the stripe and locks the aggregation, with
 * interrupts off all the time.
 */

/*
 * Number of rows of a hist in each direction from 0.  A power of two, 2^n, has 2^bits
 * rows, each 2^(n - bits) wide; below 2^bits each number has a row of its own.  0 counts
 * as positive, and -2^63 has a row, too.
 */
static u32 agg_hist_rows(u32 bits)
{
	return (64 - bits) << bits;
}

#define MOST_BUCKETS	(2 * (64 - KTAP_AGG_MAX_BITS) << KTAP_AGG_MAX_BITS)

const struct ktap_agg_shape ktap_agg_count = { .kind = KTAP_AGG_COUNT };
const struct ktap_agg_shape ktap_agg_stats = { .kind = KTAP_AGG_STATS };
const struct ktap_agg_shape ktap_agg_hist = {
	.kind = KTAP_AGG_HIST,
	.nbuckets = KTAP_LOG2_BUCKETS,
};

const char *ktap_agg_log_linear(struct ktap_agg_shape *shape, s64 bits)
{
	if (bits < 0 || bits > KTAP_AGG_MAX_BITS)
		return "a power of two has 2^0 to 2^4 rows";
	*shape = ktap_agg_hist;
	shape->bits = bits;
	shape->nbuckets = 2 * agg_hist_rows(bits);
	return NULL;
}

static_assert(KTAP_AGG_MAX_BITS == 4);

const char *ktap_agg_lhist(struct ktap_agg_shape *shape, s64 min, s64 max, s64 step)
{
	u64 steps;

	if (step <= 0)
		return "the step must be positive";
	if (max <= min)
		return "the maximum must be larger than the minimum";
	steps = div64_u64((u64)max - (u64)min - 1, step) + 1;
	if (steps > KTAP_AGG_MAX_STEPS)
		return "more than 1000 steps";
	*shape = (struct ktap_agg_shape){
		.kind = KTAP_AGG_LHIST,
		.nbuckets = steps + 2,
		.min = min,
		.max = max,
		.step = step,
	};
	return NULL;
}

static_assert(KTAP_AGG_MAX_STEPS == 1000);

/* Return the first number of a row. */
static u64 agg_hist_number(u32 bits, u32 row)
{
	u32 shift = row >> bits;

	if (!shift)
		return row;
	return (u64)(row - ((shift - 1) << bits)) << (shift - 1);
}

static void agg_hist_range(const struct ktap_agg_shape *shape, u32 bucket, s64 *least, s64 *largest)
{
	u32 bits = shape->bits, zero = agg_hist_rows(bits);
	bool below = bucket < zero;
	u32 row = below ? zero - bucket : bucket - zero;
	u64 first = agg_hist_number(bits, row);
	/* The row of 2^63 has only one number. */
	u64 last = first == 1ULL << 63 ? first : agg_hist_number(bits, row + 1) - 1;

	*least = below ? -last : first;
	*largest = below ? -first : last;
}

static void agg_lhist_range(const struct ktap_agg_shape *shape, u32 bucket, s64 *least,
			    s64 *largest)
{
	u64 first = (u64)shape->min + (bucket - 1) * shape->step;

	*least = first;
	/* The last step may be shorter. */
	*largest = (u64)shape->max - first > shape->step ? first + shape->step - 1 :
							   (u64)shape->max - 1;
	if (!bucket) {
		*least = S64_MIN;
		*largest = (u64)shape->min - 1;
	} else if (bucket == shape->nbuckets - 1) {
		*least = shape->max;
		*largest = S64_MAX;
	}
}

void ktap_agg_range(const struct ktap_agg_shape *shape, u32 bucket, s64 *least, s64 *largest)
{
	if (shape->kind == KTAP_AGG_HIST)
		agg_hist_range(shape, bucket, least, largest);
	else
		agg_lhist_range(shape, bucket, least, largest);
}

s64 ktap_agg_row(const struct ktap_agg_shape *shape, u32 bucket)
{
	s64 least, largest;

	ktap_agg_range(shape, bucket, &least, &largest);
	return shape->kind == KTAP_AGG_HIST && largest < 0 ? largest : least;
}

/* Both shards of a CPU are one allocation. */
static_assert(2 * (sizeof(struct ktap_shard) + MOST_BUCKETS * sizeof(u64)) <= PCPU_MIN_UNIT_SIZE);
static_assert(KTAP_AGG_MAX_STEPS + 2 <= MOST_BUCKETS);

/* Return the bytes of all shards of an aggregation with shards. */
static size_t agg_shards_size(const struct ktap_agg_shape *shape)
{
	return 2 * ktap_shard_size(shape) * num_possible_cpus();
}

static bool agg_free_object(struct ktap_env *env, struct ktap_object *object,
			    struct ktap_reaper *reaper)
{
	return ktap_agg_free(env, container_of(object, struct ktap_agg, object), reaper);
}

static const struct ktap_object_ops agg_ops = {
	.tag = KTAP_AGG,
	.free = agg_free_object,
};

static enum ktap_agg_way agg_way_of(const struct ktap_agg_shape *shape, bool squares)
{
	if (squares)
		return KTAP_WAY_SQUARES;
	if (!shape->nbuckets)
		return KTAP_WAY_TOTALS;
	return shape->kind == KTAP_AGG_HIST && !shape->bits ? KTAP_WAY_LOG2 : KTAP_WAY_BUCKETS;
}

static void agg_init(struct ktap_agg *agg, const struct ktap_agg_shape *shape, bool squares)
{
	memset(agg, 0, sizeof(*agg));
	ktap_object_init(&agg->object, &agg_ops);
	ktap_lock_init(&agg->lock);
	agg->shape = *shape;
	agg->way = KTAP_WAY_OWN + agg_way_of(shape, squares);
	agg->total = KTAP_NO_TOTAL;
}

struct ktap_agg *ktap_agg_make(struct ktap_vm *vm, const struct ktap_agg_shape *shape)
{
	struct ktap_agg *agg = ktap_slot_alloc(vm, sizeof(*agg));

	if (agg)
		agg_init(agg, shape, vm->env->prog->uses & KTAP_USES_SQUARES);
	return agg;
}

/* The memory of new shards is zeroed. */
static void agg_init_shards(struct ktap_shard __percpu *shards, const struct ktap_agg_shape *shape)
{
	struct ktap_shard *shard;
	int cpu;

	for_each_possible_cpu(cpu) {
		shard = per_cpu_ptr(shards, cpu);
		shard->total = KTAP_NO_TOTAL;
		shard = (void *)shard + ktap_shard_size(shape);
		shard->total = KTAP_NO_TOTAL;
	}
}

/* Return NULL if there is not enough memory for the shards.  Context: process. */
static struct ktap_agg *agg_make_sharded(struct ktap_vm *vm, const struct ktap_agg_shape *shape)
{
	struct ktap_heap *heap = &vm->env->heap;
	struct ktap_shard __percpu *shards;
	struct ktap_agg *agg;

	if (!ktap_heap_charge(heap, agg_shards_size(shape)))
		return NULL;
	shards = __alloc_percpu_gfp(2 * ktap_shard_size(shape), __alignof__(u64),
				    KTAP_GFP);
	if (!shards)
		goto uncharge;
	agg = ktap_agg_make(vm, shape);
	if (!agg)
		goto free;
	agg_init_shards(shards, shape);
	agg->shards = shards;
	agg->way -= KTAP_WAY_OWN;
	hlist_add_head(&agg->sharded, &vm->env->sharded);
	return agg;
free:
	free_percpu(shards);
uncharge:
	ktap_heap_uncharge(heap, agg_shards_size(shape));
	return NULL;
}

int ktap_agg_new(struct ktap_vm *vm, const struct ktap_agg_shape *shape, struct ktap_value *v)
{
	struct ktap_agg *agg = NULL;
	int err;

	*v = KTAP_VALUE_LOST;
	err = ktap_object_make_room(vm);
	if (err)
		return err;
	if (vm->level == KTAP_LEVEL_PROCESS)
		agg = agg_make_sharded(vm, shape);
	if (!agg)
		agg = ktap_agg_make(vm, shape);
	if (agg)
		ktap_object_give(vm, &agg->object, v);
	return 0;
}

static void agg_free_blocks(struct ktap_env *env, struct ktap_agg_block *block)
{
	struct ktap_agg_block *next;

	for (; block; block = next) {
		next = block->next;
		ktap_heap_free(&env->heap, block, sizeof(*block));
	}
}

/*
 * Move the numbers of an aggregation without shards to @total and @blocks.  Return false
 * if this CPU is inside a lock.
 */
static bool agg_take_own(struct ktap_agg *agg, struct ktap_total *total,
			 struct ktap_agg_block **blocks)
{
	unsigned long flags;

	if (!ktap_lock(&agg->lock, &flags))
		return false;
	*total = agg->total;
	*blocks = agg->blocks;
	agg->total = KTAP_NO_TOTAL;
	agg->blocks = NULL;
	ktap_unlock(&agg->lock, flags);
	return true;
}

static bool agg_empty_own(struct ktap_env *env, struct ktap_agg *agg)
{
	struct ktap_agg_block *blocks;
	struct ktap_total total;

	if (!agg_take_own(agg, &total, &blocks))
		return false;
	agg_free_blocks(env, blocks);
	return true;
}

static void agg_free_shards(struct ktap_env *env, struct ktap_agg *agg)
{
	hlist_del(&agg->sharded);
	free_percpu(agg->shards);
	ktap_heap_uncharge(&env->heap, agg_shards_size(&agg->shape));
	agg->shards = NULL;
	agg->way += KTAP_WAY_OWN;
}

bool ktap_agg_free(struct ktap_env *env, struct ktap_agg *agg, struct ktap_reaper *reaper)
{
	if (agg->keyed) {
		if (!ktap_table_free(env, agg->keyed, reaper))
			return false;
		agg->keyed = NULL;
	}
	if (!agg_empty_own(env, agg))
		return false;
	if (agg->shards)
		agg_free_shards(env, agg);
	ktap_heap_free(&env->heap, agg, sizeof(*agg));
	return true;
}

void ktap_aggs_destroy(struct ktap_env *env)
{
	struct ktap_agg *agg;

	hlist_for_each_entry(agg, &env->sharded, sharded)
		free_percpu(agg->shards);
	INIT_HLIST_HEAD(&env->sharded);
}

const struct ktap_agg_shape *ktap_agg_shape(const struct ktap_agg *agg)
{
	return &agg->shape;
}

int ktap_agg_clear(struct ktap_vm *vm, struct ktap_agg *agg)
{
	struct ktap_table *keyed = ktap_agg_keyed(agg);
	int err = keyed ? ktap_table_clear(vm, keyed) : 0;

	if (err)
		return err;
	if (ktap_agg_is_sharded(agg))
		atomic_inc(&agg->epoch);
	else if (!agg_empty_own(vm->env, agg))
		ktap_count_busy(vm->env);
	return 0;
}

/* Snapshots */

/* Return an empty aggregation for a snapshot of @agg, or NULL without memory. */
static struct ktap_agg *agg_make_like(struct ktap_vm *vm, struct ktap_agg *agg)
{
	struct ktap_agg *new;

	new = agg->shards ? agg_make_sharded(vm, &agg->shape) : ktap_agg_make(vm, &agg->shape);
	if (!new || !ktap_agg_keyed(agg))
		return new;
	new->keyed = ktap_table_make(vm, KTAP_TABLE_DEFAULT);
	if (new->keyed)
		return new;
	ktap_agg_free(vm->env, new, NULL);
	return NULL;
}

/*
 * Move numbers and keys to @new; complete after a grace period.  Return false if this
 * CPU is inside a lock.
 */
static bool agg_take_all(struct ktap_agg *agg, struct ktap_agg *new)
{
	struct ktap_shard __percpu *empty = new->shards;

	/* If @agg got its first key after agg_make_like(), the keys stay in @agg. */
	if (new->keyed && !ktap_table_exchange(ktap_agg_keyed(agg), new->keyed))
		return false;
	if (!empty)
		return agg_take_own(agg, &new->total, &new->blocks);
	new->shards = agg->shards;
	smp_wmb();	/* E: the new shards are seen empty; pairs with agg_my_shard() */
	WRITE_ONCE(agg->shards, empty);
	return true;
}

/* Make blocks for the buckets that are not empty.  Return false if memory ran out. */
static bool agg_make_blocks(struct ktap_env *env, const struct ktap_agg_shape *shape,
			    const u64 *buckets, struct ktap_agg_block **blocks)
{
	struct ktap_agg_block *block;
	u32 first, n;

	for (first = 0; first < shape->nbuckets; first += KTAP_AGG_PIECE) {
		n = min_t(u32, shape->nbuckets - first, KTAP_AGG_PIECE);
		if (!memchr_inv(buckets + first, 0, n * sizeof(*buckets)))
			continue;
		block = ktap_heap_alloc(&env->heap, sizeof(*block));
		if (!block)
			return false;
		*block = (struct ktap_agg_block){ .next = *blocks, .first = first };
		memcpy(block->buckets, buckets + first, n * sizeof(*buckets));
		*blocks = block;
	}
	return true;
}

/*
 * Add up the shards of a snapshot, which no CPU writes any more, and free them: they
 * are large, and a script may keep many snapshots.  Without memory for the result the
 * snapshot keeps its shards.
 */
static int agg_fold_shards(struct ktap_vm *vm, struct ktap_agg *agg)
{
	struct ktap_env *env = vm->env;
	u64 *buckets = kvcalloc(agg->shape.nbuckets ?: 1, sizeof(*buckets), KTAP_GFP);
	struct ktap_agg_block *blocks = NULL;
	int err;

	if (!buckets)
		return 0;
	err = ktap_agg_read_buckets(vm, agg, buckets);
	if (err)
		goto out;
	if (agg_make_blocks(env, &agg->shape, buckets, &blocks)) {
		ktap_agg_read(env, agg, &agg->total);
		if (!agg->total.count)
			agg->total = KTAP_NO_TOTAL;
		agg->blocks = blocks;
		agg_free_shards(env, agg);
	} else {
		agg_free_blocks(env, blocks);
	}
out:
	kvfree(buckets);
	return err;
}

int ktap_agg_snapshot(struct ktap_vm *vm, struct ktap_agg *agg, struct ktap_value *v)
{
	struct ktap_agg *new;
	int err;

	might_sleep();
	*v = KTAP_VALUE_NIL;
	err = ktap_object_make_room(vm);
	if (err)
		return err;
	new = agg_make_like(vm, agg);
	/* Free the shards of unreachable snapshots, and try again. */
	if (!new && ktap_objects_sweep(vm))
		new = agg_make_like(vm, agg);
	if (!new)
		return ktap_vm_error(vm, -ENOMEM, "no memory for a snapshot");
	ktap_object_give(vm, &new->object, v);
	if (!agg_take_all(agg, new))
		return ktap_vm_error(vm, -EBUSY, "a snapshot inside of a lock");
	if (new->shards || new->keyed)
		synchronize_rcu();
	atomic_set(&new->epoch, atomic_read(&agg->epoch));
	return new->shards ? agg_fold_shards(vm, new) : 0;
}
