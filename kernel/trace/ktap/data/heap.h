/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory of one session that can be taken in any context.
 *
 * Size classes over segments that are allocated in process context only
 * (KTAP_GFP).  When the free memory runs low, ->low() is called, in
 * whatever context that happens; it must see to it that ktap_heap_refill()
 * runs soon.  All of it is freed with the session.
 */
#ifndef _KTAP_HEAP_H
#define _KTAP_HEAP_H

#include <linux/types.h>

#include "lock.h"

/*
 * For what a script can make large.  Where its memory cgroup has no more, it goes
 * without: nobody is killed for a tracer.
 */
#define KTAP_GFP		(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

#define KTAP_HEAP_CLASSES	24
#define KTAP_HEAP_SEGMENT	(64U << 10)
#define KTAP_HEAP_MAX_ALLOC	(16U << 10)	/* bytes of one block */
#define KTAP_HEAP_INITIAL	(512U << 10)	/* bytes of the first refill */
#define KTAP_HEAP_LOW		(KTAP_HEAP_INITIAL / 2)

struct ktap_heap_block;
struct ktap_heap_segment;

/**
 * struct ktap_heap - memory of a session
 * @lock: protects all below
 * @free: free blocks by class
 * @segments: all segments
 * @spare: the segment being cut up, or NULL
 * @bytes: bytes of all segments, and of @outside
 * @outside: bytes that were taken elsewhere and count as well
 * @available: bytes not handed out, roughly
 * @max: most @bytes
 * @asked: there is less than KTAP_HEAP_LOW, or was less than somebody wanted,
 *	and ktap_heap_refill() did not run since
 * @denied: the system, or the memory cgroup, has refused some
 * @denied_at: when it did so last, in jiffies; it is not asked again for a while
 * @low: called when @available falls under KTAP_HEAP_LOW and more may be had
 */
struct ktap_heap {
	struct ktap_lock lock;
	struct ktap_heap_block *free[KTAP_HEAP_CLASSES];
	struct ktap_heap_segment *segments;
	struct ktap_heap_segment *spare;
	size_t bytes;
	size_t outside;
	size_t available;
	size_t max;
	bool asked;
	bool denied;
	unsigned long denied_at;
	void (*low)(struct ktap_heap *heap);
};

/* Allocates nothing: the first ktap_heap_refill() does. */
void ktap_heap_init(struct ktap_heap *heap, size_t max, void (*low)(struct ktap_heap *heap));
void ktap_heap_destroy(struct ktap_heap *heap);

/*
 * Doubles @bytes, up to @max, if memory is low or there is none yet.
 * Context: process, may sleep.  0; -ENOSPC at @max; or -ENOMEM, and then at once
 * for a while.
 */
int ktap_heap_refill(struct ktap_heap *heap);

/* It would have more, had the system, or the memory cgroup, given it. */
bool ktap_heap_was_denied(const struct ktap_heap *heap);

/*
 * Context: any.  NULL: none left, or this CPU is inside a lock of ktap.  The
 * nested ones are for those who hold the lock of a table or global.
 */
void *ktap_heap_alloc(struct ktap_heap *heap, size_t size);
void *ktap_heap_alloc_nested(struct ktap_heap *heap, size_t size);
void ktap_heap_free_nested(struct ktap_heap *heap, void *p, size_t size);
/* Context: any where ktap_heap_alloc() would work; leaks till the end otherwise. */
void ktap_heap_free(struct ktap_heap *heap, void *p, size_t size);

/*
 * Memory of the session that does not lie in the heap counts as well, and may be a
 * quarter of it.  False: it would be more.  Context: process.
 */
bool ktap_heap_charge(struct ktap_heap *heap, size_t size);
void ktap_heap_uncharge(struct ktap_heap *heap, size_t size);

#endif /* _KTAP_HEAP_H */
