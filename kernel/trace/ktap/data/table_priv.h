/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of tables.
 */
#ifndef _KTAP_ENTRY_H
#define _KTAP_ENTRY_H

#include "lock.h"
#include "object.h"
#include "slot.h"
#include "table.h"

/**
 * struct ktap_entry - an entry of a table
 * @chain: next one in the bucket
 * @prev: the one inserted before
 * @next: the one inserted behind
 * @seq: serial number of the insertion, from 1
 * @hash: of the key
 * @key: the key; its blob is @bytes
 * @value: a slot
 * @bytes: the key's
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

/* So many may go along a table at a time without looking for their places. */
#define KTAP_CURSORS		8

/**
 * struct ktap_cursor - the place of an iteration in a table
 * @seq: serial number of the entry that it got last; 0: the cursor is free
 * @used: &ktap_table.cursor_clock when it got that
 * @next: the entry behind it, NULL if there is none
 * @searches: it is of a search that is not done
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
 * @stripes: KTAP_STRIPES locks, which it shares with a few other tables; constant
 * @order: protects all below but where it says otherwise; see table.c
 * @max: most entries; constant
 * @page_bits: log2 of the buckets of a page; constant
 * @count: entries; read without the lock too
 * @nbuckets: buckets in use; raised with the stripe of the new bucket held as well
 * @first_page: buckets @pages[0] has room for; changed with all stripes held
 * @dropped: entries that did not fit
 * @seq: of the last insertion
 * @first: the oldest entry
 * @last: the youngest entry
 * @ncursors: those of @cursors that are somebody's
 * @cursor_clock: how often one was moved on
 * @cursors: see cursor.c
 * @blob_bytes: bytes of all blobs, each rounded up to 8; atomic
 * @pages: the buckets; a bucket is protected by its stripe
 */
struct ktap_table {
	struct ktap_object object;
	struct ktap_stripe *stripes;
	struct ktap_lock order;
	u32 max;
	u32 page_bits;
	u32 count;
	u32 nbuckets;
	u32 first_page;
	unsigned long dropped;
	u64 seq;
	struct ktap_entry *first;
	struct ktap_entry *last;
	u32 ncursors;
	u32 cursor_clock;
	struct ktap_cursor cursors[KTAP_CURSORS];
	atomic_long_t blob_bytes;
	struct ktap_entry **pages[];
};

/* A value may be taken for what it is the head of. */
static_assert(!offsetof(struct ktap_table, object));

/* The whole table; as ktap_lock() and ktap_unlock(). */
bool __must_check ktap_table_lock(struct ktap_table *t, unsigned long *flags);
void ktap_table_unlock(struct ktap_table *t, unsigned long flags);

/* The entry of a key, or NULL.  The stripe of the key is held. */
struct ktap_entry *ktap_table_find(struct ktap_env *env, struct ktap_table *t,
				   const struct ktap_value *key);

/*
 * cursor.c.  The whole table is locked; or, for the first two, a stripe and the
 * order.
 */

/* The last entry of the list is a new one; an entry has left the list. */
void ktap_cursors_see_new(struct ktap_table *t, struct ktap_entry *e);
void ktap_cursors_leave(struct ktap_table *t, const struct ktap_entry *e);
/* All entries have left. */
void ktap_cursors_forget(struct ktap_table *t);

/*
 * Gives the entry behind the place, where that of @key was; NULL: there is none.  False:
 * it has to be searched for on, after the table was unlocked for a moment.  Units of
 * what was done go to @cost.
 */
bool ktap_table_after(struct ktap_env *env, struct ktap_table *t, struct ktap_iter *it,
		      const struct ktap_value *key, struct ktap_entry **e, u32 *cost);
/* The place is at @e from now on; NULL: it is of no use any more. */
void ktap_table_move(struct ktap_table *t, struct ktap_iter *it, const struct ktap_entry *e);

#endif /* _KTAP_ENTRY_H */
