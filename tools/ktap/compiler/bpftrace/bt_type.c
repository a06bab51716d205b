// SPDX-License-Identifier: GPL-2.0
/* Types of values, from the C declarations of the script and from its expressions. */
#include <string.h>

#include "compiler/bpftrace/bt.h"
#include "compiler/cdef.h"
#include "compiler/util.h"

const struct bt_type bt_any = { .kind = BT_ANY, .leaves = 1 };
const struct bt_type bt_integer = { .kind = BT_INTEGER, .size = 8, .leaves = 1 };
const struct bt_type bt_unsigned = {
	.kind = BT_INTEGER, .size = 8, .is_unsigned = true, .leaves = 1,
};

const struct bt_type bt_string = { .kind = BT_STRING, .leaves = 1 };
const struct bt_type bt_boolean = { .kind = BT_BOOLEAN, .size = 1, .leaves = 1 };
const struct bt_type bt_stack = { .kind = BT_STACK, .leaves = 1 };
const struct bt_type bt_raw_stack = { .kind = BT_STACK, .raw = true, .leaves = 1 };
const struct bt_type bt_raw_user_stack = {
	.kind = BT_STACK, .raw = true, .name = "ustack", .leaves = 1,
};

const struct bt_type bt_bytes = { .kind = BT_BYTES, .leaves = 1 };

struct bt_type *bt_type_new(struct bt_script *s, enum bt_type_kind kind)
{
	struct bt_type *t = pool_alloc(&s->cc->pool, sizeof(*t));

	t->kind = kind;
	t->leaves = 1;
	return t;
}

static const struct bt_type *bt_integer_of(struct bt_script *s, unsigned int size,
					   bool is_unsigned)
{
	struct bt_type *t = bt_type_new(s, BT_INTEGER);

	t->size = size;
	t->is_unsigned = is_unsigned;
	return t;
}

const struct bt_type *bt_pointer_to(struct bt_script *s, const struct bt_type *of)
{
	struct bt_type *t = bt_type_new(s, BT_POINTER);

	t->of = of;
	t->size = 8;
	return t;
}

/* Are its parts not known, or too many? */
static bool bt_is_opaque(const struct bt_type *t)
{
	return t->kind >= BT_TUPLE && t->opaque;
}

const struct bt_type *bt_array_of(struct bt_script *s, const struct bt_type *of,
				  unsigned int count)
{
	struct bt_type *t = bt_type_new(s, BT_ARRAY);

	t->of = of;
	t->count = count;
	t->opaque = !count || count > BT_MAX_LEAVES || of->leaves * count > BT_MAX_LEAVES ||
		    bt_is_opaque(of);
	t->leaves = t->opaque ? 1 : of->leaves * count;
	return t;
}

/* Append an item to a tuple, or a member to a structure. */
void bt_type_add(struct bt_script *s, struct bt_type *t, const char *name,
		 const struct bt_type *type)
{
	struct bt_item *item = pool_alloc(&s->cc->pool, sizeof(*item)), **last = &t->items;

	item->name = name;
	item->type = type;
	while (*last)
		last = &(*last)->next;
	*last = item;
	t->leaves = (t->count++ ? t->leaves : 0) + type->leaves;
	t->opaque = t->leaves > BT_MAX_LEAVES ||
		    (t->kind == BT_STRUCT && t->count > 1 && t->opaque);
	if (t->opaque)
		t->leaves = 1;
}

bool bt_is_compound(const struct bt_type *t)
{
	return t->kind >= BT_TUPLE && !t->opaque;
}

/* A type of C, and ours, which may be incomplete while its members are converted. */
struct bt_c_type {
	const struct cdef_type *c;
	const struct bt_type *type;
	struct bt_c_type *next;
};

static const struct bt_type *bt_type_of_c(struct bt_script *s, struct cdef_type *c);

static bool bt_is_enum(struct bt_script *s, const struct cdef_type *c)
{
	for (const struct cdef_name *n = cdef_all(s->cc)->names; n; n = n->next)
		if (n->what == CDEF_IS_CONSTANT && n->type == c)
			return true;
	return false;
}

