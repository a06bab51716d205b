// SPDX-License-Identifier: GPL-2.0
/*
 * Make scripts that follow the grammar from any bytes.
 *
 * Each byte selects one alternative.  When no bytes are left, the first alternative
 * is taken, which never recurses forever.  Blanks, comments and line breaks are
 * inserted where the grammar ignores them.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include "compiler/builtins.h"
#include "compiler/util.h"
#include "generate.h"

#define MAX_DEPTH	12

struct generator {
	const uint8_t *data, *end;
	FILE *out;
	unsigned int depth;
	unsigned int loops;
	bool file_level;
	bool body;		/* the next statement is a body, and must not begin with a block */
	bool variadic;		/* in a function with "..." */
};

static void random_expr(struct generator *g);
static void random_block(struct generator *g);
static void random_statement(struct generator *g);

static unsigned int random_pick(struct generator *g, unsigned int n)
{
	return g->data < g->end ? *g->data++ % n : 0;
}

static void random_put(struct generator *g, const char *s)
{
	fputs(s, g->out);
}

static void put_one_of(struct generator *g, const char * const *words, unsigned int n)
{
	random_put(g, words[random_pick(g, n)]);
}

#define ONE_OF(g, ...) do { \
	static const char * const words_[] = { __VA_ARGS__ }; \
	put_one_of(g, words_, ARRAY_SIZE(words_)); \
} while (0)

/* One or more blanks, without a line break. */
static void random_blank(struct generator *g)
{
	ONE_OF(g, " ", " ", " ", "  ", "\t", " /* c */ ", "/**/");
}

/* Any number of blanks, without a line break. */
static void random_gap(struct generator *g)
{
	ONE_OF(g, "", "", "", "", " ", "\t", "/* c */");
}

/* Blanks, with or without a line break. */
static void random_wide(struct generator *g)
{
	ONE_OF(g, " ", " ", " ", " ", "\n", " \n\n\n  ", " # c\n", "\t// c \n", "/* a\n * b\n */",
	       "\r\n", " /* c */\n");
}

static void random_name(struct generator *g)
{
	ONE_OF(g, "a", "b", "c", "t", "f", "g", "i", "e", "pid", "x1", "_y");
}

static void random_number(struct generator *g)
{
	ONE_OF(g, "1", "0", "2", "7", "0x1f", "0b11", "017", "1_000", "10ms", "2s", "255",
	       "32768", "65536", "4294967296", "9223372036854775807", "0xffffffffffffffff");
}

static void random_string(struct generator *g)
{
	ONE_OF(g, "\"\"", "\"s\"", "'it'", "\"a\\n\\x41\\\\\"", "[[ raw ]]", "[[\nx\ty\n]]",
	       "\"two \\\nlines\"", "\"%d %s\\n\"", "\"a:b\"", "\"\\0\"", "\"*\"");
}

static void random_exprs(struct generator *g, unsigned int max)
{
	unsigned int n = random_pick(g, max);

	random_expr(g);
	while (n--) {
		random_gap(g);
		random_put(g, ",");
		random_wide(g);
		if (!n && g->variadic && random_pick(g, 2))
			random_put(g, "...");
		else
			random_expr(g);
	}
}

/* Any name that the language defines; new names are included automatically. */
static void random_builtin(struct generator *g)
{
	size_t n = random_pick(g, 256);

	random_put(g, builtins[(n * 256 + random_pick(g, 256)) % nbuiltins].name);
}

static void random_arguments(struct generator *g)
{
	unsigned int n = random_pick(g, 4);

	random_gap(g);
	random_put(g, "(");
	if (n) {
		random_wide(g);
		random_exprs(g, n);
		random_wide(g);
	}
	random_put(g, ")");
}

static void random_table(struct generator *g)
{
	unsigned int n = random_pick(g, 4);

	random_put(g, "{");
	random_gap(g);
	while (n--) {
		random_wide(g);
		switch (random_pick(g, 4)) {
		case 1:
			random_name(g);
			random_gap(g);
			random_put(g, "=");
			random_wide(g);
			break;
		case 2:
			random_put(g, "[ ");
			random_expr(g);
			random_put(g, " ]");
			random_gap(g);
			random_put(g, "=");
			random_wide(g);
			break;
		}
		random_expr(g);
		random_gap(g);
		if (n || random_pick(g, 2))
			ONE_OF(g, ",", ",", ";");
	}
	random_wide(g);
	random_put(g, "}");
}

