/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_KALLSYMS_H
#define _SHIM_LINUX_KALLSYMS_H

#include <stdio.h>

#include <linux/types.h>

#define KSYM_NAME_LEN		512
#define KSYM_SYMBOL_LEN		64

/* The text of stacks has no symbols. */
#define sprint_symbol(buf, addr)	sprintf(buf, "symbol_%lx+0x0/0x10", addr)

/* symbols.c */
const char *kallsyms_lookup(unsigned long address, unsigned long *size, unsigned long *offset,
			    char **module, char *name);
unsigned long kallsyms_lookup_name(const char *name);
int kallsyms_on_each_match_symbol(int (*fn)(void *data, unsigned long address),
				  const char *name, void *data);
int kallsyms_lookup_size_offset(unsigned long address, unsigned long *size,
				unsigned long *offset);
bool kernel_text_address(unsigned long address);

#endif /* _SHIM_LINUX_KALLSYMS_H */
