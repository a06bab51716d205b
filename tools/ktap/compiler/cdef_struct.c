// SPDX-License-Identifier: GPL-2.0
/* C declarations: structures, unions and enumerations. */
#include <string.h>

#include "compiler/cdef.h"

static struct cdef_type *cdef_new_tag(struct cdef_parser *p, enum cdef_kind kind,
				      const char *name, struct pos pos)
{
	struct cdefs *c = cdef_all(p->cc);
	struct cdef_type *type = cdef_type_new(p->cc, kind, pos);

	if (++c->ntypes > KTAP_MAX_TYPES)
		cdef_error(p, pos, "more than %u types", KTAP_MAX_TYPES);
	if (!name)
		return type;
	type->name = name;
	type->next = c->tags;
	c->tags = type;
	return type;
}

static const char *cdef_title(const struct cdef_type *type)
{
	if (type->name)
		return type->name;
	return type->kind == CDEF_UNION ? "this union" : "this structure";
}

/* Check that a structure can contain the type. */
static void cdef_check_contained(struct cdef_parser *p, struct pos pos,
				 const struct cdef_type *type)
{
	if (type->kind == CDEF_VOID)
		cdef_error(p, pos, "a member cannot be void; a pointer can be void *");
	else if (type->kind == CDEF_FUNCTION)
		cdef_error(p, pos, "a member cannot be a function; write (*name)(...)");
	else if (type->open)
		cdef_error(p, pos, "%s would contain itself; a pointer to it can be a member",
			   cdef_title(type));
	else if (!type->complete)
		cdef_error(p, pos,
			   "the members of %s are not declared before this; a pointer to it can be a member",
			   cdef_title(type));
}

static void cdef_parse_bits(struct cdef_parser *p, struct cdef_member *m)
{
	const struct cdef_type *type = cdef_resolve(m->type);
	struct pos pos = p->tok.pos;
	int64_t bits = cdef_constant(p);
	unsigned int most = type->size ? 8 * type->size : 64;

	if (type->kind != CDEF_INT)
		cdef_error(p, m->pos, "a bit-field has an integer type");
	else if (bits < 0 || bits > most)
		cdef_error(p, pos, "a bit-field of this type has at most %u bits", most);
	else if (m->name && !bits)
		cdef_error(p, pos, "a bit-field of 0 bits has no name");
	m->bits = p->failed ? 0 : bits;
}

static void cdef_add_member(struct cdef_parser *p, struct cdef_type *type, struct cdef_member *m)
{
	struct cdef_type *plain = cdef_resolve(m->type);
	const struct cdef_member *last = type->kind == CDEF_STRUCT ? type->last : NULL;

	cdef_check_contained(p, m->pos, plain);
	if (m->name && cdef_find_member(type, m->name))
		cdef_error(p, m->pos, "%s has two members '%s'", cdef_title(type), m->name);
	if (last && cdef_resolve(last->type)->flexible)
		cdef_error(p, last->pos, "an array without a size is the last member");
	if (++cdef_all(p->cc)->nmembers > KTAP_MAX_MEMBERS)
		cdef_error(p, m->pos, "more than %u members", KTAP_MAX_MEMBERS);
	type->nmembers += m->name ? 1 : plain->nmembers;
	if (type->nmembers > KTAP_MAX_TYPE_MEMBERS)
		cdef_error(p, m->pos, "%s has more than %u members", cdef_title(type),
			   KTAP_MAX_TYPE_MEMBERS);
	if (m->bits < 0 && type->kind == CDEF_UNION)
		type->least = plain->least > type->least ? plain->least : type->least;
	else if (m->bits < 0)
		type->least += plain->least;
	if (type->least > KTAP_MAX_TYPE_SIZE)
		cdef_error(p, m->pos, "%s is larger than %u bytes", cdef_title(type),
			   KTAP_MAX_TYPE_SIZE);
	if (p->failed)
		return;
	if (type->last)
		type->last->next = m;
	else
		type->members = m;
	type->last = m;
}

/* TYPE NAME, NAME : BITS, ...; */
static void cdef_members(struct cdef_parser *p, struct cdef_type *type)
{
	struct cdef_attributes first = { 0 };
	struct cdef_type *base = cdef_specifiers(p, &first, NULL);
	struct cdef_token name;
	struct cdef_member *m;

	do {
		struct cdef_attributes attributes = first;

		if (p->failed)
			return;
		m = pool_alloc(&p->cc->pool, sizeof(*m));
		m->pos = p->tok.pos;
		m->bits = -1;
		m->type = base;
		if (p->tok.kind == ';') {
			if (base->name || (base->kind != CDEF_STRUCT && base->kind != CDEF_UNION))
				cdef_error(p, m->pos, "this member has no name");
		} else if (p->tok.kind != ':') {
			m->type = cdef_declarator(p, base, &name);
			if (!p->failed && !name.str)
				cdef_unexpected(p, "the name of a member");
			if (p->failed)
				return;
			m->name = name.str;
			m->pos = name.pos;
		}
		if (cdef_accept(p, ':'))
			cdef_parse_bits(p, m);
		cdef_attributes(p, &attributes);
		m->align = attributes.align;
		m->packed = attributes.packed;
		if (!p->failed)
			cdef_add_member(p, type, m);
	} while (cdef_accept(p, ','));
	cdef_expect(p, ';');
}

