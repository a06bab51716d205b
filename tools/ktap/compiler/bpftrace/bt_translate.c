// SPDX-License-Identifier: GPL-2.0
/* The translation of a script of bpftrace, for the compiler and as a script of its own. */
#include <stdlib.h>
#include <string.h>

#include "compiler/bpftrace/bt.h"

struct translation *bpftrace_translate(struct compiler *cc)
{
	struct bt_script s = { .cc = cc };

	s.out = pool_alloc(&cc->pool, sizeof(*s.out));
	bt_parse(&s);
	if (!cc->diag.nerrors)
		bt_expand_macros(&s);
	if (!cc->diag.nerrors)
		bt_find_maps(&s);
	if (!cc->diag.nerrors)
		bt_lower(&s);
	return cc->diag.nerrors ? NULL : s.out;
}

/* The text of the translation, or NULL after errors. */
static char *bt_translate_text(const struct ktap_script *src, const struct ktap_compile_opts *opts,
			   size_t *len)
{
	struct compiler cc;
	char *text = NULL;

	compiler_begin(&cc, src, opts);
	cc.translation = bpftrace_translate(&cc);
	if (cc.translation) {
		*len = cc.translation->len;
		text = malloc(*len + 1);
		if (text)
			memcpy(text, cc.translation->text, *len);
		else
			fputs("no memory for the text of the script\n", opts->diag);
	}
	compiler_end(&cc);
	return text;
}

char *ktap_from_bpftrace(const struct ktap_script *src, const struct ktap_compile_opts *opts,
			 size_t *len)
{
	struct ktap_compile_opts plain = *opts;
	struct ktap_script script = *src;
	char *text;

	plain.bpftrace = false;
	script.text = bt_translate_text(src, opts, &script.len);
	text = script.text ? ktap_format(&script, &plain, len) : NULL;
	free((void *)script.text);
	return text;
}

bool ktap_is_bpftrace(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	return len > 3 && !strcmp(name + len - 3, ".bt");
}
