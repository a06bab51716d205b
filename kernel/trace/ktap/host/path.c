// SPDX-License-Identifier: GPL-2.0
/*
 * path(): the path of a file, from the memory of its struct path.
 *
 * d_path() waits for writers of its seqlocks, and an event may have interrupted such a
 * writer.  A handler reads dentries and mounts instead, without a lock, from the name of the
 * file up to the root of the tree of mounts.  It reads them as it reads any memory of the
 * kernel: no address is trusted, and the number of steps is limited.  While files or mounts
 * on the way are moved, the path may be a mix of the old and the new one.
 *
 * Only fs/ knows struct mount.  BTF has its layout (ktap_btf_mount()).
 */
#include <linux/dcache.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/magic.h>
#include <linux/minmax.h>
#include <linux/mount.h>
#include <linux/path.h>
#include <linux/rcupdate.h>
#include <linux/sprintf.h>
#include <linux/string.h>

#include "btf/btf.h"
#include "host/read_memory.h"
#include "vm/builtin.h"
#include "vm/env.h"

/* Directories and mounts on the way, at most */
#define PATH_STEPS	256

/* Units of a step: it reads four words. */
#define PATH_STEP_COST	4

static const char path_deleted[] = " (deleted)";

/**
 * struct path_walk - a path that is being made, from its end
 * @text: KTAP_MAX_STRLEN bytes
 * @at: where it begins in @text
 * @dentry: address of the dentry whose name is next
 * @mnt: address of the struct vfsmount that it is in
 * @layout: of struct mount
 * @steps: number of steps
 * @cut: the beginning is missing
 */
struct path_walk {
	char *text;
	u32 at;
	u64 dentry;
	u64 mnt;
	struct ktap_btf_mount layout;
	u32 steps;
	bool cut;
};

/* Read a pointer: its size is that of the kernel. */
static int path_read_pointer(u64 address, u64 *pointer)
{
	unsigned long word;
	int err = ktap_read_kernel(&word, address, sizeof(word));

	*pointer = err ? 0 : word;
	return err;
}

/* Read a pointer in the structure at @address, which may be no structure at all. */
#define path_follow(address, type, member, pointer)					\
	path_read_pointer((address) + offsetof(type, member), (pointer))

static void path_add(struct path_walk *w, const char *text, u32 len)
{
	u32 part = min(len, w->at);

	w->cut |= part < len;
	w->at -= part;
	memmove(w->text + w->at, text + len - part, part);
}

static void path_add_string(struct path_walk *w, const char *text)
{
	path_add(w, text, strlen(text));
}

static int path_read_name(u64 dentry, struct qstr *name)
{
	return ktap_read_kernel(name, dentry + offsetof(struct dentry, d_name), sizeof(*name));
}

/* The name is read to the beginning of the buffer, which is free up to the path. */
static int path_add_name(struct path_walk *w, const struct qstr *name)
{
	u32 room = min(w->at, NAME_MAX + 1);
	int len;

	if (!room) {
		w->cut = true;
		return 0;
	}
	len = ktap_read_kernel_string(w->text, (unsigned long)name->name, min(name->len + 1, room));
	if (len < 0)
		return len;
	w->cut |= name->len >= room && len == room - 1;
	path_add(w, w->text, len);
	return 0;
}

/*
 * The root of a mount: go on where that is mounted.  Return 1; 0 if it is the root of the
 * tree, or mounted nowhere; or a negative errno.
 */
static int path_leave_mount(struct path_walk *w)
{
	u64 mount = w->mnt - w->layout.mnt, parent;
	int err;

	err = path_read_pointer(mount + w->layout.parent, &parent);
	if (err || parent == mount)
		return err;
	w->mnt = parent + w->layout.mnt;
	return path_read_pointer(mount + w->layout.mountpoint, &w->dentry) ?: 1;
}

/* Return 1; 0 if there is no directory above; or a negative errno. */
static int path_step(struct path_walk *w)
{
	struct qstr name;
	u64 root, parent;
	int err;

	err = path_follow(w->mnt, struct vfsmount, mnt_root, &root);
	if (err)
		return err;
	if (w->dentry == root)
		return path_leave_mount(w);
	err = path_follow(w->dentry, struct dentry, d_parent, &parent);
	if (err || parent == w->dentry)
		return err;
	err = path_read_name(w->dentry, &name) ?: path_add_name(w, &name);
	if (err)
		return err;
	path_add_string(w, "/");
	w->dentry = parent;
	return 1;
}

