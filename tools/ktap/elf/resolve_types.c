// SPDX-License-Identifier: GPL-2.0
/* Types of programs, for the compiler: those of the functions that an event means. */
#include <string.h>

#include "compiler/program_types.h"
#include "compiler/util.h"
#include "elf/resolve_priv.h"

#define MAX_TYPED	64	/* functions of an event, whose types are compared */

/**
 * struct user_param - the search for an argument that can be read
 * @left: number of those before it that are still to come
 * @name: its name
 * @names: those before it, each in blanks
 */
struct user_param {
	struct pool *pool;
	unsigned int left;
	const char *name;
	const char *names;
};

static void user_types_count(void *ctx, const struct source_param *param)
{
	struct user_param *p = ctx;

	/* as those that are sent to the kernel */
	if (!p->left || !resolve_can_send(param) ||
	    strstr(p->names, pool_printf(p->pool, " %s ", param->name)))
		return;
	p->names = pool_printf(p->pool, "%s %s ", p->names, param->name);
	if (!--p->left)
		p->name = pool_strndup(p->pool, param->name, strlen(param->name));
}

/* Find the type at one place of the event. */
static bool user_types_at(struct user_types *u, struct answer *a, const struct place *p,
			  const struct ktap_user_query *q, struct ktap_user_type *type)
{
	struct resolver *r = &u->resolver;
	const struct elf_file *f = resolve_open(r, &a->files.files[p->file], a);
	struct user_param counted = { .pool = &r->pool, .left = q->number, .names = "" };
	struct ktap_user_query named = *q;
	struct source_lines *lines;
	uint64_t addr;

	if (!f || !elf_offset_to_addr(f, p->offset, &addr))
		return false;
	addr = elf_entry_of_probe(f, addr);
	lines = resolve_debug_info(r, f->path);
	if (q->number) {
		source_params(lines, addr, user_types_count, &counted);
		named.param = counted.name;
		if (!named.param)
			return false;
	}
	if (!source_types_find(u->types, lines, f->path, addr, &named, type))
		return false;
	type->param = named.param;
	return true;
}

/* struct user_symbol - the search for a symbol: @several: another one has the same name */
struct user_symbol {
	const struct elf_symbol *first;
	bool several;
};

static void user_types_take(struct user_symbol *found, const struct elf_symbol *symbol)
{
	if (!found->first)
		found->first = symbol;
	else if (found->first->addr != symbol->addr)
		found->several = true;
}

/* Files of the source can have variables and functions of the same name. */
static struct user_symbol user_types_symbol_of(const struct elf_file *f, const char *name)
{
	struct user_symbol found = { 0 };

	for (unsigned int i = 0; i < f->nobjects; i++)
		if (!strcmp(f->objects[i].name, name))
			user_types_take(&found, &f->objects[i]);
	for (unsigned int i = 0; i < f->nfunctions; i++)
		if (!strcmp(f->functions[i].name, name))
			user_types_take(&found, &f->functions[i]);
	return found;
}

/* The handler knows the address of the instruction: that of the symbol is as far as in the file. */
static void user_types_symbol(struct user_types *u, struct answer *a, const char *name,
			      struct ktap_user_type *type)
{
	static const char * const types[] = {
		[1] = "unsigned char", [2] = "unsigned short", [4] = "unsigned int",
		[8] = "unsigned long long",
	};
	struct pool *pool = &u->resolver.pool;
	struct user_symbol found = { 0 };
	const struct elf_symbol *symbol;
	const struct elf_file *f;
	uint64_t addr;

	f = resolve_open(&u->resolver, &a->files.files[a->places[0].file], a);
	if (f)
		found = user_types_symbol_of(f, name);
	symbol = found.first;
	*type = (struct ktap_user_type){ .declarations = "", .stars = 1 };
	if (a->nplaces > 1)
		type->error = pool_printf(pool, "the event has %u places, name one function",
					  a->nplaces);
	else if (!symbol || !elf_offset_to_addr(f, a->places[0].offset, &addr))
		type->error = pool_printf(pool, "%s has no such symbol",
					  a->files.files[a->places[0].file].shown);
	else if (found.several)
		type->error = pool_printf(pool, "%s has several symbols of this name",
					  a->files.files[a->places[0].file].shown);
	else
		type->offset = symbol->addr - addr;
	type->name = symbol && symbol->size < ARRAY_SIZE(types) && types[symbol->size] ?
		     types[symbol->size] : "unsigned long long";
}

bool user_types_find(void *ctx, const struct ktap_user_query *query, struct ktap_user_type *type)
{
	struct user_types *u = ctx;
	struct ktap_user_type other;
	bool found = false;
	struct target target;
	struct answer a;

	if (!ELF_CAN_READ)
		return false;
	if (!u->open) {
		target_init(&target, u->pid);
		resolver_init(&u->resolver, &target);
		u->types = source_types_new();
		u->open = true;
	}
	resolve_event(&u->resolver, query->event, &a);
	if (a.kernels)
		return false;
	/* markers have no parameters */
	if ((query->param || query->number) &&
	    (a.event.kind != USER_FUNCTION || a.nplaces > MAX_TYPED))
		return false;
	if (query->symbol && a.nplaces)
		user_types_symbol(u, &a, query->symbol, type);
	if (query->symbol)
		return a.nplaces;
	*type = (struct ktap_user_type){ .declarations = "" };
	for (unsigned int i = 0; i < a.nplaces && !type->error; i++) {
		if (!user_types_at(u, &a, &a.places[i], query, &other))
			continue;
		other.declarations = *other.declarations ?
			pool_printf(&u->resolver.pool, "%s%s", type->declarations,
				    other.declarations) : type->declarations;
		if (found && !other.error && !program_types_same(type, &other))
			other.error = pool_printf(&u->resolver.pool,
						  "the functions of '%s' have different types",
						  query->event);
		*type = other;
		found = true;
	}
	return found;
}

void user_types_free(struct user_types *u)
{
	if (u->open)
		resolver_free(&u->resolver);
	source_types_free(u->types);
	*u = (struct user_types){ .pid = u->pid };
}
