// SPDX-License-Identifier: GPL-2.0
/* Split the text of a script into tokens. */
#include <string.h>

#include "compiler/clean_text.h"
#include "compiler/lexer.h"
#include "compiler/util.h"

#define MAX_NAME_LENGTH	255

static const char * const keywords[] = {
	"and", "break", "continue", "delete", "do", "else", "elseif", "false",
	"for", "function", "if", "in", "local", "nil", "not", "or", "repeat",
	"return", "then", "trace", "trace_begin", "trace_end", "true", "until",
	"var", "while",
};

/* Longer operators come first. */
static const char * const operator_tokens[] = {
	"<<<", "<<=", ">>=", "..=", "...",
	"&&", "||", "==", "!=", "<=", ">=", "<<", ">>", "++", "--",
	"+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "..",
	"+", "-", "*", "/", "%", "&", "|", "^", "~", "!", "<", ">", "=", "?",
	":", ";", ",", ".", "(", ")", "{", "}", "[", "]",
};

_Static_assert(T_AND + ARRAY_SIZE(keywords) == T_AGGREGATE, "keywords and tokens differ");
_Static_assert(T_AGGREGATE + ARRAY_SIZE(operator_tokens) == T_RBRACKET + 1,
	       "operators and tokens differ");

static const struct {
	const char *name;
	uint64_t factor;
} suffixes[] = {
	{ "ns", 1 },
	{ "us", 1000 },
	{ "ms", 1000 * 1000 },
	{ "s", 1000 * 1000 * 1000 },
	{ "m", 60ULL * 1000 * 1000 * 1000 },
	{ "h", 3600ULL * 1000 * 1000 * 1000 },
};

const char *tok_name(enum tok kind)
{
	switch (kind) {
	case T_EOF:
	case T_PANIC:
		return "end of file";
	case T_NAME:
		return "a name";
	case T_INT:
		return "an integer";
	case T_STR:
		return "a string";
	case T_SCRIPTARG:
		return "$n";
	case T_SYMBOL:
		return "a symbol of the kernel";
	case T_BAD:
		return "an invalid byte";
	default:
		return kind < T_AGGREGATE ? keywords[kind - T_AND] :
					    operator_tokens[kind - T_AGGREGATE];
	}
}

int lex_peek(const struct lexer *lx, size_t off)
{
	return off < lx->len - lx->at ? (unsigned char)lx->text[lx->at + off] : 0;
}

/* The place of the current byte in the script that was translated. */
static struct pos lexer_original_pos(const struct translation *t, size_t at)
{
	unsigned int low = 0, high = t->nmarks;

	/* marks[low] is the last one at or before the byte */
	while (high - low > 1) {
		unsigned int middle = (low + high) / 2;

		if (t->marks[middle].at <= at)
			low = middle;
		else
			high = middle;
	}
	return t->nmarks ? t->marks[low].pos : (struct pos) { .line = 1, .col = 1 };
}

struct pos lex_pos(const struct lexer *lx)
{
	if (lx->translation)
		return lexer_original_pos(lx->translation, lx->at);
	return (struct pos) {
		.line = lx->line, .col = lx->at - lx->line_start + 1, .file = lx->file,
	};
}

static void lexer_advance(struct lexer *lx)
{
	if (lx->text[lx->at++] == '\n') {
		lx->line++;
		lx->line_start = lx->at;
	}
}

/* Is it UTF-16, which Windows calls Unicode? */
static bool is_utf16(const struct lexer *lx)
{
	return (lex_peek(lx, 0) == 0xff && lex_peek(lx, 1) == 0xfe) ||
	       (lex_peek(lx, 0) == 0xfe && lex_peek(lx, 1) == 0xff);
}

void lex_init(struct lexer *lx, struct diag *diag, uint32_t file)
{
	*lx = (struct lexer) {
		.diag = diag, .file = file, .text = diag->files[file].text,
		.len = diag->files[file].len, .line = 1,
	};
	if (is_utf16(lx)) {
		diag_error(diag, (struct pos) { .file = file },
			   "this is a text in UTF-16; save it as UTF-8, or try: iconv -f UTF-16 -t UTF-8");
		lx->at = lx->len;
		return;
	}
	if (lx->len >= 4 && !memcmp(lx->text, "\177ELF", 4)) {
		diag_error(diag, (struct pos) { .file = file }, "this is a program, not a script");
		lx->at = lx->len;
		return;
	}
	if (lex_peek(lx, 0) == '#' && lex_peek(lx, 1) == '!')
		while (lx->at < lx->len && lx->text[lx->at] != '\n')
			lx->at++;
}

