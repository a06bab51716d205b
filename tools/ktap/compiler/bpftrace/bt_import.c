// SPDX-License-Identifier: GPL-2.0
/*
 * Other files: import "FILE.bt", and declarations in C, import "types.h" or #include "types.h"; and
 * all of a folder, import "FOLDER".
 *
 * A file is parsed in place of the line that names it, once.  Functions of the library of bpftrace
 * are always there.  Headers in <> are those of the kernel or of the C library: what they declare
 * comes from the kernel (BTF), or is missing where the script uses it.
 *
 * There is no preprocessor: of its other lines, #define NAME VALUE is known, and what keeps a
 * header from being read twice.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/lexer.h"
#include "compiler/util.h"

static bool bt_import_has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name);

	return len > strlen(suffix) && !strcmp(name + len - strlen(suffix), suffix);
}

/* @given: it is the path of --include */
static void bt_import_file(struct bt_parser *p, const char *name, struct pos pos, bool given)
{
	const struct node file = { .pos = pos, .str = name, .len = strlen(name) };
	const bool header = bt_import_has_suffix(name, ".h");
	struct bt_parser outer = *p;
	int index;

	if (!bt_enter(p))
		return;
	index = given ? script_include_given(p->cc, name) : script_include(p->cc, &file);
	/* it is a file that the script has already, unless there is a message */
	if (index < 0) {
		p->failed = p->cc->diag.nerrors;
		p->depth--;
		return;
	}
	bt_lex_init(&p->lx, p->cc, index);
	p->header = header;
	bt_next(p);
	bt_parse_items(p);
	outer.failed = p->failed;
	*p = outer;
}

void bt_import_given(struct bt_parser *p)
{
	const char *const *name = p->cc->opts->bpftrace_includes;

	for (; name && *name && !p->failed; name++)
		bt_import_file(p, *name, (struct pos) { 0 }, true);
}

static bool bt_import_is_library(const char *name)
{
	return !strcmp(name, "stdlib") || !strncmp(name, "stdlib/", 7);
}

static int bt_import_select(const struct dirent *entry)
{
	return *entry->d_name != '.' && (bt_import_has_suffix(entry->d_name, ".bt") ||
					 bt_import_has_suffix(entry->d_name, ".h") ||
					 bt_import_has_suffix(entry->d_name, ".bpf.c"));
}

/* The files of a folder, by name; it is beside the file that names it. False: it is no folder. */
static bool bt_import_folder(struct bt_parser *p, const char *name, struct pos pos)
{
	const char *includer = p->cc->diag.files[pos.file].name, *slash = strrchr(includer, '/');
	const char *path = *name == '/' || !slash ? name :
			   pool_printf(&p->cc->pool, "%.*s/%s", (int)(slash - includer), includer,
				       name);
	struct dirent **entries;
	struct stat st;
	int n;

	if (stat(path, &st) || !S_ISDIR(st.st_mode))
		return false;
	if (st.st_mode & 0002)
		bt_fail(p, pos, NULL, "everyone can write to '%s', which decides what is run",
			path);
	n = p->failed ? 0 : scandir(path, &entries, bt_import_select, alphasort);
	if (p->failed || n < 0)
		return p->failed;
	for (int i = 0; i < n; free(entries[i]), i++) {
		if (bt_import_has_suffix(entries[i]->d_name, ".c"))
			bt_fail(p, pos, "import its files one by one",
				"'%s/%s': functions in C are for BPF", name, entries[i]->d_name);
		if (!p->failed)
			bt_import_file(p, pool_printf(&p->cc->pool, "%s/%s", name,
						      entries[i]->d_name), pos, false);
	}
	free(entries);
	return true;
}

