// SPDX-License-Identifier: GPL-2.0
/*
 * Aggregations.
 */
#include <linux/cpumask.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/agg.h"
#include "data/agg_priv.h"
#include "data/object.h"
#include "data/table.h"
#include "tests/agg_fixture.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/global.h"
#include "vm/ops.h"

static void expect_sum(struct kunit *test, struct ktap_vm *vm, const struct ktap_agg *agg,
		       const char *want)
{
	struct ktap_total total;
	char buf[KTAP_WIDE_TEXT];

	ktap_agg_read(vm->env, agg, &total);
	KUNIT_EXPECT_STREQ(test, ktap_int128_text(total.sum, buf), want);
}

static void all_kinds_keep_the_totals(struct kunit *test)
{
	static const enum ktap_level levels[] = { EVENT, PROCESS };
	struct ktap_agg_shape shapes[4] = { ktap_agg_count, ktap_agg_stats, ktap_agg_hist };
	struct ktap_agg *agg;
	struct ktap_vm *vm;
	int i, j;

	shapes[3] = test_lhist(test, 0, 10, 1);
	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		vm = test_vm_at_work(test, levels[i]);
		for (j = 0; j < ARRAY_SIZE(shapes); j++) {
			agg = test_agg(test, vm, &shapes[j]);
			test_expect_total(test, vm, agg, 0, 0, 0, 0);
			ktap_agg_add(vm, agg, 20);
			test_expect_total(test, vm, agg, 1, 20, 20, 20);
			ktap_agg_add(vm, agg, -5);
			ktap_agg_add(vm, agg, 0);
			test_expect_total(test, vm, agg, 3, 15, -5, 20);
		}
		ktap_objects_end_run(vm);
	}
}

static void sums_have_128_bits(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_stats);
	struct ktap_value *r = vm->stack;
	int i;

	for (i = 0; i < 1000; i++)
		ktap_agg_add(vm, agg, S64_MAX);
	expect_sum(test, vm, agg, "9223372036854775807000");
	r[0] = test_agg_value(agg);
	KUNIT_EXPECT_EQ(test, -EOVERFLOW, ktap_fn_sum(vm, r, 1));
	KUNIT_EXPECT_STREQ(test, vm->message, "the sum does not fit into 64 bits");
	vm->error = 0;
	r[0] = test_agg_value(agg);
	KUNIT_EXPECT_EQ(test, 0, ktap_fn_avg(vm, r, 1));
	KUNIT_EXPECT_EQ(test, r[0].i, S64_MAX);

	for (i = 0; i < 2000; i++)
		ktap_agg_add(vm, agg, S64_MIN);
	expect_sum(test, vm, agg, "-9223372036854775809000");
	for (i = 0; i < 1000; i++)
		ktap_agg_add(vm, agg, S64_MAX);
	expect_sum(test, vm, agg, "-2000");
	r[0] = test_agg_value(agg);
	KUNIT_EXPECT_EQ(test, 0, ktap_fn_sum(vm, r, 1));
	KUNIT_EXPECT_EQ(test, r[0].i, -2000);
}

/* Each number is in one bucket: the last one whose row does not exceed it. */
static void expect_bucket(struct kunit *test, struct ktap_vm *vm,
			  const struct ktap_agg_shape *shape, s64 n, u32 want)
{
	struct ktap_agg *agg = test_agg(test, vm, shape);
	u64 *buckets = kunit_kzalloc(test, shape->nbuckets * sizeof(*buckets), GFP_KERNEL);
	u32 i;

	KUNIT_ASSERT_NOT_NULL(test, buckets);
	ktap_agg_add(vm, agg, n);
	KUNIT_EXPECT_EQ(test, 0, ktap_agg_read_buckets(vm, agg, buckets));
	for (i = 0; i < shape->nbuckets; i++)
		KUNIT_EXPECT_EQ_MSG(test, buckets[i], i == want, "%lld in bucket %u", n, i);
	vm->top--;
}

/* Return the index of row @row, which must exist once. */
static u32 row_of(struct kunit *test, const struct ktap_agg_shape *shape, s64 row)
{
	u32 i, first = shape->kind == KTAP_AGG_LHIST, found = 0, where = 0;

	for (i = first; i < shape->nbuckets - first; i++) {
		if (ktap_agg_row(shape, i) == row) {
			found++;
			where = i;
		}
	}
	KUNIT_EXPECT_EQ_MSG(test, found, 1, "row %lld", row);
	return where;
}

