// SPDX-License-Identifier: GPL-2.0
/*
 * The heap of a session.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "data/heap.h"

static unsigned int low_calls;

static void count_low(struct ktap_heap *heap)
{
	low_calls++;
}

static void free_heap(void *heap)
{
	ktap_heap_destroy(heap);
}

static struct ktap_heap *test_heap(struct kunit *test, size_t max)
{
	struct ktap_heap *heap = kunit_kzalloc(test, sizeof(*heap), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, heap);
	low_calls = 0;
	ktap_heap_init(heap, max, count_low);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_heap, heap));
	return heap;
}

/* A block of the list; it starts with its size. */
struct block {
	struct block *next;
	size_t size;
};

/* Allocate blocks until this fails; return their bytes. */
static size_t exhaust(struct ktap_heap *heap, size_t size, struct block **list)
{
	struct block *b;
	size_t bytes = 0;

	while ((b = ktap_heap_alloc(heap, size))) {
		memset(b, 0x55, size);
		b->next = *list;
		b->size = size;
		*list = b;
		bytes += size;
	}
	return bytes;
}

static void free_all(struct ktap_heap *heap, struct block *list)
{
	struct block *next;

	for (; list; list = next) {
		next = list->next;
		ktap_heap_free(heap, list, list->size);
	}
}

static void nothing_is_allocated_at_first(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, 1 << 20);

	KUNIT_EXPECT_EQ(test, heap->bytes, 0);
	KUNIT_EXPECT_NULL(test, ktap_heap_alloc(heap, 16));
}

static void a_refill_doubles_up_to_the_limit(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, 7 * KTAP_HEAP_INITIAL / 2);
	struct block *list = NULL;

	KUNIT_EXPECT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_EQ(test, heap->bytes, KTAP_HEAP_INITIAL);
	/* There is enough memory: a refill does nothing. */
	KUNIT_EXPECT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_EQ(test, heap->bytes, KTAP_HEAP_INITIAL);
	exhaust(heap, 1024, &list);
	KUNIT_EXPECT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_EQ(test, heap->bytes, 2 * KTAP_HEAP_INITIAL);
	exhaust(heap, 1024, &list);
	KUNIT_EXPECT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_EQ(test, heap->bytes, 7 * KTAP_HEAP_INITIAL / 2);
	exhaust(heap, 1024, &list);
	KUNIT_EXPECT_EQ(test, -ENOSPC, ktap_heap_refill(heap));
}

static void a_small_limit_is_kept(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, 10000);

	KUNIT_EXPECT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_EQ(test, heap->bytes, 10000);
	KUNIT_EXPECT_NOT_NULL(test, ktap_heap_alloc(heap, 8192));
	KUNIT_EXPECT_NULL(test, ktap_heap_alloc(heap, 8192));
	heap = test_heap(test, 100);
	KUNIT_EXPECT_EQ(test, -ENOSPC, ktap_heap_refill(heap));
}

static void blocks_of_any_size_are_aligned_and_apart(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, 1 << 20);
	static u8 *blocks[2000];
	size_t size, i, n = 0;

	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	for (size = 0; n < ARRAY_SIZE(blocks); n++, size = size * 7 % 997 + 1) {
		blocks[n] = ktap_heap_alloc(heap, size);
		if (!blocks[n])
			break;
		KUNIT_EXPECT_EQ(test, (unsigned long)blocks[n] % 8, 0);
		memset(blocks[n], n, size);
	}
	KUNIT_EXPECT_GT(test, n, 800);
	for (i = 0, size = 0; i < n; i++, size = size * 7 % 997 + 1) {
		KUNIT_EXPECT_NULL(test, memchr_inv(blocks[i], (u8)i, size));
		ktap_heap_free(heap, blocks[i], size);
	}
}

static void too_large_allocations_fail(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, 1 << 20);

	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_NOT_NULL(test, ktap_heap_alloc(heap, KTAP_HEAP_MAX_ALLOC));
	KUNIT_EXPECT_NULL(test, ktap_heap_alloc(heap, KTAP_HEAP_MAX_ALLOC + 1));
	KUNIT_EXPECT_NULL(test, ktap_heap_alloc(heap, SIZE_MAX));
}