static const struct bt_type *bt_type_of_int(struct bt_script *s, const struct cdef_type *c)
{
	struct bt_type *t;

	if (c->name && !strcmp(c->name, "bool"))
		return &bt_boolean;
	if (!bt_is_enum(s, c))
		return bt_integer_of(s, c->size ? c->size : 8,
				     !(c->flags & (KTAP_TYPE_SIGNED | KTAP_TYPE_CHAR)));
	t = bt_type_new(s, BT_ENUM);
	t->size = c->size;
	t->c = c;
	return t;
}

static const struct bt_type *bt_type_of_c_array(struct bt_script *s, struct cdef_type *c)
{
	const struct cdef_type *of = cdef_resolve(c->type);
	struct bt_type *t;

	if (of->kind != CDEF_INT || !(of->flags & KTAP_TYPE_CHAR))
		return bt_array_of(s, bt_type_of_c(s, c->type), c->count);
	t = bt_type_new(s, BT_STRING);
	t->size = c->count;
	return t;
}

/* Bits without a name, and what bt_program.c has declared between members */
static bool bt_is_filler(const struct cdef_member *m)
{
	const struct cdef_type *type = cdef_resolve(m->type);

	if (m->name)
		return !strncmp(m->name, "__filler", 8);
	return (type->kind != CDEF_STRUCT && type->kind != CDEF_UNION) || !type->nmembers;
}

static const struct bt_type *bt_type_of_c(struct bt_script *s, struct cdef_type *c)
{
	struct bt_c_type *known;
	struct bt_type *t;

	c = cdef_resolve(c);
	for (known = s->c_types; known; known = known->next)
		if (known->c == c)
			return known->type;
	switch (c->kind) {
	case CDEF_INT:
		return bt_type_of_int(s, c);
	case CDEF_ARRAY:
		return bt_type_of_c_array(s, c);
	case CDEF_POINTER:
		t = bt_type_new(s, BT_POINTER);
		t->size = 8;
		break;
	case CDEF_STRUCT:
	case CDEF_UNION:
		t = bt_type_new(s, BT_STRUCT);
		t->name = c->name;
		t->opaque = true;
		break;
	default:
		return &bt_any;
	}
	known = pool_alloc(&s->cc->pool, sizeof(*known));
	*known = (struct bt_c_type) { .c = c, .type = t, .next = s->c_types };
	s->c_types = known;
	if (c->kind == CDEF_POINTER)
		t->of = bt_type_of_c(s, c->type);
	for (struct cdef_member *m = c->kind == CDEF_POINTER ? NULL : c->members; m; m = m->next)
		if (!bt_is_filler(m))
			bt_type_add(s, t, m->name, bt_type_of_c(s, m->type));
	return t;
}

/* Parse the declarations of the script. */
void bt_declare(struct bt_script *s)
{
	for (const struct bt_node *type = s->types; type; type = type->next)
		cdef_parse_text(s->cc, type->text, type->pos);
}

/* "int8" to "uint64" are of bpftrace, all others are of C. */
static struct cdef_type *bt_c_type_named(struct bt_script *s, const char *name)
{
	size_t skip = *name == 'u', len = strlen(name);
	struct cdef_attributes attributes = { 0 };
	struct cdef_parser p = { .cc = s->cc, .quiet = true };
	struct cdef_type *c;

	if (!strncmp(name + skip, "int", 3) && len > skip + 3 && name[len - 1] != 't')
		name = pool_printf(&s->cc->pool, "%s_t", name);
	p.lx = (struct cdef_lexer) {
		.pool = &s->cc->pool, .text = name, .end = strlen(name),
	};
	cdef_next(&p.lx, &p.tok);
	c = cdef_specifiers(&p, &attributes, NULL);
	return !p.failed && c && cdef_resolve(c)->complete ? c : NULL;
}

