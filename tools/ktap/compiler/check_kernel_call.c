// SPDX-License-Identifier: GPL-2.0
/* Check calls of functions of the kernel: ffi.C.NAME(...). */
#include <string.h>

#include "compiler/ast.h"
#include "compiler/cdef.h"
#include "compiler/kernel_calls.h"
#include "compiler/util.h"

/* Arguments of a function that is not in the list, at most */
#define MAX_ARGS	6

/* The name of a function that the list does not have: is it a misspelled one? */
static bool check_is_misspelled(struct compiler *cc, const struct node *n, const char *name)
{
	const struct cdef_name *own = cdef_find_name(cc, name);
	const char *near = kernel_call_near(name);

	if (!near || (own && own->what == CDEF_IS_FUNCTION))
		return false;
	diag_error(&cc->diag, n->pos, "scripts cannot call '%s' of the kernel", name);
	diag_note(&cc->diag,
		  "did you mean 'ffi.C.%s'? If this kernel has a function '%s', declare it by cdef",
		  near, name);
	return true;
}

/*
 * The kernel may have this function, and knows its prototype.  Any function may act on the
 * system.
 */
static void check_other_kernel_call(struct compiler *cc, const struct node *n, const char *name)
{
	const unsigned int types = TYPE_INT | TYPE_BOOL | TYPE_POINTER | TYPE_NIL;
	const struct node *arg;
	unsigned int nargs = 0;

	if (check_is_misspelled(cc, n, name))
		return;
	for (arg = n->list; arg; arg = arg->next) {
		nargs++;
		if (!(types & static_type(arg)))
			diag_error(&cc->diag, arg->pos, "%s() takes %s, not %s", name,
				   type_text(cc, types), type_text(cc, static_type(arg)));
	}
	if (nargs > MAX_ARGS)
		diag_error(&cc->diag, n->pos, "%s() gets %u arguments; %u is the most", name, nargs,
			   MAX_ARGS);
	cc->acts = true;
}

/* The script may have declared the function, with the parameters that it has. */
static bool check_prototype(struct compiler *cc, const struct kernel_call *call)
{
	const struct cdef_name *own = cdef_find_name(cc, call->fn.name);

	if (!own || own->what != CDEF_IS_FUNCTION ||
	    cdef_is_prototype(cc, own->type, call->prototype))
		return true;
	diag_error(&cc->diag, own->pos, "this is not the prototype of the kernel's '%s'",
		   call->fn.name);
	diag_note(&cc->diag, "it is: %s;", call->prototype);
	return false;
}

static bool check_kernel_arity(struct compiler *cc, const struct node *n,
			       const struct kernel_call *call)
{
	if (check_arity(cc, n, call->fn.name, call->fn.min, call->fn.max))
		return true;
	if (strstr(call->prototype, "..."))
		diag_note(&cc->diag, "its text is no format: write %s(format(...))",
			  call->fn.name);
	return false;
}

void check_kernel_call(struct compiler *cc, struct node *n)
{
	const struct kernel_call *call = kernel_call_find(n->a->str);
	const struct node *arg;
	struct node *last;
	unsigned int i = 0;

	check_exprs(cc, n->list);
	/* so that one without an error does not count as a call of a value */
	n->call = CALL_KERNEL;
	/* A function of C takes one value for each argument. */
	for (last = n->list; last; last = last->next)
		last->single = true;
	if (!call) {
		check_other_kernel_call(cc, n, n->a->str);
		return;
	}
	n->builtin = &call->fn;
	if (!check_prototype(cc, call) || !check_kernel_arity(cc, n, call))
		return;
	for (arg = n->list; arg; arg = arg->next, i++) {
		if (call->fn.args[i] & static_type(arg))
			continue;
		diag_error(&cc->diag, arg->pos, "%s() takes %s, not %s", call->fn.name,
			   type_text(cc, call->fn.args[i]), type_text(cc, static_type(arg)));
	}
	cc->acts |= call->fn.acts;
}
