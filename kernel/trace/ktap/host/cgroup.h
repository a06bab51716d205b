/* SPDX-License-Identifier: GPL-2.0 */
/* Cgroups (v2) by their paths. */
#ifndef _KTAP_HOST_CGROUP_H
#define _KTAP_HOST_CGROUP_H

#include <linux/cgroup.h>
#include <linux/err.h>

#ifdef CONFIG_CGROUPS
struct cgroup *ktap_cgroup_get(const char *path);

static inline void ktap_cgroup_put(struct cgroup *cgrp)
{
	if (cgrp)
		cgroup_put(cgrp);
}
#else
static inline struct cgroup *ktap_cgroup_get(const char *path)
{
	return ERR_PTR(-EOPNOTSUPP);
}

static inline void ktap_cgroup_put(struct cgroup *cgrp)
{
}
#endif

#endif /* _KTAP_HOST_CGROUP_H */