void bt_import(struct bt_parser *p)
{
	const struct pos pos = p->tok.pos;
	struct bt_token name;

	bt_next(p);
	name = p->tok;
	if (name.kind != BT_STR)
		bt_fail(p, name.pos, "import \"FILE.bt\"", "expected the name of a file, found '%s'",
			bt_found(p));
	if (p->failed)
		return;
	name.text = pool_strndup(&p->cc->pool, name.text + 1, strlen(name.text) - 2);
	if (p->header)
		bt_fail(p, pos, NULL, "a file of C imports nothing");
	else if (bt_import_is_library(name.text))
		;
	else if (bt_import_has_suffix(name.text, ".bt") || bt_import_has_suffix(name.text, ".h"))
		bt_import_file(p, name.text, name.pos, false);
	else if (bt_import_has_suffix(name.text, ".c") ||
		 !bt_import_folder(p, name.text, name.pos))
		bt_fail(p, name.pos, "import \"FILE.bt\", \"types.h\" or a folder",
			bt_import_has_suffix(name.text, ".c") ?
			"'%s': functions in C are for BPF" :
			"'%s' is no script, no header and no folder", name.text);
	bt_next(p);
	bt_accept(p, ";");
}

static const char *bt_skip_blanks(const char *at, const char *end)
{
	while (at < end && strchr(" \t\r", *at))
		at++;
	return at;
}

/* #include, in a line that ends at @end */
static void bt_include(struct bt_parser *p, const char *line, const char *end)
{
	const char *name = bt_skip_blanks(line + strlen("include"), end), *close;
	struct pos pos = p->tok.pos;

	close = name < end && strchr("<\"", *name) ?
		memchr(name + 1, *name == '<' ? '>' : '"', end - name - 1) : NULL;
	if (!close || close == name + 1) {
		bt_fail(p, pos, NULL, "'#include' takes \"FILE\" or <FILE>");
		return;
	}
	pos.col += 1 + name - (p->lx.text + p->lx.at);
	if (*name == '<')
		diag_warn(&p->cc->diag, pos,
			  "headers of the system are not read: types come from the kernel (BTF) or the script");
	else
		bt_import_file(p, pool_strndup(&p->cc->pool, name + 1, close - name - 1), pos,
			       false);
}

/* The length of the first word of the line. */
static int bt_directive_length(const char *line, const char *end)
{
	const char *at = line;

	while (at < end && is_name_char(*at))
		at++;
	return at - line;
}

/* #define NAME EXPRESSION, up to @end, is a macro without parameters. */
static void bt_parse_define(struct bt_parser *p, const char *end)
{
	struct bt_macro *macro = pool_alloc(&p->cc->pool, sizeof(*macro));
	size_t len = p->lx.len;
	struct bt_node *value;

	p->lx.len = end - p->lx.text;
	bt_next(p);
	bt_next(p);
	macro->name = p->tok.text;
	if (p->tok.kind != BT_NAME || p->lx.at == p->lx.len || p->lx.text[p->lx.at] == '(')
		bt_fail(p, p->tok.pos, "macro NAME(x) { x + 1 }",
			"'#define' takes a name and its value");
	bt_fn_check_macro(p, macro->name);
	bt_next(p);
	macro->body = bt_node(p, BN_BLOCK, p->tok.pos);
	value = bt_node(p, BN_EXPR, p->tok.pos);
	value->a = bt_parse_expr(p);
	value->value = 1;
	macro->body->a = value;
	if (p->tok.kind != BT_END)
		bt_fail(p, p->tok.pos, NULL, "expected the end of the line, found '%s'",
			bt_found(p));
	p->lx.len = len;
	bt_add_macro(p->script, macro);
	bt_next(p);
}

/* Is this the first word of the line, with a blank or its end after it? */
static bool bt_is_directive(const char *line, const char *end, const char *word)
{
	return bt_directive_length(line, end) == (int)strlen(word) &&
	       !strncmp(line, word, strlen(word));
}

/* "pragma once": each file is read once anyway. */
static bool bt_is_pragma_once(const char *line, const char *end)
{
	const char *what;

	if (!bt_is_directive(line, end, "pragma"))
		return false;
	what = bt_skip_blanks(line + strlen("pragma"), end);
	return bt_is_directive(what, end, "once") &&
	       bt_skip_blanks(what + strlen("once"), end) == end;
}

