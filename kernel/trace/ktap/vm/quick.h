/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probes that need no run for what they do at most events.
 */
#ifndef _KTAP_QUICK_H
#define _KTAP_QUICK_H

#include <linux/compiler.h>
#include <linux/types.h>

struct ktap_agg;
struct ktap_env;
struct ktap_func;
struct ktap_global;
struct ktap_table;

/* A value that a filter compares, or an operand of an act */
enum ktap_quick_value {
	KTAP_QUICK_NO_VALUE,
	KTAP_QUICK_PID,
	KTAP_QUICK_TID,
	KTAP_QUICK_CPU,
	KTAP_QUICK_NAME,		/* of the task: only a key */
	KTAP_QUICK_FIELD,		/* of the event: only an operand, as are the others below */
	KTAP_QUICK_CONSTANT,		/* only a number */
	KTAP_QUICK_TIME,		/* only a number */
	KTAP_QUICK_PAIR,		/* a compound key of two parts: only a key */
};

/**
 * struct ktap_quick_operand - a key of an act, a part of it, or its number
 * @value: what it is
 * @field: the field of the program, with KTAP_QUICK_FIELD
 */
struct ktap_quick_operand {
	enum ktap_quick_value value;
	u32 field;
};

/* Parts of KTAP_QUICK_PAIR */
#define KTAP_QUICK_PARTS	2

/* The only act of a handler */
enum ktap_quick_act {
	KTAP_QUICK_NO_ACT,		/* anything */
	KTAP_QUICK_NOTHING,
	KTAP_QUICK_COUNT,		/* add a constant to a global that is kept per CPU */
	KTAP_QUICK_SUM,			/* add another number to it */
	KTAP_QUICK_STORE,		/* set a global that only gets integers */
	KTAP_QUICK_SELF,		/* set a field of the thread that only gets integers */
	KTAP_QUICK_ADD,			/* add to the entry of a key, in a steady table */
	KTAP_QUICK_SET,			/* set that entry */
	KTAP_QUICK_AGG,			/* add to an aggregation */
	KTAP_QUICK_AGG_KEYED,		/* add to that of a key */
};

/* How ktap_fire() handles an event of a task, see event/fire.h */
enum ktap_fire_way {
	KTAP_FIRE_ANY,		/* by a run, with all tests */
	KTAP_FIRE_PLAIN,		/* by a run, as &struct ktap_start says */
	KTAP_FIRE_COUNT,		/* its act is a count, or nothing */
	KTAP_FIRE_ACT,			/* it has another act */
	KTAP_FIRE_TEST,		/* it has a filter that compares a value */
};

/**
 * struct ktap_quick - what a probe does without a run
 * @way: how events of tasks are handled
 * @negated: the filter is true if the value is none from @first to @first + @span
 * @value: what the filter compares; then it is no part of a run
 * @first: the smallest number for which the comparison is true
 * @span: the largest such number minus @first
 * @act: what the whole handler does
 * @key: the key of the act, if it has one
 * @parts: its parts, with KTAP_QUICK_PAIR
 * @number: what is added or set
 * @constant: its value, with KTAP_QUICK_CONSTANT
 * @self_field: the number of the thread's field
 * @global: the global of the act
 * @table: its table
 * @agg: its aggregation
 *
 * The code of the handler does the same: a run may do it at any event.
 */
struct ktap_quick {
	enum ktap_fire_way way;
	bool negated;
	enum ktap_quick_value value;
	s64 first;
	u64 span;
	enum ktap_quick_act act;
	struct ktap_quick_operand key;
	struct ktap_quick_operand parts[KTAP_QUICK_PARTS];
	struct ktap_quick_operand number;
	s64 constant;
	union {
		struct ktap_global *global;
		u32 self_field;
		struct ktap_table *table;
		struct ktap_agg *agg;
	};
};

/*
 * quick.c: to be called after ktap_rewrite_events().  @filter may be NULL.  @fields: the events
 * have &ktap_event_ops.field_quickly.  With the way KTAP_FIRE_PLAIN nothing else is used.
 */
void ktap_quick_init(struct ktap_quick *quick, const struct ktap_env *env,
		     const struct ktap_func *filter, const struct ktap_func *handler, bool fields);

/* Is the filter true for the value @x? */
static __always_inline bool ktap_quick_passes(const struct ktap_quick *quick, s64 x)
{
	return ((u64)x - (u64)quick->first <= quick->span) != quick->negated;
}

/* Does it only add a constant to a global that is kept per CPU, or nothing? */
static __always_inline bool ktap_quick_counts(const struct ktap_quick *quick)
{
	return quick->act == KTAP_QUICK_NOTHING || quick->act == KTAP_QUICK_COUNT;
}

#endif /* _KTAP_QUICK_H */
