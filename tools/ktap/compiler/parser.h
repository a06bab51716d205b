/* SPDX-License-Identifier: GPL-2.0 */
/* Interfaces between the parts of the parser. */
#ifndef KTAP_PARSER_H
#define KTAP_PARSER_H

#include "compiler/ast.h"
#include "compiler/layout.h"
#include "compiler/lexer.h"

#define MAX_NESTING	200	/* blocks, parentheses and unary operators */
#define MAX_HEIGHT	1000	/* of one expression's tree */

/*
 * An error puts the parser into panic mode: the current token becomes T_PANIC,
 * which no rule accepts. So every rule returns until the innermost list of
 * statements finds the next statement.
 */
struct parser {
	struct compiler *cc;
	struct diag *diag;
	struct lexer lx;
	struct token tok;
	struct pos end;		/* end of the previous token */
	bool open;		/* that token is a string without an end */
	struct token failed;	/* the token at which panic began */
	bool panic;
	bool over;		/* too deep or too large: stop parsing */
	bool in_items;		/* the error was after an item of a table */
	bool head;		/* between `trace` and its body */
	unsigned int depth;
	unsigned int height;	/* of the highest expression of this function so far */
	struct func *func;
	unsigned int loops;	/* around the current statement */
	unsigned int tables;	/* number of open '{' of tables in it */
	unsigned int guessed;	/* number of blocks assumed to end in an unfinished string */
	struct layout *layout;	/* NULL unless the parser runs for the formatter */
};

/* A list under construction. */
struct list {
	struct node *first;
	struct node **end;
};

static inline void list_init(struct list *l)
{
	l->first = NULL;
	l->end = &l->first;
}

static inline void list_add(struct list *l, struct node *n)
{
	*l->end = n;
	l->end = &n->next;
}

void parser_next(struct parser *p);
/* Tell `ktapc --fmt` the meaning of the current token. */
static inline void parser_mark(struct parser *p, enum layout_flag flag)
{
	if (p->layout)
		layout_mark(p->layout, flag);
}

bool parser_accept(struct parser *p, enum tok kind);
void parser_expect(struct parser *p, enum tok kind);
/* Expect a '('; otherwise report an error with that advice. */
void parser_expect_paren(struct parser *p, const char *advice);
/* Report "expected WHAT, found ..." at the current token. */
void parser_unexpected(struct parser *p, const char *what);
/* Text of the current token for messages. */
const char *parser_describe_token(struct parser *p);
__attribute__((format(printf, 3, 4)))
void syntax_error(struct parser *p, struct pos pos, const char *fmt, ...);
/*
 * Around each recursion. parser_enter() fails with an error if it is too deep.
 */
bool parser_enter(struct parser *p);
void parser_leave(struct parser *p);

struct node *parse_expr(struct parser *p);
struct node *parse_exprs(struct parser *p);
/* Parse calls, indices and fields, without operators. */
struct node *parse_postfix(struct parser *p);
/* Parameters and body; the current token is the '('. */
struct func *parse_function(struct parser *p, const char *name, struct pos pos);

/* parse_block.c */
struct node *parse_block(struct parser *p);
/* Parse the body of a function. */
struct node *parse_func_body(struct parser *p, struct func *f);
struct node *parse_include(struct parser *p);

/* parse_stmt.c */
struct node *parse_statement(struct parser *p);
/* The body of if, while and for: a block or one statement. */
struct node *parse_body(struct parser *p);
struct node *parse_condition(struct parser *p);
/* Assignments and calls. */
struct node *parse_simple(struct parser *p);
/* Parse the names and values after `var`. */
struct node *parse_var(struct parser *p);
struct node *name_node(struct parser *p, const struct token *t);

/* parse_loop.c */
struct node *parse_loop_body(struct parser *p);
struct node *parse_for(struct parser *p);
struct node *parse_repeat(struct parser *p);

/*
 * parse_foreign.c: add advice for syntax of other languages to an error; @first
 * began the statement
 */
void foreign_note(struct parser *p, const struct token *first);

/* parse_probe.c */
struct node *parse_trace(struct parser *p);
struct node *parse_trace_edge(struct parser *p, const char *event);
/* True if the statement begins with an event: "tick-1s", "profile:hz:99". */
bool at_timer_event(struct parser *p);
struct node *parse_timer(struct parser *p);

#endif
