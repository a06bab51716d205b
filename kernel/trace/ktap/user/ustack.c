// SPDX-License-Identifier: GPL-2.0
/*
 * Code of programs: which file an address lies in, and what that file is called.
 */
#include <linux/atomic.h>
#include <linux/auxvec.h>
#include <linux/buildid.h>
#include <linux/cleanup.h>
#include <linux/dcache.h>
#include <linux/file.h>
#include <linux/file_ref.h>
#include <linux/fs.h>
#include <linux/gfs2_ondisk.h>
#include <linux/irq_work.h>
#include <linux/limits.h>
#include <linux/magic.h>
#include <linux/memcontrol.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/string_helpers.h>
#include <linux/workqueue.h>
#include <asm/tlb.h>

#include "data/ustack_file.h"
#include "session.h"
#include "vm/builtin.h"

/**
 * DOC: From an address to a file
 *
 * An address has no meaning after its process has ended, and another one in the next
 * process.  So it is converted to an offset in a file when the event happens, in any context
 * and without a lock:
 *
 * - The mappings are read as uprobes do: under RCU, and the result is used only if no
 *   change of the mappings had begun meanwhile (mmap_lock_speculate_*()).  Until the RCU
 *   read side ends, the memory of a struct vm_area_struct, a struct file or a struct inode
 *   keeps its type, though it may be reused for another object.  Without SMP these
 *   functions do not exist, and are not needed: the reader is not preempted, so the
 *   mappings do not change if no change had begun.
 * - The file is looked up in a table of the session by its inode (ustack_file.c).  The
 *   first handler that finds it, which is the one that moves it from NEW to TAKEN, takes a
 *   reference and lets an irq_work queue the rest.
 * - In process context the name and the build id are found, the file becomes KNOWN, and
 *   the reference is dropped: it is held only for that time.  If the mappings were changed
 *   before the reference was taken, it may be a reference to another file: it is only
 *   dropped, in process context too, and the file is NEW again.
 *
 * If a frame's file is not found, the frame stays an address.  This is counted, unless the
 * mapping has no file.
 */

/* Units of a frame: reading it and finding its file. */
#define FRAME_COST	4

/* Number of attempts to read mappings that change */
#define TRIES		3

static_assert((2 * KTAP_MAX_FRAMES + 1) * sizeof(u64) <= KTAP_MAX_STRLEN);
static_assert(KTAP_BUILD_ID_MAX == BUILD_ID_SIZE_MAX);

/**
 * struct ustack_area - a range of addresses in one mapping
 * @start: the first address
 * @end: the first address after it
 * @frame: the frame of @start; 0: addresses remain addresses
 */
struct ustack_area {
	unsigned long start;
	unsigned long end;
	u64 frame;
};

/* Data of a mapping, read when the sequence count of the mappings was @seq */
struct ustack_mapping {
	unsigned int seq;
	struct vm_area_struct *vma;
	unsigned long start;
	unsigned long end;
	u64 offset;
	bool in_file;
	struct ktap_ustack_file_key key;
};

/* Shared memory without a name has an inode, but is not a file. */
static bool ustack_is_file(const struct inode *inode)
{
	return S_ISREG(inode->i_mode) && !(inode->i_sb->s_flags & SB_KERNMOUNT);
}

/* Do a volume and its snapshots share the device, and with it numbers of inodes? */
static bool ustack_has_volumes(const struct super_block *sb)
{
	return sb->s_magic == BTRFS_SUPER_MAGIC;
}

static struct ktap_ustack_file_key ustack_key_of(const struct inode *inode)
{
	return (struct ktap_ustack_file_key){
		.ino = inode->i_ino,
		.dev = inode->i_sb->s_dev,
		.generation = inode->i_generation,
		.inode = ustack_has_volumes(inode->i_sb) ? (unsigned long)inode : 0,
	};
}

/* Return the address of the vdso, which exec has stored in the auxv; 0 if there is none. */
static unsigned long ustack_vdso_of(const struct mm_struct *mm, unsigned int word)
{
#ifdef AT_SYSINFO_EHDR
	unsigned int i;

	for (i = 0; i + 1 < AT_VECTOR_SIZE * sizeof(long) / word; i += 2) {
		unsigned long type, value;

		if (word == sizeof(u32)) {
			type = ((const u32 *)mm->saved_auxv)[i];
			value = ((const u32 *)mm->saved_auxv)[i + 1];
		} else {
			type = mm->saved_auxv[i];
			value = mm->saved_auxv[i + 1];
		}
		if (type == AT_NULL)
			return 0;
		if (type == AT_SYSINFO_EHDR)
			return value;
	}
#endif
	return 0;
}

