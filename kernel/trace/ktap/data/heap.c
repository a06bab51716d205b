// SPDX-License-Identifier: GPL-2.0
/*
 * The memory of one session, which can be allocated from in any context.
 *
 * Blocks have one of a few sizes.  A block comes from the free list of its class,
 * is cut from the segment in use, or else from a larger free block.  Blocks are
 * never merged.  Every step is bounded.
 */
#include <linux/align.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/heap.h"

/* Free blocks are linked through themselves. */
struct ktap_heap_block {
	struct ktap_heap_block *next;
};

/**
 * struct ktap_heap_segment - a piece of memory
 * @next: next segment; unused segments directly follow &ktap_heap.spare
 * @size: bytes of @data
 * @used: bytes of @data already cut into blocks
 * @data: the blocks
 */
struct ktap_heap_segment {
	struct ktap_heap_segment *next;
	u32 size;
	u32 used;
	u8 data[] __aligned(16);
};

#define SEGMENT_MIN	4096U

/* An urgent refill delays the tasks of its CPU. */
#define URGENT_SEGMENTS	16

/* Jiffies without a retry after a refusal: a failing kvmalloc() takes long. */
#define RETRY_AFTER	(HZ / 10)

DEFINE_PER_CPU(struct ktap_inside, ktap_inside);

/* Multiples of 16, so that the remainder of a cut can be split into classes. */
static const u16 class_sizes[KTAP_HEAP_CLASSES] = {
	16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256,
	320, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192, 12288, 16384,
};

static_assert(KTAP_HEAP_MAX_ALLOC == 16384);

/* Nearly all blocks are small.  Up to SMALL_BLOCK the classes are 16 bytes apart. */
#define SMALL_BLOCK	128

