// SPDX-License-Identifier: GPL-2.0
/*
 * Globals: slots with a lock each, so that `g += n` loses no update.
 *
 * A writer holds the lock, and makes &ktap_global.seq odd before an update and
 * even after it.  Most reads get a table or an aggregation, on every event and
 * all CPUs: they take no lock and write nothing.  A reader takes the lock if
 * @seq is odd or has changed, or if it finds a blob, whose memory belongs to
 * the slot.  An object lives as long as a reader can refer to it (data/object.c).
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/lock.h"
#include "data/value_slot.h"
#include "vm/arith.h"
#include "vm/global.h"
#include "vm/vm.h"

/**
 * struct ktap_global - a global
 * @lock: protects the rest against other writers
 * @seq: odd while @value is written
 * @value: the slot
 */
struct ktap_global {
	struct ktap_lock lock;
	u32 seq;
	struct ktap_value value;
};

int ktap_globals_init(struct ktap_env *env)
{
	u32 i, n = env->prog->nglobals;

	env->globals = kvcalloc(n ?: 1, sizeof(*env->globals), KTAP_GFP);
	if (!env->globals)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		ktap_lock_init(&env->globals[i].lock);
	return 0;
}

static void global_begin_write(struct ktap_global *g)
{
	ktap_assert_held(&g->lock);
	WRITE_ONCE(g->seq, g->seq + 1);
	smp_wmb();	/* A: a reader of the new value sees @seq changed; pairs with B */
}

static void global_end_write(struct ktap_global *g)
{
	smp_wmb();	/* C: a reader of the even @seq sees the whole value; pairs with D */
	WRITE_ONCE(g->seq, g->seq + 1);
}

/* Returns false if the value is being written, or is a blob. */
static bool global_read_unlocked(const struct ktap_global *g, struct ktap_value *v)
{
	u32 seq = READ_ONCE(g->seq);

	smp_rmb();	/* D: pairs with C */
	*v = data_race(g->value);
	smp_rmb();	/* B: pairs with A */
	return !(seq & 1) && READ_ONCE(g->seq) == seq && !ktap_is_blob(v);
}

int ktap_global_get(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	struct ktap_global *g = &vm->env->globals[n];
	struct ktap_value copy;
	unsigned long flags;
	void *mem = NULL;
	u32 room = 0;
	bool done;

	if (likely(global_read_unlocked(g, &copy))) {
		*v = copy;
		return 0;
	}
	for (;;) {
		if (!ktap_lock(&g->lock, &flags)) {
			ktap_count_busy(vm->env);
			copy = KTAP_VALUE_NIL;
			break;
		}
		done = ktap_slot_copy(&copy, &g->value, mem, room);
		ktap_unlock(&g->lock, flags);
		if (done)
			break;
		mem = ktap_slot_make_room(vm, &room, copy.len);
		if (!mem)
			return vm->error;
	}
	*v = copy;
	return 0;
}

void ktap_global_peek(struct ktap_env *env, u32 n, struct ktap_value *v)
{
	*v = env->globals[n].value;
}

int ktap_global_set(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	struct ktap_global *g = &vm->env->globals[n];
	struct ktap_value owned;
	unsigned long flags;
	int ret;

	ret = ktap_slot_prepare(vm, v, &owned);
	if (ret <= 0)
		return ret;
	if (!ktap_lock(&g->lock, &flags)) {
		ktap_count_busy(vm->env);
		ktap_slot_discard(vm, &owned);
		return 0;
	}
	global_begin_write(g);
	ktap_slot_replace(vm->env, &g->value, &owned);
	global_end_write(g);
	ktap_unlock(&g->lock, flags);
	return 0;
}

int ktap_global_add(struct ktap_vm *vm, u32 n, const struct ktap_value *v)
{
	struct ktap_global *g = &vm->env->globals[n];
	struct ktap_value holds;
	unsigned long flags;
	bool added;
	int err;

	err = ktap_want_addend(vm, v);
	if (err)
		return err;
	if (!ktap_lock(&g->lock, &flags)) {
		ktap_count_busy(vm->env);
		return 0;
	}
	global_begin_write(g);
	added = ktap_slot_add(&g->value, ktap_number(v));
	global_end_write(g);
	holds = g->value;
	ktap_unlock(&g->lock, flags);
	return added ? 0 : ktap_bad_operand(vm, &holds);
}
