// SPDX-License-Identifier: GPL-2.0
/*
 * Updates of the entries of a table by their keys: set, add, delete.  table.c describes
 * the table and its locks.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "data/table_recent.h"
#include "vm/arith.h"

/* Units for the insertion of an entry, and for making its value, besides the instruction. */
#define INSERT_COST		6
#define INSERT_VALUE_COST	12

/* Average length of chains at which insertions fail, without memory for more buckets. */
#define MAX_CHAIN		32

static __always_inline void table_link_entry(struct ktap_table *t, struct ktap_entry *e)
{
	struct ktap_entry **head = ktap_table_bucket(t, e->hash);

	ktap_assert_held(ktap_table_stripe_of(t, e->hash));
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
	WRITE_ONCE(t->count, t->count + 1);
}

/* Make an entry of the memory @e, which may be NULL. */
static struct ktap_entry *table_init_entry(struct ktap_entry *e, u32 hash,
					   const struct ktap_value *key)
{
	if (!e)
		return NULL;
	e->hash = hash;
	e->key = *key;
	if (ktap_is_blob(key)) {
		memcpy(e->bytes, ktap_blob_of(key), key->len);
		e->key.blob = e->bytes;
	}
	e->value = KTAP_VALUE_NIL;
	return e;
}

static noinline int table_delete_any(struct ktap_vm *vm, struct ktap_table *t,
				     const struct ktap_value *key)
{
	struct ktap_lookup p = ktap_lookup_enter(vm, t, key);

	if (!p.locked)
		return ktap_table_is_busy(vm);
	if (p.e)
		ktap_table_remove(vm->env, t, p.e);
	ktap_unlock(p.stripe, p.flags);
	return p.e ? ktap_vm_charge(vm, KTAP_REMOVE_COST) : 0;
}

/* Remove @e, whose stripe is locked. */
static noinline int table_delete_locked(struct ktap_vm *vm, struct ktap_table *t,
					struct ktap_entry *e, unsigned long flags)
{
	struct ktap_lock *stripe = ktap_table_stripe_of(t, e->hash);

	ktap_table_remove(vm->env, t, e);
	ktap_unlock(stripe, flags);
	return ktap_vm_charge(vm, KTAP_REMOVE_COST);
}

/* Small tables keep one entry: there may be very many of them. */
static __always_inline bool table_keeps_spare(const struct ktap_table *t)
{
	return t->nspares < min_t(u32, KTAP_SPARES, t->count / 4 + 1);
}

/*
 * For an integer, as in ktap_lookup_try(): one pass finds the entry and unlinks it.  The table
 * keeps it, unless it owns other memory.
 */
int ktap_table_delete(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key)
{
	struct ktap_entry *e, **link;
	struct ktap_lock *stripe;
	unsigned long flags;
	u32 hash;

	if (unlikely(key->tag != KTAP_INT))
		return table_delete_any(vm, t, key);
	hash = ktap_key_hash_word(vm->env, key->u);
	stripe = ktap_table_stripe_of(t, hash);
	if (unlikely(!ktap_trylock(stripe, &flags)))
		return table_delete_any(vm, t, key);
	for (link = ktap_table_bucket(t, hash); (e = *link); link = &e->chain) {
		if (e->key.u == key->u && e->key.tag == KTAP_INT)
			break;
	}
	if (unlikely(!e)) {
		ktap_unlock(stripe, flags);
		return 0;
	}
	/* An object has to be released, a blob to be freed. */
	if (unlikely(e->value.tag >= KTAP_TABLE || !ktap_trylock_nested(&t->order)))
		return table_delete_locked(vm, t, e, flags);
	if (unlikely(t->ncursors || !table_keeps_spare(t))) {
		ktap_unlock_nested(&t->order);
		return table_delete_locked(vm, t, e, flags);
	}
	*link = e->chain;
	ktap_table_unlist(t, e);
	if (unlikely(t->recent))
		ktap_recent_forget(t, e);
	e->chain = t->spares;
	t->spares = e;
	t->nspares++;
	ktap_unlock_nested(&t->order);
	ktap_unlock(stripe, flags);
	return ktap_vm_charge(vm, KTAP_REMOVE_COST);
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
		table_link_entry(t, new);
	ktap_unlock_nested(&t->order);
	if (outcome != USED)
		return outcome;
	/* The stripe still protects the new entry. */
	ktap_slot_replace(env, &new->value, v);
	ktap_table_count_blobs(t, ktap_table_blob_size(&new->key) + ktap_table_blob_size(v));
	return USED;
}

