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

#include "agg.h"
#include "arith.h"
#include "ops.h"
#include "shard.h"
#include "slot.h"
#include "table.h"

/**
 * DOC: Aggregations
 *
 * An aggregation adds up in *shards*: totals, and buckets if it has any.
 *
 * One that was made in process context has two shards per CPU, the second one for
 * NMI.  A shard is written by its CPU alone, with interrupts off, so that nothing
 * but an NMI can come between, which has a shard of its own: there is no lock, no
 * atomic operation, and no line that two CPUs write.  Where an event can come
 * between all the same (a breakpoint in this very code, on a machine where that
 * is no NMI), it finds &ktap_shard.seq odd, gives up, and counts that.
 *
 * One that was made by a handler has totals of its own, and a lock (see lock.h):
 * nothing per CPU can be had there.  So has one for which the session has no
 * memory left to have a shard for each CPU.  Its buckets come in blocks, a block
 * when the first number falls into one of its buckets: who finds none unlocks,
 * takes memory, and tries again.  So a key costs what its numbers take, not what
 * all there are would.
 *
 * Readers merge the shards.  What they read of a shard hangs together: the writer
 * makes &ktap_shard.seq odd before and even behind what it writes, and the reader
 * tries again if it has changed meanwhile.  It does so a limited number of times,
 * since it may have interrupted the writer; then it takes what there is, and
 * counts that.
 *
 * Only the owner of a shard may write it, hence a clear changes nothing but
 * &ktap_agg.epoch: a shard of another epoch is empty to a reader, and its owner
 * empties it before it adds to it.
 *
 * A snapshot cannot empty the shards, either.  It gives the aggregation others,
 * which are empty, and keeps the old ones for itself.  Writers look at epoch and
 * address with interrupts off: when a grace period has gone by, nobody writes the
 * old shards any more.  Only then the snapshot takes its own epoch from the
 * aggregation.  If a clear came in between, some of the old shards
 * may have been written in the epoch that it began: their numbers were added
 * behind the clear and in front of the snapshot, and all other shards were empty
 * by then.  If the clear was later than any of that, it is as if it had been made
 * just before the snapshot.  Either way no number is lost but to the clear, and
 * none counts twice.  The old shards are then added up and given back.
 *
 * What is kept by key is a table of aggregations of the same shape, none with
 * shards.  It is made when the first key comes, and lives as long as the
 * aggregation.  A snapshot takes what is in it.
 */

/*
 * Rows of a hist: of a power of two, 2^n, there are 2^bits, each 2^(n - bits)
 * wide; below 2^bits each number has its own.  Counted from 0 in either direction
 * these are so many.  0 counts among those above it, and -2^63 among those below.
 */
static u32 hist_rows(u32 bits)
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
	shape->nbuckets = 2 * hist_rows(bits);
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

/* The row of a number without a sign, counted from that of 0. */
static u32 hist_row(u32 bits, u64 n)
{
	int shift = max(fls64(n) - 1 - (int)bits, 0);

	return ((u32)shift << bits) + (n >> shift);
}

/* The first number of a row. */
static u64 hist_number(u32 bits, u32 row)
{
	u32 shift = row >> bits;

	if (!shift)
		return row;
	return (u64)(row - ((shift - 1) << bits)) << (shift - 1);
}

static u32 bucket_of(const struct ktap_agg_shape *shape, s64 n)
{
	if (shape->kind == KTAP_AGG_HIST) {
		if (n >= 0)
			return hist_rows(shape->bits) + hist_row(shape->bits, n);
		return hist_rows(shape->bits) - hist_row(shape->bits, -(u64)n);
	}
	if (n < shape->min)
		return 0;
	if (n >= shape->max)
		return shape->nbuckets - 1;
	return 1 + div64_u64((u64)n - (u64)shape->min, shape->step);
}

