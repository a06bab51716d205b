// SPDX-License-Identifier: GPL-2.0
/*
 * Fault in user memory for handlers, which cannot fault themselves.  It is present
 * when they run, unless it is reclaimed within microseconds.
 */
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/gfs2_ondisk.h>
#include <linux/hugetlb_inline.h>
#include <linux/jiffies.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/shmem_fs.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>

#include "event/source.h"
#include "host/read_memory.h"
#include "vm/builtin.h"
#include "vm/program.h"

/*
 * How long an event waits for pages, and for the lock of the mappings: disks need a few
 * milliseconds.
 */
#define FAULT_IN_MS	100

/* Visitor for ktap_probe_reaches(): may the instruction read user memory? */
bool ktap_follows_addresses(const struct ktap_code *insn, void *unused)
{
	return ktap_insn_reads(insn) & KTAP_READS_USER;
}

/* Sleep before the next attempt.  Return false if the event, at @began, is too long ago. */
static bool fault_in_wait(unsigned long began)
{
	if (time_after(jiffies, began + msecs_to_jiffies(FAULT_IN_MS)) ||
	    fatal_signal_pending(current))
		return false;
	usleep_range_state(100, 200, TASK_KILLABLE);
	return true;
}

/* Return the end of a mapping of memory, 0 if it maps a device. */
static unsigned long fault_in_end_of(const struct vm_area_struct *vma)
{
	return vma->vm_flags & (VM_IO | VM_PFNMAP) ? 0 : vma->vm_end;
}

/* Return the end of the memory mapped at @address, 0 if it is not memory. */
static unsigned long fault_in_memory_end(unsigned long address, unsigned long began)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	unsigned long end;

	vma = lock_vma_under_rcu(mm, address);
	if (vma) {
		end = fault_in_end_of(vma);
		vma_end_read(vma);
		return end;
	}
	/* A file system may wait for its server in mmap(), with the lock. */
	while (!mmap_read_trylock(mm)) {
		if (!fault_in_wait(began))
			return 0;
	}
	vma = vma_lookup(mm, address);
	end = vma ? fault_in_end_of(vma) : 0;
	mmap_read_unlock(mm);
	return end;
}

/*
 * Return the number of bytes from @address, at most @size, that are mapped memory.
 * Reading a device may have side effects: only a handler may do that, on request.
 */
static size_t fault_in_memory_at(const void __user *address, size_t size, unsigned long began)
{
	unsigned long from = (unsigned long)address, at = from, end;

	while (at - from < size) {
		end = fault_in_memory_end(at, began);
		if (!end)
			break;
		at = end;
	}
	return min(at - from, size);
}

/**
 * ktap_is_on_disk() - Does the kernel read a file system without the help of others?
 * @sb: the file system
 *
 * Data that must come from a server (FUSE, a network) may never arrive.  A task that waits
 * for it cannot be killed everywhere, nor can one that waits for that task.
 *
 * Context: any.
 */
bool ktap_is_on_disk(const struct super_block *sb)
{
	switch (sb->s_magic) {
	case FUSE_SUPER_MAGIC:	/* fuseblk has a device, but a server reads it */
	case GFS2_MAGIC:	/* other machines may hold the lock of the file */
	case OCFS2_SUPER_MAGIC:
		return false;
	case EROFS_SUPER_MAGIC_V1:	/* may be in a file of any other file system */
		return sb->s_bdev;
	default:
		return sb->s_type->fs_flags & FS_REQUIRES_DEV;
	}
}

/* Does the kernel itself get the absent pages of a mapping? */
static bool fault_in_is_sure(struct vm_area_struct *vma)
{
	const struct file *file = vma->vm_file;

	if (!fault_in_end_of(vma) || userfaultfd_armed(vma))
		return false;
	if (!file || shmem_mapping(file->f_mapping) || is_vm_hugetlb_page(vma))
		return true;
	/*
	 * The node of a device may be on a disk, but its driver gets the pages.  A listener of
	 * fanotify may be asked before the content of the file is there.
	 */
	return S_ISREG(file_inode(file)->i_mode) && ktap_is_on_disk(file_inode(file)->i_sb) &&
	       !FMODE_FSNOTIFY_HSM(file->f_mode);
}

/*
 * Ask for a page.  The fault waits for it only where the kernel does not read ahead, and for a
 * page of shmem that comes back from swap.
 * Return: 0 if it is there, -EAGAIN if it may come, or -EFAULT.
 */
