// SPDX-License-Identifier: GPL-2.0
/*
 * ktap -lv: the fields of tracepoints, from their files in tracefs; parameters and
 * results of functions and raw tracepoints, from the types of the kernel; those of functions
 * of programs, from their debug information.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf_file.h"
#include "compiler/clean_text.h"
#include "compiler/util.h"
#include "list_details.h"
#include "session_file.h"

#define DETAILS_INDENT	"    "

/* Print the field of a line "\tfield:TYPE NAME;\toffset:..."; those of all events are left out. */
static void details_put_field(const char *line)
{
	static const char * const places[] = { "__data_loc ", "__rel_loc " };
	const char *p = strstr(line, "field:"), *name;
	size_t len;

	if (!p)
		return;
	p += strlen("field:");
	len = strcspn(p, ";\n");
	for (name = p + len; name > p && name[-1] != ' ' && name[-1] != '*'; name--)
		;
	if (!strncmp(name, "common_", 7))
		return;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		size_t skipped = strlen(places[i]);

		if (len > skipped && !strncmp(p, places[i], skipped)) {
			p += skipped;
			len -= skipped;
		}
	}
	fputs(DETAILS_INDENT, stdout);
	put_clean(stdout, p, len);
	putchar('\n');
}

static void details_put_fields(const char *system, const char *event)
{
	const char *dir = session_tracefs();
	char path[4096], *line = NULL;
	size_t size = 0;
	FILE *f;

	snprintf(path, sizeof(path), "%s/events/%s/%s/format", dir ? dir : "", system, event);
	f = fopen(path, "re");
	while (f && getline(&line, &size, f) > 0)
		details_put_field(line);
	free(line);
	if (f)
		fclose(f);
}

/* @skip: parameters that a handler does not see */
static void details_put_function(struct details *d, const char *module, const char *function,
				 unsigned int skip, bool ret)
{
	const struct btf_file *f = btf_open(&d->files, module);
	uint32_t id = f ? btf_function(f, function) : 0;

	d->no_types |= !f && !strcmp(module, "vmlinux");
	if (!id)
		return;
	if (!ret)
		btf_put_parameters(f, id, skip, DETAILS_INDENT, stdout);
	if (!skip)
		btf_put_result(f, id, "retval", DETAILS_INDENT, stdout);
}

/* Iterators have no format files: their fields are in Documentation/trace/ktap-events.rst. */
static void details_put_iterator(const char *name)
{
	static const struct {
		const char *iterator, *field;
	} fields[] = {
		{ "task", "struct task_struct *task" },
		{ "task_file", "struct task_struct *task" },
		{ "task_file", "int fd" },
		{ "task_file", "struct file *file" },
		{ "task_vma", "struct task_struct *task" },
		{ "task_vma", "struct vm_area_struct *vma" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(fields[i].iterator, name))
			printf(DETAILS_INDENT "%s\n", fields[i].field);
}

void details_put(struct details *d, enum listed_kind kind, const char *group, const char *name,
		 bool ret)
{
	char stub[256];

	if (!d->wanted)
		return;
	switch (kind) {
	case LISTED_TRACEPOINT:
		details_put_fields(group, name);
		break;
	case LISTED_RAW_TRACEPOINT:
		/* the function that calls the probes; its first parameter is their data */
		snprintf(stub, sizeof(stub), "__traceiter_%s", name);
		details_put_function(d, group, stub, 1, false);
		break;
	case LISTED_FUNCTION:
		details_put_function(d, group, name, 0, ret);
		break;
	case LISTED_ITERATOR:
		details_put_iterator(name);
		break;
	case LISTED_OTHER:
		break;
	}
}

/* "struct x *name" is "struct x* name"; arrays and functions are as in C. */
static void details_put_bpftrace(const struct source_param *param)
{
	const char *name = param->name ? param->name : "retval", *decl = param->decl;
	size_t len = strlen(decl), tail = strlen(name), type, stars;

	if (!tail || len <= tail || strcmp(decl + len - tail, name)) {
		put_clean(stdout, decl, len);
		return;
	}
	for (stars = len - tail; stars && decl[stars - 1] == '*'; stars--)
		;
	for (type = stars; type && decl[type - 1] == ' '; type--)
		;
	put_clean(stdout, decl, type);
	put_clean(stdout, decl + stars, len - tail - stars);
	putchar(' ');
	put_clean(stdout, name, tail);
}

/* The function whose parameters are printed */
struct details_function {
	const struct details *details;
	const struct answer *answer;
};

static void details_put_param(void *ctx, const struct source_param *param)
{
	const struct details_function *f = ctx;

	if (f->answer->event.ret && param->name)
		return;
	fputs(DETAILS_INDENT, stdout);
	if (f->details->bpftrace)
		details_put_bpftrace(param);
	else
		put_clean(stdout, param->decl, strlen(param->decl));
	putchar('\n');
}

void details_put_place(const struct details *d, struct resolver *r, struct answer *a,
		       unsigned int number)
{
	struct details_function f = { .details = d, .answer = a };

	if (d->wanted && a->event.kind == USER_FUNCTION)
		resolve_each_param(r, a, number, details_put_param, &f);
}

void details_end(struct details *d)
{
	if (d->no_types)
		fprintf(stderr, "ktap: this kernel has no types of functions (ktap --explain btf)\n");
	btf_free(d->files);
}
