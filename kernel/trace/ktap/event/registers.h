/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a function gets and gives, in the registers of who calls it.
 */
#ifndef _KTAP_REGISTERS_H
#define _KTAP_REGISTERS_H

#include <linux/ptrace.h>

/* It is known where arguments are. */
#define KTAP_HAS_ARGUMENTS \
	(IS_ENABLED(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API) || IS_ENABLED(CONFIG_ARM))

/* Argument @n, from 0, of a function of the kernel that begins. */
static inline unsigned long ktap_argument(struct pt_regs *regs, unsigned int n)
{
#if defined(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API)
	return regs_get_kernel_argument(regs, n);
#elif defined(CONFIG_ARM)
	return n < 4 ? regs->uregs[n] : regs_get_kernel_stack_nth(regs, n - 4);
#else
	return 0;
#endif
}

/*
 * What a function has given.  regs_return_value() is signed on some machines, and on
 * powerpc it is of system calls: it depends on a flag that functions leave as it is.
 */
static inline unsigned long ktap_returned(struct pt_regs *regs)
{
#ifdef CONFIG_PPC
	return regs->gpr[3];
#else
	return regs_return_value(regs);
#endif
}

#endif /* _KTAP_REGISTERS_H */
