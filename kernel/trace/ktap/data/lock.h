/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lock around what the handlers of a session share.
 */
#ifndef _KTAP_LOCK_H
#define _KTAP_LOCK_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>

/**
 * DOC: Locks of ktap
 *
 * A handler may run wherever an event can happen: in NMI, and inside whatever
 * a kprobe or the function tracer reaches, the code of ktap's own critical
 * sections included (a probe on memcpy(), say).  Lockdep must not see these
 * locks, and spinning must not dead-lock.  (The tracepoint of contention does
 * see them; no handler runs for it, since this CPU is inside by then.)  Hence:
 *
 * - The lock is an arch_spinlock_t, held with interrupts off.
 * - &ktap_locks_held counts the locks this CPU holds.  It is raised before the
 *   lock is taken.  An activation that finds it raised has interrupted a holder
 *   on this very CPU: it gives up and counts that.  One that finds it zero
 *   waits only for holders on other CPUs, which never wait for it.
 * - Inside a lock another one is taken by ktap_lock_nested(), which does not
 *   look at the counter.  The order is: stripes of one table, ascending; the
 *   order of its entries; then the heap.  A global, a bucket of threads or an
 *   aggregation is taken alone, or with the heap behind it.
 */
struct ktap_lock {
	arch_spinlock_t lock;
};

/* Locks of a table, and sets of them that tables share. */
#ifdef CONFIG_SMP
#define KTAP_STRIPES		8
#define KTAP_STRIPE_SETS	8
#else
#define KTAP_STRIPES		1
#define KTAP_STRIPE_SETS	1
#endif

/**
 * struct ktap_stripe - a lock of a part of a table
 * @lock: the lock
 * @line: no other lock lies on the same cache line
 */
struct ktap_stripe {
	union {
		struct ktap_lock lock;
		u8 line[SMP_CACHE_BYTES];
	};
};

DECLARE_PER_CPU(unsigned int, ktap_locks_held);

static inline void ktap_lock_init(struct ktap_lock *lock)
{
	lock->lock = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;
}

static inline void ktap_lock_nested(struct ktap_lock *lock)
{
	this_cpu_inc(ktap_locks_held);
	arch_spin_lock(&lock->lock);
}

static inline void ktap_unlock_nested(struct ktap_lock *lock)
{
	arch_spin_unlock(&lock->lock);
	this_cpu_dec(ktap_locks_held);
}

/* False: this CPU is inside a lock of ktap already; nothing was taken. */
static inline bool __must_check ktap_lock(struct ktap_lock *lock, unsigned long *flags)
{
	raw_local_irq_save(*flags);
	if (unlikely(this_cpu_read(ktap_locks_held))) {
		raw_local_irq_restore(*flags);
		return false;
	}
	ktap_lock_nested(lock);
	return true;
}

static inline void ktap_unlock(struct ktap_lock *lock, unsigned long flags)
{
	ktap_unlock_nested(lock);
	raw_local_irq_restore(flags);
}

#endif /* _KTAP_LOCK_H */
