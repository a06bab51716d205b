// SPDX-License-Identifier: GPL-2.0
/*
 * Slots: how tables, globals and task fields store values.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "data/lock.h"
#include "data/object.h"
#include "data/value_slot.h"
#include "vm/vm.h"

void *ktap_slot_alloc(struct ktap_vm *vm, size_t size)
{
	struct ktap_heap *heap = &vm->env->heap;
	void *p = ktap_heap_alloc(heap, size);

	if (!p && ktap_objects_sweep(vm))
		p = ktap_heap_alloc(heap, size);
	if (!p && vm->level == KTAP_LEVEL_PROCESS && !ktap_heap_refill(heap))
		p = ktap_heap_alloc(heap, size);
	if (!p)
		atomic_long_inc(&vm->env->counters.no_memory);
	return p;
}

int ktap_slot_prepare(struct ktap_vm *vm, struct ktap_value *v, struct ktap_value *owned)
{
	void *p;
	int err;

	if (v->tag == KTAP_EVENT)
		return ktap_vm_error(vm, -EINVAL,
				     "an event cannot be kept: it ends with its handler");
	err = ktap_make_text(vm, v);
	if (err)
		return err;
	*owned = *v;
	if (!ktap_is_blob(v))
		return 1;
	err = ktap_vm_charge(vm, v->len / 64);
	if (err)
		return err;
	p = ktap_slot_alloc(vm, v->len);
	if (!p)
		return 0;
	memcpy(p, ktap_blob_of(v), v->len);
	owned->blob = p;
	return 1;
}

void ktap_slot_discard(struct ktap_vm *vm, struct ktap_value *owned)
{
	if (ktap_is_blob(owned))
		ktap_heap_free(&vm->env->heap, (void *)ktap_blob_of(owned), owned->len);
}

void ktap_slot_replace(struct ktap_env *env, struct ktap_value *slot,
		       const struct ktap_value *owned)
{
	/* The integer of a global may change meanwhile. */
	struct ktap_value old = data_race(*slot);

	ktap_assert_locked();
	/* Take the new reference first: both may be the same object. */
	if (ktap_is_object(owned))
		ktap_object_enter(ktap_object_of(owned));
	ktap_slot_put(slot, owned);
	if (ktap_is_blob(&old))
		ktap_heap_free_nested(&env->heap, (void *)ktap_blob_of(&old), old.len);
	else if (ktap_is_object(&old))
		ktap_object_leave(env, ktap_object_of(&old));
}

bool ktap_slot_copy(struct ktap_value *v, const struct ktap_value *slot, void *mem, u32 room)
{
	ktap_assert_locked();
	/* The integer of a steady table's entry may change meanwhile. */
	*v = data_race(*slot);
	if (!ktap_is_blob(slot))
		return true;
	if (!mem || slot->len > room)
		return false;
	memcpy(mem, ktap_blob_of(slot), slot->len);
	v->blob = mem;
	return true;
}

/*
 * If there was room already, the value has grown since the last attempt:
 * allocate more than it needs now.
 */
void *ktap_slot_make_room(struct ktap_vm *vm, u32 *room, u32 need)
{
	*room = *room ? min_t(u32, 2 * need, KTAP_MAX_STRLEN) : need;
	if (ktap_vm_charge(vm, *room / 64))
		return NULL;
	return ktap_arena_alloc(vm, *room);
}

bool ktap_slot_add(struct ktap_value *slot, s64 n)
{
	ktap_assert_locked();
	if (!ktap_is_number(slot))
		return false;
	*slot = KTAP_VALUE_INT((u64)ktap_number(slot) + (u64)n);
	return true;
}
