// SPDX-License-Identifier: GPL-2.0
/*
 * Aggregations: count, stats, hist, lhist.  agg_read.c reads them.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
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

#define LEAST_BUCKETS	(2 * 64)
#define MOST_BUCKETS	(2 * (64 - KTAP_AGG_MAX_BITS) << KTAP_AGG_MAX_BITS)

const struct ktap_agg_shape ktap_agg_count = { .kind = KTAP_AGG_COUNT };
const struct ktap_agg_shape ktap_agg_stats = { .kind = KTAP_AGG_STATS };
const struct ktap_agg_shape ktap_agg_hist = {
	.kind = KTAP_AGG_HIST,
	.nbuckets = LEAST_BUCKETS,
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

/* Return the row of an unsigned number, counted from that of 0. */
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
	u32 zero = LEAST_BUCKETS / 2;

	return (likely(n >= 0) ? zero + fls64(n) : zero - fls64(-(u64)n)) & (LEAST_BUCKETS - 1);
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

/* Writing */

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

/* Return the shard for this CPU and level. */
static __always_inline struct ktap_shard *agg_my_shard(const struct ktap_vm *vm,
						       const struct ktap_agg *agg)
{
	/* Pairs with E, by address dependency. */
	struct ktap_shard __percpu *shards = READ_ONCE(agg->shards);
	void *both = this_cpu_ptr(shards);

	ktap_assert_irqs_off();
	return vm->level == KTAP_LEVEL_NMI ? both + ktap_shard_size(&agg->shape) : both;
}

/* The result of an addition. */
enum agg_outcome {
	ADDED,
	BUSY,
	NO_BLOCK,	/* the bucket has no block, and the caller gave no new one */
};

/*
 * Add a number to the shard of this CPU and level.  Return false if this event has
 * interrupted the writer of the shard, or, with @quick, if the shard must be emptied first.
 * @quick is for an aggregation without squares.
 */
static __always_inline bool agg_write_shard(struct ktap_vm *vm, struct ktap_agg *agg, s64 n,
					    u32 bucket, bool quick)
{
	struct ktap_shard *shard = agg_my_shard(vm, agg);
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
	added = agg_write_shard(vm, agg, n, bucket, false);
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

static __always_inline int agg_add_quickly(struct ktap_vm *vm, struct ktap_agg *agg, s64 n,
					   u32 bucket)
{
	unsigned long flags;
	bool added;

	raw_local_irq_save(flags);
	added = agg_write_shard(vm, agg, n, bucket, true);
	raw_local_irq_restore(flags);
	return likely(added) ? 0 : agg_add_slowly(vm, agg, n, bucket);
}

static noinline int agg_add_other(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	u32 bucket = agg_bucket_of(&agg->shape, n);

	return agg->way == KTAP_WAY_BUCKETS ? agg_add_quickly(vm, agg, n, bucket) :
					      agg_add_slowly(vm, agg, n, bucket);
}

int ktap_agg_add(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	if (agg->way == KTAP_WAY_TOTALS)
		return agg_add_quickly(vm, agg, n, KTAP_NONE);
	if (likely(agg->way == KTAP_WAY_LOG2))
		return agg_add_quickly(vm, agg, n, agg_log2_bucket(n));
	return agg_add_other(vm, agg, n);
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
static void agg_fold_shards(struct ktap_env *env, struct ktap_agg *agg)
{
	u64 *buckets = kvcalloc(agg->shape.nbuckets ?: 1, sizeof(*buckets), KTAP_GFP);
	struct ktap_agg_block *blocks = NULL;

	if (!buckets)
		return;
	ktap_agg_read_buckets(env, agg, buckets);
	if (agg_make_blocks(env, &agg->shape, buckets, &blocks)) {
		ktap_agg_read(env, agg, &agg->total);
		if (!agg->total.count)
			agg->total = KTAP_NO_TOTAL;
		agg->blocks = blocks;
		agg_free_shards(env, agg);
	} else {
		agg_free_blocks(env, blocks);
	}
	kvfree(buckets);
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
	if (new->shards)
		agg_fold_shards(vm->env, new);
	return 0;
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
