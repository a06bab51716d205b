// SPDX-License-Identifier: GPL-2.0
/*
 * Aggregations: count, stats, hist, lhist.
 */
#include <linux/bitops.h>
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/processor.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "agg.h"
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
 * One that was made by a handler has one shard, which lies behind it, and a lock
 * (see lock.h): nothing per CPU can be had there.  So has one for which the
 * session has no memory left to have a shard for each CPU.
 *
 * Readers merge the shards.  What they read of a shard hangs together: the writer
 * makes &ktap_shard.seq odd before and even behind what it writes, and the reader
 * tries again if it has changed meanwhile.  He does so a limited number of times,
 * since he may have interrupted the writer; then he takes what there is, and
 * counts that.
 *
 * Only the owner of a shard may write it, hence a clear changes nothing but
 * &ktap_agg.epoch: a shard of another epoch is empty to a reader, and its owner
 * empties it before he adds to it.
 *
 * What is kept by key is a table of aggregations of the same shape, all with one
 * shard.  It is made when the first key comes, and lives as long as the
 * aggregation.
 */

/* Tries of a reader to find a shard at rest. */
#define READ_TRIES	128

/* Rows of a hist: -2^63 to -1, 0, 1 to 2^62. */
#define HIST_ZERO	64
#define HIST_BUCKETS	128

const struct ktap_agg_shape ktap_agg_count = { .kind = KTAP_AGG_COUNT };
const struct ktap_agg_shape ktap_agg_stats = { .kind = KTAP_AGG_STATS };
const struct ktap_agg_shape ktap_agg_hist = {
	.kind = KTAP_AGG_HIST,
	.nbuckets = HIST_BUCKETS,
};

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

static u32 bucket_of(const struct ktap_agg_shape *shape, s64 n)
{
	if (shape->kind == KTAP_AGG_HIST) {
		if (n >= 0)
			return HIST_ZERO + fls64(n);
		return HIST_ZERO - fls64(-(u64)n);
	}
	if (n < shape->min)
		return 0;
	if (n >= shape->max)
		return shape->nbuckets - 1;
	return 1 + div64_u64((u64)n - (u64)shape->min, shape->step);
}

s64 ktap_agg_row(const struct ktap_agg_shape *shape, u32 bucket)
{
	if (shape->kind == KTAP_AGG_LHIST)
		return (u64)shape->min + (bucket - 1) * shape->step;
	if (bucket < HIST_ZERO)
		return -(1ULL << (HIST_ZERO - 1 - bucket));
	return bucket == HIST_ZERO ? 0 : 1ULL << (bucket - HIST_ZERO - 1);
}

static size_t shard_size(const struct ktap_agg_shape *shape)
{
	return sizeof(struct ktap_shard) + shape->nbuckets * sizeof(u64);
}

/* Of one with a single shard. */
static size_t agg_size(const struct ktap_agg_shape *shape)
{
	return sizeof(struct ktap_agg) + shard_size(shape);
}

static_assert(sizeof(struct ktap_agg) + sizeof(struct ktap_shard) +
	      (KTAP_AGG_MAX_STEPS + 2) * sizeof(u64) <= KTAP_HEAP_MAX_ALLOC);