const char *bt_integer_typedef(const char *name)
{
	static const struct {
		const char *name, *type;
	} types[] = {
		{ "__u8", "uint8" }, { "__u16", "uint16" }, { "__u32", "uint32" },
		{ "__u64", "uint64" }, { "__s8", "int8" }, { "__s16", "int16" },
		{ "__s32", "int32" }, { "__s64", "int64" }, { "__be16", "uint16" },
		{ "__be32", "uint32" }, { "__be64", "uint64" }, { "__le16", "uint16" },
		{ "__le32", "uint32" }, { "__le64", "uint64" }, { "pid_t", "int32" },
		{ "uid_t", "uint32" }, { "gid_t", "uint32" }, { "dev_t", "uint32" },
		{ "gfp_t", "uint32" }, { "fmode_t", "uint32" }, { "umode_t", "uint16" },
		{ "sector_t", "uint64" }, { "blkcnt_t", "uint64" }, { "loff_t", "int64" },
		{ "ktime_t", "int64" }, { "time64_t", "int64" }, { "clockid_t", "int32" },
		{ "off_t", "long" }, { "uintptr_t", "unsigned long" }, { "uint", "unsigned int" },
		{ "ushort", "unsigned short" }, { "ulong", "unsigned long" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++)
		if (!strcmp(name, types[i].name))
			return types[i].type;
	return NULL;
}

/* A type of the script comes first. */
static struct cdef_type *bt_c_type_known(struct bt_script *s, const char *name)
{
	struct cdef_type *c = bt_c_type_named(s, name);

	return c || !bt_integer_typedef(name) ? c : bt_c_type_named(s, bt_integer_typedef(name));
}

const struct bt_type *bt_type_named(struct bt_script *s, const char *name, unsigned int stars)
{
	struct cdef_type *c = bt_c_type_known(s, name);
	const struct bt_type *t = c ? bt_type_of_c(s, c) : &bt_any;
	struct bt_type *named;

	/* a structure of the kernel */
	if (!c && (!strncmp(name, "struct ", 7) || !strncmp(name, "union ", 6) || stars) &&
	    strcmp(name, "void")) {
		named = bt_type_new(s, BT_STRUCT);
		named->name = name;
		named->opaque = true;
		t = named;
	}
	if (stars && c && !strcmp(name, "void"))
		t = &bt_any;
	for (; stars; stars--)
		t = bt_pointer_to(s, t);
	return t;
}

/* The enumerator, or NULL. */
static const struct cdef_name *bt_constant(struct bt_script *s, const char *name)
{
	const struct cdef_name *n = cdef_find_name(s->cc, name);

	return n && n->what == CDEF_IS_CONSTANT && n->type ? n : NULL;
}

bool bt_is_declared(struct bt_script *s, const char *name)
{
	return cdef_find_name(s->cc, name);
}

static const struct bt_type *bt_merge_tuples(struct bt_script *s, const struct bt_type *x,
					     const struct bt_type *y)
{
	const struct bt_item *i = x->items, *j = y->items;
	struct bt_type *t = bt_type_new(s, BT_TUPLE);

	for (; i; i = i->next, j = j->next)
		bt_type_add(s, t, i->name, bt_type_merge(s, i->type, j->type));
	return t;
}

/* The type of what is sometimes the one and sometimes the other */
const struct bt_type *bt_type_merge(struct bt_script *s, const struct bt_type *x,
				    const struct bt_type *y)
{
	if (!x || x->kind == BT_ANY)
		return y;
	if (!y || y->kind == BT_ANY || x == y)
		return x;
	if (x->kind == BT_TUPLE && y->kind == BT_TUPLE && x->count == y->count)
		return bt_merge_tuples(s, x, y);
	if (x->kind == BT_INTEGER && y->kind == BT_INTEGER && x->literal && y->literal)
		return x->size > y->size ? x : y;
	if (x->kind == BT_INTEGER && y->kind == BT_INTEGER)
		return bt_integer_of(s, x->size > y->size ? x->size : y->size,
				     x->is_unsigned && y->is_unsigned);
	if (x->kind == BT_ENUM && y->kind == BT_ENUM && x->c == y->c &&
	    (x->c || !strcmp(x->name, y->name)))
		return x;
	if ((x->kind == BT_INTEGER || x->kind == BT_ENUM || x->kind == BT_BOOLEAN) &&
	    (y->kind == BT_INTEGER || y->kind == BT_ENUM || y->kind == BT_BOOLEAN))
		return x->kind == y->kind ? x : &bt_integer;
	if (x->kind == BT_STRING && y->kind == BT_STRING)
		return x->size > y->size ? x : y;
	return x->kind == y->kind ? x : &bt_any;
}

static const struct bt_type *bt_type_of_literal(struct bt_script *s, const struct bt_node *n)
{
	struct bt_type *t = bt_type_new(s, BT_INTEGER);
	uint64_t value = n->value;

	t->is_unsigned = true;
	t->literal = true;
	for (t->size = 1; t->size < 8 && value >> 8 * t->size; t->size *= 2)
		;
	return t;
}

const char *bt_type_text(struct bt_script *s, const struct bt_type *t)
{
	struct pool *pool = &s->cc->pool;
	const char *text = "(";

	switch (t->kind) {
	case BT_INTEGER:
		return pool_printf(pool, "%sint%u", t->is_unsigned && !t->literal ? "u" : "",
				   8 * t->size);
	case BT_STRING:
		return t->size ? pool_printf(pool, "string[%u]", t->size) : "string";
	case BT_BOOLEAN:
		return "bool";
	case BT_TUPLE:
		for (const struct bt_item *item = t->items; item; item = item->next)
			text = pool_printf(pool, "%s%s%s", text, item == t->items ? "" : ",",
					   bt_type_text(s, item->type));
		return pool_printf(pool, "%s)", text);
	default:
		return NULL;
	}
}

static const struct bt_type *bt_type_of_tuple(struct bt_script *s, const struct bt_node *n)
{
	struct bt_type *t = bt_type_new(s, BT_TUPLE);

	for (n = n->a; n; n = n->next)
		bt_type_add(s, t, n->item, bt_type_of(s, n));
	return t;
}

/* An entry of a map: its key and its value */
static const struct bt_type *bt_type_of_entry(struct bt_script *s, const struct bt_map *map)
{
	struct bt_type *t = bt_type_new(s, BT_TUPLE);

	bt_type_add(s, t, NULL, map->key ? map->key : &bt_any);
	bt_type_add(s, t, NULL, map->kind ? &bt_integer : map->type);
	return t;
}

const struct bt_type *bt_type_of_map(const struct bt_map *map)
{
	return !map || !map->set ? &bt_any : map->kind ? &bt_integer : map->type;
}

/* The item of a tuple, or the member of a structure; *@leaf: its first leaf */
const struct bt_item *bt_type_item(const struct bt_type *t, const struct bt_node *n,
				   unsigned int *leaf)
{
	const struct bt_item *item = t->items;
	int64_t i = 0;

	*leaf = 0;
	for (; item; item = item->next, i++) {
		bool named = n->kind == BN_FIELD && n->value < 0;

		if (named ? item->name && !strcmp(item->name, n->text) : n->value == i)
			return item;
		*leaf += item->type->leaves;
	}
	return NULL;
}

/* A member of a structure of the kernel, or a field of an event, that was asked for */
struct bt_member {
	const char *owner;
	uint32_t number;
	const char *name;
	const struct bt_type *type;
	struct bt_member *next;
};

/* Only what the translation depends on: numbers, structures, pointers to them, and their arrays. */
static const struct bt_type *bt_type_of_kernel(struct bt_script *s,
					       const struct ktap_member_type *found)
{
	const char *name = pool_strndup(&s->cc->pool, found->name, strlen(found->name));
	struct bt_type *t;

	if (!strncmp(name, "enum ", 5)) {
		t = bt_type_new(s, BT_ENUM);
		t->size = 4;
		t->name = name;
	} else if (found->number || !strncmp(name, "struct ", 7) || !strncmp(name, "union ", 6)) {
		t = bt_type_new(s, BT_STRUCT);
		t->name = *name ? name : NULL;
		t->number = found->number;
		t->opaque = true;
	} else if (*name && strcmp(name, "char") && !found->stars) {
		t = (struct bt_type *)bt_type_named(s, name, 0);
	} else {
		return &bt_any;
	}
	if (found->stars > 1 || (found->stars && found->count))
		return &bt_any;
	if (found->stars)
		return bt_pointer_to(s, t);
	if (!found->count)
		return t;
	t = (struct bt_type *)bt_array_of(s, t, found->count);
	/* an address, as it is in memory of the kernel */
	t->opaque = true;
	t->leaves = 1;
	return t;
}

static const struct bt_type *bt_type_of_member(struct bt_script *s, const char *owner,
					       uint32_t number, const char *name)
{
	const struct ktap_compile_opts *opts = s->cc->opts;
	struct ktap_member_type found = { 0 };
	struct bt_member *m;

	if (!opts->member_type || (!owner && !number))
		return &bt_any;
	for (m = s->members; m; m = m->next)
		if (m->number == number && !strcmp(m->name, name) &&
		    (number || !strcmp(m->owner, owner)))
			return m->type;
	m = pool_alloc(&s->cc->pool, sizeof(*m));
	*m = (struct bt_member) {
		.owner = owner, .number = number, .name = name, .type = &bt_any,
		.next = s->members,
	};
	if (opts->member_type(opts->member_ctx, owner, number, name, &found))
		m->type = bt_type_of_kernel(s, &found);
	s->members = m;
	return m->type;
}

const char *bt_iter_of(const struct bt_script *s)
{
	const char *text = s->probe ? s->probe->events->text : "";

	if (!strncmp(text, "it:", 3))
		return text + 3;
	return strncmp(text, "iter:", 5) ? NULL : text + 5;
}

bool bt_is_args(const struct bt_script *s, const struct bt_node *n)
{
	return n->kind == BN_NAME &&
	       (!strcmp(n->text, "args") || (!strcmp(n->text, "ctx") && bt_iter_of(s)));
}

static const struct bt_type *bt_type_of_iter(struct bt_script *s, const char *name)
{
	static const char * const fields[][2] = {
		{ "task", "struct task_struct" }, { "file", "struct file" },
		{ "vma", "struct vm_area_struct" },
	};

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++)
		if (!strcmp(fields[i][0], name))
			return bt_type_named(s, fields[i][1], 1);
	return strcmp(name, "fd") ? &bt_any : &bt_integer;
}

