// SPDX-License-Identifier: GPL-2.0
/* Compile a script, and list and run its chunk. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "compiler/compile.h"
#include "compiler/util.h"
#include "run_chunk.h"
#include "script.h"

/*
 * Reasons for which the virtual machine may refuse a compiled script: errors that only
 * the verifier can see, limits of the kernel, and names that only the kernel can look up.
 */
static const char * const allowed[] = {
	"which it does not take",
	"is too complex",
	"there is no kernel symbol",
	"kernel symbols '",
	"is a function of the kernel",
	"existed only while the kernel booted",
	"is of a module: write",
	"this kernel has no type",
	"the name of a type is a constant string",
	"has 2 GiB or more",
	"names a pointer",
	"offsetof:",
	"has no member",
	"is declared without members",
	"is larger than",
	"too many members, those of unnamed structures included",
	" on this machine",
	"has no elements",
	"has a type without values in scripts",
	" of an array of ",
	"member of a p",
	"nil has no members",
	"this pointer has no type",
	"ffi.C: scripts cannot call",
};

static bool may_be_refused(const char *reason)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(allowed); i++)
		if (strstr(reason, allowed[i]))
			return true;
	return false;
}

int read_fake(void *ctx, const char *path, struct ktap_script *file)
{
	static const struct {
		const char *name, *text;
	} files[] = {
		{ "a", "include \"b\" function of_a(x) { return of_b(x) + 1 }" },
		{ "b", "included = 1 include 'a' function of_b(x) { return x }" },
		{ "c.bt", "import \"list.h\"; import \"c.bt\"; macro of_c(x) { x + D }" },
		{ "list.h", "#ifndef H\n#define H\n#define D 5\nstruct of_d { int a; };\n#endif" },
	};

	(void)ctx;
	for (size_t n = 0; n < ARRAY_SIZE(files); n++) {
		if (strcmp(path, files[n].name))
			continue;
		file->text = strdup(files[n].text);
		file->len = strlen(files[n].text);
		file->id[0] = n + 1;
		return 0;
	}
	return -ENOENT;
}

/* Returns the chunk, or NULL; then there must be an error message. */
static void *compile_script(const struct ktap_script *src, bool bpftrace, size_t *chunk_len)
{
	struct ktap_compile_opts opts = { .read = read_fake, .bpftrace = bpftrace };
	size_t len;
	void *chunk;
	char *said;

	opts.diag = open_memstream(&said, &len);
	if (!opts.diag)
		abort();
	chunk = ktap_compile(src, &opts, chunk_len);
	fclose(opts.diag);
	/* Errors of scripts of bpftrace look like its own. */
	if (!chunk && !strstr(said, bpftrace ? ": ERROR: " : ": error: ")) {
		fprintf(stderr, "there is no chunk, and no error:\n%s", said);
		abort();
	}
	free(said);
	return chunk;
}

/* Returns false if the script has errors. */
static bool try_chunk(const struct ktap_script *src, bool bpftrace)
{
	size_t chunk_len;
	void *chunk = compile_script(src, bpftrace, &chunk_len);
	char *said;

	if (!chunk)
		return false;
	if (ktap_disassemble(null_file(), chunk, chunk_len)) {
		fputs("the listing says that the chunk is damaged\n", stderr);
		abort();
	}
	if (!run_chunk(chunk, chunk_len, &said) && !may_be_refused(said)) {
		fprintf(stderr, "the virtual machine refuses what the compiler made:\n%s", said);
		abort();
	}
	free(said);
	free(chunk);
	return true;
}

void try_script(const struct ktap_script *src)
{
	try_chunk(src, false);
}

void try_bpftrace(const struct ktap_script *src)
{
	struct ktap_compile_opts opts = { .diag = null_file(), .read = read_fake };
	struct ktap_script script = *src;
	bool good = try_chunk(src, true);
	char *text;

	text = ktap_from_bpftrace(src, &opts, &script.len);
	script.text = text;
	if (good && (!text || !try_chunk(&script, false))) {
		fprintf(stderr, "the translation has errors:\n%s", text ? text : "");
		abort();
	}
	free(text);
}
