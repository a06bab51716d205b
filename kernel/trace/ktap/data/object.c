// SPDX-License-Identifier: GPL-2.0
/*
 * The lifetime of objects: tables and aggregations.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "data/lock.h"
#include "data/object.h"
#include "vm/env.h"
#include "vm/vm.h"

/**
 * DOC: Lifetime of objects
 *
 * &ktap_object.refs counts the slots (of tables, globals and task fields) that
 * hold an object.  Registers are not counted: overwriting one costs nothing.
 * An object is in one of three states:
 *
 * Fresh
 *   An activation has made it, and no slot ever held it: only registers of this
 *   activation can refer to it.  It is on &ktap_vm.fresh, and is freed at the
 *   end of the run.  A run that makes many objects is swept from time to time:
 *   the sweep frees those that no register below &ktap_vm.top refers to.  A
 *   stale value in an unused register only delays that: nothing reads it.
 *
 * Held
 *   A slot holds it, or held it before.  Registers on any CPU may refer to it.
 *
 * Dead
 *   The last slot has released it.  Registers may still refer to it, here or on
 *   another CPU, and one of them may even store it in a slot again.  It is on
 *   &ktap_env.dead, and is freed after a grace period in which no slot held it.
 *   Handlers run with preemption disabled.  Runs in process context are either
 *   excluded by the caller of the reaper, or are that caller, whose registers
 *   the reaper checks.
 *
 * Objects that hold each other in a cycle live as long as the session.
 *
 * A freed object releases the objects that it holds.  If only dead objects have
 * held such an orphan since before the grace period, no handler refers to it
 * after the grace period: it is freed in the same round.  This continues for
 * nested tables of any depth.  Orphans wait on a list, so there is no recursion.
 *
 * To find orphans, the reaper counts its rounds in &ktap_env.round, and
 * &ktap_object.left is the last round in which a slot released the object; slots
 * of freed objects do not count.  Suppose an orphan is still in a register of a
 * handler that began after the grace period did.  The handler has read it from a
 * slot that belonged to no dead object, and that slot released it later, or the
 * orphan would still be held.  Since the handler sees the new round, the context
 * that released it sees it, too: @left is then the present round, and the orphan
 * waits for another grace period as any other dead object.
 */

/* A sweep starts at this many fresh objects. */
#define FRESH_MIN	64

/* Dead objects after which a run in process context waits for a grace period. */
#define DEAD_MANY	1024

/*
 * The objects that registers refer to, as a bit map of their hashes.  A collision
 * only keeps an object that could be freed.
 */
#define ROOT_BITS	11

struct object_roots {
	unsigned long salt;
	DECLARE_BITMAP(map, BIT(ROOT_BITS));
};

static unsigned int object_root_bit(const struct object_roots *roots,
				    const struct ktap_object *object)
{
	return hash_long((unsigned long)object ^ roots->salt, ROOT_BITS);
}

static void object_find_roots(const struct ktap_vm *vm, struct object_roots *roots)
{
	u32 i;

	/* New salt per sweep, so that the same two objects do not collide again. */
	roots->salt = vm->fresh.sweeps * 0x10001UL;
	bitmap_zero(roots->map, BIT(ROOT_BITS));
	for (i = 0; i < vm->top; i++) {
		if (ktap_is_object(&vm->stack[i]))
			__set_bit(object_root_bit(roots, vm->stack[i].object), roots->map);
	}
}

static bool object_is_root(const struct object_roots *roots, const struct ktap_object *object)
{
	return test_bit(object_root_bit(roots, object), roots->map);
}

/**
 * struct ktap_reaper - a round of the reaper
 * @round: its number
 * @roots: objects in registers of process context, which is no RCU reader; or NULL
 * @orphans: more objects to free in this round
 */
struct ktap_reaper {
	u32 round;
	const struct object_roots *roots;
	struct llist_node *orphans;
};

