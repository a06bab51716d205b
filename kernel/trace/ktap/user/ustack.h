/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Code of programs: which file an address lies in, and what that file is called.
 */
#ifndef _KTAP_USTACK_H
#define _KTAP_USTACK_H

#include <linux/kconfig.h>

struct ktap_session;

/* Can mappings be read without their lock? */
#define KTAP_FINDS_USER_FILES	(IS_ENABLED(CONFIG_PER_VMA_LOCK) || !IS_ENABLED(CONFIG_SMP))

/**
 * ktap_ustack_init() - Gets ready to look at user code, if the program does
 * @s: the session, its program loaded
 *
 * Context: process, may sleep.
 * Return: 0, to be undone by ktap_ustack_destroy(), or a negative errno.
 */
int ktap_ustack_init(struct ktap_session *s);

/* No handler of the session runs any more, nor does its thread.  Context: process. */
void ktap_ustack_destroy(struct ktap_session *s);

#endif /* _KTAP_USTACK_H */
