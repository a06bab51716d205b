// SPDX-License-Identifier: GPL-2.0
/*
 * Scripts that obey the grammar, made of any bytes.
 *
 * Each byte decides one choice; when there are no more, the first choice is
 * taken, which is always the one that comes to an end.  Blanks, comments and
 * line breaks are strewn wherever they have no meaning.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "builtins.h"
#include "generate.h"
#include "util.h"

#define MAX_DEPTH	12

struct gen {
	const uint8_t *data, *end;
	FILE *out;
	unsigned int depth;
	unsigned int loops;
	bool file_level;
	bool body;		/* is no block: one would be the whole of it */
	bool variadic;		/* in a function with "..." */
};

static void expr(struct gen *g);
static void block(struct gen *g);
static void statement(struct gen *g);

static unsigned int pick(struct gen *g, unsigned int n)
{
	return g->data < g->end ? *g->data++ % n : 0;
}

static void put(struct gen *g, const char *s)
{
	fputs(s, g->out);
}

static void put_one_of(struct gen *g, const char * const *words, unsigned int n)
{
	put(g, words[pick(g, n)]);
}

#define ONE_OF(g, ...) do { \
	static const char * const words_[] = { __VA_ARGS__ }; \
	put_one_of(g, words_, ARRAY_SIZE(words_)); \
} while (0)

/* Between tokens that must stay in one line; never nothing. */
static void blank(struct gen *g)
{
	ONE_OF(g, " ", " ", " ", "  ", "\t", " /* c */ ", "/**/");
}

/* Between tokens that need nothing between them. */
static void gap(struct gen *g)
{
	ONE_OF(g, "", "", "", "", " ", "\t", "/* c */");
}

/* Where a line may end. */
static void wide(struct gen *g)
{
	ONE_OF(g, " ", " ", " ", " ", "\n", " \n\n\n  ", " # c\n", "\t// c \n", "/* a\n * b\n */",
	       "\r\n", " /* c */\n");
}

static void name(struct gen *g)
{
	ONE_OF(g, "a", "b", "c", "t", "f", "g", "i", "e", "pid", "x1", "_y");
}

static void number(struct gen *g)
{
	ONE_OF(g, "1", "0", "2", "7", "0x1f", "0b11", "017", "1_000", "10ms", "2s", "255",
	       "32768", "65536", "4294967296", "9223372036854775807", "0xffffffffffffffff");
}

static void string(struct gen *g)
{
	ONE_OF(g, "\"\"", "\"s\"", "'it'", "\"a\\n\\x41\\\\\"", "[[ raw ]]", "[[\nx\ty\n]]",
	       "\"two \\\nlines\"", "\"%d %s\\n\"", "\"a:b\"", "\"\\0\"", "\"*\"");
}

static void exprs(struct gen *g, unsigned int max)
{
	unsigned int n = pick(g, max);

	expr(g);
	while (n--) {
		gap(g);
		put(g, ",");
		wide(g);
		if (!n && g->variadic && pick(g, 2))
			put(g, "...");
		else
			expr(g);
	}
}

/* Any of the names that the language defines, so that a new one is tested, too. */
static void builtin(struct gen *g)
{
	size_t n = pick(g, 256);

	put(g, builtins[(n * 256 + pick(g, 256)) % nbuiltins].name);
}

static void arguments(struct gen *g)
{
	unsigned int n = pick(g, 4);

	gap(g);
	put(g, "(");
	if (n) {
		wide(g);
		exprs(g, n);
		wide(g);
	}
	put(g, ")");
}

static void table(struct gen *g)
{
	unsigned int n = pick(g, 4);

	put(g, "{");
	gap(g);
	while (n--) {
		wide(g);
		switch (pick(g, 4)) {
		case 1:
			name(g);
			gap(g);
			put(g, "=");
			wide(g);
			break;
		case 2:
			put(g, "[ ");
			expr(g);
			put(g, " ]");
			gap(g);
			put(g, "=");
			wide(g);
			break;
		}
		expr(g);
		gap(g);
		if (n || pick(g, 2))
			ONE_OF(g, ",", ",", ";");
	}
	wide(g);
	put(g, "}");
}

