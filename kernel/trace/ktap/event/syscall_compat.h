/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls of 32-bit programs on 64-bit machines.
 */
#ifndef _KTAP_SYSCALL_COMPAT_H
#define _KTAP_SYSCALL_COMPAT_H

#include <linux/ftrace.h>
#include <linux/types.h>

#include "host/x32.h"

/**
 * struct ktap_compat_call - the event of a 32-bit system call
 * @nr: number of the same system call in 64-bit programs, -1 if they have none
 * @args_differ: its arguments differ from those of @nr
 */
struct ktap_compat_call {
	s16 nr;
	bool args_differ;
};

/* Does the current system call have the number of a 32-bit program? */
static inline bool ktap_is_compat(struct pt_regs *regs)
{
#ifdef ARCH_TRACE_IGNORE_COMPAT_SYSCALLS
	return unlikely(arch_trace_is_compat_syscall(regs));
#else
	return false;
#endif
}

/* The same if the number has no __X32_SYSCALL_BIT: this is no x32 call. */
static inline bool ktap_is_compat_low(struct pt_regs *regs)
{
#ifdef CONFIG_X86_X32_ABI
	return in_ia32_syscall();
#else
	return ktap_is_compat(regs);
#endif
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

#endif /* _KTAP_SYSCALL_COMPAT_H */
