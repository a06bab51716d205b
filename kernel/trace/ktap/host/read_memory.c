// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of the current process and of the kernel, read without waiting for it.
 */
#include <linux/compat.h>
#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/tlb.h>

#include "memory.h"

/* A thread of the kernel borrows the memory of some process: that is none of ours. */
static bool has_memory(u64 from)
{
	return current->mm && (unsigned long)from == from;
}

int ktap_read_user(void *to, u64 from, size_t size)
{
	if (!has_memory(from))
		return -EFAULT;
	/* Not every machine's check whether it is the user's looks past a tag. */
	return copy_from_user_nofault(to, (const void __user *)untagged_addr((unsigned long)from),
				      size);
}

int ktap_read_user_string(char *to, u64 from, size_t size)
{
	int len;

	if (!has_memory(from) || !nmi_uaccess_okay())
		return -EFAULT;
	/* It counts the NUL. */
	len = strncpy_from_user_nofault(to, (const void __user *)(unsigned long)from, size);
	return len > 0 ? len - 1 : -EFAULT;
}

int ktap_read_kernel(void *to, u64 from, size_t size)
{
	if ((unsigned long)from != from)
		return -EFAULT;
	return copy_from_kernel_nofault(to, (const void *)(unsigned long)from, size);
}

int ktap_read_kernel_string(char *to, u64 from, size_t size)
{
	int len;

	if ((unsigned long)from != from)
		return -EFAULT;
	len = strncpy_from_kernel_nofault(to, (const void *)(unsigned long)from, size);
	return len > 0 ? len - 1 : -EFAULT;
}

/* Where both use the same addresses, ktap_program_link() has refused to ask. */
bool ktap_is_user_address(u64 address)
{
	unsigned long from = address;

	if (from != address)
		return false;
	/* What bits are a tag is the process's choice. */
	if (current->mm)
		from = untagged_addr(from);
	return from < TASK_SIZE;
}

unsigned int ktap_user_pointer_size(void)
{
#ifdef CONFIG_X86_64
	/* What is no system call is known by its registers only. */
	if (current->mm && !user_64bit_mode(task_pt_regs(current)))
		return sizeof(u32);
#endif
	return in_compat_syscall() ? sizeof(u32) : sizeof(long);
}