/* Is there an #else or #elif in the lines? */
static bool bt_has_else(const char *at, const char *end)
{
	const char *word, *newline;

	while (at < end) {
		at = bt_skip_blanks(at, end);
		word = at < end && *at == '#' ? bt_skip_blanks(at + 1, end) : end;
		if (bt_is_directive(word, end, "else") || bt_is_directive(word, end, "elif"))
			return true;
		newline = memchr(at, '\n', end - at);
		at = newline ? newline + 1 : end;
	}
	return false;
}

/*
 * "#ifndef NAME" with "#define NAME" in the next line, and no #else: it keeps a header from being
 * read twice.
 */
static bool bt_is_guard(const struct bt_parser *p, const char *line, const char *end)
{
	const char *name = bt_skip_blanks(line + strlen("ifndef"), end), *next = end + 1;
	const char *last = p->lx.text + p->lx.len;
	size_t len = bt_directive_length(name, end);

	if (!p->header || !bt_is_directive(line, end, "ifndef") || !len || end >= last ||
	    *next++ != '#')
		return false;
	for (const struct bt_macro *macro = p->script->macros; macro; macro = macro->next)
		if (strlen(macro->name) == len && !strncmp(macro->name, name, len))
			return false;
	next = bt_skip_blanks(next, last);
	if (!bt_is_directive(next, last, "define"))
		return false;
	next = bt_skip_blanks(next + strlen("define"), last);
	return (size_t)bt_directive_length(next, last) == len && !strncmp(name, next, len) &&
	       !bt_has_else(next, last);
}

/* "define NAME" and no value */
static bool bt_defines_nothing(const char *line, const char *end)
{
	const char *name = bt_skip_blanks(line + strlen("define"), end);

	return bt_skip_blanks(name + bt_directive_length(name, end), end) == end;
}

/*
 * Lines of the preprocessor. Types come from the kernel, so that what is only for
 * bpftrace without BTF is skipped.
 */
void bt_parse_directive(struct bt_parser *p)
{
	static const char without_types[] = "ifndef BPFTRACE_HAVE_BTF";
	static const char with_types[] = "ifdef BPFTRACE_HAVE_BTF";
	const char *end = p->lx.text + p->lx.len, *to;
	const char *line = bt_skip_blanks(p->lx.text + p->lx.at, end);
	size_t left = end - line;

	to = memchr(line, '\n', left);
	to = to ? to : end;
	if (left >= strlen(without_types) && !memcmp(line, without_types, strlen(without_types))) {
		const char *other = memmem(line, left, "\n#else", 6);
		const char *endif = memmem(line, left, "\n#endif", 7);

		if (!endif)
			bt_fail(p, p->tok.pos, NULL, "this '#ifndef' has no '#endif'");
		else
			to = other && other < endif ? other + 6 : endif + 7;
	} else if (left >= strlen(with_types) && !memcmp(line, with_types, strlen(with_types))) {
		;
	} else if (left >= 4 && !memcmp(line, "else", 4)) {
		to = memmem(line, left, "\n#endif", 7);
		to = to ? to + 7 : end;
	} else if (left > 7 && !memcmp(line, "define ", 7) && p->header &&
		   bt_defines_nothing(line, to)) {
		;
	} else if (left > 7 && !memcmp(line, "define ", 7)) {
		bt_parse_define(p, to);
		return;
	} else if (left > 7 && !memcmp(line, "include", 7)) {
		bt_include(p, line, to);
	} else if ((left < 5 || memcmp(line, "endif", 5)) &&
		   !bt_is_guard(p, line, to) && !(p->header && bt_is_pragma_once(line, to))) {
		bt_fail(p, p->tok.pos, p->header ?
			"#define NAME VALUE, and #ifndef NAME, #define NAME around all" :
			"only #define NAME VALUE is known here",
			"'#%.*s': there is no preprocessor", bt_directive_length(line, to), line);
	}
	while (p->lx.text + p->lx.at < to)
		bt_lex_advance(&p->lx);
	bt_next(p);
}
