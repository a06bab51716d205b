// SPDX-License-Identifier: GPL-2.0
/*
 * Globals: slots with a lock each, so that `g += n` loses no update.
 */
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "slot.h"

struct ktap_global {
	struct ktap_lock lock;
	struct ktap_value value;
};

int ktap_globals_init(struct ktap_env *env)
{
	u32 i, n = env->prog->nglobals;

	env->globals = kvcalloc(n ?: 1, sizeof(*env->globals), GFP_KERNEL_ACCOUNT);
	if (!env->globals)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		ktap_lock_init(&env->globals[i].lock);
	return 0;
}

int ktap_global_get(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	struct ktap_global *g = &vm->env->globals[n];
	struct ktap_value copy;
	unsigned long flags;
	void *mem = NULL;
	u32 room = 0;
	bool done;

	for (;;) {
		if (!ktap_lock(&g->lock, &flags)) {
			ktap_count_busy(vm);
			copy = KTAP_VALUE_NIL;
			break;
		}
		done = ktap_slot_copy(&copy, &g->value, mem, room);
		ktap_unlock(&g->lock, flags);
		if (done)
			break;
		room = ktap_slot_room(room, copy.len);
		mem = ktap_arena_alloc(vm, room);
		if (!mem)
			return vm->error;
	}
	*v = copy;
	return 0;
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
		ktap_count_busy(vm);
		ktap_slot_discard(vm, &owned);
		return 0;
	}
	ktap_slot_replace(vm->env, &g->value, &owned);
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
		ktap_count_busy(vm);
		return 0;
	}
	added = ktap_slot_add(&g->value, v->tag == KTAP_INT ? v->i : 0);
	holds = g->value;
	ktap_unlock(&g->lock, flags);
	return added ? 0 : ktap_no_sum(vm, &holds);
}
