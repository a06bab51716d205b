/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_CGROUP_H
#define _SHIM_LINUX_CGROUP_H

struct cgroup;

/* Fuzzers of set-up lines have it. */
void cgroup_put(struct cgroup *cgrp);

#endif /* _SHIM_LINUX_CGROUP_H */