static void a_hist_has_rows_of_powers_of_two(struct kunit *test)
{
	static const struct {
		s64 n;
		s64 row;
	} cases[] = {
		{ 0, 0 }, { 1, 1 }, { 2, 2 }, { 3, 2 }, { 4, 4 }, { 7, 4 }, { 8, 8 },
		{ 1023, 512 }, { 1024, 1024 }, { S64_MAX, 1LL << 62 }, { 1LL << 62, 1LL << 62 },
		{ (1LL << 62) - 1, 1LL << 61 },
		{ -1, -1 }, { -2, -2 }, { -3, -2 }, { -4, -4 }, { -7, -4 }, { -8, -8 },
		{ S64_MIN, S64_MIN }, { S64_MIN + 1, -(1LL << 62) },
	};
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++)
		expect_bucket(test, vm, &ktap_agg_hist, cases[i].n,
			      row_of(test, &ktap_agg_hist, cases[i].row));
	/* In order. */
	for (i = 1; i < ktap_agg_hist.nbuckets; i++)
		KUNIT_EXPECT_LT(test, ktap_agg_row(&ktap_agg_hist, i - 1),
				ktap_agg_row(&ktap_agg_hist, i));
}

static void an_lhist_has_rows_of_equal_steps(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_agg_shape shape;

	/* The last step is shorter: < 0, 0, 3, 6, 9, >= 10. */
	shape = test_lhist(test, 0, 10, 3);
	KUNIT_EXPECT_EQ(test, shape.nbuckets, 6);
	expect_bucket(test, vm, &shape, -1, 0);
	expect_bucket(test, vm, &shape, S64_MIN, 0);
	expect_bucket(test, vm, &shape, 0, row_of(test, &shape, 0));
	expect_bucket(test, vm, &shape, 2, row_of(test, &shape, 0));
	expect_bucket(test, vm, &shape, 3, row_of(test, &shape, 3));
	expect_bucket(test, vm, &shape, 9, row_of(test, &shape, 9));
	expect_bucket(test, vm, &shape, 10, 5);
	expect_bucket(test, vm, &shape, S64_MAX, 5);

	shape = test_lhist(test, -5, 5, 5);
	KUNIT_EXPECT_EQ(test, shape.nbuckets, 4);
	expect_bucket(test, vm, &shape, -6, 0);
	expect_bucket(test, vm, &shape, -5, row_of(test, &shape, -5));
	expect_bucket(test, vm, &shape, -1, row_of(test, &shape, -5));
	expect_bucket(test, vm, &shape, 0, row_of(test, &shape, 0));
	expect_bucket(test, vm, &shape, 4, row_of(test, &shape, 0));
	expect_bucket(test, vm, &shape, 5, 3);

	/* Up to the limits of integers. */
	shape = test_lhist(test, S64_MIN, S64_MAX, S64_MAX);
	KUNIT_EXPECT_EQ(test, shape.nbuckets, 5);
	expect_bucket(test, vm, &shape, S64_MIN, row_of(test, &shape, S64_MIN));
	expect_bucket(test, vm, &shape, -2, row_of(test, &shape, S64_MIN));
	expect_bucket(test, vm, &shape, -1, row_of(test, &shape, -1));
	expect_bucket(test, vm, &shape, S64_MAX - 2, row_of(test, &shape, -1));
	expect_bucket(test, vm, &shape, S64_MAX - 1, row_of(test, &shape, S64_MAX - 1));
	expect_bucket(test, vm, &shape, S64_MAX, 4);
	ktap_objects_end_run(vm);
}

static void an_lhist_has_limits(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value *r = vm->stack;
	struct ktap_agg_shape shape;

	KUNIT_EXPECT_STREQ(test, ktap_agg_lhist(&shape, 0, 10, 0), "the step must be positive");
	KUNIT_EXPECT_STREQ(test, ktap_agg_lhist(&shape, 0, 10, -1), "the step must be positive");
	KUNIT_EXPECT_STREQ(test, ktap_agg_lhist(&shape, 10, 10, 1),
			   "the maximum must be larger than the minimum");
	KUNIT_EXPECT_NULL(test, ktap_agg_lhist(&shape, 0, 1000, 1));
	KUNIT_EXPECT_STREQ(test, ktap_agg_lhist(&shape, 0, 1001, 1), "more than 1000 steps");
	KUNIT_EXPECT_STREQ(test, ktap_agg_lhist(&shape, S64_MIN, S64_MAX, 1),
			   "more than 1000 steps");

	r[0] = KTAP_VALUE_INT(0);
	r[1] = KTAP_VALUE_INT(5000);
	r[2] = KTAP_VALUE_INT(1);
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_fn_new_lhist(vm, r, 3));
	KUNIT_EXPECT_STREQ(test, vm->message, "lhist(0, 5000, 1): more than 1000 steps");
	vm->error = 0;
	r[0] = KTAP_VALUE_INT(0);
	r[1] = KTAP_VALUE_INT(5000);
	r[2] = KTAP_VALUE_INT(5);
	KUNIT_EXPECT_EQ(test, 0, ktap_fn_new_lhist(vm, r, 3));
	KUNIT_EXPECT_EQ(test, r[0].tag, KTAP_AGG);
}

