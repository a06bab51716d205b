// SPDX-License-Identifier: GPL-2.0
/*
 * Print a script in the canonical layout.
 *
 * Tokens and comments are kept, and so are line breaks inside statements, because
 * a newline can be significant there: "f\n(x)" is not a call. The formatter decides
 * the blanks between tokens, the indentation, and the line breaks between
 * statements and at the braces of blocks. Each statement and each brace has a line
 * of its own. A block inside brackets, such as a function that is an argument, may
 * stay on one line if it has only one statement. The formatter removes each ';'
 * between statements, as a newline has the same effect, except if it separates an
 * `if` from the `else` of another `if`.
 */
#include <stdlib.h>
#include <string.h>

#include "compiler/ast.h"
#include "compiler/compile.h"
#include "compiler/layout.h"

#define TAB		8
#define MAX_ALIGN	80	/* text in brackets further to the right is not aligned to them */

/* An open bracket, or the file itself. */
struct frame {
	enum tok kind;
	bool block;		/* holds statements */
	bool one_line;		/* the block is printed on one line */
	bool fresh;		/* it contains only comments so far */
	unsigned int level;	/* indentation of the line with the bracket */
	unsigned int inner;	/* indentation of the lines in it */
	unsigned int column;	/* alignment column of the lines in it, 0: none */
	unsigned int bodies;	/* open bodies without braces */
};

struct printer {
	struct compiler *cc;
	char *out;
	size_t used, max;

	struct frame *frames;
	unsigned int depth, max_depth;

	unsigned int column;	/* column of the next byte */
	unsigned int level;	/* indentation of this line, in tabs */
	bool line_comment;	/* the last comment ends with the line */
	bool own_comment;	/* this line has only comments so far */
	bool opened;		/* the last token is an opening bracket */

	/* the previous token */
	const struct layout_token *prev;
	bool operand;		/* it ends an operand: a '-' after it is binary */
	bool unary;
	bool block_end;		/* it is the '}' of a block */
};

static void fmt_put(struct printer *p, const char *s, size_t len)
{
	size_t i;

	if (!p->out || p->max - p->used < len) {
		p->max = (p->max + len) * 2 + 64;
		p->out = realloc(p->out, p->max);
		if (!p->out) {
			fputs("ktap: out of memory\n", stderr);
			exit(2);
		}
	}
	memcpy(p->out + p->used, s, len);
	p->used += len;
	for (i = 0; i < len; i++) {
		if (s[i] == '\n')
			p->column = 0;
		else if (s[i] == '\t')
			p->column += TAB - p->column % TAB;
		else if (((unsigned char)s[i] & 0xc0) != 0x80)
			p->column++;
	}
}

static struct frame *fmt_top(struct printer *p)
{
	return &p->frames[p->depth - 1];
}

static void fmt_push(struct printer *p, struct frame f)
{
	p->frames = pool_grow(&p->cc->pool, p->frames, p->depth, &p->max_depth, sizeof(f));
	p->frames[p->depth++] = f;
}

static bool fmt_closes(const struct layout_token *t)
{
	return t->kind == T_RPAREN || t->kind == T_RBRACKET || t->kind == T_RBRACE;
}

/* else, until and catch continue the statement whose block has ended. */
static bool fmt_resumes(const struct printer *p, const struct layout_token *t)
{
	if (p->prev && p->prev->kind == T_DOT)
		return false;
	if (t->kind == T_ELSE || t->kind == T_ELSEIF || t->kind == T_UNTIL)
		return true;
	return t->kind == T_NAME && p->block_end && !(t->flags & LAYOUT_STATEMENT);
}

static bool begins_statement(const struct layout_token *t)
{
	return t->flags & (LAYOUT_STATEMENT | LAYOUT_BODY);
}

/* Begin a new line for a token, or for a comment before it. */
static void new_line(struct printer *p, const struct layout_token *t, bool comment,
		     unsigned int lines)
{
	static const char tabs[] = "\t\t\t\t\t\t\t\t", blanks[] = "       ";
	struct frame *f = fmt_top(p);
	bool closing = fmt_closes(t) && !comment, blank_line;
	unsigned int column = 0, n;

	if (f->fresh)
		f->column = 0;
	p->level = f->inner + f->bodies;
	if (closing) {
		p->level = f->level;
	} else if (f->column) {
		p->level = f->level;
		column = f->column;
	} else if (f->block && !begins_statement(t) && !fmt_closes(t) && t->kind != T_EOF &&
		   !(t->flags & LAYOUT_BLOCK) && !fmt_resumes(p, t)) {
		p->level++;
	}
	p->line_comment = false;
	p->own_comment = comment;
	if (!p->used)
		return;

	blank_line = f->block ? t->kind == T_EOF || fmt_closes(t) || t->flags & LAYOUT_STATEMENT :
				f->kind == T_LBRACE;
	fmt_put(p, "\n", 1);
	if (blank_line && lines > 1 && !closing && !p->opened)
		fmt_put(p, "\n", 1);
	for (n = column ? column / TAB : p->level; n; n -= n < TAB ? n : TAB)
		fmt_put(p, tabs, n < TAB ? n : TAB);
	fmt_put(p, blanks, column % TAB);
}

