// SPDX-License-Identifier: GPL-2.0
/* First pass over the tree: find the locals and what is assigned. */
#include <string.h>

#include "compiler/ast.h"
#include "compiler/builtins.h"
#include "compiler/cdef.h"

static void bind_expr(struct compiler *cc, struct node *n);
static void bind_list(struct compiler *cc, struct node *list);
static void bind_block(struct compiler *cc, struct node *list);
static void bind_stmt(struct compiler *cc, struct node *n);

static void bind_name(struct compiler *cc, struct node *n)
{
	struct var *v = var_find(cc, n->str);

	if (!v) {
		/* a script may have names of its own for what the functions of written.c call */
		if (cc->diag.files[n->pos.file].built_in && builtin_find(n->str))
			n->sym = sym_builtin(cc, n);
		else
			n->sym = sym_get(cc, n);
		return;
	}
	n->var = v;
	v->used = true;
	if (v->owner != cc->func && !v->constant) {
		diag_error(&cc->diag, n->pos,
			   "'%s' is a local of %s%s: a function sees the globals and its own locals",
			   n->str, v->owner == cc->main ? "the file's top level" : "function ",
			   v->owner == cc->main ? "" : v->owner->name);
		/* a register belongs to one function only */
		n->var = NULL;
		n->sym = sym_get(cc, n);
		n->sym->warned = true;
	}
}

/* Declare names that need not be used: no warning. */
static void declare_used(struct compiler *cc, struct node *name)
{
	name->var = var_declare(cc, name);
	name->var->used = true;
}

static void bind_func(struct compiler *cc, struct func *f)
{
	struct func *outer = cc->func;
	struct var *vars = cc->vars;
	struct node *n;

	cc->func = f;
	f->bound = true;
	for (n = f->params; n; n = n->next) {
		struct var *v = var_find(cc, n->str);

		if (v && v->owner == f)
			diag_error(&cc->diag, n->pos, "two parameters are called '%s'", n->str);
		declare_used(cc, n);
	}
	bind_block(cc, f->body);
	cc->vars = vars;
	cc->func = outer;
}

static void bind_expr(struct compiler *cc, struct node *n)
{
	if (!n)
		return;
	if (n->kind == N_NAME)
		bind_name(cc, n);
	else if (n->kind == N_FUNC)
		bind_func(cc, n->func);
	bind_expr(cc, n->a);
	if (n->kind == N_CALL && n->a->kind == N_NAME && n->a->sym && n->a->sym->builtin)
		written_note_call(cc, n);
	bind_expr(cc, n->b);
	bind_expr(cc, n->c);
	bind_list(cc, n->list);
}

static void bind_list(struct compiler *cc, struct node *list)
{
	for (; list; list = list->next)
		bind_expr(cc, list);
}

/*
 * Mark the table of an element that is written: its global may have to be
 * created.
 */
static void mark_indexed(const struct node *n)
{
	while (n->kind == N_INDEX || n->kind == N_FIELD)
		n = n->a;
	if (n->kind == N_NAME && n->sym)
		n->sym->indexed = true;
}

static void bind_target(struct compiler *cc, struct node *n)
{
	bind_expr(cc, n);
	if (n->kind == N_INDEX || n->kind == N_FIELD) {
		mark_indexed(n->a);
	} else if (n->var && n->var->constant) {
		diag_error(&cc->diag, n->pos, "'%s' is a local function and cannot be assigned to",
			   n->str);
	} else if (n->sym) {
		n->sym->assigned = true;
	}
}

static void bind_targets(struct compiler *cc, struct node *list)
{
	for (; list; list = list->next) {
		const struct var *v = list->kind == N_NAME ? var_find(cc, list->str) : NULL;
		bool used = v && v->used;

		bind_target(cc, list);
		/* writing to a variable does not use it */
		if (list->var)
			list->var->used = used;
	}
}

static void bind_aggregate(struct compiler *cc, struct node *n)
{
	const struct node *root = n->a;

	bind_expr(cc, n->a);
	bind_expr(cc, n->b);
	if (n->a->kind == N_INDEX || n->a->kind == N_FIELD)
		mark_indexed(n->a->a);
	else if (n->a->sym)
		n->a->sym->aggregated = true;
	while (root->kind == N_INDEX || root->kind == N_FIELD)
		root = root->a;
	if (root->kind == N_NAME && root->sym)
		root->sym->fed = true;
}

static void declare_list(struct compiler *cc, struct node *names)
{
	for (; names; names = names->next)
		names->var = var_declare(cc, names);
}

static void bind_local(struct compiler *cc, struct node *n)
{
	struct node *name;

	bind_list(cc, n->list2);
	if (n->op) {
		/* at file level: globals */
		bind_targets(cc, n->list);
		n->kind = S_ASSIGN;
		if (!n->list2) {
			n->kind = S_BLOCK;
			n->list = NULL;
		}
		return;
	}
	declare_list(cc, n->list);
	for (name = n->single ? n->list : NULL; name; name = name->next)
		name->var->used = true;
}

static void note_first(struct compiler *cc, struct pos first, struct pos second)
{
	if (first.file == second.file)
		diag_note(&cc->diag, "the first one is in line %u", first.line);
	else
		diag_note(&cc->diag, "the first one is in %s:%u",
			  cc->diag.files[first.file].name, first.line);
}

