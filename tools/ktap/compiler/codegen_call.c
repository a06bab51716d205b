// SPDX-License-Identifier: GPL-2.0
/* The code generator: calls, and lists of values. */
#include <string.h>

#include <linux/ktap.h>

#include "compiler/builtins.h"
#include "compiler/chunk_write.h"
#include "compiler/codegen.h"

int gen_list(struct gen *g, const struct node *list)
{
	int first = g->regs->top;

	for (; list; list = list->next)
		gen_to(g, list, regs_take(g->regs, 1));
	return first;
}

int gen_open_list(struct gen *g, const struct node *list, unsigned int *count)
{
	int first = g->regs->top;

	for (*count = 0; list; list = list->next, ++*count) {
		if (!list->next && is_open(list)) {
			gen_results(g, list, KTAP_MULTI);
			*count = KTAP_MULTI;
			break;
		}
		gen_to(g, list, regs_take(g->regs, 1));
	}
	return first;
}

/*
 * Take registers for `want` values, of which those from `base` to the top exist
 * already.
 */
static void take_results(struct gen *g, int base, unsigned int want)
{
	unsigned int used = g->regs->top - base, n = want && want != KTAP_MULTI ? want : 1;

	if (n > used)
		regs_take(g->regs, n - used);
}

static void release_results(struct gen *g, int base, unsigned int want)
{
	regs_release(g->regs, base + (want && want != KTAP_MULTI ? want : 1));
}

static int gen_call(struct gen *g, const struct node *n, unsigned int want)
{
	unsigned int nargs = 0;
	int base = g->regs->top;

	if (n->call == CALL_VALUE)
		gen_to(g, n->a, regs_take(g->regs, 1));
	if (n->call != CALL_NEWT)
		gen_open_list(g, n->list, &nargs);
	take_results(g, base, want);
	g->pos = n->pos;
	switch (n->call) {
	case CALL_VALUE:
		emit(g, KTAP_OP_CALLV, base, nargs, want, 0);
		break;
	case CALL_DIRECT:
		emit(g, KTAP_OP_CALL, base, nargs, want, n->func->index);
		break;
	case CALL_BUILTIN:
		emit(g, KTAP_OP_CALLB, base, nargs, 0, n->ival);
		break;
	case CALL_KERNEL:
		emit(g, KTAP_OP_CALLK, base, nargs, 0,
		     chunk_string(g->cc, n->a->str, strlen(n->a->str)));
		break;
	default:
		emit(g, KTAP_OP_NEWT, base, 0, 0, n->ival);
	}
	release_results(g, base, want);
	return base;
}

int gen_results(struct gen *g, const struct node *n, unsigned int want)
{
	int base = g->regs->top;

	if (n->kind == N_CALL)
		return gen_call(g, n, want);
	take_results(g, base, want);
	g->pos = n->pos;
	emit(g, KTAP_OP_VARG, base, 0, want, 0);
	release_results(g, base, want);
	return base;
}

/*
 * Emit a call that writes only its arguments and its result: it needs no free
 * registers above them.
 */
static bool gen_in_place(struct gen *g, const struct node *n, int reg)
{
	g->pos = n->pos;
	if (n->kind == N_VARG) {
		emit(g, KTAP_OP_VARG, reg, 0, 1, 0);
		return true;
	}
	if (n->call == CALL_NEWT) {
		emit(g, KTAP_OP_NEWT, reg, 0, 0, n->ival);
		return true;
	}
	/* * if a call fails and the error is caught, a variable keeps its value */
	if (n->call != CALL_BUILTIN || (g->tries && regs_is_local(g->regs, reg)))
		return false;
	if (n->list) {
		if (n->list->next || is_open(n->list) || needs_temporary(g, n->list, reg))
			return false;
		gen_to(g, n->list, reg);
		g->pos = n->pos;
	}
	emit(g, KTAP_OP_CALLB, reg, !!n->list, 0, n->ival);
	return true;
}

/*
 * Can the call use the topmost register for its first argument? If that is a
 * local, no later argument may read it.
 */
static bool begins_in(const struct gen *g, const struct node *n, int reg)
{
	const struct node *first = n->list, *rest;

	if ((unsigned int)reg + 1 != g->regs->top)
		return false;
	if (!regs_is_local(g->regs, reg))
		return true;
	rest = first ? first->next : NULL;
	if (n->call == CALL_VALUE) {
		first = n->a;
		rest = n->list;
	}
	if (g->tries || (first && needs_temporary(g, first, reg)) ||
	    (first && first == n->list && !rest && is_open(first) && mentions(first, reg)))
		return false;
	for (; rest; rest = rest->next)
		if (mentions(rest, reg))
			return false;
	return true;
}

void gen_call_to(struct gen *g, const struct node *n, int reg)
{
	int base;

	if (gen_in_place(g, n, reg))
		return;
	if (begins_in(g, n, reg))
		regs_release(g->regs, reg);
	base = gen_results(g, n, 1);
	if (base != reg)
		emit(g, KTAP_OP_MOV, reg, base, 0, 0);
}
