// SPDX-License-Identifier: GPL-2.0
/*
 * Names and build ids of the files in user stacks, found in process context.  ustack.c
 * describes when.
 */
#include <linux/atomic.h>
#include <linux/buildid.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/limits.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/panic.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include <linux/workqueue.h>

#include "data/ustack_file.h"
#include "event/source.h"
#include "session.h"
#include "user/ustack.h"

/* Return the name of a file, control bytes as \ooo; NULL if that fails. */
static char *ustack_make_path(const struct file *file, char *buf)
{
	static const char escaped[] =
		"\x01\x02\x03\x04\x05\x06\x07\x08\t\n\x0b\x0c\r\x0e\x0f\x10\x11\x12\x13\x14\x15"
		"\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f\x7f\\";
	const char *path = d_path(file_user_path(file), buf, PATH_MAX);
	size_t len;
	char *text;

	if (IS_ERR(path))
		return NULL;
	len = string_escape_mem(path, strlen(path), NULL, 0, ESCAPE_OCTAL, escaped);
	text = kmalloc(len + 1, KTAP_GFP);
	if (!text)
		return NULL;
	string_escape_mem(path, strlen(path), text, len, ESCAPE_OCTAL, escaped);
	text[len] = '\0';
	return text;
}

/*
 * Files of a server are read from memory only: running the program has read their beginning,
 * which has the build id.
 */
static int ustack_read_build_id(struct file *file, u8 *build_id, u32 *size)
{
	struct vm_area_struct vma = { .vm_file = file };

	if (ktap_is_on_disk(file_inode(file)->i_sb))
		return build_id_parse_file(file, build_id, size);
	return build_id_parse_nofault(&vma, build_id, size);
}

/* The only writer, until the state is changed. */
static void ustack_name_file(struct ktap_ustack_file *uf, char *buf)
{
	u32 size;

	if (ktap_ustack_is_vdso(&uf->key)) {
		uf->path = kstrdup("[vdso]", KTAP_GFP);
		return;
	}
	uf->path = ustack_make_path(uf->file, buf);
	if (!ustack_read_build_id(uf->file, uf->build_id, &size))
		uf->build_id_len = size;
}

static void ustack_name_files(struct ktap_ustack_files *files, char *buf)
{
	/* Pairs with ustack_file_add(). */
	u32 i, n = smp_load_acquire(&files->n);

	for (i = 0; i < n; i++) {
		struct ktap_ustack_file *uf = &files->files[i];
		/* Pairs with ustack_take_file(). */
		struct file *file = smp_load_acquire(&uf->file);
		bool sure = file && uf->sure;

		if (!file)
			continue;
		if (sure)
			ustack_name_file(uf, buf);
		uf->file = NULL;
		/* Pairs with ustack_text_is_known(): the name is final. */
		smp_store_release(&uf->state, sure ? KTAP_UFILE_KNOWN : KTAP_UFILE_NEW);
		if (!ktap_ustack_is_vdso(&uf->key))
			fput(file);
		cond_resched();
	}
}

static void ustack_work(struct work_struct *work)
{
	struct ktap_ustack *ustack = container_of(work, struct ktap_ustack, work);
	struct ktap_session *s = ustack->session;
	struct mem_cgroup *old = set_active_memcg(s->memcg);

	ustack_name_files(s->env.ufiles, ustack->path);
	set_active_memcg(old);
}

static void ustack_irq(struct irq_work *work)
{
	queue_work(system_dfl_wq, &container_of(work, struct ktap_ustack, irq)->work);
}

static void ustack_name_now(struct ktap_session *s)
{
	queue_work(system_dfl_wq, &s->ustack->work);
	flush_work(&s->ustack->work);
}

void ktap_ustack_file_wait(const struct ktap_env *env, u32 number)
{
	struct ktap_session *s = container_of((struct ktap_env *)env, struct ktap_session, env);
	struct ktap_ustack_file *uf = &s->env.ufiles->files[number];

	/* session_dump.c shows the output, and nobody else runs. */
	if (panic_in_progress())
		return;
	ustack_name_now(s);
	if (READ_ONCE(uf->state) == KTAP_UFILE_KNOWN)
		return;
	/* Wait for handlers between TAKEN and taking the reference. */
	synchronize_rcu();
	ustack_name_now(s);
	/* It was unmapped too early: do not try again for each frame. */
	(void)cmpxchg(&uf->state, KTAP_UFILE_NEW, KTAP_UFILE_KNOWN);
}

void ktap_ustack_name_init(struct ktap_ustack *ustack, struct ktap_session *s)
{
	ustack->session = s;
	init_irq_work(&ustack->irq, ustack_irq);
	INIT_WORK(&ustack->work, ustack_work);
}