/* In process context, shards are per-CPU, up to a quarter of the session's memory. */
static void per_cpu_memory_is_charged_to_the_session(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_heap *heap = &vm->env->heap;
	struct ktap_agg *agg = NULL;
	size_t one;
	int i, n;

	test_agg(test, vm, &ktap_agg_hist);
	KUNIT_EXPECT_EQ(test, heap->outside, 0);
	ktap_objects_end_run(vm);

	vm->level = PROCESS;
	test_agg(test, vm, &ktap_agg_hist);
	one = heap->outside;
	KUNIT_EXPECT_GT(test, one, 2 * ktap_agg_hist.nbuckets * sizeof(u64));
	n = heap->max / 4 / one;
	for (i = 1; i < n + 10; i++) {
		agg = test_agg(test, vm, &ktap_agg_hist);
		ktap_agg_add(vm, agg, i);
		test_expect_total(test, vm, agg, 1, i, i, i);
	}
	KUNIT_EXPECT_EQ(test, heap->outside, n * one);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
	ktap_objects_end_run(vm);
	KUNIT_EXPECT_EQ(test, heap->outside, 0);
}

/* The environment frees the rest; the leak check covers this. */
static void per_cpu_memory_is_freed_with_the_session(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_value *r = vm->stack;

	KUNIT_ASSERT_EQ(test, 0, ktap_agg_new(vm, &ktap_agg_hist, &r[0]));
	ktap_global_set(vm, 0, &r[0]);
	ktap_objects_end_run(vm);
	KUNIT_EXPECT_GT(test, vm->env->heap.outside, 0);
}

static void an_nmi_adds_to_a_shard_of_its_own(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_stats);
	struct ktap_lock lock;
	unsigned long flags;

	ktap_agg_add(vm, agg, 1);
	vm->level = KTAP_LEVEL_NMI;
	ktap_lock_init(&lock);
	KUNIT_ASSERT_TRUE(test, ktap_lock(&lock, &flags));
	ktap_agg_add(vm, agg, 10);
	ktap_unlock(&lock, flags);
	vm->level = EVENT;
	ktap_agg_add(vm, agg, 100);
	test_expect_total(test, vm, agg, 3, 111, 1, 100);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.nmi_busy), 0);
	vm->level = PROCESS;
	ktap_objects_end_run(vm);
}

/* An aggregation with a lock drops it. */
static void interrupting_a_lock_holder_gives_up(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_stats);
	struct ktap_total total;
	struct ktap_lock lock;
	unsigned long flags;
	int err;

	ktap_agg_add(vm, agg, 1);
	ktap_lock_init(&lock);
	KUNIT_ASSERT_TRUE(test, ktap_lock(&lock, &flags));
	ktap_agg_add(vm, agg, 10);
	ktap_agg_clear(vm, agg);
	err = test_put(vm, test_agg_value(agg), 1, 1);
	/* Reading still works. */
	ktap_agg_read(vm->env, agg, &total);
	ktap_unlock(&lock, flags);
	KUNIT_EXPECT_EQ(test, err, 0);
	KUNIT_EXPECT_EQ(test, total.count, 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.nmi_busy), 3);
	/* The table of keys could not be allocated. */
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 1);
	test_expect_total(test, vm, agg, 1, 1, 1, 1);
}

/* As if this CPU was interrupted during an update; for all CPUs, since the test may migrate. */
static void write_half(struct ktap_agg *agg, int step)
{
	int cpu;

	for_each_possible_cpu(cpu)
		per_cpu_ptr(agg->shards, cpu)->seq += step;
}

static void an_add_that_interrupts_another_is_dropped_and_counted(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_stats);

	ktap_agg_add(vm, agg, 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.nmi_busy), 0);
	write_half(agg, 1);
	ktap_agg_add(vm, agg, 10);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.nmi_busy), 1);
	/* An NMI has a shard of its own. */
	vm->level = KTAP_LEVEL_NMI;
	ktap_agg_add(vm, agg, 100);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.nmi_busy), 1);
	/* A reader does not wait forever. */
	test_expect_total(test, vm, agg, 2, 101, 1, 100);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.nmi_busy), 2);
	vm->level = PROCESS;
	write_half(agg, -1);
	ktap_agg_add(vm, agg, 1000);
	test_expect_total(test, vm, agg, 3, 1101, 1, 1000);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.nmi_busy), 2);
	ktap_objects_end_run(vm);
}

