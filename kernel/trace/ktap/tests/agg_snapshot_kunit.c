// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots of tables and aggregations.
 */
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/processor.h>
#include <linux/string.h>

#include "data/agg_priv.h"
#include "data/object.h"
#include "data/table.h"
#include "tests/agg_fixture.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/global.h"

/* In a separate register. */
static struct ktap_value snapshot(struct kunit *test, struct ktap_vm *vm, struct ktap_value of)
{
	struct ktap_value *r = &vm->stack[vm->top++];

	*r = of;
	KUNIT_ASSERT_EQ(test, 0, ktap_fn_snapshot(vm, r, 1));
	KUNIT_ASSERT_EQ(test, r->tag, of.tag);
	KUNIT_ASSERT_PTR_NE(test, r->object, of.object);
	return *r;
}

/* An aggregation with per-CPU shards, or with a lock. */
static struct ktap_agg *agg_of_level(struct kunit *test, struct ktap_vm *vm, enum ktap_level level,
				     const struct ktap_agg_shape *shape)
{
	struct ktap_agg *agg;

	vm->level = level;
	agg = test_agg(test, vm, shape);
	vm->level = PROCESS;
	KUNIT_ASSERT_EQ(test, !agg->shards, level == EVENT);
	return agg;
}

static u64 bucket_at(struct kunit *test, struct ktap_vm *vm, const struct ktap_agg *agg, s64 n)
{
	const struct ktap_agg_shape *shape = ktap_agg_shape(agg);
	u64 *buckets = kunit_kzalloc(test, shape->nbuckets * sizeof(*buckets), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, buckets);
	KUNIT_EXPECT_EQ(test, 0, ktap_agg_read_buckets(vm, agg, buckets));
	return buckets[ktap_agg_bucket(shape, n)];
}

static void a_snapshot_takes_all_numbers(struct kunit *test)
{
	static const enum ktap_level levels[] = { EVENT, PROCESS };
	struct ktap_agg_shape shape = test_hist(test, 2);
	struct ktap_vm *vm;
	struct ktap_agg *agg, *all, *rest;
	int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		vm = test_vm_at_work(test, PROCESS);
		agg = agg_of_level(test, vm, levels[i], &shape);
		agg->object.divisor = 7;
		ktap_agg_add(vm, agg, 5);
		ktap_agg_add(vm, agg, -500);
		all = snapshot(test, vm, test_agg_value(agg)).agg;
		test_expect_total(test, vm, all, 2, -495, -500, 5);
		test_expect_total(test, vm, agg, 0, 0, 0, 0);
		KUNIT_EXPECT_EQ(test, 1, bucket_at(test, vm, all, -500));
		KUNIT_EXPECT_EQ(test, 0, bucket_at(test, vm, agg, -500));
		KUNIT_EXPECT_EQ(test, 0, memcmp(ktap_agg_shape(all), &shape, sizeof(shape)));
		KUNIT_EXPECT_EQ(test, 7, all->object.divisor);
		KUNIT_EXPECT_EQ(test, 7, agg->object.divisor);
		/* Later numbers are not in it. */
		ktap_agg_add(vm, agg, 6);
		test_expect_total(test, vm, all, 2, -495, -500, 5);
		test_expect_total(test, vm, agg, 1, 6, 6, 6);
		rest = snapshot(test, vm, test_agg_value(agg)).agg;
		test_expect_total(test, vm, rest, 1, 6, 6, 6);
		/* The first number is the least and the largest one. */
		rest = snapshot(test, vm, test_agg_value(agg)).agg;
		test_expect_total(test, vm, rest, 0, 0, 0, 0);
		ktap_agg_add(vm, rest, -3);
		test_expect_total(test, vm, rest, 1, -3, -3, -3);
		ktap_agg_add(vm, agg, 3);
		test_expect_total(test, vm, agg, 1, 3, 3, 3);
		/* A snapshot is an ordinary aggregation. */
		ktap_agg_add(vm, all, 1000);
		test_expect_total(test, vm, all, 3, 505, -500, 1000);
		ktap_objects_end_run(vm);
		KUNIT_EXPECT_EQ(test, vm->env->heap.outside, 0);
	}
}