void lex_translated(struct lexer *lx, const struct translation *translation)
{
	lx->translation = translation;
	lx->text = translation->text;
	lx->len = translation->len;
	lx->at = 0;
}

/*
 * The token at @start has no end. A '}' in it without a '{' was meant to be
 * outside of it.
 */
static void note_braces(struct lexer *lx, size_t start)
{
	int open = 0;

	for (size_t i = start; i < lx->at && i < lx->len; i++)
		open += (lx->text[i] == '{') - (lx->text[i] == '}');
	if (open < 0)
		lx->lost_braces -= open;
}

static void skip_block_comment(struct lexer *lx)
{
	struct pos pos = lex_pos(lx);
	size_t start = lx->at;

	lx->at += 2;
	while (lx->at < lx->len) {
		if (lex_peek(lx, 0) == '*' && lex_peek(lx, 1) == '/') {
			lx->at += 2;
			return;
		}
		lexer_advance(lx);
	}
	note_braces(lx, start);
	diag_error(lx->diag, pos, "this comment has no end");
}

bool lex_skip_blanks(struct lexer *lx)
{
	uint32_t line = lx->line;

	while (lx->at < lx->len) {
		int c = lex_peek(lx, 0), d = lex_peek(lx, 1);

		if (c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v') {
			lexer_advance(lx);
		} else if (c == '#' || (c == '/' && d == '/')) {
			while (lx->at < lx->len && lx->text[lx->at] != '\n')
				lx->at++;
		} else if (c == '/' && d == '*') {
			skip_block_comment(lx);
		} else {
			break;
		}
	}
	return lx->line != line;
}

static int digit_value(int c)
{
	if (is_digit(c))
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return 99;
}

static bool lex_is_float(const struct lexer *lx, int base)
{
	int c = lex_peek(lx, 0), d = lex_peek(lx, 1);

	if (base == 16)
		return c == '.' && d != '.' && digit_value(d) < 16;
	if (c == '.')
		return d != '.' && !is_name_start(d);
	if (c != 'e' && c != 'E')
		return false;
	return is_digit(d) || ((d == '-' || d == '+') && is_digit(lex_peek(lx, 2)));
}

/* After the digits: a fraction (an error), a time suffix, or nothing. */
static void lex_suffix(struct lexer *lx, struct token *t, int base, uint64_t *val, bool *over)
{
	size_t start = lx->at, i;

	if (lex_is_float(lx, base)) {
		lx->at++;
		while (is_name_char(lex_peek(lx, 0)) || (lex_peek(lx, 0) == '.' &&
							 is_digit(lex_peek(lx, 1))))
			lx->at++;
		diag_error(lx->diag, t->pos, "'%.*s': ktap has integers only, no floating point",
			   (int)(lx->at - t->start), lx->text + t->start);
		return;
	}
	while (is_name_char(lex_peek(lx, 0)))
		lx->at++;
	if (lx->at == start)
		return;
	for (i = 0; i < ARRAY_SIZE(suffixes); i++) {
		if (strlen(suffixes[i].name) != lx->at - start ||
		    memcmp(suffixes[i].name, lx->text + start, lx->at - start))
			continue;
		if (__builtin_mul_overflow(*val, suffixes[i].factor, val) || *val > INT64_MAX)
			*over = true;
		return;
	}
	if (base == 8 || base == 2)
		diag_error(lx->diag, t->pos, "'%.*s' is not %s number",
			   (int)(lx->at - t->start), lx->text + t->start,
			   base == 8 ? "an octal" : "a binary");
	else
		diag_error(lx->diag, t->pos,
			   "'%.*s' is no suffix of an integer; known are ns, us, ms, s, m, h",
			   (int)(lx->at - start), lx->text + start);
}

