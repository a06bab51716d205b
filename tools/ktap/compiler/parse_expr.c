// SPDX-License-Identifier: GPL-2.0
/* The parser: tokens and expressions. */
#include <stdarg.h>
#include <string.h>

#include <linux/ktap.h>

#include "compiler/parser.h"
#include "compiler/util.h"

/*
 * Each token costs time and memory; no script that fits into a chunk has more.
 */
#define MAX_TOKENS	(16 * KTAP_MAX_INSNS)

void parser_next(struct parser *p)
{
	if (p->panic)
		return;
	p->end = lex_pos(&p->lx);
	p->open = p->tok.open;
	if (p->cc->ntokens++ == MAX_TOKENS) {
		syntax_error(p, p->end,
			     "the script is too large: more than %u names, constants and signs",
			     MAX_TOKENS);
		p->over = true;
		return;
	}
	lex_next(&p->lx, &p->tok);
	if (p->layout)
		layout_add(p->layout, &p->tok);
}

bool parser_accept(struct parser *p, enum tok kind)
{
	if (p->tok.kind != kind)
		return false;
	parser_next(p);
	return true;
}

static void begin_panic(struct parser *p)
{
	p->failed = p->tok;
	p->panic = true;
	p->tok.kind = T_PANIC;
	p->cc->syntax_errors = true;
}

void syntax_error(struct parser *p, struct pos pos, const char *fmt, ...)
{
	va_list ap;

	if (p->panic)
		return;
	va_start(ap, fmt);
	diag_error(p->diag, pos, "%s", pool_vprintf(&p->cc->pool, fmt, ap));
	va_end(ap);
	begin_panic(p);
}

const char *parser_describe_token(struct parser *p)
{
	const struct token *t = &p->tok;

	if (t->kind == T_EOF)
		return "the end of the file";
	if (t->kind == T_STR)
		return "a string";
	return pool_printf(&p->cc->pool, "'%.*s'", (int)(t->end - t->start),
			   p->lx.text + t->start);
}

void parser_unexpected(struct parser *p, const char *what)
{
	/* the unfinished string contains the rest of the line */
	if (p->open && !p->panic) {
		/* the first '}' in the string close open tables */
		p->lx.lost_braces -= p->tables < p->lx.lost_braces ? p->tables :
								     p->lx.lost_braces;
		begin_panic(p);
		return;
	}
	/* report a missing token at the end of the line before */
	if (p->tok.newline && p->end.line && p->tok.kind != T_BAD)
		syntax_error(p, p->end, "expected %s, found the end of the line", what);
	else
		syntax_error(p, p->tok.pos, "expected %s, found %s", what,
			     parser_describe_token(p));
}

void parser_expect(struct parser *p, enum tok kind)
{
	if (parser_accept(p, kind))
		return;
	if (kind > T_AGGREGATE)
		parser_unexpected(p, pool_printf(&p->cc->pool, "'%s'", tok_name(kind)));
	else
		parser_unexpected(p, tok_name(kind));
}

void parser_expect_paren(struct parser *p, const char *advice)
{
	bool missing = !p->panic && p->tok.kind != T_LPAREN;

	parser_expect(p, T_LPAREN);
	if (missing && !p->open)
		diag_note(p->diag, "%s", advice);
}

bool parser_enter(struct parser *p)
{
	if (p->depth++ < MAX_NESTING)
		return true;
	syntax_error(p, p->tok.pos, "nested too deeply: at most %d levels", MAX_NESTING);
	p->over = true;
	return false;
}

void parser_leave(struct parser *p)
{
	p->depth--;
}

static void adopt_node(struct parser *p, struct node *parent, const struct node *child)
{
	if (child && child->height >= parent->height)
		parent->height = child->height + 1;
	if (parent->height > p->height)
		p->height = parent->height;
	if (parent->height > MAX_HEIGHT) {
		syntax_error(p, parent->pos, "this expression is too long");
		p->over = true;
	}
}