static void reading_buckets_is_charged_and_ends_with_the_session(struct kunit *test)
{
	static const enum ktap_level levels[] = { EVENT, PROCESS };
	struct ktap_agg_shape shape = test_hist(test, KTAP_AGG_MAX_BITS);
	u64 *buckets = kunit_kzalloc(test, shape.nbuckets * sizeof(*buckets), GFP_KERNEL);
	struct ktap_agg *agg;
	struct ktap_vm *vm;
	bool abort = true;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, buckets);
	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		vm = test_vm_at_work(test, PROCESS);
		agg = agg_of_level(test, vm, levels[i], &shape);
		ktap_agg_add(vm, agg, S64_MAX);
		vm->budget = shape.nbuckets / KTAP_AGG_PIECE;
		vm->abort = &abort;
		KUNIT_EXPECT_EQ(test, -EINTR, ktap_agg_read_buckets(vm, agg, buckets));
		vm->error = 0;
		/* only shards are read for a snapshot */
		vm->budget = 0;
		vm->stack[vm->top] = test_agg_value(agg);
		KUNIT_EXPECT_EQ(test, agg->shards ? -EINTR : 0,
				ktap_fn_snapshot(vm, &vm->stack[vm->top], 1));
		vm->error = 0;
		vm->abort = NULL;
		ktap_objects_end_run(vm);
	}
}

/* A clear does not empty shards: it starts an epoch, which the snapshot must copy. */
static void cleared_numbers_are_not_in_a_snapshot(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_agg *agg = test_agg(test, vm, &ktap_agg_hist), *all;
	int i;

	for (i = 1; i <= 3; i++) {
		ktap_agg_add(vm, agg, 5);
		/* This shard has no number of the new epoch. */
		vm->level = KTAP_LEVEL_NMI;
		ktap_agg_add(vm, agg, 50);
		ktap_agg_clear(vm, agg);
		vm->level = PROCESS;
		ktap_agg_add(vm, agg, i);
		all = snapshot(test, vm, test_agg_value(agg)).agg;
		test_expect_total(test, vm, all, 1, i, i, i);
		KUNIT_EXPECT_EQ(test, 0, bucket_at(test, vm, all, 50));
		ktap_agg_clear(vm, agg);
		test_expect_total(test, vm, all, 1, i, i, i);
		ktap_agg_add(vm, agg, 4);
		test_expect_total(test, vm, agg, 1, 4, 4, 4);
		ktap_agg_clear(vm, all);
		test_expect_total(test, vm, all, 0, 0, 0, 0);
		test_expect_total(test, vm, agg, 1, 4, 4, 4);
	}
	ktap_objects_end_run(vm);
}

static void a_snapshot_takes_the_keys_too(struct kunit *test)
{
	static const enum ktap_level levels[] = { EVENT, PROCESS };
	struct ktap_agg *agg, *all;
	struct ktap_vm *vm;
	int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		vm = test_vm_at_work(test, PROCESS);
		agg = agg_of_level(test, vm, levels[i], &ktap_agg_hist);
		ktap_agg_add(vm, agg, 1);
		test_put(vm, test_agg_value(agg), 10, 100);
		test_put(vm, test_agg_value(agg), 20, 200);
		all = snapshot(test, vm, test_agg_value(agg)).agg;
		KUNIT_ASSERT_NOT_NULL(test, ktap_agg_keyed(all));
		KUNIT_EXPECT_EQ(test, 2, ktap_table_len(ktap_agg_keyed(all)));
		KUNIT_EXPECT_EQ(test, 0, ktap_table_len(ktap_agg_keyed(agg)));
		test_expect_total(test, vm, test_get(vm, ktap_agg_keyed(all), 20).agg, 1, 200, 200,
				  200);
		test_put(vm, test_agg_value(agg), 20, 5);
		test_expect_total(test, vm, test_get(vm, ktap_agg_keyed(all), 20).agg, 1, 200, 200,
				  200);
		test_expect_total(test, vm, test_get(vm, ktap_agg_keyed(agg), 20).agg, 1, 5, 5, 5);
		test_expect_total(test, vm, all, 1, 1, 1, 1);
		ktap_objects_end_run(vm);
	}
}

