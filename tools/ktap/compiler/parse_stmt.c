// SPDX-License-Identifier: GPL-2.0
/* The parser: statements. */
#include <string.h>

#include "compiler/builtins.h"
#include "compiler/parser.h"
#include "compiler/suggest.h"

static const struct node *last_of(const struct node *list)
{
	while (list && list->next)
		list = list->next;
	return list;
}

/* Would an `else` after this statement belong to it? */
static bool ends_in_if(const struct node *n)
{
	while (n && (n->kind == S_IF || n->kind == S_WHILE || n->kind == S_FORNUM ||
		     n->kind == S_FORC || n->kind == S_FORIN)) {
		bool is_if = n->kind == S_IF;

		n = last_of(n->list);
		if (is_if && n->a)
			return true;
		if (is_if)
			n = last_of(n->list);
	}
	return false;
}

struct node *parse_body(struct parser *p)
{
	struct list l;

	if (p->tok.kind == T_LBRACE)
		return parse_block(p);
	if (p->tok.kind == T_THEN || p->tok.kind == T_DO) {
		parser_unexpected(p, "'{'");
		return NULL;
	}
	list_init(&l);
	parser_mark(p, LAYOUT_BODY);
	if (!parser_accept(p, T_SEMI)) {
		struct node *n = parse_statement(p);

		if (n && !p->panic)
			list_add(&l, n);
		if (n && p->tok.kind == T_SEMI && ends_in_if(n))
			parser_mark(p, LAYOUT_IF_END);
		parser_accept(p, T_SEMI);
	}
	parser_mark(p, LAYOUT_BODY_END);
	return l.first;
}

struct node *parse_condition(struct parser *p)
{
	struct node *n;

	parser_expect_paren(p, "a condition needs parentheses, as in if (x) { ... }");
	n = parse_expr(p);
	if (p->tok.kind == T_ASSIGN)
		syntax_error(p, p->tok.pos, "'=' assigns; to compare write '=='");
	parser_expect(p, T_RPAREN);
	return n;
}

/* "if" or "elseif", its condition and its body. */
static struct node *parse_arm(struct parser *p)
{
	struct node *arm = node_new(p->cc, S_ARM, p->tok.pos);

	parser_next(p);
	arm->a = parse_condition(p);
	arm->list = parse_body(p);
	return arm;
}

static struct node *parse_if(struct parser *p)
{
	struct node *n = node_new(p->cc, S_IF, p->tok.pos), *arm;
	struct list l;

	list_init(&l);
	list_add(&l, parse_arm(p));
	for (;;) {
		struct pos pos = p->tok.pos;

		if (p->tok.kind == T_ELSEIF) {
			list_add(&l, parse_arm(p));
			continue;
		}
		if (!parser_accept(p, T_ELSE))
			break;
		if (p->tok.kind == T_IF) {
			list_add(&l, parse_arm(p));
			continue;
		}
		arm = node_new(p->cc, S_ARM, pos);
		arm->list = parse_body(p);
		list_add(&l, arm);
		break;
	}
	n->list = l.first;
	return n;
}

struct node *name_node(struct parser *p, const struct token *t)
{
	struct node *n = node_new(p->cc, N_NAME, t->pos);

	n->str = t->str;
	return n;
}

/* at the top level: globals */
struct node *parse_var(struct parser *p)
{
	struct node *n = node_new(p->cc, S_LOCAL, p->tok.pos);
	struct list l;

	n->op = p->func == p->cc->main && p->depth == 1;
	parser_next(p);
	if (p->tok.kind == T_FUNCTION) {
		n->kind = S_FUNC;
		n->op = !n->op;
		parser_next(p);
		n->a = name_node(p, &p->tok);
		if (p->tok.kind != T_NAME)
			parser_unexpected(p, "the name of the function");
		parser_next(p);
		n->func = parse_function(p, n->a->str, n->a->pos);
		return n;
	}
	list_init(&l);
	do {
		if (p->tok.kind != T_NAME)
			parser_unexpected(p, "the name of a variable");
		list_add(&l, name_node(p, &p->tok));
		parser_next(p);
	} while (parser_accept(p, T_COMMA));
	n->list = l.first;
	if (parser_accept(p, T_ASSIGN))
		n->list2 = parse_exprs(p);
	return n;
}

