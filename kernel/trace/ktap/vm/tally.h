/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tallies: numbers of events by CPU.
 *
 * Any context may count, and may interrupt another one that does.  Where a long has 32 bits it
 * would be 0 again after some hours, so these machines also count how often that happened.
 */
#ifndef _KTAP_VM_TALLY_H
#define _KTAP_VM_TALLY_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/types.h>

/**
 * struct ktap_tally - a number of events on one CPU
 * @low: the number; its lower half where a long has 32 bits
 * @high: the upper half
 */
struct ktap_tally {
	unsigned long low;
#ifndef CONFIG_64BIT
	unsigned long high;
#endif
};

#ifdef CONFIG_64BIT

static __always_inline void ktap_tally_inc(struct ktap_tally __percpu *tally)
{
	this_cpu_inc(tally->low);
}

static inline void ktap_tally_add(struct ktap_tally __percpu *tally, u64 n)
{
	this_cpu_add(tally->low, n);
}

static inline u64 ktap_tally_read(const struct ktap_tally *tally)
{
	return READ_ONCE(tally->low);
}

#else

static __always_inline void ktap_tally_inc(struct ktap_tally __percpu *tally)
{
	if (unlikely(!this_cpu_inc_return(tally->low))) {
		smp_wmb();	/* pairs with ktap_tally_read() */
		this_cpu_inc(tally->high);
	}
}

static inline void ktap_tally_add(struct ktap_tally __percpu *tally, u64 n)
{
	unsigned long low = n;
	bool carry = this_cpu_add_return(tally->low, low) < low;

	smp_wmb();	/* pairs with ktap_tally_read() */
	this_cpu_add(tally->high, (n >> 32) + carry);
}

/*
 * Between the two writes of a carry the number is too small, for a few instructions and the
 * interrupts that come then.
 */
static inline u64 ktap_tally_read(const struct ktap_tally *tally)
{
	unsigned long low, high;

	do {
		high = READ_ONCE(tally->high);
		smp_rmb();	/* if @high has the carry, so has @low */
		low = READ_ONCE(tally->low);
		smp_rmb();	/* a carry since then is seen below */
	} while (high != READ_ONCE(tally->high));
	return (u64)high << 32 | low;
}

#endif

#endif /* _KTAP_VM_TALLY_H */