static void adopt_list(struct parser *p, struct node *parent, const struct node *list)
{
	for (; list; list = list->next)
		adopt_node(p, parent, list);
}

struct node *parse_exprs(struct parser *p)
{
	struct list l;

	list_init(&l);
	do {
		list_add(&l, parse_expr(p));
	} while (parser_accept(p, T_COMMA));
	return l.first;
}

/* NAME, NAME, ... after the '('; the last may be "...". */
static void parse_params(struct parser *p, struct func *f)
{
	struct node *n;
	struct list l;

	list_init(&l);
	do {
		if (parser_accept(p, T_ELLIPSIS)) {
			f->variadic = true;
			break;
		}
		if (p->tok.kind != T_NAME) {
			parser_unexpected(p, "the name of a parameter");
			break;
		}
		if (f->nparams == KTAP_MAX_ARGS) {
			syntax_error(p, p->tok.pos, "a function has at most %u parameters",
				     KTAP_MAX_ARGS);
			break;
		}
		n = node_new(p->cc, N_NAME, p->tok.pos);
		n->str = p->tok.str;
		list_add(&l, n);
		f->nparams++;
		parser_next(p);
	} while (parser_accept(p, T_COMMA));
	f->params = l.first;
}

struct func *parse_function(struct parser *p, const char *name, struct pos pos)
{
	struct func *f;

	if (!name)
		name = pool_printf(&p->cc->pool, "function:%u", pos.line);
	f = func_new(p->cc, p->func, name, pos);
	parser_expect(p, T_LPAREN);
	if (p->tok.kind == T_NAME || p->tok.kind == T_ELLIPSIS)
		parse_params(p, f);
	parser_expect(p, T_RPAREN);
	f->body = parse_func_body(p, f);
	return f;
}

/* '{' ... '}' of a table; also the only argument of f{...}. */
static struct node *parse_table(struct parser *p)
{
	struct node *n = node_new(p->cc, N_TABLE, p->tok.pos);
	bool head = p->head;
	struct list l;

	list_init(&l);
	p->head = false;
	p->tables++;
	p->lx.plain_slash = false;
	parser_next(p);
	while (p->tok.kind != T_RBRACE && !p->panic) {
		struct node *item = node_new(p->cc, N_ITEM, p->tok.pos);
		struct lexer ahead = p->lx;

		lex_skip_blanks(&ahead);
		if (parser_accept(p, T_LBRACKET)) {
			item->list = parse_exprs(p);
			parser_expect(p, T_RBRACKET);
			parser_expect(p, T_ASSIGN);
		} else if (p->tok.kind == T_NAME && lex_peek(&ahead, 0) == '=' &&
			   lex_peek(&ahead, 1) != '=') {
			item->list = node_str(p->cc, p->tok.pos, p->tok.str);
			parser_next(p);
			parser_next(p);
		}
		item->b = parse_expr(p);
		adopt_list(p, item, item->list);
		adopt_node(p, item, item->b);
		adopt_node(p, n, item);
		list_add(&l, item);
		if (!parser_accept(p, T_COMMA) && !parser_accept(p, T_SEMI) &&
		    p->tok.kind != T_RBRACE) {
			p->in_items |= !p->panic;
			parser_unexpected(p, "',' or '}' in a table");
		}
	}
	n->list = l.first;
	p->head = head;
	p->lx.plain_slash = head;
	parser_expect(p, T_RBRACE);
	/* after an error it stays open */
	if (!p->panic)
		p->tables--;
	return n;
}

/* Report "(struct NAME *)x" as in C and bpftrace. */
static void parse_no_pointer_cast(struct parser *p, const struct node *n)
{
	const char *type = p->tok.str;

	if (p->panic)
		return;
	syntax_error(p, n->pos, "there are no casts");
	diag_note(p->diag, "write cast(\"struct %s\", x)", type);
}

