/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Aggregations and tables for the KUnit tests.
 */
#ifndef _KTAP_TESTS_AGG_FIXTURE_H
#define _KTAP_TESTS_AGG_FIXTURE_H

#include <linux/sched.h>

#include "data/agg.h"
#include "tests/build.h"
#include "vm/vm.h"

#define EVENT	KTAP_LEVEL_TASK
#define PROCESS	KTAP_LEVEL_PROCESS

/* In a separate register. */
struct ktap_agg *test_agg(struct kunit *test, struct ktap_vm *vm,
			  const struct ktap_agg_shape *shape);

/* The shape of an lhist, of a hist. */
struct ktap_agg_shape test_lhist(struct kunit *test, s64 min, s64 max, s64 step);
struct ktap_agg_shape test_hist(struct kunit *test, s64 bits);

static inline struct ktap_value test_agg_value(struct ktap_agg *agg)
{
	return (struct ktap_value){ .agg = agg, .tag = KTAP_AGG };
}

static inline struct ktap_value test_table_value(struct ktap_table *t)
{
	return (struct ktap_value){ .table = t, .tag = KTAP_TABLE };
}

/* base[key] <<< n */
int test_put(struct ktap_vm *vm, struct ktap_value base, s64 key, s64 n);
/* The value of a key of the table, which is in register 7 afterwards. */
struct ktap_value test_get(struct ktap_vm *vm, struct ktap_table *t, s64 key);

void test_expect_total(struct kunit *test, struct ktap_vm *vm, const struct ktap_agg *agg,
		       u64 count, s64 sum, s64 min, s64 max);

/* Threads, on separate CPUs if possible, that write like handlers. */

#define TEST_WRITERS		3
#define TEST_NUMBERS		10000	/* that each of them writes */
#define TEST_ALL_NUMBERS	(TEST_WRITERS * TEST_NUMBERS)

struct test_writer {
	struct ktap_vm vm;
	struct ktap_value to;
	s64 spread;
	struct task_struct *task;
	bool done;
};

/*
 * Number i is 1 + (i % 100) * @spread.  To a table they write it under key i % 100;
 * or to an aggregation.
 */
struct test_writer *test_start_writers(struct kunit *test, struct ktap_env *env,
				       struct ktap_value to, s64 spread);
bool test_writers_done(const struct test_writer *writers);
void test_stop_writers(struct test_writer *writers);

#endif /* _KTAP_TESTS_AGG_FIXTURE_H */
