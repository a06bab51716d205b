/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How handlers find the entry of a key.  Integers are found without a call, and short
 * strings with one.
 */
#ifndef _KTAP_TABLE_LOOKUP_H
#define _KTAP_TABLE_LOOKUP_H

#include <linux/hash.h>
#include <linux/unaligned.h>

#include "data/table_priv.h"
#include "vm/bytes.h"
#include "vm/env.h"
#include "vm/vm.h"

/* Bytes of a string whose hash is that of two words */
#define KTAP_SHORT_KEY		(2 * sizeof(u64))

/* Multiply, and fold the product: each bit of both words has an effect on the result. */
static __always_inline u64 ktap_key_mix(u64 x, u64 y)
{
	struct ktap_int128 product = ktap_int128_mul(x, y);

	return product.lo ^ product.hi;
}

/* The last ones of the bytes, at most KTAP_SHORT_KEY.  The two words may overlap. */
static __always_inline u64 ktap_key_mix_short(const u64 *secret, const void *p, size_t len,
					      u64 hash)
{
	if (len < sizeof(u64))
		return ktap_key_mix(ktap_short_word(p, len) ^ hash, secret[1]);
	return ktap_key_mix(ktap_word(p) ^ secret[1], ktap_word(p + len - sizeof(u64)) ^ hash);
}

/*
 * Two random words, &ktap_env.secret, mask the key: who does not know them cannot choose
 * keys that collide.  With some of them, keys that differ in a few bits differ only in a
 * part of the product: hash_64() combines all of it.
 */
static __always_inline u32 ktap_key_hash_word(const struct ktap_env *env, u64 x)
{
	return hash_64(ktap_key_mix(x ^ env->secret[0], env->secret[1]), 32);
}

static __always_inline struct ktap_entry *ktap_table_find_int(struct ktap_table *t, u32 hash, u64 i)
{
	struct ktap_entry *e;

	ktap_assert_held(ktap_table_stripe_of(t, hash));
	for (e = *ktap_table_bucket(t, hash); e; e = e->chain) {
		if (e->key.u == i && e->key.tag == KTAP_INT)
			return e;
	}
	return NULL;
}

static __always_inline bool ktap_key_same_word(const void *x, const void *y, size_t at)
{
	return ktap_word(x + at) == ktap_word(y + at);
}

static __always_inline bool ktap_key_same_u32(const void *x, const void *y, size_t at)
{
	return get_unaligned((const u32 *)(x + at)) == get_unaligned((const u32 *)(y + at));
}

/* ktap_same_bytes() for short strings.  It needs few registers. */
static __always_inline bool ktap_key_same_short(const u8 *x, const u8 *y, size_t len)
{
	if (len >= sizeof(u64))
		return ktap_key_same_word(x, y, 0) && ktap_key_same_word(x, y, len - sizeof(u64));
	if (len >= sizeof(u32))
		return ktap_key_same_u32(x, y, 0) && ktap_key_same_u32(x, y, len - sizeof(u32));
	return !len || (x[0] == y[0] && x[len / 2] == y[len / 2] && x[len - 1] == y[len - 1]);
}

/* @key is a short string. */
static __always_inline struct ktap_entry *ktap_table_find_short(struct ktap_table *t, u32 hash,
								const struct ktap_value *key)
{
	struct ktap_entry *e;

	ktap_assert_held(ktap_table_stripe_of(t, hash));
	for (e = *ktap_table_bucket(t, hash); e; e = e->chain) {
		if (e->key.tag == KTAP_STR && e->key.len == key->len &&
		    ktap_key_same_short(e->bytes, ktap_blob_of(key), key->len))
			return e;
	}
	return NULL;
}