/**
 * struct table_update - what to do with the entry of a key
 * @key: the key
 * @add: add @v, an integer, to the entry
 * @make: keep the value of the entry; a new one gets an object that this makes
 * @arg: argument of @make
 * @v: the value, prepared for a slot; that of the entry with @make, with @add, and nil if
 *	the update was dropped
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

/* Add to a slot that holds a number, and return the sum. */
static struct ktap_value table_add_to_slot(struct ktap_table *t, struct ktap_value *slot, s64 n)
{
	if (t->steady && slot->tag == KTAP_INT)
		return KTAP_VALUE_INT(atomic_long_add_return(n, (atomic_long_t *)&slot->u));
	ktap_slot_add(slot, n);
	return *slot;
}

static enum table_outcome table_update_entry(struct ktap_env *env, struct ktap_table *t,
					     struct ktap_entry *e, struct table_update *u)
{
	if (u->make || (u->add && !ktap_is_number(&e->value))) {
		u->v = e->value;
		return u->add ? NO_SUM : DONE;
	}
	if (u->add) {
		u->v = table_add_to_slot(t, &e->value, u->v.i);
		return DONE;
	}
	if (unlikely(t->recent))
		ktap_recent_forget(t, e);
	ktap_table_count_blobs(t, (long)ktap_table_blob_size(&u->v) -
				  (long)ktap_table_blob_size(&e->value));
	ktap_slot_replace(env, &e->value, &u->v);
	return DONE;
}

/*
 * Update an entry, or insert it, and unlock.  Only memory that is at hand is taken before
 * the table is known to have room: more may take a sweep.
 */
static int table_update_locked(struct ktap_vm *vm, struct ktap_table *t, struct table_update *u,
			       struct ktap_lookup *p)
{
	size_t size = ktap_table_entry_size(u->key);
	struct ktap_object *made = NULL;
	struct ktap_entry *new = NULL;
	enum table_outcome outcome;

	if (!p->e && !u->make && READ_ONCE(t->count) < t->max)
		new = table_init_entry(ktap_heap_alloc_nested(&vm->env->heap, size),
				       p->hash, u->key);
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
		new = table_init_entry(ktap_slot_alloc(vm, size), p->hash, u->key);
		if (!new)
			break;
		outcome = BUSY;
		*p = ktap_lookup_enter(vm, t, u->key);
		if (!p->locked)
			break;
	}
	table_count_loss(vm->env, outcome);
	if (outcome == USED) {
		ktap_table_grow(vm->env, t);
		return ktap_vm_charge(vm, INSERT_COST + (u->make ? INSERT_VALUE_COST : 0));
	}
	/* Free them if another CPU was faster. */
	if (new)
		ktap_heap_free(&vm->env->heap, new, size);
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
static noinline int table_set_other(struct ktap_vm *vm, struct ktap_table *t,
				    const struct ktap_value *key, struct ktap_value *v)
{
	struct table_update u = { .key = key };
	struct ktap_lookup p;
	int ret;

	if (v->tag == KTAP_NIL)
		return ktap_table_delete(vm, t, key);
	ret = ktap_slot_prepare(vm, v, &u.v);
	if (ret <= 0)
		return ret;
	p = ktap_lookup_enter(vm, t, key);
	if (p.locked)
		return table_update_locked(vm, t, &u, &p);
	ktap_slot_discard(vm, &u.v);
	return ktap_table_is_busy(vm);
}

/* The stripe of @hash, which is that of @key, is locked. */
static noinline int table_put_locked(struct ktap_vm *vm, struct ktap_table *t,
				     const struct ktap_value *key, u32 hash, s64 n, bool add,
				     unsigned long flags)
{
	struct table_update u = { .key = key, .add = add, .v = KTAP_VALUE_INT(n) };
	struct ktap_lookup p = {
		.hash = hash,
		.stripe = ktap_table_stripe_of(t, hash),
		.flags = flags,
		.e = ktap_table_find_hashed(t, hash, key),
	};

	return table_update_locked(vm, t, &u, &p);
}

/*
 * Insert an integer with an integer key into a spare entry.  Return false, without a change,
 * if that is not possible, or would need more work.
 */