/* Parse an expression in brackets, where the '/' of a filter is a division. */
static struct node *parse_bracketed(struct parser *p, enum tok close, bool list)
{
	bool head = p->head;
	struct node *n;

	p->head = false;
	p->lx.plain_slash = false;
	parser_next(p);
	if (list && p->tok.kind == close)
		n = NULL;
	else
		n = list ? parse_exprs(p) : parse_expr(p);
	if (!list && n->kind == N_NAME && !strcmp(n->str, "struct") && p->tok.kind == T_NAME)
		parse_no_pointer_cast(p, n);
	p->head = head;
	p->lx.plain_slash = head;
	parser_expect(p, close);
	return n;
}

/* Report a cast as in C and bpftrace: (int32)retval. */
static void parse_no_cast(struct parser *p, const struct node *n)
{
	static const struct {
		const char *type, *function;
	} casts[] = {
		{ "int8", "s8" }, { "int16", "s16" }, { "int32", "s32" }, { "int", "s32" },
		{ "uint8", "u8" }, { "uint16", "u16" }, { "uint32", "u32" },
		{ "s8", "s8" }, { "s16", "s16" }, { "s32", "s32" },
		{ "u8", "u8" }, { "u16", "u16" }, { "u32", "u32" },
	};

	if (n->kind != N_NAME || p->panic || (p->tok.kind != T_NAME && p->tok.kind != T_INT))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(casts); i++) {
		if (strcmp(n->str, casts[i].type))
			continue;
		syntax_error(p, n->pos, "there are no casts");
		diag_note(p->diag, "write %s(...): the value as an integer of this width",
			  casts[i].function);
		return;
	}
}

static struct node *parse_primary(struct parser *p)
{
	struct node *n = node_new(p->cc, N_NIL, p->tok.pos);

	switch (p->tok.kind) {
	case T_NIL:
		break;
	case T_TRUE:
	case T_FALSE:
		n->kind = N_BOOL;
		n->ival = p->tok.kind == T_TRUE;
		break;
	case T_INT:
		n->kind = N_INT;
		n->ival = p->tok.ival;
		if (p->tok.huge)
			diag_error(p->diag, n->pos, "integer %.*s does not fit into 64 bits",
				   (int)(p->tok.end - p->tok.start), p->lx.text + p->tok.start);
		break;
	case T_STR:
		n->kind = N_STR;
		n->str = p->tok.str;
		n->len = p->tok.len;
		break;
	case T_SCRIPTARG:
		n->kind = N_SCRIPTARG;
		n->ival = p->tok.ival;
		break;
	case T_NAME:
		n->kind = N_NAME;
		n->str = p->tok.str;
		break;
	case T_LPAREN:
		n = parse_bracketed(p, T_RPAREN, false);
		n->single = true;
		parse_no_cast(p, n);
		return n;
	case T_ELLIPSIS:
		n->kind = N_VARG;
		if (!p->func->variadic)
			diag_error(p->diag, n->pos,
				   "'...' can only be used in a function declared with '...'");
		break;
	case T_LBRACE:
		if (p->head) {
			parser_unexpected(p, "an expression");
			return n;
		}
		return parse_table(p);
	case T_FUNCTION:
		parser_next(p);
		n->kind = N_FUNC;
		n->func = parse_function(p, NULL, n->pos);
		n->height = n->func->height;
		return n;
	case T_SYMBOL:
		n->kind = N_SYMBOL;
		n->str = p->tok.str;
		n->len = p->tok.len;
		break;
	default:
		parser_unexpected(p, "an expression");
		return n;
	}
	parser_next(p);
	return n;
}

static struct node *call_node(struct parser *p, struct node *callee, struct node *args)
{
	struct node *n = node_new(p->cc, N_CALL, callee->pos);

	n->a = callee;
	n->list = args;
	adopt_node(p, n, callee);
	adopt_list(p, n, args);
	return n;
}

