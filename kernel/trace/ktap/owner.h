/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Does a thread belong to the opener of a session?
 */
#ifndef _KTAP_OWNER_H
#define _KTAP_OWNER_H

#include <linux/types.h>

struct cred;
struct ktap_session;
struct pid;
struct task_struct;

/**
 * ktap_owner_is() - Are these credentials no more than those of the owner?
 * @owner: credentials of the owner
 * @cred: credentials of a thread
 */
bool ktap_owner_is(const struct cred *owner, const struct cred *cred);

/**
 * ktap_owner_has() - Does a thread belong to the owner now?
 * @owner: credentials of the owner
 * @task: current, or a task that is referenced or found in the same RCU section
 *
 * Context: any.
 */
bool ktap_owner_has(const struct cred *owner, struct task_struct *task);

/**
 * ktap_owner_may_trace() - May a session of own processes have this process?
 * @owner: credentials of the owner
 * @pid: number of the process
 *
 * Context: process; the current credentials are those of @owner.
 */
bool ktap_owner_may_trace(const struct cred *owner, struct pid *pid);

/**
 * ktap_owner_check() - Check that the session has a process, and that the owner loads it
 * @s: the session
 *
 * Context: process, &ktap_session.lock held.
 * Return: 0, or -EPERM with the reason in &ktap_session.diag.
 */
int ktap_owner_check(struct ktap_session *s);

#endif /* _KTAP_OWNER_H */