/* The parameters and the body of a function. */
static void random_function(struct generator *g)
{
	bool file_level = g->file_level, variadic = g->variadic;
	unsigned int loops = g->loops, n = random_pick(g, 5);

	random_put(g, "(");
	if (n)
		ONE_OF(g, "a", "b", "c");
	if (n > 2)
		random_put(g, " , x");
	g->variadic = n == 2 || n == 4;
	if (g->variadic)
		random_put(g, " , ...");
	random_put(g, ")");
	random_gap(g);
	g->loops = 0;
	g->file_level = false;
	random_block(g);
	g->file_level = file_level;
	g->loops = loops;
	g->variadic = variadic;
}

/* An expression that can be assigned to or called. */
static void random_place(struct generator *g)
{
	unsigned int n = random_pick(g, 3);

	if (random_pick(g, 8) == 7)
		ONE_OF(g, "self.x", "self . name");
	else
		random_name(g);
	while (n--) {
		switch (random_pick(g, 3)) {
		case 0:
			random_gap(g);
			random_put(g, "[ ");
			random_exprs(g, 2);
			random_put(g, "]");
			break;
		case 1:
			random_gap(g);
			random_put(g, ".");
			random_gap(g);
			ONE_OF(g, "a", "x", "in", "name", "sc_nr", "retval");
			break;
		default:
			random_arguments(g);
			random_gap(g);
			ONE_OF(g, ".x", "[1]");
		}
	}
}

static void random_call(struct generator *g)
{
	switch (random_pick(g, 8)) {
	case 0:
		random_put(g, "print");
		random_arguments(g);
		break;
	case 1:
		ONE_OF(g, "printf(\"%d%%\\n\", ", "format(\"%-8s|\", ", "printf('%x', ");
		random_expr(g);
		random_put(g, ")");
		break;
	case 2:
		random_builtin(g);
		random_arguments(g);
		break;
	case 3:
		random_place(g);
		random_blank(g);
		random_string(g);
		break;
	case 4:
		random_place(g);
		random_gap(g);
		random_table(g);
		break;
	case 5:
		random_put(g, "(function ");
		random_function(g);
		random_put(g, ")");
		random_arguments(g);
		break;
	default:
		random_place(g);
		random_arguments(g);
	}
}

static void random_operand(struct generator *g)
{
	switch (random_pick(g, 17)) {
	case 0: case 1: case 2:
		random_number(g);
		break;
	case 3: case 4: case 5:
		random_name(g);
		break;
	case 6:
		random_string(g);
		break;
	case 7:
		ONE_OF(g, "nil", "true", "false", "$1", "arg[1]", "args.x", "self.x", "nil", "2");
		break;
	case 13:
		random_builtin(g);
		break;
	case 14:
		random_put(g, g->variadic ? "..." : "stats()");
		break;
	case 8:
		random_place(g);
		break;
	case 9:
		random_call(g);
		break;
	case 10:
		random_table(g);
		break;
	case 11:
		random_put(g, "function");
		random_blank(g);
		random_function(g);
		break;
	case 12:
		ONE_OF(g, "!", "-", "~", "not ");
		random_put(g, " ");
		random_operand(g);
		break;
	default:
		random_put(g, "(");
		random_wide(g);
		random_expr(g);
		random_gap(g);
		random_put(g, ")");
	}
}

static void random_expr(struct generator *g)
{
	unsigned int n;

	if (g->depth >= MAX_DEPTH) {
		random_number(g);
		return;
	}
	g->depth++;
	random_operand(g);
	for (n = random_pick(g, 3); n; n--) {
		random_blank(g);
		ONE_OF(g, "+", "-", "*", "/", "%", "<<", ">>", "..", "&", "^", "|", "==", "!=",
		       "<", "<=", ">", ">=", "in", "&&", "||", "and", "or");
		random_put(g, " ");
		random_wide(g);
		random_operand(g);
	}
	if (!random_pick(g, 8) && g->data < g->end) {
		random_wide(g);
		random_put(g, "?");
		random_wide(g);
		random_expr(g);
		random_wide(g);
		random_put(g, ":");
		random_gap(g);
		random_expr(g);
	}
	g->depth--;
}

