// SPDX-License-Identifier: GPL-2.0
/*
 * Aggregations, and threads that write to them, for the KUnit tests.
 */
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "tests/agg_fixture.h"
#include "vm/env.h"
#include "vm/ops.h"
#include "vm/vm.h"

struct ktap_agg *test_agg(struct kunit *test, struct ktap_vm *vm,
			  const struct ktap_agg_shape *shape)
{
	struct ktap_value *v = &vm->stack[vm->top++];

	KUNIT_ASSERT_EQ(test, 0, ktap_agg_new(vm, shape, v));
	KUNIT_ASSERT_EQ(test, v->tag, KTAP_AGG);
	return v->agg;
}

struct ktap_agg_shape test_lhist(struct kunit *test, s64 min, s64 max, s64 step)
{
	struct ktap_agg_shape shape;

	KUNIT_ASSERT_NULL(test, ktap_agg_lhist(&shape, min, max, step));
	return shape;
}

struct ktap_agg_shape test_hist(struct kunit *test, s64 bits)
{
	struct ktap_agg_shape shape;

	KUNIT_ASSERT_NULL(test, ktap_agg_log_linear(&shape, bits));
	return shape;
}

int test_put(struct ktap_vm *vm, struct ktap_value base, s64 key, s64 n)
{
	struct ktap_value k = KTAP_VALUE_INT(key), v = KTAP_VALUE_INT(n);

	return ktap_op_taggregate(vm, &base, &k, &v);
}

struct ktap_value test_get(struct ktap_vm *vm, struct ktap_table *t, s64 key)
{
	struct ktap_value k = KTAP_VALUE_INT(key);

	ktap_table_get(vm, t, &k, &vm->stack[7]);
	return vm->stack[7];
}

void test_expect_total(struct kunit *test, struct ktap_vm *vm, const struct ktap_agg *agg,
		       u64 count, s64 sum, s64 min, s64 max)
{
	struct ktap_total total;

	ktap_agg_read(vm->env, agg, &total);
	KUNIT_EXPECT_EQ(test, total.count, count);
	KUNIT_EXPECT_EQ(test, ktap_int128_compare(total.sum, ktap_int128(sum)), 0);
	KUNIT_EXPECT_EQ(test, total.min, min);
	KUNIT_EXPECT_EQ(test, total.max, max);
}

static int write_numbers(void *data)
{
	struct test_writer *w = data;
	s64 n;
	int i;

	for (i = 0; i < TEST_NUMBERS; i++) {
		n = 1 + (i % 100) * w->spread;
		/* Like handlers: a grace period waits for these threads. */
		preempt_disable();
		if (w->to.tag == KTAP_AGG)
			ktap_agg_add(&w->vm, w->to.agg, n);
		else
			test_put(&w->vm, w->to, i % 100, n);
		preempt_enable();
	}
	WRITE_ONCE(w->done, true);
	while (!kthread_should_stop())
		cond_resched();
	return 0;
}

struct test_writer *test_start_writers(struct kunit *test, struct ktap_env *env,
				       struct ktap_value to, s64 spread)
{
	struct test_writer *writers;
	int i;

	writers = kunit_kzalloc(test, TEST_WRITERS * sizeof(*writers), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, writers);
	for (i = 0; i < TEST_WRITERS; i++) {
		writers[i].vm.env = env;
		writers[i].vm.level = EVENT;
		writers[i].vm.budget = U64_MAX;
		writers[i].to = to;
		writers[i].spread = spread;
		writers[i].task = kthread_run(write_numbers, &writers[i], "ktap-test");
		KUNIT_ASSERT_FALSE(test, IS_ERR(writers[i].task));
	}
	return writers;
}

bool test_writers_done(const struct test_writer *writers)
{
	int i;

	for (i = 0; i < TEST_WRITERS; i++) {
		if (!READ_ONCE(writers[i].done))
			return false;
	}
	return true;
}

void test_stop_writers(struct test_writer *writers)
{
	int i;

	for (i = 0; i < TEST_WRITERS; i++)
		kthread_stop(writers[i].task);
}
