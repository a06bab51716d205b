/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_SPINLOCK_H
#define _SHIM_LINUX_SPINLOCK_H

#include <sched.h>

#include <linux/interrupt.h>
#include <linux/types.h>

typedef struct {
	bool locked;
} arch_spinlock_t;

#define __ARCH_SPIN_LOCK_UNLOCKED	{ false }

static inline void arch_spin_lock(arch_spinlock_t *lock)
{
	while (__atomic_test_and_set(&lock->locked, __ATOMIC_ACQUIRE))
		sched_yield();
	shim_nmi_point();
}

static inline bool arch_spin_trylock(arch_spinlock_t *lock)
{
	if (__atomic_test_and_set(&lock->locked, __ATOMIC_ACQUIRE))
		return false;
	shim_nmi_point();
	return true;
}

static inline bool arch_spin_is_locked(arch_spinlock_t *lock)
{
	return __atomic_load_n(&lock->locked, __ATOMIC_RELAXED);
}

static inline void arch_spin_unlock(arch_spinlock_t *lock)
{
	__atomic_clear(&lock->locked, __ATOMIC_RELEASE);
}

#endif /* _SHIM_LINUX_SPINLOCK_H */