/* A single shard allocates memory for the powers of two that it has seen. */
static void rows_are_allocated_at_first_use(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg_shape shape = test_hist(test, KTAP_AGG_MAX_BITS);
	struct ktap_agg *agg = test_agg(test, vm, &shape);
	size_t empty = vm->env->heap.available, one;
	int i;

	ktap_agg_add(vm, agg, 1000);
	one = empty - vm->env->heap.available;
	KUNIT_EXPECT_GE(test, one, sizeof(struct ktap_agg_block));
	KUNIT_EXPECT_LE(test, one, 2 * sizeof(struct ktap_agg_block));
	for (i = 512; i < 1024; i++)
		ktap_agg_add(vm, agg, i);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, empty - one);
	ktap_agg_add(vm, agg, 2000);
	ktap_agg_add(vm, agg, S64_MIN);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, empty - 3 * one);
	test_expect_total(test, vm, agg, 515, S64_MIN + 1000 + 2000 + 1535 * 256, S64_MIN, 2000);
	ktap_agg_clear(vm, agg);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, empty);
}

/* Dropped from the totals, too: they must agree with the rows. */
static void a_number_without_memory_for_its_row_is_dropped(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_hist);

	ktap_agg_add(vm, agg, 5);
	while (ktap_heap_alloc(&vm->env->heap, 16))
		;
	ktap_agg_add(vm, agg, -500000);
	test_expect_total(test, vm, agg, 1, 5, 5, 5);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 1);
	ktap_agg_add(vm, agg, 9);
	test_expect_total(test, vm, agg, 2, 14, 5, 9);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 1);
}

/*
 * A run in process context that lacks memory frees objects that no slot and no register
 * holds, but not the aggregation for which it needs the memory: that was just removed
 * from its table.
 */
static void allocating_a_row_does_not_free_its_aggregation(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_hist), *inner;
	struct ktap_value k = KTAP_VALUE_INT(1), nil = KTAP_VALUE_NIL;
	size_t left;

	test_put(vm, test_agg_value(agg), 1, 5);
	inner = test_get(vm, ktap_agg_keyed(agg), 1).agg;
	vm->stack[7] = KTAP_VALUE_NIL;
	ktap_table_set(vm, ktap_agg_keyed(agg), &k, &nil);
	vm->env->heap.max = vm->env->heap.bytes;
	while (ktap_heap_alloc(&vm->env->heap, 16))
		;
	left = vm->env->heap.available;
	ktap_agg_add(vm, inner, 1 << 20);
	test_expect_total(test, vm, inner, 1, 5, 5, 5);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 1);
	/* Now it is freed. */
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, left);
	ktap_objects_end_run(vm);
	KUNIT_EXPECT_GT(test, vm->env->heap.available, left);
}

/* Updates of all CPUs are summed up. */
static void shards_are_merged(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_hist);
	u64 *buckets = kunit_kzalloc(test, ktap_agg_hist.nbuckets * sizeof(u64), GFP_KERNEL);
	struct ktap_shard *shard = NULL;
	struct ktap_total total;
	int cpu, n = 0;

	KUNIT_ASSERT_NOT_NULL(test, buckets);
	for_each_possible_cpu(cpu) {
		shard = per_cpu_ptr(agg->shards, cpu);
		shard->total = (struct ktap_total){
			.count = 2, .sum = ktap_int128(S64_MAX), .min = -n, .max = n,
		};
		shard->buckets[row_of(test, &ktap_agg_hist, 8)] = 2;
		n++;
	}
	/* A shard of another epoch does not count. */
	shard->epoch = 1;
	n--;
	KUNIT_EXPECT_EQ(test, 0, ktap_agg_read_buckets(vm, agg, buckets));
	KUNIT_EXPECT_EQ(test, buckets[row_of(test, &ktap_agg_hist, 8)], 2 * n);
	ktap_agg_read(vm->env, agg, &total);
	KUNIT_EXPECT_EQ(test, total.count, 2 * n);
	KUNIT_EXPECT_EQ(test, total.min, n ? 1 - n : 0);
	KUNIT_EXPECT_EQ(test, total.max, n ? n - 1 : 0);
	KUNIT_EXPECT_EQ(test, ktap_int128_compare(ktap_int128_div(total.sum, n ?: 1),
						  ktap_int128(n ? S64_MAX : 0)), 0);
	/* A torn copy of the first number has no minimum and no maximum yet. */
	shard->total = KTAP_NO_TOTAL;
	shard->total.count = 1;
	shard->epoch = 0;
	ktap_agg_read(vm->env, agg, &total);
	KUNIT_EXPECT_EQ(test, total.count, 2 * n);
	KUNIT_EXPECT_EQ(test, total.min, n ? 1 - n : 0);
	ktap_objects_end_run(vm);
}