static void a_snapshot_of_a_table_takes_its_entries(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_value t = test_table_value(test_table(test, vm, 3)), all;
	struct ktap_value k = KTAP_VALUE_INT(1), v = KTAP_VALUE_INT(10);

	t.object->divisor = 7;
	ktap_table_set(vm, t.table, &k, &v);
	test_put(vm, t, 2, 20);
	all = snapshot(test, vm, t);
	KUNIT_EXPECT_EQ(test, 2, ktap_table_len(all.table));
	KUNIT_EXPECT_EQ(test, 0, ktap_table_len(t.table));
	KUNIT_EXPECT_EQ(test, 3, ktap_table_max(all.table));
	KUNIT_EXPECT_EQ(test, 7, all.object->divisor);
	KUNIT_EXPECT_EQ(test, 7, t.object->divisor);
	ktap_table_add(vm, t.table, &k, &v);
	ktap_table_add(vm, t.table, &k, &v);
	KUNIT_EXPECT_EQ(test, 10, test_get(vm, all.table, 1).i);
	KUNIT_EXPECT_EQ(test, 20, test_get(vm, t.table, 1).i);
	test_expect_total(test, vm, test_get(vm, all.table, 2).agg, 1, 20, 20, 20);
	KUNIT_EXPECT_EQ(test, KTAP_NIL, test_get(vm, t.table, 2).tag);
	ktap_objects_end_run(vm);
}

/* Without memory: an error, and nothing changes. */
static void a_snapshot_without_memory_takes_nothing(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_table *t = test_table(test, vm, 0);
	struct ktap_value k = KTAP_VALUE_INT(1), of[] = {
		test_agg_value(agg_of_level(test, vm, EVENT, &ktap_agg_stats)),
		test_agg_value(agg_of_level(test, vm, PROCESS, &ktap_agg_stats)),
		test_table_value(t),
	};
	struct ktap_value *r = vm->stack;
	int i;

	for (i = 0; i < 2; i++) {
		ktap_agg_add(vm, of[i].agg, 5);
		test_put(vm, of[i], 1, 5);
	}
	ktap_table_add(vm, t, &k, &k);
	vm->env->heap.max = vm->env->heap.bytes;
	while (ktap_heap_alloc(&vm->env->heap, 16))
		;
	for (i = 0; i < ARRAY_SIZE(of); i++) {
		r[0] = of[i];
		KUNIT_EXPECT_EQ(test, -ENOMEM, ktap_fn_snapshot(vm, r, 1));
		KUNIT_EXPECT_STREQ(test, vm->message, "no memory for a snapshot");
		vm->error = 0;
		KUNIT_EXPECT_EQ(test, 1, ktap_table_len(ktap_value_table(&of[i])));
		if (i < 2)
			test_expect_total(test, vm, of[i].agg, 1, 5, 5, 5);
	}
	ktap_objects_end_run(vm);
}

/* Shards use at most a quarter of the memory: unused snapshots are freed to make room. */
static void unused_snapshots_are_freed_to_make_room(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_agg_shape shape = test_hist(test, KTAP_AGG_MAX_BITS);
	struct ktap_agg *agg = agg_of_level(test, vm, PROCESS, &shape);
	size_t one = vm->env->heap.outside;
	struct ktap_value *r = vm->stack;
	u64 all = 0;
	int i;

	for (i = 0; i < 2 * vm->env->heap.max / 4 / one; i++) {
		ktap_agg_add(vm, agg, i);
		r[0] = test_agg_value(agg);
		KUNIT_ASSERT_EQ(test, 0, ktap_fn_snapshot(vm, r, 1));
		ktap_fn_count_of(vm, r, 1);
		all += r[0].i;
	}
	KUNIT_EXPECT_EQ(test, all, i);
	ktap_objects_end_run(vm);
}