/* From the '(' on. */
static void function(struct gen *g)
{
	bool file_level = g->file_level, variadic = g->variadic;
	unsigned int loops = g->loops, n = pick(g, 5);

	put(g, "(");
	if (n)
		ONE_OF(g, "a", "b", "c");
	if (n > 2)
		put(g, " , x");
	g->variadic = n == 2 || n == 4;
	if (g->variadic)
		put(g, " , ...");
	put(g, ")");
	gap(g);
	g->loops = 0;
	g->file_level = false;
	block(g);
	g->file_level = file_level;
	g->loops = loops;
	g->variadic = variadic;
}

/* What can be assigned to, and called. */
static void place(struct gen *g)
{
	unsigned int n = pick(g, 3);

	if (pick(g, 8) == 7)
		ONE_OF(g, "self.x", "self . name");
	else
		name(g);
	while (n--) {
		switch (pick(g, 3)) {
		case 0:
			gap(g);
			put(g, "[ ");
			exprs(g, 2);
			put(g, "]");
			break;
		case 1:
			gap(g);
			put(g, ".");
			gap(g);
			ONE_OF(g, "a", "x", "in", "name", "sc_nr", "retval");
			break;
		default:
			arguments(g);
			gap(g);
			ONE_OF(g, ".x", "[1]");
		}
	}
}

static void call(struct gen *g)
{
	switch (pick(g, 8)) {
	case 0:
		put(g, "print");
		arguments(g);
		break;
	case 1:
		ONE_OF(g, "printf(\"%d%%\\n\", ", "format(\"%-8s|\", ", "printf('%x', ");
		expr(g);
		put(g, ")");
		break;
	case 2:
		builtin(g);
		arguments(g);
		break;
	case 3:
		place(g);
		blank(g);
		string(g);
		break;
	case 4:
		place(g);
		gap(g);
		table(g);
		break;
	case 5:
		put(g, "(function ");
		function(g);
		put(g, ")");
		arguments(g);
		break;
	default:
		place(g);
		arguments(g);
	}
}

static void operand(struct gen *g)
{
	switch (pick(g, 17)) {
	case 0: case 1: case 2:
		number(g);
		break;
	case 3: case 4: case 5:
		name(g);
		break;
	case 6:
		string(g);
		break;
	case 7:
		ONE_OF(g, "nil", "true", "false", "$1", "arg[1]", "args.x", "self.x", "nil", "2");
		break;
	case 13:
		builtin(g);
		break;
	case 14:
		put(g, g->variadic ? "..." : "stats()");
		break;
	case 8:
		place(g);
		break;
	case 9:
		call(g);
		break;
	case 10:
		table(g);
		break;
	case 11:
		put(g, "function");
		blank(g);
		function(g);
		break;
	case 12:
		ONE_OF(g, "!", "-", "~", "not ");
		put(g, " ");
		operand(g);
		break;
	default:
		put(g, "(");
		wide(g);
		expr(g);
		gap(g);
		put(g, ")");
	}
}

static void expr(struct gen *g)
{
	unsigned int n;

	if (g->depth >= MAX_DEPTH) {
		number(g);
		return;
	}
	g->depth++;
	operand(g);
	for (n = pick(g, 3); n; n--) {
		blank(g);
		ONE_OF(g, "+", "-", "*", "/", "%", "<<", ">>", "..", "&", "^", "|", "==", "!=",
		       "<", "<=", ">", ">=", "in", "&&", "||", "and", "or");
		put(g, " ");
		wide(g);
		operand(g);
	}
	if (!pick(g, 8) && g->data < g->end) {
		wide(g);
		put(g, "?");
		wide(g);
		expr(g);
		wide(g);
		put(g, ":");
		gap(g);
		expr(g);
	}
	g->depth--;
}

static void body(struct gen *g)
{
	switch (pick(g, 6)) {
	case 4:
		wide(g);
		put(g, ";");
		break;
	case 5:
		wide(g);
		g->body = true;
		statement(g);
		gap(g);
		ONE_OF(g, ";", "\n", "# c\n", "/* a\n b */");
		break;
	default:
		wide(g);
		block(g);
	}
}

