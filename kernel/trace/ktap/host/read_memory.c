// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of the current process and of the kernel, read without faulting it in.
 */
#include <linux/compat.h>
#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <asm/syscall.h>
#include <asm/tlb.h>

#include "host/read_memory.h"
#include "host/x32.h"

/* A kernel thread may use the memory of a process: do not read that. */
static bool has_memory(u64 from)
{
	return current->mm && (unsigned long)from == from;
}

int ktap_read_user(void *to, u64 from, size_t size)
{
	if (!has_memory(from))
		return -EFAULT;
	/* On some machines access_ok() does not ignore tags. */
	return copy_from_user_nofault(to, (const void __user *)untagged_addr((unsigned long)from),
				      size);
}

int ktap_read_user_string(char *to, u64 from, size_t size)
{
	int len;

	if (!has_memory(from) || !nmi_uaccess_okay())
		return -EFAULT;
	/* It counts the NUL; the tag is as above. */
	len = strncpy_from_user_nofault(to, (const void __user *)untagged_addr((unsigned long)from),
					size);
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

/* Not used where user and kernel addresses overlap. */
bool ktap_is_user_address(u64 address)
{
	unsigned long from = address;

	if (from != address)
		return false;
	/* The process decides which bits are a tag. */
	if (current->mm)
		from = untagged_addr(from);
	return from < TASK_SIZE;
}

#ifdef CONFIG_X86_64
/*
 * in_compat_syscall() checks the number of the system call, for x32.  The number is valid in
 * system calls only: for a breakpoint, a fault or an interrupt it is -1, which has all bits
 * set.  So the size of registers is that of the mode of the CPU, and the size of pointers
 * depends on how the program was loaded.
 */
unsigned int ktap_user_word_size(void)
{
	if (current->mm && !user_64bit_mode(task_pt_regs(current)))
		return sizeof(u32);
	return sizeof(long);
}

unsigned int ktap_user_pointer_size(void)
{
	if (!current->mm)
		return sizeof(long);
	/* A 64-bit program may make ia32 and x32 system calls. */
	if (test_thread_flag(TIF_ADDR32) || in_ia32_syscall() ||
	    ktap_x32_call(syscall_get_nr(current, task_pt_regs(current))) >= 0)
		return sizeof(u32);
	return ktap_user_word_size();
}
#elif defined(CONFIG_MIPS) && defined(CONFIG_64BIT)
/* n32 is to MIPS what x32 is to x86. */
unsigned int ktap_user_word_size(void)
{
	return test_thread_flag(TIF_32BIT_REGS) ? sizeof(u32) : sizeof(long);
}

unsigned int ktap_user_pointer_size(void)
{
	return test_thread_flag(TIF_32BIT_ADDR) ? sizeof(u32) : sizeof(long);
}
#else
unsigned int ktap_user_word_size(void)
{
	return is_compat_task() ? sizeof(u32) : sizeof(long);
}

unsigned int ktap_user_pointer_size(void)
{
	return ktap_user_word_size();
}
#endif