static int fault_in_try(unsigned long address)
{
	const unsigned int flags = FAULT_FLAG_ALLOW_RETRY | FAULT_FLAG_RETRY_NOWAIT;
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	vm_fault_t ret;

	/* Without an MMU nothing is absent. */
	if (!IS_ENABLED(CONFIG_MMU))
		return -EFAULT;
	/* As in fault_in_memory_end() */
	if (!mmap_read_trylock(mm))
		return -EAGAIN;
	vma = vma_lookup(mm, address);
	if (!vma || !(vma->vm_flags & VM_READ) || !fault_in_is_sure(vma)) {
		mmap_read_unlock(mm);
		return -EFAULT;
	}
	ret = handle_mm_fault(vma, address, flags, NULL);
	if (!(ret & VM_FAULT_COMPLETED))
		mmap_read_unlock(mm);
	if (ret & VM_FAULT_ERROR)
		return -EFAULT;
	return ret & VM_FAULT_RETRY ? -EAGAIN : 0;
}

/*
 * Bring in the page at @from.  A session that is closed waits for its events, and so do
 * others that use the same tracepoint or program: a page is waited for only if the kernel
 * itself reads it, and not for longer than FAULT_IN_MS after the event.
 */
static bool fault_in_page(const void __user *from, unsigned long began)
{
	int err;

	do {
		err = fault_in_try((unsigned long)from);
	} while (err == -EAGAIN && fault_in_wait(began));
	return !err;
}

/**
 * ktap_bring_in_bytes() - Fault in user memory
 * @from: its address
 * @size: number of bytes
 * @began: when the event happened, in jiffies: all its waits together have a limit
 *
 * Context: the process whose memory it is; sleeps for a bounded time, if the disks of files
 * answer: a fault also takes locks of the file's mapping.
 * Return: false if a part of it cannot be brought in.
 */
bool ktap_bring_in_bytes(const void __user *from, size_t size, unsigned long began)
{
	size_t memory, at;
	u8 byte;

	/* copy_from_user_nofault() and the like do not know tags. */
	from = untagged_addr(from);
	memory = fault_in_memory_at(from, size, began);
	for (at = 0; at < memory; at += PAGE_SIZE - offset_in_page(from + at)) {
		if (copy_from_user_nofault(&byte, from + at, 1) && !fault_in_page(from + at, began))
			return false;
	}
	return memory == size;
}

/**
 * ktap_bring_in_string() - Fault in a string of user memory
 * @from: its address
 * @size: number of its bytes that are needed at most
 * @began: as for ktap_bring_in_bytes()
 *
 * Context: as ktap_bring_in_bytes().
 * Return: false if its beginning cannot be brought in.
 */
bool ktap_bring_in_string(const char __user *from, size_t size, unsigned long began)
{
	size_t memory, at = 0, part;
	long len;

	from = untagged_addr(from);
	memory = fault_in_memory_at(from, size, began);
	while (at < memory) {
		part = min(memory - at, PAGE_SIZE - offset_in_page(from + at));
		len = strnlen_user_nofault(from + at, part);
		if (len <= 0 && fault_in_page(from + at, began))
			len = strnlen_user_nofault(from + at, part);
		if (len <= 0)
			break;
		at += part;
		if (len <= part)
			break;
	}
	return at > 0;
}

/**
 * ktap_copy_user() - Copy user memory, and bring it in if it is absent
 * @to: gets the bytes
 * @from: user address
 * @size: number of bytes
 * @began: as for ktap_bring_in_bytes()
 *
 * Context: as ktap_bring_in_bytes().
 * Return: 0, or -EFAULT.
 */
int ktap_copy_user(void *to, const void __user *from, size_t size, unsigned long began)
{
	from = untagged_addr(from);
	if (!copy_from_user_nofault(to, from, size))
		return 0;
	return ktap_bring_in_bytes(from, size, began) ? copy_from_user_nofault(to, from, size) :
							-EFAULT;
}

/* Fault in an array of pointers and its strings, at most as many as join() reads. */
void ktap_bring_in_strings(const void __user *from, unsigned long began)
{
	unsigned int i, size = ktap_user_pointer_size();
	unsigned long string;
	u32 half;

	for (i = 0; i < KTAP_MAX_JOINED; i++, from += size) {
		if (size == sizeof(string)) {
			if (ktap_copy_user(&string, from, sizeof(string), began))
				return;
		} else {
			if (ktap_copy_user(&half, from, sizeof(half), began))
				return;
			string = half;
		}
		if (!string || !ktap_bring_in_string((const char __user *)string, KTAP_MAX_STRLEN,
						     began))
			return;
	}
}
