/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tables: memory of a script between events.
 */
#ifndef _KTAP_TABLE_H
#define _KTAP_TABLE_H

#include "vm.h"
#include "wide.h"

struct ktap_agg_shape;

#define KTAP_TABLE_DEFAULT	8192	/* entries */
#define KTAP_TABLE_LIMIT	BIT(20)

/**
 * struct ktap_iter - place in an iteration
 * @seq: serial number of the entry given last, 0 at the start
 * @cursor: of the table's, where it is if nobody has taken it; any number will do
 * @reached: serial number of the entry that a search for the place has come to; 0:
 *	there is no search under way.  0 at the start
 *
 * Entries have increasing serial numbers in the order of their insertion, and
 * keep them: an entry that is present all the time is given exactly once.
 */
struct ktap_iter {
	u64 seq;
	u32 cursor;
	u64 reached;
};

/*
 * All of these can be called in any context.  Keys: boolean, integer, pointer,
 * or blob.  The table owns copies.  Errors are set in @vm; an entry that does not fit is
 * counted in the environment's counters, and is no error.
 */

/* Gives a new table, empty; if there is no memory a nil that is lost (counted). */
int ktap_table_new(struct ktap_vm *vm, u32 max, struct ktap_value *v);
/* Gives a copy, blobs in the arena, nil if there is no such key (nil is none). */
int ktap_table_get(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   struct ktap_value *v);
/* False also if the table could not be looked at. */
bool ktap_table_has(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key);
/* Nil deletes. */
int ktap_table_set(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   struct ktap_value *v);
/* One operation: no update is lost.  Missing counts as 0. */
int ktap_table_add(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   const struct ktap_value *n);
/*
 * Gives the aggregation that the entry holds, a new one if there is no entry;
 * NULL (counted) if there can be none.
 */
int ktap_table_agg(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   const struct ktap_agg_shape *shape, struct ktap_agg **agg);
void ktap_table_clear(struct ktap_vm *vm, struct ktap_table *t);
u32 ktap_table_len(const struct ktap_table *t);
/* Most entries, and how many did not fit. */
u32 ktap_table_max(const struct ktap_table *t);
unsigned long ktap_table_dropped(const struct ktap_table *t);
/*
 * Gives all entries of a table to another one of the same maximum, which is empty
 * and which nobody else knows of, in one step.  False: this CPU is inside a lock.
 */
bool __must_check ktap_table_exchange(struct ktap_table *t, struct ktap_table *to);
/* Next entry, blobs in the arena.  Returns 1, 0 at the end, or a negative errno. */
int ktap_table_next(struct ktap_vm *vm, struct ktap_table *t, struct ktap_iter *it,
		    struct ktap_value *last_key, struct ktap_value *key, struct ktap_value *v);

/*
 * A table that no register knows of: whoever makes it frees it.  NULL (counted)
 * if there is no memory.  Freeing it fails, half done, if this CPU is inside a
 * lock of ktap.
 */
struct ktap_table *ktap_table_make(struct ktap_vm *vm, u32 max);
bool ktap_table_free(struct ktap_env *env, struct ktap_table *t);

/**
 * struct ktap_pair - an entry, copied
 * @key: its key
 * @value: its value
 * @number: what @value counts as: itself, or what an aggregation has counted
 *	or summed up
 * @numeric: there is a @number
 */
struct ktap_pair {
	struct ktap_value key;
	struct ktap_value value;
	struct ktap_wide number;
	bool numeric;
};

/**
 * struct ktap_sorted - a table copied and sorted
 * @env: where it is from
 * @n: entries
 * @dropped: entries, at most, for which strings that grew left no room; they are counted
 * @entries: them; they hold their objects
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
	KTAP_BY_VALUE,		/* largest number first, then what has none; then by key */
};

/*
 * What changes meanwhile may or may not be in it.  No table (NULL) is an empty one.
 * Context: process, may sleep.  0, -ENOMEM, -EBUSY; or -EINTR, with the error set:
 * the session is ending.
 */
int ktap_table_sort(struct ktap_vm *vm, struct ktap_table *t, enum ktap_order order,
		    struct ktap_sorted *out);
/* The error of a built-in function that could not sort: of any but -ENOMEM was told. */
int ktap_sort_failed(struct ktap_vm *vm, int err);
void ktap_sorted_free(struct ktap_sorted *sorted);

/* What ktap_table_sort() of a table costs, to be paid before. */
static inline int ktap_charge_sort(struct ktap_vm *vm, const struct ktap_table *t)
{
	return ktap_vm_charge(vm, t ? ktap_table_len(t) : 0);
}

#endif /* _KTAP_TABLE_H */
