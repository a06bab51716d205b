// SPDX-License-Identifier: GPL-2.0
/*
 * Patterns of functions in the filter of ftrace:function: `ip == mutex*`.
 *
 * Conditions that must hold for every function become part of the event,
 * "ftrace:function mutex*". The kernel then traces only these functions, and
 * nothing is compared at run time.
 */
#include <stdbool.h>
#include <string.h>

#include "compiler/ast.h"

static const char function_event[] = "ftrace:function";

bool pattern_subject(const struct node *n)
{
	return n->kind == N_NAME && (!strcmp(n->str, "ip") || !strcmp(n->str, "probefunc") ||
				     !strcmp(n->str, "func"));
}

bool pattern_is(const struct node *n)
{
	return n->kind == N_STR && (memchr(n->str, '*', n->len) || memchr(n->str, '?', n->len) ||
				    memchr(n->str, '[', n->len));
}

/* Does @n name functions? A string or an unknown bare name does. */
static bool names_functions(const struct node *n)
{
	if (n->kind == N_NAME)
		return !n->var && !n->sym->global && !n->sym->func && !n->sym->builtin &&
		       strcmp(n->str, "parent_ip");
	return n->kind == N_STR && n->len && *n->str != '!' && strlen(n->str) == n->len &&
	       !strpbrk(n->str, " \t\n");
}

/* Return the other operand if @n compares the function, or NULL. */
static const struct node *pattern_compared(const struct node *n)
{
	if (n->kind != N_BINARY || (n->op != OP_EQ && n->op != OP_NE))
		return NULL;
	if (pattern_subject(n->a) && names_functions(n->b))
		return n->b;
	return pattern_subject(n->b) && names_functions(n->a) ? n->a : NULL;
}

/* Move the comparisons of the filter @n to the end of @words. */
static struct node *pattern_take(struct compiler *cc, struct node *n, const char **words)
{
	const struct node *s = pattern_compared(n);

	if (s) {
		*words = pool_printf(&cc->pool, "%s %s%s", *words, n->op == OP_NE ? "!" : "",
				     s->str);
		return NULL;
	}
	if (n->kind != N_AND)
		return n;
	n->a = pattern_take(cc, n->a, words);
	n->b = pattern_take(cc, n->b, words);
	return !n->a ? n->b : !n->b ? n->a : n;
}

static bool is_function_event(const struct node *event)
{
	size_t len = strlen(function_event);

	return event->kind == N_STR && event->len >= len &&
	       !strncmp(event->str, function_event, len) &&
	       (event->len == len || event->str[len] == ' ');
}

void pattern_filter(struct compiler *cc, struct node *trace)
{
	struct node *event, *filter = trace->func->body;
	const char *words = "";

	for (event = trace->list; event; event = event->next)
		if (!is_function_event(event))
			return;
	filter->list = pattern_take(cc, filter->list, &words);
	if (!filter->list) {
		/* no condition is left */
		filter->list = node_new(cc, N_BOOL, filter->pos);
		filter->list->ival = 1;
		trace->func = NULL;
	}
	for (event = trace->list; event; event = event->next) {
		event->str = pool_printf(&cc->pool, "%s%s", event->str, words);
		event->len = strlen(event->str);
	}
}
