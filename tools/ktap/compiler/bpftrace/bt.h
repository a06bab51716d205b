/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Scripts of bpftrace.
 *
 * A script becomes a small tree, and the tree the text of a ktap script, which
 * the compiler then reads instead of the file.  Marks say which place of the
 * script each piece of the text comes from: positions in messages, and in the
 * chunk, are those of the script.
 */
#ifndef KTAP_BT_H
#define KTAP_BT_H

#include "compiler/ast.h"
#include "compiler/translation.h"

#define BT_MAX_DEPTH	150	/* of blocks and expressions */

enum bt_token_kind {
	BT_END, BT_INT, BT_STR, BT_NAME, BT_MAP, BT_VAR, BT_PARAM, BT_OP, BT_BAD,
};

/**
 * struct bt_token - a word of the script
 * @op: the operator, one of a table; "" if it is none
 * @text: the name, without its '@' or '$'; a string as it is written
 * @comment: the comments before it
 */
struct bt_token {
	enum bt_token_kind kind;
	struct pos pos;
	const char *op;
	const char *text;
	size_t start, end;
	int64_t value;
	const char *comment;
};

struct bt_lexer {
	struct compiler *cc;
	const char *text;
	size_t len, at;
	uint32_t line;
	size_t line_start;
};

enum bt_kind {
	/* expressions */
	BN_INT, BN_STR, BN_BOOL, BN_MAP, BN_VAR, BN_PARAM, BN_NAME, BN_CALL, BN_UNARY,
	BN_BINARY, BN_CHOICE, BN_FIELD, BN_INDEX, BN_TUPLE, BN_CAST, BN_DEREF,
	/* statements */
	BN_EXPR, BN_ASSIGN, BN_LET, BN_IF, BN_WHILE, BN_UNROLL, BN_FOR, BN_RANGE, BN_JUMP,
	BN_BLOCK,
};

/**
 * struct bt_node - an expression or a statement
 * @op: operator of BN_UNARY, BN_BINARY, BN_ASSIGN; the statement of BN_JUMP
 * @text: the name; a literal as it is written; the type of BN_CAST
 * @value: BN_EXPR: it ends its block without ';', and is the value of that
 * @pointer: BN_CAST: to a pointer
 * @a: operand, target, condition, or the list of keys, arguments, items
 * @b: the second operand, value, body
 * @c: the third operand, the other branch
 * @next: the next of a list
 * @comment: comments before a statement
 */
struct bt_node {
	enum bt_kind kind;
	struct pos pos;
	const char *op;
	const char *text;
	int64_t value;
	bool pointer;
	struct bt_node *a, *b, *c, *next;
	const char *comment;
};

/* An event, and all events of a block. */
struct bt_event {
	struct pos pos;
	const char *text;
	struct bt_event *next;
};

struct bt_probe {
	struct bt_event *events;
	struct bt_node *filter;
	struct bt_node *body;
	const char *comment;
	struct bt_probe *next;
};

/* @params: BN_VAR and BN_MAP, which the macro may change, and BN_NAME, an expression */
struct bt_macro {
	const char *name;
	struct bt_node *params;
	struct bt_node *body;
	struct bt_macro *next;
};

enum bt_map_kind {
	BM_VALUE, BM_COUNT, BM_SUM, BM_AVG, BM_MIN, BM_MAX, BM_STATS, BM_HIST, BM_LHIST,
};

enum bt_type { BT_ANY, BT_INTEGER, BT_STRING, BT_BOOLEAN, BT_TUPLE, BT_STACK };

/**
 * struct bt_map - a map
 * @name: of bpftrace, without '@'
 * @ours: of the variable
 * @keys: number of parts of its keys, 0 for a single value; -1: not known yet
 * @items: parts of its values if they are tuples
 * @set: the script assigns to it
 * @printed: a function prints it
 * @limited: that function takes a number of entries and a divisor
 * @shape: arguments of hist() and lhist() after the value
 */
struct bt_map {
	const char *name;
	const char *ours;
	struct pos pos;
	int keys;
	enum bt_map_kind kind;
	enum bt_type type;
	unsigned int items;
	bool set;
	bool printed;
	bool limited;
	struct bt_node *shape;
	struct bt_map *next;
};

/* A variable, in a list with the innermost first. */
struct bt_var {
	const char *name;
	const char *ours;
	enum bt_type type;
	unsigned int items;	/* of a tuple */
	const struct bt_map *loop;	/* it has the entries of this map */
	struct bt_var *outer;
};

/* What is the block being translated for? */
enum bt_place { BT_IN_EVENT, BT_IN_PROCESS };

/**
 * struct bt_script - a script and its translation
 * @types: declarations in C
 * @expansions: calls of macros, and values of blocks
 * @copied: nodes that macros have become
 * @silent: config: do not print maps at the end
 * @filter: the text is in a filter
 * @probe_text: the value of ``probe`` in this block, as ktap writes it
 */
