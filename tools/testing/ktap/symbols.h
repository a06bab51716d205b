/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbols, and the memory they stand for, of a small kernel and its module.
 */
#ifndef _KTAP_SYMBOLS_H
#define _KTAP_SYMBOLS_H

#include <linux/types.h>

/* The memory at an address and how much there is of it; NULL if it is not there. */
const void *symbols_memory(u64 from, size_t *size);

/* How often the module is pinned. */
int symbols_pins(void);

#endif /* _KTAP_SYMBOLS_H */
