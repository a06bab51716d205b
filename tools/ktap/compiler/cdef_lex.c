// SPDX-License-Identifier: GPL-2.0
/* C declarations: tokens. */
#include <string.h>

#include "compiler/cdef.h"
#include "compiler/lexer.h"
#include "compiler/util.h"

/* With "struct " before it, the name is not longer than the kernel allows. */
#define CDEF_MAX_NAME	(KTAP_MAX_TYPE_NAME - 7)

static const struct {
	const char *text;
	int kind;
} signs[] = {
	{ "...", C_ELLIPSIS }, { "<<", C_SHL }, { ">>", C_SHR }, { "&&", C_AND }, { "||", C_OR },
	{ "==", C_EQ }, { "!=", C_NE }, { "<=", C_LE }, { ">=", C_GE },
};

static int cdef_peek(const struct cdef_lexer *lx, size_t off)
{
	return off < lx->end - lx->at ? (unsigned char)lx->text[lx->at + off] : 0;
}

static void cdef_advance(struct cdef_lexer *lx)
{
	if (lx->text[lx->at++] != '\n')
		return;
	if (lx->exact) {
		lx->line.line++;
		lx->line.col = 1;
	}
	lx->line_start = lx->at;
}

static struct pos cdef_pos(const struct cdef_lexer *lx)
{
	struct pos pos = lx->line;

	if (lx->exact)
		pos.col += lx->at - lx->line_start;
	return pos;
}

static void cdef_bad(struct cdef_token *t, const char *what)
{
	t->kind = C_BAD;
	t->str = what;
}

/* Skip blanks and comments; a comment without an end becomes the token. */
static bool cdef_skip(struct cdef_lexer *lx, struct cdef_token *t)
{
	for (;;) {
		int c = cdef_peek(lx, 0);

		if (c == ' ' || (c >= '\t' && c <= '\r')) {
			cdef_advance(lx);
		} else if (c == '/' && cdef_peek(lx, 1) == '/') {
			while (lx->at < lx->end && cdef_peek(lx, 0) != '\n')
				cdef_advance(lx);
		} else if (c == '/' && cdef_peek(lx, 1) == '*') {
			t->pos = cdef_pos(lx);
			lx->at += 2;
			while (lx->at < lx->end &&
			       !(cdef_peek(lx, 0) == '*' && cdef_peek(lx, 1) == '/'))
				cdef_advance(lx);
			if (lx->at >= lx->end) {
				cdef_bad(t, "this comment has no end");
				return false;
			}
			lx->at += 2;
		} else {
			return true;
		}
	}
}

static int cdef_digit(int c)
{
	if (is_digit(c))
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : 16;
}

/* 10, 0x10, 010, with suffixes u and l */
static void cdef_number(struct cdef_lexer *lx, struct cdef_token *t)
{
	bool over = false, digits = false;
	uint64_t val = 0;
	int base = 10;

	if (cdef_peek(lx, 0) == '0' && (cdef_peek(lx, 1) | 0x20) == 'x') {
		base = 16;
		lx->at += 2;
	} else if (cdef_peek(lx, 0) == '0') {
		base = 8;
	}
	for (; cdef_digit(cdef_peek(lx, 0)) < base; lx->at++) {
		over |= __builtin_mul_overflow(val, base, &val);
		over |= __builtin_add_overflow(val, cdef_digit(cdef_peek(lx, 0)), &val);
		digits = true;
	}
	while (cdef_peek(lx, 0) && strchr("uUlL", cdef_peek(lx, 0)))
		lx->at++;
	t->kind = C_INT;
	t->value = val;
	if (!digits || is_name_char(cdef_peek(lx, 0)) || cdef_peek(lx, 0) == '.')
		cdef_bad(t, "this is no integer of C");
	else if (over)
		cdef_bad(t, "this integer does not fit into 64 bits");
}

/* 'x' and '\n' */
static void cdef_character(struct cdef_lexer *lx, struct cdef_token *t)
{
	static const char from[] = "0abfnrtv\\\"'?", to[] = "\0\a\b\f\n\r\t\v\\\"'?";
	int c = cdef_peek(lx, 1), n = 2;
	const char *p;

	if (c == '\\') {
		c = cdef_peek(lx, n++);
		p = c ? strchr(from, c) : NULL;
		c = p ? to[p - from] : -1;
	}
	if (c < 0 || cdef_peek(lx, n) != '\'') {
		lx->at++;
		cdef_bad(t, "a character constant is one character, as in 'x'");
		return;
	}
	lx->at += n + 1;
	t->kind = C_INT;
	t->value = c;
}

static void cdef_name(struct cdef_lexer *lx, struct cdef_token *t)
{
	size_t start = lx->at;

	while (is_name_char(cdef_peek(lx, 0)))
		lx->at++;
	t->kind = C_NAME;
	if (lx->at - start > CDEF_MAX_NAME)
		cdef_bad(t, "a name in C declarations has at most 120 bytes");
	else
		t->str = pool_strndup(lx->pool, lx->text + start, lx->at - start);
}

static void cdef_sign(struct cdef_lexer *lx, struct cdef_token *t)
{
	size_t i, len;

	t->kind = cdef_peek(lx, 0);
	for (i = 0; i < ARRAY_SIZE(signs); i++) {
		len = strlen(signs[i].text);
		if (lx->end - lx->at < len || memcmp(lx->text + lx->at, signs[i].text, len))
			continue;
		t->kind = signs[i].kind;
		lx->at += len;
		return;
	}
	if (t->kind == '#')
		cdef_bad(t, "there is no C preprocessor here: for a constant write enum { NAME = 1 };");
	else if (!t->kind || !strchr("{}()[];:,*=+-/%&|^~!<>?", t->kind))
		cdef_bad(t, "this byte has no meaning in C declarations");
	lx->at++;
}

void cdef_next(struct cdef_lexer *lx, struct cdef_token *t)
{
	int c;

	*t = (struct cdef_token) { .kind = C_EOF };
	if (!cdef_skip(lx, t))
		return;
	t->pos = cdef_pos(lx);
	t->start = lx->at;
	c = cdef_peek(lx, 0);
	if (lx->at >= lx->end)
		return;
	if (is_digit(c))
		cdef_number(lx, t);
	else if (is_name_start(c))
		cdef_name(lx, t);
	else if (c == '\'')
		cdef_character(lx, t);
	else
		cdef_sign(lx, t);
	t->end = lx->at;
}
