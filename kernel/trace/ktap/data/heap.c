// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of one session that can be taken in any context.
 *
 * Blocks have one of a few sizes.  A block is cut from the segment in use, or
 * comes from the free list of its class, or else from a larger free block; it
 * is never joined again.  Every step is bounded.
 */
#include <linux/align.h>
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "heap.h"

/* Free blocks are linked through themselves. */
struct ktap_heap_block {
	struct ktap_heap_block *next;
};

/**
 * struct ktap_heap_segment - a piece of memory
 * @next: next segment; behind &ktap_heap.spare those that are whole come first
 * @size: bytes of @data
 * @used: bytes of @data cut up
 * @data: the blocks
 */
struct ktap_heap_segment {
	struct ktap_heap_segment *next;
	u32 size;
	u32 used;
	u8 data[] __aligned(16);
};

#define SEGMENT_MIN	4096U

/* To look for memory in vain takes long. */
#define RETRY_AFTER	(HZ / 10)

DEFINE_PER_CPU(unsigned int, ktap_locks_held);

/* Multiples of 16, so that what remains of a cut fits a class or nothing. */
static const u16 class_sizes[KTAP_HEAP_CLASSES] = {
	16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256,
	320, 384, 512, 768, 1024, 1536, 2048, 3072, 4096, 8192, 12288, 16384,
};

static_assert(KTAP_HEAP_MAX_ALLOC == 16384);

static unsigned int class_of(size_t size)
{
	unsigned int lo = 0, hi = KTAP_HEAP_CLASSES - 1;

	while (lo < hi) {
		unsigned int mid = (lo + hi) / 2;

		if (class_sizes[mid] < size)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static void put_block(struct ktap_heap *heap, unsigned int class, void *p)
{
	struct ktap_heap_block *block = p;

	block->next = heap->free[class];
	heap->free[class] = block;
}

/* Makes free blocks of a piece, the largest first. */
static void put_rest(struct ktap_heap *heap, void *p, size_t size)
{
	int class = KTAP_HEAP_CLASSES - 1;

	while (size >= class_sizes[0]) {
		while (class_sizes[class] > size)
			class--;
		put_block(heap, class, p);
		p += class_sizes[class];
		size -= class_sizes[class];
	}
}

static void *cut_segment(struct ktap_heap *heap, size_t size)
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
		put_rest(heap, seg->data + seg->used, seg->size - seg->used);
		seg->used = seg->size;
		heap->spare = seg->next;
		if (heap->spare && heap->spare->used == heap->spare->size)
			heap->spare = NULL;
	}
	return NULL;
}

static void *pop_block(struct ktap_heap *heap, unsigned int class)
{
	struct ktap_heap_block *block = heap->free[class];

	if (block)
		heap->free[class] = block->next;
	return block;
}

static void *cut_larger(struct ktap_heap *heap, unsigned int class)
{
	unsigned int c;
	void *p;

	for (c = class + 1; c < KTAP_HEAP_CLASSES; c++) {
		p = pop_block(heap, c);
		if (!p)
			continue;
		put_rest(heap, p + class_sizes[class], class_sizes[c] - class_sizes[class]);
		return p;
	}
	return NULL;
}

static bool may_retry(const struct ktap_heap *heap)
{
	/* How long ago it was, not which is later: on 32-bit machines jiffies wrap. */
	return !READ_ONCE(heap->denied) || jiffies - READ_ONCE(heap->denied_at) >= RETRY_AFTER;
}

static void *alloc_locked(struct ktap_heap *heap, size_t size, bool *low)
{
	unsigned int class = class_of(size);
	void *p;

	p = pop_block(heap, class);
	if (!p)
		p = cut_segment(heap, class_sizes[class]);
	if (!p)
		p = cut_larger(heap, class);
	if (p)
		heap->available -= class_sizes[class];
	*low = false;
	if ((!p || heap->available < KTAP_HEAP_LOW) && !READ_ONCE(heap->asked) &&
	    heap->bytes + SEGMENT_MIN <= heap->max && may_retry(heap)) {
		WRITE_ONCE(heap->asked, true);
		*low = heap->low;
	}
	return p;
}

