// SPDX-License-Identifier: GPL-2.0
/*
 * What lets a session leave thousands of tracepoints without waiting for each.
 *
 * A tracepoint that is left by the first of its two users waits for a grace
 * period before it calls the other one directly: with all events, in two sessions,
 * that is more than a minute.  If it is left by the first of three, it does not.
 * So there is a third one, the tracepoint's stub, which does nothing, until the
 * session has left them all: then the first wait is good for all of them.
 */
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "../trace.h"
#include "source.h"

/**
 * struct ktap_stand_in - a user of a tracepoint that does nothing
 * @next: the one before, of the same session
 * @tp: the tracepoint
 *
 * Its address is what the stub is registered with.
 */
struct ktap_stand_in {
	struct ktap_stand_in *next;
	struct tracepoint *tp;
};

/* As far as one can see without the tracepoint's lock: only time depends on it. */
static bool has_other_users(const struct tracepoint *tp)
{
	return tp->static_call_key && READ_ONCE(tp->static_call_key->func) == tp->iterator;
}

/* Before the session leaves it; without memory that takes its time. */
void ktap_stand_in_put(struct ktap_session *s, struct tracepoint *tp)
{
	struct ktap_stand_in *one;

	lockdep_assert_held(&event_mutex);
	if (!has_other_users(tp))
		return;
	one = kmalloc_obj(*one, GFP_KERNEL | __GFP_NOWARN);
	if (!one)
		return;
	*one = (struct ktap_stand_in){ .next = s->stand_ins, .tp = tp };
	if (tracepoint_probe_register(tp, tp->probestub, one))
		kfree(one);
	else
		s->stand_ins = one;
}

/* Who came last goes first, as with the points themselves. */
void ktap_stand_ins_remove(struct ktap_session *s)
{
	struct ktap_stand_in *one;

	lockdep_assert_held(&event_mutex);
	while ((one = s->stand_ins)) {
		s->stand_ins = one->next;
		tracepoint_probe_unregister(one->tp, one->tp->probestub, one);
		kfree(one);
	}
}
