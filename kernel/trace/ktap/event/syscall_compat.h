/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls of 32-bit programs, where these have numbers of their own.
 */
#ifndef _KTAP_COMPAT_H
#define _KTAP_COMPAT_H

#include <linux/ftrace.h>
#include <linux/types.h>

#include <asm/unistd.h>

/**
 * struct ktap_compat_call - what a 32-bit program calls
 * @nr: number of the system call that 64-bit programs make for the same, -1 if
 *	they have none
 * @args_differ: its arguments are not what those of @nr are
 */
struct ktap_compat_call {
	s16 nr;
	bool args_differ;
};

/* Is the system call under way that of a 32-bit program?  Its number then is one, too. */
static inline bool ktap_is_compat(struct pt_regs *regs)
{
#ifdef ARCH_TRACE_IGNORE_COMPAT_SYSCALLS
	return unlikely(arch_trace_is_compat_syscall(regs));
#else
	return false;
#endif
}

/*
 * The number of a call in the x32 ABI, without the bit that tells it from others; -1 if
 * it is none.  No event has them.
 */
static inline int ktap_x32_call(int nr)
{
#ifdef CONFIG_X86_X32_ABI
	/* A call that is skipped is -1; to int $0x80 the bit means nothing. */
	if (unlikely(nr >= 0 && nr & __X32_SYSCALL_BIT && !in_ia32_syscall()))
		return nr & ~__X32_SYSCALL_BIT;
#endif
	return -1;
}

#ifdef CONFIG_KTAP_COMPAT_SYSCALLS
#define KTAP_NR_COMPAT	512

struct ktap_compat_call ktap_compat_call(unsigned int nr);
const char *ktap_compat_name(unsigned int nr);
#else
#define KTAP_NR_COMPAT	0

static inline struct ktap_compat_call ktap_compat_call(unsigned int nr)
{
	return (struct ktap_compat_call){ .nr = -1 };
}

static inline const char *ktap_compat_name(unsigned int nr)
{
	return NULL;
}
#endif

#endif /* _KTAP_COMPAT_H */
