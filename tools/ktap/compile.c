// SPDX-License-Identifier: GPL-2.0
/* The compiler from end to end. */
#include "ast.h"
#include "chunk.h"
#include "compile.h"

void *ktap_compile(const struct ktap_source *src, const struct ktap_compile_opts *opts,
		   size_t *len)
{
	struct compiler cc = {
		.diag = {
			.name = src->name, .text = src->text, .len = src->len,
			.werror = opts->werror, .nowarn = opts->nowarn, .out = opts->diag,
		},
	};
	void *chunk = NULL;

	cc.diag.arena = &cc.arena;
	cc.chunk = chunk_writer_new(&cc);
	parse_file(&cc);
	bind_names(&cc);
	scope_classify(&cc);
	check_script(&cc);
	if (!cc.diag.nerrors)
		generate(&cc);
	if (!cc.diag.nerrors)
		chunk = chunk_write(&cc, len);
	diag_flush(&cc.diag);
	arena_free(&cc.arena);
	return chunk;
}
