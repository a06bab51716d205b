// SPDX-License-Identifier: GPL-2.0
/* The parser: lists of statements, in blocks, functions and files. */
#include <string.h>

#include "compiler/parser.h"

static bool starts_statement(enum tok kind)
{
	switch (kind) {
	case T_NAME:
	case T_BREAK: case T_CONTINUE: case T_DELETE: case T_DO: case T_FOR: case T_FUNCTION:
	case T_IF: case T_LOCAL: case T_REPEAT: case T_RETURN: case T_TRACE:
	case T_TRACE_BEGIN: case T_TRACE_END: case T_VAR: case T_WHILE:
		return true;
	default:
		return false;
	}
}

/* Does this token continue an expression? Then the braces were no block. */
static bool goes_on(enum tok kind)
{
	return kind == T_RPAREN || kind == T_RBRACKET || kind == T_COMMA;
}

/*
 * After an error, skip to the next statement of this list, or to its end. An
 * open table ends with its '}', or before a line that can only begin a
 * statement.
 */
static void parser_recover(struct parser *p, size_t start)
{
	unsigned int tables = p->failed.newline ? 0 : p->tables, braces = tables;

	p->panic = false;
	p->in_items = false;
	p->head = false;
	p->tables = 0;
	p->lx.plain_slash = false;
	p->tok = p->failed;
	for (;; parser_next(p)) {
		bool begins = p->tok.newline && starts_statement(p->tok.kind);

		if (p->tok.kind == T_EOF || p->over)
			return;
		if (begins && braces <= tables && p->tok.kind != T_NAME &&
		    p->tok.kind != T_FUNCTION) {
			tables = 0;
			braces = 0;
		}
		if (p->tok.kind == T_LBRACE) {
			braces++;
		} else if (p->tok.kind == T_RBRACE) {
			if (!braces)
				return;
			braces--;
			if (tables > braces) {
				tables--;
			} else if (!braces) {
				parser_next(p);
				if (!goes_on(p->tok.kind))
					return;
			}
		} else if (!braces && p->tok.start != start) {
			if (p->tok.kind == T_SEMI || begins)
				return;
		}
	}
}

static struct node *parse_statements(struct parser *p, bool file)
{
	unsigned int depth = p->depth, loops = p->loops;
	struct list l;

	list_init(&l);
	while (!p->over && p->tok.kind != T_EOF && !p->panic) {
		size_t start = p->tok.start;
		struct node *n;

		if (p->lx.lost_braces && !file)
			break;
		p->lx.lost_braces = 0;
		if (p->tok.kind == T_RBRACE) {
			if (!file)
				break;
			/* if that guess was wrong, this '}' ends the block */
			if (p->guessed)
				p->guessed--;
			else
				diag_error(p->diag, p->tok.pos, "'}' without a '{' before it");
			p->cc->syntax_errors = true;
			parser_next(p);
			continue;
		}
		if (parser_accept(p, T_SEMI))
			continue;
		parser_mark(p, LAYOUT_STATEMENT);
		n = parse_statement(p);
		if (p->over)
			break;
		if (p->panic) {
			parser_recover(p, start);
			p->depth = depth;
			p->loops = loops;
		} else if (n) {
			list_add(&l, n);
		}
	}
	return l.first;
}

struct node *parse_block(struct parser *p)
{
	struct pos open = p->tok.pos;
	struct node *list;

	parser_mark(p, LAYOUT_BLOCK);
	parser_expect(p, T_LBRACE);
	list = parse_statements(p, false);
	if (p->lx.lost_braces) {
		p->lx.lost_braces--;
		p->guessed++;
		p->cc->syntax_errors = true;
		return list;
	}
	if (p->tok.kind == T_EOF && !p->panic)
		syntax_error(p, open, "this '{' has no '}'");
	parser_expect(p, T_RBRACE);
	return list;
}

struct node *parse_func_body(struct parser *p, struct func *f)
{
	struct func *outer = p->func;
	unsigned int loops = p->loops, height = p->height, tables = p->tables;
	bool head = p->head;
	struct node *body;

	p->func = f;
	p->loops = 0;
	p->tables = 0;
	p->height = 0;
	p->head = false;
	p->lx.plain_slash = false;
	body = parser_enter(p) ? parse_block(p) : NULL;
	parser_leave(p);
	f->height = p->height;
	if (p->height < height)
		p->height = height;
	p->func = outer;
	p->loops = loops;
	p->tables = tables;
	p->head = head;
	p->lx.plain_slash = head;
	return body;
}

/* Parse the statements of an included file as part of this one. */
static struct node *parse_file(struct parser *p, unsigned int file)
{
	struct parser inner = { .cc = p->cc, .diag = p->diag, .func = p->func };
	struct node *list;

	lex_init(&inner.lx, inner.diag, file);
	parser_next(&inner);
	list = parse_statements(&inner, true);
	p->over |= inner.over;
	return list;
}

struct node *parse_include(struct parser *p)
{
	struct node *n = node_new(p->cc, S_BLOCK, p->tok.pos), *name;
	bool file_level = p->func == p->cc->main && p->depth == 1;
	int file = -1;

	parser_next(p);
	name = node_new(p->cc, N_STR, p->tok.pos);
	name->str = p->tok.str;
	name->len = p->tok.len;
	parser_expect(p, T_STR);
	/* included files are not part of the layout */
	if (!file_level)
		diag_error(p->diag, n->pos, "'include' is allowed only at the top level");
	else if (!p->panic && !p->layout)
		file = script_include(p->cc, name);
	if (file >= 0)
		n->list = parse_file(p, file);
	return n;
}

struct node *parse_added(struct compiler *cc, unsigned int file)
{
	struct parser p = { .cc = cc, .diag = &cc->diag, .func = cc->main };

	return parse_file(&p, file);
}

void parse_script(struct compiler *cc)
{
	struct parser p = { .cc = cc, .diag = &cc->diag, .layout = cc->layout };

	cc->main = func_new(cc, NULL, "main", (struct pos) { .line = 1, .col = 1 });
	p.func = cc->main;
	lex_init(&p.lx, p.diag, 0);
	if (cc->translation)
		lex_translated(&p.lx, cc->translation);
	parser_next(&p);
	cc->main->body = parse_statements(&p, true);
}
