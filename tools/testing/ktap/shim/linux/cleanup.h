/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_CLEANUP_H
#define _SHIM_LINUX_CLEANUP_H

struct mutex;

/* No lock is needed: guarded data have only one user here. */
static inline void shim_guard_mutex(struct mutex *mutex)
{
}

static inline void shim_guard_rcu(void)
{
}

static inline void shim_guard_preempt_notrace(void)
{
}

#define guard(name)	shim_guard_##name

#endif /* _SHIM_LINUX_CLEANUP_H */
