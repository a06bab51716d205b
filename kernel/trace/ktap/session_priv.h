/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by session.c and session_*.c only.
 */
#ifndef _KTAP_SESSION_PRIV_H
#define _KTAP_SESSION_PRIV_H

#include <linux/atomic.h>

#include "session.h"

static inline bool session_change_state(struct ktap_session *s, enum ktap_state from,
					enum ktap_state to)
{
	return cmpxchg(&s->filter.state, from, to) == from;
}

/* session.c */
void ktap_session_let_stop(struct ktap_session *s, struct kthread_worker *worker);
void ktap_session_say_begun(struct ktap_session *s);
void ktap_session_low(struct ktap_heap *heap);

/* session_load.c */
void ktap_session_unprepare(struct ktap_session *s);

/* session_list.c */
extern struct mutex ktap_sessions_lock;
extern struct list_head ktap_sessions;
int ktap_sessions_add(struct ktap_session *s);
void ktap_sessions_remove(struct ktap_session *s);

/* session_report.c */
void ktap_session_report_error(struct ktap_session *s);
void ktap_session_report_tests(struct ktap_session *s);
void ktap_session_report_losses(struct ktap_session *s);
void ktap_session_report_idle(struct ktap_session *s);
void ktap_session_report_dry(struct ktap_session *s);

#endif /* _KTAP_SESSION_PRIV_H */
