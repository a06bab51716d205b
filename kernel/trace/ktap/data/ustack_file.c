// SPDX-License-Identifier: GPL-2.0
/*
 * The files that user code lies in, and text of frames.
 */
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "text.h"
#include "ufile.h"

/* What stands around the parts of a mark, for the program that reads the output. */
#define MARK_BEGIN	"\x1e"
#define MARK_NEXT	"\x1d"
#define MARK_END	"\x1f"

/* For the text of an offset, or of an address. */
#define NUMBER		24

int ktap_ufiles_init(struct ktap_env *env)
{
	if (!(env->prog->uses & KTAP_USES_USER_CODE))
		return 0;
	env->ufiles = kvcalloc(1, sizeof(*env->ufiles), KTAP_GFP);
	if (!env->ufiles)
		return -ENOMEM;
	ktap_lock_init(&env->ufiles->lock);
	return 0;
}

/* Nobody holds a file any more. */
void ktap_ufiles_destroy(struct ktap_env *env)
{
	u32 i;

	if (!env->ufiles)
		return;
	for (i = 0; i < env->ufiles->n; i++)
		kfree(env->ufiles->files[i].path);
	kvfree(env->ufiles);
	env->ufiles = NULL;
}

static bool same_file(const struct ktap_ufile_key *x, const struct ktap_ufile_key *y)
{
	return x->ino == y->ino && x->dev == y->dev && x->generation == y->generation &&
	       x->inode == y->inode;
}

/*
 * The place of the file, from 1; or 0, and the slot where it belongs.  There is an
 * empty one: there are more slots than files.
 */
static u16 find(struct ktap_ufiles *files, const struct ktap_ufile_key *key, u16 **slot)
{
	u32 i = jhash_3words(key->ino, key->ino >> 32, key->dev, key->generation);
	u16 place;

	for (;; i++) {
		*slot = &files->slots[i % ARRAY_SIZE(files->slots)];
		/* Pairs with smp_store_release() in add(): the file is complete. */
		place = smp_load_acquire(*slot);
		if (!place || same_file(&files->files[place - 1].key, key))
			return place;
	}
}

static int add(struct ktap_ufiles *files, const struct ktap_ufile_key *key)
{
	u16 *slot, place;

	/* Somebody else may have been faster. */
	place = find(files, key, &slot);
	if (place)
		return place - 1;
	if (files->n == KTAP_MAX_UFILES)
		return -ENOSPC;
	files->files[files->n].key = *key;
	/* Whoever goes through them all sees complete ones, too. */
	smp_store_release(&files->n, files->n + 1);
	/* And so does whoever finds it. */
	smp_store_release(slot, files->n);
	return files->n - 1;
}

int ktap_ufile_get(struct ktap_ufiles *files, const struct ktap_ufile_key *key)
{
	unsigned long flags;
	u16 *slot, place;
	int res;

	place = find(files, key, &slot);
	if (likely(place))
		return place - 1;
	if (!ktap_lock(&files->lock, &flags))
		return -EBUSY;
	res = add(files, key);
	ktap_unlock(&files->lock, flags);
	return res;
}

static void put_string(struct ktap_text *t, const char *s)
{
	ktap_text_put(t, s, strlen(s));
}

static const struct ktap_env *env_of(const struct ktap_text *t)
{
	return t->vm ? t->vm->env : t->env;
}

static bool is_known(const struct ktap_ufile *file)
{
	/* Pairs with that of name_files(), in umap.c. */
	return smp_load_acquire(&file->state) == KTAP_UFILE_KNOWN;
}

/* The file of a frame; NULL if nobody knows its name. */
static const struct ktap_ufile *known_file(const struct ktap_env *env, u64 frame)
{
	u32 place = (frame & ~KTAP_FRAME_KINDS) >> 48;
	const struct ktap_ufile *file;

	/* Whoever has the frame has seen that the file is in the table. */
	if (!env || !env->ufiles || !ktap_index(&place, READ_ONCE(env->ufiles->n)))
		return NULL;
	file = &env->ufiles->files[place];
	if (!is_known(file))
		ktap_ufile_wait(env, place);
	return is_known(file) && file->path ? file : NULL;
}

static bool wants_marks(const struct ktap_text *t)
{
	return !t->columns && env_of(t) && env_of(t)->mark_key;
}

static void put_mark(struct ktap_text *t, const char *where, const struct ktap_ufile *file,
		     u64 number, bool returns)
{
	char text[NUMBER];
	u32 i;

	put_string(t, MARK_BEGIN);
	put_string(t, env_of(t)->mark_key);
	put_string(t, MARK_NEXT);
	put_string(t, where);
	put_string(t, MARK_NEXT);
	for (i = 0; file && i < file->build_id_len; i++) {
		snprintf(text, sizeof(text), "%02x", file->build_id[i]);
		put_string(t, text);
	}
	put_string(t, MARK_NEXT);
	snprintf(text, sizeof(text), "%llx%s", (unsigned long long)number, returns ? "r" : "");
	put_string(t, text);
	put_string(t, MARK_END);
}

static void put_in_file(struct ktap_text *t, u64 frame, bool returns)
{
	const struct ktap_ufile *file = known_file(env_of(t), frame);
	u64 offset = frame & KTAP_FRAME_OFFSET;
	char text[NUMBER];

	if (file && wants_marks(t))
		return put_mark(t, file->path, file, offset, returns);
	put_string(t, file ? file->path : "?");
	snprintf(text, sizeof(text), "+0x%llx", (unsigned long long)offset);
	put_string(t, text);
}

static void put_address(struct ktap_text *t, u64 address, u32 pid, bool returns)
{
	char text[NUMBER];

	if (pid && wants_marks(t)) {
		snprintf(text, sizeof(text), "%u", pid);
		return put_mark(t, text, NULL, address, returns);
	}
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	put_string(t, text);
}

static void put_frame(struct ktap_text *t, u64 frame, u32 pid, bool returns)
{
	if (ktap_frame_is_file(frame))
		put_in_file(t, frame, returns);
	else
		put_address(t, frame, pid, returns);
}

/* Number of frames; and whose addresses they are, 0 if that is not said. */
static u32 count_frames(const struct ktap_value *v, u32 *pid)
{
	const u64 *frames = v->blob;
	u32 n = v->len / sizeof(*frames);

	*pid = 0;
	if (!n || (frames[n - 1] & KTAP_FRAME_KINDS) != KTAP_FRAME_NOTE)
		return n;
	*pid = frames[n - 1];
	return n - 1;
}

void ktap_text_ustack(struct ktap_text *t, const struct ktap_value *v)
{
	const u64 *frames = v->blob;
	u32 i, pid, n = count_frames(v, &pid);

	for (i = 0; i < n; i++) {
		if (ktap_text_in_middle(t))
			ktap_text_put(t, "\n", 1);
		ktap_text_put(t, "        ", 8);
		put_frame(t, frames[i], pid, i > 0);
	}
}

void ktap_text_usym(struct ktap_text *t, const struct ktap_value *v)
{
	const u64 *frames = v->blob;
	u32 pid;

	if (count_frames(v, &pid))
		put_frame(t, frames[0], pid, false);
}