static __always_inline bool table_insert_spare(struct ktap_table *t, u32 hash, u64 k, s64 n)
{
	struct ktap_entry *e;

	if (unlikely(!ktap_trylock_nested(&t->order)))
		return false;
	e = t->spares;
	/* With fewer entries than buckets, the insertion does not make the table crowded. */
	if (unlikely(!e || t->count >= t->max || t->count >= t->nbuckets)) {
		ktap_unlock_nested(&t->order);
		return false;
	}
	t->spares = e->chain;
	t->nspares--;
	e->hash = hash;
	e->key = KTAP_VALUE_INT(k);
	e->value = KTAP_VALUE_INT(n);
	table_link_entry(t, e);
	ktap_unlock_nested(&t->order);
	return true;
}

/* Insert the integer @n.  The stripe of @k is locked; there is no such key. */
static noinline int table_put_new(struct ktap_vm *vm, struct ktap_table *t, u64 k, s64 n, bool add,
				  unsigned long flags)
{
	u32 hash = ktap_key_hash_word(vm->env, k);

	if (unlikely(!table_insert_spare(t, hash, k, n)))
		return table_put_locked(vm, t, &KTAP_VALUE_INT(k), hash, n, add, flags);
	ktap_unlock(ktap_table_stripe_of(t, hash), flags);
	return ktap_vm_charge(vm, INSERT_COST);
}

/* Add to the integer of @e, or set it, in a steady table, and unlock. */
static noinline int table_put_steady(struct ktap_vm *vm, struct ktap_table *t,
				     struct ktap_entry *e, s64 n, bool add, unsigned long flags)
{
	ktap_entry_put(e, n, add);
	ktap_recent_note(vm->env, t, e);
	ktap_unlock(ktap_table_stripe_of(t, e->hash), flags);
	return 0;
}

/* Set an entry to an integer, or add the integer to it. */
static __always_inline int table_put_at(struct ktap_vm *vm, struct ktap_table *t,
					const struct ktap_value *key, struct ktap_lookup p, s64 n,
					bool add)
{
	if (unlikely(!p.e || p.e->value.tag != KTAP_INT))
		return table_put_locked(vm, t, key, p.hash, n, add, p.flags);
	if (t->steady)
		return table_put_steady(vm, t, p.e, n, add, p.flags);
	p.e->value.u = n + (add ? p.e->value.u : 0);
	ktap_unlock(p.stripe, p.flags);
	return 0;
}

static noinline int table_put_any(struct ktap_vm *vm, struct ktap_table *t,
				  const struct ktap_value *key, s64 n, bool add)
{
	struct ktap_lookup p = ktap_lookup_enter(vm, t, key);

	return likely(p.locked) ? table_put_at(vm, t, key, p, n, add) : ktap_table_is_busy(vm);
}

/* An operation on the integer key @k that needs more than table_put_int() */
static noinline int table_put_int_any(struct ktap_vm *vm, struct ktap_table *t, u64 k, s64 n,
				      bool add)
{
	return table_put_any(vm, t, &KTAP_VALUE_INT(k), n, add);
}

static noinline int table_put_int_locked(struct ktap_vm *vm, struct ktap_table *t, u64 k, s64 n,
					 bool add, unsigned long flags)
{
	return table_put_locked(vm, t, &KTAP_VALUE_INT(k), ktap_key_hash_word(vm->env, k), n, add,
				flags);
}

/* By value, @k and @n need few registers. */
static __always_inline int table_put_int(struct ktap_vm *vm, struct ktap_table *t, u64 k, s64 n,
					 bool add)
{
	struct ktap_lookup p = ktap_lookup_try(vm, t, k);

	if (unlikely(!p.locked))
		return table_put_int_any(vm, t, k, n, add);
	if (unlikely(!p.e))
		return table_put_new(vm, t, k, n, add, p.flags);
	if (unlikely(p.e->value.tag != KTAP_INT))
		return table_put_int_locked(vm, t, k, n, add, p.flags);
	if (t->steady)
		return table_put_steady(vm, t, p.e, n, add, p.flags);
	p.e->value.u = n + (add ? p.e->value.u : 0);
	ktap_unlock(p.stripe, p.flags);
	return 0;
}

/* A key that is no integer; inlined twice, as each @add has shorter code. */
static __always_inline int table_put_short(struct ktap_vm *vm, struct ktap_table *t,
					   const struct ktap_value *key, s64 n, bool add)
{
	struct ktap_lookup p = ktap_lookup_try_short(vm, t, key);

	return likely(p.locked) ? table_put_at(vm, t, key, p, n, add) :
				  table_put_any(vm, t, key, n, add);
}

