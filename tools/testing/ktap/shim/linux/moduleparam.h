/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LINUX_MODULEPARAM_H
#define _SHIM_LINUX_MODULEPARAM_H

#include <stdlib.h>

/* A parameter is a variable of the environment. */
#define module_param(name, type, perm)						\
	__attribute__((constructor)) static void set_##name(void)		\
	{									\
		if (getenv(#name))						\
			name = strtoull(getenv(#name), NULL, 0);		\
	}

/* Its variable has a switch of its own: KTAP_JIT (shim_bpf.c). */
#define module_param_named(name, value, type, perm)

#endif /* _SHIM_LINUX_MODULEPARAM_H */
