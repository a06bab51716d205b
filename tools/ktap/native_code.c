// SPDX-License-Identifier: GPL-2.0
/*
 * --dump-jit: which probes have native code, from ktap/sessions, and the code, from
 * ktap/native.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compiler/clean_text.h"
#include "compiler/util.h"
#include "native_code.h"

/* The meaning of "code=" of a probe: see also Documentation/trace/ktap-admin.rst. */
static const struct {
	const char *code;
	const char *meaning;
} native_codes[] = {
	{ "native", "native code" },
	{ "bytecode(short)", "interpreted: native code would not be faster" },
	{ "bytecode(off)", "interpreted: ktap/jit or net.core.bpf_jit_enable is 0" },
	{ "bytecode(forbidden)",
	  "interpreted: kernel.unprivileged_bpf_disabled is not 0, or there is no BPF" },
	{ "bytecode(long)", "interpreted: too long, with the functions that it calls" },
	{ "bytecode(memory)", "interpreted: no memory for native code; -m gives the session more" },
	{ "bytecode(refused)", "interpreted: the BPF JIT has failed; see net.core.bpf_jit_limit" },
};

static FILE *native_open(const struct session *s, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", s->dir, name);
	f = fopen(path, "re");
	if (f)
		return f;
	fprintf(stderr, "ktap: error: cannot open %s: %s\n", path, strerror(errno));
	if (errno == ENOENT)
		fprintf(stderr, "ktap: this kernel cannot compile scripts: it must be built with CONFIG_KTAP_JIT=y\n");
	else if (errno == EACCES || errno == EPERM)
		fprintf(stderr, "ktap: native code has addresses of the kernel: only root sees it, with CAP_BPF, and with addresses in /proc/kallsyms (kernel.kptr_restrict)\n");
	return NULL;
}

/* Print probe @n, whose line in ktap/sessions is "EVENT hits=... code=CODE". */
static void native_print_probe(unsigned long long id, unsigned int n, const char *line)
{
	const char *hits = strstr(line, " hits="), *code = strstr(line, " code=");
	size_t len;

	if (!hits || !code)
		return;
	code += strlen(" code=");
	len = strcspn(code, "\n");
	printf("ktap_%llu_%u ", id, n);
	put_clean(stdout, line, hits - line);
	for (size_t i = 0; i < ARRAY_SIZE(native_codes); i++) {
		if (len == strlen(native_codes[i].code) &&
		    !strncmp(code, native_codes[i].code, len)) {
			printf(": %s\n", native_codes[i].meaning);
			return;
		}
	}
	fputs(": ", stdout);
	put_clean(stdout, code, len);
	putchar('\n');
}

/* Print the probes of this session.  Returns its number, 0 if it is not there. */
static unsigned long long native_print_probes(FILE *sessions)
{
	unsigned long long id, found = 0;
	unsigned int n = 0;
	char *line = NULL;
	bool mine = false;
	size_t size = 0;
	long pid;

	while (getline(&line, &size, sessions) > 0) {
		if (line[0] != ' ') {
			mine = sscanf(line, "%llu %ld", &id, &pid) == 2 && pid == getpid();
			if (mine)
				found = id;
		} else if (mine) {
			native_print_probe(found, ++n, line + strspn(line, " "));
		}
	}
	free(line);
	return found;
}

/* The records of session @id begin with "@id NAME"; their other lines are indented. */
static void native_print_records(FILE *native, unsigned long long id)
{
	unsigned long long of;
	char *line = NULL;
	bool mine = false;
	size_t size = 0;
	int begin;

	while (getline(&line, &size, native) > 0) {
		begin = 0;
		if (line[0] != ' ') {
			mine = sscanf(line, "%llu %n", &of, &begin) == 1 && of == id;
			if (mine)
				putchar('\n');
		}
		if (mine) {
			put_clean(stdout, line + begin, strcspn(line + begin, "\n"));
			putchar('\n');
		}
	}
	free(line);
}

bool native_code_print(const struct session *s)
{
	FILE *native = native_open(s, "native"), *sessions;
	unsigned long long id;

	if (!native)
		return false;
	sessions = native_open(s, "sessions");
	if (!sessions) {
		fclose(native);
		return false;
	}
	id = native_print_probes(sessions);
	native_print_records(native, id);
	fclose(sessions);
	fclose(native);
	if (!id) {
		fprintf(stderr, "ktap: error: the session is not in %s/sessions\n", s->dir);
		return false;
	}
	if (fflush(stdout)) {
		fprintf(stderr, "ktap: error: cannot write to standard output: %s\n",
			strerror(errno));
		return false;
	}
	return true;
}
