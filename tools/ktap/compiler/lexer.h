/* SPDX-License-Identifier: GPL-2.0 */
/* The tokens of the language. */
#ifndef KTAP_LEXER_H
#define KTAP_LEXER_H

#include "compiler/diag.h"
#include "compiler/translation.h"

enum tok {
	T_EOF,
	T_PANIC,	/* the parser skips to the next statement */
	T_NAME,
	T_INT,
	T_STR,
	T_SCRIPTARG,	/* $1 */
	T_SYMBOL,
	T_BAD,		/* no token; reported */

	/* keywords, in the order of the table in lexer.c */
	T_AND, T_BREAK, T_CONTINUE, T_DELETE, T_DO, T_ELSE, T_ELSEIF, T_FALSE,
	T_FOR, T_FUNCTION, T_IF, T_IN, T_LOCAL, T_NIL, T_NOT, T_OR, T_REPEAT,
	T_RETURN, T_THEN, T_TRACE, T_TRACE_BEGIN, T_TRACE_END, T_TRUE, T_UNTIL,
	T_VAR, T_WHILE,

	/* operators, in the order of the table in lexer.c */
	T_AGGREGATE, T_SHL_ASSIGN, T_SHR_ASSIGN, T_CONCAT_ASSIGN, T_ELLIPSIS,
	T_ANDAND, T_OROR, T_EQ, T_NE, T_LE, T_GE, T_SHL, T_SHR, T_INC, T_DEC,
	T_ADD_ASSIGN, T_SUB_ASSIGN, T_MUL_ASSIGN, T_DIV_ASSIGN, T_MOD_ASSIGN,
	T_AND_ASSIGN, T_OR_ASSIGN, T_XOR_ASSIGN, T_CONCAT,
	T_PLUS, T_MINUS, T_STAR, T_SLASH, T_PERCENT, T_AMP, T_PIPE, T_CARET,
	T_TILDE, T_BANG, T_LT, T_GT, T_ASSIGN, T_QUESTION, T_COLON, T_SEMI,
	T_COMMA, T_DOT, T_LPAREN, T_RPAREN, T_LBRACE, T_RBRACE, T_LBRACKET,
	T_RBRACKET,
};

struct token {
	enum tok kind;
	struct pos pos;
	size_t start;		/* first byte in the source */
	size_t end;		/* after its last */
	bool newline;		/* first of its line */
	bool open;		/* a string without an end, and reported */
	bool huge;		/* the integer is 2^63: only -2^63 fits */
	int64_t ival;
	const char *str;
	size_t len;
};

struct lexer {
	struct diag *diag;
	uint32_t file;
	const char *text;
	size_t len;
	size_t at;
	uint32_t line;
	size_t line_start;
	bool plain_slash;	/* '/' may end a filter here: no '/=' */
	const struct translation *translation;	/* the text is that; or NULL */
	unsigned int lost_braces; /* number of '}' in a token without an end */
};

/* Start with a file of diag->files. */
void lex_init(struct lexer *lx, struct diag *diag, uint32_t file);
/* Read a translation of that file instead. */
void lex_translated(struct lexer *lx, const struct translation *translation);
void lex_next(struct lexer *lx, struct token *t);
/* Skip blanks and comments; true if there was a newline. */
bool lex_skip_blanks(struct lexer *lx);
/* The byte at offset `off`, 0 at the end. */
int lex_peek(const struct lexer *lx, size_t off);
struct pos lex_pos(const struct lexer *lx);
/* Spelling of a token, for messages. */
const char *tok_name(enum tok kind);

static inline bool is_name_start(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static inline bool is_digit(int c)
{
	return c >= '0' && c <= '9';
}

static inline bool is_name_char(int c)
{
	return is_name_start(c) || is_digit(c);
}

/* Is all of the text a name? */
static inline bool is_name(const char *text)
{
	if (!is_name_start((unsigned char)*text))
		return false;
	while (is_name_char((unsigned char)*text))
		text++;
	return !*text;
}

#endif