static struct node *parse_func_decl(struct parser *p)
{
	struct node *n = node_new(p->cc, S_FUNC, p->tok.pos), *target;
	struct pos pos;

	parser_next(p);
	if (p->tok.kind == T_LPAREN) {
		syntax_error(p, n->pos, "a function without a name does nothing here");
		return n;
	}
	pos = p->tok.pos;
	target = name_node(p, &p->tok);
	if (p->tok.kind != T_NAME)
		parser_unexpected(p, "the name of the function");
	parser_next(p);
	if (p->tok.kind != T_DOT) {
		n->a = target;
		n->func = parse_function(p, target->str, pos);
		return n;
	}
	/* function t.f() { } is t.f = function () { } */
	n->kind = S_ASSIGN;
	while (parser_accept(p, T_DOT)) {
		struct node *field = node_new(p->cc, N_FIELD, p->tok.pos);

		field->a = target;
		field->str = p->tok.str;
		if (p->tok.kind != T_NAME)
			parser_unexpected(p, "the name of the function");
		parser_next(p);
		target = field;
	}
	n->list = target;
	n->list2 = node_new(p->cc, N_FUNC, pos);
	n->list2->func = parse_function(p, target->str, pos);
	return n;
}

static enum op compound_op(enum tok kind)
{
	switch (kind) {
	case T_ADD_ASSIGN: return OP_ADD;
	case T_SUB_ASSIGN: return OP_SUB;
	case T_MUL_ASSIGN: return OP_MUL;
	case T_DIV_ASSIGN: return OP_DIV;
	case T_MOD_ASSIGN: return OP_MOD;
	case T_AND_ASSIGN: return OP_BAND;
	case T_OR_ASSIGN: return OP_BOR;
	case T_XOR_ASSIGN: return OP_BXOR;
	case T_SHL_ASSIGN: return OP_SHL;
	case T_SHR_ASSIGN: return OP_SHR;
	default: return OP_CONCAT;
	}
}

static bool parse_check_target(struct parser *p, const struct node *n)
{
	if (n->kind == N_NAME || n->kind == N_INDEX || n->kind == N_FIELD)
		return true;
	if (!p->panic)
		diag_error(p->diag, n->pos, "only a variable, t[k] or t.name can be assigned to");
	return false;
}

/* "stop", and after it the end or another statement. */
static bool calls_by_name(const struct parser *p, const struct node *n)
{
	const struct builtin *bi = n->kind == N_NAME ? builtin_find(n->str) : NULL;

	if (!bi || !bi->statement)
		return false;
	switch (p->tok.kind) {
	case T_EOF:
	case T_NAME:
	case T_RBRACE:
	case T_SEMI:
		return true;
	default:
		return p->tok.newline;
	}
}

/* NAME: at the beginning of a statement: a probe as other languages write it */
static void parse_refuse_probe(struct parser *p, const struct node *name)
{
	const char *text = p->lx.text + p->tok.start - strlen(name->str), *event, *prefix;
	size_t len = 0;

	/* a blank before the colon is no part of an event */
	if (strncmp(text, name->str, strlen(name->str)))
		text = name->str;
	while (text + len < p->lx.text + p->lx.len && !strchr(" \t\r\n{},;#", text[len]))
		len++;
	event = ktap_foreign_event(pool_strndup(&p->cc->pool, text, len));
	if (event) {
		syntax_error(p, name->pos, "a probe begins with 'trace': trace %s { ... }", event);
		return;
	}
	prefix = ktap_foreign_prefix(name->str);
	if (!prefix && text != name->str && len > strlen(name->str) + 1 &&
	    text[strlen(name->str) + 1] != ':') {
		syntax_error(p, name->pos, "a probe begins with 'trace': trace %.*s { ... }",
			     (int)len, text);
		return;
	}
	syntax_error(p, name->pos, "a probe begins with 'trace': trace %s%s... { ... }",
		     prefix ? prefix : name->str, prefix ? "" : ":");
}