/* The function of fentry or fexit, as "NAME()"; NULL: it is another event. */
static const char *bt_traced_function(struct bt_script *s, const char *event)
{
	static const char * const kinds[] = {
		"fentry:", "fexit:", "f:", "fr:", "kfunc:", "kretfunc:",
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (!strncmp(event, kinds[i], strlen(kinds[i])))
			return pool_printf(&s->cc->pool, "%s()", strrchr(event, ':') + 1);
	return NULL;
}

/*
 * A pointer to a structure has the type of its system call or its function, and a field of a
 * tracepoint may be an enumeration.
 */
const struct bt_type *bt_type_of_argument(struct bt_script *s, const struct bt_event *event,
					  const char *name)
{
	const char *text = event->text, *owner = bt_traced_function(s, text);
	const char *call = strstr(text, ":syscalls:sys_enter_");
	const struct bt_type *t;

	/* the lists of strings have no type there */
	if (!strcmp(name, "argv") || !strcmp(name, "envp"))
		return bt_type_named(s, "void", 2);
	if (!strncmp(text, "tracepoint:", 11) || !strncmp(text, "t:", 2)) {
		owner = pool_printf(&s->cc->pool, "%s", strchr(text, ':') + 1);
		if (strchr(owner, ':'))
			*strchr(owner, ':') = '/';
	}
	if (!owner)
		return &bt_any;
	t = bt_type_of_member(s, owner, 0, name);
	if (t->kind == BT_ENUM)
		return t;
	return t->kind == BT_POINTER && (call || strchr(owner, '(')) ? t : &bt_any;
}

/* All events of a block agree: bt_split_probes(). */
static const struct bt_type *bt_type_of_args(struct bt_script *s, const char *name)
{
	const struct bt_type *t = bt_program_argument(s, name);

	if (t)
		return t;
	if (bt_iter_of(s))
		return bt_type_of_iter(s, name);
	return s->probe ? bt_type_of_argument(s, s->probe->events, name) : &bt_any;
}

bool bt_type_same(const struct bt_type *x, const struct bt_type *y)
{
	if (x == y)
		return true;
	if (x->kind != y->kind || x->size != y->size || x->is_unsigned != y->is_unsigned ||
	    x->count != y->count || x->c != y->c || x->number != y->number ||
	    !x->name != !y->name || (x->name && strcmp(x->name, y->name)))
		return false;
	if (x->kind == BT_POINTER || x->kind == BT_ARRAY)
		return bt_type_same(x->of, y->of);
	return x->kind != BT_STRUCT || x->name || x->number;
}

/* A structure of the kernel with its members, if it has few and all of them have a name */
static const struct bt_type *bt_kernel_struct(struct bt_script *s, const struct bt_type *of)
{
	const struct ktap_compile_opts *opts = s->cc->opts;
	struct ktap_type_part part = { .number = of->number };
	struct bt_type *t = bt_type_new(s, BT_STRUCT);
	const char *name;

	if (of->kind != BT_STRUCT || of->items || !opts->type_part || (!of->name && !of->number))
		return of;
	t->name = of->name;
	for (unsigned int i = 0; opts->type_part(opts->member_ctx, of->name, part.number, i, &part);
	     i++) {
		name = pool_strndup(&s->cc->pool, part.name, strlen(part.name));
		if (!*name || i == BT_MAX_LEAVES)
			return of;
		bt_type_add(s, t, name, bt_type_of_member(s, of->name, part.number, name));
	}
	return t->items && !t->opaque ? t : of;
}

static const struct bt_type *bt_type_of_field(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n->a);
	const struct bt_item *item;
	unsigned int leaf;

	if (t->kind == BT_POINTER)
		t = t->of;
	if (bt_is_args(s, n->a) && n->text)
		return bt_type_of_args(s, n->text);
	item = t->kind == BT_TUPLE || t->kind == BT_STRUCT ? bt_type_item(t, n, &leaf) : NULL;
	if (!item && t->kind == BT_STRUCT && t->opaque && !t->items && n->text)
		return bt_type_of_member(s, t->name, t->number, n->text);
	return item ? item->type : &bt_any;
}

