// SPDX-License-Identifier: GPL-2.0
/*
 * Tables.
 */
#include <linux/align.h>
#include <linux/bits.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "agg.h"
#include "arith.h"
#include "entry.h"

/**
 * DOC: Tables
 *
 * A table is a hash of entries that are also linked in the order of their
 * insertion.  Handlers on all CPUs, in all contexts, use it at once.
 *
 * Locks (see lock.h): buckets are dealt out to KTAP_STRIPES locks by the lowest
 * bits of their number, which are those of the hash as well.  What looks for an
 * entry, or changes its value, holds the stripe of its hash: `t[k] += n` is one
 * operation under it, and events with different keys seldom wait for each other.
 * What puts an entry in, or takes one out, holds &ktap_table.order in addition, for
 * the list.  What goes along the list, or does anything else with the whole table,
 * holds all stripes, and so has it to itself.  Memory is taken before, outside of
 * the locks, and what turns out not to be needed is given back after.  What takes
 * longer (to empty a table, to copy it for output) is done in pieces.
 *
 * Growth: linear hashing.  An insertion splits at most two buckets, and takes a
 * page of buckets now and then; if there is no memory, chains get longer, to
 * some limit.  No insertion ever moves all entries.  What a bucket is split into
 * belongs to the same stripe.  &ktap_table.nbuckets is read under any stripe: it
 * may count buckets of other stripes that were made a moment ago or be about to,
 * but these make no difference to where a hash of this stripe belongs.
 *
 * Ownership: an entry owns copies of its key and value; who reads gets a copy
 * in the activation's arena.  Objects are not owned but referred to (object.c).
 *
 * Iteration: see cursor.c.
 */

/* Entries removed or copied while interrupts are off. */
#define PIECE			128
#define FIRST_PAGE_BUCKETS	16

/* Entries of a chain, on average, where there is no memory for more buckets. */
#define MAX_CHAIN		32

static u32 hash_key(const struct ktap_env *env, const struct ktap_value *key)
{
	if (ktap_is_blob(key))
		return jhash(key->blob, key->len, env->seed + key->tag);
	return jhash_3words(key->u, key->u >> 32, key->tag, env->seed);
}

/*
 * Buckets lie on pages.  They are small, so that one is found even in memory
 * that is all in pieces; the largest tables have larger ones, so that the list
 * of the pages fits into a block.
 */
#define SMALL_PAGE		7	/* log2 of buckets */
#define LARGE_PAGE		10
#define MAX_SMALL		BIT(SMALL_PAGE + 10)	/* entries */

static_assert(sizeof(struct ktap_table) + (KTAP_TABLE_LIMIT >> LARGE_PAGE) * sizeof(void *) <=
	      KTAP_HEAP_MAX_ALLOC);
static_assert(sizeof(struct ktap_table) + (MAX_SMALL >> SMALL_PAGE) * sizeof(void *) <=
	      KTAP_HEAP_MAX_ALLOC);

static u32 max_pages(u32 max, u32 page_bits)
{
	return DIV_ROUND_UP(max, BIT(page_bits));
}

static struct ktap_entry **bucket_at(struct ktap_table *t, u32 n)
{
	return &t->pages[n >> t->page_bits][n & (BIT(t->page_bits) - 1)];
}

static size_t page_size(const struct ktap_table *t)
{
	return BIT(t->page_bits) * sizeof(struct ktap_entry *);
}

static struct ktap_lock *stripe_of(struct ktap_table *t, u32 hash)
{
	return &t->stripes[hash % KTAP_STRIPES].lock;
}

/* The lowest bits of its number are those of the hash: there are never fewer buckets. */
static_assert(FIRST_PAGE_BUCKETS % KTAP_STRIPES == 0);

bool ktap_table_lock(struct ktap_table *t, unsigned long *flags)
{
	int i;

	if (!ktap_lock(stripe_of(t, 0), flags))
		return false;
	for (i = 1; i < KTAP_STRIPES; i++)
		ktap_lock_nested(stripe_of(t, i));
	return true;
}