static void clear_resets_all_totals(struct kunit *test)
{
	static const enum ktap_level levels[] = { EVENT, PROCESS };
	struct ktap_agg *agg;
	struct ktap_vm *vm;
	u64 *buckets;
	int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		vm = test_vm_at_work(test, levels[i]);
		agg = test_agg(test, vm, &ktap_agg_hist);
		ktap_agg_add(vm, agg, 5);
		ktap_agg_add(vm, agg, 500);
		KUNIT_EXPECT_EQ(test, 0, test_put(vm, test_agg_value(agg), 1, 5));
		KUNIT_EXPECT_EQ(test, ktap_table_len(ktap_agg_keyed(agg)), 1);
		ktap_agg_clear(vm, agg);
		KUNIT_EXPECT_EQ(test, ktap_table_len(ktap_agg_keyed(agg)), 0);
		test_expect_total(test, vm, agg, 0, 0, 0, 0);
		ktap_agg_add(vm, agg, 5);
		test_expect_total(test, vm, agg, 1, 5, 5, 5);

		buckets = kunit_kzalloc(test, ktap_agg_hist.nbuckets * sizeof(u64), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, buckets);
		KUNIT_EXPECT_EQ(test, 0, ktap_agg_read_buckets(vm, agg, buckets));
		KUNIT_EXPECT_EQ(test, buckets[row_of(test, &ktap_agg_hist, 4)], 1);
		KUNIT_EXPECT_EQ(test, buckets[row_of(test, &ktap_agg_hist, 256)], 0);
		ktap_objects_end_run(vm);
	}
}

static void a_table_keeps_stats_by_key(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 2);
	struct ktap_value text = KTAP_VALUE_STR("x", 1), k = KTAP_VALUE_INT(1);

	KUNIT_EXPECT_EQ(test, 0, test_put(vm, test_table_value(t), 1, 10));
	KUNIT_EXPECT_EQ(test, 0, test_put(vm, test_table_value(t), 1, 20));
	KUNIT_EXPECT_EQ(test, 0, test_put(vm, test_table_value(t), 2, 5));
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 2);
	test_expect_total(test, vm, test_get(vm, t, 1).agg, 2, 30, 10, 20);
	KUNIT_EXPECT_EQ(test, ktap_agg_shape(test_get(vm, t, 1).agg)->kind, KTAP_AGG_STATS);
	/* A full table. */
	KUNIT_EXPECT_EQ(test, 0, test_put(vm, test_table_value(t), 3, 5));
	KUNIT_EXPECT_EQ(test, test_get(vm, t, 3).tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.full_table), 1);
	/* An entry of another type. */
	ktap_table_set(vm, t, &k, &text);
	KUNIT_EXPECT_EQ(test, -EINVAL, test_put(vm, test_table_value(t), 1, 10));
	KUNIT_EXPECT_STREQ(test, vm->message,
			   "'<<<' on a string: only an aggregation takes values");
}

static void a_table_adds_to_the_aggregation_that_was_stored(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_hist);
	struct ktap_value v = test_agg_value(agg), k = KTAP_VALUE_INT(1), other = KTAP_VALUE_INT(2);

	/* Two entries share it, as they could share a table. */
	ktap_table_set(vm, t, &k, &v);
	ktap_table_set(vm, t, &other, &v);
	KUNIT_EXPECT_EQ(test, 0, test_put(vm, test_table_value(t), 1, 10));
	KUNIT_EXPECT_EQ(test, 0, test_put(vm, test_table_value(t), 2, 20));
	test_expect_total(test, vm, agg, 2, 30, 10, 20);
	v = test_get(vm, t, 2);
	KUNIT_EXPECT_PTR_EQ(test, v.agg, agg);
}

static void keyed_aggregations_have_the_shape_of_their_parent(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_agg_shape shape;
	struct ktap_agg *agg;
	struct ktap_value v;

	shape = test_lhist(test, 0, 100, 10);
	agg = test_agg(test, vm, &shape);
	KUNIT_EXPECT_NULL(test, ktap_agg_keyed(agg));
	KUNIT_EXPECT_EQ(test, 0, test_put(vm, test_agg_value(agg), 7, 42));
	KUNIT_EXPECT_EQ(test, 0, test_put(vm, test_agg_value(agg), 8, 43));
	KUNIT_EXPECT_EQ(test, ktap_table_len(ktap_agg_keyed(agg)), 2);
	v = test_get(vm, ktap_agg_keyed(agg), 7);
	KUNIT_ASSERT_EQ(test, v.tag, KTAP_AGG);
	KUNIT_EXPECT_EQ(test, 0, memcmp(ktap_agg_shape(v.agg), &shape, sizeof(shape)));
	test_expect_total(test, vm, v.agg, 1, 42, 42, 42);
	/* Its own totals are separate. */
	test_expect_total(test, vm, agg, 0, 0, 0, 0);
	ktap_objects_end_run(vm);
}

