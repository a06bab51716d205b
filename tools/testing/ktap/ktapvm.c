// SPDX-License-Identifier: GPL-2.0
/*
 * ktapvm CHUNK [ARGUMENT]...: loads a chunk as the kernel does, and runs what
 * needs no event: the top level, trace_begin, trace_end.
 *
 * Exit code: what the script gave to exit(), 1 after a run-time error, 2 if the
 * chunk was refused.
 */
#include "stubs.h"

#define MAX_MEMORY	(256U << 20)

static void *read_file(const char *name, size_t *len)
{
	FILE *f = fopen(name, "rb");
	char *p = NULL;
	long size;

	if (!f || fseek(f, 0, SEEK_END) || (size = ftell(f)) < 0 || fseek(f, 0, SEEK_SET))
		goto out;
	p = kvmalloc(size + 1, GFP_KERNEL);
	*len = fread(p, 1, size, f);
out:
	if (!p)
		perror(name);
	if (f)
		fclose(f);
	return p;
}

static bool is_event(const char *event, const char *name, const char *alias)
{
	return !strcmp(event, name) || !strcmp(event, alias);
}

/* Reports a run's error.  Gives false if there was one. */
static bool run(struct ktap_vm *vm, u32 func)
{
	char text[2048];
	int err;

	err = ktap_vm_run(vm, func, &KTAP_VALUE_NIL, 1, NULL);
	if (!err || err == -ECANCELED)
		return true;
	fflush(stdout);
	ktap_vm_backtrace(vm, text, sizeof(text));
	fputs(text, stderr);
	return false;
}

static bool run_event(struct ktap_vm *vm, const char *name, const char *alias)
{
	unsigned int i;
	bool ok = true;

	for (i = 0; i < stub.nprobes && ok; i++) {
		if (is_event(stub.probes[i].event, name, alias))
			ok = run(vm, stub.probes[i].handler);
	}
	return ok;
}

static bool has_event(const char *name, const char *alias)
{
	unsigned int i;

	for (i = 0; i < stub.nprobes; i++) {
		if (is_event(stub.probes[i].event, name, alias))
			return true;
	}
	return false;
}

static void report(const struct ktap_counters *c)
{
	static const char * const what[] = {
		"inserts dropped: the table was full",
		"inserts dropped: no memory",
		"operations on tables given up",
		"strings cut",
	};
	long n[] = {
		atomic_long_read(&c->full_table),
		atomic_long_read(&c->no_memory),
		atomic_long_read(&c->nmi_busy),
		atomic_long_read(&c->cut_strings),
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(n); i++) {
		if (n[i])
			fprintf(stderr, "ktap: %ld %s\n", n[i], what[i]);
	}
}

static int session(struct ktap_program *prog)
{
	struct ktap_env env;
	struct ktap_vm vm;
	bool ok;

	if (ktap_env_init(&env, prog, MAX_MEMORY, NULL) || ktap_vm_init_process(&vm, &env)) {
		fprintf(stderr, "ktap: error: no memory\n");
		return 2;
	}
	ok = run(&vm, prog->main);
	if (ok && !stub.exited)
		ok = run_event(&vm, "trace_begin", "BEGIN");
	ok = run_event(&vm, "trace_end", "END") && ok;
	if (!stub.printed && !has_event("trace_end", "END"))
		ktap_print_globals(&vm);
	fflush(stdout);
	report(&env.counters);
	ktap_vm_destroy_process(&vm);
	ktap_env_destroy(&env);
	return ok ? stub.exit_code : 1;
}

int main(int argc, char **argv)
{
	struct ktap_program *prog;
	struct ktap_diag diag;
	size_t len;
	void *chunk;
	int ret;

	if (argc < 2) {
		fprintf(stderr, "usage: ktapvm CHUNK [ARGUMENT]...\n");
		return 2;
	}
	stub.args = argv + 1;
	stub.nargs = argc - 1;
	chunk = read_file(argv[1], &len);
	if (!chunk)
		return 2;
	prog = ktap_program_load(chunk, len, &diag);
	if (IS_ERR(prog)) {
		fwrite(diag.text, 1, diag.len, stderr);
		kvfree(chunk);
		return 2;
	}
	ret = session(prog);
	ktap_program_free(prog);
	return ret;
}
