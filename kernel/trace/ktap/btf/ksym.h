/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Symbols of the kernel.
 */
#ifndef _KTAP_KSYM_H
#define _KTAP_KSYM_H

#include <linux/types.h>

struct ktap_load;
struct ktap_program;
struct ktap_symbol;
struct module;

/*
 * Text of an address, at most KTAP_MAX_SYMBOL bytes in @buf, NUL included; the
 * address of a name, 0 if there is none.  Any context.
 */
#define KTAP_MAX_SYMBOL		1024
size_t ktap_symbol_text(u64 address, char *buf);
u64 ktap_symbol_address(const char *name);
/*
 * Units of finding the symbol around @address, besides those of any symbol: the symbols of a
 * module are compared one by one.  Any context.
 */
u32 ktap_symbol_cost(u64 address);
/* Set @start to that of the symbol around @address.  Return its size, 0 if there is none. */
unsigned long ktap_symbol_range(u64 address, unsigned long *start);
/*
 * How to read the variable whose name is constant @string, as BTF has it; false:
 * it has not.  Context: process.
 */
bool ktap_symbol_type(struct ktap_program *prog, u32 string, struct ktap_load *load);
/* Number of symbols with a name, without those of modules.  Context: process. */
unsigned int ktap_symbol_count(const char *name);
/*
 * Find a variable or a function, "NAME" or "MODULE:NAME", and pin its module, @sym->mod, if it
 * has one.  0, or -ENOENT.  Context: process.
 */
int ktap_symbol_find(const char *name, struct ktap_symbol *sym);
/* Is its memory freed after the boot, or after the module was loaded? */
bool ktap_symbol_was_for_booting(const struct ktap_symbol *sym);
/* Pin the module that has an address; NULL if none has it, or it is no whole module. */
struct module *ktap_symbol_pin(unsigned long address);
/* The address of a variable, for this CPU if each has its own. */
u64 ktap_symbol_here(const struct ktap_symbol *sym);

#endif /* _KTAP_KSYM_H */