void *ktap_heap_alloc(struct ktap_heap *heap, size_t size)
{
	unsigned long flags;
	bool low;
	void *p;

	if (size > KTAP_HEAP_MAX_ALLOC || !ktap_lock(&heap->lock, &flags))
		return NULL;
	p = alloc_locked(heap, size, &low);
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
	p = alloc_locked(heap, size, &low);
	ktap_unlock_nested(&heap->lock);
	if (low)
		heap->low(heap);
	return p;
}

static void free_locked(struct ktap_heap *heap, void *p, size_t size)
{
	unsigned int class = class_of(size);

	put_block(heap, class, p);
	heap->available += class_sizes[class];
}

void ktap_heap_free(struct ktap_heap *heap, void *p, size_t size)
{
	unsigned long flags;

	if (!p || !ktap_lock(&heap->lock, &flags))
		return;
	free_locked(heap, p, size);
	ktap_unlock(&heap->lock, flags);
}

void ktap_heap_free_nested(struct ktap_heap *heap, void *p, size_t size)
{
	if (!p)
		return;
	ktap_lock_nested(&heap->lock);
	free_locked(heap, p, size);
	ktap_unlock_nested(&heap->lock);
}

static int add_segment(struct ktap_heap *heap, size_t size)
{
	struct ktap_heap_segment *seg, **link;
	unsigned long flags;

	seg = kvmalloc(size, KTAP_GFP);
	if (!seg)
		return -ENOMEM;
	seg->size = ALIGN_DOWN(size - sizeof(*seg), 16);
	seg->used = 0;

	if (!ktap_lock(&heap->lock, &flags))
		goto free;
	if (heap->max - heap->bytes < size) {
		/* Another refill was faster. */
		ktap_unlock(&heap->lock, flags);
		goto free;
	}
	/* The one in use stays in front of those that are whole. */
	link = heap->spare ? &heap->spare->next : &heap->segments;
	seg->next = *link;
	*link = seg;
	if (!heap->spare)
		heap->spare = seg;
	heap->bytes += size;
	heap->available += seg->size;
	ktap_unlock(&heap->lock, flags);
	return 0;
free:
	kvfree(seg);
	return -ENOSPC;
}

int ktap_heap_refill(struct ktap_heap *heap)
{
	size_t room, bytes = READ_ONCE(heap->bytes);
	size_t want = max_t(size_t, bytes, KTAP_HEAP_INITIAL);
	int err = -ENOSPC;

	if (heap->segments && bytes < heap->max && !READ_ONCE(heap->asked))
		return 0;
	if (!may_retry(heap)) {
		/* Whoever has asked may do so again, when it is time. */
		WRITE_ONCE(heap->asked, false);
		return -ENOMEM;
	}
	want = min(want, heap->max - bytes);
	while (want) {
		room = min_t(size_t, want, KTAP_HEAP_SEGMENT);
		if (room < SEGMENT_MIN)
			break;
		err = add_segment(heap, room);
		if (err)
			break;
		want -= room;
	}
	if (err == -ENOMEM) {
		WRITE_ONCE(heap->denied_at, jiffies);
		WRITE_ONCE(heap->denied, true);
	}
	WRITE_ONCE(heap->asked, false);
	return err;
}

bool ktap_heap_was_denied(const struct ktap_heap *heap)
{
	return READ_ONCE(heap->denied) && READ_ONCE(heap->bytes) + SEGMENT_MIN <= heap->max;
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

	/* In process context this CPU is in no lock. */
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
}

void ktap_heap_destroy(struct ktap_heap *heap)
{
	struct ktap_heap_segment *seg, *next;

	for (seg = heap->segments; seg; seg = next) {
		next = seg->next;
		kvfree(seg);
	}
	heap->segments = NULL;
	heap->spare = NULL;
}
