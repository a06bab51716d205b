// SPDX-License-Identifier: GPL-2.0
/* Names: the visible locals, and all that is known of every other name. */
#include <string.h>

#include "ast.h"
#include "builtins.h"

struct var *var_declare(struct compiler *cc, const char *name)
{
	struct var *v = arena_alloc(&cc->arena, sizeof(*v));

	v->name = name;
	v->owner = cc->func;
	v->reg = -1;
	v->outer = cc->vars;
	cc->vars = v;
	return v;
}

struct var *var_find(const struct compiler *cc, const char *name)
{
	struct var *v;

	for (v = cc->vars; v; v = v->outer)
		if (!strcmp(v->name, name))
			return v;
	return NULL;
}

struct sym *sym_get(struct compiler *cc, const char *name)
{
	struct sym *s;

	if (!cc->last_sym)
		cc->last_sym = &cc->syms;
	for (s = cc->syms; s; s = s->next)
		if (!strcmp(s->name, name))
			return s;
	s = arena_alloc(&cc->arena, sizeof(*s));
	s->name = name;
	s->builtin = builtin_find(name);
	*cc->last_sym = s;
	cc->last_sym = &s->next;
	return s;
}

/*
 * A table that is written to but that nobody creates comes into being at the
 * start of main; a function of the language may lend its name to it, a value
 * may not.
 */
static bool is_automatic(const struct sym *s)
{
	if (!s->indexed || s->assigned || s->func)
		return false;
	if (!s->builtin)
		return true;
	return s->builtin->kind == BI_FUNCTION ||
	       (s->builtin->kind == BI_MISSING && strcmp(s->name, "self"));
}

void scope_classify(struct compiler *cc)
{
	struct sym *s;

	for (s = cc->syms; s; s = s->next) {
		s->automatic = is_automatic(s);
		s->global = s->assigned || s->automatic;
		if (s->global)
			s->index = cc->nglobals++;
	}
}

const struct builtin *node_builtin(const struct node *n)
{
	if (n->kind != N_NAME || n->var || !n->sym || n->sym->global || n->sym->func)
		return NULL;
	return n->sym->builtin;
}

static void nearer(const char *name, const char *candidate, const char **best,
		   unsigned int *distance)
{
	unsigned int d = edit_distance(name, candidate);

	if (d && d < *distance) {
		*distance = d;
		*best = candidate;
	}
}

void scope_suggest(struct compiler *cc, const char *name)
{
	unsigned int distance = edit_limit(name) + 1;
	const char *best = NULL;
	const struct sym *s;
	size_t i;

	for (i = 0; i < nbuiltins; i++)
		if (builtins[i].kind != BI_MISSING)
			nearer(name, builtins[i].name, &best, &distance);
	for (s = cc->syms; s; s = s->next)
		if (s->global || s->func)
			nearer(name, s->name, &best, &distance);
	if (best)
		diag_note(&cc->diag, "did you mean '%s'?", best);
}
