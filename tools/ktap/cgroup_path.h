/* SPDX-License-Identifier: GPL-2.0 */
/* The cgroup that a user names (--cgroup). */
#ifndef KTAP_CGROUP_PATH_H
#define KTAP_CGROUP_PATH_H

/*
 * Find the cgroup (v2): @name is its path, with or without the place where cgroups are mounted,
 * or the name of a single one anywhere. Returns its path for the kernel, to be freed, or NULL
 * after a message.
 */
char *cgroup_path_find(const char *name);

#endif