void ktap_table_unlock(struct ktap_table *t, unsigned long flags)
{
	int i;

	for (i = KTAP_STRIPES - 1; i > 0; i--)
		ktap_unlock_nested(stripe_of(t, i));
	ktap_unlock(stripe_of(t, 0), flags);
}

/* The largest power of two not above the number of buckets. */
static u32 old_buckets(u32 nbuckets)
{
	return 1U << ilog2(nbuckets);
}

/* The stripe is held. */
static struct ktap_entry **bucket(struct ktap_table *t, u32 hash)
{
	u32 nbuckets = READ_ONCE(t->nbuckets), old = old_buckets(nbuckets);
	u32 n = hash & (old * 2 - 1);

	/* Without a branch, which could be taken wrongly: where it is not there, its parent. */
	n &= (old - 1) | (u32)array_index_mask_nospec(n, nbuckets);
	return bucket_at(t, n);
}

static struct ktap_entry *find(struct ktap_table *t, u32 hash, const struct ktap_value *key)
{
	struct ktap_entry *e;

	for (e = *bucket(t, hash); e; e = e->chain) {
		if (e->hash == hash && ktap_equal(&e->key, key))
			return e;
	}
	return NULL;
}

struct ktap_entry *ktap_table_find(struct ktap_env *env, struct ktap_table *t,
				   const struct ktap_value *key)
{
	return find(t, hash_key(env, key), key);
}

static size_t blob_size(const struct ktap_value *v)
{
	return ktap_is_blob(v) ? ALIGN((size_t)v->len, 8) : 0;
}

static size_t entry_size(const struct ktap_value *key)
{
	return sizeof(struct ktap_entry) + blob_size(key);
}

/*
 * Doubles the first page: those of other stripes lie on it as well.  The whole
 * table is locked.
 */
static bool double_first_page(struct ktap_env *env, struct ktap_table *t)
{
	size_t size = t->first_page * sizeof(void *);
	struct ktap_entry **buckets = ktap_heap_alloc_nested(&env->heap, 2 * size);

	if (!buckets)
		return false;
	memcpy(buckets, t->pages[0], size);
	ktap_heap_free_nested(&env->heap, t->pages[0], size);
	t->pages[0] = buckets;
	t->first_page *= 2;
	return true;
}

/* Is there a place for bucket @n, the next one? */
static bool has_room(const struct ktap_table *t, u32 n)
{
	u32 page = n >> t->page_bits;

	if (!page)
		return n < t->first_page;
	return page < max_pages(t->max, t->page_bits) && t->pages[page];
}

/* Sees to it.  On the first page only if the whole table is locked. */
static bool make_room(struct ktap_env *env, struct ktap_table *t, u32 n)
{
	u32 page = n >> t->page_bits;

	if (has_room(t, n))
		return true;
	if (!page)
		return double_first_page(env, t);
	if (page < max_pages(t->max, t->page_bits))
		t->pages[page] = ktap_heap_alloc_nested(&env->heap, page_size(t));
	return has_room(t, n);
}

/* Linear hashing: moves a part of one bucket to the new one @n. */
static void split_bucket(struct ktap_table *t, u32 n)
{
	u32 old = old_buckets(n);
	struct ktap_entry **from = bucket_at(t, n & (old - 1)), **to = bucket_at(t, n), *e;

	*to = NULL;
	while ((e = *from)) {
		if ((e->hash & (old * 2 - 1)) != n) {
			from = &e->chain;
			continue;
		}
		*from = e->chain;
		e->chain = *to;
		*to = e;
	}
	WRITE_ONCE(t->nbuckets, n + 1);
}

