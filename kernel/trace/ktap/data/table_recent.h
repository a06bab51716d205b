/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The entries of a table that were used last, found without a lock.
 */
#ifndef _KTAP_TABLE_RECENT_H
#define _KTAP_TABLE_RECENT_H

#include <linux/align.h>
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/minmax.h>

#include "data/table_lookup.h"

/**
 * DOC: Recent entries of a table
 *
 * Most events find the entry of a key that a recent event has found.  A steady table has
 * a cache of such entries, with one place for each short hash of a key.  An addition
 * that finds its entry there takes no lock, and adds atomically.
 *
 * A table is steady if what could take an entry away, or change the type of its value, does not
 * happen while events are delivered.  This is known when the program is loaded: see
 * ktap_find_steady().  In process context, clear() takes all entries at once, and waits for a
 * grace period before it frees them; trunc() forgets all recent entries and waits for
 * a grace period before it removes anything: ktap_table_pause().
 *
 * Long keys and keys that are no strings, integers, stacks or compound keys have no place.
 *
 * Only who has locked the stripe of a key writes to the place of that key, and only a
 * complete entry.  A reader finds a valid entry there, or &ktap_no_entry, which has no
 * key; it compares the keys.  Adding is atomic in steady tables whether or not the
 * entry is found here, since others may do it at the same time without the lock.
 *
 * The hash need not be good: who finds keys that share a place makes additions take the
 * lock, as they do in all other tables.
 */

#define KTAP_RECENT_BITS	7
#define KTAP_RECENT		BIT(KTAP_RECENT_BITS)

/* Bytes of the longest key that has a place: the comparison costs the script nothing. */
#define KTAP_RECENT_KEY		256

/* In an empty place: an entry that no key equals */
extern struct ktap_entry ktap_no_entry;

static __always_inline u32 ktap_recent_place(u64 word)
{
	return hash_64(word, KTAP_RECENT_BITS);
}

/* @p: the bytes of the key, here and below */
static __always_inline u32 ktap_recent_short_place(const void *p, u32 len)
{
	u64 word;

	if (len < sizeof(u64))
		word = ktap_short_word(p, len);
	else
		word = ktap_word(p) + 3 * ktap_word(p + len - sizeof(u64));
	return ktap_recent_place(word);
}

/* Longer keys that have a place: compound keys, stacks, strings */
static __always_inline bool ktap_recent_is_long(const struct ktap_value *key)
{
	u64 tags = BIT(KTAP_TUPLE) | BIT(KTAP_KSTACK) | BIT(KTAP_USTACK) | BIT(KTAP_STR);

	return BIT(key->tag) & tags && key->len > sizeof(u64) && key->len <= KTAP_RECENT_KEY;
}

/*
 * The words that differ most often are the first value of a compound key, which is word 1, one
 * in the middle and the last one.
 */
static __always_inline u32 ktap_recent_long_place(const void *p, u32 len)
{
	u64 middle = ktap_word(p + ALIGN_DOWN(len / 2, sizeof(u64)));
	u64 last = ktap_word(p + len - sizeof(u64));

	return ktap_recent_place(ktap_word(p + sizeof(u64)) + 3 * middle + 5 * last);
}

/* The entry in a place: that of one of its keys, or &ktap_no_entry */
static __always_inline struct ktap_entry *ktap_recent_at(struct ktap_entry *const *recent,
							 u32 place)
{
	/* Pairs with smp_store_release() in ktap_recent_note(), by address dependency. */
	return READ_ONCE(recent[place]);
}

/* Are the tags the same, and the lengths of blobs? */
static __always_inline bool ktap_recent_is_alike(const struct ktap_entry *e,
						 const struct ktap_value *key)
{
	return *(const u64 *)&e->key.tag == *(const u64 *)&key->tag;
}

/* Return the entry of @key, or NULL if it is not among the recent ones of @t. */
static __always_inline struct ktap_entry *ktap_recent_find(const struct ktap_table *t,
							   const struct ktap_value *key)
{
	struct ktap_entry *const *recent = READ_ONCE(t->recent);
	struct ktap_entry *e;
	const void *p;

	if (!recent)
		return NULL;
	if (key->tag == KTAP_INT) {
		e = ktap_recent_at(recent, ktap_recent_place(key->u));
		if (likely(e->key.u == key->u && e->key.tag == KTAP_INT))
			return e;
	} else if (key->tag == KTAP_STR && key->len <= KTAP_SHORT_KEY) {
		p = ktap_blob_of(key);
		e = ktap_recent_at(recent, ktap_recent_short_place(p, key->len));
		if (likely(ktap_recent_is_alike(e, key) &&
			   ktap_key_same_short(e->bytes, p, key->len)))
			return e;
	} else if (ktap_recent_is_long(key)) {
		p = ktap_blob_of(key);
		e = ktap_recent_at(recent, ktap_recent_long_place(p, key->len));
		if (likely(ktap_recent_is_alike(e, key) &&
			   ktap_same_bytes(e->bytes, p, key->len)))
			return e;
	}
	return NULL;
}

/* Add to an integer of an entry, or set it, without the lock.  False if that cannot be done. */
static __always_inline bool ktap_recent_put(const struct ktap_table *t,
					    const struct ktap_value *key, s64 n, bool add)
{
	struct ktap_entry *e = ktap_recent_find(t, key);

	if (!e || e->value.tag != KTAP_INT)
		return false;
	ktap_entry_put(e, n, add);
	return true;
}

/*
 * table_recent.c: @e is, or is no longer, a recent entry.  Its stripe is locked.  The second
 * one is for an entry that others cannot find without the lock.
 */
void ktap_recent_note(struct ktap_env *env, struct ktap_table *t, struct ktap_entry *e);
void ktap_recent_forget(struct ktap_table *t, const struct ktap_entry *e);
/* Free the places: nobody uses the table any more. */
void ktap_recent_destroy(struct ktap_env *env, struct ktap_table *t);

#endif /* _KTAP_TABLE_RECENT_H */
