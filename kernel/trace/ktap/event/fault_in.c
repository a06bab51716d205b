// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of the process that handlers are going to read: they cannot wait for
 * it, so who can makes it present before they run.  It will be there then, unless
 * it is taken away again within microseconds.
 */
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "memory.h"
#include "source.h"

/* May the instruction read what an address points to? */
bool ktap_follows_addresses(const struct ktap_code *insn, void *unused)
{
	if (insn->op != KTAP_OP_CALLB)
		return false;
	switch (insn->d) {
	case KTAP_FN_JOIN:
	case KTAP_FN_STR:
	case KTAP_FN_USER_STRING:
	case KTAP_FN_BUF:
	case KTAP_FN_READ:
		return true;
	default:
		return false;
	}
}

/* Where the memory ends that a mapping is, 0 if it is a device's. */
static unsigned long end_of(const struct vm_area_struct *vma)
{
	return vma->vm_flags & (VM_IO | VM_PFNMAP) ? 0 : vma->vm_end;
}

/* The same of the mapping at an address, 0 if there is none. */
static unsigned long memory_end(unsigned long address)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	unsigned long end;

	vma = lock_vma_under_rcu(mm, address);
	if (vma) {
		end = end_of(vma);
		vma_end_read(vma);
		return end;
	}
	if (mmap_read_lock_killable(mm))
		return 0;
	vma = vma_lookup(mm, address);
	end = vma ? end_of(vma) : 0;
	mmap_read_unlock(mm);
	return end;
}

/*
 * How many of so many bytes are memory, up to the first that is none?  What is mapped
 * of a device may do something when it is read: nobody touches that but a handler that
 * is told to.
 */
static size_t memory_at(const void __user *address, size_t size)
{
	unsigned long from = (unsigned long)untagged_addr(address), at = from, end;

	while (at - from < size) {
		end = memory_end(at);
		if (!end)
			break;
		at = end;
	}
	return min(at - from, size);
}

void ktap_bring_in_bytes(const char __user *from, size_t size)
{
	fault_in_readable(from, memory_at(from, size));
}

/* False if there is none. */
bool ktap_bring_in_string(const char __user *from)
{
	return strnlen_user(from, memory_at(from, KTAP_MAX_STRLEN)) > 0;
}

/* As many strings as join() takes. */
void ktap_bring_in_strings(const void __user *from)
{
	const unsigned long __user *array = from;
	const u32 __user *compat = from;
	unsigned int i, n, size = ktap_user_pointer_size();
	unsigned long string;
	u32 half = 0;
	int err;

	n = memory_at(from, KTAP_MAX_JOINED * size) / size;
	for (i = 0; i < n; i++) {
		if (size == sizeof(string)) {
			err = get_user(string, &array[i]);
		} else {
			err = get_user(half, &compat[i]);
			string = half;
		}
		if (err || !string || !ktap_bring_in_string((const char __user *)string))
			return;
	}
}