/* Two sets of shards fit, but any number of snapshots can be kept. */
static void shards_of_snapshots_are_freed(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_agg_shape shape = test_hist(test, KTAP_AGG_MAX_BITS);
	struct ktap_agg *agg = agg_of_level(test, vm, PROCESS, &shape);
	size_t one = vm->env->heap.outside;
	struct ktap_value *r = vm->stack;
	int i;

	vm->env->heap.max = max(4 * (2 * one + one / 2), vm->env->heap.bytes + one);
	for (i = 0; i < 4; i++) {
		ktap_agg_add(vm, agg, 1000 * i);
		ktap_agg_add(vm, agg, -1000 * i);
		r[i] = test_agg_value(agg);
		KUNIT_ASSERT_EQ(test, 0, ktap_fn_snapshot(vm, &r[i], 1));
		KUNIT_EXPECT_EQ(test, vm->env->heap.outside, one);
	}
	for (i = 0; i < 4; i++) {
		test_expect_total(test, vm, r[i].agg, 2, 0, -1000 * i, 1000 * i);
		r[4] = r[i];
		r[5] = KTAP_VALUE_INT(50);
		KUNIT_ASSERT_EQ(test, 0, ktap_fn_quantile(vm, &r[4], 2));
		KUNIT_EXPECT_GE(test, r[4].i, -1000 * i);
		KUNIT_EXPECT_LE(test, r[4].i, -1000 * i + 32);
	}
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
	ktap_objects_end_run(vm);
}

/* Return the count of @agg and of its keys. */
static u64 numbers_in(struct ktap_vm *vm, struct ktap_value v)
{
	struct ktap_value last = KTAP_VALUE_NIL, key, value;
	struct ktap_table *t = ktap_value_table(&v);
	struct ktap_total total = { };
	struct ktap_iter it = { };
	u64 n;

	if (v.tag == KTAP_AGG)
		ktap_agg_read(vm->env, v.agg, &total);
	n = total.count;
	while (t && ktap_table_next(vm, t, &it, &last, &key, &value) > 0) {
		ktap_agg_read(vm->env, value.agg, &total);
		n += total.count;
		last = key;
	}
	return n;
}

/* Each number is in exactly one snapshot, and no snapshot changes later. */
static void expect_each_once(struct kunit *test, struct ktap_vm *vm, struct ktap_value v)
{
	struct test_writer *writers;
	u32 top = vm->top;
	u64 n, all = 0;
	bool done;

	ktap_global_set(vm, 0, &v);
	writers = test_start_writers(test, vm->env, v, 1024);
	do {
		done = test_writers_done(writers);
		vm->top = top;
		n = numbers_in(vm, snapshot(test, vm, v));
		cond_resched();
		KUNIT_EXPECT_EQ(test, n, numbers_in(vm, vm->stack[top]));
		all += n;
		/* The aggregation is unreachable now; @v is not. */
		ktap_objects_end_run(vm);
	} while (!done);
	test_stop_writers(writers);
	KUNIT_EXPECT_EQ(test, all, TEST_ALL_NUMBERS);
	KUNIT_EXPECT_EQ(test, numbers_in(vm, v), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.no_memory), 0);
	KUNIT_EXPECT_EQ(test, atomic_long_read(&vm->env->counters.nmi_busy), 0);
}

static void snapshots_while_shards_are_written(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_value v = test_agg_value(agg_of_level(test, vm, PROCESS, &ktap_agg_hist));

	expect_each_once(test, vm, v);
}