static void loop_body(struct gen *g)
{
	g->loops++;
	body(g);
	g->loops--;
}

static void assignment(struct gen *g)
{
	place(g);
	switch (pick(g, 6)) {
	case 0:
		gap(g);
		put(g, "=");
		wide(g);
		expr(g);
		break;
	case 5:
		gap(g);
		put(g, "<<<");
		wide(g);
		expr(g);
		break;
	case 1:
		gap(g);
		ONE_OF(g, "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "..=");
		wide(g);
		expr(g);
		break;
	case 2:
		gap(g);
		ONE_OF(g, "++", "--");
		break;
	default:
		gap(g);
		put(g, ",");
		wide(g);
		place(g);
		blank(g);
		put(g, "=");
		blank(g);
		exprs(g, 3);
	}
}

static void for_loop(struct gen *g)
{
	put(g, "for");
	gap(g);
	put(g, "(");
	switch (pick(g, 5)) {
	case 0:
		put(g, "i =");
		wide(g);
		expr(g);
		put(g, ",");
		wide(g);
		expr(g);
		if (pick(g, 2)) {
			put(g, " , ");
			expr(g);
		}
		break;
	case 1:
		ONE_OF(g, "a , b in pairs(t)", "a , b in sort_pairs(t)",
		       "k in sort_pairs(t, function (a, b) { return a - b })");
		break;
	case 2:
		put(g, "x in");
		wide(g);
		expr(g);
		break;
	case 3:
		wide(g);
		put(g, "; ;");
		wide(g);
		break;
	default:
		ONE_OF(g, "i = 0", "var i , x = 0", "a, b = 1, 2");
		put(g, ";");
		wide(g);
		expr(g);
		gap(g);
		put(g, ";");
		wide(g);
		ONE_OF(g, "i++", "i += 1 , x--", "f()");
	}
	put(g, ")");
	loop_body(g);
}

static void event(struct gen *g)
{
	ONE_OF(g, "a:b", "sys:ev*", "tp:", "*:*", "sys:[a-z]?", "probe:f a=%di  b=+4($stack):u32",
	       "kprobe:f+0x10", "probe:/bin/sh:main%return", "tick-1s", "profile-99hz",
	       "interval:s:1", "software:faults:1", "trace_end", "ftrace:function");
}

static void probe(struct gen *g)
{
	unsigned int loops = g->loops, n;

	switch (pick(g, 5)) {
	case 0:
		ONE_OF(g, "trace_begin", "trace_end", "BEGIN", "END");
		break;
	case 1:
		ONE_OF(g, "tick-1s", "profile-10ms", "interval:s:1", "profile:hz:99");
		break;
	case 2:
		put(g, "trace");
		gap(g);
		ONE_OF(g, "\"a:b\"", "( \"a:\" .. pid )", "[[a:b]]", "\"a\" .. \"b\"");
		break;
	default:
		put(g, "trace");
		wide(g);
		put(g, " ");
		event(g);
		for (n = pick(g, 3); n; n--) {
			/* a '/' right behind it might be part of it */
			ONE_OF(g, "", "", " ", " /* c */");
			put(g, ",");
			wide(g);
			event(g);
		}
		if (!pick(g, 3)) {
			ONE_OF(g, " ", "\n", " # c\n", " /* c */ ");
			put(g, "/");
			ONE_OF(g, "", " ", "\n");
			ONE_OF(g, "pid == 1", "a && (b / 2) < 3", "-x", "(1)", "prev_comm == \"x\"",
			       "ip == vfs_*", "(ip != [a-z]*_lock)", "args.x in t", "!f(a / b)",
			       "t[a / b, c].d");
			ONE_OF(g, "", " ", "\n", " # c\n", "/* c */");
			put(g, "/ ");
		}
	}
	put(g, " ");
	wide(g);
	if (pick(g, 4) != 3) {
		g->file_level = false;
		g->loops = 0;
		block(g);
		g->loops = loops;
		g->file_level = true;
		return;
	}
	put(g, "function ");
	function(g);
}

static void if_statement(struct gen *g)
{
	unsigned int n = pick(g, 3);

	put(g, "if");
	gap(g);
	put(g, "(");
	expr(g);
	put(g, ")");
	body(g);
	while (n--) {
		wide(g);
		ONE_OF(g, "else if", "elseif", "else\nif");
		put(g, " (");
		expr(g);
		put(g, ")");
		body(g);
	}
	if (pick(g, 2)) {
		wide(g);
		put(g, "else");
		blank(g);
		body(g);
	}
}

static void local(struct gen *g)
{
	ONE_OF(g, "var ", "local\t");
	if (!pick(g, 4)) {
		put(g, "function f");
		function(g);
		return;
	}
	ONE_OF(g, "a", "b , c", "x1 ,\n i");
	if (pick(g, 4)) {
		put(g, " =");
		wide(g);
		exprs(g, 2);
	}
}

static void simple_statement(struct gen *g)
{
	switch (pick(g, 8)) {
	case 0:
		call(g);
		break;
	case 1:
		put(g, "delete ");
		place(g);
		put(g, "[1]");
		break;
	case 2:
		if (g->loops)
			ONE_OF(g, "break", "continue");
		else
			call(g);
		break;
	case 3:
		put(g, "return ");
		if (pick(g, 2))
			exprs(g, 3);
		else
			put(g, "\n");
		break;
	case 4:
		local(g);
		break;
	default:
		assignment(g);
	}
}

static void statement(struct gen *g)
{
	bool is_body = g->body;

	g->body = false;
	if (g->depth >= MAX_DEPTH || g->data >= g->end) {
		put(g, "a = 1");
		return;
	}
	g->depth++;
	switch (pick(g, 18)) {
	case 0:
		if_statement(g);
		break;
	case 1:
		put(g, "while (");
		expr(g);
		put(g, ")");
		loop_body(g);
		break;
	case 2:
		put(g, "repeat");
		g->loops++;
		wide(g);
		block(g);
		g->loops--;
		wide(g);
		put(g, "until ");
		expr(g);
		break;
	case 3: case 4:
		for_loop(g);
		break;
	case 5:
		if (is_body) {
			simple_statement(g);
			break;
		}
		ONE_OF(g, "do ", "do\n", "");
		block(g);
		break;
	case 6:
		put(g, "function ");
		ONE_OF(g, "f", "g", "t.x", "t.a.b");
		gap(g);
		function(g);
		break;
	case 9:
		put(g, "try");
		wide(g);
		block(g);
		wide(g);
		ONE_OF(g, "catch", "catch(e)", "catch ( x )");
		wide(g);
		block(g);
		break;
	case 10:
		if (g->depth == 1)
			ONE_OF(g, "include \"a\"", "include 'b'");
		else
			simple_statement(g);
		break;
	case 7: case 8:
		if (g->file_level)
			probe(g);
		else
			simple_statement(g);
		break;
	default:
		simple_statement(g);
	}
	g->depth--;
}

static void statements(struct gen *g, unsigned int max)
{
	unsigned int n = pick(g, max);

	while (n-- && g->data < g->end) {
		statement(g);
		ONE_OF(g, "\n", "\n\n\n", ";", " ;\n", " # c\n", "/* c */;", "\n\t/* c */ ",
		       "\n# c\n", " // c \r\n");
	}
}

static void block(struct gen *g)
{
	put(g, "{");
	wide(g);
	statements(g, 4);
	wide(g);
	put(g, "}");
}

char *generate_script(const uint8_t *data, size_t size, size_t *len)
{
	struct gen g = { .data = data, .end = data + size, .file_level = true };
	char *s;

	g.out = open_memstream(&s, len);
	if (!g.out)
		abort();
	ONE_OF(&g, "", "#!/usr/bin/env ktap\n", "# c\n", "\n\n/* c */ ");
	while (g.data < g.end)
		statements(&g, 255);
	fclose(g.out);
	return s;
}
