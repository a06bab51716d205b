// SPDX-License-Identifier: GPL-2.0
/* Names of C++ and Rust, by libiberty where there is one. */
#include <stddef.h>
#include <string.h>

#include "demangle.h"

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>

/* All manglings that are in use begin like this; what else does is no name of C. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' ||
				  (name[1] == '_' && name[2] == 'Z'));
}

char *demangle(const char *name, bool parameters)
{
	if (!is_mangled(name))
		return NULL;
	return cplus_demangle(name, (parameters ? DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP : 0) |
			      DMGL_AUTO);
}
#else
char *demangle(const char *name, bool parameters)
{
	(void)name;
	(void)parameters;
	return NULL;
}
#endif
