/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Private layout of tables.
 */
#ifndef _KTAP_TABLE_PRIV_H
#define _KTAP_TABLE_PRIV_H

#include <linux/align.h>
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/nospec.h>

#include "data/lock.h"
#include "data/object.h"
#include "data/table.h"
#include "data/value_slot.h"

/**
 * struct ktap_entry - an entry of a table
 * @chain: next one in the bucket
 * @prev: the one inserted before this one
 * @next: the one inserted after this one
 * @seq: serial number of the insertion, from 1
 * @hash: hash of the key
 * @key: the key; a blob lies in @bytes
 * @value: a slot
 * @bytes: bytes of the key
 */
struct ktap_entry {
	struct ktap_entry *chain;
	struct ktap_entry *prev;
	struct ktap_entry *next;
	u64 seq;
	u32 hash;
	struct ktap_value key;
	struct ktap_value value;
	u8 bytes[] __aligned(8);
};

/* Entries that a table keeps for the next insertions. */
#define KTAP_SPARES		8

/* Iterations per table that can resume without a search. */
#define KTAP_CURSORS		8

/**
 * struct ktap_cursor - the position of an iteration in a table
 * @seq: serial number of the entry returned last; 0: the cursor is free
 * @used: &ktap_table.cursor_clock at that time
 * @searches: the cursor belongs to an unfinished search
 * @next: the entry after it, or NULL
 */
struct ktap_cursor {
	u64 seq;
	u32 used;
	bool searches;
	struct ktap_entry *next;
};

/**
 * struct ktap_table - a table
 * @object: its head
 * @stripes: KTAP_STRIPES locks, shared with a few other tables; constant
 * @recent: places of recent entries (table_recent.h); NULL: there are none
 * @steady: the table can have recent entries, and adds atomically; constant
 * @paused: it keeps no recent entries now; changed with all stripes held
 * @order: protects the fields below, except where stated; see table.c
 * @max: maximum number of entries; constant
 * @page_bits: log2 of the buckets of a page; constant
 * @page_mask: one less than the buckets of a page; constant
 * @count: number of entries; also read without the lock
 * @nbuckets: buckets in use; raised with the stripe of the new bucket held as well
 * @mask: one less than the largest power of two that is at most 2 * @nbuckets; changed
 *	with @nbuckets
 * @first_page: number of buckets that fit @pages[0]; changed with all stripes held
 * @dropped: entries that did not fit
 * @seq: serial number of the last insertion
 * @first: the oldest entry
 * @last: the youngest entry
 * @ncursors: number of @cursors in use
 * @cursor_clock: number of moves of all cursors
 * @cursors: see cursor.c
 * @nspares: length of @spares
 * @spares: entries for keys that are no blobs, linked by @chain
 * @blob_bytes: bytes of all blobs, each rounded up to 8; atomic
 * @pages: the buckets; a bucket is protected by its stripe
 */
struct ktap_table {
	struct ktap_object object;
	struct ktap_stripe *stripes;
	struct ktap_entry **recent;
	bool steady;
	bool paused;
	struct ktap_lock order;
	u32 max;
	u32 page_bits;
	u32 page_mask;
	u32 count;
	u32 nbuckets;
	u32 mask;
	u32 first_page;
	unsigned long dropped;
	u64 seq;
	struct ktap_entry *first;
	struct ktap_entry *last;
	u32 ncursors;
	u32 cursor_clock;
	struct ktap_cursor cursors[KTAP_CURSORS];
	u32 nspares;
	struct ktap_entry *spares;
	atomic_long_t blob_bytes;
	struct ktap_entry **pages[];
};

/* ktap_value.object and ktap_value.table are one union. */
static_assert(!offsetof(struct ktap_table, object));

/* Lock and unlock the whole table, like ktap_lock() and ktap_unlock(). */
bool __must_check ktap_table_lock(struct ktap_table *t, unsigned long *flags);
void ktap_table_unlock(struct ktap_table *t, unsigned long flags);

/* Units for the removal of an entry, besides those of the instruction. */
#define KTAP_REMOVE_COST	2