static void adds_without_memory_are_counted(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_stats);
	struct ktap_value *r = vm->stack;

	while (ktap_heap_alloc(&vm->env->heap, 16))
		;
	KUNIT_EXPECT_EQ(test, 0, test_put(vm, test_table_value(t), 1, 10));
	KUNIT_EXPECT_EQ(test, test_get(vm, t, 1).tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, 0, test_put(vm, test_agg_value(agg), 1, 10));
	KUNIT_EXPECT_NULL(test, ktap_agg_keyed(agg));
	KUNIT_EXPECT_EQ(test, 0, ktap_fn_new_hist(vm, r, 0));
	KUNIT_EXPECT_EQ(test, r[0].tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 3);
}

static void an_aggregation_is_neither_a_number_nor_a_key(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value x = test_agg_value(test_agg(test, vm, &ktap_agg_stats));
	struct ktap_value y = test_agg_value(test_agg(test, vm, &ktap_agg_stats));
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_value k = KTAP_VALUE_INT(1), v = test_table_value(t);

	KUNIT_EXPECT_TRUE(test, ktap_equal(&x, &x));
	KUNIT_EXPECT_FALSE(test, ktap_equal(&x, &y));
	KUNIT_EXPECT_TRUE(test, ktap_is_true(&x));
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_op_check_key(vm, &x));
	KUNIT_EXPECT_STREQ(test, vm->message, "an aggregation cannot be a table key");
	vm->error = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_table_add(vm, t, &k, &x));
	KUNIT_EXPECT_STREQ(test, vm->message, "arithmetic on an aggregation");
	vm->error = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_op_aggregate(vm, &x, &y));
	KUNIT_EXPECT_STREQ(test, vm->message, "arithmetic on an aggregation");
	vm->error = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_op_aggregate(vm, &v, &k));
	KUNIT_EXPECT_STREQ(test, vm->message, "'<<<' on a table: only an aggregation takes values");
	vm->error = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_op_set(vm, &x, &k, &k));
	KUNIT_EXPECT_STREQ(test, vm->message, "only '<<<' writes to a key of an aggregation");
	vm->error = 0;
	KUNIT_EXPECT_EQ(test, -EINVAL, ktap_op_add(vm, &x, &k, &k));
	vm->error = 0;
	/* Nil counts as 0. */
	v = KTAP_VALUE_NIL;
	KUNIT_EXPECT_EQ(test, 0, ktap_op_aggregate(vm, &x, &v));
	test_expect_total(test, vm, x.agg, 1, 0, 0, 0);
}

/* A string, and the number that its address is */
static void keys_of_other_types_are_apart(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_stats);
	struct ktap_value key = KTAP_VALUE_STR("text", 4);
	int i;

	for (i = 0; i < 3; i++) {
		test_put(vm, test_agg_value(agg), key.i, 100);
		KUNIT_EXPECT_EQ(test, 0, ktap_agg_add_keyed(vm, agg, &key, 5));
	}
	ktap_table_get(vm, ktap_agg_keyed(agg), &key, &vm->stack[6]);
	KUNIT_ASSERT_EQ(test, vm->stack[6].tag, KTAP_AGG);
	test_expect_total(test, vm, vm->stack[6].agg, 3, 15, 5, 5);
	test_expect_total(test, vm, test_get(vm, ktap_agg_keyed(agg), key.i).agg, 3, 300, 100, 100);
}

/* The largest cost of adding to @n blocks in turn: each time, all of them are visited. */
static u64 cost_of_blocks(struct kunit *test, u32 n)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg_shape shape = test_lhist(test, 0, 50 * KTAP_AGG_PIECE, 1);
	struct ktap_agg *agg = test_agg(test, vm, &shape);
	u64 left, cost, most = 0;
	u32 i;

	test_put(vm, test_agg_value(agg), 1, 1);
	agg = test_get(vm, ktap_agg_keyed(agg), 1).agg;
	for (i = 0; i < 3 * n; i++) {
		left = vm->budget;
		KUNIT_EXPECT_EQ(test, 0, ktap_agg_add(vm, agg, 1 + i % n * KTAP_AGG_PIECE));
		cost = left - vm->budget;
		if (i >= 2 * n && cost > most)
			most = cost;
	}
	KUNIT_EXPECT_FALSE(test, ktap_agg_is_sharded(agg));
	return most;
}

