// SPDX-License-Identifier: GPL-2.0
/*
 * Fault in user memory for handlers, which cannot fault themselves.  It is present
 * when they run, unless it is reclaimed within microseconds.
 */
#include <linux/mm.h>
#include <linux/mmap_lock.h>
#include <linux/pagemap.h>
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "event/source.h"
#include "host/read_memory.h"
#include "vm/builtin.h"
#include "vm/program.h"

/* Visitor for ktap_probe_reaches(): may the instruction read user memory? */
bool ktap_follows_addresses(const struct ktap_code *insn, void *unused)
{
	return ktap_insn_reads(insn) & KTAP_READS_USER;
}

/* Return the end of a mapping of memory, 0 if it maps a device. */
static unsigned long fault_in_end_of(const struct vm_area_struct *vma)
{
	return vma->vm_flags & (VM_IO | VM_PFNMAP) ? 0 : vma->vm_end;
}

/* Return the end of the memory mapped at @address, 0 if it is not memory. */
static unsigned long fault_in_memory_end(unsigned long address)
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
	if (mmap_read_lock_killable(mm))
		return 0;
	vma = vma_lookup(mm, address);
	end = vma ? fault_in_end_of(vma) : 0;
	mmap_read_unlock(mm);
	return end;
}

/*
 * Return the number of bytes from @address, at most @size, that are mapped memory.
 * Reading a device may have side effects: only a handler may do that, on request.
 */
static size_t fault_in_memory_at(const void __user *address, size_t size)
{
	unsigned long from = (unsigned long)untagged_addr(address), at = from, end;

	while (at - from < size) {
		end = fault_in_memory_end(at);
		if (!end)
			break;
		at = end;
	}
	return min(at - from, size);
}

void ktap_bring_in_bytes(const char __user *from, size_t size)
{
	fault_in_readable(from, fault_in_memory_at(from, size));
}

/* Fault in a string; false if there is none. */
bool ktap_bring_in_string(const char __user *from)
{
	return strnlen_user(from, fault_in_memory_at(from, KTAP_MAX_STRLEN)) > 0;
}

/* Fault in an array of pointers and its strings, at most as many as join() reads. */
void ktap_bring_in_strings(const void __user *from)
{
	const unsigned long __user *array = from;
	const u32 __user *compat = from;
	unsigned int i, n, size = ktap_user_pointer_size();
	unsigned long string;
	u32 half = 0;
	int err;

	n = fault_in_memory_at(from, KTAP_MAX_JOINED * size) / size;
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
