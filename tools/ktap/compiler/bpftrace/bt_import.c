// SPDX-License-Identifier: GPL-2.0
/*
 * Other files: import "FILE.bt", and declarations in C, import "types.h" or #include "types.h".
 *
 * A file is parsed in place of the line that names it, once.  Functions of the library of bpftrace
 * are always there.  Headers in <> are those of the kernel or of the C library: what they declare
 * comes from the kernel (BTF), or is missing where the script uses it.
 */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/util.h"

static bool bt_import_has_suffix(const char *name, const char *suffix)
{
	size_t len = strlen(name);

	return len > strlen(suffix) && !strcmp(name + len - strlen(suffix), suffix);
}

static void bt_import_file(struct bt_parser *p, const char *name, struct pos pos)
{
	const struct node file = { .pos = pos, .str = name, .len = strlen(name) };
	const bool header = bt_import_has_suffix(name, ".h");
	struct bt_parser outer = *p;
	int index;

	if (!bt_enter(p))
		return;
	index = script_include(p->cc, &file);
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

static bool bt_import_is_library(const char *name)
{
	return !strcmp(name, "stdlib") || !strncmp(name, "stdlib/", 7);
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
		bt_import_file(p, name.text, name.pos);
	else
		bt_fail(p, name.pos, "import \"FILE.bt\" or import \"types.h\"",
			bt_import_has_suffix(name.text, ".c") ?
			"'%s': functions in C are for BPF" : "'%s' is no script and no header",
			name.text);
	bt_next(p);
	bt_accept(p, ";");
}

void bt_include(struct bt_parser *p, const char *line, const char *end)
{
	const char *name = line + strlen("include"), *close;
	struct pos pos = p->tok.pos;

	while (name < end && (*name == ' ' || *name == '\t'))
		name++;
	close = name < end && strchr("<\"", *name) ?
		memchr(name + 1, *name == '<' ? '>' : '"', end - name - 1) : NULL;
	if (!close || close == name + 1) {
		bt_fail(p, pos, NULL, "'#include' takes \"FILE\" or <FILE>");
		return;
	}
	pos.col += 1 + name - line;
	if (*name == '<')
		diag_warn(&p->cc->diag, pos,
			  "headers of the system are not read: types come from the kernel (BTF) or the script");
	else
		bt_import_file(p, pool_strndup(&p->cc->pool, name + 1, close - name - 1), pos);
}