/* Whether they are cut from a segment, or from a free block of any size */
static void a_block_has_room_for_its_size(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, 8 * KTAP_HEAP_INITIAL);
	size_t size, available;
	void *p;

	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	for (size = 1; size <= KTAP_HEAP_MAX_ALLOC; size++) {
		available = heap->available;
		p = ktap_heap_alloc(heap, size);
		KUNIT_ASSERT_NOT_NULL(test, p);
		KUNIT_ASSERT_TRUE(test, available - heap->available >= size);
		ktap_heap_free(heap, p, size);
		KUNIT_EXPECT_EQ(test, heap->available, available);
	}
}

static void large_blocks_are_apart(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, KTAP_HEAP_INITIAL);
	u8 *blocks[10];
	int i;

	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	for (i = 0; i < ARRAY_SIZE(blocks); i++) {
		blocks[i] = ktap_heap_alloc(heap, KTAP_HEAP_MAX_ALLOC - i);
		KUNIT_ASSERT_NOT_NULL(test, blocks[i]);
		memset(blocks[i], i, KTAP_HEAP_MAX_ALLOC - i);
	}
	for (i = 0; i < ARRAY_SIZE(blocks); i++)
		KUNIT_EXPECT_NULL(test, memchr_inv(blocks[i], i, KTAP_HEAP_MAX_ALLOC - i));
}

static void freed_blocks_are_reused(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, KTAP_HEAP_INITIAL);
	struct block *list = NULL;
	size_t first, available;

	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	available = heap->available;
	first = exhaust(heap, 64, &list);
	KUNIT_EXPECT_GT(test, first, KTAP_HEAP_INITIAL * 95 / 100);
	free_all(heap, list);
	KUNIT_EXPECT_EQ(test, heap->available, available);
	list = NULL;
	KUNIT_EXPECT_EQ(test, first, exhaust(heap, 64, &list));
}

static void large_blocks_serve_small_requests(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, KTAP_HEAP_INITIAL);
	struct block *list = NULL;
	size_t large;

	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	large = exhaust(heap, 4096, &list);
	free_all(heap, list);
	list = NULL;
	KUNIT_EXPECT_GE(test, exhaust(heap, 112, &list), large * 9 / 10);
}

/* Allocate until ->low() is called; return what is left then, or 0 if it is not called. */
static size_t left_when_low(struct ktap_heap *heap)
{
	unsigned int calls = low_calls;

	while (ktap_heap_alloc(heap, 64)) {
		if (low_calls != calls)
			return heap->available;
	}
	return low_calls != calls ? heap->available : 0;
}

static void a_refill_is_due_at_a_quarter(struct kunit *test)
{
	/* Bytes of the heap, and what is free when the refill is due, plus one block */
	static const size_t levels[][2] = {
		{ KTAP_HEAP_INITIAL, KTAP_HEAP_LOW },
		{ 2 * KTAP_HEAP_INITIAL, KTAP_HEAP_LOW },
		{ 4 * KTAP_HEAP_INITIAL, KTAP_HEAP_INITIAL },
		{ 8 * KTAP_HEAP_INITIAL, 2 * KTAP_HEAP_INITIAL },
	};
	struct ktap_heap *heap = test_heap(test, 16 * KTAP_HEAP_INITIAL);
	int i;

	for (i = 0; i < ARRAY_SIZE(levels); i++) {
		KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
		KUNIT_EXPECT_FALSE(test, ktap_heap_is_low(heap));
		KUNIT_EXPECT_EQ(test, heap->bytes, levels[i][0]);
		KUNIT_EXPECT_EQ(test, left_when_low(heap), levels[i][1] - 64);
		KUNIT_EXPECT_TRUE(test, ktap_heap_is_low(heap));
	}
	/* The next refill reaches the limit: none is due after it. */
	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_EQ(test, heap->bytes, 16 * KTAP_HEAP_INITIAL);
	KUNIT_EXPECT_EQ(test, left_when_low(heap), 0);
}