/* A mapping without a file may be the vdso. */
static void ustack_read_special(struct ustack_mapping *m, const struct mm_struct *mm)
{
	unsigned int word;

	for (word = sizeof(u32); word <= sizeof(long); word *= 2) {
		if (!m->start || ustack_vdso_of(mm, word) != m->start)
			continue;
		m->in_file = true;
		m->offset = 0;
		m->key = (struct ktap_ustack_file_key){ .generation = word };
	}
}

#ifdef CONFIG_SMP
#define ustack_begin_reading	mmap_lock_speculate_try_begin
#define ustack_has_changed	mmap_lock_speculate_retry
#else
static bool ustack_begin_reading(struct mm_struct *mm, unsigned int *seq)
{
	*seq = 0;
#ifdef CONFIG_PREEMPT_RT
	return !rw_base_is_write_locked(&mm->mmap_lock.rwbase);
#else
	return !(atomic_long_read(&mm->mmap_lock.count) & RWSEM_WRITER_LOCKED);
#endif
}

static bool ustack_has_changed(struct mm_struct *mm, unsigned int seq)
{
	return false;
}
#endif

/*
 * Read a mapping that may be changed, and freed, at any time: the result is valid only if
 * ustack_has_changed() returns false afterwards.
 */
static void ustack_read_mapping(struct ustack_mapping *m, const struct mm_struct *mm)
{
	const struct vm_area_struct *vma = m->vma;
	const struct file *file = READ_ONCE(vma->vm_file);
	const struct inode *inode = file ? READ_ONCE(file->f_inode) : NULL;

	m->start = READ_ONCE(vma->vm_start);
	m->end = READ_ONCE(vma->vm_end);
	m->offset = (u64)READ_ONCE(vma->vm_pgoff) << PAGE_SHIFT;
	m->in_file = false;
	if (!file) {
		ustack_read_special(m, mm);
	} else if (inode && ustack_is_file(inode)) {
		m->in_file = true;
		m->key = ustack_key_of(inode);
	}
}

/* Called under RCU.  False: the mappings change all the time. */
static bool ustack_find_mapping(struct mm_struct *mm, unsigned long address,
				struct ustack_mapping *m)
{
	unsigned int i;

	for (i = 0; i < TRIES; i++) {
		if (!ustack_begin_reading(mm, &m->seq))
			continue;
		m->vma = vma_lookup(mm, address);
		if (m->vma)
			ustack_read_mapping(m, mm);
		if (!ustack_has_changed(mm, m->seq))
			return true;
	}
	return false;
}

/**
 * struct ktap_ustack - looks up the names of the files in user stacks of a session
 * @session: the session
 * @irq: queues @work
 * @work: looks up the names
 */
struct ktap_ustack {
	struct ktap_session *session;
	struct irq_work irq;
	struct work_struct work;
};

/*
 * Called under RCU.  Take a reference to a file whose name was not asked for yet.  If it is
 * the wrong file, it cannot be dropped here: fput() is not allowed in all contexts.
 */
static void ustack_take_file(struct ktap_session *s, struct ktap_ustack_file *uf,
			     const struct ustack_mapping *m, struct mm_struct *mm)
{
	struct file *file = NULL;

	if (cmpxchg(&uf->state, KTAP_UFILE_NEW, KTAP_UFILE_TAKEN) != KTAP_UFILE_NEW)
		return;
	if (uf->key.ino) {
		file = READ_ONCE(m->vma->vm_file);
		if (!file || !file_ref_get(&file->f_ref)) {
			WRITE_ONCE(uf->state, KTAP_UFILE_NEW);
			return;
		}
	}
	/* If it was still mapped after we had the reference, it is the right file. */
	uf->sure = !ustack_has_changed(mm, m->seq);
	/* Pairs with ustack_name_files().  The vdso has no file: any pointer other than NULL. */
	smp_store_release(&uf->file, file ?: (void *)s);
	/* ktap_ustack_destroy() waits for it. */
	if (!READ_ONCE(s->abort))
		irq_work_queue(&s->ustack->irq);
}

/* Find the area that contains an address.  False: that failed. */
static bool ustack_find_area(struct ktap_session *s, unsigned long address,
			     struct ustack_area *area)
{
	struct ktap_ustack_files *files = s->env.ufiles;
	struct mm_struct *mm = current->mm;
	struct ustack_mapping m;
	int number;

