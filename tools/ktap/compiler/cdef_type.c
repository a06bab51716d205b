// SPDX-License-Identifier: GPL-2.0
/* C declarations: types and names. */
#include <string.h>

#include "compiler/cdef.h"
#include "compiler/suggest.h"
#include "compiler/util.h"

#define SIGNED		KTAP_TYPE_SIGNED

/* The kernel compiles char as an unsigned type on all machines. */
static const struct {
	const char *name;
	unsigned int words, other_words;
	unsigned char size;	/* 0: that of a long */
	unsigned short flags;
} bases[] = {
	{ "int", CDEF_W_INT, CDEF_W_SIGNED, 4, SIGNED },
	{ "unsigned int", CDEF_W_UNSIGNED, CDEF_W_UNSIGNED | CDEF_W_INT, 4, 0 },
	{ "char", CDEF_W_CHAR, CDEF_W_CHAR, 1, KTAP_TYPE_CHAR },
	{ "signed char", CDEF_W_SIGNED | CDEF_W_CHAR, CDEF_W_SIGNED | CDEF_W_CHAR, 1, SIGNED },
	{ "unsigned char", CDEF_W_UNSIGNED | CDEF_W_CHAR, CDEF_W_UNSIGNED | CDEF_W_CHAR, 1, 0 },
	{ "short", CDEF_W_SHORT, CDEF_W_SHORT | CDEF_W_SIGNED, 2, SIGNED },
	{ "unsigned short", CDEF_W_UNSIGNED | CDEF_W_SHORT, CDEF_W_UNSIGNED | CDEF_W_SHORT, 2, 0 },
	{ "long", CDEF_W_LONG, CDEF_W_LONG | CDEF_W_SIGNED, 0, SIGNED | KTAP_TYPE_LONG },
	{ "unsigned long", CDEF_W_UNSIGNED | CDEF_W_LONG, CDEF_W_UNSIGNED | CDEF_W_LONG, 0,
	  KTAP_TYPE_LONG },
	{ "long long", CDEF_W_LONG_LONG, CDEF_W_LONG_LONG | CDEF_W_SIGNED, 8, SIGNED },
	{ "unsigned long long", CDEF_W_UNSIGNED | CDEF_W_LONG_LONG,
	  CDEF_W_UNSIGNED | CDEF_W_LONG_LONG, 8, 0 },
	{ "bool", CDEF_W_BOOL, CDEF_W_BOOL, 1, 0 },
};

/* Typedefs that all scripts know; a script may declare them differently. */
static const struct {
	const char *names[4];
	const char *base;
} known[] = {
	{ { "u8", "__u8", "uint8_t", "u_int8_t" }, "unsigned char" },
	{ { "s8", "__s8", "int8_t" }, "signed char" },
	{ { "u16", "__u16", "uint16_t", "u_int16_t" }, "unsigned short" },
	{ { "s16", "__s16", "int16_t" }, "short" },
	{ { "u32", "__u32", "uint32_t", "u_int32_t" }, "unsigned int" },
	{ { "s32", "__s32", "int32_t" }, "int" },
	{ { "u64", "__u64", "uint64_t", "u_int64_t" }, "unsigned long long" },
	{ { "s64", "__s64", "int64_t" }, "long long" },
	{ { "__be16", "__le16", "__sum16" }, "unsigned short" },
	{ { "__be32", "__le32", "__wsum" }, "unsigned int" },
	{ { "__be64", "__le64" }, "unsigned long long" },
	{ { "uchar", "u_char" }, "unsigned char" },
	{ { "ushort", "u_short", "umode_t" }, "unsigned short" },
	{ { "uint", "u_int", "gfp_t", "dev_t" }, "unsigned int" },
	{ { "uid_t", "gid_t" }, "unsigned int" },
	{ { "ulong", "u_long", "size_t", "uintptr_t" }, "unsigned long" },
	{ { "ssize_t", "ptrdiff_t", "intptr_t" }, "long" },
	{ { "pid_t", "clockid_t" }, "int" },
	{ { "loff_t", "time64_t", "ktime_t" }, "long long" },
	{ { "sector_t", "blkcnt_t" }, "unsigned long long" },
	{ { "_Bool" }, "bool" },
};

struct cdefs *cdef_all(struct compiler *cc)
{
	struct cdefs *c = cc->cdefs;
	size_t i;

	if (c)
		return c;
	c = pool_alloc(&cc->pool, sizeof(*c));
	c->nothing = cdef_type_new(cc, CDEF_VOID, (struct pos) { 0 });
	c->bases = pool_alloc(&cc->pool, ARRAY_SIZE(bases) * sizeof(*c->bases));
	for (i = 0; i < ARRAY_SIZE(bases); i++)
		c->bases[i] = (struct cdef_type) {
			.kind = CDEF_INT,
			.name = bases[i].name,
			.size = bases[i].size,
			.flags = bases[i].flags,
			.least = bases[i].size ? bases[i].size : 4,
			.complete = true,
		};
	cc->cdefs = c;
	return c;
}

struct cdef_type *cdef_type_new(struct compiler *cc, enum cdef_kind kind, struct pos pos)
{
	struct cdef_type *type = pool_alloc(&cc->pool, sizeof(*type));

	type->kind = kind;
	type->pos = pos;
	return type;
}

