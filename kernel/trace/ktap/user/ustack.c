// SPDX-License-Identifier: GPL-2.0
/*
 * Code of programs: which file an address lies in.  ustack_name.c finds the file's name.
 */
#include <linux/atomic.h>
#include <linux/auxvec.h>
#include <linux/buildid.h>
#include <linux/cleanup.h>
#include <linux/file.h>
#include <linux/file_ref.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/uprobes.h>
#include <linux/workqueue.h>
#include <asm/tlb.h>

#include "data/ustack_file.h"
#include "session.h"
#include "user/ustack.h"
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
 *
 * Most events find what the event before has found, so each CPU and level keeps the last
 * areas (struct ustack_cache).  They are those of one process and one state of its mappings,
 * which is the state when their sequence count is the same: every change increments it.  A
 * struct mm_struct may be freed and reused, with the same count.  So the process is compared,
 * too, and the number of programs that it has executed: exec allocates the new mappings
 * before it drops the old ones.  The count wraps around after 2^31 changes, which take longer
 * than areas are kept.  An area is kept after its file's name is known: until then each event
 * may have to take the reference.
 */

/* Units of a frame: reading it and finding its file. */
#define FRAME_COST	4

/* Number of attempts to read mappings that change */
#define TRIES		3

/* Areas that a CPU keeps for each level: a few programs and libraries */
#define CACHED_AREAS	8

/* They are looked up again after this time. */
#define CACHED_JIFFIES	(10 * HZ)

static_assert((2 * KTAP_MAX_FRAMES + 1) * sizeof(u64) <= KTAP_MAX_STRLEN);
static_assert(KTAP_BUILD_ID_MAX == BUILD_ID_SIZE_MAX);

/**
 * struct ustack_area - a range of addresses in one mapping
 * @start: the first address
 * @size: number of addresses
 * @shift: from an address to its frame; 0: addresses remain addresses
 */
struct ustack_area {
	u64 start;
	u64 size;
	u64 shift;
};

/**
 * struct ustack_cache - areas in files that events of one CPU and level have found
 * @mm: the mappings that have the areas; compared, never dereferenced
 * @start_time: of the process
 * @execs: number of programs that the process has executed
 * @since: the time when @areas was empty, in jiffies
 * @tgid: of the process
 * @seq: sequence count of the mappings
 * @n: entries of @areas
 * @oldest: which one is replaced next, if all are in use
 * @areas: the areas
 *
 * The owner of the activation of this CPU and level reads and writes it.
 */
struct ustack_cache {
	const struct mm_struct *mm;
	u64 start_time;
	u64 execs;
	unsigned long since;
	pid_t tgid;
	unsigned int seq;
	unsigned int n;
	unsigned int oldest;
	struct ustack_area areas[CACHED_AREAS];
};

/**
 * struct ktap_ustack_caches - the caches of a CPU
 * @levels: by level of the event
 */
