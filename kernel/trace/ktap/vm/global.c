// SPDX-License-Identifier: GPL-2.0
/*
 * Globals: slots with a lock each, so that `g += n` loses no update.
 *
 * A writer holds the lock, and makes &ktap_global.seq odd before an update and
 * even after it.  Most reads get a table or an aggregation, on every event and
 * all CPUs: they take no lock and write nothing.  A reader takes the lock if
 * @seq is odd or has changed, or if it finds a blob, whose memory belongs to
 * the slot.  An object lives as long as a reader can refer to it (data/object.c).
 *
 * A global that only gets integers (load/rewrite.c) is written without the lock once it is
 * one, on machines where that is a single store: a reader finds the old or the new integer.
 *
 * A global to which handlers only add (load/rewrite.c) also has a sum for each CPU,
 * which handlers add to without a lock.  The sums only grow: the value of the global is
 * that of the slot, plus what the sums have gained since the slot was written.  So no
 * addition is lost or counted twice if the global is written or read meanwhile.  The
 * number of additions tells a global that is 0 from one that is still nil.
 */
#include <linux/compiler.h>
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/value_slot.h"
#include "vm/arith.h"
#include "vm/global.h"
#include "vm/opcode.h"
#include "vm/vm.h"

/*
 * If there is no room for a sum, SUM does the same as ADDG.  So it does on machines where
 * local64_add() takes a lock, inside of which an NMI or a kprobe may happen.
 */
static int global_make_sum(struct ktap_env *env, struct ktap_global *g)
{
	if (IS_ENABLED(CONFIG_GENERIC_ATOMIC64))
		return 0;
	if (g->sums || !ktap_heap_charge(&env->heap, sizeof(*g->sums) * num_possible_cpus()))
		return 0;
	g->sums = alloc_percpu_gfp(struct ktap_sum, KTAP_GFP);
	if (!g->sums)
		return -ENOMEM;
	g->adding = g->sums;
	g->slow = true;
	return 0;
}

static void global_find_conditions(struct ktap_env *env)
{
	const struct ktap_program *prog = env->prog;
	u32 i, n;

	for (i = 0; i < prog->nprobe_defs; i++) {
		n = prog->probe_defs[i].condition;
		if (n == KTAP_NONE)
			continue;
		env->globals[n].condition = true;
		env->globals[n].slow = true;
	}
}

int ktap_globals_init(struct ktap_env *env)
{
	const struct ktap_program *prog = env->prog;
	int err = 0;
	u32 i;

	env->globals = kvcalloc(prog->nglobals ?: 1, sizeof(*env->globals), KTAP_GFP);
	if (!env->globals)
		return -ENOMEM;
	for (i = 0; i < prog->nglobals; i++)
		ktap_lock_init(&env->globals[i].lock);
	for (i = 0; i < prog->ninsns && !err; i++) {
		if (prog->code[i].op == KTAP_OP_SUM)
			err = global_make_sum(env, &env->globals[prog->code[i].d]);
	}
	global_find_conditions(env);
	return err;
}

void ktap_globals_destroy(struct ktap_env *env)
{
	u32 i;

	for (i = 0; env->globals && i < env->prog->nglobals; i++)
		free_percpu(env->globals[i].sums);
	kvfree(env->globals);
	env->globals = NULL;
}

/* Total of the sums of all CPUs.  Additions that happen meanwhile are in it or not. */
static void global_add_up(const struct ktap_global *g, u64 *sum, u64 *n)
{
	const struct ktap_sum *there;
	int cpu;

	*sum = 0;
	*n = 0;
	for_each_possible_cpu(cpu) {
		there = per_cpu_ptr(g->sums, cpu);
		*n += local64_read(&there->n);
		*sum += local64_read(&there->sum);
	}
}

/* Charge for adding up. */
static int global_pay_for_sums(struct ktap_vm *vm, const struct ktap_global *g)
{
	return g->sums ? ktap_vm_charge(vm, 1 + num_possible_cpus() / 8) : 0;
}

/* The value has been written: only what is added from now on changes it. */
static void global_restart(struct ktap_global *g)
{
	ktap_assert_held(&g->lock);
	WRITE_ONCE(g->adding, ktap_is_number(&g->value) ? g->sums : NULL);
	global_add_up(g, &g->old_sum, &g->old_n);
}

