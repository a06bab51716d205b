/* SPDX-License-Identifier: GPL-2.0 */
/*
 * System calls of the x32 ABI.
 */
#ifndef _KTAP_X32_H
#define _KTAP_X32_H

#include <linux/compat.h>

#include <asm/unistd.h>

/*
 * Return the number of a call in the x32 ABI without __X32_SYSCALL_BIT, or -1 if it is
 * no x32 call.  These have no trace events.
 */
static inline int ktap_x32_call(int nr)
{
#ifdef CONFIG_X86_X32_ABI
	/* -1: the call is skipped.  For int $0x80 the bit has no meaning. */
	if (unlikely(nr >= 0 && nr & __X32_SYSCALL_BIT && !in_ia32_syscall()))
		return nr & ~__X32_SYSCALL_BIT;
#endif
	return -1;
}

#endif /* _KTAP_X32_H */