/* It is always one of them, but the CPU may take the wrong way for a moment. */
u32 ktap_agg_bucket(const struct ktap_agg_shape *shape, s64 n)
{
	return array_index_nospec(bucket_of(shape, n), shape->nbuckets);
}

static void hist_range(const struct ktap_agg_shape *shape, u32 bucket, s64 *least, s64 *largest)
{
	u32 bits = shape->bits, zero = hist_rows(bits);
	bool below = bucket < zero;
	u32 row = below ? zero - bucket : bucket - zero;
	u64 first = hist_number(bits, row);
	/* There is but one number as far from 0 as that. */
	u64 last = first == 1ULL << 63 ? first : hist_number(bits, row + 1) - 1;

	*least = below ? -last : first;
	*largest = below ? -first : last;
}

static void lhist_range(const struct ktap_agg_shape *shape, u32 bucket, s64 *least, s64 *largest)
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
		hist_range(shape, bucket, least, largest);
	else
		lhist_range(shape, bucket, least, largest);
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

/* Bytes of all shards of one that has them for each CPU. */
static size_t shards_size(const struct ktap_agg_shape *shape)
{
	return 2 * ktap_shard_size(shape) * num_possible_cpus();
}

static void init(struct ktap_agg *agg, const struct ktap_agg_shape *shape)
{
	memset(agg, 0, sizeof(*agg));
	ktap_object_init(&agg->object, KTAP_AGG);
	ktap_lock_init(&agg->lock);
	agg->shape = *shape;
}

struct ktap_agg *ktap_agg_make(struct ktap_vm *vm, const struct ktap_agg_shape *shape)
{
	struct ktap_agg *agg = ktap_slot_alloc(vm, sizeof(*agg));

	if (agg)
		init(agg, shape);
	return agg;
}

/* NULL: there is no memory for that many shards.  Context: process. */
static struct ktap_agg *make_sharded(struct ktap_vm *vm, const struct ktap_agg_shape *shape)
{
	struct ktap_heap *heap = &vm->env->heap;
	struct ktap_shard __percpu *shards;
	struct ktap_agg *agg;

	if (!ktap_heap_charge(heap, shards_size(shape)))
		return NULL;
	shards = __alloc_percpu_gfp(2 * ktap_shard_size(shape), __alignof__(u64),
				    KTAP_GFP);
	if (!shards)
		goto uncharge;
	agg = ktap_agg_make(vm, shape);
	if (!agg)
		goto free;
	agg->shards = shards;
	hlist_add_head(&agg->sharded, &vm->env->sharded);
	return agg;
free:
	free_percpu(shards);
uncharge:
	ktap_heap_uncharge(heap, shards_size(shape));
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
		agg = make_sharded(vm, shape);
	if (!agg)
		agg = ktap_agg_make(vm, shape);
	if (agg)
		ktap_object_give(vm, &agg->object, v);
	return 0;
}

static void free_blocks(struct ktap_env *env, struct ktap_agg_block *block)
{
	struct ktap_agg_block *next;

	for (; block; block = next) {
		next = block->next;
		ktap_heap_free(&env->heap, block, sizeof(*block));
	}
}

/* Takes the numbers away, and gives them to @total.  False: this CPU is inside a lock. */
static bool take_own(struct ktap_agg *agg, struct ktap_total *total, struct ktap_agg_block **blocks)
{
	unsigned long flags;

	if (!ktap_lock(&agg->lock, &flags))
		return false;
	*total = agg->total;
	*blocks = agg->blocks;
	agg->total = (struct ktap_total){ };
	agg->blocks = NULL;
	ktap_unlock(&agg->lock, flags);
	return true;
}

static bool empty_own(struct ktap_env *env, struct ktap_agg *agg)
{
	struct ktap_agg_block *blocks;
	struct ktap_total total;

	if (!take_own(agg, &total, &blocks))
		return false;
	free_blocks(env, blocks);
	return true;
}