/* Put an object that no slot holds on &ktap_env.dead, unless it is there already. */
static void object_bury(struct ktap_env *env, struct ktap_object *object)
{
	if (atomic_cmpxchg(&object->dead, 0, 1))
		return;
	atomic_inc(&env->ndead);
	if (llist_add(&object->dead_node, &env->dead) && env->heap.low)
		env->heap.low(&env->heap);
}

static void object_free_fresh(struct ktap_env *env, struct ktap_object *object)
{
	/* If this CPU is inside a lock, leave the object to the reaper. */
	if (!object->ops->free(env, object, NULL))
		object_bury(env, object);
}

/* Free the objects on @vm->fresh that no register refers to; unlink those held by slots. */
static void object_sweep_fresh(struct ktap_vm *vm)
{
	struct ktap_object *object, **link = &vm->fresh.first;
	struct object_roots roots;
	u32 left = 0;

	object_find_roots(vm, &roots);
	vm->fresh.sweeps++;
	while ((object = *link)) {
		bool published = READ_ONCE(object->published);

		if (!published && object_is_root(&roots, object)) {
			link = &object->fresh;
			left++;
			continue;
		}
		*link = object->fresh;
		if (!published)
			object_free_fresh(vm->env, object);
	}
	vm->fresh.n = left;
	vm->fresh.limit = 2 * left;
}

/* Keep an object that was on the list.  It may have lost its last slot meanwhile. */
static void object_spare(struct ktap_env *env, struct ktap_object *object)
{
	/* Read @dead_node before; pairs with the cmpxchg of object_bury(). */
	atomic_set_release(&object->dead, 0);
	smp_mb();	/* the next release of the last slot buries it; or we do */
	if (!atomic_read(&object->refs))
		object_bury(env, object);
}

/*
 * Return the objects of @list that no slot and no register of process context
 * refers to; spare the others.  @revived is cleared before @refs is read, and set
 * after @refs is raised.  A handler that raises it after our read is noticed at the
 * end: it got the object before the grace period began, so it has finished by then.
 */
static struct llist_node *object_reap_candidates(struct ktap_env *env, struct llist_node *list,
						 const struct object_roots *roots)
{
	struct llist_node *candidates = NULL;
	struct ktap_object *object, *next;

	llist_for_each_entry_safe(object, next, list, dead_node) {
		cond_resched();
		WRITE_ONCE(object->revived, false);
		smp_mb();	/* pairs with the full barrier of ktap_object_enter()'s atomic */
		if (atomic_read(&object->refs) || (roots && object_is_root(roots, object))) {
			object_spare(env, object);
			continue;
		}
		object->dead_node.next = candidates;
		candidates = &object->dead_node;
	}
	return candidates;
}

/* After the grace period, free the object and the orphans that it leaves. */
static void reap_object(struct ktap_env *env, struct ktap_object *object,
			struct ktap_reaper *reaper)
{
	for (;;) {
		cond_resched();
		if (!object->ops->free(env, object, reaper))
			object_spare(env, object);
		if (!reaper->orphans)
			break;
		object = llist_entry(reaper->orphans, struct ktap_object, dead_node);
		reaper->orphans = reaper->orphans->next;
	}
}

/*
 * Free the dead objects that no slot held from before the grace period to its end.
 * @vm is the running activation of process context that called, or NULL.
 */
static void object_reap(struct ktap_env *env, const struct ktap_vm *vm)
{
	struct llist_node *list = llist_del_all(&env->dead);
	struct ktap_object *object, *next;
	struct ktap_reaper reaper = { };
	struct object_roots roots;

	might_sleep();
	if (!list)
		return;
	atomic_set(&env->ndead, 0);
	if (vm) {
		object_find_roots(vm, &roots);
		reaper.roots = &roots;
	}
	list = object_reap_candidates(env, list, reaper.roots);
	if (!list)
		return;
	reaper.round = env->round + 1;
	WRITE_ONCE(env->round, reaper.round);
	synchronize_rcu();
	llist_for_each_entry_safe(object, next, list, dead_node) {
		if (atomic_read(&object->refs) || READ_ONCE(object->revived))
			object_spare(env, object);
		else
			reap_object(env, object, &reaper);
	}
}