static void random_body(struct generator *g)
{
	switch (random_pick(g, 6)) {
	case 4:
		random_wide(g);
		random_put(g, ";");
		break;
	case 5:
		random_wide(g);
		g->body = true;
		random_statement(g);
		random_gap(g);
		ONE_OF(g, ";", "\n", "# c\n", "/* a\n b */");
		break;
	default:
		random_wide(g);
		random_block(g);
	}
}

static void loop_body(struct generator *g)
{
	g->loops++;
	random_body(g);
	g->loops--;
}

static void random_assignment(struct generator *g)
{
	random_place(g);
	switch (random_pick(g, 6)) {
	case 0:
		random_gap(g);
		random_put(g, "=");
		random_wide(g);
		random_expr(g);
		break;
	case 5:
		random_gap(g);
		random_put(g, "<<<");
		random_wide(g);
		random_expr(g);
		break;
	case 1:
		random_gap(g);
		ONE_OF(g, "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>=", "..=");
		random_wide(g);
		random_expr(g);
		break;
	case 2:
		random_gap(g);
		ONE_OF(g, "++", "--");
		break;
	default:
		random_gap(g);
		random_put(g, ",");
		random_wide(g);
		random_place(g);
		random_blank(g);
		random_put(g, "=");
		random_blank(g);
		random_exprs(g, 3);
	}
}

static void for_loop(struct generator *g)
{
	random_put(g, "for");
	random_gap(g);
	random_put(g, "(");
	switch (random_pick(g, 5)) {
	case 0:
		random_put(g, "i =");
		random_wide(g);
		random_expr(g);
		random_put(g, ",");
		random_wide(g);
		random_expr(g);
		if (random_pick(g, 2)) {
			random_put(g, " , ");
			random_expr(g);
		}
		break;
	case 1:
		ONE_OF(g, "a , b in pairs(t)", "a , b in sort_pairs(t)",
		       "k in sort_pairs(t, function (a, b) { return a - b })");
		break;
	case 2:
		random_put(g, "x in");
		random_wide(g);
		random_expr(g);
		break;
	case 3:
		random_wide(g);
		random_put(g, "; ;");
		random_wide(g);
		break;
	default:
		ONE_OF(g, "i = 0", "var i , x = 0", "a, b = 1, 2");
		random_put(g, ";");
		random_wide(g);
		random_expr(g);
		random_gap(g);
		random_put(g, ";");
		random_wide(g);
		ONE_OF(g, "i++", "i += 1 , x--", "f()");
	}
	random_put(g, ")");
	loop_body(g);
}

static void random_event(struct generator *g)
{
	ONE_OF(g, "a:b", "sys:ev*", "tp:", "*:*", "sys:[a-z]?", "probe:f a=%di  b=+4($stack):u32",
	       "kprobe:f+0x10", "probe:/bin/sh:main%return", "tick-1s", "profile-99hz",
	       "interval:s:1", "software:faults:1", "trace_end", "ftrace:function");
}

static void random_probe(struct generator *g)
{
	unsigned int loops = g->loops, n;

	switch (random_pick(g, 5)) {
	case 0:
		ONE_OF(g, "trace_begin", "trace_end", "BEGIN", "END");
		break;
	case 1:
		ONE_OF(g, "tick-1s", "profile-10ms", "interval:s:1", "profile:hz:99");
		break;
	case 2:
		random_put(g, "trace");
		random_gap(g);
		ONE_OF(g, "\"a:b\"", "( \"a:\" .. pid )", "[[a:b]]", "\"a\" .. \"b\"");
		break;
	default:
		random_put(g, "trace");
		random_wide(g);
		random_put(g, " ");
		random_event(g);
		for (n = random_pick(g, 3); n; n--) {
			/* a '/' directly after the name might be part of it */
			ONE_OF(g, "", "", " ", " /* c */");
			random_put(g, ",");
			random_wide(g);
			random_event(g);
		}
		if (!random_pick(g, 3)) {
			ONE_OF(g, " ", "\n", " # c\n", " /* c */ ");
			random_put(g, "/");
			ONE_OF(g, "", " ", "\n");
			ONE_OF(g, "pid == 1", "a && (b / 2) < 3", "-x", "(1)", "prev_comm == \"x\"",
			       "ip == vfs_*", "(ip != [a-z]*_lock)", "args.x in t", "!f(a / b)",
			       "t[a / b, c].d");
			ONE_OF(g, "", " ", "\n", " # c\n", "/* c */");
			random_put(g, "/ ");
		}
	}
	random_put(g, " ");
	random_wide(g);
	if (random_pick(g, 4) != 3) {
		g->file_level = false;
		g->loops = 0;
		random_block(g);
		g->loops = loops;
		g->file_level = true;
		return;
	}
	random_put(g, "function ");
	random_function(g);
}

