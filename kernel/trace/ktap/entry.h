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
 * @gap_seq: serial number of the entry removed last
 * @gap_next: what stood behind it
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
	u64 gap_seq;
	struct ktap_entry *gap_next;
	atomic_long_t blob_bytes;
	struct ktap_entry **pages[];
};

/* A value may be taken for what it is the head of. */
static_assert(!offsetof(struct ktap_table, object));

/* The whole table; as ktap_lock() and ktap_unlock(). */
bool __must_check ktap_table_lock(struct ktap_table *t, unsigned long *flags);
void ktap_table_unlock(struct ktap_table *t, unsigned long flags);

/*
 * The entry behind that of @seq, whose key was @key.  The whole table is locked.
 * If the place had to be searched, @steps says how long.
 */
struct ktap_entry *ktap_table_after(struct ktap_env *env, struct ktap_table *t, u64 seq,
				    const struct ktap_value *key, u32 *steps);

#endif /* _KTAP_ENTRY_H */