/* Charge for work that must be done even without budget; the next charge then fails. */
static void object_charge(struct ktap_vm *vm, u32 n)
{
	u64 now = min_t(u64, vm->budget, n);

	vm->budget -= now;
	vm->rest -= min(vm->rest, n - now);
}

static u32 object_sweep_cost(const struct ktap_vm *vm)
{
	return (vm->top + vm->fresh.n) / 16;
}

int ktap_object_make_room(struct ktap_vm *vm)
{
	if (likely(vm->fresh.n < max_t(u32, vm->fresh.limit, FRESH_MIN)))
		return 0;
	object_sweep_fresh(vm);
	if (vm->level == KTAP_LEVEL_PROCESS && atomic_read(&vm->env->ndead) >= DEAD_MANY)
		object_reap(vm->env, vm);
	return ktap_vm_charge(vm, object_sweep_cost(vm) + FRESH_MIN / 16);
}

bool ktap_objects_sweep(struct ktap_vm *vm)
{
	/* Inside a lock the heap refuses to allocate, and freed memory would leak. */
	if (this_cpu_read(ktap_inside.locks))
		return false;
	if (vm->fresh.n) {
		object_charge(vm, object_sweep_cost(vm));
		object_sweep_fresh(vm);
	}
	if (vm->level == KTAP_LEVEL_PROCESS)
		object_reap(vm->env, vm);
	return true;
}

void ktap_object_give(struct ktap_vm *vm, struct ktap_object *object, struct ktap_value *v)
{
	object->fresh = vm->fresh.first;
	vm->fresh.first = object;
	vm->after |= KTAP_AFTER_OBJECTS;
	vm->fresh.n++;
	*v = (struct ktap_value){ .object = object, .tag = object->ops->tag };
}

void ktap_object_enter(struct ktap_object *object)
{
	WRITE_ONCE(object->published, true);
	/* Pairs with the barriers in object_reap(). */
	if (atomic_inc_return(&object->refs) == 1)
		WRITE_ONCE(object->revived, true);
}

/*
 * Raise @left to the present round as this CPU sees it.  If another CPU has already
 * stored the next round, keep that.  They cannot differ by more: a round waits for
 * every CPU that is inside a lock.
 */
static void object_note_leave(struct ktap_env *env, struct ktap_object *object)
{
	u32 round, left = READ_ONCE(object->left);

	/* Empty the slot before reading @round; pairs with the grace period of object_reap(). */
	smp_mb();
	round = READ_ONCE(env->round);
	while (left - round > 1) {
		u32 was = cmpxchg(&object->left, left, round);

		if (was == left)
			break;
		left = was;
	}
}

void ktap_object_leave(struct ktap_env *env, struct ktap_object *object)
{
	object_note_leave(env, object);
	if (atomic_dec_and_test(&object->refs))
		object_bury(env, object);
}

void ktap_object_orphan(struct ktap_env *env, struct ktap_object *object,
			struct ktap_reaper *reaper)
{
	ktap_assert_locked();
	if (!atomic_dec_and_test(&object->refs))
		return;
	if (READ_ONCE(object->left) == reaper->round ||
	    (reaper->roots && object_is_root(reaper->roots, object))) {
		object_bury(env, object);
	} else if (!atomic_cmpxchg(&object->dead, 0, 1)) {
		object->dead_node.next = reaper->orphans;
		reaper->orphans = &object->dead_node;
	}
	/* Otherwise it is on a list of dead objects already. */
}

void ktap_objects_end_run(struct ktap_vm *vm)
{
	struct ktap_object *object, *next;

	for (object = vm->fresh.first; object; object = next) {
		next = object->fresh;
		if (!READ_ONCE(object->published))
			object_free_fresh(vm->env, object);
	}
	vm->fresh = (struct ktap_fresh){ };
	vm->after &= ~KTAP_AFTER_OBJECTS;
	if (vm->level == KTAP_LEVEL_PROCESS)
		ktap_objects_reap(vm->env);
}

void ktap_objects_reap(struct ktap_env *env)
{
	object_reap(env, NULL);
}
