// SPDX-License-Identifier: GPL-2.0
/* Arguments of functions of programs, by their names, and other uses of debug information. */
#include <string.h>

#include "compiler/lexer.h"
#include "elf/resolve_priv.h"

#define MAX_PARAMS	10	/* arguments that the kernel knows */

/* Events are often in one file: that of the last one remains open. */
struct source_lines *resolve_debug_info(struct resolver *r, const char *path)
{
	struct elf_file *f;
	const char *why;

	if (r->lines_of && !strcmp(r->lines_of, path))
		return r->lines;
	source_lines_close(r->lines);
	f = elf_file_open(path, &why);
	r->lines = f ? source_lines_open(f, r->target.root) : NULL;
	r->lines_of = pool_strndup(&r->pool, path, strlen(path));
	elf_file_close(f);
	return r->lines;
}

void resolve_each_param(struct resolver *r, struct answer *a, unsigned int number,
			source_param_fn put, void *ctx)
{
	const struct place *p = &a->places[number];
	const struct elf_file *f = resolve_open(r, &a->files.files[p->file], a);
	uint64_t addr;

	if (f && elf_offset_to_addr(f, p->offset, &addr))
		source_params(resolve_debug_info(r, f->path), elf_entry_of_probe(f, addr), put,
			      ctx);
}

/**
 * struct place_params - where the named arguments of a function go
 * @numbers: by bit: arguments that have a name
 */
struct place_params {
	struct resolver *r;
	struct place *place;
	unsigned int numbers;
};

/* The name becomes a word of a set-up line: neither the program nor the chunk is trusted. */
bool resolve_can_send(const struct source_param *param)
{
	return param->number >= 0 && param->number < MAX_PARAMS && is_name(param->name);
}

static bool is_read(const struct resolver *r, const char *name)
{
	for (unsigned int i = 0; i < r->nfields; i++) {
		if (!strcmp(r->fields[i], name))
			return true;
	}
	return false;
}

/*
 * The kernel refuses a name that occurs twice, and more names than arguments: damaged debug
 * information can have both.
 */
static void resolve_add_param(void *ctx, const struct source_param *param)
{
	struct place_params *p = ctx;
	struct pool *pool = &p->r->pool;
	const char *lines = p->place->params ? p->place->params : "";

	if (!resolve_can_send(param) || !is_read(p->r, param->name) ||
	    p->numbers & 1U << param->number ||
	    strstr(lines, pool_printf(pool, " %s ", param->name)))
		return;
	p->numbers |= 1U << param->number;
	p->place->params = pool_printf(pool, "%s\nparam %s %d %d", lines, param->name,
				       param->number, param->size);
}

void resolve_params(struct resolver *r, struct answer *a)
{
	for (unsigned int i = 0; r->nfields && i < a->nplaces; i++)
		resolve_each_param(r, a, i, resolve_add_param,
				   &(struct place_params){ .r = r, .place = &a->places[i] });
}
