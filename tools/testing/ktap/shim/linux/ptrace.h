/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_PTRACE_H
#define _SHIM_LINUX_PTRACE_H

#include <stddef.h>
#include <string.h>

#include <linux/types.h>

/* A machine of four registers */
struct pt_regs {
	unsigned long ax;
	unsigned long bx;
	unsigned long ip;
	unsigned long sp;
};

static inline int regs_query_register_offset(const char *name)
{
	return !strcmp(name, "ax") ? offsetof(struct pt_regs, ax) :
	       !strcmp(name, "bx") ? offsetof(struct pt_regs, bx) :
	       !strcmp(name, "sp") ? offsetof(struct pt_regs, sp) : -1;
}

static inline unsigned long regs_get_register(struct pt_regs *regs, unsigned int offset)
{
	return *(unsigned long *)((char *)regs + offset);
}

#define instruction_pointer(regs)	((regs)->ip)
#define instruction_pointer_set(regs, v) ((regs)->ip = (v))

#endif /* _SHIM_LINUX_PTRACE_H */
