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

/* After "(NAME[, NAME] in". */
static struct node *parse_for_in(struct parser *p, struct node *n)
{
	n->kind = S_FORIN;
	n->a = parse_expr(p);
	parser_expect(p, T_RPAREN);
	n->list = parse_loop_body(p);
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

/* "NAME in" or "NAME, NAME in"; otherwise nothing is consumed. */
static bool parse_for_names(struct parser *p, struct node *n)
{
	struct lexer lx = p->lx;
	struct token tok = p->tok, second;

	parser_next(p);
	n->list2 = name_node(p, &tok);
	if (parser_accept(p, T_IN))
		return true;
	if (parser_accept(p, T_COMMA) && p->tok.kind == T_NAME) {
		second = p->tok;
		parser_next(p);
		n->list2->next = name_node(p, &second);
		if (parser_accept(p, T_IN))
			return true;
		if (p->tok.kind == T_COMMA) {
			syntax_error(p, p->tok.pos, "a loop over a table gets only a key and a value");
			return true;
		}
	}
	n->list2 = NULL;
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
