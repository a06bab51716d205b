/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes that need no activation for what they do at most events.
 */
#ifndef _KTAP_QUICK_H
#define _KTAP_QUICK_H

#include <linux/compiler.h>
#include <linux/types.h>

struct ktap_env;
struct ktap_func;
struct ktap_global;

/* A value that a filter compares */
enum ktap_quick_value {
	KTAP_QUICK_NO_VALUE,
	KTAP_QUICK_PID,
	KTAP_QUICK_TID,
	KTAP_QUICK_CPU,
};

/* How ktap_fire() handles an event of a task, see event/fire.h */
enum ktap_fire_way {
	KTAP_FIRE_ANY,		/* by a run, with all tests */
	KTAP_FIRE_PLAIN,		/* by a run, as &struct ktap_start says */
	KTAP_FIRE_COUNT,		/* it adds to a global, or does nothing */
	KTAP_FIRE_TEST,		/* it has a filter that compares a value */
};

/**
 * struct ktap_quick - what a probe does without an activation
 * @way: how events of tasks are handled
 * @negated: the filter is true if the value is none from @first to @first + @span
 * @counts: the whole handler is known: it adds to @global, or does nothing
 * @value: what the filter compares; then it is no part of a run
 * @first: the smallest number for which the comparison is true
 * @span: the largest such number minus @first
 * @global: a global that is kept per CPU; NULL: the handler does nothing
 * @addend: what is added to it
 *
 * The code of the handler does the same: a run may do it at any event.
 */
struct ktap_quick {
	enum ktap_fire_way way;
	bool negated;
	bool counts;
	enum ktap_quick_value value;
	s64 first;
	u64 span;
	const struct ktap_global *global;
	s64 addend;
};

/*
 * quick.c: to be called after ktap_rewrite_events().  @filter may be NULL.  With the way
 * KTAP_FIRE_PLAIN nothing else is used.
 */
void ktap_quick_init(struct ktap_quick *quick, const struct ktap_env *env,
		     const struct ktap_func *filter, const struct ktap_func *handler);

/* Is the filter true for the value @x? */
static __always_inline bool ktap_quick_passes(const struct ktap_quick *quick, s64 x)
{
	return ((u64)x - (u64)quick->first <= quick->span) != quick->negated;
}

#endif /* _KTAP_QUICK_H */