static bool is_callable(const struct node *n)
{
	return n->kind == N_NAME || n->kind == N_INDEX || n->kind == N_FIELD ||
	       n->kind == N_CALL || n->kind == N_FUNC;
}

/* Report a missing name after a '.'. */
static void parse_no_field(struct parser *p)
{
	bool string = p->tok.kind == T_STR;

	parser_unexpected(p, "the name of a field");
	if (string && !p->open)
		diag_note(p->diag, "'..' joins strings");
}

/*
 * Parse a call, index or field directly after an operand; on a new line it
 * begins a new statement.
 */
static struct node *parse_suffix(struct parser *p, struct node *left)
{
	struct node *n;

	switch (p->tok.kind) {
	case T_DOT:
		parser_next(p);
		n = node_new(p->cc, N_FIELD, p->tok.pos);
		n->a = left;
		n->str = p->tok.str;
		/* keywords are allowed as field names: e.in, t.end */
		if (p->tok.kind == T_NAME || (p->tok.kind >= T_AND && p->tok.kind < T_AGGREGATE))
			parser_next(p);
		else
			parse_no_field(p);
		adopt_node(p, n, left);
		return n;
	case T_LBRACKET:
		if (p->tok.newline)
			return NULL;
		n = node_new(p->cc, N_INDEX, p->tok.pos);
		n->a = left;
		n->list = parse_bracketed(p, T_RBRACKET, true);
		if (!n->list)
			syntax_error(p, n->pos, "an index is missing between [ and ]");
		adopt_node(p, n, left);
		adopt_list(p, n, n->list);
		return n;
	case T_LPAREN:
		if (p->tok.newline || !is_callable(left))
			return NULL;
		return call_node(p, left, parse_bracketed(p, T_RPAREN, true));
	case T_STR:
		if (p->tok.newline || !is_callable(left) || p->head)
			return NULL;
		return call_node(p, left, parse_primary(p));
	case T_LBRACE:
		if (p->tok.newline || !is_callable(left) || p->head)
			return NULL;
		return call_node(p, left, parse_table(p));
	default:
		return NULL;
	}
}

struct node *parse_postfix(struct parser *p)
{
	struct node *n, *more;

	/* a function expression that is called needs parentheses */
	bool bare_function = p->tok.kind == T_FUNCTION;

	n = parse_primary(p);
	if (bare_function)
		return n;
	while ((more = parse_suffix(p, n)))
		n = more;
	return n;
}

static struct node *parse_unary(struct parser *p)
{
	struct node *n = node_new(p->cc, N_UNARY, p->tok.pos);

	switch (p->tok.kind) {
	case T_MINUS:
		n->op = OP_NEG;
		break;
	case T_TILDE:
		n->op = OP_BNOT;
		break;
	case T_BANG:
	case T_NOT:
		n->op = OP_NOT;
		break;
	default:
		return parse_postfix(p);
	}
	parser_next(p);
	if (n->op == OP_NEG && p->tok.huge) {
		n->kind = N_INT;
		n->ival = INT64_MIN;
		parser_next(p);
		return n;
	}
	if (parser_enter(p)) {
		n->a = parse_unary(p);
		adopt_node(p, n, n->a);
	} else {
		n->kind = N_NIL;
	}
	parser_leave(p);
	return n;
}

