// SPDX-License-Identifier: GPL-2.0
/*
 * Demangle names of C++ and Rust, with libiberty if it is available.
 *
 * A short mangled name can stand for a text that fills all memory, because each
 * part may be twice as long as the part before. So the name is collected piece
 * by piece, up to a limit. Or it takes that much time to find out that it stands
 * for nothing: so there is a limit of the processor's time, too.
 */
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/time.h>

#include "elf/demangle.h"

#ifdef HAVE_LIBIBERTY
#include <libiberty/demangle.h>

#define MAX_PLAIN	8192	/* bytes, NUL included */
#define MAX_TIME	50000	/* microseconds of the processor */
#define MAX_SLOW	10	/* names that took longer: then no more are demangled */

struct plain {
	size_t len;
	char name[MAX_PLAIN];
};

/* libiberty has no way to stop early; a longjmp() out of it leaks little memory. */
static sigjmp_buf give_up;
static volatile sig_atomic_t slow;

/* All current manglings begin like this; other names need no demangling. */
static bool is_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R' ||
				  (name[1] == '_' && name[2] == 'Z'));
}

static void add_piece(const char *piece, size_t len, void *data)
{
	struct plain *plain = data;

	if (len >= sizeof(plain->name) - plain->len)
		siglongjmp(give_up, 1);
	memcpy(plain->name + plain->len, piece, len);
	plain->len += len;
}

static void on_time(int sig)
{
	(void)sig;
	slow++;
	siglongjmp(give_up, 1);
}

static void limit_time(long us)
{
	const struct itimerval limit = { .it_value.tv_usec = us };

	setitimer(ITIMER_VIRTUAL, &limit, NULL);
}

static bool demangle_as(const char *name, int options, struct plain *plain,
			int (*fn)(const char *name, int options, demangle_callbackref callback,
				  void *data))
{
	bool done;

	plain->len = 0;
	if (sigsetjmp(give_up, 1)) {
		limit_time(0);
		return false;
	}
	limit_time(MAX_TIME);
	done = fn(name, options, add_piece, plain);
	limit_time(0);
	return done;
}

char *demangle(const char *name, bool parameters)
{
	int options = parameters ? DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP : 0;
	struct plain plain;

	if (!is_mangled(name) || slow > MAX_SLOW)
		return NULL;
	signal(SIGVTALRM, on_time);
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
