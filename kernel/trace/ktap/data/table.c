// SPDX-License-Identifier: GPL-2.0
/*
 * Tables.
 */
#include <linux/align.h>
#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "data/table_priv.h"
#include "vm/arith.h"
#include "vm/bytes.h"
#include "vm/env.h"
#include "vm/vm.h"

/**
 * DOC: Tables
 *
 * A table is a hash of entries that are also linked in the order of their
 * insertion.  Handlers on all CPUs, in all contexts, use it concurrently.
 *
 * Locks (see lock.h): the lowest bits of a bucket's number, which are also the
 * lowest bits of the hash, select one of KTAP_STRIPES locks.  A lookup, or an
 * update of a value, holds the stripe of its hash: `t[k] += n` is one operation
 * under it, and events with different keys seldom wait for each other.  An
 * insertion or a removal also takes &ktap_table.order, which protects the list.
 * A walk along the list, or any other operation on the whole table, holds all
 * stripes.  Memory is allocated before a lock is taken; memory that was not
 * needed is freed after.  Longer operations (to empty a table, to copy it for
 * output) are done in pieces.
 *
 * Growth: linear hashing.  An insertion splits at most two buckets, and allocates
 * a page of buckets from time to time; without memory chains get longer, up to a
 * limit.  No insertion ever moves all entries.  Both parts of a split bucket
 * belong to the same stripe.  &ktap_table.nbuckets is read under any stripe: it
 * may miss or include recent buckets of other stripes, but those do not change
 * the bucket of a hash of this stripe.  The same holds for &ktap_table.mask.
 *
 * Ownership: an entry owns copies of its key and value; a reader gets a copy in
 * the arena of its activation.  An entry refers to objects without owning them
 * (object.c).
 *
 * Iteration: see cursor.c.
 */

/* Entries removed or copied while interrupts are off. */
#define TABLE_PIECE			128

/* ktap_table_new() charges a unit for each of these: it clears @pages. */
#define ENTRIES_A_UNIT		16384

/* Units for the insertion or removal of an entry, besides those of the instruction. */
#define INSERT_COST		5
#define REMOVE_COST		2

#define FIRST_PAGE_BUCKETS	16

/* Average length of chains at which insertions fail, without memory for more buckets. */
#define MAX_CHAIN		32

/* Multiply, and fold the product: each bit of both words has an effect on the result. */
static __always_inline u64 table_mix(u64 x, u64 y)
{
	struct ktap_int128 product = ktap_int128_mul(x, y);

	return product.lo ^ product.hi;
}

static u64 table_mix_bytes(const u64 *secret, const void *p, size_t len)
{
	u64 hash = secret[0] + len;

	for (; len > 2 * sizeof(u64); p += 2 * sizeof(u64), len -= 2 * sizeof(u64))
		hash = table_mix(ktap_word(p) ^ secret[1], ktap_word(p + sizeof(u64)) ^ hash);
	if (len < sizeof(u64))
		return table_mix(ktap_short_word(p, len) ^ hash, secret[1]);
	return table_mix(ktap_word(p) ^ secret[1], ktap_word(p + len - sizeof(u64)) ^ hash);
}

/*
 * Two random words, &ktap_env.secret, mask the key: who does not know them cannot choose
 * keys that collide.  With some of them, keys that differ in a few bits differ only in a
 * part of the product: hash_64() combines all of it.
 */
static __always_inline u32 table_hash_word(const struct ktap_env *env, u64 x)
{
	return hash_64(table_mix(x ^ env->secret[0], env->secret[1]), 32);
}

static noinline u32 table_hash_key(const struct ktap_env *env, const struct ktap_value *key)
{
	if (!ktap_is_blob(key))
		return table_hash_word(env, key->u);
	return hash_64(table_mix_bytes(env->secret, key->blob, key->len), 32);
}

/*
 * Buckets lie on pages.  Pages are small, so that one is found even in fragmented
 * memory; the largest tables have larger ones, so that the list of the pages fits
 * into a block of the heap.
 */