static void if_statement(struct generator *g)
{
	unsigned int n = random_pick(g, 3);

	random_put(g, "if");
	random_gap(g);
	random_put(g, "(");
	random_expr(g);
	random_put(g, ")");
	random_body(g);
	while (n--) {
		random_wide(g);
		ONE_OF(g, "else if", "elseif", "else\nif");
		random_put(g, " (");
		random_expr(g);
		random_put(g, ")");
		random_body(g);
	}
	if (random_pick(g, 2)) {
		random_wide(g);
		random_put(g, "else");
		random_blank(g);
		random_body(g);
	}
}

static void random_local(struct generator *g)
{
	ONE_OF(g, "var ", "local\t");
	if (!random_pick(g, 4)) {
		random_put(g, "function f");
		random_function(g);
		return;
	}
	ONE_OF(g, "a", "b , c", "x1 ,\n i");
	if (random_pick(g, 4)) {
		random_put(g, " =");
		random_wide(g);
		random_exprs(g, 2);
	}
}

static void simple_statement(struct generator *g)
{
	switch (random_pick(g, 8)) {
	case 0:
		random_call(g);
		break;
	case 1:
		random_put(g, "delete ");
		random_place(g);
		random_put(g, "[1]");
		break;
	case 2:
		if (g->loops)
			ONE_OF(g, "break", "continue");
		else
			random_call(g);
		break;
	case 3:
		random_put(g, "return ");
		if (random_pick(g, 2))
			random_exprs(g, 3);
		else
			random_put(g, "\n");
		break;
	case 4:
		random_local(g);
		break;
	default:
		random_assignment(g);
	}
}

static void random_statement(struct generator *g)
{
	bool is_body = g->body;

	g->body = false;
	if (g->depth >= MAX_DEPTH || g->data >= g->end) {
		random_put(g, "a = 1");
		return;
	}
	g->depth++;
	switch (random_pick(g, 18)) {
	case 0:
		if_statement(g);
		break;
	case 1:
		random_put(g, "while (");
		random_expr(g);
		random_put(g, ")");
		loop_body(g);
		break;
	case 2:
		random_put(g, "repeat");
		g->loops++;
		random_wide(g);
		random_block(g);
		g->loops--;
		random_wide(g);
		random_put(g, "until ");
		random_expr(g);
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
		random_block(g);
		break;
	case 6:
		random_put(g, "function ");
		ONE_OF(g, "f", "g", "t.x", "t.a.b");
		random_gap(g);
		random_function(g);
		break;
	case 9:
		random_put(g, "try");
		random_wide(g);
		random_block(g);
		random_wide(g);
		ONE_OF(g, "catch", "catch(e)", "catch ( x )");
		random_wide(g);
		random_block(g);
		break;
	case 10:
		if (g->depth == 1)
			ONE_OF(g, "include \"a\"", "include 'b'");
		else
			simple_statement(g);
		break;
	case 7: case 8:
		if (g->file_level)
			random_probe(g);
		else
			simple_statement(g);
		break;
	default:
		simple_statement(g);
	}
	g->depth--;
}

static void random_statements(struct generator *g, unsigned int max)
{
	unsigned int n = random_pick(g, max);

	while (n-- && g->data < g->end) {
		random_statement(g);
		ONE_OF(g, "\n", "\n\n\n", ";", " ;\n", " # c\n", "/* c */;", "\n\t/* c */ ",
		       "\n# c\n", " // c \r\n");
	}
}

static void random_block(struct generator *g)
{
	random_put(g, "{");
	random_wide(g);
	random_statements(g, 4);
	random_wide(g);
	random_put(g, "}");
}

char *generate_script(const uint8_t *data, size_t size, size_t *len)
{
	struct generator g = { .data = data, .end = data + size, .file_level = true };
	char *s;

	g.out = open_memstream(&s, len);
	if (!g.out)
		abort();
	ONE_OF(&g, "", "#!/usr/bin/env ktap\n", "# c\n", "\n\n/* c */ ");
	while (g.data < g.end)
		random_statements(&g, 255);
	fclose(g.out);
	return s;
}