static void lex_number(struct lexer *lx, struct token *t)
{
	bool over = false;
	uint64_t val = 0;
	size_t digits;
	int base = 10;
	int c = lex_peek(lx, 1);

	if (lex_peek(lx, 0) == '0' && (c == 'x' || c == 'X'))
		base = 16;
	else if (lex_peek(lx, 0) == '0' && (c == 'b' || c == 'B'))
		base = 2;
	else if (lex_peek(lx, 0) == '0' && (is_digit(c) || c == '_'))
		base = 8;
	if (base == 16 || base == 2)
		lx->at += 2;
	digits = lx->at;
	for (;; lx->at++) {
		c = lex_peek(lx, 0);
		if (c == '_' && lx->at > digits)
			continue;
		if (digit_value(c) >= base)
			break;
		over |= __builtin_mul_overflow(val, base, &val);
		over |= __builtin_add_overflow(val, digit_value(c), &val);
	}
	if (lx->at == digits)
		diag_error(lx->diag, t->pos, "'%.2s' needs digits", lx->text + t->start);
	lex_suffix(lx, t, base, &val, &over);
	t->kind = T_INT;
	t->huge = !over && base == 10 && val == (uint64_t)1 << 63;
	if (over || (val > INT64_MAX && base != 16 && !t->huge)) {
		diag_error(lx->diag, t->pos, "integer %.*s does not fit into 64 bits",
			   (int)(lx->at - t->start), lx->text + t->start);
		val = 1;
	}
	t->ival = (int64_t)val;
}

static bool at_line_end(const struct lexer *lx)
{
	int c = lex_peek(lx, 0);

	return lx->at == lx->len || c == '\n' || (c == '\r' && lex_peek(lx, 1) == '\n');
}

/*
 * Read an escape sequence after its backslash. Returns the byte, or -1 for
 * none.
 */
static int lex_escape(struct lexer *lx)
{
	static const char from[] = "abefnrtv\\\"'?";
	static const char to[] = "\a\b\033\f\n\r\t\v\\\"'?";
	struct pos pos = lex_pos(lx);
	int c = lex_peek(lx, 0), val = 0, n;
	const char *p;

	pos.col--;
	if (c == '\r' && lex_peek(lx, 1) == '\n') {
		lx->at++;
		c = '\n';
	}
	if (c == '\n') {
		lexer_advance(lx);
		return -1;
	}
	if (c >= '0' && c <= '7') {
		for (n = 0; n < 3 && lex_peek(lx, 0) >= '0' && lex_peek(lx, 0) <= '7'; n++)
			val = val * 8 + digit_value(lx->text[lx->at++]);
		if (val > 255)
			diag_error(lx->diag, pos, "octal escape is larger than a byte");
		return val & 255;
	}
	if (c == 'x') {
		lx->at++;
		for (n = 0; n < 2 && digit_value(lex_peek(lx, 0)) < 16; n++)
			val = val * 16 + digit_value(lx->text[lx->at++]);
		/* report a missing end only once */
		if (!n && !at_line_end(lx))
			diag_error(lx->diag, pos, "'\\x' needs one or two hexadecimal digits");
		return val;
	}
	p = c ? strchr(from, c) : NULL;
	if (p) {
		lx->at++;
		return to[p - from];
	}
	if (lx->at < lx->len) {
		diag_error(lx->diag, pos, "unknown escape sequence in a string");
		lexer_advance(lx);
	}
	return -1;
}

/*
 * Number of bytes from the opening to the closing quote; escapes only get
 * shorter.
 */
static size_t string_extent(const struct lexer *lx, int quote)
{
	size_t n = 1;

	while (n < lx->len - lx->at && lex_peek(lx, n) != quote && lex_peek(lx, n) != '\n') {
		if (lex_peek(lx, n) != '\\')
			n++;
		else
			n += lex_peek(lx, n + 1) == '\r' && lex_peek(lx, n + 2) == '\n' ? 3 : 2;
	}
	return n;
}

static void lex_string(struct lexer *lx, struct token *t)
{
	int quote = lex_peek(lx, 0);
	char *buf = pool_alloc(lx->diag->pool, string_extent(lx, quote));

	lx->at++;
	t->kind = T_STR;
	t->str = buf;
	while (lx->at < lx->len && lx->text[lx->at] != '\n') {
		int c = lex_peek(lx, 0);

		if (c == quote) {
			lx->at++;
			return;
		}
		lx->at++;
		if (c == '\\')
			c = lex_escape(lx);
		if (c >= 0)
			buf[t->len++] = c;
	}
	t->open = true;
	note_braces(lx, t->start);
	diag_error(lx->diag, t->pos, "this string has no closing %c", quote);
}