static void snapshots_while_one_aggregation_is_written(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_value v = test_agg_value(agg_of_level(test, vm, EVENT, &ktap_agg_hist));

	expect_each_once(test, vm, v);
}

static void snapshots_while_keys_are_written(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_value v = test_table_value(test_table(test, vm, 0));

	expect_each_once(test, vm, v);
}

static void snapshots_while_steady_tables_are_written(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);
	struct ktap_value v;

	vm->env->steady = IS_ENABLED(CONFIG_64BIT);
	v = test_table_value(test_table(test, vm, 0));
	expect_each_once(test, vm, v);
	v = test_agg_value(agg_of_level(test, vm, EVENT, &ktap_agg_hist));
	expect_each_once(test, vm, v);
}

/* A handler that is slow between the lookup of its key and the update. */
struct slow_writer {
	struct ktap_vm vm;
	struct ktap_table *t;
	bool found;
};

#define SLOW	200000	/* turns */

static int write_slowly(void *data)
{
	struct ktap_value key = KTAP_VALUE_INT(1);
	struct slow_writer *w = data;
	struct ktap_agg *agg;
	int i;

	preempt_disable();
	ktap_agg_in_table(&w->vm, w->t, &key, &ktap_agg_stats, &agg);
	WRITE_ONCE(w->found, true);
	for (i = 0; i < SLOW; i++)
		cpu_relax();
	ktap_agg_add(&w->vm, agg, 1);
	preempt_enable();
	while (!kthread_should_stop())
		cond_resched();
	return 0;
}

static void expect_waiting(struct kunit *test, struct ktap_vm *vm, struct ktap_value v)
{
	struct slow_writer *w = kunit_kzalloc(test, sizeof(*w), GFP_KERNEL);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, w);
	test_put(vm, v, 1, 1);
	w->vm.env = vm->env;
	w->vm.level = EVENT;
	w->vm.budget = U64_MAX;
	w->t = ktap_value_table(&v);
	task = kthread_run(write_slowly, w, "ktap-test");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	while (!READ_ONCE(w->found))
		cond_resched();
	KUNIT_EXPECT_EQ(test, numbers_in(vm, snapshot(test, vm, v)), 2);
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, numbers_in(vm, v), 0);
}

static void a_snapshot_waits_for_writers(struct kunit *test)
{
	struct ktap_vm *vm = test_vm_at_work(test, PROCESS);

	expect_waiting(test, vm, test_table_value(test_table(test, vm, 0)));
	expect_waiting(test, vm, test_agg_value(test_agg(test, vm, &ktap_agg_stats)));
	ktap_objects_end_run(vm);
}

static struct kunit_case agg_snapshot_cases[] = {
	KUNIT_CASE(a_snapshot_takes_all_numbers),
	KUNIT_CASE(reading_buckets_is_charged_and_ends_with_the_session),
	KUNIT_CASE(cleared_numbers_are_not_in_a_snapshot),
	KUNIT_CASE(a_snapshot_takes_the_keys_too),
	KUNIT_CASE(a_snapshot_of_a_table_takes_its_entries),
	KUNIT_CASE(a_snapshot_without_memory_takes_nothing),
	KUNIT_CASE(unused_snapshots_are_freed_to_make_room),
	KUNIT_CASE(shards_of_snapshots_are_freed),
	KUNIT_CASE(snapshots_while_shards_are_written),
	KUNIT_CASE(snapshots_while_one_aggregation_is_written),
	KUNIT_CASE(snapshots_while_keys_are_written),
	KUNIT_CASE(snapshots_while_steady_tables_are_written),
	KUNIT_CASE(a_snapshot_waits_for_writers),
	{}
};

static struct kunit_suite agg_snapshot_suite = {
	.name = "ktap_agg_snapshot",
	.test_cases = agg_snapshot_cases,
};

kunit_test_suite(agg_snapshot_suite);