static void bind_func_decl(struct compiler *cc, struct node *n)
{
	if (n->op) {
		n->a->var = var_declare(cc, n->a);
		n->a->var->constant = n->func;
	} else {
		struct sym *s = sym_get(cc, n->a);

		n->a->sym = s;
		if (s->func) {
			diag_error(&cc->diag, n->a->pos,
				   "function '%s' is declared twice", s->name);
			note_first(cc, s->func_pos, n->a->pos);
		} else {
			s->func = n->func;
			s->func_pos = n->a->pos;
		}
	}
	bind_func(cc, n->func);
}

/* The variable of for (i = 0; ...) is a local of the loop, unless it is one already. */
static void bind_for_init(struct compiler *cc, struct node *init)
{
	const struct node *name;
	const struct var *v;

	if (init && init->kind == S_ASSIGN) {
		for (name = init->list; name; name = name->next) {
			v = name->kind == N_NAME ? var_find(cc, name->str) : NULL;
			if (name->kind != N_NAME || (v && v->owner == cc->func))
				break;
		}
		if (!name)
			init->kind = S_LOCAL;
	}
	if (!init)
		return;
	bind_stmt(cc, init);
	/* a loop that only counts needs no warning */
	for (name = init->kind == S_LOCAL ? init->list : NULL; name; name = name->next)
		name->var->used = true;
}

static void bind_for(struct compiler *cc, struct node *n)
{
	struct node *name;

	switch (n->kind) {
	case S_FORNUM:
	case S_FORIN:
		bind_expr(cc, n->a);
		bind_expr(cc, n->b);
		bind_expr(cc, n->c);
		for (name = n->list2; name; name = name->next)
			declare_used(cc, name);
		bind_block(cc, n->list);
		break;
	default:
		bind_for_init(cc, n->a);
		bind_expr(cc, n->b);
		bind_block(cc, n->list);
		bind_block(cc, n->list2);
	}
}

/*
 * Warn of locals of the body that a continue may jump over: the condition reads
 * them.
 */
static void check_until(struct compiler *cc, const struct node *n, const struct var *outside)
{
	const struct node *i;
	const struct var *v;

	if (!n)
		return;
	for (v = cc->vars; n->kind == N_NAME && n->var && v != outside; v = v->outer)
		if (v == n->var && !v->constant)
			diag_error(&cc->diag, n->pos,
				   "'%s' may be undefined here: a 'continue' in the loop jumps over it",
				   n->str);
	check_until(cc, n->a, outside);
	check_until(cc, n->b, outside);
	check_until(cc, n->c, outside);
	for (i = n->list; i; i = i->next)
		check_until(cc, i, outside);
}

static void bind_repeat(struct compiler *cc, struct node *n)
{
	bool continues = cc->continues;
	struct var *vars = cc->vars;
	struct node *i;

	/* the condition sees the locals of the body */
	cc->continues = false;
	for (i = n->list; i; i = i->next)
		bind_stmt(cc, i);
	bind_expr(cc, n->a);
	if (cc->continues)
		check_until(cc, n->a, vars);
	cc->continues = continues;
}

static void bind_loop(struct compiler *cc, struct node *n)
{
	bool continues = cc->continues;

	if (n->kind == S_WHILE) {
		bind_expr(cc, n->a);
		bind_block(cc, n->list);
	} else {
		bind_for(cc, n);
	}
	cc->continues = continues;
}

static void bind_try(struct compiler *cc, struct node *n)
{
	bind_block(cc, n->list);
	if (n->a)
		declare_used(cc, n->a);
	bind_block(cc, n->list2);
}

static void bind_stmt(struct compiler *cc, struct node *n)
{
	struct var *vars = cc->vars;
	struct node *arm;

	switch (n->kind) {
	case S_LOCAL:
		bind_local(cc, n);
		return;		/* it stays visible */
	case S_FUNC:
		bind_func_decl(cc, n);
		return;
	case S_ASSIGN:
		bind_list(cc, n->list2);
		bind_targets(cc, n->list);
		break;
	case S_OPASSIGN:
		bind_expr(cc, n->b);
		bind_target(cc, n->a);
		break;
	case S_AGGREGATE:
		bind_aggregate(cc, n);
		break;
	case S_CALL:
		if (cdef_statement(cc, n))
			break;
		bind_expr(cc, n->a);
		if (n->a->a->kind == N_NAME && list_len(n->a->list) > 1 &&
		    !strcmp(n->a->a->str, "count"))
			mark_indexed(n->a->list);
		break;
	case S_IF:
		for (arm = n->list; arm; arm = arm->next) {
			bind_expr(cc, arm->a);
			bind_block(cc, arm->list);
		}
		break;
	case S_REPEAT:
		bind_repeat(cc, n);
		break;
	case S_WHILE:
	case S_FORNUM:
	case S_FORC:
	case S_FORIN:
		bind_loop(cc, n);
		break;
	case S_CONTINUE:
		cc->continues = true;
		break;
	case S_TRY:
		bind_try(cc, n);
		break;
	case S_RETURN:
		bind_list(cc, n->list);
		break;
	case S_DELETE:
		bind_expr(cc, n->a);
		break;
	case S_BLOCK:
		bind_block(cc, n->list);
		break;
	case S_TRACE:
		bind_list(cc, n->list);
		if (n->func)
			bind_func(cc, n->func);
		bind_expr(cc, n->a);
		break;
	default:
		break;
	}
	cc->vars = vars;
}

static void bind_block(struct compiler *cc, struct node *list)
{
	struct var *vars = cc->vars;

	for (; list; list = list->next)
		bind_stmt(cc, list);
	cc->vars = vars;
}

void bind_names(struct compiler *cc)
{
	bind_func(cc, cc->main);
}

void bind_added(struct compiler *cc, struct node *list)
{
	cc->func = cc->main;
	bind_block(cc, list);
	cc->func = NULL;
}
