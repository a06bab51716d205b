/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Arguments and return values of functions in struct pt_regs, and registers by their names.
 */
#ifndef _KTAP_REGISTERS_H
#define _KTAP_REGISTERS_H

#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/string.h>

/* Can ktap_argument() find arguments on this architecture? */
#define KTAP_HAS_ARGUMENTS \
	(IS_ENABLED(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API) || IS_ENABLED(CONFIG_ARM))

/* Return argument @n, from 0, at the entry of a kernel function. */
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
 * Return a function's return value.  regs_return_value() is signed on some machines.
 * On powerpc it is for system calls, and depends on a flag that functions do not set.
 */
static inline unsigned long ktap_returned(struct pt_regs *regs)
{
#ifdef CONFIG_PPC
	return regs->gpr[3];
#else
	return regs_return_value(regs);
#endif
}

/*
 * Where a register is in struct pt_regs, by the name that the architecture has for it; -EINVAL
 * if there is none.  "pc" is the instruction pointer on these, too: x86, powerpc, riscv.
 */
static inline int ktap_register_offset(const char *name)
{
#ifdef CONFIG_HAVE_REGS_AND_STACK_ACCESS_API
	int offset = regs_query_register_offset(name);

	if (offset < 0 && !strcmp(name, "pc"))
		offset = regs_query_register_offset(IS_ENABLED(CONFIG_PPC) ? "nip" :
						    IS_ENABLED(CONFIG_RISCV) ? "epc" : "ip");
	return offset;
#else
	return -EINVAL;
#endif
}

static inline unsigned long ktap_register_at(struct pt_regs *regs, unsigned int offset)
{
#ifdef CONFIG_HAVE_REGS_AND_STACK_ACCESS_API
	return regs_get_register(regs, offset);
#else
	return 0;
#endif
}

#endif /* _KTAP_REGISTERS_H */
