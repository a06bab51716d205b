/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A slot holds one value: a global, the value of a table's entry or a field of a
 * thread.  It owns a copy of a blob, and counts as a reference to an object.
 */
#ifndef _KTAP_VALUE_SLOT_H
#define _KTAP_VALUE_SLOT_H

#include "vm/env.h"

struct ktap_vm;

/* Count an operation that was dropped because this CPU is already inside a lock. */
static inline void ktap_count_busy(struct ktap_env *env)
{
	atomic_long_inc(&env->counters.nmi_busy);
}

/*
 * Write a slot.  Others may set the integer of a global meanwhile, once they see that it is
 * one (ktap_global_set_int()).
 */
static __always_inline void ktap_slot_put(struct ktap_value *slot, const struct ktap_value *v)
{
	WRITE_ONCE(slot->u, v->u);
	ktap_copy_tag(slot, v);
}

/*
 * Allocate from the session's heap.  If it is empty, sweep, and refill it in
 * process context.  Return NULL (counted) if that does not help.
 */
void *ktap_slot_alloc(struct ktap_vm *vm, size_t size);

/*
 * Make a value that a slot can own from the one in a register.  Return 1; 0 if
 * there is no memory (counted); or a negative errno with the error set.
 */
int ktap_slot_prepare(struct ktap_vm *vm, struct ktap_value *v, struct ktap_value *owned);

/* Free a prepared value that was not stored in a slot. */
void ktap_slot_discard(struct ktap_vm *vm, struct ktap_value *owned);

/* Store a prepared value in the slot.  The caller holds the slot's lock. */
void ktap_slot_replace(struct ktap_env *env, struct ktap_value *slot,
		       const struct ktap_value *owned);

/**
 * ktap_slot_copy() - Copy the value of a slot for a register
 * @v: the copy
 * @slot: the slot; the caller holds its lock
 * @mem: memory for a blob
 * @room: bytes of @mem
 *
 * Return: true; false if @room is too small: @v->len is the size needed.
 */
bool ktap_slot_copy(struct ktap_value *v, const struct ktap_value *slot, void *mem, u32 room);

/**
 * ktap_slot_make_room() - Allocate memory for a blob that ktap_slot_copy() did not copy
 * @vm: the activation; it is charged for the copy, too
 * @room: size of the last attempt, 0 at first; set to the new size
 * @need: bytes of the blob
 *
 * Return: arena memory, or NULL with the error set.
 */
void *ktap_slot_make_room(struct ktap_vm *vm, u32 *room, u32 need);

/* Add @n, under the slot's lock.  Return false if the slot holds no number. */
bool ktap_slot_add(struct ktap_value *slot, s64 n);

#endif /* _KTAP_VALUE_SLOT_H */
