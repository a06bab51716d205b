/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_MODULE_H
#define _SHIM_LINUX_MODULE_H

#include <linux/compiler.h>
#include <linux/types.h>

#define MODULE_NAME_LEN		64

enum module_state {
	MODULE_STATE_LIVE,
	MODULE_STATE_COMING,
	MODULE_STATE_GOING,
};

struct mod_kallsyms {
	unsigned int num_symtab;
};

/* symbols.c */
struct module {
	const struct mod_kallsyms *kallsyms;
	enum module_state state;
	const char *name;
	void *percpu;
	unsigned int percpu_size;
	int users;
};

#define module_name(mod)	((mod)->name)

struct module *find_module(const char *name);
struct module *__module_address(unsigned long address);
bool within_module_init(unsigned long address, const struct module *mod);
bool try_module_get(struct module *mod);
void module_put(struct module *mod);

#endif /* _SHIM_LINUX_MODULE_H */
