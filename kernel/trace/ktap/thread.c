// SPDX-License-Identifier: GPL-2.0
/*
 * Threads: who runs, and when his fields end.
 */
#include <linux/limits.h>
#include <linux/sched.h>
#include <linux/tracepoint.h>
#include <trace/events/sched.h>

#include "self.h"
#include "session.h"

/*
 * PF_EXITING is set before sched_process_exit, at which the fields of a thread
 * are released, and stays: what it did not have by then it does not get any
 * more, so that nothing is left for the next thread at this address.
 */
struct ktap_thread ktap_current_thread(void)
{
	return (struct ktap_thread){
		.id = current,
		.ends = current->flags & PF_EXITING,
	};
}

/* The thread that exits is the current one. */
static void release_fields(void *data, struct task_struct *task, bool group_dead)
{
	ktap_self_end(data, task);
}

/**
 * ktap_threads_watch() - Sees to it that the fields of threads end with them
 * @s: the session, prepared; no handler can run yet
 *
 * Return: 0, to be undone by ktap_threads_unwatch(), or a negative errno.
 */
int ktap_threads_watch(struct ktap_session *s)
{
	if (!s->env.self)
		return 0;
	/* Behind handlers of the script for the same event. */
	return register_trace_prio_sched_process_exit(release_fields, &s->env, INT_MIN);
}

/* No handler can run any more. */
void ktap_threads_unwatch(struct ktap_session *s)
{
	if (!s->env.self)
		return;
	unregister_trace_sched_process_exit(release_fields, &s->env);
	tracepoint_synchronize_unregister();
}
