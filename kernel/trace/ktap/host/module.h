/* SPDX-License-Identifier: GPL-2.0 */
/*
 * References to modules.
 */
#ifndef _KTAP_HOST_MODULE_H
#define _KTAP_HOST_MODULE_H

#include <linux/compiler.h>
#include <linux/module.h>

/*
 * Does the init function of a module still run?  If it fails, the module is freed, whoever
 * holds a reference.
 */
static inline bool ktap_module_is_coming(const struct module *mod)
{
#ifdef CONFIG_MODULES
	return mod && READ_ONCE(mod->state) != MODULE_STATE_LIVE;
#else
	return false;
#endif
}

/* Take a reference to a module that is neither coming nor going; NULL is the kernel itself. */
static inline bool ktap_module_get(struct module *mod)
{
	if (!try_module_get(mod))
		return false;
	if (likely(!ktap_module_is_coming(mod)))
		return true;
	module_put(mod);
	return false;
}

#endif /* _KTAP_HOST_MODULE_H */