/* Bytes of all shards of one that has them for each CPU. */
static size_t shards_size(const struct ktap_agg_shape *shape)
{
	return 2 * shard_size(shape) * num_possible_cpus();
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
	struct ktap_agg *agg = ktap_slot_alloc(vm, agg_size(shape));

	if (!agg)
		return NULL;
	init(agg, shape);
	agg->own = (void *)(agg + 1);
	memset(agg->own, 0, shard_size(shape));
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
	shards = __alloc_percpu_gfp(2 * shard_size(shape), __alignof__(u64),
				    GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!shards)
		goto uncharge;
	agg = ktap_slot_alloc(vm, sizeof(*agg));
	if (!agg)
		goto free;
	init(agg, shape);
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

	*v = KTAP_VALUE_NIL;
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

bool ktap_agg_free(struct ktap_env *env, struct ktap_agg *agg)
{
	if (agg->keyed) {
		if (!ktap_table_free(env, agg->keyed))
			return false;
		agg->keyed = NULL;
	}
	if (agg->own) {
		ktap_heap_free(&env->heap, agg, agg_size(&agg->shape));
		return true;
	}
	hlist_del(&agg->sharded);
	free_percpu(agg->shards);
	ktap_heap_uncharge(&env->heap, shards_size(&agg->shape));
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
	total->count++;
}

static void add_to_shard(const struct ktap_agg *agg, struct ktap_shard *shard, s64 n)
{
	add_number(&shard->total, n);
	if (agg->shape.nbuckets)
		shard->buckets[bucket_of(&agg->shape, n)]++;
}

static void empty_shard(const struct ktap_agg *agg, struct ktap_shard *shard)
{
	memset(&shard->total, 0, shard_size(&agg->shape) - offsetof(struct ktap_shard, total));
}

/* The shard that this CPU and level writes.  Interrupts are off. */
static struct ktap_shard *my_shard(const struct ktap_vm *vm, const struct ktap_agg *agg)
{
	void *both = this_cpu_ptr(agg->shards);

	return vm->level == KTAP_LEVEL_NMI ? both + shard_size(&agg->shape) : both;
}

/* False: this CPU was about to write the shard already. */
static bool write_shard(struct ktap_agg *agg, struct ktap_shard *shard, s64 n)
{
	u32 epoch = atomic_read(&agg->epoch), seq = shard->seq;

	if (unlikely(seq & 1))
		return false;
	WRITE_ONCE(shard->seq, seq + 1);
	smp_wmb();	/* A: who reads any of what follows finds @seq changed; pairs with B */
	if (unlikely(shard->epoch != epoch)) {
		empty_shard(agg, shard);
		shard->epoch = epoch;
	}
	add_to_shard(agg, shard, n);
	smp_wmb();	/* C: who finds @seq even reads all of it; pairs with D */
	WRITE_ONCE(shard->seq, seq + 2);
	return true;
}

static bool add_sharded(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	unsigned long flags;
	bool added;

	raw_local_irq_save(flags);
	added = write_shard(agg, my_shard(vm, agg), n);
	raw_local_irq_restore(flags);
	return added;
}

static bool add_locked(struct ktap_agg *agg, s64 n)
{
	unsigned long flags;

	if (!ktap_lock(&agg->lock, &flags))
		return false;
	add_to_shard(agg, agg->own, n);
	ktap_unlock(&agg->lock, flags);
	return true;
}

void ktap_agg_add(struct ktap_vm *vm, struct ktap_agg *agg, s64 n)
{
	if (unlikely(!(agg->own ? add_locked(agg, n) : add_sharded(vm, agg, n))))
		ktap_count_busy(vm->env);
}

static bool empty_locked(struct ktap_agg *agg)
{
	unsigned long flags;

	if (!ktap_lock(&agg->lock, &flags))
		return false;
	empty_shard(agg, agg->own);
	ktap_unlock(&agg->lock, flags);
	return true;
}

void ktap_agg_clear(struct ktap_vm *vm, struct ktap_agg *agg)
{
	struct ktap_table *keyed = ktap_agg_keyed(agg);

	if (keyed)
		ktap_table_clear(vm, keyed);
	if (!agg->own)
		atomic_inc(&agg->epoch);
	else if (!empty_locked(agg))
		ktap_count_busy(vm->env);
}

/* Reading */

/*
 * Copies a piece of a shard of this epoch, or zeroes.  False: it was written all
 * the time, and what was copied may not hang together.
 */
static bool copy_shard(const struct ktap_shard *shard, u32 epoch, void *to, const void *from,
		       size_t size)
{
	bool good = false;
	u32 seq, its = 0;
	int i;

	for (i = 0; i < READ_TRIES && !good; i++) {
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
	to->count += from->count;
}

/* A small piece at a time, so that it is soon found at rest. */
#define PIECE	16

/* What a reader adds up; one of both. */
struct reader {
	struct ktap_total *total;
	u64 *buckets;
};

static bool read_shard(const struct ktap_agg *agg, const struct ktap_shard *shard, u32 epoch,
		       const struct reader *to)
{
	struct ktap_total total;
	u64 piece[PIECE];
	bool good = true;
	u32 i, j, n;

	if (to->total) {
		good = copy_shard(shard, epoch, &total, &shard->total, sizeof(total));
		merge_total(to->total, &total);
		return good;
	}
	for (i = 0; i < agg->shape.nbuckets; i += n) {
		n = min_t(u32, PIECE, agg->shape.nbuckets - i);
		good &= copy_shard(shard, epoch, piece, &shard->buckets[i], n * sizeof(*piece));
		for (j = 0; j < n; j++)
			to->buckets[i + j] += piece[j];
	}
	return good;
}

static bool read_shards(const struct ktap_agg *agg, const struct reader *to)
{
	u32 epoch = atomic_read(&agg->epoch);
	bool good = true;
	int cpu;

	for_each_possible_cpu(cpu) {
		const void *both = per_cpu_ptr(agg->shards, cpu);

		good &= read_shard(agg, both, epoch, to);
		good &= read_shard(agg, both + shard_size(&agg->shape), epoch, to);
	}
	return good;
}

/* The single shard, whose lock makes it hang together, unless this CPU holds it. */
static bool read_own(struct ktap_agg *agg, const struct reader *to)
{
	unsigned long flags;
	bool locked;
	u32 i;

	locked = ktap_lock(&agg->lock, &flags);
	if (to->total)
		*to->total = agg->own->total;
	for (i = 0; to->buckets && i < agg->shape.nbuckets; i++)
		to->buckets[i] += agg->own->buckets[i];
	if (locked)
		ktap_unlock(&agg->lock, flags);
	return locked;
}

static void read_agg(struct ktap_env *env, const struct ktap_agg *agg, const struct reader *to)
{
	if (!(agg->own ? read_own((struct ktap_agg *)agg, to) : read_shards(agg, to)))
		ktap_count_busy(env);
}

void ktap_agg_read(struct ktap_env *env, const struct ktap_agg *agg, struct ktap_total *total)
{
	memset(total, 0, sizeof(*total));
	read_agg(env, agg, &(struct reader){ .total = total });
}

void ktap_agg_read_buckets(struct ktap_env *env, const struct ktap_agg *agg, u64 *buckets)
{
	read_agg(env, agg, &(struct reader){ .buckets = buckets });
}

u32 ktap_agg_cost(const struct ktap_agg *agg)
{
	return agg->own ? 0 : num_possible_cpus() / 4;
}

struct ktap_wide ktap_agg_number(const struct ktap_agg *agg, const struct ktap_total *total)
{
	if (agg->shape.kind == KTAP_AGG_COUNT)
		return (struct ktap_wide){ .lo = total->count };
	return total->sum;
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

	if (unlikely(agg->tag != KTAP_AGG))
		return ktap_vm_error(vm, -EINVAL, "'<<<' on %s: only an aggregation takes values",
				     ktap_type_name(agg));
	if (likely(v->tag == KTAP_INT)) {
		ktap_agg_add(vm, agg->agg, v->i);
		return 0;
	}
	err = ktap_want_addend(vm, v);
	if (!err)
		ktap_agg_add(vm, agg->agg, 0);
	return err;
}

int ktap_op_taggregate(struct ktap_vm *vm, const struct ktap_value *base,
		       struct ktap_value *key, const struct ktap_value *v)
{
	const struct ktap_agg_shape *shape = &ktap_agg_stats;
	struct ktap_table *t;
	struct ktap_agg *agg;
	int err;

	if (!ktap_is_object(base))
		return ktap_vm_error(vm, -EINVAL, "%s is indexed, only a table can be",
				     ktap_type_name(base));
	err = ktap_op_check_key(vm, key);
	if (!err)
		err = ktap_want_addend(vm, v);
	if (err)
		return err;

	t = base->table;
	if (base->tag == KTAP_AGG) {
		shape = &base->agg->shape;
		t = ktap_agg_make_keyed(vm, base->agg);
		if (!t)
			return 0;
	}
	err = ktap_table_agg(vm, t, key, shape, &agg);
	/* It stays, though nothing keeps it in the table: see object.c. */
	if (!err && agg)
		ktap_agg_add(vm, agg, v->tag == KTAP_INT ? v->i : 0);
	return err;
}