/* @key is a tuple. */
static __always_inline struct ktap_entry *ktap_table_find_tuple(struct ktap_table *t, u32 hash,
								const struct ktap_value *key)
{
	struct ktap_entry *e;

	ktap_assert_held(ktap_table_stripe_of(t, hash));
	for (e = *ktap_table_bucket(t, hash); e; e = e->chain) {
		if (e->hash == hash && e->key.tag == KTAP_TUPLE && e->key.len == key->len &&
		    ktap_same_bytes(e->bytes, ktap_blob_of(key), key->len))
			return e;
	}
	return NULL;
}

/* table_access.c: for all keys; for strings of at most KTAP_SHORT_KEY bytes; for tuples */
u32 ktap_key_hash(const struct ktap_env *env, const struct ktap_value *key);
u32 ktap_key_hash_short(const struct ktap_env *env, const struct ktap_value *key);
u32 ktap_key_hash_tuple(const struct ktap_env *env, const struct ktap_value *key);
/* The stripe of @hash, which is that of @key, must be held. */
struct ktap_entry *ktap_table_find_hashed(struct ktap_table *t, u32 hash,
					  const struct ktap_value *key);

/**
 * struct ktap_lookup - a key in a table, looked up
 * @locked: the stripe of the key is locked; otherwise nothing else is valid
 * @hash: hash of the key
 * @stripe: the lock of this hash
 * @flags: to unlock it
 * @e: the entry, or NULL
 */
struct ktap_lookup {
	bool locked;
	u32 hash;
	struct ktap_lock *stripe;
	unsigned long flags;
	struct ktap_entry *e;
};

/* Lock the stripe of a key, and find its entry. */
static __always_inline struct ktap_lookup ktap_lookup_enter(struct ktap_vm *vm,
							    struct ktap_table *t,
							    const struct ktap_value *key)
{
	u32 hash = ktap_key_hash(vm->env, key);
	struct ktap_lock *stripe = ktap_table_stripe_of(t, hash);
	unsigned long flags;

	if (!ktap_lock(stripe, &flags))
		return (struct ktap_lookup){ };
	return (struct ktap_lookup){
		.locked = true, .hash = hash, .stripe = stripe, .flags = flags,
		.e = ktap_table_find_hashed(t, hash, key),
	};
}

/*
 * ktap_lookup_enter() for the integer @k, as integers are the most frequent keys.  It calls
 * nothing, so that an operation on an existing entry needs no stack.  It may fail at any
 * time: use ktap_lookup_enter() then.
 */
static __always_inline struct ktap_lookup ktap_lookup_try(struct ktap_vm *vm, struct ktap_table *t,
							  u64 k)
{
	u32 hash = ktap_key_hash_word(vm->env, k);
	struct ktap_lock *stripe = ktap_table_stripe_of(t, hash);
	unsigned long flags;

	if (unlikely(!ktap_trylock(stripe, &flags)))
		return (struct ktap_lookup){ };
	return (struct ktap_lookup){
		.locked = true, .hash = hash, .stripe = stripe, .flags = flags,
		.e = ktap_table_find_int(t, hash, k),
	};
}

/* ktap_lookup_try() for short strings */
static __always_inline struct ktap_lookup ktap_lookup_try_short(struct ktap_vm *vm,
								struct ktap_table *t,
								const struct ktap_value *key)
{
	struct ktap_lock *stripe;
	unsigned long flags;
	u32 hash;

	if (key->tag != KTAP_STR || key->len > KTAP_SHORT_KEY)
		return (struct ktap_lookup){ };
	hash = ktap_key_hash_short(vm->env, key);
	stripe = ktap_table_stripe_of(t, hash);
	if (unlikely(!ktap_trylock(stripe, &flags)))
		return (struct ktap_lookup){ };
	return (struct ktap_lookup){
		.locked = true, .hash = hash, .stripe = stripe, .flags = flags,
		.e = ktap_table_find_short(t, hash, key),
	};
}

static inline int ktap_table_is_busy(struct ktap_vm *vm)
{
	ktap_count_busy(vm->env);
	return 0;
}

#endif /* _KTAP_TABLE_LOOKUP_H */