/* Find or make the type of a tag. @defines: its members follow */
static struct cdef_type *cdef_get_tag(struct cdef_parser *p, enum cdef_kind kind,
				      const char *name, struct pos pos, bool defines)
{
	struct cdef_type *type = name ? cdef_find_tag(p->cc, name) : NULL;

	if (p->quiet) {
		if (!type || defines)
			cdef_error(p, pos, "not declared");
	} else if (!type) {
		type = cdef_new_tag(p, kind, name, pos);
	} else if (defines && (type->complete || type->open)) {
		cdef_error(p, pos, "%s is declared twice", name);
		cdef_note_first(p, type->pos);
	}
	return type;
}

struct cdef_type *cdef_struct(struct cdef_parser *p)
{
	bool is_union = cdef_at_word(p, "union");
	struct cdef_attributes attributes = { 0 };
	struct pos pos = p->tok.pos;
	const char *name = NULL;
	struct cdef_type *type;

	cdef_next(&p->lx, &p->tok);
	cdef_attributes(p, &attributes);
	if (p->tok.kind == C_NAME) {
		name = pool_printf(&p->cc->pool, "%s %s", is_union ? "union" : "struct",
				   p->tok.str);
		pos = p->tok.pos;
		cdef_next(&p->lx, &p->tok);
	}
	if (!name && p->tok.kind != '{')
		cdef_unexpected(p, "a name or '{'");
	if (p->failed)
		return NULL;
	type = cdef_get_tag(p, is_union ? CDEF_UNION : CDEF_STRUCT, name, pos,
			    p->tok.kind == '{');
	if (p->failed || !cdef_accept(p, '{'))
		return type;
	type->pos = pos;
	type->open = true;
	if (!cdef_enter(p))
		return type;
	while (p->tok.kind != '}' && !p->failed)
		cdef_members(p, type);
	p->depth--;
	cdef_expect(p, '}');
	cdef_attributes(p, &attributes);
	type->open = false;
	type->complete = true;
	type->align = attributes.align;
	type->flags = attributes.packed ? KTAP_TYPE_PACKED : 0;
	return type;
}

static void cdef_enumerator(struct cdef_parser *p, const struct cdef_token *name, int64_t value,
			    struct cdef_type *type)
{
	struct cdef_name *n = cdef_find_name(p->cc, name->str);

	if (n && (n->what != CDEF_IS_CONSTANT || n->value != value)) {
		cdef_error(p, name->pos, "'%s' is declared twice", name->str);
		cdef_note_first(p, n->pos);
	}
	if (n || p->failed)
		return;
	n = cdef_add_name(p->cc, name);
	n->what = CDEF_IS_CONSTANT;
	n->value = value;
	n->type = type;
}

/* NAME [= VALUE], ... */
static void cdef_enumerators(struct cdef_parser *p, struct cdef_type *type, int64_t *least,
			     int64_t *most)
{
	struct cdef_token name;
	int64_t next = 0;

	*least = 0;
	*most = 0;
	while (p->tok.kind == C_NAME && !p->failed) {
		name = p->tok;
		cdef_next(&p->lx, &p->tok);
		if (cdef_accept(p, '='))
			next = cdef_constant(p);
		if (p->failed)
			return;
		cdef_enumerator(p, &name, next, type);
		*least = next < *least ? next : *least;
		*most = next > *most ? next : *most;
		next = (int64_t)((uint64_t)next + 1);
		if (!cdef_accept(p, ','))
			break;
	}
}

/* As gcc does: the first of int, unsigned int and 64 bits that has room for all values. */
static void cdef_size_enum(struct cdef_type *type, bool packed, int64_t least, int64_t most)
{
	type->flags = least < 0 ? KTAP_TYPE_SIGNED : 0;
	for (type->size = packed ? 1 : 4; type->size < 8; type->size *= 2) {
		int bits = 8 * type->size;

		if (least < 0 ? least >= -(1LL << (bits - 1)) && most < 1LL << (bits - 1) :
				most < 1LL << bits)
			break;
	}
	type->least = type->size;
}

struct cdef_type *cdef_enum(struct cdef_parser *p)
{
	struct cdef_attributes attributes = { 0 };
	struct pos pos = p->tok.pos;
	struct cdef_type *type;
	const char *name = NULL;
	int64_t least, most;

	cdef_next(&p->lx, &p->tok);
	cdef_attributes(p, &attributes);
	if (p->tok.kind == C_NAME) {
		name = pool_printf(&p->cc->pool, "enum %s", p->tok.str);
		pos = p->tok.pos;
		cdef_next(&p->lx, &p->tok);
	}
	if (p->tok.kind != '{') {
		type = name ? cdef_find_tag(p->cc, name) : NULL;
		if (!type)
			cdef_error(p, pos, "%s is not declared before this", name ? name : "enum");
		return type;
	}
	type = cdef_get_tag(p, CDEF_INT, name, pos, true);
	if (p->failed)
		return NULL;
	cdef_expect(p, '{');
	cdef_enumerators(p, type, &least, &most);
	cdef_expect(p, '}');
	cdef_attributes(p, &attributes);
	cdef_size_enum(type, attributes.packed, least, most);
	type->pos = pos;
	type->complete = true;
	return type;
}