static void a_refill_that_is_late_is_requested_again(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, 4 * KTAP_HEAP_INITIAL);
	size_t level = KTAP_HEAP_LOW, left;
	unsigned int i;
	void *p;

	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	for (i = 0; i < KTAP_HEAP_REQUESTS; i++) {
		left = left_when_low(heap);
		KUNIT_EXPECT_LT(test, left, level);
		KUNIT_EXPECT_GE(test, left, level - 64);
		level = left / 2;
		/* It is not requested again while memory comes and goes at this level. */
		p = ktap_heap_alloc(heap, 64);
		ktap_heap_free(heap, p, 64);
		KUNIT_EXPECT_EQ(test, low_calls, i + 1);
	}
	KUNIT_EXPECT_EQ(test, left_when_low(heap), 0);
	KUNIT_EXPECT_EQ(test, low_calls, KTAP_HEAP_REQUESTS);

	/* Once it is done, the next shortage is requested as often. */
	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_EQ(test, heap->bytes, 2 * KTAP_HEAP_INITIAL);
	KUNIT_EXPECT_EQ(test, left_when_low(heap), KTAP_HEAP_LOW - 64);
	while (left_when_low(heap))
		;
	KUNIT_EXPECT_EQ(test, low_calls, 2 * KTAP_HEAP_REQUESTS);
}

/* Several requests double the memory once. */
static void refills_share_a_goal(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, 32 * KTAP_HEAP_INITIAL);
	struct block *list = NULL;
	int i;

	while (heap->bytes < 8 * KTAP_HEAP_INITIAL) {
		exhaust(heap, 1024, &list);
		KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	}
	exhaust(heap, 1024, &list);
	for (i = 1; i <= 3; i++) {
		ktap_heap_refill_urgently(heap);
		KUNIT_EXPECT_EQ(test, heap->bytes, (8 + 2 * i) * KTAP_HEAP_INITIAL);
		KUNIT_EXPECT_TRUE(test, ktap_heap_is_low(heap));
	}
	KUNIT_EXPECT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_EQ(test, heap->bytes, 16 * KTAP_HEAP_INITIAL);
	KUNIT_EXPECT_FALSE(test, ktap_heap_is_low(heap));
	ktap_heap_refill_urgently(heap);
	KUNIT_EXPECT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_EQ(test, heap->bytes, 16 * KTAP_HEAP_INITIAL);
}

static void a_denied_refill_is_retried(struct kunit *test)
{
	/* For any time since then: jiffies are compared, and wrap. */
	static const unsigned long ago[] = { HZ, ~0UL / 2, ~0UL / 2 + 2, ~0UL - HZ };
	struct ktap_heap *heap;
	int i;

	for (i = 0; i < ARRAY_SIZE(ago); i++) {
		heap = test_heap(test, 1 << 20);
		heap->denied = true;
		heap->denied_at = jiffies - ago[i];
		KUNIT_EXPECT_EQ(test, 0, ktap_heap_refill(heap));
	}
}

static void an_allocation_inside_a_lock_fails(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, 1 << 20);
	struct ktap_lock lock;
	unsigned long flags;
	void *outer, *nested;

	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	ktap_lock_init(&lock);
	KUNIT_ASSERT_TRUE(test, ktap_lock(&lock, &flags));
	outer = ktap_heap_alloc(heap, 16);
	nested = ktap_heap_alloc_nested(heap, 16);
	ktap_unlock(&lock, flags);
	KUNIT_EXPECT_NULL(test, outer);
	KUNIT_EXPECT_NOT_NULL(test, nested);
}

