// SPDX-License-Identifier: GPL-2.0
/*
 * The life of objects: tables and aggregations.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/kernel.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

#include "agg.h"
#include "object.h"
#include "table.h"

/**
 * DOC: The life of objects
 *
 * Slots (of tables, globals and threads) that hold an object are counted in
 * &ktap_object.refs.  Registers are not: there is nothing to do when one is
 * overwritten.  An object is in one of three states:
 *
 * Fresh
 *   An activation has made it, and no slot ever held it: only registers of
 *   this activation can refer to it.  It is on &ktap_vm.fresh.  With the end of
 *   the run it is freed.  A run that makes many is swept now and then: the
 *   registers below &ktap_vm.top are looked at, and what none of them refers to
 *   is freed.  What stands in a register that is not in use keeps an object a
 *   little longer, and that is all it does: nobody follows it.
 *
 * Held
 *   A slot holds it, or held it before.  Registers on any CPU may refer to it.
 *
 * Dead
 *   The last slot has let it go.  Registers may still refer to it, here or on
 *   another CPU, and one of them may even put it into a slot again.  It is on
 *   &ktap_env.dead, and is freed when a grace period has gone by in which no slot
 *   held it: handlers run with preemption disabled, and who runs in process
 *   context is kept out by the caller, or is the caller, whose registers are
 *   looked at.
 *
 * Objects that hold each other in a circle live as long as the session.
 *
 * Freed objects let go of what they hold: that dies in its turn.  Nothing here
 * goes down into nested tables by calling itself.
 */

/* So many fresh objects are not worth a look. */
#define FRESH_MIN	64

/* As many dead ones are worth a grace period to a run in process context. */
#define DEAD_MANY	1024

/*
 * Objects that registers refer to, as far as a bit map of their hashes tells:
 * it may have too many, and then frees too few.
 */
#define ROOT_BITS	11

struct roots {
	unsigned long salt;
	DECLARE_BITMAP(map, BIT(ROOT_BITS));
};

static unsigned int root_bit(const struct roots *roots, const struct ktap_object *object)
{
	return hash_long((unsigned long)object ^ roots->salt, ROOT_BITS);
}

static void find_roots(const struct ktap_vm *vm, struct roots *roots)
{
	u32 i;

	/* Two that share a bit now shall not share one the next time. */
	roots->salt = vm->fresh.sweeps * 0x10001UL;
	bitmap_zero(roots->map, BIT(ROOT_BITS));
	for (i = 0; i < vm->top; i++) {
		if (ktap_is_object(&vm->stack[i]))
			__set_bit(root_bit(roots, vm->stack[i].object), roots->map);
	}
}

static bool is_root(const struct roots *roots, const struct ktap_object *object)
{
	return test_bit(root_bit(roots, object), roots->map);
}

/* False: this CPU is inside a lock of ktap; some of it may be freed. */
static bool free_object(struct ktap_env *env, struct ktap_object *object)
{
	const struct ktap_value v = { .object = object };

	return object->tag == KTAP_TABLE ? ktap_table_free(env, v.table) :
					   ktap_agg_free(env, v.agg);
}

/* The last slot let it go, or had when its place on the list was given up. */
static void bury(struct ktap_env *env, struct ktap_object *object)
{
	if (atomic_cmpxchg(&object->dead, 0, 1))
		return;
	atomic_inc(&env->ndead);
	if (llist_add(&object->dead_node, &env->dead) && env->heap.low)
		env->heap.low(&env->heap);
}

static void free_fresh(struct ktap_env *env, struct ktap_object *object)
{
	/* Busy: the reaper is not. */
	if (!free_object(env, object))
		bury(env, object);
}

/* Frees those of @vm->fresh that no register refers to; drops those that are held. */
static void sweep_fresh(struct ktap_vm *vm)
{
	struct ktap_object *object, **link = &vm->fresh.first;
	struct roots roots;
	u32 left = 0;

	find_roots(vm, &roots);
	vm->fresh.sweeps++;
	while ((object = *link)) {
		bool published = READ_ONCE(object->published);

		if (!published && is_root(&roots, object)) {
			link = &object->fresh;
			left++;
			continue;
		}
		*link = object->fresh;
		if (!published)
			free_fresh(vm->env, object);
	}
	vm->fresh.n = left;
	vm->fresh.limit = 2 * left;
}

