// SPDX-License-Identifier: GPL-2.0
/*
 * Tables: their buckets and their growth, and what concerns a whole table.
 * table_access.c reads entries by their keys, table_update.c updates them.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "data/table_recent.h"
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
 * stripes.  Longer operations (to empty a table, to copy it for output) are done
 * in pieces.
 *
 * Growth: linear hashing.  An insertion splits at most two buckets, and allocates
 * a page of buckets from time to time; without memory chains get longer, up to a
 * limit.  No insertion ever moves all entries.  Both parts of a split bucket
 * belong to the same stripe.  &ktap_table.nbuckets is read under any stripe: it
 * may miss or include recent buckets of other stripes, but those do not change
 * the bucket of a hash of this stripe.  The same holds for &ktap_table.mask.
 *
 * Memory: an insertion takes a spare entry, or memory of the heap while its locks
 * are held.  If there is none, it unlocks, allocates and looks again; memory that
 * was not needed is freed then.  Spare entries are those of the last removals, as
 * scripts like `t[tid] = ...; ... t[tid] = nil` insert and remove an entry per
 * event.  They have no blobs, so that all have the same size.
 *
 * Recent entries: most additions find their entry without a lock (table_recent.h).
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

#define FIRST_PAGE_BUCKETS	16

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

static size_t table_page_size(const struct ktap_table *t)
{
	return BIT(t->page_bits) * sizeof(struct ktap_entry *);
}

/* A bucket's number and its hashes must have the lowest bits in common. */
static_assert(FIRST_PAGE_BUCKETS % KTAP_STRIPES == 0);

bool ktap_table_lock(struct ktap_table *t, unsigned long *flags)
{
	int i;

	if (!ktap_lock(ktap_table_stripe_of(t, 0), flags))
		return false;
	for (i = 1; i < KTAP_STRIPES; i++)
		ktap_lock_nested(ktap_table_stripe_of(t, i));
	return true;
}

void ktap_table_unlock(struct ktap_table *t, unsigned long flags)
{
	int i;

	for (i = KTAP_STRIPES - 1; i > 0; i--)
		ktap_unlock_nested(ktap_table_stripe_of(t, i));
	ktap_unlock(ktap_table_stripe_of(t, 0), flags);
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
	struct ktap_entry **from = ktap_table_bucket_at(t, parent);
	struct ktap_entry **to = ktap_table_bucket_at(t, n), *e;

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

	if (!(whole ? ktap_table_lock(t, &flags) : ktap_lock(ktap_table_stripe_of(t, n), &flags)))
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
		ktap_unlock(ktap_table_stripe_of(t, n), flags);
	return room;
}

static bool table_is_crowded(const struct ktap_table *t)
{
	return READ_ONCE(t->count) > READ_ONCE(t->nbuckets);
}

void ktap_table_grow(struct ktap_env *env, struct ktap_table *t)
{
	int i;

	for (i = 0; i < 2 && table_is_crowded(t) && table_add_bucket(env, t); i++)
		;
}

/* Unlink an entry without freeing it. */
static void table_unlink_entry(struct ktap_table *t, struct ktap_entry *e)
{
	struct ktap_entry **link = ktap_table_bucket(t, e->hash);

	ktap_assert_held(ktap_table_stripe_of(t, e->hash));
	ktap_assert_held(&t->order);
	while (*link != e)
		link = &(*link)->chain;
	*link = e->chain;
	ktap_table_unlist(t, e);
	if (unlikely(t->ncursors))
		ktap_cursors_leave(t, e);
	if (unlikely(t->recent))
		ktap_recent_forget(t, e);
}

void ktap_table_remove(struct ktap_env *env, struct ktap_table *t, struct ktap_entry *e)
{
	ktap_lock_nested(&t->order);
	table_unlink_entry(t, e);
	ktap_unlock_nested(&t->order);
	ktap_table_count_blobs(t, -(long)(ktap_table_blob_size(&e->key) +
					  ktap_table_blob_size(&e->value)));
	ktap_slot_replace(env, &e->value, &KTAP_VALUE_NIL);
	ktap_heap_free_nested(&env->heap, e, ktap_table_entry_size(&e->key));
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
	t->steady = vm->env->steady;
	t->max = max;
	t->page_bits = page_bits;
	t->page_mask = BIT(page_bits) - 1;
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
		ktap_table_remove(env, t, t->first);
	}
	ktap_table_unlock(t, flags);
	return n;
}

/* Charge after each piece: the budget, the overhead limit and an abort take effect there. */
static int table_clear_in_pieces(struct ktap_vm *vm, struct ktap_table *t)
{
	u64 end = U64_MAX;
	int n, err;

	do {
		n = table_empty_piece(vm->env, t, &end, NULL);
		if (n < 0) {
			ktap_count_busy(vm->env);
			return 0;
		}
		err = ktap_vm_charge(vm, n * KTAP_REMOVE_COST);
	} while (!err && n == TABLE_PIECE);
	return err;
}

/*
 * Without a lock, others may find an entry until a grace period has passed.  So take all
 * entries at once into @old, as snapshot() does: what is added from then on stays.
 */
static int table_clear_steady(struct ktap_vm *vm, struct ktap_table *t, struct ktap_table *old)
{
	int err = 0;

	if (ktap_table_exchange(t, old)) {
		synchronize_rcu();
		/* A run that waits this long looks whether it must end. */
		err = ktap_vm_charge(vm, KTAP_PROCESS_SLICE) ?: table_clear_in_pieces(vm, old);
	} else {
		ktap_count_busy(vm->env);
	}
	ktap_table_free(vm->env, old, NULL);
	return err;
}

int ktap_table_clear(struct ktap_vm *vm, struct ktap_table *t)
{
	struct ktap_table *old = NULL;
	int err;

	if (!ktap_table_len(t))
		return 0;
	if (READ_ONCE(t->recent) && vm->level == KTAP_LEVEL_PROCESS)
		old = ktap_table_make(vm, t->max);
	if (old)
		return table_clear_steady(vm, t, old);
	/* Without memory, additions to old entries are lost until the pause begins. */
	if (!ktap_table_pause(vm, t)) {
		ktap_count_busy(vm->env);
		return 0;
	}
	err = table_clear_in_pieces(vm, t);
	ktap_table_resume(t);
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
	to->recent = t->recent;
	WRITE_ONCE(t->recent, NULL);
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
	struct ktap_entry *spare;
	u64 end = U64_MAX;
	int n;

	do {
		n = table_empty_piece(env, t, &end, reaper);
		if (n < 0)
			return false;
		if (reaper)
			cond_resched();
	} while (n == TABLE_PIECE);
	ktap_recent_destroy(env, t);
	while ((spare = t->spares)) {
		t->spares = spare->chain;
		ktap_heap_free(&env->heap, spare, sizeof(*spare));
	}
	ktap_heap_free(&env->heap, t->pages[0], t->first_page * sizeof(void *));
	for (i = 1; i < pages && t->pages[i]; i++)
		ktap_heap_free(&env->heap, t->pages[i], table_page_size(t));
	ktap_heap_free(&env->heap, t, struct_size(t, pages, pages));
	return true;
}