/* False: there is no memory, or this CPU is inside a lock. */
static bool add_bucket(struct ktap_env *env, struct ktap_table *t)
{
	u32 n = READ_ONCE(t->nbuckets);
	bool whole = !(n >> t->page_bits), room = true;
	unsigned long flags;

	if (!(whole ? ktap_table_lock(t, &flags) : ktap_lock(stripe_of(t, n), &flags)))
		return false;
	ktap_lock_nested(&t->order);
	/* Else somebody else has added it. */
	if (t->nbuckets == n) {
		room = make_room(env, t, n);
		if (room)
			split_bucket(t, n);
	}
	ktap_unlock_nested(&t->order);
	if (whole)
		ktap_table_unlock(t, flags);
	else
		ktap_unlock(stripe_of(t, n), flags);
	return room;
}

static bool is_crowded(const struct ktap_table *t)
{
	return READ_ONCE(t->count) > READ_ONCE(t->nbuckets);
}

/* After an insertion. */
static void grow(struct ktap_env *env, struct ktap_table *t)
{
	int i;

	for (i = 0; i < 2 && is_crowded(t) && add_bucket(env, t); i++)
		;
}

/* The stripe and the order are held. */
static void insert_entry(struct ktap_table *t, struct ktap_entry *e)
{
	struct ktap_entry **head = bucket(t, e->hash);

	e->chain = *head;
	*head = e;

	e->seq = ++t->seq;
	e->prev = t->last;
	e->next = NULL;
	if (t->last)
		t->last->next = e;
	else
		t->first = e;
	t->last = e;
	if (unlikely(t->ncursors))
		ktap_cursors_see_new(t, e);
	WRITE_ONCE(t->count, t->count + 1);
}

static void count_blobs(struct ktap_table *t, long bytes)
{
	if (bytes)
		atomic_long_add(bytes, &t->blob_bytes);
}

/* The stripe and the order are held.  It is not freed. */
static void unlink_entry(struct ktap_table *t, struct ktap_entry *e)
{
	struct ktap_entry **link = bucket(t, e->hash);

	while (*link != e)
		link = &(*link)->chain;
	*link = e->chain;

	if (e->prev)
		e->prev->next = e->next;
	else
		t->first = e->next;
	if (e->next)
		e->next->prev = e->prev;
	else
		t->last = e->prev;
	if (unlikely(t->ncursors))
		ktap_cursors_leave(t, e);
	WRITE_ONCE(t->count, t->count - 1);
}

/* The stripe is held. */
static void remove_entry(struct ktap_env *env, struct ktap_table *t, struct ktap_entry *e)
{
	ktap_lock_nested(&t->order);
	unlink_entry(t, e);
	ktap_unlock_nested(&t->order);
	count_blobs(t, -(long)(blob_size(&e->key) + blob_size(&e->value)));
	ktap_slot_replace(env, &e->value, &KTAP_VALUE_NIL);
	ktap_heap_free_nested(&env->heap, e, entry_size(&e->key));
}

static struct ktap_entry *new_entry(struct ktap_vm *vm, u32 hash, const struct ktap_value *key)
{
	struct ktap_entry *e = ktap_slot_alloc(vm, entry_size(key));

	if (!e)
		return NULL;
	e->hash = hash;
	e->key = *key;
	if (ktap_is_blob(key)) {
		memcpy(e->bytes, key->blob, key->len);
		e->key.blob = e->bytes;
	}
	e->value = KTAP_VALUE_NIL;
	return e;
}

static struct ktap_stripe *pick_stripes(struct ktap_env *env)
{
	return env->stripes[(u32)atomic_inc_return(&env->next_stripes) % KTAP_STRIPE_SETS];
}

/* NULL (counted) if there is no memory. */
struct ktap_table *ktap_table_make(struct ktap_vm *vm, u32 max)
{
	u32 page_bits = max <= MAX_SMALL ? SMALL_PAGE : LARGE_PAGE;
	size_t page = FIRST_PAGE_BUCKETS * sizeof(void *), size;
	struct ktap_table *t;