static noinline int table_set_short(struct ktap_vm *vm, struct ktap_table *t,
				    const struct ktap_value *key, struct ktap_value *v)
{
	if (unlikely(v->tag != KTAP_INT))
		return table_set_other(vm, t, key, v);
	return table_put_short(vm, t, key, v->i, false);
}

int ktap_table_set(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   struct ktap_value *v)
{
	if (key->tag != KTAP_INT || v->tag != KTAP_INT)
		return table_set_short(vm, t, key, v);
	return table_put_int(vm, t, key->u, v->i, false);
}

/* Add a value that is no integer. */
static noinline int table_add_other(struct ktap_vm *vm, struct ktap_table *t,
				    const struct ktap_value *key, const struct ktap_value *n)
{
	if (!ktap_is_number(n))
		return ktap_bad_operand(vm, n);
	return table_put_any(vm, t, key, ktap_number(n), true);
}

static noinline int table_add_short(struct ktap_vm *vm, struct ktap_table *t,
				    const struct ktap_value *key, s64 n)
{
	return table_put_short(vm, t, key, n, true);
}

static noinline int table_add_tuple(struct ktap_vm *vm, struct ktap_table *t,
				    const struct ktap_value *key, s64 n)
{
	u32 hash = ktap_key_hash_tuple(vm->env, key);
	struct ktap_lookup p = {
		.locked = true, .hash = hash, .stripe = ktap_table_stripe_of(t, hash),
	};

	if (unlikely(!ktap_trylock(p.stripe, &p.flags)))
		return table_put_any(vm, t, key, n, true);
	p.e = ktap_table_find_tuple(t, hash, key);
	return table_put_at(vm, t, key, p, n, true);
}

int ktap_table_add(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   const struct ktap_value *n)
{
	if (unlikely(n->tag != KTAP_INT))
		return table_add_other(vm, t, key, n);
	if (key->tag == KTAP_INT)
		return table_put_int(vm, t, key->u, n->i, true);
	if (key->tag == KTAP_STR)
		return table_add_short(vm, t, key, n->i);
	if (key->tag == KTAP_TUPLE)
		return table_add_tuple(vm, t, key, n->i);
	return table_put_any(vm, t, key, n->i, true);
}

/*
 * Find the entry of @u, and update it.  Set @v to &table_update.v; to nil if that is lost.
 * @v may be the register that holds the table: it stays a root until the update is done.
 */
static __always_inline int table_update_and_get(struct ktap_vm *vm, struct ktap_table *t,
						struct table_update *u, struct ktap_value *v)
{
	struct ktap_lookup p = ktap_lookup_enter(vm, t, u->key);
	int err;

	if (!p.locked) {
		*v = KTAP_VALUE_NIL;
		return ktap_table_is_busy(vm);
	}
	err = table_update_locked(vm, t, u, &p);
	*v = u->v;
	return err;
}

int ktap_table_add_and_get(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
			   const struct ktap_value *n, struct ktap_value *sum)
{
	struct table_update u = { .key = key, .add = true, .v = KTAP_VALUE_INT(ktap_number(n)) };

	return table_update_and_get(vm, t, &u, sum);
}

static noinline int table_make_any(struct ktap_vm *vm, struct ktap_table *t,
				   const struct ktap_value *key, ktap_make_fn make,
				   const void *arg, struct ktap_value *v)
{
	struct table_update u = { .key = key, .make = make, .arg = arg };

	return table_update_and_get(vm, t, &u, v);
}

/* Return true if there is an entry. */
static __always_inline bool table_get_made(struct ktap_lookup p, struct ktap_value *v)
{
	if (p.e)
		*v = ktap_entry_value(p.e);
	if (p.locked)
		ktap_unlock(p.stripe, p.flags);
	return p.e;
}

static noinline int table_make_short(struct ktap_vm *vm, struct ktap_table *t,
				     const struct ktap_value *key, ktap_make_fn make,
				     const void *arg, struct ktap_value *v)
{
	if (likely(table_get_made(ktap_lookup_try_short(vm, t, key), v)))
		return 0;
	return table_make_any(vm, t, key, make, arg, v);
}

int ktap_table_get_or_make(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
			   ktap_make_fn make, const void *arg, struct ktap_value *v)
{
	if (key->tag != KTAP_INT)
		return table_make_short(vm, t, key, make, arg, v);
	if (likely(table_get_made(ktap_lookup_try(vm, t, key->u), v)))
		return 0;
	return table_make_any(vm, t, key, make, arg, v);
}