/* Add what handlers have added since to @v, a copy of the value. */
static void global_complete(struct ktap_global *g, struct ktap_value *v)
{
	u64 sum, n;

	ktap_assert_held(&g->lock);
	if (!ktap_is_number(v))
		return;
	global_add_up(g, &sum, &n);
	if (n != g->old_n || sum != g->old_sum)
		*v = KTAP_VALUE_INT((u64)ktap_number(v) + (sum - g->old_sum));
}

/* The lock has been released: a context that is asked to look at the global can take it. */
static noinline void global_report_condition(struct ktap_env *env)
{
	if (env->condition_changed)
		env->condition_changed(env);
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

int ktap_global_get(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	struct ktap_global *g = &vm->env->globals[n];
	struct ktap_value copy;
	unsigned long flags;
	void *mem = NULL;
	u32 room = 0;
	bool done;

	if (likely(ktap_global_read(g, &copy))) {
		*v = copy;
		return 0;
	}
	if (global_pay_for_sums(vm, g))
		return vm->error;
	for (;;) {
		if (!ktap_lock(&g->lock, &flags)) {
			ktap_count_busy(vm->env);
			copy = KTAP_VALUE_NIL;
			break;
		}
		done = ktap_slot_copy(&copy, &g->value, mem, room);
		if (g->sums)
			global_complete(g, &copy);
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

/* Can a slot take the value as it is, and drop it again without further work? */
static __always_inline bool global_is_plain(const struct ktap_value *v)
{
	return v->tag < KTAP_TABLE;
}

/* Replace a plain value by another one; false, and nothing is done, if that is not the case. */
static __always_inline bool global_set_plain(struct ktap_global *g, const struct ktap_value *v)
{
	unsigned long flags;
	bool plain;

	if (!global_is_plain(v) || g->slow || !ktap_trylock(&g->lock, &flags))
		return false;
	plain = global_is_plain(&g->value);
	if (likely(plain)) {
		global_begin_write(g);
		ktap_slot_put(&g->value, v);
		global_end_write(g);
	}
	ktap_unlock(&g->lock, flags);
	return plain;
}

static noinline int global_set_other(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	struct ktap_global *g = &vm->env->globals[n];
	struct ktap_value owned;
	bool was, is;
	unsigned long flags;
	int ret;

	ret = global_pay_for_sums(vm, g);
	if (!ret)
		ret = ktap_slot_prepare(vm, v, &owned);
	if (ret <= 0)
		return ret;
	if (!ktap_lock(&g->lock, &flags)) {
		ktap_count_busy(vm->env);
		ktap_slot_discard(vm, &owned);
		return 0;
	}
	was = g->condition && ktap_is_true(&g->value);
	is = g->condition && ktap_is_true(&owned);
	global_begin_write(g);
	ktap_slot_replace(vm->env, &g->value, &owned);
	if (g->sums)
		global_restart(g);
	global_end_write(g);
	ktap_unlock(&g->lock, flags);
	if (was != is)
		global_report_condition(vm->env);
	return 0;
}

int ktap_global_set(struct ktap_vm *vm, u32 n, struct ktap_value *v)
{
	return likely(global_set_plain(&vm->env->globals[n], v)) ? 0 : global_set_other(vm, n, v);
}

int ktap_global_add(struct ktap_vm *vm, u32 n, const struct ktap_value *v)
{
	struct ktap_global *g = &vm->env->globals[n];
	struct ktap_value holds;
	unsigned long flags;
	bool added, was;
	int err;

	err = ktap_want_addend(vm, v);
	if (err)
		return err;
	if (!ktap_lock(&g->lock, &flags)) {
		ktap_count_busy(vm->env);
		return 0;
	}
	was = ktap_is_true(&g->value);
	global_begin_write(g);
	added = ktap_slot_add(&g->value, ktap_number(v));
	global_end_write(g);
	holds = g->value;
	ktap_unlock(&g->lock, flags);
	if (unlikely(g->condition) && was != ktap_is_true(&holds))
		global_report_condition(vm->env);
	return added ? 0 : ktap_bad_operand(vm, &holds);
}

bool ktap_global_is_true(struct ktap_env *env, u32 n)
{
	struct ktap_global *g = &env->globals[n];
	unsigned long flags;
	bool is;

	/* Only an NMI or a kprobe can find that its CPU holds a lock. */
	if (!ktap_lock(&g->lock, &flags)) {
		WARN_ON_ONCE(true);
		return false;
	}
	is = ktap_is_true(&g->value);
	ktap_unlock(&g->lock, flags);
	return is;
}
