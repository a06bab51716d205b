/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Globals: state that a script keeps between events.
 */
#ifndef _KTAP_GLOBAL_H
#define _KTAP_GLOBAL_H

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/types.h>

#include <asm/local64.h>

#include "data/lock.h"
#include "vm/vm.h"

struct ktap_env;

/**
 * struct ktap_sum - what handlers on one CPU have added to a global
 * @sum: sum of the numbers
 * @n: number of additions
 */
struct ktap_sum {
	local64_t sum;
	local64_t n;
};

/**
 * struct ktap_global - a global
 * @lock: protects the rest against other writers, but see ktap_global_set_int()
 * @seq: odd while @value is written by who holds @lock
 * @value: the slot
 * @slow: a write has more to do than to write a plain value: @sums or @condition
 * @condition: it is the condition of a probe
 * @sums: handlers add to these; NULL if they change @value
 * @adding: @sums while @value is a number, otherwise NULL
 * @old_sum: total of @sums when @value was written
 * @old_n: likewise
 */
struct ktap_global {
	struct ktap_lock lock;
	u32 seq;
	struct ktap_value value;
	bool slow;
	bool condition;
	struct ktap_sum __percpu *sums;
	struct ktap_sum __percpu *adding;
	u64 old_sum;
	u64 old_n;
};

/* Context: process, may sleep.  0 or -ENOMEM. */
int ktap_globals_init(struct ktap_env *env);
void ktap_globals_destroy(struct ktap_env *env);

/*
 * Read a global without its lock.  Return false if it is being written, is a blob, or is
 * kept per CPU.
 */
static __always_inline bool ktap_global_read(const struct ktap_global *g, struct ktap_value *v)
{
	u32 seq = READ_ONCE(g->seq);

	smp_rmb();	/* D: pairs with C and E */
	*v = data_race(g->value);
	v->u = READ_ONCE(g->value.u);
	smp_rmb();	/* B: pairs with A and E */
	return !(seq & 1) && READ_ONCE(g->seq) == seq && !ktap_is_blob(v) && !g->sums;
}

/*
 * Set a global that only gets integers while events are delivered.  Return false if it is none
 * yet; its type does not change any more once it is one.  Only where a long has 64 bits.
 */
static __always_inline bool ktap_global_set_int(struct ktap_global *g, s64 n)
{
	if (unlikely(READ_ONCE(g->value.tag) != KTAP_INT))
		return false;
	/* E: a reader of @n sees what this CPU has written before; pairs with B and D */
	smp_store_release((unsigned long *)&g->value.u, n);
	return true;
}

static __always_inline void ktap_sum_add(struct ktap_sum __percpu *adding, s64 n)
{
	/* Handlers run with preemption disabled, some tests do not. */
	struct ktap_sum *here = raw_cpu_ptr(adding);

	local64_add(n, &here->sum);
	local64_inc(&here->n);
}

/*
 * Add to the sum of this CPU.  Return false if the global is not kept per CPU.  An NMI may
 * interrupt this anywhere, and add to the same sum.
 */
static __always_inline bool ktap_global_sum_int(const struct ktap_vm *vm,
						const struct ktap_global *g, s64 n)
{
	struct ktap_sum __percpu *adding = READ_ONCE(g->adding);

	if (unlikely(!adding))
		return false;
	if (vm->level != KTAP_LEVEL_PROCESS) {
		ktap_sum_add(adding, n);
		return true;
	}
	/* In process context the CPU could change. */
	preempt_disable_notrace();
	ktap_sum_add(adding, n);
	preempt_enable_notrace();
	return true;
}

/* Likewise, and return false if @v is not an integer. */
static __always_inline bool ktap_global_sum(const struct ktap_vm *vm, const struct ktap_global *g,
					    const struct ktap_value *v)
{
	return likely(v->tag == KTAP_INT) && ktap_global_sum_int(vm, g, v->i);
}

/* Each slot has a lock of its own and owns a copy of its value. */
int ktap_global_get(struct ktap_vm *vm, u32 n, struct ktap_value *v);
/* Return the value itself, not a copy.  The caller ensures that it does not change. */
void ktap_global_peek(struct ktap_env *env, u32 n, struct ktap_value *v);
int ktap_global_set(struct ktap_vm *vm, u32 n, struct ktap_value *v);
int ktap_global_add(struct ktap_vm *vm, u32 n, const struct ktap_value *v);

/* Is the condition of a probe true?  Context: process. */
bool ktap_global_is_true(struct ktap_env *env, u32 n);

#endif /* _KTAP_GLOBAL_H */
