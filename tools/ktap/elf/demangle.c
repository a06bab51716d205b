// SPDX-License-Identifier: GPL-2.0
/*
 * Demangle names of C++ and Rust, with libiberty if it is available.
 *
 * A short mangled name can stand for a text that fills all memory, because each
 * part may be twice as long as the part before. So the name is collected piece
 * by piece, up to a limit.
 */
#include <setjmp.h>
#include <stddef.h>
#include <string.h>

#include "elf/demangle.h"

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>

#define MAX_PLAIN	8192	/* bytes, NUL included */

struct plain {
	jmp_buf too_long;
	size_t len;
	char name[MAX_PLAIN];
};

/* All current manglings begin like this; other names need no demangling. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' ||
				  (name[1] == '_' && name[2] == 'Z'));
}

/* libiberty has no way to stop early; a longjmp() out of it leaks little memory. */
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
	/* old manglings of Rust look like those of C++ */
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
