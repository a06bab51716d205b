// SPDX-License-Identifier: GPL-2.0
/*
 * Numbers of events by CPU, around the greatest value of a long.
 */
#include <linux/cpumask.h>
#include <linux/limits.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

#include <kunit/test.h>

#include "tests/build.h"
#include "vm/tally.h"

static struct ktap_tally __percpu *counted;

static void free_counted(void *unused)
{
	free_percpu(counted);
}

static void begin(struct kunit *test)
{
	counted = alloc_percpu_gfp(struct ktap_tally, GFP_KERNEL);
	KUNIT_ASSERT_TRUE(test, !!counted);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_counted, NULL));
}

static u64 total(void)
{
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += ktap_tally_read(per_cpu_ptr(counted, cpu));
	return sum;
}

static void events_are_counted(struct kunit *test)
{
	unsigned int i;

	begin(test);
	for (i = 0; i < 3; i++)
		ktap_tally_inc(counted);
	ktap_tally_add(counted, 4);
	KUNIT_EXPECT_EQ(test, total(), 7);
}

/* A machine whose longs have 32 bits gets there within hours. */
static void a_tally_goes_on_after_32_bits(struct kunit *test)
{
	begin(test);
	ktap_tally_add(counted, U32_MAX - 1);
	KUNIT_EXPECT_EQ(test, total(), U32_MAX - 1);
	/* on one CPU, so that it is this one whose number gets that large */
	preempt_disable();
	ktap_tally_inc(counted);
	ktap_tally_inc(counted);
	ktap_tally_inc(counted);
	preempt_enable();
	KUNIT_EXPECT_EQ(test, total(), U32_MAX + 2ULL);
}

static void what_is_added_may_have_more_than_32_bits(struct kunit *test)
{
	begin(test);
	ktap_tally_add(counted, U32_MAX);
	ktap_tally_add(counted, 1);
	KUNIT_EXPECT_EQ(test, total(), 1ULL << 32);
	ktap_tally_add(counted, (5ULL << 32) + 3);
	KUNIT_EXPECT_EQ(test, total(), (6ULL << 32) + 3);
}

static struct kunit_case tally_cases[] = {
	KUNIT_CASE(events_are_counted),
	KUNIT_CASE(a_tally_goes_on_after_32_bits),
	KUNIT_CASE(what_is_added_may_have_more_than_32_bits),
	{ }
};

static struct kunit_suite tally_suite = {
	.name = "ktap_tally",
	.test_cases = tally_cases,
};

kunit_test_suite(tally_suite);