static void memory_outside_the_heap_is_charged(struct kunit *test)
{
	const size_t max = 4 * KTAP_HEAP_INITIAL;
	struct ktap_heap *heap = test_heap(test, max);
	struct block *list = NULL;

	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_TRUE(test, ktap_heap_charge(heap, max / 4 - 1));
	KUNIT_EXPECT_FALSE(test, ktap_heap_charge(heap, 2));
	KUNIT_EXPECT_TRUE(test, ktap_heap_charge(heap, 1));
	KUNIT_EXPECT_EQ(test, heap->bytes, KTAP_HEAP_INITIAL + max / 4);
	/* The heap can use the rest. */
	do {
		exhaust(heap, 4096, &list);
	} while (!ktap_heap_refill(heap));
	KUNIT_EXPECT_EQ(test, heap->bytes, max);
	KUNIT_EXPECT_EQ(test, heap->outside, max / 4);
	ktap_heap_uncharge(heap, max / 4);
	KUNIT_EXPECT_EQ(test, heap->outside, 0);
	KUNIT_EXPECT_EQ(test, heap->bytes, max - max / 4);
	exhaust(heap, 4096, &list);
	KUNIT_EXPECT_EQ(test, 0, ktap_heap_refill(heap));
	/* At the limit, charging fails. */
	KUNIT_EXPECT_FALSE(test, ktap_heap_charge(heap, 1));
}

/* A refill that finds the limit used up by charges is requested again when there is room. */
static void a_refill_without_room_is_not_pending(struct kunit *test)
{
	const size_t max = 4 * KTAP_HEAP_INITIAL;
	struct ktap_heap *heap = test_heap(test, max);
	struct block *list = NULL;

	heap->goal = max - max / 4;
	KUNIT_ASSERT_EQ(test, 0, ktap_heap_refill(heap));
	exhaust(heap, 64, &list);
	KUNIT_EXPECT_TRUE(test, ktap_heap_is_low(heap));
	KUNIT_EXPECT_TRUE(test, ktap_heap_charge(heap, max / 4));
	KUNIT_EXPECT_EQ(test, -ENOSPC, ktap_heap_refill(heap));
	KUNIT_EXPECT_FALSE(test, ktap_heap_is_low(heap));
	ktap_heap_uncharge(heap, max / 4);
	exhaust(heap, 64, &list);
	KUNIT_EXPECT_TRUE(test, ktap_heap_is_low(heap));
	KUNIT_EXPECT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_EQ(test, heap->bytes, max);
}

/* A charge alone gives the heap no memory: the first refill is still needed. */
static void a_charge_does_not_replace_the_first_refill(struct kunit *test)
{
	struct ktap_heap *heap = test_heap(test, 4 * KTAP_HEAP_INITIAL);

	KUNIT_EXPECT_TRUE(test, ktap_heap_charge(heap, 1000));
	KUNIT_EXPECT_EQ(test, 0, ktap_heap_refill(heap));
	KUNIT_EXPECT_NOT_NULL(test, ktap_heap_alloc(heap, 16));
}

static struct kunit_case heap_cases[] = {
	KUNIT_CASE(nothing_is_allocated_at_first),
	KUNIT_CASE(a_refill_doubles_up_to_the_limit),
	KUNIT_CASE(a_small_limit_is_kept),
	KUNIT_CASE(blocks_of_any_size_are_aligned_and_apart),
	KUNIT_CASE(too_large_allocations_fail),
	KUNIT_CASE(a_block_has_room_for_its_size),
	KUNIT_CASE(large_blocks_are_apart),
	KUNIT_CASE(freed_blocks_are_reused),
	KUNIT_CASE(large_blocks_serve_small_requests),
	KUNIT_CASE(a_refill_is_due_at_a_quarter),
	KUNIT_CASE(a_refill_that_is_late_is_requested_again),
	KUNIT_CASE(refills_share_a_goal),
	KUNIT_CASE(a_denied_refill_is_retried),
	KUNIT_CASE(an_allocation_inside_a_lock_fails),
	KUNIT_CASE(memory_outside_the_heap_is_charged),
	KUNIT_CASE(a_refill_without_room_is_not_pending),
	KUNIT_CASE(a_charge_does_not_replace_the_first_refill),
	{}
};

static struct kunit_suite heap_suite = {
	.name = "ktap_heap",
	.test_cases = heap_cases,
};

kunit_test_suite(heap_suite);