static const struct bt_type *bt_type_of_index(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t = bt_type_of(s, n->a);
	struct bt_node constant = { .kind = BN_INT };
	const struct bt_item *item;
	unsigned int leaf;

	/* sizeof(TYPE[2]) */
	if (n->a->kind == BN_TYPE && n->b->kind == BN_INT)
		return bt_array_of(s, t, (uint64_t)n->b->value < UINT32_MAX ? n->b->value :
				   UINT32_MAX);
	switch (t->kind) {
	case BT_STRING:
	case BT_BYTES:
		return &bt_integer;
	case BT_ARRAY:
	case BT_POINTER:
		return t->of;
	case BT_TUPLE:
		item = bt_constant_value(n->b, &constant.value) ?
		       bt_type_item(t, &constant, &leaf) : NULL;
		return item ? item->type : &bt_any;
	default:
		return &bt_any;
	}
}

static const struct bt_type *bt_type_of_binary(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *x = bt_type_of(s, n->a), *y = bt_type_of(s, n->b);

	if ((*n->op == '+' || *n->op == '-') && x->kind == BT_POINTER && y->kind != BT_POINTER)
		return x;
	if (*n->op == '+' && y->kind == BT_POINTER)
		return y;
	if ((x->kind == BT_INTEGER && x->size == 8 && x->is_unsigned) ||
	    (y->kind == BT_INTEGER && y->size == 8 && y->is_unsigned))
		return &bt_unsigned;
	return &bt_integer;
}

