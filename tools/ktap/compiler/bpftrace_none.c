// SPDX-License-Identifier: GPL-2.0
/* Replacement for the folder bpftrace in builds without it: scripts are refused. */
#include <string.h>

#include "compiler/ast.h"
#include "compiler/translation.h"

struct translation *bpftrace_translate(struct compiler *cc)
{
	diag_error(&cc->diag, (struct pos) { 0 },
		   "this program was built without the language of bpftrace (BPFTRACE=0)");
	return NULL;
}

/* Only report that the script cannot be read. */
static bool bpftrace_refuse(const struct ktap_script *src, const struct ktap_compile_opts *opts)
{
	struct compiler cc;

	compiler_begin(&cc, src, opts);
	bpftrace_translate(&cc);
	compiler_end(&cc);
	return false;
}

char *ktap_from_bpftrace(const struct ktap_script *src, const struct ktap_compile_opts *opts,
			 size_t *len)
{
	*len = 0;
	bpftrace_refuse(src, opts);
	return NULL;
}

bool ktap_bpftrace_events(const struct ktap_script *src, const struct ktap_compile_opts *opts,
			  ktap_listed_fn fn, void *ctx)
{
	(void)fn;
	(void)ctx;
	return bpftrace_refuse(src, opts);
}

/* The kernel has got no script of bpftrace that it could refuse. */
bool ktap_bpftrace_explain(const struct ktap_script *src, const struct ktap_compile_opts *opts)
{
	(void)src;
	(void)opts;
	return false;
}
