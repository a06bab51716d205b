// SPDX-License-Identifier: GPL-2.0
/*
 * The recent entries of a table: table_recent.h describes them, and finds entries there.
 */
#include <linux/atomic.h>
#include <linux/rcupdate.h>

#include "data/table_recent.h"

struct ktap_entry ktap_no_entry = { .key.tag = KTAP_NIL };

/* Return the place of an entry, or KTAP_RECENT if its key has none. */
static u32 recent_place_of(const struct ktap_entry *e)
{
	const struct ktap_value *key = &e->key;

	if (key->tag == KTAP_INT)
		return ktap_recent_place(key->u);
	if (key->tag == KTAP_STR && key->len <= KTAP_SHORT_KEY)
		return ktap_recent_short_place(e->bytes, key->len);
	if (ktap_recent_is_long(key))
		return ktap_recent_long_place(e->bytes, key->len);
	return KTAP_RECENT;
}

static void recent_empty(struct ktap_entry **recent)
{
	u32 i;

	for (i = 0; i < KTAP_RECENT; i++)
		WRITE_ONCE(recent[i], &ktap_no_entry);
}

/* Make the places of a table.  Other stripes may do the same: one of them wins. */
static struct ktap_entry **recent_make(struct ktap_env *env, struct ktap_table *t)
{
	size_t size = KTAP_RECENT * sizeof(struct ktap_entry *);
	struct ktap_entry **recent, **old;

	ktap_assert_locked();
	recent = ktap_heap_alloc_nested(&env->heap, size);
	if (!recent)
		return NULL;
	recent_empty(recent);
	/* Pairs with READ_ONCE() in ktap_recent_find(), by address dependency. */
	old = cmpxchg(&t->recent, NULL, recent);
	if (!old)
		return recent;
	ktap_heap_free_nested(&env->heap, recent, size);
	return old;
}

void ktap_recent_note(struct ktap_env *env, struct ktap_table *t, struct ktap_entry *e)
{
	struct ktap_entry **recent = READ_ONCE(t->recent);
	u32 place = recent_place_of(e);

	ktap_assert_held(ktap_table_stripe_of(t, e->hash));
	if (place == KTAP_RECENT || t->paused)
		return;
	if (!recent)
		recent = recent_make(env, t);
	if (!recent || READ_ONCE(recent[place]) == e)
		return;
	/* The entry is complete; pairs with ktap_recent_at(). */
	smp_store_release(&recent[place], e);
}

void ktap_recent_forget(struct ktap_table *t, const struct ktap_entry *e)
{
	struct ktap_entry **recent = READ_ONCE(t->recent);
	u32 place = recent_place_of(e);

	ktap_assert_held(ktap_table_stripe_of(t, e->hash));
	/* Keys of other stripes have this place, too. */
	if (recent && place != KTAP_RECENT)
		cmpxchg(&recent[place], (struct ktap_entry *)e, &ktap_no_entry);
}

void ktap_recent_destroy(struct ktap_env *env, struct ktap_table *t)
{
	struct ktap_entry **recent = t->recent;

	t->recent = NULL;
	if (recent)
		ktap_heap_free(&env->heap, recent, KTAP_RECENT * sizeof(*recent));
}

bool ktap_table_pause(struct ktap_vm *vm, struct ktap_table *t)
{
	struct ktap_entry **recent;
	unsigned long flags;

	if (!t->steady)
		return true;
	if (vm->level != KTAP_LEVEL_PROCESS || !ktap_table_lock(t, &flags))
		return false;
	recent = t->recent;
	if (recent)
		recent_empty(recent);
	t->paused = true;
	ktap_table_unlock(t, flags);
	/* A run that has found an entry before this has ended after it. */
	if (recent)
		synchronize_rcu();
	return true;
}

void ktap_table_resume(struct ktap_table *t)
{
	unsigned long flags;

	if (!t->steady)
		return;
	/* In process context this CPU is not inside a lock. */
	if (!ktap_table_lock(t, &flags))
		return;
	t->paused = false;
	ktap_table_unlock(t, flags);
}