	size = struct_size(t, pages, max_pages(max, page_bits));
	t = ktap_slot_alloc(vm, size);
	if (!t)
		return NULL;
	memset(t, 0, size);
	t->pages[0] = ktap_slot_alloc(vm, page);
	if (!t->pages[0]) {
		ktap_heap_free(&vm->env->heap, t, size);
		return NULL;
	}
	memset(t->pages[0], 0, page);
	ktap_object_init(&t->object, KTAP_TABLE);
	ktap_lock_init(&t->order);
	t->stripes = pick_stripes(vm->env);
	t->max = max;
	t->page_bits = page_bits;
	t->nbuckets = FIRST_PAGE_BUCKETS;
	t->first_page = FIRST_PAGE_BUCKETS;
	return t;
}

int ktap_table_new(struct ktap_vm *vm, u32 max, struct ktap_value *v)
{
	struct ktap_table *t;
	int err;

	*v = KTAP_VALUE_LOST;
	err = ktap_object_make_room(vm);
	if (err)
		return err;
	t = ktap_table_make(vm, max ?: KTAP_TABLE_DEFAULT);
	if (t)
		ktap_object_give(vm, &t->object, v);
	return 0;
}

int ktap_table_get(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   struct ktap_value *v)
{
	u32 hash = hash_key(vm->env, key), room = 0;
	struct ktap_lock *stripe = stripe_of(t, hash);
	struct ktap_value copy;
	struct ktap_entry *e;
	unsigned long flags;
	void *mem = NULL;
	bool done;

	for (;;) {
		copy = KTAP_VALUE_NIL;
		if (!ktap_lock(stripe, &flags)) {
			ktap_count_busy(vm->env);
			break;
		}
		e = find(t, hash, key);
		done = !e || ktap_slot_copy(&copy, &e->value, mem, room);
		ktap_unlock(stripe, flags);
		if (done)
			break;
		mem = ktap_slot_make_room(vm, &room, copy.len);
		if (!mem)
			return vm->error;
	}
	*v = copy;
	return 0;
}

bool ktap_table_has(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key)
{
	u32 hash = hash_key(vm->env, key);
	struct ktap_lock *stripe = stripe_of(t, hash);
	unsigned long flags;
	bool has;

	if (!ktap_lock(stripe, &flags)) {
		ktap_count_busy(vm->env);
		return false;
	}
	has = find(t, hash, key);
	ktap_unlock(stripe, flags);
	return has;
}

static int delete(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key)
{
	u32 hash = hash_key(vm->env, key);
	struct ktap_lock *stripe = stripe_of(t, hash);
	struct ktap_entry *e;
	unsigned long flags;

	if (!ktap_lock(stripe, &flags)) {
		ktap_count_busy(vm->env);
		return 0;
	}
	e = find(t, hash, key);
	if (e)
		remove_entry(vm->env, t, e);
	ktap_unlock(stripe, flags);
	return 0;
}

/* What became of an update. */
enum outcome {
	DONE,
	USED,		/* done, and the new entry is in the table */
	NO_ENTRY,	/* there is no such key, and no new entry was given */
	FULL,
	NO_BUCKETS,	/* no memory for them, and the chains are long */
	BUSY,
	NO_SUM,
};

/* What is to be said of room for one more.  The order is held. */
static enum outcome room_for_entry(struct ktap_table *t)
{
	if (t->count >= t->max) {
		WRITE_ONCE(t->dropped, t->dropped + 1);
		return FULL;
	}
	return t->count / MAX_CHAIN >= t->nbuckets ? NO_BUCKETS : USED;
}

/* Makes @new, if there is room for one, the entry of its key; takes the prepared @v. */
static enum outcome insert_locked(struct ktap_env *env, struct ktap_table *t,
				  struct ktap_entry *new, const struct ktap_value *v)
{
	enum outcome outcome;

