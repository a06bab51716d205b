/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Slots: a global, the value of a table's entry, a field of a thread.  A slot
 * owns a copy of its value, or counts as one that holds an object.
 */
#ifndef _KTAP_SLOT_H
#define _KTAP_SLOT_H

#include "vm.h"

/* Counts an operation given up since this CPU is inside a lock already. */
static inline void ktap_count_busy(struct ktap_env *env)
{
	atomic_long_inc(&env->counters.nmi_busy);
}

/* Memory of the session, counted if there is none; takes more where it can. */
void *ktap_slot_alloc(struct ktap_vm *vm, size_t size);

/*
 * Makes a value that a slot can own of the one in a register.  Returns 1; 0 if
 * there is no memory (counted); or a negative errno with the error set.
 */
int ktap_slot_prepare(struct ktap_vm *vm, struct ktap_value *v, struct ktap_value *owned);

/* Undoes it: the value found no slot. */
void ktap_slot_discard(struct ktap_vm *vm, struct ktap_value *owned);

/* Makes a prepared value the slot's.  The slot's lock is held. */
void ktap_slot_replace(struct ktap_env *env, struct ktap_value *slot,
		       const struct ktap_value *owned);

/**
 * ktap_slot_copy() - Copies what a slot holds for a register
 * @v: the copy
 * @slot: the slot; its lock is held
 * @mem: memory for a blob
 * @room: bytes of @mem
 *
 * Return: true; false if @room is too little: @v->len says what it takes.
 */
bool ktap_slot_copy(struct ktap_value *v, const struct ktap_value *slot, void *mem, u32 room);

/**
 * ktap_slot_make_room() - Takes memory for a blob that ktap_slot_copy() did not copy
 * @vm: the activation, which pays for the copy, too
 * @room: bytes there were, 0 at first; gets those there are now
 * @need: bytes it takes
 *
 * Return: as ktap_arena_alloc().
 */
void *ktap_slot_make_room(struct ktap_vm *vm, u32 *room, u32 need);

/* Adds.  The slot's lock is held.  False: the slot holds no number. */
bool ktap_slot_add(struct ktap_value *slot, s64 n);

#endif /* _KTAP_SLOT_H */