/* (int8[8])x, (int8[])x */
static const struct bt_type *bt_type_of_array_cast(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *of = bt_type_named(s, n->text, 0), *from = bt_type_of(s, n->a);
	int count = n->array;

	if (count < 0)
		count = of->size ? (from->size ? from->size : 8) / of->size : 0;
	return bt_array_of(s, of, count);
}

static const struct bt_type *bt_type_of_cast(struct bt_script *s, const struct bt_node *n)
{
	if (n->c)
		return bt_type_of(s, n->c);
	if (n->array)
		return bt_type_of_array_cast(s, n);
	return bt_type_named(s, n->text, n->stars);
}

static const struct bt_type *bt_type_of_name(struct bt_script *s, const char *name)
{
	const struct cdef_name *constant = bt_constant(s, name);

	if (bt_call_of_number(s, name))
		return &bt_integer;
	return constant ? bt_type_of_c(s, constant->type) : bt_type_of_builtin(s, name);
}

const struct bt_type *bt_type_of(struct bt_script *s, const struct bt_node *n)
{
	const struct bt_type *t;
	const struct bt_var *var;
	struct bt_type *text;

	if (bt_is_logic(n))
		return &bt_boolean;
	switch (n->kind) {
	case BN_STR:
		text = bt_type_new(s, BT_STRING);
		text->size = bt_text_length(n) + 1;
		return text;
	case BN_INT:
		return bt_type_of_literal(s, n);
	case BN_UNARY:
		t = bt_type_of(s, n->a);
		return *n->op == '-' ? bt_integer_of(s, t->size, false) : t;
	case BN_BINARY:
		return bt_type_of_binary(s, n);
	case BN_TUPLE:
		return bt_type_of_tuple(s, n);
	case BN_CAST:
		return bt_type_of_cast(s, n);
	case BN_TYPE:
		return bt_type_named(s, n->text, n->stars);
	case BN_CHOICE:
		return bt_type_merge(s, bt_type_of(s, n->b), bt_type_of(s, n->c));
	case BN_MAP:
		return bt_type_of_map(bt_map_of(s, n));
	case BN_VAR:
		var = bt_var_find(s, n->text);
		return !var ? &bt_any : var->loop ? bt_type_of_entry(s, var->loop) : var->type;
	case BN_NAME:
		return bt_type_of_name(s, n->text);
	case BN_CALL:
		return bt_type_of_call(s, n);
	case BN_FIELD:
		return bt_type_of_field(s, n);
	case BN_INDEX:
		return bt_type_of_index(s, n);
	case BN_DEREF:
		t = bt_type_of(s, n->a);
		return t->kind == BT_POINTER ? bt_kernel_struct(s, t->of) : &bt_any;
	default:
		return &bt_any;
	}
}

/* Bytes of an item in a tuple, and how it is aligned; 0 if that is not known */
static unsigned int bt_type_align(const struct bt_type *t)
{
	unsigned int most = 1, align;

	if (t->kind == BT_ARRAY)
		return bt_type_align(t->of);
	if (t->kind != BT_TUPLE && t->kind != BT_STRUCT)
		return t->kind == BT_STRING ? 1 : t->size;
	for (const struct bt_item *item = t->items; item; item = item->next) {
		align = bt_type_align(item->type);
		most = align > most ? align : most;
	}
	return most;
}

uint64_t bt_type_size(const struct bt_type *t)
{
	uint64_t size = 0;
	unsigned int align;

	if (t->kind == BT_ARRAY)
		return t->count * bt_type_size(t->of);
	if (t->kind != BT_TUPLE && t->kind != BT_STRUCT)
		return t->size;
	for (const struct bt_item *item = t->items; item; item = item->next) {
		if (!bt_type_size(item->type))
			return 0;
		align = bt_type_align(item->type);
		size = (size + align - 1) / align * align + bt_type_size(item->type);
	}
	align = bt_type_align(t);
	return (size + align - 1) / align * align;
}