static void sixteen_blocks_of_buckets_cost_a_unit(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, cost_of_blocks(test, 15));
	KUNIT_EXPECT_EQ(test, 1, cost_of_blocks(test, 16));
	KUNIT_EXPECT_EQ(test, 1, cost_of_blocks(test, 31));
	KUNIT_EXPECT_EQ(test, 2, cost_of_blocks(test, 32));
}

/* a[1] <<< 10; a[2] <<< 20; for k, v in pairs(a): sum of keys and of sums; and more */
static void bytecode_iterates_over_the_keys(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_value *r = vm->stack, nil = KTAP_VALUE_NIL;
	struct ktap_value one = KTAP_VALUE_INT(1);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_count);
	s64 keys = 0;
	int n;

	r[0] = test_agg_value(agg);
	/* Without keys, pairs() is empty. */
	KUNIT_EXPECT_EQ(test, 0, ktap_op_get(vm, &r[1], &r[0], &one));
	KUNIT_EXPECT_EQ(test, r[1].tag, KTAP_NIL);
	KUNIT_EXPECT_EQ(test, 0, ktap_op_has(vm, &r[1], &r[0], &one));
	KUNIT_EXPECT_EQ(test, r[1].i, false);
	KUNIT_EXPECT_EQ(test, 0, ktap_op_iter(vm, r));
	KUNIT_EXPECT_EQ(test, 0, ktap_op_next(vm, r));
	KUNIT_EXPECT_EQ(test, 0, ktap_op_set(vm, &r[0], &one, &nil));

	test_put(vm, r[0], 1, 10);
	test_put(vm, r[0], 2, 20);
	KUNIT_EXPECT_EQ(test, 0, ktap_op_has(vm, &r[1], &r[0], &one));
	KUNIT_EXPECT_EQ(test, r[1].i, true);
	KUNIT_EXPECT_EQ(test, 0, ktap_op_iter(vm, r));
	for (n = 0; ktap_op_next(vm, r) > 0 && n < 10; n++) {
		keys = keys * 10 + r[3].i;
		KUNIT_EXPECT_EQ(test, r[4].tag, KTAP_AGG);
		test_expect_total(test, vm, r[4].agg, 1, r[3].i * 10, r[3].i * 10, r[3].i * 10);
	}
	KUNIT_EXPECT_EQ(test, keys, 12);
	KUNIT_EXPECT_EQ(test, 0, ktap_op_set(vm, &r[0], &one, &nil));
	KUNIT_EXPECT_EQ(test, ktap_table_len(ktap_agg_keyed(agg)), 1);
}

/* a = stats(); a <<< 1 … 10, in a handler */
static void bytecode_adds_to_an_aggregation(struct kunit *test)
{
	struct test_chunk *c = test_chunk(test);
	struct ktap_value result;
	struct ktap_vm *vm;

	test_func(c, "main", 0, 3);
	test_insn(c, KTAP_OP_CALLB, 0, 0, 0, KTAP_FN_NEW_STATS);
	test_insn(c, KTAP_OP_INT, 1, 0, 0, 10);
	test_insn(c, KTAP_OP_AGG, 0, 0, 1, 0);
	test_insn(c, KTAP_OP_SUBI, 1, 1, 0, 1);
	test_insn(c, KTAP_OP_JGTI, 1, 0, 0, -3);
	test_insn(c, KTAP_OP_CALLB, 0, 1, 0, KTAP_FN_SUM);
	test_insn(c, KTAP_OP_RET, 0, 1, 0, 0);
	vm = test_vm(test, test_load(c), EVENT);
	KUNIT_EXPECT_EQ(test, 0, ktap_vm_run(vm, 0, NULL, 0, &result));
	KUNIT_EXPECT_EQ(test, result.i, 55);
}

static void shards_are_merged_while_written(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_hist);
	struct test_writer *writers = test_start_writers(test, vm->env, test_agg_value(agg), 0);
	struct ktap_total total;
	long torn = 0, busy;
	u64 last = 0;

	do {
		ktap_agg_read(vm->env, agg, &total);
		busy = atomic_long_read(&vm->env->counters.nmi_busy);
		/*
		 * Each reading is consistent, or was counted; and values never
		 * decrease.
		 */
		if (busy == torn)
			KUNIT_EXPECT_EQ(test, total.sum.lo, total.count);
		torn = busy;
		KUNIT_EXPECT_GE(test, total.count, last);
		last = total.count;
		cond_resched();
	} while (!test_writers_done(writers));
	test_stop_writers(writers);
	test_expect_total(test, vm, agg, TEST_ALL_NUMBERS, TEST_ALL_NUMBERS, 1, 1);
	ktap_objects_end_run(vm);
}