struct cdef_type *cdef_pointer_to(struct compiler *cc, struct cdef_type *type)
{
	if (!type->pointer) {
		type->pointer = cdef_type_new(cc, CDEF_POINTER, type->pos);
		type->pointer->type = type;
		type->pointer->least = 4;
		type->pointer->complete = true;
	}
	return type->pointer;
}

struct cdef_type *cdef_find_tag(struct compiler *cc, const char *name)
{
	struct cdef_type *type;

	for (type = cdef_all(cc)->tags; type; type = type->next)
		if (!strcmp(type->name, name))
			return type;
	return NULL;
}

struct cdef_name *cdef_find_name(struct compiler *cc, const char *name)
{
	struct cdef_name *n;

	for (n = cc->cdefs ? cc->cdefs->names : NULL; n; n = n->next)
		if (!strcmp(n->name, name))
			return n;
	return NULL;
}

struct cdef_name *cdef_add_name(struct compiler *cc, const struct cdef_token *token)
{
	struct cdef_name *n = pool_alloc(&cc->pool, sizeof(*n));

	n->name = token->str;
	n->pos = token->pos;
	n->next = cdef_all(cc)->names;
	cdef_all(cc)->names = n;
	return n;
}

static struct cdef_type *cdef_base_named(struct compiler *cc, const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(bases); i++)
		if (!strcmp(bases[i].name, name))
			return &cdef_all(cc)->bases[i];
	return NULL;
}

struct cdef_type *cdef_find_type(struct compiler *cc, const char *name)
{
	const struct cdef_name *n = cdef_find_name(cc, name);
	size_t i, j;

	if (n)
		return n->what == CDEF_IS_TYPE ? n->type : NULL;
	for (i = 0; i < ARRAY_SIZE(known); i++)
		for (j = 0; j < ARRAY_SIZE(known[i].names) && known[i].names[j]; j++)
			if (!strcmp(known[i].names[j], name))
				return cdef_base_named(cc, known[i].base);
	return NULL;
}

static void cdef_nearer(const char *name, const char *candidate, const char **best,
			unsigned int *distance)
{
	unsigned int d = edit_distance(name, candidate);

	if (d && d < *distance) {
		*distance = d;
		*best = candidate;
	}
}

const char *cdef_nearest_type(struct compiler *cc, const char *name)
{
	unsigned int distance = edit_limit(name) + 1;
	const struct cdef_name *n;
	const char *best = NULL;
	size_t i, j;

	for (n = cdef_all(cc)->names; n; n = n->next)
		if (n->what == CDEF_IS_TYPE)
			cdef_nearer(name, n->name, &best, &distance);
	for (i = 0; i < ARRAY_SIZE(known); i++)
		for (j = 0; j < ARRAY_SIZE(known[i].names) && known[i].names[j]; j++)
			cdef_nearer(name, known[i].names[j], &best, &distance);
	for (i = 0; i < ARRAY_SIZE(bases); i++)
		cdef_nearer(name, bases[i].name, &best, &distance);
	return best;
}

struct cdef_type *cdef_base(struct compiler *cc, unsigned int words)
{
	unsigned int sized = CDEF_W_SHORT | CDEF_W_LONG | CDEF_W_LONG_LONG;
	size_t i;

	if (words == CDEF_W_VOID)
		return cdef_all(cc)->nothing;
	/* "short int" is "short"; "signed int" is "signed" */
	if (words & (sized | CDEF_W_SIGNED))
		words &= ~CDEF_W_INT;
	for (i = 0; i < ARRAY_SIZE(bases); i++)
		if (words == bases[i].words || words == bases[i].other_words)
			return &cdef_all(cc)->bases[i];
	return NULL;
}

struct cdef_type *cdef_resolve(struct cdef_type *type)
{
	while (type->kind == CDEF_TYPEDEF)
		type = type->type;
	return type;
}

bool cdef_same(const struct cdef_type *x, const struct cdef_type *y)
{
	while (x != y) {
		if (x->kind != y->kind || x->align != y->align || x->count != y->count)
			return false;
		switch (x->kind) {
		case CDEF_INT:
			return x->size == y->size && x->flags == y->flags;
		case CDEF_POINTER:
		case CDEF_ARRAY:
		case CDEF_TYPEDEF:
			break;
		default:
			return false;
		}
		x = x->type;
		y = y->type;
	}
	return true;
}

static bool cdef_same_value(struct cdef_type *x, struct cdef_type *y)
{
	for (;;) {
		x = cdef_resolve(x);
		y = cdef_resolve(y);
		if (x == y)
			return true;
		if (x->kind != CDEF_POINTER || y->kind != CDEF_POINTER)
			return x->kind == y->kind && cdef_same(x, y);
		x = x->type;
		y = y->type;
	}
}

bool cdef_same_function(struct cdef_type *x, struct cdef_type *y)
{
	struct cdef_member *xp = x->members, *yp = y->members;

	if (x->flexible != y->flexible || !cdef_same_value(x->type, y->type))
		return false;
	for (; xp && yp; xp = xp->next, yp = yp->next)
		if (!cdef_same_value(xp->type, yp->type))
			return false;
	return !xp && !yp;
}

struct cdef_member *cdef_find_member(const struct cdef_type *type, const char *name)
{
	struct cdef_member *m, *inner;

	for (m = type->members; m; m = m->next) {
		if (m->name && !strcmp(m->name, name))
			return m;
		inner = m->name ? NULL : cdef_find_member(m->type, name);
		if (inner)
			return inner;
	}
	return NULL;
}
