/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Objects: tables and aggregations.  Slots and registers refer to them and do not
 * own them.  object.c describes their lifetime.
 */
#ifndef _KTAP_OBJECT_H
#define _KTAP_OBJECT_H

#include <linux/atomic.h>
#include <linux/llist.h>
#include <linux/types.h>

#include "vm/value.h"

struct ktap_env;
struct ktap_reaper;
struct ktap_vm;

struct ktap_object;

/**
 * struct ktap_object_ops - a kind of objects
 * @tag: KTAP_TABLE or KTAP_AGG
 * @free: free an object, and release the objects that it holds.  With @reaper it may
 *	sleep; @reaper is NULL for an object that no slot ever held.  Return false if
 *	this CPU is inside a lock of ktap; parts of the object may be freed by then
 */
struct ktap_object_ops {
	enum ktap_tag tag;
	bool (*free)(struct ktap_env *env, struct ktap_object *object,
		     struct ktap_reaper *reaper);
};

/**
 * struct ktap_object - the head of a table or an aggregation
 * @ops: its kind; constant
 * @refs: number of slots that hold it; atomic
 * @dead: it is, or is about to be, on &ktap_env.dead; atomic
 * @published: a slot has held it; set before other activations can see it
 * @revived: @refs was raised from 0; cleared by the reaper (object.c)
 * @left: the last round of the reaper in which a slot released it (object.c)
 * @dead_node: node on &ktap_env.dead
 * @fresh: next one on &ktap_vm.fresh of the activation that made it
 * @divisor: its numbers are divided by this when they are shown; 0: by the
 *	divisor of the object around it
 */
struct ktap_object {
	const struct ktap_object_ops *ops;
	atomic_t refs;
	atomic_t dead;
	bool published;
	bool revived;
	u32 left;
	struct llist_node dead_node;
	struct ktap_object *fresh;
	s64 divisor;
};

static inline void ktap_object_init(struct ktap_object *object, const struct ktap_object_ops *ops)
{
	*object = (struct ktap_object){ .ops = ops };
}

/*
 * Call this before an object is made for a register: it sweeps unreachable fresh
 * objects if there are many.  Return 0, or a negative errno with the error set.
 */
int ktap_object_make_room(struct ktap_vm *vm);

/*
 * Put a new object into @v.  A register below &ktap_vm.top must hold it before the
 * next allocation from the heap, which may sweep.
 */
void ktap_object_give(struct ktap_vm *vm, struct ktap_object *object, struct ktap_value *v);

/* Free unreachable objects when the heap is empty.  Return true if a retry may help. */
bool ktap_objects_sweep(struct ktap_vm *vm);

/*
 * Count a slot that now holds the object, or releases it.  The caller holds the
 * slot's lock; in process context also for a temporary reference.
 */
void ktap_object_enter(struct ktap_object *object);
void ktap_object_leave(struct ktap_env *env, struct ktap_object *object);

/* Release @object from a slot of an object that @reaper frees.  Context: process. */
void ktap_object_orphan(struct ktap_env *env, struct ktap_object *object,
			struct ktap_reaper *reaper);

/* At the end of a run, free the objects of @vm->fresh that no slot ever held. */
void ktap_objects_end_run(struct ktap_vm *vm);

/**
 * ktap_objects_reap() - Free the objects that no slot holds any more
 * @env: the environment
 *
 * Waits for a grace period if there are any.  The caller must prevent that an
 * activation of KTAP_LEVEL_PROCESS or another reaper runs in @env at the same
 * time.  ktap_vm_run() calls it at the end of such a run.
 * Context: process, may sleep.
 */
void ktap_objects_reap(struct ktap_env *env);

#endif /* _KTAP_OBJECT_H */
