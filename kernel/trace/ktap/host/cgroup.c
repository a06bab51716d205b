// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in values: the number of the thread's cgroup (v2); number and path of any cgroup.
 *
 * The number of a path is for filters, so it is looked up once, in process context, where
 * kernfs may sleep.
 *
 * A handler makes the text of the path itself.  When the output is read, the cgroup may be
 * gone, and only a string can be compared and be a part of another one.
 *
 * Nothing is locked, as a handler may have interrupted whoever holds the lock.  RCU keeps a
 * cgroup, those that contain it, and their kernfs nodes (css_free_rwork_fn()).  A cgroup of
 * v2 is neither renamed nor moved.  In events kernfs_find_and_get_node_by_id() is no
 * substitute for the search: kernfs_put() takes a lock if the node has been removed
 * meanwhile.  In process context it is used, as there is no budget that limits the search.
 */
#include <linux/cgroup.h>
#include <linux/err.h>
#include <linux/kernfs.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "host/cgroup.h"
#include "vm/builtin.h"
#include "vm/env.h"

int ktap_fn_cgroup(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	r[0] = KTAP_VALUE_NIL;
#ifdef CONFIG_CGROUPS
	guard(preempt_notrace)();
	r[0] = KTAP_VALUE_INT(cgroup_id(task_dfl_cgroup(current)));
#endif
	return 0;
}

#ifdef CONFIG_CGROUPS
/* Where the cgroups are mounted: users also write their paths as they are there. */
#define CGROUP_MOUNT	"/sys/fs/cgroup"

/**
 * ktap_cgroup_get() - Find a cgroup (v2)
 * @path: its path in the cgroup namespace of the current process, with or without the place
 *	where cgroups are mounted
 *
 * Context: process, may sleep.
 * Return: the cgroup, to be given back by ktap_cgroup_put(), or an ERR_PTR(): -ENOENT, -ENOTDIR,
 * or -EOPNOTSUPP if the kernel was built without CONFIG_CGROUPS.
 */
struct cgroup *ktap_cgroup_get(const char *path)
{
	size_t skip = str_has_prefix(path, CGROUP_MOUNT);

	if (path[skip] && path[skip] != '/')
		skip = 0;
	return cgroup_get_from_path(path + skip);
}

int ktap_fn_cgroup_id(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	char *path = ktap_arena_alloc(vm, r[0].len + 1);
	struct cgroup *cgrp;

	if (!path)
		return vm->error;
	memcpy(path, ktap_blob_of(&r[0]), r[0].len);
	path[r[0].len] = '\0';
	cgrp = ktap_cgroup_get(path);
	if (IS_ERR(cgrp))
		return ktap_vm_error(vm, PTR_ERR(cgrp), "cgroup_id: there is no cgroup (v2) '%s'",
				     path);
	r[0] = KTAP_VALUE_INT(cgroup_id(cgrp));
	ktap_cgroup_put(cgrp);
	return 0;
}

/* The caller is in an RCU section, in which a cgroup that is removed remains. */
static struct cgroup *cgroup_of_number(u64 id)
{
	struct kernfs_node *kn = kernfs_find_and_get_node_by_id(cgrp_dfl_root.kf_root, id);
	struct cgroup *cgrp = NULL;

	if (!kn)
		return NULL;
	/* Files have numbers, too. */
	if (kernfs_type(kn) == KERNFS_DIR)
		cgrp = rcu_dereference(*(void __rcu __force **)&kn->priv);
	kernfs_put(kn);
	return cgrp;
}

/*
 * Where inode numbers have 32 bits, a number has a generation above them.  0 stands for any, as
 * in kernfs_find_and_get_node_by_id().
 */
static bool cgroup_has_number(const struct cgroup *cgrp, u64 id)
{
	return cgroup_id(cgrp) == id || (!kernfs_id_gen(id) && kernfs_ino(cgrp->kn) == id);
}

/* Search all cgroups.  The run is charged meanwhile: there may be very many. */
static struct cgroup *cgroup_search(struct ktap_vm *vm, u64 id)
{
	struct cgroup_subsys_state *css;

	css_for_each_descendant_pre(css, &cgrp_dfl_root.cgrp.self) {
		if (cgroup_has_number(css->cgroup, id))
			return css->cgroup;
		if (ktap_vm_charge(vm, 1))
			break;
	}
	return NULL;
}

/* Most often it is the thread's own cgroup, or one that contains it. */
static struct cgroup *cgroup_search_above(u64 id)
{
	struct cgroup *cgrp = task_dfl_cgroup(current);

	while (cgrp && !cgroup_has_number(cgrp, id))
		cgrp = cgroup_parent(cgrp);
	return cgrp;
}

/* Write the path, or its first KTAP_MAX_STRLEN bytes.  Return the length of all of it. */
static u32 cgroup_write_path(struct cgroup *cgrp, char *path)
{
	u32 len = 0, part;
	const char *name;
	int level;

	for (level = 1; level <= cgrp->level; level++) {
		name = rcu_dereference(cgroup_ancestor(cgrp, level)->kn->name);
		part = strlen(name);
		if (len < KTAP_MAX_STRLEN) {
			path[len] = '/';
			memcpy(path + len + 1, name, min(part, KTAP_MAX_STRLEN - len - 1));
		}
		len += 1 + part;
	}
	if (!len)
		path[len++] = '/';
	return len;
}

/* Return the length of the path, 0 if there is no such cgroup. */
static u32 cgroup_find_path(struct ktap_vm *vm, u64 id, char *path)
{
	struct cgroup *cgrp;

	guard(rcu)();
	if (vm->level == KTAP_LEVEL_PROCESS)
		cgrp = cgroup_of_number(id);
	else
		cgrp = cgroup_search_above(id) ?: cgroup_search(vm, id);
	return cgrp ? cgroup_write_path(cgrp, path) : 0;
}
#else
int ktap_fn_cgroup_id(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return ktap_vm_error(vm, -EOPNOTSUPP,
			     "cgroup_id: this kernel was built without CONFIG_CGROUPS");
}

static u32 cgroup_find_path(struct ktap_vm *vm, u64 id, char *path)
{
	return 0;
}
#endif

int ktap_fn_cgroup_path(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	char *path;
	u32 len;

	if (r[0].tag == KTAP_NIL)
		return 0;
	path = ktap_arena_alloc(vm, KTAP_MAX_STRLEN);
	if (!path)
		return vm->error;
	len = cgroup_find_path(vm, r[0].u, path);
	if (len > KTAP_MAX_STRLEN) {
		len = KTAP_MAX_STRLEN;
		atomic_long_inc(&vm->env->counters.cut_strings);
	}
	ktap_arena_trim(vm, path, len);
	r[0] = len ? KTAP_VALUE_STR(path, len) : KTAP_VALUE_NIL;
	return vm->error ?: ktap_vm_charge(vm, len / 64);
}
