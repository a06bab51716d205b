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

#include "builtin.h"
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

/*
 * Is it memory?  What is mapped of a device may do something when it is read: nobody
 * touches that but a handler that is told to.
 */
bool ktap_is_memory(unsigned long address)
{
	struct mm_struct *mm = current->mm;
	const struct vm_area_struct *vma;
	bool memory;

	if (mmap_read_lock_killable(mm))
		return false;
	vma = vma_lookup(mm, untagged_addr(address));
	memory = vma && !(vma->vm_flags & (VM_IO | VM_PFNMAP));
	mmap_read_unlock(mm);
	return memory;
}

/* False if there is none. */
bool ktap_bring_in_string(const char __user *from)
{
	return strnlen_user(from, KTAP_MAX_STRLEN) > 0;
}

/* As many strings as join() takes. */
void ktap_bring_in_strings(const void __user *from)
{
	const unsigned long __user *array = from;
	const u32 __user *compat = from;
	unsigned long string;
	unsigned int i;
	u32 half = 0;
	int err;

	for (i = 0; i < KTAP_MAX_JOINED; i++) {
		if (ktap_user_pointer_size() == sizeof(string)) {
			err = get_user(string, &array[i]);
		} else {
			err = get_user(half, &compat[i]);
			string = half;
		}
		if (err || !string || !ktap_is_memory(string) ||
		    !ktap_bring_in_string((const char __user *)string))
			return;
	}
}
