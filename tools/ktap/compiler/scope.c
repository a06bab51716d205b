// SPDX-License-Identifier: GPL-2.0
/* Names: the visible locals, and what is known about all other names. */
#include <string.h>

#include <linux/ktap.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"
#include "compiler/chunk_write.h"
#include "compiler/suggest.h"
#include "compiler/util.h"

/*
 * The name does not become visible, which keeps the list of visible locals
 * short.
 */
static void too_many(struct compiler *cc, const struct node *name)
{
	if (!cc->func->crowded)
		diag_error(&cc->diag, name->pos,
			   "too many locals: '%s' needs more than %u registers",
			   cc->func->name, KTAP_MAX_REGS);
	cc->func->crowded = true;
	cc->syntax_errors = true;
}

struct var *var_declare(struct compiler *cc, const struct node *name)
{
	struct var *v = pool_alloc(&cc->pool, sizeof(*v));

	v->name = name->str;
	v->pos = name->pos;
	v->owner = cc->func;
	v->reg = -1;
	v->outer = cc->vars;
	v->nth = v->outer && v->outer->owner == v->owner ? v->outer->nth + 1 : 1;
	if (v->nth > KTAP_MAX_REGS) {
		too_many(cc, name);
		return v;
	}
	v->next = cc->all_vars;
	cc->vars = v;
	cc->all_vars = v;
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

static struct sym **sym_bucket(struct compiler *cc, const char *name)
{
	return &cc->sym_table[hash_bytes(name, strlen(name)) & (cc->max_syms - 1)];
}

/* Keep the chains short: as many buckets as names. */
static void sym_table_grow(struct compiler *cc)
{
	struct sym *s, **bucket;

	cc->max_syms = cc->max_syms ? cc->max_syms * 2 : 256;
	cc->sym_table = pool_alloc(&cc->pool, cc->max_syms * sizeof(*cc->sym_table));
	for (s = cc->syms; s; s = s->next) {
		bucket = sym_bucket(cc, s->name);
		s->same_hash = *bucket;
		*bucket = s;
	}
}

struct sym *sym_builtin(struct compiler *cc, const struct node *name)
{
	struct sym *s = pool_alloc(&cc->pool, sizeof(*s));

	s->name = name->str;
	s->pos = name->pos;
	s->builtin = builtin_find(name->str);
	return s;
}

struct sym *sym_get(struct compiler *cc, const struct node *name)
{
	struct sym *s, **bucket;

	if (cc->nsyms == cc->max_syms)
		sym_table_grow(cc);
	bucket = sym_bucket(cc, name->str);
	for (s = *bucket; s; s = s->same_hash)
		if (!strcmp(s->name, name->str))
			return s;
	s = sym_builtin(cc, name);
	s->same_hash = *bucket;
	*bucket = s;
	if (!cc->last_sym)
		cc->last_sym = &cc->syms;
	*cc->last_sym = s;
	cc->last_sym = &s->next;
	cc->nsyms++;
	return s;
}

/*
 * A table or aggregation that is written to but never created is created at the
 * start of main. It may have the name of a built-in function, but not of a
 * built-in value.
 */
bool sym_is_automatic(const struct sym *s)
{
	if ((!s->indexed && !s->aggregated) || s->assigned || s->func)
		return false;
	if (!s->builtin)
		return true;
	switch (s->builtin->kind) {
	case BI_FUNCTION:
	case BI_ITERATOR:
	case BI_MISSING:
	case BI_WRITTEN:
		return true;
	default:
		return false;
	}
}

void scope_classify(struct compiler *cc)
{
	struct sym *s;

	for (s = cc->syms; s; s = s->next) {
		s->automatic = sym_is_automatic(s);
		s->global = s->assigned || s->automatic;
		if (!s->global)
			continue;
		chunk_limit(cc, s->pos, cc->nglobals, KTAP_MAX_GLOBALS, "globals");
		s->index = cc->nglobals++;
	}
}

const struct builtin *node_builtin(const struct node *n)
{
	if (n->kind != N_NAME || n->var || !n->sym || n->sym->global || n->sym->func)
		return NULL;
	return n->sym->builtin;
}

static void nearer_name(const char *name, const char *candidate, const char **best,
			unsigned int *distance)
{
	unsigned int d = edit_distance(name, candidate);

	if (d && d < *distance) {
		*distance = d;
		*best = candidate;
	}
}

void scope_suggest(struct compiler *cc, const char *name, bool called)
{
	const char *advice = foreign_advice(name, called ? FOREIGN_BLOCK | FOREIGN_CALL :
							   FOREIGN_VALUE);
	unsigned int distance = edit_limit(name) + 1;
	static const char * const edges[] = { "trace_begin", "trace_end" };
	const char *best = NULL;
	const struct sym *s;
	size_t i;

	/* a suggestion compares all names: limit their number */
	if (cc->suggestions++ > MAX_ERRORS + MAX_WARNINGS)
		return;
	if (advice) {
		diag_note(&cc->diag, "%s", advice);
		return;
	}
	for (i = 0; called && i < ARRAY_SIZE(edges); i++)
		nearer_name(name, edges[i], &best, &distance);
	for (i = 0; i < nbuiltins; i++)
		if (builtins[i].kind != BI_MISSING)
			nearer_name(name, builtins[i].name, &best, &distance);
	for (s = cc->syms; s; s = s->next)
		if (s->global || s->func)
			nearer_name(name, s->name, &best, &distance);
	if (best)
		diag_note(&cc->diag, "did you mean '%s'?", best);
}