static void not_a_statement(struct parser *p, const struct node *n)
{
	const struct builtin *bi = n->kind == N_NAME ? builtin_find(n->str) : NULL;

	if (p->panic)
		return;
	if (bi && bi->kind == BI_MISSING) {
		syntax_error(p, n->pos, "'%s' is a function: " BUILTIN_USE_UADDR, n->str);
	} else if (bi && (bi->kind == BI_FUNCTION || bi->kind == BI_WRITTEN) &&
		   (p->tok.newline || p->tok.kind == T_RBRACE || p->tok.kind == T_SEMI ||
		    p->tok.kind == T_EOF)) {
		diag_error(p->diag, n->pos, "this calls nothing; write %s()", n->str);
	} else if (n->kind == N_NAME && p->tok.kind == T_COLON && !p->tok.newline &&
		   lex_peek(&p->lx, 0) != '=') {
		parse_refuse_probe(p, n);
	} else if (!p->tok.newline && p->tok.kind != T_SEMI && p->tok.kind != T_RBRACE &&
		   p->tok.kind != T_EOF) {
		parser_unexpected(p, n->kind == N_NAME ? "'=' or a call after the name" :
						  "the end of the statement");
		if (n->kind == N_NAME && edit_distance(n->str, "trace") <= 2)
			diag_note(p->diag, "did you mean 'trace'?");
	} else {
		diag_error(p->diag, n->pos, "a value alone is no statement");
	}
}

struct node *parse_simple(struct parser *p)
{
	struct node *n = node_new(p->cc, S_CALL, p->tok.pos), *left = parse_postfix(p);
	struct list l;

	n->a = left;
	if (p->tok.kind == T_COMMA && left->kind == N_CALL) {
		parser_unexpected(p, "the end of the call");
		diag_note(p->diag, "parentheses may be left out around one string or table only");
	}
	switch (p->tok.kind) {
	case T_COMMA:
	case T_ASSIGN:
		n->kind = S_ASSIGN;
		n->a = NULL;
		list_init(&l);
		list_add(&l, left);
		parse_check_target(p, left);
		while (parser_accept(p, T_COMMA)) {
			left = parse_postfix(p);
			parse_check_target(p, left);
			list_add(&l, left);
		}
		n->pos = p->tok.pos;
		parser_expect(p, T_ASSIGN);
		n->list = l.first;
		n->list2 = parse_exprs(p);
		return n;
	case T_INC:
	case T_DEC:
		n->kind = S_OPASSIGN;
		n->op = p->tok.kind == T_INC ? OP_ADD : OP_SUB;
		n->pos = p->tok.pos;
		n->b = node_int(p->cc, p->tok.pos, 1);
		parser_next(p);
		return parse_check_target(p, left) ? n : NULL;
	case T_ADD_ASSIGN: case T_SUB_ASSIGN: case T_MUL_ASSIGN: case T_DIV_ASSIGN:
	case T_MOD_ASSIGN: case T_AND_ASSIGN: case T_OR_ASSIGN: case T_XOR_ASSIGN:
	case T_SHL_ASSIGN: case T_SHR_ASSIGN: case T_CONCAT_ASSIGN:
		n->kind = S_OPASSIGN;
		n->op = compound_op(p->tok.kind);
		n->pos = p->tok.pos;
		parser_next(p);
		n->b = parse_expr(p);
		return parse_check_target(p, left) ? n : NULL;
	case T_AGGREGATE:
		n->kind = S_AGGREGATE;
		n->pos = p->tok.pos;
		parser_next(p);
		n->b = parse_expr(p);
		return parse_check_target(p, left) ? n : NULL;
	default:
		if (left->kind == N_CALL)
			return n;
		if (calls_by_name(p, left)) {
			n->a = node_new(p->cc, N_CALL, left->pos);
			n->a->a = left;
			return n;
		}
		not_a_statement(p, left);
		return NULL;
	}
}

static struct node *parse_jump(struct parser *p, enum node_kind kind)
{
	struct node *n = node_new(p->cc, kind, p->tok.pos);

	if (!p->loops)
		diag_error(p->diag, n->pos, "'%s' outside of a loop", tok_name(p->tok.kind));
	parser_next(p);
	return n;
}

static struct node *parse_return(struct parser *p)
{
	struct node *n = node_new(p->cc, S_RETURN, p->tok.pos);

	parser_next(p);
	/* a value must be on the same line */
	if (!p->tok.newline && p->tok.kind != T_RBRACE && p->tok.kind != T_SEMI &&
	    p->tok.kind != T_EOF)
		n->list = parse_exprs(p);
	return n;
}

/*
 * Is the current token, the first of a statement, `word`, followed by one of
 * these bytes? Such words are names everywhere else.
 */
