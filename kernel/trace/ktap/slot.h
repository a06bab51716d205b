/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The inside of tables and globals: slots, which own their values.
 */
#ifndef _KTAP_SLOT_H
#define _KTAP_SLOT_H

#include <linux/minmax.h>

#include "lock.h"
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
 * @lock: protects all below but where it says otherwise
 * @max: most entries; constant
 * @page_bits: log2 of the buckets of a page; constant
 * @count: entries; read without the lock too
 * @nbuckets: buckets in use
 * @mask: the largest power of two not above @nbuckets, less one
 * @first_page: buckets @pages[0] has room for
 * @seq: of the last insertion
 * @first: the oldest entry
 * @last: the youngest entry
 * @gap_seq: serial number of the entry removed last
 * @gap_next: what stood behind it
 * @blob_bytes: bytes of all blobs, each rounded up to 8
 * @refs: slots that hold it; atomic
 * @published: a slot held it once; set before anybody else can see it
 * @revived: &refs was raised from 0; see ktap_tables_reap()
 * @dead: it is, or is about to be, on &ktap_env.dead; atomic
 * @dead_node: its place there
 * @fresh: next on &ktap_vm.fresh; of the activation that made it
 * @pages: the buckets
 */
struct ktap_table {
	struct ktap_lock lock;
	u32 max;
	u32 page_bits;
	u32 count;
	u32 nbuckets;
	u32 mask;
	u32 first_page;
	u64 seq;
	struct ktap_entry *first;
	struct ktap_entry *last;
	u64 gap_seq;
	struct ktap_entry *gap_next;
	size_t blob_bytes;

	atomic_t refs;
	bool published;
	bool revived;
	atomic_t dead;
	struct llist_node dead_node;
	struct ktap_table *fresh;

	struct ktap_entry **pages[];
};

/* Counts an operation given up since this CPU is inside a lock already. */
static inline void ktap_count_busy(struct ktap_vm *vm)
{
	atomic_long_inc(&vm->env->counters.nmi_busy);
}

/* Memory of the session, counted if there is none; takes more where it can. */
void *ktap_slot_alloc(struct ktap_vm *vm, size_t size);

/*
 * Makes a value that a slot can own of the one in a register.  Returns 1; 0 if
 * there is no memory (counted); or a negative errno with the error set.
 */
int ktap_slot_prepare(struct ktap_vm *vm, struct ktap_value *v, struct ktap_value *owned);

/* Undoes it: the value found no slot. */
void ktap_slot_discard(struct ktap_vm *vm, struct ktap_value *owned);

/* Makes a prepared value the slot's.  The slot's lock is held. */
void ktap_slot_replace(struct ktap_env *env, struct ktap_value *slot,
		       const struct ktap_value *owned);

/**
 * ktap_slot_copy() - Copies what a slot holds for a register
 * @v: the copy
 * @slot: the slot; its lock is held
 * @mem: memory for a blob
 * @room: bytes of @mem
 *
 * Return: true; false if @room is too little: @v->len says what it takes.
 */
bool ktap_slot_copy(struct ktap_value *v, const struct ktap_value *slot, void *mem, u32 room);

/*
 * Room to ask for when a blob of @need bytes did not fit into @room.  If there
 * was room already, the slot changes as we look: ask for more than it takes.
 */
static inline u32 ktap_slot_room(u32 room, u32 need)
{
	return room ? min_t(u32, 2 * need, KTAP_MAX_STRLEN) : need;
}

/* Adds.  The slot's lock is held.  False: the slot holds no number. */
bool ktap_slot_add(struct ktap_value *slot, s64 n);

/* Errors of an addition: the addend, or the slot, is no number. */
int ktap_want_addend(struct ktap_vm *vm, const struct ktap_value *n);
int ktap_no_sum(struct ktap_vm *vm, const struct ktap_value *slot);

/*
 * The entry behind that of @seq, whose key was @key.  The lock is held.  If the
 * place had to be searched, @steps says how long.
 */
struct ktap_entry *ktap_table_after(struct ktap_env *env, struct ktap_table *t, u64 seq,
				    const struct ktap_value *key, u32 *steps);

#endif /* _KTAP_SLOT_H */