	ktap_lock_nested(&t->order);
	outcome = room_for_entry(t);
	if (outcome == USED && !new)
		outcome = NO_ENTRY;
	if (outcome == USED)
		insert_entry(t, new);
	ktap_unlock_nested(&t->order);
	if (outcome != USED)
		return outcome;
	/* The stripe keeps others away from it. */
	ktap_slot_replace(env, &new->value, v);
	count_blobs(t, blob_size(&new->key) + blob_size(v));
	return USED;
}

static enum outcome update_locked(struct ktap_env *env, struct ktap_table *t, u32 hash,
				  const struct ktap_value *key, struct ktap_value *v, bool add,
				  struct ktap_entry *new)
{
	struct ktap_entry *e = find(t, hash, key);

	if (!e)
		return insert_locked(env, t, new, v);
	if (add) {
		if (ktap_slot_add(&e->value, v->i))
			return DONE;
		v->tag = e->value.tag;
		return NO_SUM;
	}
	count_blobs(t, (long)blob_size(v) - (long)blob_size(&e->value));
	ktap_slot_replace(env, &e->value, v);
	return DONE;
}

/* Counts what was not done, for whichever reason. */
static void count_loss(struct ktap_env *env, enum outcome outcome)
{
	if (outcome == BUSY)
		ktap_count_busy(env);
	else if (outcome == FULL)
		atomic_long_inc(&env->counters.full_table);
	else if (outcome == NO_BUCKETS)
		atomic_long_inc(&env->counters.no_memory);
}

/* Most updates find their entry: only then is memory for a new one taken. */
static int update(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		  struct ktap_value *owned, bool add)
{
	u32 hash = hash_key(vm->env, key);
	struct ktap_lock *stripe = stripe_of(t, hash);
	struct ktap_entry *new = NULL;
	enum outcome outcome;
	unsigned long flags;

	for (;;) {
		outcome = BUSY;
		if (!ktap_lock(stripe, &flags))
			break;
		outcome = update_locked(vm->env, t, hash, key, owned, add, new);
		ktap_unlock(stripe, flags);
		if (outcome != NO_ENTRY)
			break;
		new = new_entry(vm, hash, key);
		if (!new)
			break;
	}
	count_loss(vm->env, outcome);
	if (outcome == USED) {
		grow(vm->env, t);
		return 0;
	}
	if (new)
		ktap_heap_free(&vm->env->heap, new, entry_size(key));
	if (outcome == NO_SUM)
		return ktap_bad_operand(vm, owned);
	if (outcome != DONE)
		ktap_slot_discard(vm, owned);
	return 0;
}

int ktap_table_set(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   struct ktap_value *v)
{
	struct ktap_value owned;
	int ret;

	if (v->tag == KTAP_NIL)
		return delete(vm, t, key);
	ret = ktap_slot_prepare(vm, v, &owned);
	if (ret <= 0)
		return ret;
	return update(vm, t, key, &owned, false);
}

int ktap_table_add(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   const struct ktap_value *n)
{
	struct ktap_value owned;
	int err;

	err = ktap_want_addend(vm, n);
	if (err)
		return err;
	owned = KTAP_VALUE_INT(ktap_number(n));
	return update(vm, t, key, &owned, true);
}

/* Gives what the entry holds; or puts in @made, if there is no entry and room for it. */
static enum outcome fetch_locked(struct ktap_env *env, struct ktap_table *t, u32 hash,
				 const struct ktap_value *key, const struct ktap_value *made,
				 struct ktap_entry *new, struct ktap_value *v)
{
	struct ktap_entry *e = find(t, hash, key);

	*v = e ? e->value : *made;
	return e ? DONE : insert_locked(env, t, new, made);
}