static const struct {
	enum tok tok;
	unsigned char level;
	unsigned char kind;
	unsigned char op;
} binary[] = {
	{ T_OROR, 1, N_OR, 0 },
	{ T_OR, 1, N_OR, 0 },
	{ T_ANDAND, 2, N_AND, 0 },
	{ T_AND, 2, N_AND, 0 },
	{ T_EQ, 3, N_BINARY, OP_EQ },
	{ T_NE, 3, N_BINARY, OP_NE },
	{ T_TILDE, 3, N_BINARY, OP_MATCH },
	{ T_LT, 4, N_BINARY, OP_LT },
	{ T_LE, 4, N_BINARY, OP_LE },
	{ T_GT, 4, N_BINARY, OP_GT },
	{ T_GE, 4, N_BINARY, OP_GE },
	{ T_IN, 4, N_BINARY, OP_IN },
	{ T_PIPE, 5, N_BINARY, OP_BOR },
	{ T_CARET, 6, N_BINARY, OP_BXOR },
	{ T_AMP, 7, N_BINARY, OP_BAND },
	{ T_CONCAT, 8, N_BINARY, OP_CONCAT },
	{ T_SHL, 9, N_BINARY, OP_SHL },
	{ T_SHR, 9, N_BINARY, OP_SHR },
	{ T_PLUS, 10, N_BINARY, OP_ADD },
	{ T_MINUS, 10, N_BINARY, OP_SUB },
	{ T_STAR, 11, N_BINARY, OP_MUL },
	{ T_SLASH, 11, N_BINARY, OP_DIV },
	{ T_PERCENT, 11, N_BINARY, OP_MOD },
};

static int find_binary(const struct parser *p, unsigned int level)
{
	size_t i;

	if (p->head && p->tok.kind == T_SLASH)
		return -1;
	for (i = 0; i < ARRAY_SIZE(binary); i++)
		if (binary[i].tok == p->tok.kind && binary[i].level >= level)
			return i;
	return -1;
}

/*
 * A pattern after `ip ==` in a filter needs no quotes: mutex*, [a-z]*_lock. The
 * lexer has read only its first token.
 */
static struct node *parse_pattern(struct parser *p, const struct node *left)
{
	const char *s = p->lx.text + p->tok.start;
	size_t rest = p->lx.len - p->tok.start, len = 0;
	struct node *n;

	if (!p->func->filter || p->panic || !pattern_subject(left) || p->tok.kind == T_STR)
		return NULL;
	while (len < rest && (is_name_char(s[len]) || (s[len] && strchr("*?[]!-.", s[len]))))
		len++;
	n = node_new(p->cc, N_STR, p->tok.pos);
	n->str = pool_strndup(&p->cc->pool, s, len);
	n->len = len;
	if (!pattern_is(n))
		return NULL;
	if (p->layout)
		layout_add_event(p->layout, p->tok.start, p->tok.start + len);
	p->lx.at = p->tok.start + len;
	parser_next(p);
	return n;
}

static struct node *parse_binary(struct parser *p, unsigned int level)
{
	struct node *left = parse_unary(p), *n;
	int i;

	while ((i = find_binary(p, level)) >= 0) {
		n = node_new(p->cc, binary[i].kind, p->tok.pos);
		n->op = binary[i].op;
		parser_next(p);
		n->a = left;
		n->b = NULL;
		if (n->op == OP_EQ || n->op == OP_NE)
			n->b = parse_pattern(p, left);
		if (!n->b)
			n->b = parse_binary(p, binary[i].level + 1);
		adopt_node(p, n, n->a);
		adopt_node(p, n, n->b);
		left = n;
	}
	return left;
}

struct node *parse_expr(struct parser *p)
{
	struct node *n, *cond;

	if (!parser_enter(p)) {
		parser_leave(p);
		return node_new(p->cc, N_NIL, p->tok.pos);
	}
	n = parse_binary(p, 1);
	if (p->tok.kind == T_QUESTION) {
		cond = node_new(p->cc, N_COND, p->tok.pos);
		parser_next(p);
		cond->a = n;
		cond->b = parse_expr(p);
		parser_expect(p, T_COLON);
		cond->c = parse_expr(p);
		adopt_node(p, cond, cond->a);
		adopt_node(p, cond, cond->b);
		adopt_node(p, cond, cond->c);
		n = cond;
	}
	parser_leave(p);
	return n;
}