static unsigned int heap_class_of(size_t size)
{
	unsigned int lo = SMALL_BLOCK / 16, hi = KTAP_HEAP_CLASSES - 1;

	if (likely(size <= SMALL_BLOCK))
		return size ? (size - 1) / 16 : 0;
	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (class_sizes[mid] < size)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void heap_put_block(struct ktap_heap *heap, unsigned int class, void *p)
{
	struct ktap_heap_block *block = p;

	block->next = heap->free[class];
	heap->free[class] = block;
}

/* Split a piece into free blocks, the largest first. */
static void heap_put_rest(struct ktap_heap *heap, void *p, size_t size)
{
	int class = KTAP_HEAP_CLASSES - 1;

	while (size >= class_sizes[0]) {
		while (class_sizes[class] > size)
			class--;
		heap_put_block(heap, class, p);
		p += class_sizes[class];
		size -= class_sizes[class];
	}
}

static void *heap_cut_segment(struct ktap_heap *heap, size_t size)
{
	struct ktap_heap_segment *seg;
	void *p;

	while (heap->spare) {
		seg = heap->spare;
		if (size <= seg->size - seg->used) {
			p = seg->data + seg->used;
			seg->used += size;
			return p;
		}
		heap_put_rest(heap, seg->data + seg->used, seg->size - seg->used);
		seg->used = seg->size;
		heap->spare = seg->next;
		if (heap->spare && heap->spare->used == heap->spare->size)
			heap->spare = NULL;
	}
	return NULL;
}

static void *heap_pop_block(struct ktap_heap *heap, unsigned int class)
{
	struct ktap_heap_block *block = heap->free[class];

	if (block)
		heap->free[class] = block->next;
	return block;
}

static void *heap_cut_larger(struct ktap_heap *heap, unsigned int class)
{
	unsigned int c;
	void *p;

	for (c = class + 1; c < KTAP_HEAP_CLASSES; c++) {
		p = heap_pop_block(heap, c);
		if (!p)
			continue;
		heap_put_rest(heap, p + class_sizes[class], class_sizes[c] - class_sizes[class]);
		return p;
	}
	return NULL;
}

static bool heap_may_retry(const struct ktap_heap *heap)
{
	/* Compare the distance, not the times: on 32-bit machines jiffies wrap. */
	return !READ_ONCE(heap->denied) || jiffies - READ_ONCE(heap->denied_at) >= RETRY_AFTER;
}

/* Bytes of all segments */
static size_t heap_size(const struct ktap_heap *heap)
{
	return heap->bytes - heap->outside;
}

static bool heap_has_room(const struct ktap_heap *heap)
{
	return READ_ONCE(heap->bytes) + SEGMENT_MIN <= heap->max;
}

/* No refill is due: the next one is requested when a quarter is left. */
static void heap_reset_requests(struct ktap_heap *heap)
{
	WRITE_ONCE(heap->asked, 0);
	heap->ask_below = max_t(size_t, heap_size(heap) / 4, KTAP_HEAP_LOW);
}

/*
 * Little is left, or an allocation has failed: may the caller ask for a refill?  The
 * first request sets the goal.  Each further one needs half of what the previous one
 * found: its CPU may not have run since, and this one may be another.
 */
static bool heap_ask(struct ktap_heap *heap)
{
	size_t size = heap_size(heap);

	if (heap->asked == KTAP_HEAP_REQUESTS ||
	    (heap->asked && heap->available >= heap->ask_below) ||
	    !heap_has_room(heap) || !heap_may_retry(heap))
		return false;
	if (!heap->asked)
		heap->goal = size + max_t(size_t, size, KTAP_HEAP_INITIAL);
	WRITE_ONCE(heap->asked, heap->asked + 1);
	heap->ask_below = heap->available / 2;
	return heap->low;
}

static void *heap_alloc_locked(struct ktap_heap *heap, size_t size, bool *low)
{
	unsigned int class = heap_class_of(size);
	void *p;

	ktap_assert_held(&heap->lock);
	p = heap_pop_block(heap, class);
	if (!p)
		p = heap_cut_segment(heap, class_sizes[class]);
	if (!p)
		p = heap_cut_larger(heap, class);
	if (p)
		heap->available -= class_sizes[class];
	*low = (!p || heap->available < heap->ask_below) && heap_ask(heap);
	return p;
}

void *ktap_heap_alloc(struct ktap_heap *heap, size_t size)
{
	unsigned long flags;
	bool low;
	void *p;

	if (size > KTAP_HEAP_MAX_ALLOC || !ktap_lock(&heap->lock, &flags))
		return NULL;
	p = heap_alloc_locked(heap, size, &low);
	ktap_unlock(&heap->lock, flags);
	if (low)
		heap->low(heap);
	return p;
}

void *ktap_heap_alloc_nested(struct ktap_heap *heap, size_t size)
{
	bool low;
	void *p;

	if (size > KTAP_HEAP_MAX_ALLOC)
		return NULL;
	ktap_lock_nested(&heap->lock);
	p = heap_alloc_locked(heap, size, &low);
	ktap_unlock_nested(&heap->lock);
	if (low)
		heap->low(heap);
	return p;
}

static void heap_free_locked(struct ktap_heap *heap, void *p, size_t size)
{
	unsigned int class = heap_class_of(size);

	ktap_assert_held(&heap->lock);
	heap_put_block(heap, class, p);
	heap->available += class_sizes[class];
}

void ktap_heap_free(struct ktap_heap *heap, void *p, size_t size)
{
	unsigned long flags;

	if (!p || !ktap_lock(&heap->lock, &flags))
		return;
	heap_free_locked(heap, p, size);
	ktap_unlock(&heap->lock, flags);
}

void ktap_heap_free_nested(struct ktap_heap *heap, void *p, size_t size)
{
	if (!p)
		return;
	ktap_lock_nested(&heap->lock);
	heap_free_locked(heap, p, size);
	ktap_unlock_nested(&heap->lock);
}

/* The size of the next segment of a refill; 0 if the goal or the limit is reached. */
static size_t heap_wanted(const struct ktap_heap *heap)
{
	size_t size = heap_size(heap), want;

	if (size >= heap->goal)
		return 0;
	want = min(heap->goal - size, heap->max - heap->bytes);
	return want < SEGMENT_MIN ? 0 : min_t(size_t, want, KTAP_HEAP_SEGMENT);
}

static size_t heap_next_segment(struct ktap_heap *heap)
{
	unsigned long flags;
	size_t want;

	if (!ktap_lock(&heap->lock, &flags))
		return 0;
	want = heap_wanted(heap);
	if (!want)
		heap_reset_requests(heap);
	ktap_unlock(&heap->lock, flags);
	return want;
}

static void heap_deny(struct ktap_heap *heap)
{
	unsigned long flags;

	if (!ktap_lock(&heap->lock, &flags))
		return;
	WRITE_ONCE(heap->denied_at, jiffies);
	WRITE_ONCE(heap->denied, true);
	heap_reset_requests(heap);
	ktap_unlock(&heap->lock, flags);
}

/* Insert a segment of @size bytes, its header included. */
static void heap_insert_segment(struct ktap_heap *heap, struct ktap_heap_segment *seg, size_t size)
{
	struct ktap_heap_segment **link;

	ktap_assert_held(&heap->lock);
	seg->size = ALIGN_DOWN(size - sizeof(*seg), 16);
	seg->used = 0;
	/* After the segment in use, before the unused ones */
	link = heap->spare ? &heap->spare->next : &heap->segments;
	seg->next = *link;
	*link = seg;
	if (!heap->spare)
		heap->spare = seg;
	heap->bytes += size;
	heap->available += seg->size;
}

static int heap_add_segment(struct ktap_heap *heap, size_t size)
{
	struct ktap_heap_segment *seg = kvmalloc(size, KTAP_GFP);
	unsigned long flags;

	if (!seg) {
		heap_deny(heap);
		return -ENOMEM;
	}
	if (ktap_lock(&heap->lock, &flags)) {
		/* Otherwise another refill was faster. */
		if (heap_wanted(heap) >= size) {
			heap_insert_segment(heap, seg, size);
			seg = NULL;
		}
		ktap_unlock(&heap->lock, flags);
	}
	kvfree(seg);
	return 0;
}

/* Several refills at once share the work: each adds segments until the goal is reached. */
static int heap_refill(struct ktap_heap *heap, unsigned int most)
{
	bool room = heap_has_room(heap);
	size_t size;
	int err = 0;

	might_sleep();
	for (; !err && most; most--) {
		size = heap_next_segment(heap);
		if (!size)
			return room ? 0 : -ENOSPC;
		err = heap_may_retry(heap) ? heap_add_segment(heap, size) : -ENOMEM;
	}
	return err;
}

int ktap_heap_refill(struct ktap_heap *heap)
{
	return heap_refill(heap, U32_MAX);
}

void ktap_heap_refill_urgently(struct ktap_heap *heap)
{
	heap_refill(heap, URGENT_SEGMENTS);
}

bool ktap_heap_was_denied(const struct ktap_heap *heap)
{
	return READ_ONCE(heap->denied) && heap_has_room(heap);
}

bool ktap_heap_charge(struct ktap_heap *heap, size_t size)
{
	unsigned long flags;
	bool room;

	if (!ktap_lock(&heap->lock, &flags))
		return false;
	room = size <= heap->max / 4 - heap->outside && size <= heap->max - heap->bytes;
	if (room) {
		heap->outside += size;
		heap->bytes += size;
	}
	ktap_unlock(&heap->lock, flags);
	return room;
}

void ktap_heap_uncharge(struct ktap_heap *heap, size_t size)
{
	unsigned long flags;

	/* Cannot fail: in process context this CPU is in no lock. */
	if (!ktap_lock(&heap->lock, &flags))
		return;
	heap->outside -= size;
	heap->bytes -= size;
	ktap_unlock(&heap->lock, flags);
}

void ktap_heap_init(struct ktap_heap *heap, size_t max, void (*low)(struct ktap_heap *heap))
{
	memset(heap, 0, sizeof(*heap));
	ktap_lock_init(&heap->lock);
	heap->max = max;
	heap->low = low;
	heap->goal = KTAP_HEAP_INITIAL;
	heap_reset_requests(heap);
}

void ktap_heap_destroy(struct ktap_heap *heap)
{
	struct ktap_heap_segment *seg, *next;

	for (seg = heap->segments; seg; seg = next) {
		next = seg->next;
		kvfree(seg);
		cond_resched();
	}
	heap->segments = NULL;
	heap->spare = NULL;
}
