/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_ASM_SECTIONS_H
#define _SHIM_ASM_SECTIONS_H

#include <linux/types.h>

/* symbols.c */
#define __per_cpu_start		((char *)0xffffffff84000000)
#define __per_cpu_end		((char *)0xffffffff84001000)

/* of the linker: the code of this program */
extern const char __executable_start[], etext[];

bool init_section_contains(void *address, size_t size);

#endif /* _SHIM_ASM_SECTIONS_H */
