// SPDX-License-Identifier: GPL-2.0
/* The compiler from end to end. */
#include <string.h>

#include "compiler/ast.h"
#include "compiler/chunk_write.h"
#include "compiler/compile.h"
#include "compiler/program_types.h"
#include "compiler/translation.h"

void compiler_begin(struct compiler *cc, const struct ktap_script *script,
		    const struct ktap_compile_opts *opts)
{
	*cc = (struct compiler) {
		.opts = opts,
		.diag = {
			.werror = opts->werror, .nowarn = opts->nowarn, .out = opts->diag,
			.capitals = opts->bpftrace,
		},
	};
	cc->diag.pool = &cc->pool;
	diag_add_file(&cc->diag, script);
	cc->chunk = chunk_writer_new(cc);
}

void compiler_end(struct compiler *cc)
{
	diag_flush(&cc->diag);
	script_files_free(cc);
	pool_free(&cc->pool);
}

void *ktap_compile(const struct ktap_script *src, const struct ktap_compile_opts *opts,
		   size_t *len)
{
	struct compiler cc;
	void *chunk = NULL;

	compiler_begin(&cc, src, opts);
	if (opts->bpftrace)
		cc.translation = bpftrace_translate(&cc);
	if (!opts->bpftrace || cc.translation) {
		parse_script(&cc);
		bind_names(&cc);
		written_add(&cc);
		scope_classify(&cc);
		program_types_apply(&cc);
		check_script(&cc);
	}
	if (!cc.diag.nerrors)
		generate(&cc);
	if (!cc.diag.nerrors)
		chunk = chunk_write(&cc, len);
	compiler_end(&cc);
	return chunk;
}

bool ktap_is_bpftrace(const char *name)
{
	size_t len = name ? strlen(name) : 0;

	return len > 3 && !strcmp(name + len - 3, ".bt");
}