#define SMALL_PAGE		7	/* log2 of buckets */
#define LARGE_PAGE		10
#define MAX_SMALL		BIT(SMALL_PAGE + 10)	/* entries */

static_assert(sizeof(struct ktap_table) + (KTAP_TABLE_LIMIT >> LARGE_PAGE) * sizeof(void *) <=
	      KTAP_HEAP_MAX_ALLOC);
static_assert(sizeof(struct ktap_table) + (MAX_SMALL >> SMALL_PAGE) * sizeof(void *) <=
	      KTAP_HEAP_MAX_ALLOC);

static u32 table_max_pages(u32 max, u32 page_bits)
{
	return DIV_ROUND_UP(max, BIT(page_bits));
}

static __always_inline struct ktap_entry **table_bucket_at(struct ktap_table *t, u32 n)
{
	return &t->pages[n >> t->page_bits][n & (BIT(t->page_bits) - 1)];
}

static size_t table_page_size(const struct ktap_table *t)
{
	return BIT(t->page_bits) * sizeof(struct ktap_entry *);
}

static __always_inline struct ktap_lock *table_stripe_of(struct ktap_table *t, u32 hash)
{
	return &t->stripes[hash % KTAP_STRIPES].lock;
}

/* A bucket's number and its hashes must have the lowest bits in common. */
static_assert(FIRST_PAGE_BUCKETS % KTAP_STRIPES == 0);

bool ktap_table_lock(struct ktap_table *t, unsigned long *flags)
{
	int i;

	if (!ktap_lock(table_stripe_of(t, 0), flags))
		return false;
	for (i = 1; i < KTAP_STRIPES; i++)
		ktap_lock_nested(table_stripe_of(t, i));
	return true;
}

void ktap_table_unlock(struct ktap_table *t, unsigned long flags)
{
	int i;

	for (i = KTAP_STRIPES - 1; i > 0; i--)
		ktap_unlock_nested(table_stripe_of(t, i));
	ktap_unlock(table_stripe_of(t, 0), flags);
}

static __always_inline struct ktap_entry **table_bucket(struct ktap_table *t, u32 hash)
{
	u32 mask = READ_ONCE(t->mask), n = hash & mask;

	ktap_assert_locked();
	/* Branch-free (Spectre v1): a bucket not yet split off falls back to its parent. */
	n &= (mask >> 1) | (u32)array_index_mask_nospec(n, READ_ONCE(t->nbuckets));
	return table_bucket_at(t, n);
}

static __always_inline struct ktap_entry *table_find_int(struct ktap_table *t, u32 hash, u64 i)
{
	struct ktap_entry *e;

	ktap_assert_held(table_stripe_of(t, hash));
	for (e = *table_bucket(t, hash); e; e = e->chain) {
		if (e->key.u == i && e->key.tag == KTAP_INT)
			return e;
	}
	return NULL;
}

static __always_inline bool table_same_key(const struct ktap_value *x, const struct ktap_value *y)
{
	if (x->tag != y->tag)
		return false;
	if (!ktap_is_blob(x))
		return x->u == y->u;
	return x->len == y->len && ktap_same_bytes(x->blob, y->blob, x->len);
}

static noinline struct ktap_entry *table_find(struct ktap_table *t, u32 hash,
					      const struct ktap_value *key)
{
	struct ktap_entry *e;

	ktap_assert_held(table_stripe_of(t, hash));
	for (e = *table_bucket(t, hash); e; e = e->chain) {
		if (e->hash == hash && table_same_key(&e->key, key))
			return e;
	}
	return NULL;
}

struct ktap_entry *ktap_table_find(struct ktap_env *env, struct ktap_table *t,
				   const struct ktap_value *key)
{
	return table_find(t, table_hash_key(env, key), key);
}

static size_t table_blob_size(const struct ktap_value *v)
{
	return ktap_is_blob(v) ? ALIGN((size_t)v->len, 8) : 0;
}

