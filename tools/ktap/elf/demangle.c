// SPDX-License-Identifier: GPL-2.0
/*
 * Names of C++ and Rust, by libiberty where there is one.
 *
 * A short mangled name can stand for one that fills all memory: each of its parts
 * may be twice the part before it.  So the plain name is taken piece by piece, and
 * given up when nobody could have written it.
 */
#include <setjmp.h>
#include <stddef.h>
#include <string.h>

#include "demangle.h"

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>

#define MAX_PLAIN	8192	/* bytes, NUL included */

struct plain {
	jmp_buf too_long;
	size_t len;
	char name[MAX_PLAIN];
};

/* All manglings that are in use begin like this; what else does is no name of C. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' ||
				  (name[1] == '_' && name[2] == 'Z'));
}

/* The library has nothing to be told to stop, and nothing to free but a little. */
static void add_piece(const char *piece, size_t len, void *data)
{
	struct plain *plain = data;

	if (len >= sizeof(plain->name) - plain->len)
		longjmp(plain->too_long, 1);
	memcpy(plain->name + plain->len, piece, len);
	plain->len += len;
}

static bool demangle_as(const char *name, int options, struct plain *plain,
			int (*fn)(const char *name, int options, demangle_callbackref callback,
				  void *data))
{
	plain->len = 0;
	if (setjmp(plain->too_long))
		return false;
	return fn(name, options, add_piece, plain);
}

char *demangle(const char *name, bool parameters)
{
	int options = parameters ? DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP : 0;
	struct plain plain;

	if (!is_mangled(name))
		return NULL;
	/* older names of Rust look like those of C++ */
	if (!demangle_as(name, options | DMGL_AUTO, &plain, rust_demangle_callback) &&
	    !demangle_as(name, options | DMGL_AUTO, &plain, cplus_demangle_v3_callback))
		return NULL;
	return strndup(plain.name, plain.len);
}
#else
char *demangle(const char *name, bool parameters)
{
	(void)name;
	(void)parameters;
	return NULL;
}
#endif
