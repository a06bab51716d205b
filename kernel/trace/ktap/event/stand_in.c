// SPDX-License-Identifier: GPL-2.0
/*
 * Stand-ins: detach thousands of tracepoints without a grace period for each.
 *
 * If the first of a tracepoint's two probe functions is removed, the tracepoint waits
 * for a grace period before it calls the other one directly.  For all events in two
 * sessions that takes more than a minute.  If the first of three is removed, it does
 * not wait.  So a third probe function, the tracepoint's stub, which does nothing, is
 * added before the removal.  The stubs are removed after the session has left all
 * tracepoints: then the first wait is enough for all of them.
 */
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "../../trace.h"
#include "event/source.h"
#include "session.h"

/**
 * struct ktap_stand_in - a probe function of a tracepoint that does nothing
 * @next: the stand-in that the session added before
 * @tp: the tracepoint
 *
 * The stub is registered with the address of this structure.
 */
struct ktap_stand_in {
	struct ktap_stand_in *next;
	struct tracepoint *tp;
};

/* Read without the tracepoint's lock: a wrong result only costs time. */
static bool stand_in_has_other_users(const struct tracepoint *tp)
{
	return tp->static_call_key && READ_ONCE(tp->static_call_key->func) == tp->iterator;
}

/* Call before the session leaves @tp.  If memory is short, leaving takes longer. */
void ktap_stand_in_put(struct ktap_session *s, struct tracepoint *tp)
{
	struct ktap_stand_in *one;

	lockdep_assert_held(&event_mutex);
	if (!stand_in_has_other_users(tp))
		return;
	one = kmalloc_obj(*one, KTAP_GFP);
	if (!one)
		return;
	*one = (struct ktap_stand_in){ .next = s->stand_ins, .tp = tp };
	if (tracepoint_probe_register(tp, tp->probestub, one))
		kfree(one);
	else
		s->stand_ins = one;
}

/* Remove in reverse order, like the points. */
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
