// SPDX-License-Identifier: GPL-2.0
/* The parser: what other languages write, and ktap in another way. */
#include <string.h>

#include "builtins.h"
#include "parser.h"
#include "util.h"

#define NO_TYPES	"there are no types: var x = 5, function f(x) { ... }"
#define BY_VAR		"'var' declares a variable: var x = 5"
#define BY_FUNCTION	"'function' declares a function: function f(x) { ... }"
#define BY_BEGIN	"write BEGIN { ... } or trace_begin { ... }"
#define BY_END		"write END { ... } or trace_end { ... }"
#define BY_ELSEIF	"write else if (...) { ... }"
#define BY_IF		"write if (...) { ... } else if (...) { ... }"
#define BY_FOR		"write for (k, v in t) { ... }"

/* Any of them may be the name of a variable or of a function: they say what an error meant. */
static const struct {
	const char *word;
	unsigned int use;
	const char *advice;
} words[] = {
	{ "auto", FOREIGN_NAME, NO_TYPES },
	{ "bool", FOREIGN_NAME, NO_TYPES },
	{ "char", FOREIGN_NAME, NO_TYPES },
	{ "int", FOREIGN_NAME, NO_TYPES },
	{ "long", FOREIGN_NAME, NO_TYPES },
	{ "string", FOREIGN_NAME, NO_TYPES },
	{ "struct", FOREIGN_NAME, NO_TYPES },
	{ "u32", FOREIGN_NAME, NO_TYPES },
	{ "u64", FOREIGN_NAME, NO_TYPES },
	{ "unsigned", FOREIGN_NAME, NO_TYPES },
	{ "void", FOREIGN_NAME, NO_TYPES },
	{ "const", FOREIGN_NAME, BY_VAR },
	{ "global", FOREIGN_NAME, BY_VAR },
	{ "let", FOREIGN_NAME, BY_VAR },
	{ "my", FOREIGN_NAME, BY_VAR },
	{ "def", FOREIGN_NAME, BY_FUNCTION },
	{ "fn", FOREIGN_NAME, BY_FUNCTION },
	{ "func", FOREIGN_NAME, BY_FUNCTION },
	{ "sub", FOREIGN_NAME, BY_FUNCTION },
	{ "BEGIN", FOREIGN_CALL, BY_BEGIN },
	{ "begin", FOREIGN_BLOCK | FOREIGN_CALL, BY_BEGIN },
	{ "tracebegin", FOREIGN_BLOCK | FOREIGN_CALL, BY_BEGIN },
	{ "trace_start", FOREIGN_BLOCK | FOREIGN_CALL, BY_BEGIN },
	{ "END", FOREIGN_CALL, BY_END },
	{ "end", FOREIGN_BLOCK | FOREIGN_CALL, BY_END },
	{ "traceend", FOREIGN_BLOCK | FOREIGN_CALL, BY_END },
	{ "elif", FOREIGN_NAME | FOREIGN_CALL, BY_ELSEIF },
	{ "elsif", FOREIGN_NAME | FOREIGN_CALL, BY_ELSEIF },
	{ "switch", FOREIGN_NAME | FOREIGN_CALL, BY_IF },
	{ "foreach", FOREIGN_NAME | FOREIGN_CALL, BY_FOR },
	{ "null", FOREIGN_VALUE, "did you mean 'nil'?" },
	{ "NULL", FOREIGN_VALUE, "did you mean 'nil'?" },
	{ "None", FOREIGN_VALUE, "did you mean 'nil'?" },
};

static const struct {
	const char *text;
	const char *advice;
} operators[] = {
	{ "->", "a field stands behind a '.': args.x" },
	{ ":=", "'=' assigns: x = 5" },
	{ "===", "'==' compares" },
	{ "!==", "'!=' compares" },
	{ "<>", "'!=' compares" },
	{ "~=", "'!=' compares" },
};

const char *foreign_advice(const char *word, unsigned int use)
{
	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if ((words[i].use & use) && !strcmp(words[i].word, word))
			return words[i].advice;
	return NULL;
}

/* Does one of @operators stand at a byte, or go on there? */
static const char *operator_at(const struct lexer *lx, size_t at)
{
	for (size_t i = 0; i < ARRAY_SIZE(operators); i++) {
		const char *op = operators[i].text;
		size_t len = strlen(op);

		for (size_t n = 0; n < len && n <= at; n++)
			if (lx->len - (at - n) >= len && !memcmp(lx->text + at - n, op, len))
				return operators[i].advice;
	}
	return NULL;
}

static size_t skip_blanks(const struct lexer *lx, size_t at)
{
	while (at < lx->len && (lx->text[at] == ' ' || lx->text[at] == '\t'))
		at++;
	return at;
}

/* Behind the parentheses that begin here, or at the end of the line */
static size_t skip_parentheses(const struct lexer *lx, size_t at)
{
	unsigned int open = 0;

	for (; at < lx->len && lx->text[at] != '\n'; at++) {
		open += lx->text[at] == '(';
		open -= lx->text[at] == ')';
		if (!open)
			return at + 1;
	}
	return at;
}

static unsigned int use_of(const struct lexer *lx, const struct token *first,
			   const struct token *failed)
{
	size_t at = skip_blanks(lx, first->end);

	if (failed->start == at && (failed->kind == T_NAME || failed->kind == T_STAR))
		return FOREIGN_NAME;
	if (at < lx->len && lx->text[at] == '{')
		return FOREIGN_BLOCK;
	if (at < lx->len && lx->text[at] == '(') {
		at = skip_blanks(lx, skip_parentheses(lx, at));
		if (at < lx->len && lx->text[at] == '{')
			return FOREIGN_CALL;
	}
	return 0;
}

/* "print x": the name of a function, and what could be its first argument. */
static bool lacks_parentheses(const struct lexer *lx, const struct token *first,
			      const struct token *failed)
{
	const struct builtin *bi = builtin_find(first->str);

	if (!bi || bi->kind != BI_FUNCTION || failed->start != skip_blanks(lx, first->end))
		return false;
	switch (failed->kind) {
	case T_NAME: case T_INT: case T_SCRIPTARG: case T_SYMBOL: case T_NIL: case T_TRUE:
	case T_FALSE: case T_MINUS: case T_NOT: case T_BANG:
		return true;
	default:
		return false;
	}
}

void foreign_note(struct parser *p, const struct token *first)
{
	const struct token *failed = &p->failed;
	const char *advice = operator_at(&p->lx, failed->start);

	/* the error is that of a string */
	if (p->open)
		return;
	if (!advice && first->kind == T_NAME)
		advice = foreign_advice(first->str, use_of(&p->lx, first, failed));
	if (advice)
		diag_note(p->diag, "%s", advice);
	else if (first->kind == T_NAME && lacks_parentheses(&p->lx, first, failed))
		diag_note(p->diag, "arguments stand in parentheses: %s(...)", first->str);
}