/* It lives on, off the list, until a slot lets it go again; none may hold it now. */
static void spare(struct ktap_env *env, struct ktap_object *object)
{
	/* Its place on the list was read before; pairs with the cmpxchg of bury(). */
	atomic_set_release(&object->dead, 0);
	smp_mb();	/* the next to let go of it buries it; or we do */
	if (!atomic_read(&object->refs))
		bury(env, object);
}

/*
 * An object is freed if no slot held it from before the grace period to its
 * end.  @revived is cleared before @refs is looked at, and set after it is
 * raised: a task that raises it behind our look is seen at the end, since it got at
 * the object before the grace period began, and has finished when that ends.
 *
 * @vm is the activation of process context that runs, and waits for this; NULL
 * if none does.
 */
static void reap(struct ktap_env *env, const struct ktap_vm *vm)
{
	struct llist_node *list = llist_del_all(&env->dead);
	struct llist_node *candidates = NULL;
	struct ktap_object *object, *next;
	struct roots roots;

	if (!list)
		return;
	atomic_set(&env->ndead, 0);
	if (vm)
		find_roots(vm, &roots);
	llist_for_each_entry_safe(object, next, list, dead_node) {
		WRITE_ONCE(object->revived, false);
		smp_mb();	/* pairs with the full barrier of ktap_object_enter()'s atomic */
		if (atomic_read(&object->refs) || (vm && is_root(&roots, object))) {
			spare(env, object);
			continue;
		}
		object->dead_node.next = candidates;
		candidates = &object->dead_node;
	}
	if (!candidates)
		return;
	synchronize_rcu();
	llist_for_each_entry_safe(object, next, candidates, dead_node) {
		if (atomic_read(&object->refs) || READ_ONCE(object->revived) ||
		    !free_object(env, object))
			spare(env, object);
	}
}

/* Work that is done whether it can be paid for or not: what follows pays. */
static void pay(struct ktap_vm *vm, u32 n)
{
	u64 now = min_t(u64, vm->budget, n);

	vm->budget -= now;
	vm->rest -= min(vm->rest, n - now);
}

static u32 sweep_cost(const struct ktap_vm *vm)
{
	return (vm->top + vm->fresh.n) / 16;
}

int ktap_object_make_room(struct ktap_vm *vm)
{
	if (likely(vm->fresh.n < max_t(u32, vm->fresh.limit, FRESH_MIN)))
		return 0;
	sweep_fresh(vm);
	if (vm->level == KTAP_LEVEL_PROCESS && atomic_read(&vm->env->ndead) >= DEAD_MANY)
		reap(vm->env, vm);
	return ktap_vm_charge(vm, sweep_cost(vm) + FRESH_MIN / 16);
}

bool ktap_objects_sweep(struct ktap_vm *vm)
{
	/* Not for want of memory was it refused, and what is freed would be lost. */
	if (this_cpu_read(ktap_locks_held))
		return false;
	if (vm->fresh.n) {
		pay(vm, sweep_cost(vm));
		sweep_fresh(vm);
	}
	if (vm->level == KTAP_LEVEL_PROCESS)
		reap(vm->env, vm);
	return true;
}

void ktap_object_give(struct ktap_vm *vm, struct ktap_object *object, struct ktap_value *v)
{
	object->fresh = vm->fresh.first;
	vm->fresh.first = object;
	vm->fresh.n++;
	*v = (struct ktap_value){ .object = object, .tag = object->tag };
}

void ktap_object_enter(struct ktap_object *object)
{
	WRITE_ONCE(object->published, true);
	/* Pairs with the barriers in reap(). */
	if (atomic_inc_return(&object->refs) == 1)
		WRITE_ONCE(object->revived, true);
}

void ktap_object_leave(struct ktap_env *env, struct ktap_object *object)
{
	if (atomic_dec_and_test(&object->refs))
		bury(env, object);
}

void ktap_objects_end_run(struct ktap_vm *vm)
{
	struct ktap_object *object, *next;

	for (object = vm->fresh.first; object; object = next) {
		next = object->fresh;
		if (!READ_ONCE(object->published))
			free_fresh(vm->env, object);
	}
	vm->fresh = (struct ktap_fresh){ };
	if (vm->level == KTAP_LEVEL_PROCESS)
		ktap_objects_reap(vm->env);
}

void ktap_objects_reap(struct ktap_env *env)
{
	reap(env, NULL);
}