static size_t table_entry_size(const struct ktap_value *key)
{
	return sizeof(struct ktap_entry) + table_blob_size(key);
}

/* Double the first page.  It has buckets of all stripes: the whole table must be locked. */
static bool table_double_first_page(struct ktap_env *env, struct ktap_table *t)
{
	size_t size = t->first_page * sizeof(void *);
	struct ktap_entry **buckets;

	ktap_assert_locked();
	buckets = ktap_heap_alloc_nested(&env->heap, 2 * size);
	if (!buckets)
		return false;
	memcpy(buckets, t->pages[0], size);
	ktap_heap_free_nested(&env->heap, t->pages[0], size);
	t->pages[0] = buckets;
	t->first_page *= 2;
	return true;
}

/* Return true if the pages have room for bucket @n, the next one. */
static bool table_has_room(const struct ktap_table *t, u32 n)
{
	u32 page = n >> t->page_bits;

	if (!page)
		return n < t->first_page;
	return page < table_max_pages(t->max, t->page_bits) && t->pages[page];
}

/* Make room for bucket @n.  To grow the first page, the whole table must be locked. */
static bool table_make_room(struct ktap_env *env, struct ktap_table *t, u32 n)
{
	u32 page = n >> t->page_bits;

	if (table_has_room(t, n))
		return true;
	if (!page)
		return table_double_first_page(env, t);
	if (page < table_max_pages(t->max, t->page_bits))
		t->pages[page] = ktap_heap_alloc_nested(&env->heap, table_page_size(t));
	return table_has_room(t, n);
}

/* Linear hashing: move a part of one bucket to the new bucket @n. */
static void table_split_bucket(struct ktap_table *t, u32 n)
{
	u32 mask = t->mask, parent = n & (mask >> 1);
	struct ktap_entry **from = table_bucket_at(t, parent), **to = table_bucket_at(t, n), *e;

	*to = NULL;
	while ((e = *from)) {
		if ((e->hash & mask) != n) {
			from = &e->chain;
			continue;
		}
		*from = e->chain;
		e->chain = *to;
		*to = e;
	}
	WRITE_ONCE(t->nbuckets, n + 1);
	/* The number of the next bucket has one bit more. */
	if (n == mask)
		WRITE_ONCE(t->mask, 2 * mask + 1);
}

/* Return false without memory, or if this CPU is inside a lock. */
static bool table_add_bucket(struct ktap_env *env, struct ktap_table *t)
{
	u32 n = READ_ONCE(t->nbuckets);
	bool whole = !(n >> t->page_bits), room = true;
	unsigned long flags;

	if (!(whole ? ktap_table_lock(t, &flags) : ktap_lock(table_stripe_of(t, n), &flags)))
		return false;
	ktap_lock_nested(&t->order);
	/* Otherwise another CPU has added it. */
	if (t->nbuckets == n) {
		room = table_make_room(env, t, n);
		if (room)
			table_split_bucket(t, n);
	}
	ktap_unlock_nested(&t->order);
	if (whole)
		ktap_table_unlock(t, flags);
	else
		ktap_unlock(table_stripe_of(t, n), flags);
	return room;
}

static bool table_is_crowded(const struct ktap_table *t)
{
	return READ_ONCE(t->count) > READ_ONCE(t->nbuckets);
}

/* Add up to two buckets after an insertion. */
static void table_grow(struct ktap_env *env, struct ktap_table *t)
{
	int i;

	for (i = 0; i < 2 && table_is_crowded(t) && table_add_bucket(env, t); i++)
		;
}