static void lex_raw_string(struct lexer *lx, struct token *t)
{
	size_t start;

	lx->at += 2;
	if (lex_peek(lx, 0) == '\r' && lex_peek(lx, 1) == '\n')
		lexer_advance(lx);
	if (lex_peek(lx, 0) == '\n')
		lexer_advance(lx);
	start = lx->at;
	t->kind = T_STR;
	while (lx->at < lx->len && !(lex_peek(lx, 0) == ']' && lex_peek(lx, 1) == ']'))
		lexer_advance(lx);
	t->len = lx->at - start;
	t->str = pool_strndup(lx->diag->pool, lx->text + start, t->len);
	if (lx->at < lx->len) {
		lx->at += 2;
		return;
	}
	t->open = true;
	note_braces(lx, t->start);
	diag_error(lx->diag, t->pos, "this string has no closing ]]");
}

static void lex_name(struct lexer *lx, struct token *t)
{
	size_t i;

	while (is_name_char(lex_peek(lx, 0)))
		lx->at++;
	t->len = lx->at - t->start;
	if (t->len > MAX_NAME_LENGTH) {
		diag_error(lx->diag, t->pos, "a name has at most %u bytes", MAX_NAME_LENGTH);
		t->len = MAX_NAME_LENGTH;
	}
	t->str = pool_strndup(lx->diag->pool, lx->text + t->start, t->len);
	t->kind = T_NAME;
	for (i = 0; i < ARRAY_SIZE(keywords); i++)
		if (!strcmp(keywords[i], t->str))
			t->kind = T_AND + i;
}

static void lex_script_arg(struct lexer *lx, struct token *t)
{
	lx->at++;
	t->kind = T_SCRIPTARG;
	if (!is_digit(lex_peek(lx, 0))) {
		diag_error(lx->diag, t->pos, "'$' needs the number of a script argument");
		if (is_name_start(lex_peek(lx, 0)))
			diag_note(lx->diag, "names of variables have no '$': var x = 5");
		while (is_name_char(lex_peek(lx, 0)))
			lx->at++;
		return;
	}
	for (; is_digit(lex_peek(lx, 0)); lx->at++)
		if (t->ival < 1000000)
			t->ival = t->ival * 10 + lex_peek(lx, 0) - '0';
}

static bool is_symbol_char(int c)
{
	return is_name_char(c) || c == '.' || c == '$' || c == ':';
}

/* `name` or `module:name` */
static void lex_symbol(struct lexer *lx, struct token *t)
{
	size_t start = ++lx->at;

	while (is_symbol_char(lex_peek(lx, 0)))
		lx->at++;
	t->kind = T_SYMBOL;
	t->len = lx->at - start;
	t->str = pool_strndup(lx->diag->pool, lx->text + start, t->len);
	if (lex_peek(lx, 0) != '`')
		diag_error(lx->diag, t->pos,
			   "write a symbol of the kernel between two `, as in `jiffies`");
	else if (!t->len || t->len > MAX_NAME_LENGTH)
		diag_error(lx->diag, t->pos, "a symbol of the kernel has 1 to %u bytes",
			   MAX_NAME_LENGTH);
	while (lx->at < lx->len && lex_peek(lx, 0) != '`' && lex_peek(lx, 0) != '\n')
		lx->at++;
	if (lex_peek(lx, 0) == '`')
		lx->at++;
}

static bool lex_operator(struct lexer *lx, struct token *t)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(operator_tokens); i++) {
		size_t n = strlen(operator_tokens[i]);

		if (lx->plain_slash && lx->text[lx->at] == '/' && n > 1)
			continue;
		if (lx->len - lx->at >= n && !memcmp(lx->text + lx->at, operator_tokens[i], n)) {
			t->kind = T_AGGREGATE + i;
			lx->at += n;
			return true;
		}
	}
	return false;
}