/* The first thread creates the entry; no update is lost. */
static void concurrent_adds_create_a_key_once(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 0);
	struct test_writer *writers;
	int i;

	writers = test_start_writers(test, vm->env, test_table_value(t), 0);
	while (!test_writers_done(writers))
		cond_resched();
	test_stop_writers(writers);
	KUNIT_EXPECT_EQ(test, ktap_table_len(t), 100);
	for (i = 0; i < 100; i++)
		test_expect_total(test, vm, test_get(vm, t, i).agg, TEST_ALL_NUMBERS / 100,
				  TEST_ALL_NUMBERS / 100, 1, 1);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
	ktap_objects_end_run(vm);
}

/* The first thread's block is used; no update and no memory is lost. */
static void concurrent_adds_create_a_row_once(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, EVENT);
	struct ktap_agg_shape shape = test_hist(test, KTAP_AGG_MAX_BITS);
	struct ktap_agg *agg = test_agg(test, vm, &shape);
	u64 *buckets = kunit_kzalloc(test, shape.nbuckets * sizeof(*buckets), GFP_KERNEL);
	size_t empty = vm->env->heap.available;
	struct test_writer *writers;
	s64 i;

	KUNIT_ASSERT_NOT_NULL(test, buckets);
	writers = test_start_writers(test, vm->env, test_agg_value(agg), 1 << 20);
	while (!test_writers_done(writers))
		cond_resched();
	test_stop_writers(writers);
	KUNIT_EXPECT_EQ(test, 0, ktap_agg_read_buckets(vm, agg, buckets));
	for (i = 0; i < 100; i++)
		buckets[ktap_agg_bucket(&shape, 1 + (i << 20))] -= TEST_ALL_NUMBERS / 100;
	for (i = 0; i < shape.nbuckets; i++)
		KUNIT_EXPECT_EQ_MSG(test, buckets[i], 0, "row %lld", ktap_agg_row(&shape, i));
	KUNIT_EXPECT_LT(test, vm->env->heap.available, empty);
	ktap_agg_clear(vm, agg);
	KUNIT_EXPECT_EQ(test, vm->env->heap.available, empty);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
}

static struct kunit_case agg_cases[] = {
	KUNIT_CASE(all_kinds_keep_the_totals),
	KUNIT_CASE(sums_have_128_bits),
	KUNIT_CASE(a_hist_has_rows_of_powers_of_two),
	KUNIT_CASE(an_lhist_has_rows_of_equal_steps),
	KUNIT_CASE(an_lhist_has_limits),
	KUNIT_CASE(per_cpu_memory_is_charged_to_the_session),
	KUNIT_CASE(per_cpu_memory_is_freed_with_the_session),
	KUNIT_CASE(an_nmi_adds_to_a_shard_of_its_own),
	KUNIT_CASE(interrupting_a_lock_holder_gives_up),
	KUNIT_CASE(an_add_that_interrupts_another_is_dropped_and_counted),
	KUNIT_CASE(rows_are_allocated_at_first_use),
	KUNIT_CASE(a_number_without_memory_for_its_row_is_dropped),
	KUNIT_CASE(allocating_a_row_does_not_free_its_aggregation),
	KUNIT_CASE(shards_are_merged),
	KUNIT_CASE(clear_resets_all_totals),
	KUNIT_CASE(a_table_keeps_stats_by_key),
	KUNIT_CASE(a_table_adds_to_the_aggregation_that_was_stored),
	KUNIT_CASE(keyed_aggregations_have_the_shape_of_their_parent),
	KUNIT_CASE(adds_without_memory_are_counted),
	KUNIT_CASE(an_aggregation_is_neither_a_number_nor_a_key),
	KUNIT_CASE(keys_of_other_types_are_apart),
	KUNIT_CASE(sixteen_blocks_of_buckets_cost_a_unit),
	KUNIT_CASE(bytecode_iterates_over_the_keys),
	KUNIT_CASE(bytecode_adds_to_an_aggregation),
	KUNIT_CASE(shards_are_merged_while_written),
	KUNIT_CASE(concurrent_adds_create_a_key_once),
	KUNIT_CASE(concurrent_adds_create_a_row_once),
	{}
};

static struct kunit_suite agg_suite = {
	.name = "ktap_agg",
	.test_cases = agg_cases,
};

kunit_test_suite(agg_suite);