static bool word_before(struct parser *p, const char *word, const char *bytes)
{
	struct lexer ahead = p->lx;
	int c;

	if (strcmp(p->tok.str, word))
		return false;
	lex_skip_blanks(&ahead);
	c = lex_peek(&ahead, 0);
	return c && strchr(bytes, c);
}

/* After the word catch: "(NAME) { }" or "{ }". */
static void parse_catch(struct parser *p, struct node *n)
{
	if (parser_accept(p, T_LPAREN)) {
		if (p->tok.kind != T_NAME)
			parser_unexpected(p, "the name of a variable for the message");
		n->a = name_node(p, &p->tok);
		parser_next(p);
		parser_expect(p, T_RPAREN);
	}
	n->list2 = parse_block(p);
}

static struct node *parse_try(struct parser *p)
{
	struct node *n = node_new(p->cc, S_TRY, p->tok.pos);

	parser_next(p);
	n->list = parse_block(p);
	if (p->tok.kind != T_NAME || strcmp(p->tok.str, "catch")) {
		syntax_error(p, n->pos, "this 'try' has no 'catch'");
		return n;
	}
	parser_next(p);
	parse_catch(p, n);
	return n;
}

static void check_catch(struct parser *p)
{
	struct lexer ahead = p->lx;
	struct token t;

	if (strcmp(p->tok.str, "catch"))
		return;
	lex_next(&ahead, &t);
	if (t.kind == T_LPAREN) {
		lex_next(&ahead, &t);
		if (t.kind == T_NAME)
			lex_next(&ahead, &t);
		if (t.kind == T_RPAREN)
			lex_next(&ahead, &t);
	}
	if (t.kind == T_LBRACE)
		syntax_error(p, p->tok.pos, "'catch' without a 'try' before it");
}

static struct node *parse_keyword(struct parser *p)
{
	struct node *n = node_new(p->cc, S_BLOCK, p->tok.pos);

	switch (p->tok.kind) {
	case T_VAR:
	case T_LOCAL:
		return parse_var(p);
	case T_FUNCTION:
		return parse_func_decl(p);
	case T_IF:
		return parse_if(p);
	case T_WHILE:
		n->kind = S_WHILE;
		parser_next(p);
		n->a = parse_condition(p);
		n->list = parse_loop_body(p);
		return n;
	case T_REPEAT:
		return parse_repeat(p);
	case T_FOR:
		return parse_for(p);
	case T_BREAK:
		return parse_jump(p, S_BREAK);
	case T_CONTINUE:
		return parse_jump(p, S_CONTINUE);
	case T_RETURN:
		return parse_return(p);
	case T_DELETE:
		n->kind = S_DELETE;
		parser_next(p);
		n->a = parse_postfix(p);
		if (p->panic && p->failed.kind == T_COMMA)
			diag_note(p->diag, "to delete one entry: delete t[k]");
		return n;
	case T_DO:
		parser_next(p);
		n->list = parse_block(p);
		if (p->tok.kind == T_WHILE && !p->tok.newline) {
			diag_warn(p->diag, p->tok.pos, "this 'while' begins another loop");
			diag_note(p->diag, "to test after a block: repeat { ... } until (...)");
		}
		return n;
	case T_LBRACE:
		n->list = parse_block(p);
		return n;
	case T_TRACE:
		return parse_trace(p);
	case T_TRACE_BEGIN:
	case T_TRACE_END:
		return parse_trace_edge(p, tok_name(p->tok.kind));
	case T_ELSE:
	case T_ELSEIF:
		syntax_error(p, p->tok.pos, "'%s' without an 'if' before it",
			     tok_name(p->tok.kind));
		return n;
	case T_NAME:
		if (at_timer_event(p))
			return parse_timer(p);
		if (word_before(p, "try", "{"))
			return parse_try(p);
		if (word_before(p, "include", "\"'"))
			return parse_include(p);
		check_catch(p);
		return parse_simple(p);
	case T_LPAREN:
		return parse_simple(p);
	default:
		syntax_error(p, n->pos, "expected a statement, found %s", parser_describe_token(p));
		return n;
	}
}

struct node *parse_statement(struct parser *p)
{
	struct token first = p->tok;
	struct node *n = NULL;

	if (parser_enter(p))
		n = parse_keyword(p);
	parser_leave(p);
	if (p->panic && first.kind != T_PANIC)
		foreign_note(p, &first);
	return n;
}