int ktap_table_agg(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   const struct ktap_agg_shape *shape, struct ktap_agg **agg)
{
	struct ktap_value v = KTAP_VALUE_NIL, made = KTAP_VALUE_NIL;
	u32 hash = hash_key(vm->env, key);
	struct ktap_lock *stripe = stripe_of(t, hash);
	struct ktap_entry *new = NULL;
	enum outcome outcome;
	unsigned long flags;

	*agg = NULL;
	for (;;) {
		outcome = BUSY;
		if (!ktap_lock(stripe, &flags))
			break;
		outcome = fetch_locked(vm->env, t, hash, key, &made, new, &v);
		ktap_unlock(stripe, flags);
		if (outcome != NO_ENTRY)
			break;
		made.agg = ktap_agg_make(vm, shape);
		if (!made.agg)
			break;
		made.tag = KTAP_AGG;
		new = new_entry(vm, hash, key);
		if (!new)
			break;
	}
	count_loss(vm->env, outcome);
	if (outcome == USED)
		grow(vm->env, t);
	/* Somebody else may have been faster. */
	if (outcome != USED && new)
		ktap_heap_free(&vm->env->heap, new, entry_size(key));
	if (outcome != USED && made.agg)
		ktap_agg_free(vm->env, made.agg);
	if (outcome != USED && outcome != DONE)
		return 0;
	if (v.tag != KTAP_AGG)
		return ktap_vm_error(vm, -EINVAL,
				     "'<<<' on %s: only an aggregation takes values",
				     ktap_type_name(&v));
	*agg = v.agg;
	return 0;
}

/* Entries that come while it empties the table stay.  False: it was busy. */
static bool empty(struct ktap_env *env, struct ktap_table *t)
{
	u64 end = U64_MAX;
	unsigned long flags;
	bool more;
	int i;

	do {
		if (!ktap_table_lock(t, &flags))
			return false;
		end = min(end, t->seq);
		for (i = 0; i < PIECE && t->first && t->first->seq <= end; i++)
			remove_entry(env, t, t->first);
		more = t->first && t->first->seq <= end;
		ktap_table_unlock(t, flags);
	} while (more);
	return true;
}

void ktap_table_clear(struct ktap_vm *vm, struct ktap_table *t)
{
	if (!empty(vm->env, t))
		ktap_count_busy(vm->env);
}

bool ktap_table_exchange(struct ktap_table *t, struct ktap_table *to)
{
	u32 count, nbuckets, i;
	unsigned long flags;

	if (!ktap_table_lock(t, &flags))
		return false;
	count = t->count;
	nbuckets = t->nbuckets;
	/* These are read without a lock. */
	WRITE_ONCE(t->count, to->count);
	WRITE_ONCE(t->nbuckets, to->nbuckets);
	to->count = count;
	to->nbuckets = nbuckets;
	swap(t->first_page, to->first_page);
	swap(t->first, to->first);
	swap(t->last, to->last);
	/* Numbers go on, for those who iterate: all that comes is behind their places. */
	to->seq = t->seq;
	ktap_cursors_forget(t);
	for (i = 0; i < max_pages(t->max, t->page_bits); i++)
		swap(t->pages[i], to->pages[i]);
	atomic_long_set(&to->blob_bytes, atomic_long_xchg(&t->blob_bytes, 0));
	ktap_table_unlock(t, flags);
	return true;
}

u32 ktap_table_len(const struct ktap_table *t)
{
	return READ_ONCE(t->count);
}

u32 ktap_table_max(const struct ktap_table *t)
{
	return t->max;
}

unsigned long ktap_table_dropped(const struct ktap_table *t)
{
	return READ_ONCE(t->dropped);
}

bool ktap_table_free(struct ktap_env *env, struct ktap_table *t)
{
	u32 i, n = max_pages(t->max, t->page_bits);

	if (!empty(env, t))
		return false;
	ktap_heap_free(&env->heap, t->pages[0], t->first_page * sizeof(void *));
	for (i = 1; i < n && t->pages[i]; i++)
		ktap_heap_free(&env->heap, t->pages[i], page_size(t));
	ktap_heap_free(&env->heap, t, struct_size(t, pages, n));
	return true;
}
