// SPDX-License-Identifier: GPL-2.0
/*
 * The text of user stacks and of user symbols.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "data/ustack_file.h"
#include "output/text.h"
#include "vm/env.h"
#include "vm/vm.h"

/* Room for the text of an offset, or of an address */
#define NUMBER		24

static void ustack_text_put_string(struct ktap_text *t, const char *s)
{
	ktap_text_put(t, s, strlen(s));
}

static const struct ktap_env *ustack_text_env_of(const struct ktap_text *t)
{
	return t->vm ? t->vm->env : t->env;
}

static bool ustack_text_is_known(const struct ktap_ustack_file *file)
{
	/* Pairs with smp_store_release() in ustack_name_files(). */
	return smp_load_acquire(&file->state) == KTAP_UFILE_KNOWN;
}

/* Return the file of a frame, NULL if its name is not known. */
static const struct ktap_ustack_file *ustack_text_known_file(const struct ktap_env *env, u64 frame)
{
	u32 number = (frame & ~KTAP_FRAME_KINDS) >> 48;
	const struct ktap_ustack_file *file;

	/* A frame is made after its file was added to the table. */
	if (!env || !env->ufiles || !ktap_index(&number, READ_ONCE(env->ufiles->n)))
		return NULL;
	file = &env->ufiles->files[number];
	if (!ustack_text_is_known(file))
		ktap_ustack_file_wait(env, number);
	return ustack_text_is_known(file) && file->path ? file : NULL;
}

static bool ustack_text_wants_marks(const struct ktap_text *t)
{
	return !t->columns && ustack_text_env_of(t) && ustack_text_env_of(t)->mark_key;
}

static void ustack_text_put_mark(struct ktap_text *t, const char *where,
				 const struct ktap_ustack_file *file, u64 number, bool returns)
{
	char text[NUMBER];
	u32 i;

	ustack_text_put_string(t, KTAP_MARK_BEGIN);
	ustack_text_put_string(t, ustack_text_env_of(t)->mark_key);
	ustack_text_put_string(t, KTAP_MARK_NEXT);
	ustack_text_put_string(t, where);
	ustack_text_put_string(t, KTAP_MARK_NEXT);
	for (i = 0; file && i < file->build_id_len; i++) {
		snprintf(text, sizeof(text), "%02x", file->build_id[i]);
		ustack_text_put_string(t, text);
	}
	ustack_text_put_string(t, KTAP_MARK_NEXT);
	snprintf(text, sizeof(text), "%llx%s", (unsigned long long)number, returns ? "r" : "");
	ustack_text_put_string(t, text);
	ustack_text_put_string(t, KTAP_MARK_END);
}

static void ustack_text_put_in_file(struct ktap_text *t, u64 frame, bool returns)
{
	const struct ktap_ustack_file *file = ustack_text_known_file(ustack_text_env_of(t), frame);
	u64 offset = frame & KTAP_FRAME_OFFSET;
	char text[NUMBER];

	if (file && ustack_text_wants_marks(t))
		return ustack_text_put_mark(t, file->path, file, offset, returns);
	ustack_text_put_string(t, file ? file->path : "?");
	snprintf(text, sizeof(text), "+0x%llx", (unsigned long long)offset);
	ustack_text_put_string(t, text);
}

static void ustack_text_put_address(struct ktap_text *t, u64 address, u32 pid, bool returns)
{
	char text[NUMBER];

	if (pid && ustack_text_wants_marks(t)) {
		snprintf(text, sizeof(text), "%u", pid);
		return ustack_text_put_mark(t, text, NULL, address, returns);
	}
	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)address);
	ustack_text_put_string(t, text);
}

static void ustack_text_put_frame(struct ktap_text *t, u64 frame, u32 pid, bool returns)
{
	if (ktap_frame_is_file(frame))
		ustack_text_put_in_file(t, frame, returns);
	else
		ustack_text_put_address(t, frame, pid, returns);
}

/* Return the number of frames, and in @pid the process of the addresses, 0 if unknown. */
static u32 ustack_text_count_frames(const struct ktap_value *v, u32 *pid)
{
	const u64 *frames = ktap_blob_of(v);
	u32 n = v->len / sizeof(*frames);

	*pid = 0;
	if (!n || (frames[n - 1] & KTAP_FRAME_KINDS) != KTAP_FRAME_NOTE)
		return n;
	*pid = frames[n - 1];
	return n - 1;
}

bool ktap_text_uframe(struct ktap_text *t, const struct ktap_value *v, u32 i)
{
	const u64 *frames = ktap_blob_of(v);
	u32 pid;

	if (i >= ustack_text_count_frames(v, &pid))
		return false;
	ustack_text_put_frame(t, frames[i], pid, i > 0);
	return true;
}

void ktap_text_ustack(struct ktap_text *t, const struct ktap_value *v)
{
	const u64 *frames = ktap_blob_of(v);
	u32 i, pid, n = ustack_text_count_frames(v, &pid);

	for (i = 0; i < n; i++) {
		if (ktap_text_in_middle(t))
			ktap_text_put(t, "\n", 1);
		ktap_text_put(t, "        ", 8);
		ustack_text_put_frame(t, frames[i], pid, i > 0);
	}
}

void ktap_text_usym(struct ktap_text *t, const struct ktap_value *v)
{
	const u64 *frames = ktap_blob_of(v);
	u32 pid;

	if (ustack_text_count_frames(v, &pid))
		ustack_text_put_frame(t, frames[0], pid, false);
}