	/* See DOC above: while a chunk is loaded its top level could be preempted here. */
	guard(preempt_notrace)();
	guard(rcu)();
	if (!ustack_find_mapping(mm, address, &m))
		return false;
	if (!m.vma || !m.in_file) {
		/* No mapping, or one without a file */
		area->start = m.vma ? m.start : address;
		area->end = m.vma ? m.end : address + 1;
		area->frame = 0;
		return true;
	}
	if (m.offset + (m.end - m.start) > KTAP_FRAME_OFFSET)
		return false;
	number = ktap_ustack_file_get(files, &m.key);
	if (number < 0)
		return false;
	if (READ_ONCE(files->files[number].state) == KTAP_UFILE_NEW)
		ustack_take_file(s, &files->files[number], &m, mm);
	area->start = m.start;
	area->end = m.end;
	area->frame = ktap_frame_in_file(number, m.offset);
	return true;
}

/* Convert an address to a frame.  @area is the one that contained the previous address. */
static u64 ustack_frame_of(struct ktap_vm *vm, u64 address, struct ustack_area *area)
{
	bool inside = address - area->start < area->end - area->start;

	if (!inside && !ustack_find_area(ktap_session_of(vm), address, area)) {
		atomic_long_inc(&vm->env->counters.no_user_file);
		*area = (struct ustack_area){ };
		return address;
	}
	return area->frame ? area->frame + (address - area->start) : address;
}

/* Convert addresses to frames; there is room for one more word.  Return the number of words. */
static unsigned int ustack_make_frames(struct ktap_vm *vm, u64 *frames, unsigned int n)
{
	bool addresses = false;
	struct ustack_area area = { };
	unsigned int i;

	for (i = 0; i < n; i++) {
		/* Clear the bit of the instruction set. */
		if (IS_ENABLED(CONFIG_ARM))
			frames[i] &= ~1ULL;
		/* Bit 63 marks a frame in a file: no architecture has user addresses there. */
		frames[i] = ustack_frame_of(vm, frames[i] & ~KTAP_FRAME_FILE, &area);
		addresses |= ktap_frame_is_address(frames[i]);
	}
	if (addresses)
		frames[n++] = ktap_frame_process(current->tgid);
	return n;
}

#ifdef CONFIG_PERF_EVENTS
static int ustack_get_buffers(void)
{
	return get_callchain_buffers(READ_ONCE(sysctl_perf_event_max_stack));
}

static void ustack_put_buffers(void)
{
	put_callchain_buffers();
}

/* Return the event's own registers if they are of user mode, or those at kernel entry. */
static struct pt_regs *ustack_user_regs(const struct ktap_vm *vm)
{
	const struct ktap_event *ev = vm->event;
	struct pt_regs *regs = ev && ev->ops->regs ? ev->ops->regs(ev) : NULL;

	return regs && user_mode(regs) ? regs : task_pt_regs(current);
}

/*
 * Perf handles 32-bit programs, functions that have not set up their frame yet, and return
 * addresses that uprobes have replaced.  False: its buffer is in use.
 */
static bool ustack_walk(struct ktap_vm *vm, u64 *addresses, unsigned int depth, unsigned int *n)
{
	struct perf_callchain_entry *chain;
	u32 limit = READ_ONCE(sysctl_perf_event_max_stack);

	/* The buffer belongs to this CPU and context, and is valid until preemption. */
	guard(preempt_notrace)();
	/* Perf finds it under RCU. */
	guard(rcu)();
	chain = get_perf_callchain(ustack_user_regs(vm), false, true, min(depth, limit), false,
				   false, 0);
	if (!chain)
		return false;
	*n = min_t(u64, chain->nr, depth);
	memcpy(addresses, chain->ip, *n * sizeof(*addresses));
	return true;
}
#else
static int ustack_get_buffers(void)
{
	return 0;
}

static void ustack_put_buffers(void)
{
}

static bool ustack_walk(struct ktap_vm *vm, u64 *addresses, unsigned int depth, unsigned int *n)
{
	return false;
}
#endif

static bool ustack_has_user_code(void)
{
	return current->mm && !(current->flags & (PF_KTHREAD | PF_USER_WORKER));
}

/* The stack of a kernel thread has no frames.  It can be a key, too. */
int ktap_fn_ustack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	unsigned int depth, skip, len = 0;
	u64 *frames;

	if (ktap_stack_range(vm, r, n, &depth, &skip))
		return vm->error;
	if (ktap_vm_charge(vm, (depth + skip) * FRAME_COST))
		return vm->error;
	frames = ktap_arena_alloc(vm, (depth + skip + 1) * sizeof(*frames));
	if (!frames)
		return vm->error;
	if (ustack_has_user_code()) {
		if (nmi_uaccess_okay() && ustack_walk(vm, frames, depth + skip, &len)) {
			len -= min(len, skip);
			memmove(frames, frames + skip, len * sizeof(*frames));
			len = ustack_make_frames(vm, frames, len);
		} else {
			atomic_long_inc(&vm->env->counters.no_user_stack);
		}
	}
	ktap_arena_trim(vm, frames, len * sizeof(*frames));
	r[0] = (struct ktap_value){
		.blob = frames,
		.tag = KTAP_USTACK,
		.len = len * sizeof(*frames),
	};
	return 0;
}

