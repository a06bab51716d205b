// SPDX-License-Identifier: GPL-2.0
/* Create the parts of the tree. */
#include <string.h>

#include "compiler/ast.h"

struct func *func_new(struct compiler *cc, struct func *parent, const char *name, struct pos pos)
{
	struct func *f = pool_alloc(&cc->pool, sizeof(*f));

	f->name = name;
	f->pos = pos;
	f->parent = parent;
	f->index = cc->nfuncs++;
	if (cc->last_func)
		cc->last_func->next = f;
	cc->last_func = f;
	return f;
}

struct node *node_new(struct compiler *cc, enum node_kind kind, struct pos pos)
{
	struct node *n = pool_alloc(&cc->pool, sizeof(*n));

	n->kind = kind;
	n->pos = pos;
	return n;
}

struct node *node_str(struct compiler *cc, struct pos pos, const char *s)
{
	struct node *n = node_new(cc, N_STR, pos);

	n->str = s;
	n->len = strlen(s);
	return n;
}

struct node *node_int(struct compiler *cc, struct pos pos, int64_t val)
{
	struct node *n = node_new(cc, N_INT, pos);

	n->ival = val;
	return n;
}

unsigned int list_len(const struct node *list)
{
	unsigned int n = 0;

	for (; list; list = list->next)
		n++;
	return n;
}

bool list_is_open(const struct node *list)
{
	while (list && list->next)
		list = list->next;
	return list && is_open(list);
}

struct node *list_at(struct node *list, unsigned int n)
{
	while (list && n--)
		list = list->next;
	return list;
}