static __always_inline struct ktap_lock *ktap_table_stripe_of(struct ktap_table *t, u32 hash)
{
	return &t->stripes[hash % KTAP_STRIPES].lock;
}

static __always_inline struct ktap_entry **ktap_table_bucket_at(struct ktap_table *t, u32 n)
{
	return &t->pages[n >> t->page_bits][n & t->page_mask];
}

static __always_inline struct ktap_entry **ktap_table_bucket(struct ktap_table *t, u32 hash)
{
	u32 mask = READ_ONCE(t->mask), n = hash & mask;

	ktap_assert_locked();
	/* Branch-free (Spectre v1): a bucket not yet split off falls back to its parent. */
	n &= (mask >> 1) | (u32)array_index_mask_nospec(n, READ_ONCE(t->nbuckets));
	return ktap_table_bucket_at(t, n);
}

static inline size_t ktap_table_blob_size(const struct ktap_value *v)
{
	return ktap_is_blob(v) ? ALIGN((size_t)v->len, 8) : 0;
}

static inline size_t ktap_table_entry_size(const struct ktap_value *key)
{
	return sizeof(struct ktap_entry) + ktap_table_blob_size(key);
}

static inline void ktap_table_count_blobs(struct ktap_table *t, long bytes)
{
	if (bytes)
		atomic_long_add(bytes, &t->blob_bytes);
}

/*
 * Add to the integer of an entry of a steady table, or set it.  Others do the same meanwhile.
 * There are no steady tables where a long has 32 bits.
 */
static __always_inline void ktap_entry_put(struct ktap_entry *e, s64 n, bool add)
{
	atomic_long_t *sum = (atomic_long_t *)&e->value.u;

	if (add)
		atomic_long_add(n, sum);
	else
		atomic_long_set(sum, n);
}

/* Copy the value of an entry, whose stripe is locked.  A blob is not copied. */
static __always_inline struct ktap_value ktap_entry_value(const struct ktap_entry *e)
{
	/* The integer of a steady table's entry may change meanwhile. */
	return data_race(e->value);
}

/* Unlink an entry from the list, but not from its bucket, without freeing it. */
static __always_inline void ktap_table_unlist(struct ktap_table *t, struct ktap_entry *e)
{
	ktap_assert_held(&t->order);
	if (e->prev)
		e->prev->next = e->next;
	else
		t->first = e->next;
	if (e->next)
		e->next->prev = e->prev;
	else
		t->last = e->prev;
	WRITE_ONCE(t->count, t->count - 1);
}

/* Add up to two buckets after an insertion. */
void ktap_table_grow(struct ktap_env *env, struct ktap_table *t);

/* Remove an entry and free it.  The stripe of its key must be held. */
void ktap_table_remove(struct ktap_env *env, struct ktap_table *t, struct ktap_entry *e);

/* table_access.c */

/* Return the entry of a key, or NULL.  The stripe of the key must be held. */
struct ktap_entry *ktap_table_find(struct ktap_env *env, struct ktap_table *t,
				   const struct ktap_value *key);

/*
 * cursor.c: the caller has locked the whole table.  A stripe and @order are enough
 * for the first one.
 */

/* Update the cursors after an entry was unlinked from the list. */
void ktap_cursors_leave(struct ktap_table *t, const struct ktap_entry *e);
/* Free all cursors: the table has lost all entries. */
void ktap_cursors_forget(struct ktap_table *t);

/*
 * Set *@e to the entry after position @it, or to NULL at the end.  @key is the key of
 * the entry returned last.  Return false if the search is not finished: the caller
 * unlocks the table for a moment and calls again.  *@cost is set to the units to charge.
 */
bool ktap_table_after(struct ktap_env *env, struct ktap_table *t, struct ktap_iter *it,
		      const struct ktap_value *key, struct ktap_entry **e, u32 *cost);
/* Move position @it to @e.  NULL ends the iteration. */
void ktap_table_move(struct ktap_table *t, struct ktap_iter *it, const struct ktap_entry *e);

#endif /* _KTAP_TABLE_PRIV_H */
