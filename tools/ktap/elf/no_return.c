// SPDX-License-Identifier: GPL-2.0
/*
 * Functions whose return cannot be probed.
 *
 * To notice a return, the kernel replaces the return address by one of its own
 * until the function returns. A few functions use their return address
 * otherwise, and the program would crash. Their names are part of the
 * interfaces between C libraries, compilers and runtimes, and so are stable for
 * years.
 *
 * vfork() is not one of them, although it returns twice on the same stack: the
 * kernel copies the state of pending returns to the child of a vfork, so that
 * both processes find the address.
 */
#include <stddef.h>
#include <string.h>

#include "compiler/util.h"
#include "elf/no_return.h"

static const char begins[] = "a program begins there, and it has no return address";
static const char not_called[] = "it is not called, and has no return address";
static const char keeps[] = "it saves its return address, and the program jumps there later";
static const char reads[] = "it uses its return address as data";
static const char throws[] = "an exception could not find its handler";

/* A name that ends in '*' is a prefix. */
static const struct {
	const char *name;
	const char *why;
} functions[] = {
	{ "_start", begins },
	{ "__start", begins },
	{ "_dl_start_user", not_called },
	{ "_dl_runtime_resolve*", not_called },
	{ "_dl_runtime_profile*", not_called },
	{ "__start_context", not_called },
	{ "__startcontext", not_called },
	{ "__restore", not_called },
	{ "__restore_rt", not_called },
	{ "__default_sa_restorer*", not_called },
	{ "__default_rt_sa_restorer*", not_called },
	{ "__sigreturn_stub", not_called },
	{ "__rt_sigreturn_stub", not_called },
	{ "setjmp", keeps },
	{ "_setjmp", keeps },
	{ "__setjmp", keeps },
	{ "sigsetjmp", keeps },
	{ "__sigsetjmp*", keeps },
	{ "getcontext", keeps },
	{ "__getcontext", keeps },
	{ "swapcontext", keeps },
	{ "__swapcontext", keeps },
	{ "unw_getcontext", keeps },
	{ "__unw_getcontext", keeps },
	{ "_Ux86_64_getcontext*", keeps },
	{ "jump_fcontext", keeps },
	{ "ontop_fcontext", keeps },
	{ "coro_transfer", keeps },
	{ "_ITM_beginTransaction", keeps },
	{ "__x86.get_pc_thunk.*", reads },
	{ "__i686.get_pc_thunk.*", reads },
	{ "uw_init_context_1*", reads },
	{ "__cxa_throw", throws },
	{ "__cxa_rethrow*", throws },
	{ "_Unwind_RaiseException*", throws },
	{ "_Unwind_Resume*", throws },
	{ "_Unwind_ForcedUnwind*", throws },
	{ "_Unwind_SjLj_RaiseException", throws },
};

const char *no_return_reason(const char *name)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		const char *known = functions[i].name;
		size_t len = strlen(known);

		if (known[len - 1] == '*' ? !strncmp(name, known, len - 1) : !strcmp(name, known))
			return functions[i].why;
	}
	return NULL;
}
