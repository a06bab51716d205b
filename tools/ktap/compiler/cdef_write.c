// SPDX-License-Identifier: GPL-2.0
/* C declarations: the types that the chunk needs, in the order that it needs. */
#include <string.h>

#include "compiler/cdef.h"
#include "compiler/chunk_write.h"

static uint32_t cdef_enter_type(struct compiler *cc, struct cdef_type *type);

static uint32_t cdef_string(struct compiler *cc, const char *name)
{
	return name ? (uint32_t)chunk_string(cc, name, strlen(name)) : KTAP_NONE;
}

static uint32_t cdef_add(struct compiler *cc, const struct cdef_out *out)
{
	struct cdefs *c = cc->cdefs;

	chunk_limit(cc, cc->main->pos, c->nout, KTAP_MAX_TYPES, "C types");
	c->types = pool_grow(&cc->pool, c->types, c->nout, &c->max_out, sizeof(*c->types));
	c->types[c->nout] = *out;
	return c->nout++;
}

/* The types of the members come first, then the members one after another. */
static void cdef_enter_members(struct compiler *cc, struct cdef_type *type, struct cdef_out *out)
{
	struct cdefs *c = cc->cdefs;
	struct cdef_out_member *to;
	struct cdef_member *m;

	for (m = type->members; m; m = m->next)
		cdef_enter_type(cc, m->type);
	out->to = c->nout_members;
	for (m = type->members; m; m = m->next) {
		chunk_limit(cc, m->pos, c->nout_members, KTAP_MAX_MEMBERS, "members of C types");
		c->members = pool_grow(&cc->pool, c->members, c->nout_members,
				       &c->max_out_members, sizeof(*c->members));
		to = &c->members[c->nout_members++];
		*to = (struct cdef_out_member) {
			.name = cdef_string(cc, m->name),
			.type = cdef_enter_type(cc, m->type),
			.bits = m->bits < 0 ? 0 : m->bits,
			.align = m->align,
			.flags = (m->bits < 0 ? 0 : KTAP_MEMBER_BITS) |
				 (m->packed ? KTAP_MEMBER_PACKED : 0),
		};
		out->count++;
	}
}

/* Enter a type after those that it contains; targets of pointers follow. */
static uint32_t cdef_enter_type(struct compiler *cc, struct cdef_type *type)
{
	struct cdef_out out = { .name = cdef_string(cc, type->name), .flags = type->flags };

	if (type->kind == CDEF_VOID || type->kind == CDEF_FUNCTION)
		return KTAP_NONE;
	if (type->index)
		return type->index - 1;
	switch (type->kind) {
	case CDEF_INT:
		out.kind = KTAP_TYPE_INT;
		out.size = type->size;
		break;
	case CDEF_POINTER:
		out.kind = KTAP_TYPE_POINTER;
		out.type = type->type;
		break;
	case CDEF_ARRAY:
		out.kind = KTAP_TYPE_ARRAY;
		out.count = type->count;
		out.to = cdef_enter_type(cc, type->type);
		break;
	case CDEF_TYPEDEF:
		out.kind = KTAP_TYPE_TYPEDEF;
		out.size = type->align;
		out.to = cdef_enter_type(cc, type->type);
		break;
	default:
		out.kind = type->kind == CDEF_UNION ? KTAP_TYPE_UNION : KTAP_TYPE_STRUCT;
		out.size = type->align;
		if (!type->complete)
			out.flags |= KTAP_TYPE_INCOMPLETE;
		cdef_enter_members(cc, type, &out);
	}
	type->index = cdef_add(cc, &out) + 1;
	return type->index - 1;
}

/* The name by which the kernel finds a type, unless it is the type's own */
static void cdef_enter_use(struct compiler *cc, const struct cdef_use *use)
{
	struct cdef_out out = { .kind = KTAP_TYPE_TYPEDEF };

	out.to = cdef_enter_type(cc, use->type);
	if (use->type->name && !strcmp(use->type->name, use->name))
		return;
	out.name = cdef_string(cc, use->name);
	cdef_add(cc, &out);
}

void cdef_collect(struct compiler *cc)
{
	const struct cdef_use *use;
	struct cdefs *c = cc->cdefs;
	unsigned int i;
	uint32_t to;

	if (!c)
		return;
	cc->pos = cc->main->pos;
	for (use = c->uses; use; use = use->next)
		cdef_enter_use(cc, use);
	/* the targets may have pointers of their own */
	for (i = 0; i < c->nout; i++) {
		if (c->types[i].kind != KTAP_TYPE_POINTER)
			continue;
		to = cdef_enter_type(cc, c->types[i].type);
		c->types[i].to = to;
	}
}
