/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sessions that see only their user's own processes.
 */
#ifndef _KTAP_OWN_H
#define _KTAP_OWN_H

#include <linux/errno.h>
#include <linux/types.h>

struct cred;
struct ktap_session;
struct task_struct;

#ifdef CONFIG_KTAP_OWN
bool ktap_own_cred(const struct cred *owner, const struct cred *cred);
bool ktap_own_task(const struct cred *owner, struct task_struct *p);
bool ktap_own_allowed(void);
int ktap_own_begin(struct ktap_session *s);
void ktap_own_end(struct ktap_session *s);
#else
static inline bool ktap_own_task(const struct cred *owner, struct task_struct *p)
{
	return false;
}

static inline bool ktap_own_allowed(void)
{
	return false;
}

static inline int ktap_own_begin(struct ktap_session *s)
{
	return -EPERM;
}

static inline void ktap_own_end(struct ktap_session *s)
{
}
#endif

#endif