static void table_insert_entry(struct ktap_table *t, struct ktap_entry *e)
{
	struct ktap_entry **head = table_bucket(t, e->hash);

	ktap_assert_held(table_stripe_of(t, e->hash));
	ktap_assert_held(&t->order);

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

static void table_count_blobs(struct ktap_table *t, long bytes)
{
	if (bytes)
		atomic_long_add(bytes, &t->blob_bytes);
}

/* Unlink an entry without freeing it. */
static void table_unlink_entry(struct ktap_table *t, struct ktap_entry *e)
{
	struct ktap_entry **link = table_bucket(t, e->hash);

	ktap_assert_held(table_stripe_of(t, e->hash));
	ktap_assert_held(&t->order);
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

static void table_remove_entry(struct ktap_env *env, struct ktap_table *t, struct ktap_entry *e)
{
	ktap_lock_nested(&t->order);
	table_unlink_entry(t, e);
	ktap_unlock_nested(&t->order);
	table_count_blobs(t, -(long)(table_blob_size(&e->key) + table_blob_size(&e->value)));
	ktap_slot_replace(env, &e->value, &KTAP_VALUE_NIL);
	ktap_heap_free_nested(&env->heap, e, table_entry_size(&e->key));
}

/* Release the object of an entry on behalf of the reaper. */
static void table_orphan_value(struct ktap_env *env, struct ktap_entry *e,
			       struct ktap_reaper *reaper)
{
	struct ktap_object *object;

	if (!ktap_is_object(&e->value))
		return;
	object = ktap_object_of(&e->value);
	e->value = KTAP_VALUE_NIL;
	ktap_object_orphan(env, object, reaper);
}

static struct ktap_entry *table_new_entry(struct ktap_vm *vm, u32 hash,
					  const struct ktap_value *key)
{
	struct ktap_entry *e = ktap_slot_alloc(vm, table_entry_size(key));

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

static struct ktap_stripe *table_pick_stripes(struct ktap_env *env)
{
	return env->stripes[(u32)atomic_inc_return(&env->next_stripes) % KTAP_STRIPE_SETS];
}

static bool table_free_object(struct ktap_env *env, struct ktap_object *object,
			      struct ktap_reaper *reaper)
{
	return ktap_table_free(env, container_of(object, struct ktap_table, object), reaper);
}

static const struct ktap_object_ops table_ops = {
	.tag = KTAP_TABLE,
	.free = table_free_object,
};

struct ktap_table *ktap_table_make(struct ktap_vm *vm, u32 max)
{
	u32 page_bits = max <= MAX_SMALL ? SMALL_PAGE : LARGE_PAGE;
	size_t page = FIRST_PAGE_BUCKETS * sizeof(void *), size;
	struct ktap_table *t;

	size = struct_size(t, pages, table_max_pages(max, page_bits));
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
	ktap_object_init(&t->object, &table_ops);
	ktap_lock_init(&t->order);
	t->stripes = table_pick_stripes(vm->env);
	t->max = max;
	t->page_bits = page_bits;
	t->nbuckets = FIRST_PAGE_BUCKETS;
	t->mask = 2 * FIRST_PAGE_BUCKETS - 1;
	t->first_page = FIRST_PAGE_BUCKETS;
	return t;
}

int ktap_table_new(struct ktap_vm *vm, u32 max, struct ktap_value *v)
{
	struct ktap_table *t;
	int err;

	*v = KTAP_VALUE_LOST;
	max = max ?: KTAP_TABLE_DEFAULT;
	err = ktap_object_make_room(vm) ?: ktap_vm_charge(vm, max / ENTRIES_A_UNIT);
	if (err)
		return err;
	t = ktap_table_make(vm, max);
	if (t)
		ktap_object_give(vm, &t->object, v);
	return 0;
}

/**
 * struct table_place - the place of a key in a table
 * @locked: the stripe of the key is locked; otherwise nothing else is valid
 * @hash: hash of the key
 * @stripe: the lock of this hash
 * @flags: to unlock it
 * @e: the entry, or NULL
 */
struct table_place {
	bool locked;
	u32 hash;
	struct ktap_lock *stripe;
	unsigned long flags;
	struct ktap_entry *e;
};

/* Lock the stripe of a key, and find its entry. */
static __always_inline struct table_place table_enter(struct ktap_vm *vm, struct ktap_table *t,
						      const struct ktap_value *key)
{
	u32 hash = table_hash_key(vm->env, key);
	struct ktap_lock *stripe = table_stripe_of(t, hash);
	unsigned long flags;

	if (!ktap_lock(stripe, &flags))
		return (struct table_place){ };
	return (struct table_place){
		.locked = true, .hash = hash, .stripe = stripe, .flags = flags,
		.e = table_find(t, hash, key),
	};
}

/*
 * table_enter() for integers, the most frequent keys.  It calls nothing, so that an
 * operation on an existing entry needs no stack.  It may fail at any time: use
 * table_enter() then.
 */
static __always_inline struct table_place table_try(struct ktap_vm *vm, struct ktap_table *t,
						    const struct ktap_value *key)
{
	struct ktap_lock *stripe;
	unsigned long flags;
	u32 hash;

	if (key->tag != KTAP_INT)
		return (struct table_place){ };
	hash = table_hash_word(vm->env, key->u);
	stripe = table_stripe_of(t, hash);
	if (unlikely(!ktap_trylock(stripe, &flags)))
		return (struct table_place){ };
	return (struct table_place){
		.locked = true, .hash = hash, .stripe = stripe, .flags = flags,
		.e = table_find_int(t, hash, key->u),
	};
}

static int table_is_busy(struct ktap_vm *vm)
{
	ktap_count_busy(vm->env);
	return 0;
}

/* Copy a blob, which had @need bytes a moment ago. */
static noinline int table_get_blob(struct ktap_vm *vm, struct ktap_table *t,
				   const struct ktap_value *key, u32 need, struct ktap_value *v)
{
	struct ktap_value copy = { .len = need };
	struct table_place p;
	u32 room = 0;
	void *mem;
	bool done;

	do {
		mem = ktap_slot_make_room(vm, &room, copy.len);
		if (!mem)
			return vm->error;
		copy = KTAP_VALUE_NIL;
		p = table_enter(vm, t, key);
		if (!p.locked) {
			ktap_count_busy(vm->env);
			break;
		}
		done = !p.e || ktap_slot_copy(&copy, &p.e->value, mem, room);
		ktap_unlock(p.stripe, p.flags);
	} while (!done);
	*v = copy;
	return 0;
}

static __always_inline int table_get_at(struct ktap_vm *vm, struct ktap_table *t,
					const struct ktap_value *key, struct table_place p,
					struct ktap_value *v)
{
	u32 len;

	if (unlikely(p.e && ktap_is_blob(&p.e->value))) {
		len = p.e->value.len;
		ktap_unlock(p.stripe, p.flags);
		return table_get_blob(vm, t, key, len, v);
	}
	*v = p.e ? p.e->value : KTAP_VALUE_NIL;
	ktap_unlock(p.stripe, p.flags);
	return 0;
}

static noinline int table_get_any(struct ktap_vm *vm, struct ktap_table *t,
				  const struct ktap_value *key, struct ktap_value *v)
{
	struct table_place p = table_enter(vm, t, key);

	if (likely(p.locked))
		return table_get_at(vm, t, key, p, v);
	*v = KTAP_VALUE_NIL;
	return table_is_busy(vm);
}

int ktap_table_get(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   struct ktap_value *v)
{
	struct table_place p = table_try(vm, t, key);

	return likely(p.locked) ? table_get_at(vm, t, key, p, v) : table_get_any(vm, t, key, v);
}

static noinline bool table_has_any(struct ktap_vm *vm, struct ktap_table *t,
				   const struct ktap_value *key)
{
	struct table_place p = table_enter(vm, t, key);

	if (unlikely(!p.locked))
		return table_is_busy(vm);
	ktap_unlock(p.stripe, p.flags);
	return p.e;
}

bool ktap_table_has(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key)
{
	struct table_place p = table_try(vm, t, key);

	if (unlikely(!p.locked))
		return table_has_any(vm, t, key);
	ktap_unlock(p.stripe, p.flags);
	return p.e;
}

static int table_delete(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key)
{
	struct table_place p = table_enter(vm, t, key);

	if (!p.locked)
		return table_is_busy(vm);
	if (p.e)
		table_remove_entry(vm->env, t, p.e);
	ktap_unlock(p.stripe, p.flags);
	return p.e ? ktap_vm_charge(vm, REMOVE_COST) : 0;
}

/* The result of an update. */
enum table_outcome {
	DONE,
	USED,		/* done, and the new entry is in the table */
	NO_ENTRY,	/* no such key, and the caller gave no new entry */
	FULL,
	NO_BUCKETS,	/* no memory for buckets, and the chains are too long */
	BUSY,
	NO_SUM,		/* the entry holds no number */
};

/* Return USED if there is room for one more entry. */
static enum table_outcome table_room_for_entry(struct ktap_table *t)
{
	ktap_assert_held(&t->order);
	if (t->count >= t->max) {
		WRITE_ONCE(t->dropped, t->dropped + 1);
		return FULL;
	}
	return t->count / MAX_CHAIN >= t->nbuckets ? NO_BUCKETS : USED;
}

/* Insert @new, if there is one and the table has room, with the prepared value @v. */
static enum table_outcome table_insert_locked(struct ktap_env *env, struct ktap_table *t,
					      struct ktap_entry *new, const struct ktap_value *v)
{
	enum table_outcome outcome;

	ktap_lock_nested(&t->order);
	outcome = table_room_for_entry(t);
	if (outcome == USED && !new)
		outcome = NO_ENTRY;
	if (outcome == USED)
		table_insert_entry(t, new);
	ktap_unlock_nested(&t->order);
	if (outcome != USED)
		return outcome;
	/* The stripe still protects the new entry. */
	ktap_slot_replace(env, &new->value, v);
	table_count_blobs(t, table_blob_size(&new->key) + table_blob_size(v));
	return USED;
}

/**
 * struct table_update - what to do with the entry of a key
 * @key: the key
 * @add: add @v, an integer, to the entry
 * @make: keep the value of the entry; a new one gets an object that this makes
 * @arg: argument of @make
 * @v: the value, prepared for a slot; that of the entry with @make, or if it is no number
 */
struct table_update {
	const struct ktap_value *key;
	bool add;
	ktap_make_fn make;
	const void *arg;
	struct ktap_value v;
};

/* Count an update that was dropped. */
static void table_count_loss(struct ktap_env *env, enum table_outcome outcome)
{
	if (outcome == BUSY)
		ktap_count_busy(env);
	else if (outcome == FULL)
		atomic_long_inc(&env->counters.full_table);
	else if (outcome == NO_BUCKETS)
		atomic_long_inc(&env->counters.no_memory);
}

static enum table_outcome table_update_entry(struct ktap_env *env, struct ktap_table *t,
					     struct ktap_entry *e, struct table_update *u)
{
	if (u->make || (u->add && !ktap_is_number(&e->value))) {
		u->v = e->value;
		return u->add ? NO_SUM : DONE;
	}
	if (u->add) {
		ktap_slot_add(&e->value, u->v.i);
		return DONE;
	}
	table_count_blobs(t, (long)table_blob_size(&u->v) - (long)table_blob_size(&e->value));
	ktap_slot_replace(env, &e->value, &u->v);
	return DONE;
}

/*
 * Update an entry, or insert it, and unlock.  Try without a new entry first: the table may
 * be full.
 */
static int table_update_locked(struct ktap_vm *vm, struct ktap_table *t, struct table_update *u,
			       struct table_place *p)
{
	struct ktap_object *made = NULL;
	struct ktap_entry *new = NULL;
	enum table_outcome outcome;

	for (;;) {
		outcome = p->e ? table_update_entry(vm->env, t, p->e, u) :
				 table_insert_locked(vm->env, t, new, &u->v);
		ktap_unlock(p->stripe, p->flags);
		if (outcome != NO_ENTRY)
			break;
		if (u->make) {
			made = u->make(vm, u->arg);
			if (!made)
				break;
			u->v = (struct ktap_value){ .object = made, .tag = made->ops->tag };
		}
		new = table_new_entry(vm, p->hash, u->key);
		if (!new)
			break;
		outcome = BUSY;
		*p = table_enter(vm, t, u->key);
		if (!p->locked)
			break;
	}
	table_count_loss(vm->env, outcome);
	if (outcome == USED) {
		table_grow(vm->env, t);
		return ktap_vm_charge(vm, u->make ? 2 * INSERT_COST : INSERT_COST);
	}
	/* Free them if another CPU was faster. */
	if (new)
		ktap_heap_free(&vm->env->heap, new, table_entry_size(u->key));
	if (made)
		made->ops->free(vm->env, made, NULL);
	if (outcome == NO_SUM)
		return ktap_bad_operand(vm, &u->v);
	if (outcome != DONE) {
		ktap_slot_discard(vm, &u->v);
		u->v = KTAP_VALUE_NIL;
	}
	return 0;
}

/* Delete an entry, or set it to a value that is no integer. */
static int table_set_other(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
			   struct ktap_value *v)
{
	struct table_update u = { .key = key };
	struct table_place p;
	int ret;

	if (v->tag == KTAP_NIL)
		return table_delete(vm, t, key);
	ret = ktap_slot_prepare(vm, v, &u.v);
	if (ret <= 0)
		return ret;
	p = table_enter(vm, t, key);
	if (p.locked)
		return table_update_locked(vm, t, &u, &p);
	ktap_slot_discard(vm, &u.v);
	return table_is_busy(vm);
}

static noinline int table_put_locked(struct ktap_vm *vm, struct ktap_table *t,
				     const struct ktap_value *key, s64 n, bool add,
				     unsigned long flags)
{
	struct table_update u = { .key = key, .add = add, .v = KTAP_VALUE_INT(n) };
	struct table_place p = { .flags = flags };

	p.hash = table_hash_key(vm->env, key);
	p.stripe = table_stripe_of(t, p.hash);
	p.e = table_find(t, p.hash, key);
	return table_update_locked(vm, t, &u, &p);
}

/* Set an entry to an integer, or add the integer to it. */
static __always_inline int table_put_at(struct ktap_vm *vm, struct ktap_table *t,
					const struct ktap_value *key, struct table_place p, s64 n,
					bool add)
{
	if (unlikely(!p.e || p.e->value.tag != KTAP_INT))
		return table_put_locked(vm, t, key, n, add, p.flags);
	p.e->value.u = n + (add ? p.e->value.u : 0);
	ktap_unlock(p.stripe, p.flags);
	return 0;
}

static noinline int table_put_any(struct ktap_vm *vm, struct ktap_table *t,
				  const struct ktap_value *key, s64 n, bool add)
{
	struct table_place p = table_enter(vm, t, key);

	return likely(p.locked) ? table_put_at(vm, t, key, p, n, add) : table_is_busy(vm);
}

int ktap_table_set(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   struct ktap_value *v)
{
	struct table_place p;

	if (unlikely(v->tag != KTAP_INT))
		return table_set_other(vm, t, key, v);
	p = table_try(vm, t, key);
	return likely(p.locked) ? table_put_at(vm, t, key, p, v->i, false) :
				  table_put_any(vm, t, key, v->i, false);
}

int ktap_table_add(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   const struct ktap_value *n)
{
	struct table_place p;

	if (unlikely(!ktap_is_number(n)))
		return ktap_bad_operand(vm, n);
	p = table_try(vm, t, key);
	return likely(p.locked) ? table_put_at(vm, t, key, p, ktap_number(n), true) :
				  table_put_any(vm, t, key, ktap_number(n), true);
}

static noinline int table_make_any(struct ktap_vm *vm, struct ktap_table *t,
				   const struct ktap_value *key, ktap_make_fn make,
				   const void *arg, struct ktap_value *v)
{
	struct table_update u = { .key = key, .make = make, .arg = arg };
	struct table_place p = table_enter(vm, t, key);
	int err;

	*v = KTAP_VALUE_NIL;
	if (!p.locked)
		return table_is_busy(vm);
	err = table_update_locked(vm, t, &u, &p);
	*v = u.v;
	return err;
}

int ktap_table_get_or_make(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
			   ktap_make_fn make, const void *arg, struct ktap_value *v)
{
	struct table_place p = table_try(vm, t, key);

	if (p.e)
		*v = p.e->value;
	if (p.locked)
		ktap_unlock(p.stripe, p.flags);
	if (likely(p.e))
		return 0;
	return table_make_any(vm, t, key, make, arg, v);
}

/*
 * Remove some entries, the oldest ones.  Entries inserted after the first call stay:
 * *@end is U64_MAX at first.  Return the number of removed entries, which is
 * TABLE_PIECE if there may be more; or -EBUSY.
 */
static int table_empty_piece(struct ktap_env *env, struct ktap_table *t, u64 *end,
			     struct ktap_reaper *reaper)
{
	unsigned long flags;
	int n;

	if (!ktap_table_lock(t, &flags))
		return -EBUSY;
	*end = min(*end, t->seq);
	for (n = 0; n < TABLE_PIECE && t->first && t->first->seq <= *end; n++) {
		if (reaper)
			table_orphan_value(env, t->first, reaper);
		table_remove_entry(env, t, t->first);
	}
	ktap_table_unlock(t, flags);
	return n;
}

/* Charge after each piece: the budget, the overhead limit and an abort take effect there. */
int ktap_table_clear(struct ktap_vm *vm, struct ktap_table *t)
{
	u64 end = U64_MAX;
	int n, err;

	do {
		n = table_empty_piece(vm->env, t, &end, NULL);
		if (n < 0) {
			ktap_count_busy(vm->env);
			return 0;
		}
		err = ktap_vm_charge(vm, n * REMOVE_COST);
	} while (!err && n == TABLE_PIECE);
	return err;
}

bool ktap_table_exchange(struct ktap_table *t, struct ktap_table *to)
{
	u32 count, nbuckets, mask, i;
	unsigned long flags;

	if (!ktap_table_lock(t, &flags))
		return false;
	count = t->count;
	nbuckets = t->nbuckets;
	mask = t->mask;
	/* These are read without a lock. */
	WRITE_ONCE(t->count, to->count);
	WRITE_ONCE(t->nbuckets, to->nbuckets);
	WRITE_ONCE(t->mask, to->mask);
	to->count = count;
	to->nbuckets = nbuckets;
	to->mask = mask;
	swap(t->first_page, to->first_page);
	swap(t->first, to->first);
	swap(t->last, to->last);
	/* Keep t->seq: for running iterations, new entries come after their positions. */
	to->seq = t->seq;
	ktap_cursors_forget(t);
	for (i = 0; i < table_max_pages(t->max, t->page_bits); i++)
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

bool ktap_table_free(struct ktap_env *env, struct ktap_table *t, struct ktap_reaper *reaper)
{
	u32 i, pages = table_max_pages(t->max, t->page_bits);
	u64 end = U64_MAX;
	int n;

	do {
		n = table_empty_piece(env, t, &end, reaper);
		if (n < 0)
			return false;
		if (reaper)
			cond_resched();
	} while (n == TABLE_PIECE);
	ktap_heap_free(&env->heap, t->pages[0], t->first_page * sizeof(void *));
	for (i = 1; i < pages && t->pages[i]; i++)
		ktap_heap_free(&env->heap, t->pages[i], table_page_size(t));
	ktap_heap_free(&env->heap, t, struct_size(t, pages, pages));
	return true;
}
