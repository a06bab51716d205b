// SPDX-License-Identifier: GPL-2.0
/*
 * Reads of the entries of a table by their keys.  table.c describes the table and its
 * locks.
 */
#include <linux/hash.h>

#include "data/table_recent.h"

static u64 table_mix_bytes(const u64 *secret, const void *p, size_t len)
{
	u64 hash = secret[0] + len;

	for (; len > KTAP_SHORT_KEY; p += KTAP_SHORT_KEY, len -= KTAP_SHORT_KEY)
		hash = ktap_key_mix_short(secret, p, KTAP_SHORT_KEY, hash);
	return ktap_key_mix_short(secret, p, len, hash);
}

noinline u32 ktap_key_hash(const struct ktap_env *env, const struct ktap_value *key)
{
	if (!ktap_is_blob(key))
		return ktap_key_hash_word(env, key->u);
	return hash_64(table_mix_bytes(env->secret, ktap_blob_of(key), key->len), 32);
}

/*
 * It is a function of its own because of the product of 128 bits: compilers align the stack
 * for that, and restore it, in each function that saves registers.
 */
noinline u32 ktap_key_hash_short(const struct ktap_env *env, const struct ktap_value *key)
{
	u64 hash = env->secret[0] + key->len;

	return hash_64(ktap_key_mix_short(env->secret, ktap_blob_of(key), key->len, hash), 32);
}

/*
 * The result of ktap_key_hash(), with fewer tests: a tuple has at least one word, and only
 * whole ones.  It mixes two words at a time, and the last word twice if their number is odd.
 */
noinline u32 ktap_key_hash_tuple(const struct ktap_env *env, const struct ktap_value *key)
{
	const void *p = ktap_blob_of(key), *last = p + key->len - sizeof(u64);
	u64 hash = env->secret[0] + key->len;

	for (; last - p > sizeof(u64); p += KTAP_SHORT_KEY)
		hash = ktap_key_mix(ktap_word(p) ^ env->secret[1],
				    ktap_word(p + sizeof(u64)) ^ hash);
	hash = ktap_key_mix(ktap_word(p) ^ env->secret[1], ktap_word(last) ^ hash);
	return hash_64(hash, 32);
}

static __always_inline bool table_has_key(const struct ktap_entry *e, const struct ktap_value *key)
{
	if (e->key.tag != key->tag)
		return false;
	if (!ktap_is_blob(key))
		return e->key.u == key->u;
	return e->key.len == key->len && ktap_same_bytes(e->bytes, ktap_blob_of(key), key->len);
}

noinline struct ktap_entry *ktap_table_find_hashed(struct ktap_table *t, u32 hash,
						   const struct ktap_value *key)
{
	struct ktap_entry *e;

	ktap_assert_held(ktap_table_stripe_of(t, hash));
	for (e = *ktap_table_bucket(t, hash); e; e = e->chain) {
		if (e->hash == hash && table_has_key(e, key))
			return e;
	}
	return NULL;
}

struct ktap_entry *ktap_table_find(struct ktap_env *env, struct ktap_table *t,
				   const struct ktap_value *key)
{
	return ktap_table_find_hashed(t, ktap_key_hash(env, key), key);
}

