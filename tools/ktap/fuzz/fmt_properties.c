// SPDX-License-Identifier: GPL-2.0
/*
 * Properties of the canonical layout of any script: formatting it again changes
 * nothing, and its tokens, comments, tree and code are those of the script.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/ast.h"
#include "compiler/compile.h"
#include "compiler/layout.h"
#include "fmt_properties.h"

static struct ktap_compile_opts options = { .nowarn = true };

/* Text that is written through a FILE. */
struct text {
	char *s;	/* NULL: none */
	size_t len;
};

static FILE *text_open(struct text *t)
{
	FILE *f = open_memstream(&t->s, &t->len);

	if (!f)
		abort();
	return f;
}

static size_t skip_line_number(const char *s)
{
	size_t n = 0;

	while (isdigit((unsigned char)s[n]))
		n++;
	return n;
}

/* Is this the " @line:column" at the end of a line? */
static bool is_position(const char *s)
{
	size_t n;

	if (strncmp(s, " @", 2))
		return false;
	n = 2 + skip_line_number(s + 2);
	if (s[n] != ':')
		return false;
	n++;
	n += skip_line_number(s + n);
	return s[n] == '\n';
}

/* Remove all lines and columns of the script from a listing or a tree. */
static void strip_positions(struct text *t)
{
	char *s = t->s, *to = s;

	while (*s) {
		if ((s == t->s || s[-1] == '\n') && !strncmp(s, "; ", 2)) {
			s = strchr(s, '\n') + 1;
		} else if (is_position(s)) {
			s = strchr(s, '\n');
		} else if (!strncmp(s, "function:", 9)) {
			memmove(to, s, 9);
			to += 9;
			s += 9;
			s += skip_line_number(s);
		} else {
			*to++ = *s++;
		}
	}
	t->len = to - t->s;
}

/* The listing of the compiled script, without positions; empty if it has errors. */
static struct text script_listing(const struct ktap_script *src)
{
	struct text t = { 0 };
	size_t chunk_len;
	void *chunk = ktap_compile(src, &options, &chunk_len);
	FILE *f;

	if (!chunk)
		return t;
	f = text_open(&t);
	if (ktap_disassemble(f, chunk, chunk_len))
		abort();
	fclose(f);
	free(chunk);
	strip_positions(&t);
	return t;
}

static struct text script_tree(const struct ktap_script *src)
{
	struct text t = { 0 };
	FILE *f = text_open(&t);

	ktap_dump_ast(f, src, &options);
	fclose(f);
	strip_positions(&t);
	return t;
}

static void script_add_line(FILE *f, const char *s, size_t len)
{
	fwrite(s, 1, len, f);
	fputc('\n', f);
}

/* Write each comment to a line. Remove blanks at the end of comments that end with the line. */
static void add_comments(FILE *f, const char *s, const char *end)
{
	const char *p;
	size_t len;

	for (; s < end; s++) {
		if (*s == '/' && s[1] == '*') {
			for (p = s + 2; p[0] != '*' || p[1] != '/'; p++)
				;
			script_add_line(f, s, p + 2 - s);
			s = p + 1;
		} else if (*s == '/' || *s == '#') {
			p = memchr(s, '\n', end - s);
			len = p ? p - s : end - s;
			s += len;
			while (isspace((unsigned char)s[-1]))
				s--, len--;
			script_add_line(f, s - len, len);
			s--;
		}
	}
}

/* All tokens except ';', and all comments, one per line. */
static struct text script_words(const struct ktap_script *src)
{
	struct compiler cc;
	struct layout layout = { .pool = &cc.pool };
	struct text t = { 0 };
	FILE *f = text_open(&t);
	unsigned int i;
	size_t at = 0;

	compiler_begin(&cc, src, &options);
	cc.layout = &layout;
	parse_script(&cc);
	for (i = 0; i < layout.count; i++) {
		const struct layout_token *tok = &layout.tokens[i];

		add_comments(f, src->text + at, src->text + tok->start);
		if (tok->kind != T_SEMI)
			script_add_line(f, src->text + tok->start, tok->end - tok->start);
		at = tok->end;
	}
	fclose(f);
	compiler_end(&cc);
	return t;
}

static bool same_text(struct text a, struct text b)
{
	bool ret = !a.s == !b.s && a.len == b.len && (!a.s || !memcmp(a.s, b.s, a.len));

	free(a.s);
	free(b.s);
	return ret;
}

const char *fmt_broken(const struct ktap_script *src, ktap_read_fn read, char **formatted)
{
	struct ktap_script again = *src;
	const char *what = NULL;
	size_t size;
	char *twice;

	if (!options.diag)
		options.diag = fopen("/dev/null", "w");
	options.read = read;
	*formatted = ktap_format(src, &options, &again.len);
	if (!*formatted)
		return NULL;
	again.text = *formatted;
	twice = ktap_format(&again, &options, &size);
	if (!twice)
		what = "is a script";
	else if (size != again.len || memcmp(again.text, twice, size))
		what = "is its own layout";
	else if (!same_text(script_words(src), script_words(&again)))
		what = "has the same tokens and comments";
	else if (!same_text(script_tree(src), script_tree(&again)))
		what = "has the same tree";
	else if (!same_text(script_listing(src), script_listing(&again)))
		what = "has the same code";
	free(twice);
	return what;
}
