/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbols of a small kernel and its module, and their memory.
 */
#ifndef _KTAP_SYMBOLS_H
#define _KTAP_SYMBOLS_H

#include <linux/types.h>

/* Return the memory at an address and its size, or NULL. */
const void *symbols_memory(u64 from, size_t *size);

/* References to the module. */
int symbols_pins(void);

#endif /* _KTAP_SYMBOLS_H */