/* Copy a blob, which had @need bytes a moment ago. */
static noinline int table_get_blob(struct ktap_vm *vm, struct ktap_table *t,
				   const struct ktap_value *key, u32 need, struct ktap_value *v)
{
	struct ktap_value copy = { .len = need };
	struct ktap_lookup p;
	u32 room = 0;
	void *mem;
	bool done;

	do {
		mem = ktap_slot_make_room(vm, &room, copy.len);
		if (!mem)
			return vm->error;
		copy = KTAP_VALUE_NIL;
		p = ktap_lookup_enter(vm, t, key);
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
					const struct ktap_value *key, struct ktap_lookup p,
					struct ktap_value *v)
{
	u32 len;

	if (unlikely(p.e && ktap_is_blob(&p.e->value))) {
		len = p.e->value.len;
		ktap_unlock(p.stripe, p.flags);
		return table_get_blob(vm, t, key, len, v);
	}
	*v = p.e ? ktap_entry_value(p.e) : KTAP_VALUE_NIL;
	ktap_unlock(p.stripe, p.flags);
	return 0;
}

static noinline int table_get_any(struct ktap_vm *vm, struct ktap_table *t,
				  const struct ktap_value *key, struct ktap_value *v)
{
	struct ktap_lookup p = ktap_lookup_enter(vm, t, key);

	if (likely(p.locked))
		return table_get_at(vm, t, key, p, v);
	*v = KTAP_VALUE_NIL;
	return ktap_table_is_busy(vm);
}

static noinline int table_get_short(struct ktap_vm *vm, struct ktap_table *t,
				    const struct ktap_value *key, struct ktap_value *v)
{
	struct ktap_lookup p = ktap_lookup_try_short(vm, t, key);

	return likely(p.locked) ? table_get_at(vm, t, key, p, v) : table_get_any(vm, t, key, v);
}

static noinline int table_get_int_any(struct ktap_vm *vm, struct ktap_table *t, u64 k,
				      struct ktap_value *v)
{
	return table_get_any(vm, t, &KTAP_VALUE_INT(k), v);
}

/* By value, @k needs few registers. */
static __always_inline int table_get_int(struct ktap_vm *vm, struct ktap_table *t, u64 k,
					 struct ktap_value *v)
{
	struct ktap_lookup p = ktap_lookup_try(vm, t, k);
	bool blob = p.locked && p.e && ktap_is_blob(&p.e->value);

	if (likely(p.locked)) {
		if (likely(!blob))
			*v = p.e ? ktap_entry_value(p.e) : KTAP_VALUE_NIL;
		ktap_unlock(p.stripe, p.flags);
	}
	return likely(p.locked && !blob) ? 0 : table_get_int_any(vm, t, k, v);
}

int ktap_table_get(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key,
		   struct ktap_value *v)
{
	if (key->tag != KTAP_INT)
		return table_get_short(vm, t, key, v);
	return table_get_int(vm, t, key->u, v);
}

static noinline bool table_has_any(struct ktap_vm *vm, struct ktap_table *t,
				   const struct ktap_value *key)
{
	struct ktap_lookup p = ktap_lookup_enter(vm, t, key);

	if (unlikely(!p.locked))
		return ktap_table_is_busy(vm);
	ktap_unlock(p.stripe, p.flags);
	return p.e;
}

bool ktap_table_has(struct ktap_vm *vm, struct ktap_table *t, const struct ktap_value *key)
{
	struct ktap_lookup p;

	if (key->tag != KTAP_INT)
		return table_has_any(vm, t, key);
	p = ktap_lookup_try(vm, t, key->u);
	if (unlikely(!p.locked))
		return table_has_any(vm, t, key);
	ktap_unlock(p.stripe, p.flags);
	return p.e;
}

static __always_inline struct ktap_found_agg table_agg_at(struct ktap_lookup p)
{
	struct ktap_agg *agg = p.e ? ktap_agg_of(&p.e->value) : NULL;

	ktap_unlock_others(p.stripe);
	if (unlikely(!agg))
		ktap_unlock_cpu(p.flags);
	return (struct ktap_found_agg){ .agg = agg, .flags = p.flags };
}

static noinline struct ktap_found_agg table_find_agg_any(struct ktap_vm *vm, struct ktap_table *t,
							 const struct ktap_value *key)
{
	struct ktap_lookup p = ktap_lookup_enter(vm, t, key);

	return likely(p.locked) ? table_agg_at(p) : (struct ktap_found_agg){ };
}

static noinline struct ktap_found_agg table_find_agg_short(struct ktap_vm *vm,
							   struct ktap_table *t,
							   const struct ktap_value *key)
{
	struct ktap_lookup p = ktap_lookup_try_short(vm, t, key);

	return likely(p.locked) ? table_agg_at(p) : table_find_agg_any(vm, t, key);
}

/* Note the entry, which may have been found in a steady table for the first time. */
static noinline struct ktap_found_agg table_find_steady_agg(struct ktap_vm *vm,
							    struct ktap_table *t,
							    const struct ktap_value *key)
{
	struct ktap_lookup p = ktap_lookup_enter(vm, t, key);

	if (unlikely(!p.locked))
		return (struct ktap_found_agg){ };
	if (p.e && p.e->value.tag == KTAP_AGG)
		ktap_recent_note(vm->env, t, p.e);
	return table_agg_at(p);
}

static __always_inline struct ktap_found_agg table_find_recent_agg(struct ktap_vm *vm,
								   struct ktap_table *t,
								   const struct ktap_value *key)
{
	struct ktap_entry *e = ktap_recent_find(t, key);
	struct ktap_found_agg found;

	found.agg = e ? ktap_agg_of(&e->value) : NULL;
	if (unlikely(!found.agg))
		return table_find_steady_agg(vm, t, key);
	if (unlikely(!ktap_lock_cpu(&found.flags)))
		found.agg = NULL;
	return found;
}

struct ktap_found_agg ktap_table_find_agg(struct ktap_vm *vm, struct ktap_table *t,
					  const struct ktap_value *key)
{
	struct ktap_lookup p;

	if (t->steady)
		return table_find_recent_agg(vm, t, key);
	if (key->tag != KTAP_INT)
		return table_find_agg_short(vm, t, key);
	p = ktap_lookup_try(vm, t, key->u);
	return likely(p.locked) ? table_agg_at(p) : table_find_agg_any(vm, t, key);
}