int ktap_fn_usym(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u64 address = r[0].u;
	unsigned int len = 1;
	u64 *frames;

	if (r[0].tag == KTAP_NIL)
		return 0;
	if (ktap_vm_charge(vm, FRAME_COST))
		return vm->error;
	frames = ktap_arena_alloc(vm, 2 * sizeof(*frames));
	if (!frames)
		return vm->error;
	frames[0] = address & ~KTAP_FRAME_FILE;
	if (ustack_has_user_code() && frames[0] == (unsigned long)address)
		len = ustack_make_frames(vm, frames, 1);
	ktap_arena_trim(vm, frames, len * sizeof(*frames));
	r[0] = (struct ktap_value){
		.blob = frames,
		.tag = KTAP_USYM,
		.len = len * sizeof(*frames),
	};
	return 0;
}

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

/* Does the kernel read the file system without the help of others? */
static bool ustack_is_on_disk(const struct super_block *sb)
{
	switch (sb->s_magic) {
	case FUSE_SUPER_MAGIC:	/* fuseblk has a device, but a server reads it */
	case GFS2_MAGIC:	/* other machines may hold the lock of the file */
	case OCFS2_SUPER_MAGIC:
		return false;
	default:
		return sb->s_type->fs_flags & FS_REQUIRES_DEV;
	}
}

/*
 * Data that must come from a server (FUSE, a network) may never arrive.  A task that waits
 * for it cannot be killed, nor can one that waits for that task.  So files of a server are
 * read from memory only: running the program has read their beginning, which has the build
 * id.
 */
static int ustack_read_build_id(struct file *file, u8 *build_id, u32 *size)
{
	struct vm_area_struct vma = { .vm_file = file };

	if (ustack_is_on_disk(file_inode(file)->i_sb))
		return build_id_parse_file(file, build_id, size);
	return build_id_parse_nofault(&vma, build_id, size);
}

/* The only writer, until the state is changed. */
static void ustack_name_file(struct ktap_ustack_file *uf, char *buf)
{
	u32 size;

	if (!uf->key.ino) {
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
		if (uf->key.ino)
			fput(file);
		cond_resched();
	}
}

static void ustack_work(struct work_struct *work)
{
	struct ktap_session *s = container_of(work, struct ktap_ustack, work)->session;
	struct mem_cgroup *old = set_active_memcg(s->memcg);
	char *buf = kmalloc(PATH_MAX, KTAP_GFP);

	/* Without memory the files stay TAKEN until their names are needed. */
	if (buf)
		ustack_name_files(s->env.ufiles, buf);
	kfree(buf);
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

	ustack_name_now(s);
	if (READ_ONCE(uf->state) == KTAP_UFILE_KNOWN)
		return;
	/* Wait for handlers between TAKEN and taking the reference. */
	synchronize_rcu();
	ustack_name_now(s);
	/* It was unmapped too early: do not try again for each frame. */
	(void)cmpxchg(&uf->state, KTAP_UFILE_NEW, KTAP_UFILE_KNOWN);
}

/**
 * ktap_ustack_init() - Prepare for reading user stacks, if the program does that
 * @s: the session, its program loaded
 *
 * Context: process, may sleep.
 * Return: 0, to be undone by ktap_ustack_destroy(), or a negative errno.
 */
int ktap_ustack_init(struct ktap_session *s)
{
	int err;

	s->env.mark_key = *s->mark_key ? s->mark_key : NULL;
	if (!s->env.ufiles)
		return 0;
	s->ustack = kzalloc_obj(*s->ustack, KTAP_GFP);
	if (!s->ustack)
		return -ENOMEM;
	s->ustack->session = s;
	init_irq_work(&s->ustack->irq, ustack_irq);
	INIT_WORK(&s->ustack->work, ustack_work);
	err = ustack_get_buffers();
	if (err) {
		kfree(s->ustack);
		s->ustack = NULL;
	}
	return err;
}

/* No handler of the session runs any more, nor does its thread.  Context: process. */
void ktap_ustack_destroy(struct ktap_session *s)
{
	u32 i;

	if (!s->ustack)
		return;
	irq_work_sync(&s->ustack->irq);
	cancel_work_sync(&s->ustack->work);
	for (i = 0; i < s->env.ufiles->n; i++) {
		struct ktap_ustack_file *uf = &s->env.ufiles->files[i];

		if (uf->file && uf->key.ino)
			fput(uf->file);
	}
	ustack_put_buffers();
	kfree(s->ustack);
	s->ustack = NULL;
}