struct ktap_ustack_caches {
	struct ustack_cache levels[KTAP_NR_EVENT_LEVELS];
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
	if (!ktap_ustack_is_vdso(&uf->key)) {
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

static void ustack_reset_cache(struct ustack_cache *cache, unsigned int seq)
{
	cache->mm = current->mm;
	cache->start_time = current->group_leader->start_time;
	cache->execs = current->self_exec_id;
	cache->since = jiffies;
	cache->tgid = current->tgid;
	cache->seq = seq;
	cache->n = 0;
	cache->oldest = 0;
}

/* See DOC above.  NULL: no cache can be used. */
static struct ustack_cache *ustack_cache_of(struct ktap_vm *vm)
{
	struct ustack_cache *cache;
	unsigned int seq;

	lockdep_assert_preemption_disabled();
	/* Without SMP there is no count of the changes. */
	if (!IS_ENABLED(CONFIG_SMP) || vm->level >= KTAP_NR_EVENT_LEVELS ||
	    !ustack_begin_reading(current->mm, &seq))
		return NULL;
	cache = &this_cpu_ptr(ktap_session_of(vm)->ustack->caches)->levels[vm->level];
	if (unlikely(cache->mm != current->mm || cache->seq != seq ||
		     cache->tgid != current->tgid ||
		     cache->start_time != current->group_leader->start_time ||
		     cache->execs != current->self_exec_id ||
		     jiffies - cache->since > CACHED_JIFFIES))
		ustack_reset_cache(cache, seq);
	return cache;
}

/* Is @area that of the mappings as they are in the cache?  Then keep it. */
static void ustack_cache_area(struct ustack_cache *cache, unsigned int seq,
			      const struct ustack_area *area)
{
	if (!cache || cache->seq != seq)
		return;
	if (cache->n < CACHED_AREAS)
		cache->areas[cache->n++] = *area;
	else
		cache->areas[cache->oldest++ % CACHED_AREAS] = *area;
}

/* Return false if that failed. */
static noinline bool ustack_search_area(struct ktap_session *s, unsigned long address,
					struct ustack_cache *cache, struct ustack_area *area)
{
	struct ktap_ustack_files *files = s->env.ufiles;
	struct mm_struct *mm = current->mm;
	struct ustack_mapping m;
	int number, state;

	lockdep_assert_preemption_disabled();
	guard(rcu)();
	if (!ustack_find_mapping(mm, address, &m))
		return false;
	if (!m.vma || !m.in_file) {
		/* No mapping, or one without a file */
		area->start = m.vma ? m.start : address;
		area->size = m.vma ? m.end - m.start : 1;
		area->shift = 0;
		return true;
	}
	if (m.offset + (m.end - m.start) > KTAP_FRAME_OFFSET)
		return false;
	number = ktap_ustack_file_get(files, &m.key);
	if (number < 0)
		return false;
	area->start = m.start;
	area->size = m.end - m.start;
	area->shift = ktap_frame_in_file(number, m.offset) - m.start;
	state = READ_ONCE(files->files[number].state);
	if (state == KTAP_UFILE_NEW)
		ustack_take_file(s, &files->files[number], &m, mm);
	else if (state == KTAP_UFILE_KNOWN)
		ustack_cache_area(cache, m.seq, area);
	return true;
}

/* Return the area of an address.  An empty one if that failed: the frame is the address. */
static struct ustack_area ustack_area_of(struct ktap_vm *vm, u64 address,
					 struct ustack_cache *cache)
{
	struct ustack_area area;
	unsigned int i;

	for (i = 0; cache && i < cache->n; i++) {
		if (address - cache->areas[i].start < cache->areas[i].size)
			return cache->areas[i];
	}
	if (ustack_search_area(ktap_session_of(vm), address, cache, &area))
		return area;
	atomic_long_inc(&vm->env->counters.no_user_file);
	return (struct ustack_area){ };
}

/*
 * Convert @n addresses to frames, which may be in the same array, before or at the
 * addresses; there is room for one more word.  Return the number of words.
 */
static unsigned int ustack_make_frames(struct ktap_vm *vm, u64 *frames, const u64 *addresses,
				       unsigned int n)
{
	struct ustack_area area = { };
	struct ustack_cache *cache;
	bool has_address = false;
	unsigned int i;
	u64 address;

	/*
	 * The cache is that of this CPU, and see DOC above: while a chunk is loaded its top
	 * level could be preempted here.
	 */
	guard(preempt_notrace)();
	cache = ustack_cache_of(vm);
	for (i = 0; i < n; i++) {
		address = addresses[i];
		/* Clear the bit of the instruction set. */
		if (IS_ENABLED(CONFIG_ARM))
			address &= ~1ULL;
		if (unlikely(address - area.start >= area.size)) {
			/* It marks a frame in a file: no architecture has user addresses there. */
			address &= ~KTAP_FRAME_FILE;
			area = ustack_area_of(vm, address, cache);
			has_address |= !area.shift;
		}
		frames[i] = address + area.shift;
	}
	if (has_address)
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

#ifdef CONFIG_X86_64
/*
 * Can ustack_walk_plain() walk the stack?  Not that of a 32-bit program.  At a uprobe the
 * function may have no frame yet; if returns are watched, addresses have been replaced.  In
 * an interrupt the registers may be those of a guest.
 */
static bool ustack_is_plain(const struct ktap_vm *vm, struct pt_regs *regs)
{
#ifdef CONFIG_UPROBES
	const struct uprobe_task *utask = current->utask;

	if (unlikely(utask && (utask->auprobe || utask->return_instances)))
		return false;
#endif
	return vm->level == KTAP_LEVEL_TASK && user_64bit_mode(regs);
}

/*
 * The same as perf_callchain_user() for such a stack, but it enables access to user memory
 * once and not for each word, and does not wait for speculation: an address is masked before
 * it is used.  A frame pointer of 0 ends the stack, where perf would take a page fault.
 */
static unsigned int ustack_walk_plain(const struct pt_regs *regs, u64 *addresses,
				      unsigned int max)
{
	unsigned long next = regs->bp, address;
	const unsigned long __user *fp;
	unsigned int n = 1;

	if (!max)
		return 0;
	addresses[0] = regs->ip;
	pagefault_disable();
	masked_user_access_begin((const void __user *)next);
	while (n < max) {
		if (!next || !access_ok((const void __user *)next, 2 * sizeof(next)))
			break;
		fp = mask_user_address((const void __user *)next);
		unsafe_get_user(next, &fp[0], out);
		unsafe_get_user(address, &fp[1], out);
		addresses[n++] = address;
	}
out:
	user_access_end();
	pagefault_enable();
	return n;
}
#else
static bool ustack_is_plain(const struct ktap_vm *vm, struct pt_regs *regs)
{
	return false;
}

static unsigned int ustack_walk_plain(const struct pt_regs *regs, u64 *addresses,
				      unsigned int max)
{
	return 0;
}
#endif

/*
 * On powerpc perf takes the link register for the address of the caller.  It is not if the
 * function has saved that one, which is then the next address, too; after a system call, which
 * has set the register to where it returns to; and at a return that a uprobe has diverted.
 */
#ifdef CONFIG_PPC
#define WALK_MORE	1

static unsigned int ustack_drop_link(u64 *addresses, unsigned int n)
{
	bool drop;

	if (n < 2)
		return n;
	drop = addresses[1] == addresses[0] || (n > 2 && addresses[1] == addresses[2]);
#ifdef CONFIG_UPROBES
	drop |= current->utask && addresses[1] == uprobe_get_trampoline_vaddr();
#endif
	if (!drop)
		return n;
	memmove(addresses + 1, addresses + 2, (n - 2) * sizeof(*addresses));
	return n - 1;
}
#else
#define WALK_MORE	0

static unsigned int ustack_drop_link(u64 *addresses, unsigned int n)
{
	return n;
}
#endif

/*
 * Perf handles 32-bit programs, functions that have not set up their frame yet, and return
 * addresses that uprobes have replaced.  Return a negative errno if its buffer is in use.
 */
static int ustack_walk_by_perf(struct pt_regs *regs, u64 *addresses, unsigned int max)
{
	struct perf_callchain_entry *chain;
	unsigned int walk, n;

	/* The buffer belongs to this CPU and context, and is valid until preemption. */
	guard(preempt_notrace)();
	/* Perf finds it under RCU. */
	guard(rcu)();
	walk = min_t(u32, max + WALK_MORE, READ_ONCE(sysctl_perf_event_max_stack));
	chain = get_perf_callchain(regs, false, true, walk, false, false, 0);
	if (!chain)
		return -EBUSY;
	n = min_t(u64, ustack_drop_link(chain->ip, chain->nr), max);
	memcpy(addresses, chain->ip, n * sizeof(*addresses));
	return n;
}

/* Return the number of addresses, or a negative errno. */
static int ustack_walk(struct ktap_vm *vm, u64 *addresses, unsigned int max)
{
	struct pt_regs *regs = ustack_user_regs(vm);

	max = min_t(u32, max, READ_ONCE(sysctl_perf_event_max_stack));
	if (likely(ustack_is_plain(vm, regs)))
		return ustack_walk_plain(regs, addresses, max);
	return ustack_walk_by_perf(regs, addresses, max);
}
#else
static int ustack_get_buffers(void)
{
	return 0;
}

static void ustack_put_buffers(void)
{
}

static int ustack_walk(struct ktap_vm *vm, u64 *addresses, unsigned int max)
{
	return -EOPNOTSUPP;
}
#endif

static bool ustack_has_user_code(void)
{
	return current->mm && !(current->flags & (PF_KTHREAD | PF_USER_WORKER));
}

/* Return the number of words. */
static unsigned int ustack_read(struct ktap_vm *vm, u64 *frames, unsigned int depth,
				unsigned int skip)
{
	int n;

	if (!ustack_has_user_code())
		return 0;
	n = nmi_uaccess_okay() ? ustack_walk(vm, frames, depth + skip) : -EBUSY;
	if (unlikely(n < 0)) {
		atomic_long_inc(&vm->env->counters.no_user_stack);
		return 0;
	}
	skip = min_t(unsigned int, skip, n);
	return ustack_make_frames(vm, frames, frames + skip, n - skip);
}

/* The stack of a kernel thread has no frames.  It can be a key, too. */
int ktap_fn_ustack(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	unsigned int depth, skip, len;
	u64 *frames;

	if (ktap_stack_range(vm, r, n, &depth, &skip))
		return vm->error;
	if (ktap_vm_charge(vm, (depth + skip) * FRAME_COST))
		return vm->error;
	frames = ktap_arena_alloc(vm, (depth + skip + 1) * sizeof(*frames));
	if (!frames)
		return vm->error;
	len = ustack_read(vm, frames, depth, skip) * sizeof(*frames);
	ktap_arena_trim(vm, frames, len);
	r[0] = (struct ktap_value){
		.blob = frames,
		.tag = KTAP_USTACK,
		.len = len,
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
		len = ustack_make_frames(vm, frames, frames, 1);
	ktap_arena_trim(vm, frames, len * sizeof(*frames));
	r[0] = (struct ktap_value){
		.blob = frames,
		.tag = KTAP_USYM,
		.len = len * sizeof(*frames),
	};
	return 0;
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
	ktap_ustack_name_init(s->ustack, s);
	s->ustack->path = kmalloc(PATH_MAX, KTAP_GFP);
	s->ustack->caches = alloc_percpu_gfp(struct ktap_ustack_caches, KTAP_GFP);
	err = s->ustack->path && s->ustack->caches ? ustack_get_buffers() : -ENOMEM;
	if (err) {
		free_percpu(s->ustack->caches);
		kfree(s->ustack->path);
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

		if (uf->file && !ktap_ustack_is_vdso(&uf->key))
			fput(uf->file);
	}
	ustack_put_buffers();
	free_percpu(s->ustack->caches);
	kfree(s->ustack->path);
	kfree(s->ustack);
	s->ustack = NULL;
}