static void free_shards(struct ktap_env *env, struct ktap_agg *agg)
{
	hlist_del(&agg->sharded);
	free_percpu(agg->shards);
	ktap_heap_uncharge(&env->heap, shards_size(&agg->shape));
	agg->shards = NULL;
}

bool ktap_agg_free(struct ktap_env *env, struct ktap_agg *agg)
{
	if (agg->keyed) {
		if (!ktap_table_free(env, agg->keyed))
			return false;
		agg->keyed = NULL;
	}
	if (!empty_own(env, agg))
		return false;
	if (agg->shards)
		free_shards(env, agg);
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

static void add_number(struct ktap_total *total, s64 n)
{
	if (!total->count || n < total->min)
		total->min = n;
	if (!total->count || n > total->max)
		total->max = n;
	total->sum = ktap_wide_add(total->sum, ktap_wide(n));
	total->squares = ktap_wide_add_unsigned(total->squares, ktap_wide_square(n));
	total->count++;
}

static void add_to_shard(const struct ktap_agg *agg, struct ktap_shard *shard, s64 n)
{
	add_number(&shard->total, n);
	if (agg->shape.nbuckets)
		shard->buckets[ktap_agg_bucket(&agg->shape, n)]++;
}

static void empty_shard(const struct ktap_agg *agg, struct ktap_shard *shard)
{
	memset(&shard->total, 0, ktap_shard_size(&agg->shape) - offsetof(struct ktap_shard, total));
}

/* The shard that this CPU and level writes.  Interrupts are off. */
static struct ktap_shard *my_shard(const struct ktap_vm *vm, const struct ktap_agg *agg)
{
	/* Pairs with E: what is read there depends on it. */
	struct ktap_shard __percpu *shards = READ_ONCE(agg->shards);
	void *both = this_cpu_ptr(shards);

	return vm->level == KTAP_LEVEL_NMI ? both + ktap_shard_size(&agg->shape) : both;
}

/* What became of an addition. */
enum outcome {
	ADDED,
	BUSY,
	NO_BLOCK,	/* there is none for its bucket, and no new one was given */
};

/* Busy: this CPU was about to write the shard already. */
static enum outcome write_shard(struct ktap_agg *agg, struct ktap_shard *shard, s64 n)
{
	u32 epoch = atomic_read(&agg->epoch), seq = shard->seq;

	if (unlikely(seq & 1))
		return BUSY;
	WRITE_ONCE(shard->seq, seq + 1);
	smp_wmb();	/* A: who reads any of what follows finds @seq changed; pairs with B */
	if (unlikely(shard->epoch != epoch)) {
		empty_shard(agg, shard);
		WRITE_ONCE(shard->epoch, epoch);
	}
	add_to_shard(agg, shard, n);
	smp_wmb();	/* C: who finds @seq even reads all of it; pairs with D */
	WRITE_ONCE(shard->seq, seq + 2);
	return ADDED;
}

static enum outcome add_sharded(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	enum outcome outcome;
	unsigned long flags;

	raw_local_irq_save(flags);
	outcome = write_shard(agg, my_shard(vm, agg), n);
	raw_local_irq_restore(flags);
	return outcome;
}

struct ktap_agg_block *ktap_agg_block(struct ktap_agg *agg, u32 bucket)
{
	u32 first = round_down(bucket, KTAP_AGG_PIECE);
	struct ktap_agg_block **link, *block;

	for (link = &agg->blocks; (block = *link); link = &block->next) {
		if (block->first != first)
			continue;
		/* In front: the next number likely falls near this one. */
		*link = block->next;
		block->next = agg->blocks;
		agg->blocks = block;
		return block;
	}
	return NULL;
}

/* Takes @new, which is empty, if there is need of it, and then makes it NULL. */
static enum outcome add_to_own(struct ktap_agg *agg, s64 n, u32 bucket,
			       struct ktap_agg_block **new)
{
	struct ktap_agg_block *block;

	if (agg->shape.nbuckets) {
		block = ktap_agg_block(agg, bucket);
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
	add_number(&agg->total, n);
	return ADDED;
}

/* NULL (counted) if there is no memory. */
static struct ktap_agg_block *new_block(struct ktap_vm *vm, struct ktap_agg *agg)
{
	struct ktap_agg_block *block;

	/* Who takes memory in process context may free what no slot and no register holds. */
	if (vm->level == KTAP_LEVEL_PROCESS)
		ktap_object_enter(&agg->object);
	block = ktap_slot_alloc(vm, sizeof(*block));
	if (vm->level == KTAP_LEVEL_PROCESS)
		ktap_object_leave(vm->env, &agg->object);
	if (block)
		memset(block, 0, sizeof(*block));
	return block;
}

/* All or nothing: a number whose bucket finds no memory is not in the totals, either. */
static enum outcome add_locked(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	u32 bucket = agg->shape.nbuckets ? ktap_agg_bucket(&agg->shape, n) : 0;
	struct ktap_agg_block *new = NULL;
	enum outcome outcome;
	unsigned long flags;

	do {
		outcome = BUSY;
		if (!ktap_lock(&agg->lock, &flags))
			break;
		outcome = add_to_own(agg, n, bucket, &new);
		ktap_unlock(&agg->lock, flags);
		if (outcome == NO_BLOCK)
			new = new_block(vm, agg);
	} while (outcome == NO_BLOCK && new);
	/* Somebody else may have been faster. */
	if (new)
		ktap_heap_free(&vm->env->heap, new, sizeof(*new));
	return outcome;
}

void ktap_agg_add(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	enum outcome outcome;

	outcome = ktap_agg_is_sharded(agg) ? add_sharded(vm, agg, n) : add_locked(vm, agg, n);
	if (unlikely(outcome == BUSY))
		ktap_count_busy(vm->env);
}

void ktap_agg_clear(struct ktap_vm *vm, struct ktap_agg *agg)
{
	struct ktap_table *keyed = ktap_agg_keyed(agg);

	if (keyed)
		ktap_table_clear(vm, keyed);
	if (ktap_agg_is_sharded(agg))
		atomic_inc(&agg->epoch);
	else if (!empty_own(vm->env, agg))
		ktap_count_busy(vm->env);
}

/* A snapshot */

/* An empty one with all that a snapshot of @agg may need.  NULL: no memory. */
static struct ktap_agg *make_like(struct ktap_vm *vm, struct ktap_agg *agg)
{
	struct ktap_agg *new;

	new = agg->shards ? make_sharded(vm, &agg->shape) : ktap_agg_make(vm, &agg->shape);
	if (!new || !ktap_agg_keyed(agg))
		return new;
	new->keyed = ktap_table_make(vm, KTAP_TABLE_DEFAULT);
	if (new->keyed)
		return new;
	ktap_agg_free(vm->env, new);
	return NULL;
}

/* @new has it when the grace period is over.  False: this CPU is inside a lock. */
static bool take_all(struct ktap_agg *agg, struct ktap_agg *new)
{
	struct ktap_shard __percpu *empty = new->shards;

	/* What was given keys meanwhile keeps them. */
	if (new->keyed && !ktap_table_exchange(ktap_agg_keyed(agg), new->keyed))
		return false;
	if (!empty)
		return take_own(agg, &new->total, &new->blocks);
	new->shards = agg->shards;
	smp_wmb();	/* E: who finds the others finds them empty; pairs with my_shard() */
	WRITE_ONCE(agg->shards, empty);
	return true;
}

/* Blocks for all buckets that are not empty.  False: no memory; there may be some. */
static bool make_blocks(struct ktap_env *env, const struct ktap_agg_shape *shape,
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
 * Adds up the shards of a snapshot, which nobody writes any more, and gives them
 * back: they are large, and a script may keep many snapshots.  Where there is no
 * memory for what they come to, it keeps them.
 */
static void fold_shards(struct ktap_env *env, struct ktap_agg *agg)
{
	u64 *buckets = kvcalloc(agg->shape.nbuckets ?: 1, sizeof(*buckets), KTAP_GFP);
	struct ktap_agg_block *blocks = NULL;

	if (!buckets)
		return;
	ktap_agg_read_buckets(env, agg, buckets);
	if (make_blocks(env, &agg->shape, buckets, &blocks)) {
		ktap_agg_read(env, agg, &agg->total);
		agg->blocks = blocks;
		free_shards(env, agg);
	} else {
		free_blocks(env, blocks);
	}
	kvfree(buckets);
}

int ktap_agg_snapshot(struct ktap_vm *vm, struct ktap_agg *agg, struct ktap_value *v)
{
	struct ktap_agg *new;
	int err;

	*v = KTAP_VALUE_NIL;
	err = ktap_object_make_room(vm);
	if (err)
		return err;
	new = make_like(vm, agg);
	/* Shards of snapshots that nothing keeps any more may be in the way. */
	if (!new && ktap_objects_sweep(vm))
		new = make_like(vm, agg);
	if (!new)
		return ktap_vm_error(vm, -ENOMEM, "no memory for a snapshot");
	ktap_object_give(vm, &new->object, v);
	if (!take_all(agg, new))
		return ktap_vm_error(vm, -EBUSY, "a snapshot inside of a lock");
	if (new->shards || new->keyed)
		synchronize_rcu();
	atomic_set(&new->epoch, atomic_read(&agg->epoch));
	if (new->shards)
		fold_shards(vm->env, new);
	return 0;
}

/* By key */

struct ktap_table *ktap_agg_keyed(const struct ktap_agg *agg)
{
	/* Pairs with the cmpxchg() that has put it there: its address depends on it. */
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
	ktap_table_free(vm->env, made);
	return old;
}

/* The instructions */

int ktap_op_aggregate(struct ktap_vm *vm, const struct ktap_value *agg,
		      const struct ktap_value *v)
{
	int err;

	if (unlikely(ktap_is_lost(agg)))
		return ktap_op_drop(vm);
	if (unlikely(agg->tag != KTAP_AGG))
		return ktap_vm_error(vm, -EINVAL, "'<<<' on %s: only an aggregation takes values",
				     ktap_type_name(agg));
	if (likely(v->tag == KTAP_INT)) {
		ktap_agg_add(vm, ktap_agg_of(agg), v->i);
		return 0;
	}
	err = ktap_want_addend(vm, v);
	if (!err)
		ktap_agg_add(vm, ktap_agg_of(agg), 0);
	return err;
}

int ktap_op_taggregate(struct ktap_vm *vm, const struct ktap_value *base,
		       struct ktap_value *key, const struct ktap_value *v)
{
	const struct ktap_agg_shape *shape = &ktap_agg_stats;
	struct ktap_table *t;
	struct ktap_agg *agg;
	int err;

	if (unlikely(ktap_is_lost(base)))
		return ktap_op_drop(vm);
	if (!ktap_is_object(base))
		return ktap_vm_error(vm, -EINVAL, "%s is indexed, only a table can be",
				     ktap_type_name(base));
	err = ktap_op_check_key(vm, key);
	if (!err)
		err = ktap_want_addend(vm, v);
	if (err)
		return err;

	t = ktap_table_of(base);
	if (base->tag == KTAP_AGG) {
		shape = ktap_agg_shape(ktap_agg_of(base));
		t = ktap_agg_make_keyed(vm, ktap_agg_of(base));
		if (!t)
			return 0;
	}
	err = ktap_table_agg(vm, t, key, shape, &agg);
	/* It stays, though nothing keeps it in the table: see object.c. */
	if (!err && agg)
		ktap_agg_add(vm, agg, v->tag == KTAP_INT ? v->i : 0);
	return err;
}
