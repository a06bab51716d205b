/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Policy: which users may run which scripts.
 */
#ifndef _KTAP_POLICY_H
#define _KTAP_POLICY_H

#include <linux/types.h>

struct file_operations;
struct ktap_session;

#ifdef CONFIG_KTAP_SIGNED
/**
 * ktap_policy_opens() - May users open a session without the permissions to profile?
 *
 * Return: true if the policy lets them run signed scripts.
 */
bool ktap_policy_opens(void);

/**
 * ktap_policy_check() - Check what the policy demands of the chunk
 * @s: the session, with a complete chunk of any bytes
 *
 * If the script is signed and the policy asks for that, the session gets CAP_PERFMON.
 *
 * Context: process, &ktap_session.lock held.
 * Return: 0, or a negative errno with the reason in &ktap_session.diag.
 */
int ktap_policy_check(struct ktap_session *s);

/* The file ktap/policy of tracefs */
extern const struct file_operations ktap_policy_fops;
#else
static inline bool ktap_policy_opens(void)
{
	return false;
}

static inline int ktap_policy_check(struct ktap_session *s)
{
	return 0;
}
#endif

#endif