struct bt_script {
	struct compiler *cc;
	struct bt_probe *probes;
	struct bt_macro *macros;
	struct bt_node *limits;		/* of declared maps: the name, and the number of keys */
	unsigned int expansions;
	unsigned int copied;
	struct bt_map *maps;
	struct bt_node *types;
	struct bt_node *symbols;	/* kaddr("name") */
	struct bt_var *vars;
	bool silent;
	int64_t max_keys;
	bool counts_params;
	unsigned int helpers;
	enum bt_place place;
	bool filter;
	const char *probe_text;
	unsigned int depth;
	unsigned int indent;
	struct translation *out;
	unsigned int max_marks;
	size_t max_text;
};

/* bt_lex.c */
void bt_lex_init(struct bt_lexer *lx, struct compiler *cc);
void bt_lex_next(struct bt_lexer *lx, struct bt_token *t);
struct pos bt_lex_pos(const struct bt_lexer *lx);
void bt_lex_advance(struct bt_lexer *lx);
/* Skip blanks and comments; returns the comments, or NULL. */
const char *bt_lex_blanks(struct bt_lexer *lx);

/* The parser. @failed: no token is accepted any more. */
struct bt_parser {
	struct compiler *cc;
	struct bt_script *script;
	struct bt_lexer lx;
	struct bt_token tok;
	unsigned int depth;
	bool failed;
};

/* bt_parse.c */
void bt_parse(struct bt_script *s);
void bt_next(struct bt_parser *p);
bool bt_is(const struct bt_parser *p, const char *op);
bool bt_accept(struct bt_parser *p, const char *op);
void bt_expect(struct bt_parser *p, const char *op);
bool bt_is_word(const struct bt_parser *p, const char *word);
/* The current token as it is written, for messages. */
const char *bt_found(const struct bt_parser *p);
bool bt_enter(struct bt_parser *p);
/* An error, with a note unless it is NULL; the parser stops. */
void bt_fail(struct bt_parser *p, struct pos pos, const char *note, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
struct bt_node *bt_node(struct bt_parser *p, enum bt_kind kind, struct pos pos);

/* bt_parse_expr.c */
struct bt_node *bt_parse_expr(struct bt_parser *p);
struct bt_node *bt_parse_unary(struct bt_parser *p);
/* Expressions with commas between, up to @end. */
struct bt_node *bt_parse_list(struct bt_parser *p, const char *end);

struct bt_node *bt_parse_block(struct bt_parser *p);

/* bt_macro.c: after this, blocks are statements only, and there are no macros. */
void bt_expand_macros(struct bt_script *s);

/* bt_maps.c: find out what each map is */
void bt_find_maps(struct bt_script *s);
struct bt_map *bt_map_find(const struct bt_script *s, const char *name);
/* The map of @map or @map[key]; NULL if it is none. */
struct bt_map *bt_map_of(const struct bt_script *s, const struct bt_node *n);
/* The function that makes an aggregation; false if it does not. */
bool bt_map_function(const char *name, enum bt_map_kind *kind);
/* A name for a map or variable that means nothing else in ktap. */
const char *bt_our_name(struct bt_script *s, const char *name, const char *suffix);

/* bt_write.c: the text */
void bt_put(struct bt_script *s, struct pos pos, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Begin a line. */
void bt_line(struct bt_script *s);
void bt_error(struct bt_script *s, struct pos pos, const char *note, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* bt_expr.c */
enum bt_type bt_type_of(struct bt_script *s, const struct bt_node *n);
struct bt_var *bt_var_find(const struct bt_script *s, const char *name);
/* Any value; a missing entry is 0 or "". */
void bt_value(struct bt_script *s, const struct bt_node *n);
/* For arithmetic: a comparison is 0 or 1. */
void bt_number(struct bt_script *s, const struct bt_node *n, unsigned int level);
/* A condition. */
void bt_truth(struct bt_script *s, const struct bt_node *n);
/* Parts of a key, or values, with commas between. */
void bt_values(struct bt_script *s, const struct bt_node *list, bool keys);
/* "map" or "map[key]" */
void bt_place_of(struct bt_script *s, const struct bt_node *n);
/* Is it a value such as pid, which may also be called without arguments? */
bool bt_is_builtin(const char *name);
/* Can it be written in a filter, where names are fields first? */
bool bt_fits_filter(const struct bt_node *n);

/* bt_call.c */
void bt_call(struct bt_script *s, const struct bt_node *n, bool statement);
enum bt_type bt_call_type(const char *name);
/* May it give nil, where bpftrace has an empty string? */
bool bt_call_may_fail(const char *name);
unsigned int bt_list_length(const struct bt_node *n);

/* bt_print.c */
void bt_print(struct bt_script *s, const struct bt_node *n);
void bt_print_end(struct bt_script *s);
void bt_print_helpers(struct bt_script *s);

/* bt_event.c */
/* The event in ktap's spelling; NULL after an error. *place: where its block runs. */
const char *bt_event(struct bt_script *s, const struct bt_event *event, enum bt_place *place);

/* bt_lower.c */
void bt_lower(struct bt_script *s);

#endif
