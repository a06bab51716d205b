// SPDX-License-Identifier: GPL-2.0
/*
 * The files that contain user code.
 */
#include <linux/errno.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "data/ustack_file.h"
#include "vm/env.h"
#include "vm/vm.h"

int ktap_ustack_files_init(struct ktap_env *env)
{
	if (!(env->prog->uses & KTAP_USES_USER_CODE))
		return 0;
	env->ufiles = kvcalloc(1, sizeof(*env->ufiles), KTAP_GFP);
	if (!env->ufiles)
		return -ENOMEM;
	ktap_lock_init(&env->ufiles->lock);
	return 0;
}

/* The session has dropped all references to files. */
void ktap_ustack_files_destroy(struct ktap_env *env)
{
	u32 i;

	if (!env->ufiles)
		return;
	for (i = 0; i < env->ufiles->n; i++)
		kfree(env->ufiles->files[i].path);
	kvfree(env->ufiles);
	env->ufiles = NULL;
}

static bool ustack_file_same_file(const struct ktap_ustack_file_key *x,
				  const struct ktap_ustack_file_key *y)
{
	return x->ino == y->ino && x->dev == y->dev && x->generation == y->generation &&
	       x->inode == y->inode;
}

/*
 * Return the index of the file plus 1; or 0, with the slot where it belongs in @slot.
 * There is always an empty slot: there are more slots than files.
 */
static u16 ustack_file_find(struct ktap_ustack_files *files,
			    const struct ktap_ustack_file_key *key, u16 **slot)
{
	u32 i = jhash_3words(key->ino, key->ino >> 32, key->dev, key->generation);
	u16 number;

	for (;; i++) {
		*slot = &files->slots[i % ARRAY_SIZE(files->slots)];
		/* Pairs with smp_store_release() in ustack_file_add(): the file is complete. */
		number = smp_load_acquire(*slot);
		if (!number || ustack_file_same_file(&files->files[number - 1].key, key))
			return number;
	}
}

static int ustack_file_add(struct ktap_ustack_files *files, const struct ktap_ustack_file_key *key)
{
	u16 *slot, number;

	/* It may have been added before we got the lock. */
	number = ustack_file_find(files, key, &slot);
	if (number)
		return number - 1;
	if (files->n == KTAP_MAX_UFILES)
		return -ENOSPC;
	files->files[files->n].key = *key;
	/* Pairs with ustack_name_files(): a file is complete before it is counted. */
	smp_store_release(&files->n, files->n + 1);
	/* Pairs with ustack_file_find(): and complete before it can be found. */
	smp_store_release(slot, files->n);
	return files->n - 1;
}

int ktap_ustack_file_get(struct ktap_ustack_files *files, const struct ktap_ustack_file_key *key)
{
	unsigned long flags;
	u16 *slot, number;
	int res;

	number = ustack_file_find(files, key, &slot);
	if (likely(number))
		return number - 1;
	if (!ktap_lock(&files->lock, &flags))
		return -EBUSY;
	res = ustack_file_add(files, key);
	ktap_unlock(&files->lock, flags);
	return res;
}
