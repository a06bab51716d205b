/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lock around what the handlers of a session share.
 */
#ifndef _KTAP_LOCK_H
#define _KTAP_LOCK_H

#include <linux/bug.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>

#include "vm/event.h"

/**
 * DOC: Locks of ktap
 *
 * A handler may run wherever an event can happen: in NMI, and inside whatever
 * a kprobe or the function tracer reaches, including the code of ktap's own
 * critical sections (a probe on memcpy(), say).  Lockdep must not see these
 * locks, and spinning must not deadlock.  (The tracepoint of lock contention
 * does see them, but no handler runs for it: this CPU is inside a lock by then.)
 * Hence:
 *
 * - The lock is an arch_spinlock_t, held with interrupts off.
 * - &ktap_inside.locks counts the locks this CPU holds.  It is raised before the
 *   lock is taken.  An activation that finds it raised has interrupted a holder
 *   on this very CPU: it gives up, and the loss is counted.  One that finds it
 *   zero waits only for holders on other CPUs, which never wait for it.
 * - Inside a lock another one is taken by ktap_lock_nested(), which does not
 *   check the counter.  The lock order is: stripes of one table, ascending;
 *   &ktap_table.order; then the heap.  The lock of a global or of an aggregation
 *   is taken alone, or before the heap's.
 * - A lock may follow another one that was released, with the counter still raised
 *   (ktap_lock_others()): this CPU holds no lock while it waits.
 * - What only one CPU accesses at a time, the fields of the current thread, needs
 *   no arch_spinlock_t, but the rest of this: ktap_lock_cpu().  Fields that only get
 *   integers and nil need nothing (vm/task_fields.c).
 */
struct ktap_lock {
	arch_spinlock_t lock;
};

/* Locks of a table, and number of such sets.  Tables share the sets. */
#ifdef CONFIG_SMP
#define KTAP_STRIPES		8
#define KTAP_STRIPE_SETS	8
#else
#define KTAP_STRIPES		1
#define KTAP_STRIPE_SETS	1
#endif

/**
 * struct ktap_stripe - the lock of a part of a table
 * @lock: the lock
 * @line: padding, so that each lock has a cache line of its own
 */
struct ktap_stripe {
	union {
		struct ktap_lock lock;
		u8 line[SMP_CACHE_BYTES];
	};
};

/**
 * struct ktap_inside - what this CPU is inside of
 * @locks: locks of ktap that it holds
 * @busy: runs of handlers, by level (event/activation.c)
 * @locks_or_task: not 0 if it holds a lock, or is in a run of KTAP_LEVEL_TASK
 */
struct ktap_inside {
	union {
		struct {
			u8 locks;
			bool busy[KTAP_NR_EVENT_LEVELS];
		};
		u16 locks_or_task;
	};
};

static_assert(KTAP_LEVEL_TASK == 0 && sizeof(bool) == 1);

DECLARE_PER_CPU(struct ktap_inside, ktap_inside);

/**
 * ktap_assert_locked() - Warn if this CPU holds no lock of ktap
 *
 * Lockdep does not see these locks.  It costs nothing without CONFIG_PROVE_LOCKING.
 */
#define ktap_assert_locked()							\
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) && !this_cpu_read(ktap_inside.locks))

/**
 * ktap_assert_held() - Warn if the lock is free, or this CPU holds no lock
 * @held: the &struct ktap_lock
 *
 * The lock does not record its holder.  Costs as ktap_assert_locked().
 */
#define ktap_assert_held(held)							\
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) &&			\
		     (!this_cpu_read(ktap_inside.locks) ||			\
		      (IS_ENABLED(CONFIG_SMP) && !arch_spin_is_locked(&(held)->lock))))

/**
 * ktap_assert_irqs_off() - Warn if interrupts are on
 *
 * lockdep_assert_irqs_disabled() does not see raw_local_irq_save().  Costs as
 * ktap_assert_locked().
 */
#define ktap_assert_irqs_off()							\
	WARN_ON_ONCE(IS_ENABLED(CONFIG_PROVE_LOCKING) && !raw_irqs_disabled())

static inline void ktap_lock_init(struct ktap_lock *lock)
{
	lock->lock = (arch_spinlock_t)__ARCH_SPIN_LOCK_UNLOCKED;
}

/*
 * The part of ktap_lock() and ktap_unlock() that is for other CPUs, inside ktap_lock_cpu().
 * So one lock can follow another without enabling interrupts in between.
 */
static __always_inline void ktap_lock_others(struct ktap_lock *lock)
{
	arch_spin_lock(&lock->lock);
}

static __always_inline void ktap_unlock_others(struct ktap_lock *lock)
{
	arch_spin_unlock(&lock->lock);
}

static inline void ktap_lock_nested(struct ktap_lock *lock)
{
	this_cpu_inc(ktap_inside.locks);
	arch_spin_lock(&lock->lock);
}

/* ktap_lock_nested() that does not wait, and so calls nothing. */
static __always_inline bool __must_check ktap_trylock_nested(struct ktap_lock *lock)
{
	this_cpu_inc(ktap_inside.locks);
	if (likely(arch_spin_trylock(&lock->lock)))
		return true;
	this_cpu_dec(ktap_inside.locks);
	return false;
}

static inline void ktap_unlock_nested(struct ktap_lock *lock)
{
	arch_spin_unlock(&lock->lock);
	this_cpu_dec(ktap_inside.locks);
}

/*
 * A lock against interrupts and NMIs of this CPU only, for what no other CPU accesses at the
 * same time.  Return false, without it, if this CPU is already inside a lock of ktap.
 */
static __always_inline bool __must_check ktap_lock_cpu(unsigned long *flags)
{
	raw_local_irq_save(*flags);
	if (unlikely(this_cpu_read(ktap_inside.locks))) {
		raw_local_irq_restore(*flags);
		return false;
	}
	this_cpu_inc(ktap_inside.locks);
	barrier();	/* an NMI must find the counter raised before anything is accessed */
	return true;
}

static __always_inline void ktap_unlock_cpu(unsigned long flags)
{
	barrier();
	this_cpu_dec(ktap_inside.locks);
	raw_local_irq_restore(flags);
}

/* Return false, without the lock, if this CPU is already inside a lock of ktap. */
static inline bool __must_check ktap_lock(struct ktap_lock *lock, unsigned long *flags)
{
	if (!ktap_lock_cpu(flags))
		return false;
	arch_spin_lock(&lock->lock);
	return true;
}

/*
 * ktap_lock() that does not wait, and so calls nothing.  If it returns false, ktap_lock()
 * finds out why.
 */
static __always_inline bool __must_check ktap_trylock(struct ktap_lock *lock, unsigned long *flags)
{
	raw_local_irq_save(*flags);
	if (likely(!this_cpu_read(ktap_inside.locks))) {
		this_cpu_inc(ktap_inside.locks);
		if (likely(arch_spin_trylock(&lock->lock)))
			return true;
		this_cpu_dec(ktap_inside.locks);
	}
	raw_local_irq_restore(*flags);
	return false;
}

static inline void ktap_unlock(struct ktap_lock *lock, unsigned long flags)
{
	arch_spin_unlock(&lock->lock);
	ktap_unlock_cpu(flags);
}

#endif /* _KTAP_LOCK_H */
