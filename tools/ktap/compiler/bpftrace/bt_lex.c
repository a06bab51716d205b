// SPDX-License-Identifier: GPL-2.0
/* Split a script of bpftrace into tokens. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/lexer.h"
#include "compiler/util.h"

/* Longer operators come first. */
static const char * const bt_operators[] = {
	"<<=", ">>=", "...",
	"&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "++", "--", "->", "..",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "::",
	"+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "?",
	":", ";", ",", ".", "(", ")", "{", "}", "[", "]", "#",
};

#define BT_KTAP_SUFFIXES	6	/* those that ktap has, too */

static const struct {
	const char *name;
	uint64_t factor;
} bt_suffixes[] = {
	{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	{ "m", 60000000000 }, { "h", 3600000000000 }, { "d", 86400000000000 },
	{ "u", 1 }, { "l", 1 }, { "ul", 1 }, { "ll", 1 }, { "ull", 1 },
	{ "U", 1 }, { "L", 1 }, { "UL", 1 }, { "LL", 1 }, { "ULL", 1 },
};

static int bt_peek(const struct bt_lexer *lx, size_t off)
{
	return off < lx->len - lx->at ? (unsigned char)lx->text[lx->at + off] : 0;
}

struct pos bt_lex_pos(const struct bt_lexer *lx)
{
	return (struct pos) {
		.line = lx->line, .col = lx->at - lx->line_start + 1, .file = lx->file,
	};
}

void bt_lex_advance(struct bt_lexer *lx)
{
	if (lx->text[lx->at++] == '\n') {
		lx->line++;
		lx->line_start = lx->at;
	}
}

void bt_lex_init(struct bt_lexer *lx, struct compiler *cc, unsigned int file)
{
	*lx = (struct bt_lexer) {
		.cc = cc, .text = cc->diag.files[file].text, .len = cc->diag.files[file].len,
		.file = file, .line = 1,
	};
	if (bt_peek(lx, 0) == '#' && bt_peek(lx, 1) == '!')
		while (lx->at < lx->len && lx->text[lx->at] != '\n')
			lx->at++;
}

static bool bt_lex_comment(struct bt_lexer *lx)
{
	struct pos pos = bt_lex_pos(lx);

	if (bt_peek(lx, 0) != '/' || (bt_peek(lx, 1) != '/' && bt_peek(lx, 1) != '*'))
		return false;
	if (bt_peek(lx, 1) == '/') {
		while (lx->at < lx->len && lx->text[lx->at] != '\n')
			lx->at++;
		return true;
	}
	lx->at += 2;
	while (lx->at < lx->len && !(bt_peek(lx, 0) == '*' && bt_peek(lx, 1) == '/'))
		bt_lex_advance(lx);
	if (lx->at == lx->len)
		diag_error(&lx->cc->diag, pos, "this comment has no end");
	else
		lx->at += 2;
	return true;
}

const char *bt_lex_blanks(struct bt_lexer *lx)
{
	const char *comments = NULL;
	size_t start;
	int c;

	for (;;) {
		c = bt_peek(lx, 0);
		start = lx->at;
		if (lx->at < lx->len && (c == ' ' || (c >= '\t' && c <= '\r')))
			bt_lex_advance(lx);
		else if (bt_lex_comment(lx))
			comments = pool_printf(&lx->cc->pool, "%s%.*s\n",
					       comments ? comments : "",
					       (int)(lx->at - start), lx->text + start);
		else
			return comments;
	}
}

static void bt_lex_number(struct bt_lexer *lx, struct bt_token *t)
{
	char digits[80];
	uint64_t factor = 1, value, power;
	bool foreign = false;
	size_t n = 0;
	char *end;

	while (is_name_char(bt_peek(lx, 0))) {
		if (n < sizeof(digits) - 1 && bt_peek(lx, 0) != '_')
			digits[n++] = bt_peek(lx, 0);
		lx->at++;
	}
	digits[n] = 0;
	t->kind = BT_INT;
	errno = 0;
	value = strtoull(digits, &end, 0);
	/* 1e6 */
	if (*end == 'e' && is_digit(end[1])) {
		foreign = true;
		for (power = strtoull(end + 1, &end, 10); power && value && !errno; power--)
			if (__builtin_mul_overflow(value, 10, &value))
				errno = ERANGE;
	}
	for (size_t i = 0; *end && i < ARRAY_SIZE(bt_suffixes); i++) {
		if (!strcmp(end, bt_suffixes[i].name)) {
			factor = bt_suffixes[i].factor;
			foreign |= i >= BT_KTAP_SUFFIXES;
			*end = 0;
		}
	}
	if (__builtin_mul_overflow(value, factor, &value) || errno)
		diag_error(&lx->cc->diag, t->pos, "this integer does not fit into 64 bits");
	else if (*end)
		diag_error(&lx->cc->diag, t->pos, "'%.*s' is no integer", (int)(lx->at - t->start),
			   lx->text + t->start);
	t->value = value;
	/* ktap spells neither powers of ten nor the suffixes of C and of days */
	if (value > INT64_MAX)
		t->text = pool_printf(&lx->cc->pool, "%#llx", (unsigned long long)value);
	else if (foreign)
		t->text = pool_printf(&lx->cc->pool, "%lld", (long long)value);
}

static void bt_lex_string(struct bt_lexer *lx, struct bt_token *t)
{
	lx->at++;
	while (lx->at < lx->len && lx->text[lx->at] != '"') {
		if (lx->text[lx->at] == '\n')
			break;
		lx->at += lx->text[lx->at] == '\\' && lx->at + 1 < lx->len &&
			  lx->text[lx->at + 1] != '\n';
		lx->at++;
	}
	if (bt_peek(lx, 0) != '"') {
		diag_error(&lx->cc->diag, t->pos, "this string has no end on its line");
		t->text = "\"\"";	/* who takes the quotes off finds both */
	} else {
		lx->at++;
		if (memchr(lx->text + t->start, '\0', lx->at - t->start)) {
			diag_error(&lx->cc->diag, t->pos,
				   "this string has a byte of zero: is the file text?");
			t->text = "\"\"";
		}
	}
	t->kind = BT_STR;
}

static void bt_lex_name(struct bt_lexer *lx, struct bt_token *t, enum bt_token_kind kind,
			size_t skip)
{
	lx->at += skip;
	while (is_name_char(bt_peek(lx, 0)))
		lx->at++;
	t->kind = kind;
	t->text = pool_strndup(&lx->cc->pool, lx->text + t->start + skip,
			       lx->at - t->start - skip);
}

static void bt_lex_param(struct bt_lexer *lx, struct bt_token *t)
{
	lx->at++;
	t->kind = BT_PARAM;
	if (bt_peek(lx, 0) == '#') {
		lx->at++;
		t->value = -1;
		return;
	}
	while (is_digit(bt_peek(lx, 0))) {
		if (t->value < 1000000)
			t->value = t->value * 10 + bt_peek(lx, 0) - '0';
		lx->at++;
	}
}

static bool bt_lex_operator(struct bt_lexer *lx, struct bt_token *t)
{
	for (size_t i = 0; i < ARRAY_SIZE(bt_operators); i++) {
		size_t len = strlen(bt_operators[i]);

		if (len <= lx->len - lx->at && !memcmp(lx->text + lx->at, bt_operators[i], len)) {
			lx->at += len;
			t->kind = BT_OP;
			t->op = bt_operators[i];
			return true;
		}
	}
	return false;
}

void bt_lex_next(struct bt_lexer *lx, struct bt_token *t)
{
	const char *comment = bt_lex_blanks(lx);
	int c = bt_peek(lx, 0);

	*t = (struct bt_token) {
		.kind = BT_END, .pos = bt_lex_pos(lx), .op = "", .start = lx->at,
		.comment = comment,
	};
	if (lx->at == lx->len)
		;
	else if (is_digit(c))
		bt_lex_number(lx, t);
	else if (is_name_start(c))
		bt_lex_name(lx, t, BT_NAME, 0);
	else if (c == '@')
		bt_lex_name(lx, t, BT_MAP, 1);
	else if (c == '$' && is_name_start(bt_peek(lx, 1)))
		bt_lex_name(lx, t, BT_VAR, 1);
	else if (c == '$' && (is_digit(bt_peek(lx, 1)) || bt_peek(lx, 1) == '#'))
		bt_lex_param(lx, t);
	else if (c == '"')
		bt_lex_string(lx, t);
	else if (!bt_lex_operator(lx, t)) {
		t->kind = BT_BAD;
		lx->at++;
	}
	t->end = lx->at;
	if (!t->text)
		t->text = pool_strndup(&lx->cc->pool, lx->text + t->start, t->end - t->start);
}
