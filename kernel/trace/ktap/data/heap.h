/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The memory of one session, which can be allocated from in any context.
 *
 * Size classes over segments that are allocated in process context only
 * (KTAP_GFP).  When the free memory runs low, ->low() is called in the context
 * of the caller; it must arrange that ktap_heap_refill() runs soon.  All memory
 * is freed with the session.
 */
#ifndef _KTAP_HEAP_H
#define _KTAP_HEAP_H

#include <linux/compiler.h>
#include <linux/types.h>

#include "data/lock.h"

/*
 * For allocations whose size depends on the script.  If the memory cgroup is
 * full they fail, rather than invoke the OOM killer for a tracer.
 */
#define KTAP_GFP		(GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

#define KTAP_HEAP_CLASSES	24
#define KTAP_HEAP_SEGMENT	(64U << 10)
#define KTAP_HEAP_MAX_ALLOC	(16U << 10)	/* bytes of one block */
#define KTAP_HEAP_INITIAL	(512U << 10)	/* bytes of the first refill */
#define KTAP_HEAP_LOW		(KTAP_HEAP_INITIAL / 2)
#define KTAP_HEAP_REQUESTS	4	/* for one refill */

struct ktap_heap_block;
struct ktap_heap_segment;

/**
 * struct ktap_heap - memory of a session
 * @lock: protects the fields below
 * @free: free blocks by class
 * @segments: all segments
 * @spare: the segment that blocks are cut from, or NULL
 * @bytes: bytes of all segments, plus @outside
 * @outside: bytes allocated elsewhere that count toward @max
 * @available: bytes not allocated, roughly
 * @max: limit of @bytes
 * @goal: bytes of all segments after the refill that is due, or the last one
 * @asked: calls of @low for this refill; 0: none is due
 * @ask_below: call @low when @available falls below this
 * @denied: the system, or the memory cgroup, has refused an allocation
 * @denied_at: time of the last refusal, in jiffies; no retry for a while after it
 * @low: called when less than a quarter is left, or less than KTAP_HEAP_LOW, or an
 *	allocation fails; and, until the refill is done, at each half of what was
 *	left then, up to KTAP_HEAP_REQUESTS times.  Not called if @max allows no refill
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
	size_t goal;
	unsigned int asked;
	size_t ask_below;
	bool denied;
	unsigned long denied_at;
	void (*low)(struct ktap_heap *heap);
};

/* The heap is empty until the first ktap_heap_refill(). */
void ktap_heap_init(struct ktap_heap *heap, size_t max, void (*low)(struct ktap_heap *heap));
void ktap_heap_destroy(struct ktap_heap *heap);

/*
 * Double the memory, up to @max, if ->low() was called or the heap is empty.
 * Context: process, may sleep.  Return 0; -ENOSPC at @max; or -ENOMEM, also
 * without a try for a while after a refusal.
 */
int ktap_heap_refill(struct ktap_heap *heap);

/*
 * Begin the refill with at most one megabyte: handlers can continue until another
 * context has done the rest.  Context: process, may sleep.
 */
void ktap_heap_refill_urgently(struct ktap_heap *heap);

/* Is a refill due? */
static inline bool ktap_heap_is_low(const struct ktap_heap *heap)
{
	return READ_ONCE(heap->asked);
}

/* The heap is below its limit because the system, or the memory cgroup, refused memory. */
bool ktap_heap_was_denied(const struct ktap_heap *heap);

/*
 * Context: any.  Return NULL if no memory is left, or if this CPU is inside a
 * lock of ktap.  Callers that hold the lock of a table or a global use the
 * nested variants.
 */
void *ktap_heap_alloc(struct ktap_heap *heap, size_t size);
void *ktap_heap_alloc_nested(struct ktap_heap *heap, size_t size);
void ktap_heap_free_nested(struct ktap_heap *heap, void *p, size_t size);
/* Inside a lock of ktap the block leaks until the session ends. */
void ktap_heap_free(struct ktap_heap *heap, void *p, size_t size);

/*
 * Count memory of the session that is not in the heap.  Return false if it would
 * exceed a quarter of the limit, or the limit itself.  Context: process.
 */
bool ktap_heap_charge(struct ktap_heap *heap, size_t size);
void ktap_heap_uncharge(struct ktap_heap *heap, size_t size);

#endif /* _KTAP_HEAP_H */
