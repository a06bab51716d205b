/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects: what slots and registers refer to and do not own, tables and
 * aggregations.  Their life is described in object.c.
 */
#ifndef _KTAP_OBJECT_H
#define _KTAP_OBJECT_H

#include "vm.h"

/**
 * struct ktap_object - the head of a table or an aggregation
 * @refs: slots that hold it; atomic
 * @dead: it is, or is about to be, on &ktap_env.dead; atomic
 * @tag: KTAP_TABLE or KTAP_AGG; constant
 * @published: a slot held it once; set before anybody else can see it
 * @revived: &refs was raised from 0; see ktap_objects_reap()
 * @dead_node: its place on &ktap_env.dead
 * @fresh: next one of &ktap_vm.fresh; of the activation that made it
 * @divisor: what its numbers are divided by when they are shown; 0: by what
 *	those around it are divided by
 */
struct ktap_object {
	atomic_t refs;
	atomic_t dead;
	u8 tag;
	bool published;
	bool revived;
	struct llist_node dead_node;
	struct ktap_object *fresh;
	s64 divisor;
};

static inline void ktap_object_init(struct ktap_object *object, enum ktap_tag tag)
{
	*object = (struct ktap_object){ .tag = tag };
}

/*
 * To be called before an object is made for a register: sees to it that those
 * that were made before and forgotten do not pile up.  0, or a negative errno
 * with the error set.
 */
int ktap_object_make_room(struct ktap_vm *vm);

/*
 * Gives a new object to a register.  It must stand in one, below &ktap_vm.top,
 * when memory is taken from the heap next.
 */
void ktap_object_give(struct ktap_vm *vm, struct ktap_object *object, struct ktap_value *v);

/* What to do when the heap has nothing left: true if it is worth to try again. */
bool ktap_objects_sweep(struct ktap_vm *vm);

/* A slot holds it from now on, or lets it go.  The slot's lock is held. */
void ktap_object_enter(struct ktap_object *object);
void ktap_object_leave(struct ktap_env *env, struct ktap_object *object);

/* Ends the life of @vm->fresh: what was stored nowhere is freed. */
void ktap_objects_end_run(struct ktap_vm *vm);

/**
 * ktap_objects_reap() - Frees the objects that no slot refers to any more
 * @env: the environment
 *
 * Waits for a grace period if there are any.  The caller sees to it that no
 * activation of KTAP_LEVEL_PROCESS runs in @env meanwhile, and that no other
 * reaper does.  ktap_vm_run() calls it at the end of such a run.
 * Context: process, may sleep.
 */
void ktap_objects_reap(struct ktap_env *env);

#endif /* _KTAP_OBJECT_H */
