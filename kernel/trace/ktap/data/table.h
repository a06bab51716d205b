/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables: how a script keeps data between events.
 */
#ifndef _KTAP_TABLE_H
#define _KTAP_TABLE_H

#include "data/int128.h"
#include "vm/value.h"

struct ktap_env;
struct ktap_reaper;
struct ktap_vm;

#define KTAP_TABLE_DEFAULT	8192	/* entries */
#define KTAP_TABLE_LIMIT	BIT(20)

#define KTAP_ITER_END_BITS	28

/**
 * struct ktap_iter - position of an iteration
 * @seq: serial number of the entry returned last, 0 at the start
 * @cursor: index of its cursor in the table, unless another iteration has taken
 *	that; need not be initialized
 * @end: serial number of the last insertion before the start: the iteration ends there.  The low
 *	KTAP_ITER_END_BITS count; need not be initialized
 * @reached: serial number of the entry that a search for the position has reached;
 *	0 without a search, and at the start
 *
 * Serial numbers increase in the order of insertion and do not change: an entry
 * that is present all the time is returned exactly once.
 */
struct ktap_iter {
	u64 seq;
	u32 cursor;
	u32 end;
	u64 reached;
};

/*
 * These functions can be called in any context, except where stated.  A key is a
 * boolean, an integer, a pointer or a blob.  The table owns copies.  Errors are set in
 * @vm.  An entry that does not fit is counted in &ktap_env.counters; it is no error.
 */

/* Set @v to a new table, or to KTAP_VALUE_LOST (counted) without memory. */
int ktap_table_new(struct ktap_vm *vm, u32 max, struct ktap_value *v);
/* Copy a value, blobs to the arena.  A missing key gives nil. */
int ktap_table_get(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   struct ktap_value *v);
/* Return true if the table has @key; false also if this CPU is inside a lock (counted). */
bool ktap_table_has(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key);
/* Set an entry, or delete it if @v is nil. */
int ktap_table_set(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   struct ktap_value *v);
int ktap_table_delete(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key);
/* Add to an entry atomically.  A missing entry counts as 0. */
int ktap_table_add(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   const struct ktap_value *n);
/* The same, and set @sum to the result; to nil if the update was dropped (counted). */
int ktap_table_add_and_get(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
			   const struct ktap_value *n, struct ktap_value *sum);
/* Make an object that is in no register.  Return NULL (counted) without memory. */
typedef struct ktap_object *(*ktap_make_fn)(struct ktap_vm *vm, const void *arg);
/*
 * Set @v to the value of the entry; without an entry, insert a new object of
 * @make(@vm, @arg).  @v is nil if the table is full or without memory (counted).  A blob
 * is not copied: use only its tag.
 */
int ktap_table_get_or_make(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
			   ktap_make_fn make, const void *arg, struct ktap_value *v);
/**
 * struct ktap_found_agg - an aggregation in an entry
 * @agg: the aggregation, or NULL: then nothing else is valid
 * @flags: for ktap_unlock_cpu()
 */
struct ktap_found_agg {
	struct ktap_agg *agg;
	unsigned long flags;
};

/*
 * Find the aggregation in the entry of a key.  This CPU is left as by ktap_lock_cpu(), unless
 * there is none or the entry cannot be read now.
 */
struct ktap_found_agg ktap_table_find_agg(struct ktap_vm *vm, struct ktap_table *t,
					  const struct ktap_value *key);
/*
 * Remove all present entries, and charge for each.  If the budget ends, only the
 * oldest ones may have been removed.
 */
int ktap_table_clear(struct ktap_vm *vm, struct ktap_table *t);
/*
 * table_recent.c: entries will be removed, or have been.  Both do nothing for a table that is
 * not steady.  Otherwise the first one waits for a grace period, and returns false in
 * event context, where that cannot be done.
 */
bool __must_check ktap_table_pause(struct ktap_vm *vm, struct ktap_table *t);
void ktap_table_resume(struct ktap_table *t);
u32 ktap_table_len(const struct ktap_table *t);
/* Maximum number of entries, and number of those that did not fit. */
u32 ktap_table_max(const struct ktap_table *t);
unsigned long ktap_table_dropped(const struct ktap_table *t);
/*
 * Move all entries atomically to @to, which is empty, private to the caller and has the
 * same maximum.  Return false if this CPU is inside a lock.
 */
bool __must_check ktap_table_exchange(struct ktap_table *t, struct ktap_table *to);
/* Copy the next entry, blobs to the arena.  Return 1, 0 at the end, or a negative errno. */
int ktap_table_next(struct ktap_vm *vm, struct ktap_table *t, struct ktap_iter *it,
		    struct ktap_value *last_key, struct ktap_value *key, struct ktap_value *v);

/*
 * Make a table that is in no register; the caller frees it.  Return NULL (counted)
 * without memory.  ktap_table_free() fails, half done, if this CPU is inside a lock of
 * ktap.  With @reaper (object.c) it may sleep.
 */
struct ktap_table *ktap_table_make(struct ktap_vm *vm, u32 max);
bool ktap_table_free(struct ktap_env *env, struct ktap_table *t, struct ktap_reaper *reaper);

/**
 * struct ktap_pair - a copy of an entry
 * @key: its key
 * @value: its value
 * @number: @value as a number: an integer itself, or the count or sum of an
 *	aggregation
 * @numeric: @number is valid
 */
struct ktap_pair {
	struct ktap_value key;
	struct ktap_value value;
	struct ktap_int128 number;
	bool numeric;
};

/**
 * struct ktap_sorted - a sorted copy of a table
 * @env: the environment of the table
 * @n: number of entries
 * @dropped: upper bound of entries that were left out since strings grew; counted
 * @entries: the entries; each holds a reference to its object
 * @blobs: memory of the blobs
 */
struct ktap_sorted {
	struct ktap_env *env;
	u32 n;
	u32 dropped;
	struct ktap_pair *entries;
	void *blobs;
};

enum ktap_order {
	KTAP_AS_INSERTED,
	KTAP_BY_KEY,		/* integers, then strings, then the rest; ascending */
	KTAP_BY_VALUE,		/* largest number first, other values last; then by key */
};

/*
 * Copy and sort a table.  Concurrent changes may or may not be in the copy.  NULL
 * counts as an empty table.  Context: process, may sleep.  Return 0, -ENOMEM, -EBUSY;
 * or -EINTR, with the error set, if the session is ending.
 */
int ktap_table_sort(struct ktap_vm *vm, struct ktap_table *t, enum ktap_order order,
		    struct ktap_sorted *out);
/* Report -ENOMEM of ktap_table_sort(); for other errors just return @err. */
int ktap_sort_failed(struct ktap_vm *vm, int err);
void ktap_sorted_free(struct ktap_sorted *sorted);

/* Charge for ktap_table_sort(), before it. */
int ktap_charge_sort(struct ktap_vm *vm, const struct ktap_table *t);

#endif /* _KTAP_TABLE_H */