/*
 * Must a token begin a new line? @newlines is their number before it in the
 * script.
 */
static bool starts_line(const struct printer *p, const struct layout_token *t,
			unsigned int lines)
{
	if (p->line_comment)
		return true;
	if (p->frames[p->depth - 1].one_line)
		return false;
	if (begins_statement(t))
		return !(p->own_comment && !lines);
	if (fmt_resumes(p, t))
		return !p->block_end;
	if (t->kind == T_RBRACE && p->frames[p->depth - 1].block)
		return !p->opened;
	if (t->flags & (LAYOUT_BLOCK | LAYOUT_EVENT))
		return false;
	if (p->prev && p->prev->kind == T_ELSE && t->kind == T_IF)
		return false;
	return lines;
}

/* Is there a blank between a token and the previous one on the same line? */
static bool has_blank(const struct printer *p, const struct layout_token *t)
{
	enum tok prev = p->prev->kind;
	bool block = p->frames[p->depth - 1].block;

	switch (t->kind) {
	case T_COMMA:
	case T_INC:
	case T_DEC:
	case T_RPAREN:
	case T_RBRACKET:
		return false;
	case T_SEMI:
		return begins_statement(t);
	case T_RBRACE:
		return block;
	case T_DOT:
		return prev == T_INT;
	case T_LPAREN:
		if (p->operand || prev == T_DELETE)
			return false;
		break;
	case T_LBRACKET:
		if (p->operand)
			return false;
		break;
	case T_STR:
		/* "[ [[" */
		if (prev == T_LBRACKET)
			return p->cc->diag.files[0].text[t->start] == '[';
		break;
	default:
		break;
	}
	if (t->flags & LAYOUT_FILTER_END || p->prev->flags & LAYOUT_FILTER)
		return false;
	if (p->unary)
		return prev == T_MINUS && t->kind == T_MINUS;
	if (prev == T_LBRACE)
		return block;
	return prev != T_LPAREN && prev != T_LBRACKET && prev != T_DOT;
}

/* Is there a blank between a comment and a token on the same line? */
static bool has_blank_after_comment(const struct printer *p, const struct layout_token *t)
{
	return t->kind != T_COMMA && t->kind != T_SEMI && t->kind != T_RPAREN &&
	       t->kind != T_RBRACKET && (t->kind != T_RBRACE || p->frames[p->depth - 1].block);
}

/* Length without the blanks at the end, if the comment ends with the line. */
static size_t visible_length(const char *s, size_t len)
{
	if (s[0] == '#' || s[1] == '/')
		while (s[len - 1] && strchr(" \t\r\f\v", s[len - 1]))
			len--;
	return len;
}

static void put_comment(struct printer *p, const struct layout_token *t, const char *s,
			size_t len, unsigned int lines)
{
	bool line = s[0] == '#' || s[1] == '/';

	if (lines || p->line_comment || !p->used)
		new_line(p, t, true, lines);
	else if (line || !p->opened || fmt_top(p)->block)
		fmt_put(p, " ", 1);
	fmt_put(p, s, visible_length(s, len));
	p->line_comment = line;
	p->opened = false;
}

/* Length of the comment at @s. */
static size_t comment_length(const char *s, const char *end)
{
	const char *p = s;

	if (*p == '#' || p[1] == '/') {
		while (p < end && *p != '\n')
			p++;
		return p - s;
	}
	for (p += 2; end - p > 1 && (p[0] != '*' || p[1] != '/'); p++)
		;
	return p + 2 - s;
}

/*
 * Print the text between the previous token and this one: blanks and comments.
 */
static void put_gap(struct printer *p, const struct layout_token *t, size_t at)
{
	const char *s = p->cc->diag.files[0].text + at, *end = p->cc->diag.files[0].text + t->start;
	bool comment = false;
	unsigned int lines = 0;
	size_t len;

	for (; s < end; s += len) {
		len = 1;
		if (*s == '\n')
			lines++;
		if (*s != '#' && *s != '/')
			continue;
		len = comment_length(s, end);
		put_comment(p, t, s, len, lines);
		comment = true;
		lines = 0;
	}
	if (t->kind == T_EOF)
		return;
	if (!p->used || starts_line(p, t, lines))
		new_line(p, t, false, lines);
	else if (comment ? has_blank_after_comment(p, t) : has_blank(p, t))
		fmt_put(p, " ", 1);
}

