/* SPDX-License-Identifier: GPL-2.0 */
/*
 * User stacks of a session: the memory that ustack.c and ustack_name.c share.
 */
#ifndef _KTAP_USTACK_H
#define _KTAP_USTACK_H

#include <linux/irq_work.h>
#include <linux/percpu.h>
#include <linux/workqueue.h>

struct ktap_session;
struct ktap_ustack_caches;

/**
 * struct ktap_ustack - looks up the names of the files in user stacks of a session
 * @session: the session
 * @caches: areas that were found
 * @irq: queues @work
 * @work: looks up the names
 * @path: PATH_MAX bytes for @work: what finds a name must not fail, since it drops the
 *	reference to the file
 */
struct ktap_ustack {
	struct ktap_session *session;
	struct ktap_ustack_caches __percpu *caches;
	struct irq_work irq;
	struct work_struct work;
	char *path;
};

/* Set all except @caches and @path. */
void ktap_ustack_name_init(struct ktap_ustack *ustack, struct ktap_session *s);

#endif /* _KTAP_USTACK_H */
