// SPDX-License-Identifier: GPL-2.0
/* The parser: loops. */
#include "compiler/parser.h"

struct node *parse_loop_body(struct parser *p)
{
	struct node *body;

	p->loops++;
	body = parse_body(p);
	p->loops--;
	return body;
}

struct node *parse_repeat(struct parser *p)
{
	struct node *n = node_new(p->cc, S_REPEAT, p->tok.pos);

	parser_next(p);
	p->loops++;
	n->list = parse_block(p);
	p->loops--;
	parser_expect(p, T_UNTIL);
	n->a = parse_expr(p);
	return n;
}

/* "var NAME, ... = KEY[0], ..." */
static struct node *loop_parts(struct parser *p, struct node *names, const struct token *key)
{
	struct node *n = node_new(p->cc, S_LOCAL, names->pos), *name;
	struct list parts;
	int64_t i = 0;

	list_init(&parts);
	for (name = names; name; name = name->next) {
		struct node *part = node_new(p->cc, N_INDEX, name->pos);

		part->a = name_node(p, key);
		part->list = node_int(p->cc, name->pos, i++);
		list_add(&parts, part);
	}
	n->list = names;
	n->list2 = parts.first;
	/* they need not be used */
	n->single = true;
	return n;
}

/*
 * After "(NAME[, NAME] in"; "(A, B, V in", with two names or more before the last one, is
 * "(key, V in" with "var A, B = key[0], key[1]" at the beginning of the body.
 */
static struct node *parse_for_in(struct parser *p, struct node *n)
{
	struct token key = { .kind = T_NAME, .pos = n->list2->pos, .str = "(key)" };
	struct node *names = n->list2, *last = names, *parts = NULL;

	if (list_len(names) > 2) {
		while (last->next->next)
			last = last->next;
		n->list2 = name_node(p, &key);
		n->list2->next = last->next;
		last->next = NULL;
		parts = loop_parts(p, names, &key);
	}
	n->kind = S_FORIN;
	n->a = parse_expr(p);
	parser_expect(p, T_RPAREN);
	n->list = parse_loop_body(p);
	if (parts) {
		parts->next = n->list;
		n->list = parts;
	}
	return n;
}

/* After the first ';'. */
static struct node *parse_for_c(struct parser *p, struct node *n)
{
	struct list l;

	if (p->tok.kind != T_SEMI)
		n->b = parse_expr(p);
	parser_expect(p, T_SEMI);
	list_init(&l);
	while (p->tok.kind != T_RPAREN && !p->panic) {
		struct node *post = parse_simple(p);

		if (post)
			list_add(&l, post);
		if (!parser_accept(p, T_COMMA))
			break;
	}
	n->list2 = l.first;
	parser_expect(p, T_RPAREN);
	n->list = parse_loop_body(p);
	return n;
}

/* "NAME in" or "NAME, NAME in", also with more names; otherwise nothing is consumed. */
static bool parse_for_names(struct parser *p, struct node *n)
{
	struct lexer lx = p->lx;
	struct token tok = p->tok;
	struct list names;

	list_init(&names);
	do {
		if (p->tok.kind != T_NAME)
			break;
		list_add(&names, name_node(p, &p->tok));
		parser_next(p);
		if (parser_accept(p, T_IN)) {
			n->list2 = names.first;
			return true;
		}
	} while (parser_accept(p, T_COMMA));
	p->lx = lx;
	p->tok = tok;
	return false;
}

struct node *parse_for(struct parser *p)
{
	struct node *n = node_new(p->cc, S_FORC, p->tok.pos);
	struct node *init;

	parser_next(p);
	parser_expect_paren(p, "write for (k, v in t), for (i = 1, 5) or for (i = 1; i < 5; i++)");
	if (p->tok.kind == T_VAR || p->tok.kind == T_LOCAL) {
		struct token tok = p->tok;
		struct lexer lx = p->lx;

		parser_next(p);
		if (p->tok.kind == T_NAME && parse_for_names(p, n))
			return parse_for_in(p, n);
		p->lx = lx;
		p->tok = tok;
		init = parse_var(p);
		init->op = 0;
	} else if (p->tok.kind == T_NAME) {
		if (parse_for_names(p, n))
			return parse_for_in(p, n);
		init = parse_simple(p);
	} else {
		init = NULL;
	}
	/* i = 1, 10 was parsed as an assignment of two values */
	if (init && p->tok.kind == T_RPAREN && (init->kind == S_ASSIGN || init->kind == S_LOCAL) &&
	    list_len(init->list) == 1 && init->list->kind == N_NAME &&
	    (list_len(init->list2) == 2 || list_len(init->list2) == 3)) {
		n->list2 = init->list;
		n->a = init->list2;
		n->b = n->a->next;
		n->c = n->b->next;
		n->a->next = NULL;
		n->b->next = NULL;
		n->kind = S_FORNUM;
		parser_next(p);
		n->list = parse_loop_body(p);
		return n;
	}
	n->a = init;
	if (p->tok.kind != T_SEMI)
		parser_unexpected(p, "';', or 'first, last' of a counting loop");
	parser_next(p);
	return parse_for_c(p, n);
}