/* Return the character here, if it takes several bytes in UTF-8, or 0; *@len gets its length. */
static unsigned int lex_wide_char(const struct lexer *lx, size_t *len)
{
	const unsigned char *p = (const unsigned char *)lx->text + lx->at;
	unsigned int c;

	*len = utf8_length(p, lx->len - lx->at);
	if (*len == 1)
		return 0;
	c = p[0] & (0xff >> (*len + 1));
	for (size_t i = 1; i < *len; i++)
		c = c << 6 | (p[i] & 0x3f);
	return c;
}

/* Blanks of other widths, blanks without a line break, and characters without a width. */
static bool is_invisible(unsigned int c)
{
	return c == 0xa0 || c == 0xad || (c >= 0x2000 && c <= 0x200f) || c == 0x202f ||
	       (c >= 0x205f && c <= 0x2064) || c == 0x3000 || c == 0xfeff;
}

static bool is_dash(unsigned int c)
{
	return (c >= 0x2010 && c <= 0x2015) || c == 0x2212;
}

static void lex_report_wide(struct lexer *lx, struct pos pos, unsigned int c, size_t len)
{
	const char *text = lx->text + lx->at;

	if (c >= 0x2018 && c <= 0x201f)
		diag_error(lx->diag, pos, "a typographic quote; write a string in \"\" or ''");
	else if (is_invisible(c))
		diag_error(lx->diag, pos,
			   "an invisible character, U+%04X; remove it, or type a blank", c);
	else if (is_dash(c))
		diag_error(lx->diag, pos, "a typographic dash; write '-'");
	else if (c < 0xa0)
		diag_error(lx->diag, pos, "stray U+%04X in the script", c);
	else
		diag_error(lx->diag, pos,
			   "stray '%.*s' in the script; names have only ASCII letters, digits and _",
			   (int)len, text);
}

/* Report a byte that begins no token, once for a run of such bytes. */
static void lex_bad(struct lexer *lx, struct token *t)
{
	int c = lex_peek(lx, 0);
	unsigned int wide;
	size_t len;

	t->kind = T_BAD;
	wide = lex_wide_char(lx, &len);
	if (wide)
		lex_report_wide(lx, t->pos, wide, len);
	else if (c > ' ' && c < 127)
		diag_error(lx->diag, t->pos, "stray '%c' in the script", c);
	else
		diag_error(lx->diag, t->pos, "stray byte 0x%02x in the script", c);
	do {
		lx->at++;
		c = lx->at < lx->len ? lex_peek(lx, 0) : '\n';
	} while (c != '\n' && (c < ' ' || c >= 127));
}

/*
 * @name of bpftrace and DTrace: a name, after an error. A name without '@' is
 * an error of its own.
 */
static void lex_at_sign(struct lexer *lx, struct token *t)
{
	struct pos pos = t->pos;

	lx->at++;
	if (is_name_start(lex_peek(lx, 0))) {
		t->start = lx->at;
		t->pos = lex_pos(lx);
		lex_name(lx, t);
	}
	diag_error(lx->diag, pos, "stray '@' in the script");
	if (t->kind == T_NAME)
		diag_note(lx->diag, "names of variables and tables have no '@': %s", t->str);
	else
		diag_note(lx->diag, "a variable or table has a name, and no '@': t[comm] += 1");
	if (t->kind != T_NAME)
		t->kind = T_BAD;
}

void lex_next(struct lexer *lx, struct token *t)
{
	bool newline = !lx->at;
	int c;

	newline |= lex_skip_blanks(lx);
	*t = (struct token) {
		.kind = T_EOF, .pos = lex_pos(lx), .start = lx->at, .newline = newline,
	};
	c = lex_peek(lx, 0);
	if (lx->at >= lx->len) {
		t->end = lx->at;
		return;
	}
	if (is_digit(c))
		lex_number(lx, t);
	else if (is_name_start(c))
		lex_name(lx, t);
	else if (c == '"' || c == '\'')
		lex_string(lx, t);
	else if (c == '[' && lex_peek(lx, 1) == '[')
		lex_raw_string(lx, t);
	else if (c == '$')
		lex_script_arg(lx, t);
	else if (c == '`')
		lex_symbol(lx, t);
	else if (c == '@')
		lex_at_sign(lx, t);
	else if (!lex_operator(lx, t))
		lex_bad(lx, t);
	t->end = lx->at;
}
