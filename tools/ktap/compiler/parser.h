/* SPDX-License-Identifier: GPL-2.0 */
/* What the parts of the parser share. */
#ifndef KTAP_PARSER_H
#define KTAP_PARSER_H

#include "ast.h"
#include "layout.h"
#include "lexer.h"

#define MAX_NESTING	200	/* blocks, parentheses and unary operators */
#define MAX_HEIGHT	1000	/* of one expression's tree */

/*
 * An error sets the parser in panic: the current token becomes T_PANIC, which
 * nothing accepts, so every rule returns, until the innermost list of
 * statements finds the next one to go on with.
 */
struct parser {
	struct compiler *cc;
	struct diag *diag;
	struct lexer lx;
	struct token tok;
	struct pos end;		/* of the token before the current one */
	bool open;		/* it is a string without an end */
	struct token failed;	/* the token at which panic began */
	bool panic;
	bool over;		/* too deep or too large: give the script up */
	bool head;		/* between `trace` and its body */
	unsigned int depth;
	unsigned int height;	/* of the highest expression of this function so far */
	struct func *func;
	unsigned int loops;	/* around the current statement */
	unsigned int tables;	/* '{' of tables that are open in it */
	unsigned int guessed;	/* blocks taken to end in what has no end itself */
	struct layout *layout;	/* NULL: nobody wants to print the script */
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

void next(struct parser *p);
/* Notes for `ktapc --fmt` what the current token is there for. */
static inline void mark(struct parser *p, enum layout_flag flag)
{
	if (p->layout)
		layout_mark(p->layout, flag);
}

bool accept(struct parser *p, enum tok kind);
void expect(struct parser *p, enum tok kind);
/* "expected WHAT, found ..." at the current token. */
void unexpected(struct parser *p, const char *what);
/* The current token as messages show it. */
const char *describe_token(struct parser *p);
__attribute__((format(printf, 3, 4)))
void syntax_error(struct parser *p, struct pos pos, const char *fmt, ...);
/* Both around what recurses; enter() fails, with an error, when it is too deep. */
bool enter(struct parser *p);
void leave(struct parser *p);

struct node *parse_expr(struct parser *p);
struct node *parse_exprs(struct parser *p);
/* Calls, indices and fields, without operators. */
struct node *parse_postfix(struct parser *p);
/* Parameters and body; the current token is the '('. */
struct func *parse_function(struct parser *p, const char *name, struct pos pos);

/* parse_block.c */
struct node *parse_block(struct parser *p);
/* The body of a function that begins here. */
struct node *parse_func_body(struct parser *p, struct func *f);
struct node *parse_include(struct parser *p);

/* parse_stmt.c */
struct node *parse_statement(struct parser *p);
/* The body of if, while and for: a block or one statement. */
struct node *parse_body(struct parser *p);
struct node *parse_condition(struct parser *p);
/* Assignments and calls. */
struct node *parse_simple(struct parser *p);
/* The names and values behind `var`. */
struct node *parse_var(struct parser *p);
struct node *name_node(struct parser *p, const struct token *t);

/* parse_loop.c */
struct node *parse_loop_body(struct parser *p);
struct node *parse_for(struct parser *p);
struct node *parse_repeat(struct parser *p);

/* parse_foreign.c: notes on a syntax error what ktap writes; @first began the statement */
void foreign_note(struct parser *p, const struct token *first);

/* parse_probe.c */

struct node *parse_trace(struct parser *p);
struct node *parse_trace_edge(struct parser *p, const char *event);
/* True when a statement begins with an event: "tick-1s", "profile:hz:99". */
bool at_timer_event(struct parser *p);
struct node *parse_timer(struct parser *p);

#endif
