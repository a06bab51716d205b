/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_KALLSYMS_H
#define _SHIM_LINUX_KALLSYMS_H

#include <stdio.h>

#define KSYM_SYMBOL_LEN		64

/* There are no symbols. */
#define sprint_symbol(buf, addr)	sprintf(buf, "symbol_%lx+0x0/0x10", addr)

#endif /* _SHIM_LINUX_KALLSYMS_H */