/* Pipes, sockets and others that are in no directory, as d_path() shows most of them */
static int path_add_nameless(struct path_walk *w)
{
	typeof_member(struct super_block, s_magic) magic;
	typeof_member(struct inode, i_ino) number;
	u64 sb, inode, type, type_name;
	char kind[32], text[64];
	struct qstr name;
	int err;

	err = path_follow(w->dentry, struct dentry, d_sb, &sb) ?:
	      ktap_read_kernel(&magic, sb + offsetof(struct super_block, s_magic), sizeof(magic)) ?:
	      path_read_name(w->dentry, &name) ?:
	      path_follow(w->dentry, struct dentry, d_inode, &inode) ?:
	      ktap_read_kernel(&number, inode + offsetof(struct inode, i_ino), sizeof(number)) ?:
	      path_follow(sb, struct super_block, s_type, &type) ?:
	      path_follow(type, struct file_system_type, name, &type_name);
	if (!err)
		err = min(ktap_read_kernel_string(kind, type_name, sizeof(kind)), 0);
	if (err)
		return err;
	/* One that has no name is called "/". */
	if (magic != PIPEFS_MAGIC && magic != SOCKFS_MAGIC && name.len > 1) {
		if (magic != ANON_INODE_FS_MAGIC)
			path_add_string(w, path_deleted);
		err = path_add_name(w, &name);
		path_add_string(w, magic == ANON_INODE_FS_MAGIC ? "anon_inode:" : "/");
		return err;
	}
	scnprintf(text, sizeof(text), "%s:[%llu]",
		  magic == PIPEFS_MAGIC ? "pipe" : magic == SOCKFS_MAGIC ? "socket" : kind,
		  (u64)number);
	path_add_string(w, text);
	return 0;
}

static int path_make(struct path_walk *w)
{
	u64 root, parent, hashed;
	int err;

	err = path_follow(w->mnt, struct vfsmount, mnt_root, &root) ?:
	      path_follow(w->dentry, struct dentry, d_parent, &parent) ?:
	      path_follow(w->dentry, struct dentry, d_hash.pprev, &hashed);
	if (err)
		return err;
	if (parent == w->dentry && w->dentry != root)
		return path_add_nameless(w);
	if (!hashed && parent != w->dentry)
		path_add_string(w, path_deleted);
	do {
		err = path_step(w);
	} while (err > 0 && !w->cut && ++w->steps < PATH_STEPS);
	w->cut |= err > 0;
	if (!err && !w->cut && (w->at == KTAP_MAX_STRLEN || w->text[w->at] != '/'))
		path_add_string(w, "/");
	return min(err, 0);
}

/* A type that the script declares may be a part of struct path, under any name. */
static bool path_is_type(u32 type, char *text)
{
	return !type || type & KTAP_DECLARED || !strcmp(ktap_btf_text(type, text), "struct path");
}

int ktap_fn_path(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct path_walk w = { .at = KTAP_MAX_STRLEN };
	char type[KTAP_TYPE_TEXT];
	int err;

	if (r[0].tag == KTAP_NIL)
		return 0;
	if (r[0].tag == KTAP_PTR && !path_is_type(r[0].type, type))
		return ktap_vm_error(vm, -EINVAL,
				     "path: takes a pointer to struct path, such as file.f_path, not to %s",
				     type);
	if (!ktap_btf_mount(&w.layout))
		return ktap_vm_error(vm, -EOPNOTSUPP,
				     "path: this kernel has no type 'struct mount'");
	w.text = ktap_arena_alloc(vm, KTAP_MAX_STRLEN);
	if (!w.text)
		return vm->error;
	/* dentries that are freed meanwhile are not used for others */
	scoped_guard(rcu)
		err = path_follow(r[0].u, struct path, mnt, &w.mnt) ?:
		      path_follow(r[0].u, struct path, dentry, &w.dentry) ?: path_make(&w);
	n = err ? 0 : KTAP_MAX_STRLEN - w.at;
	memmove(w.text, w.text + w.at, n);
	ktap_arena_trim(vm, w.text, n);
	if (err)
		return ktap_bad_read(vm, &r[0]) ?:
		       ktap_vm_charge(vm, w.steps * PATH_STEP_COST);
	if (w.cut)
		atomic_long_inc(&vm->env->counters.cut_strings);
	r[0] = KTAP_VALUE_STR(w.text, n);
	return ktap_vm_charge(vm, w.steps * PATH_STEP_COST + n / KTAP_KERNEL_CHARS);
}