/*
 * Is this the '{' of a block on one line, with one statement that contains no
 * block?
 */
static bool is_one_line(const struct printer *p, const struct layout_token *t)
{
	const struct layout_token *end = t;
	unsigned int statements = 0, braces = 1;

	while (braces) {
		end++;
		if (end->flags & (LAYOUT_BLOCK | LAYOUT_BODY))
			return false;
		statements += !!(end->flags & LAYOUT_STATEMENT);
		braces += (end->kind == T_LBRACE) - (end->kind == T_RBRACE);
	}
	return statements == 1 &&
	       !memchr(p->cc->diag.files[0].text + t->start, '\n', end->start - t->start);
}

/* Remember what a token means for the next ones. */
static void fmt_note(struct printer *p, const struct layout_token *t)
{
	bool field = p->prev && p->prev->kind == T_DOT, catch = fmt_resumes(p, t);
	bool block = t->flags & LAYOUT_BLOCK;

	p->unary = !field && (((t->kind == T_MINUS || t->kind == T_TILDE) && !p->operand) ||
			      t->kind == T_BANG);
	p->block_end = false;
	p->opened = false;
	p->own_comment = false;
	p->operand = field;
	switch (t->kind) {
	case T_NAME:
		p->operand = !catch;
		break;
	case T_LPAREN:
	case T_LBRACKET:
	case T_LBRACE:
		p->opened = true;
		fmt_push(p, (struct frame) {
			.kind = t->kind, .block = block, .fresh = true, .level = p->level,
			.one_line = block && !fmt_top(p)->block && is_one_line(p, t),
			.inner = p->level + 1,
			.column = block || p->column > MAX_ALIGN ? 0 : p->column,
		});
		break;
	case T_RPAREN:
	case T_RBRACKET:
	case T_RBRACE:
		p->block_end = fmt_top(p)->block;
		p->operand = true;
		p->depth--;
		break;
	case T_INT: case T_STR: case T_SCRIPTARG: case T_NIL: case T_TRUE: case T_FALSE:
	case T_ELLIPSIS:
		p->operand = true;
		break;
	default:
		break;
	}
	p->prev = t;
}

/* Is this a ';' between statements? */
static bool is_separator(struct printer *p, const struct layout_token *t)
{
	return t->kind == T_SEMI && fmt_top(p)->block &&
	       !(t->flags & (LAYOUT_BODY | LAYOUT_IF_END));
}

/*
 * If a ';' separates an `else` from an inner `if`, the ';' before it must stay,
 * too. If no `else` follows, none is needed.
 */
static void find_needed_semicolons(struct layout *l)
{
	bool before_else = false, needed = false;
	unsigned int i;

	for (i = l->count; i--;) {
		struct layout_token *t = &l->tokens[i];

		if (t->kind != T_SEMI) {
			before_else = t->kind == T_ELSE || t->kind == T_ELSEIF;
			needed = false;
			continue;
		}
		needed |= before_else && t->flags & LAYOUT_IF_END;
		t->flags &= ~LAYOUT_IF_END;
		if (needed)
			t->flags |= LAYOUT_IF_END;
	}
}

static void put_tokens(struct printer *p, const struct layout *l, size_t at)
{
	const char *text = p->cc->diag.files[0].text;
	unsigned int i;

	fmt_push(p, (struct frame) { .kind = T_EOF, .block = true });
	for (i = 0; i < l->count; i++) {
		const struct layout_token *t = &l->tokens[i];

		fmt_top(p)->bodies -= t->bodies;
		if (is_separator(p, t))
			continue;
		fmt_top(p)->bodies += !!(t->flags & LAYOUT_BODY);
		put_gap(p, t, at);
		fmt_put(p, text + t->start, t->end - t->start);
		fmt_top(p)->fresh = false;
		fmt_note(p, t);
		at = t->end;
	}
	if (p->used)
		fmt_put(p, "\n", 1);
}

char *ktap_format(const struct ktap_script *src, const struct ktap_compile_opts *opts,
		  size_t *len)
{
	struct compiler cc;
	struct layout layout = { .pool = &cc.pool };
	struct printer p = { .cc = &cc };
	size_t at = 0;

	compiler_begin(&cc, src, opts);
	cc.layout = &layout;
	parse_script(&cc);
	if (!cc.diag.nerrors) {
		fmt_put(&p, "", 0);
		if (src->len > 1 && src->text[0] == '#' && src->text[1] == '!') {
			at = comment_length(src->text, src->text + src->len);
			fmt_put(&p, src->text, visible_length(src->text, at));
			p.line_comment = true;
		}
		find_needed_semicolons(&layout);
		put_tokens(&p, &layout, at);
		*len = p.used;
		fmt_put(&p, "", 1);
	}
	compiler_end(&cc);
	return p.out;
}
