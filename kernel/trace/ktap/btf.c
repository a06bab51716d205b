// SPDX-License-Identifier: GPL-2.0
/*
 * Types of the kernel, from its BTF.
 *
 * The BTF was checked when it was parsed: types refer to types that there are,
 * and not in circles.  It does not change and does not go, so that handlers can
 * read it in any context.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/string.h>

#include "btf.h"
#include "near.h"

/* Structures without a name that stand in one another. */
#define MAX_NESTED	8

/* The kernel's; never NULL once a program has been told of a type. */
static struct btf *types;
static u32 task;

int ktap_btf_begin(void)
{
	struct btf *btf;
	u32 id;

	if (security_locked_down(LOCKDOWN_BPF_READ_KERNEL))
		return -EPERM;
	btf = bpf_get_btf_vmlinux();
	if (IS_ERR_OR_NULL(btf))
		return -EOPNOTSUPP;
	WRITE_ONCE(types, btf);
	if (!task && !ktap_btf_find("struct task_struct", &id))
		WRITE_ONCE(task, id);
	return 0;
}

u32 ktap_btf_task(void)
{
	return READ_ONCE(task);
}

static const struct btf_type *type_at(u32 id)
{
	return btf_type_by_id(READ_ONCE(types), id);
}

static const char *name_of(u32 offset)
{
	return btf_name_by_offset(READ_ONCE(types), offset) ?: "";
}

/* The type that others only give a name, or a qualifier. */
static const struct btf_type *resolve(u32 *id)
{
	const struct btf_type *t = type_at(*id);

	for (; t; t = type_at(*id)) {
		switch (btf_kind(t)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			*id = t->type;
			break;
		default:
			return t;
		}
	}
	return NULL;
}

static const struct btf_type *resolved(u32 id)
{
	return resolve(&id);
}

static bool has_members(const struct btf_type *t)
{
	return t && (btf_kind(t) == BTF_KIND_STRUCT || btf_kind(t) == BTF_KIND_UNION);
}

static const struct btf_array *array_of(const struct btf_type *t)
{
	return (const struct btf_array *)(t + 1);
}

static u32 int_data(const struct btf_type *t)
{
	return *(const u32 *)(t + 1);
}

u32 ktap_btf_size(u32 type)
{
	const struct btf_type *t;
	u64 n = 1;

	for (;; type = array_of(t)->type) {
		t = resolve(&type);
		if (!t || btf_kind(t) != BTF_KIND_ARRAY)
			break;
		n *= array_of(t)->nelems;
	}
	if (!t)
		return 0;
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		n *= sizeof(long);
		break;
	case BTF_KIND_INT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FLOAT:
		n *= t->size;
		break;
	default:
		return 0;
	}
	return n > U32_MAX ? 0 : n;
}

/* u8 and s8 have other names. */
static bool is_char(const struct btf_type *t)
{
	return t && btf_kind(t) == BTF_KIND_INT && t->size == 1 &&
	       !strcmp(name_of(t->name_off), "char");
}

/* An array that stands for one of any length at the end of a structure. */
static bool is_open(const struct btf_array *array)
{
	return array->nelems <= 1;
}

static void load_array(u32 id, const struct btf_array *array, struct ktap_load *load)
{
	load->kind = KTAP_LOAD_PLACE;
	load->type = id;
	load->size = ktap_btf_size(id);
	if (!is_char(resolved(array->type)))
		return;
	load->kind = KTAP_LOAD_CHARS;
	load->size = is_open(array) ? 0 : array->nelems;
}

static u8 int_kind(const struct btf_type *t)
{
	if (t->size > sizeof(u64))
		return KTAP_LOAD_NONE;
	return BTF_INT_ENCODING(int_data(t)) & BTF_INT_SIGNED ? KTAP_LOAD_SIGNED :
								KTAP_LOAD_UNSIGNED;
}

/* What a pointer to it is worth: nothing is known behind void, and functions. */
static u32 target_of(u32 id)
{
	const struct btf_type *t = resolve(&id);

	return t && btf_kind(t) != BTF_KIND_FUNC_PROTO ? id : 0;
}

void ktap_btf_load(u32 type, struct ktap_load *load)
{
	const struct btf_type *t = resolve(&type);

	*load = (struct ktap_load){ .type = type };
	if (!t)
		return;
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		load->kind = int_kind(t);
		load->size = t->size;
		break;
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		load->kind = btf_type_kflag(t) ? KTAP_LOAD_SIGNED : KTAP_LOAD_UNSIGNED;
		load->size = t->size;
		break;
	case BTF_KIND_PTR:
		load->kind = KTAP_LOAD_POINTER;
		load->size = sizeof(long);
		load->type = target_of(t->type);
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		load->kind = KTAP_LOAD_PLACE;
		load->size = t->size;
		break;
	case BTF_KIND_ARRAY:
		load_array(type, array_of(t), load);
		break;
	}
}

/**
 * struct walk - the members of a structure, and those of its unnamed members
 * @t: the structure that is being looked at
 * @next: its next member
 * @bits: where it begins, from the beginning of the outermost
 * @depth: the one of the three that is in use
 * @cost: members that were looked at
 */
struct walk {
	const struct btf_type *t[MAX_NESTED];
	u32 next[MAX_NESTED];
	u32 bits[MAX_NESTED];
	int depth;
	u32 cost;
};

static void enter(struct walk *w, const struct btf_type *t, u32 bits)
{
	w->depth++;
	w->t[w->depth] = t;
	w->next[w->depth] = 0;
	w->bits[w->depth] = bits;
}

static void begin_walk(struct walk *w, const struct btf_type *t)
{
	w->depth = -1;
	w->cost = 0;
	enter(w, t, 0);
}

static u32 bit_offset(const struct btf_type *t, const struct btf_member *m)
{
	return btf_type_kflag(t) ? BTF_MEMBER_BIT_OFFSET(m->offset) : m->offset;
}

/* The next member that has a name; @bits gets where it is, @owner whose it is. */
static const struct btf_member *next_member(struct walk *w, u32 *bits,
					    const struct btf_type **owner)
{
	const struct btf_type *inner;
	const struct btf_member *m;

	while (w->depth >= 0) {
		*owner = w->t[w->depth];
		if (w->next[w->depth] == BTF_INFO_VLEN((*owner)->info)) {
			w->depth--;
			continue;
		}
		m = (const struct btf_member *)(*owner + 1) + w->next[w->depth]++;
		*bits = w->bits[w->depth] + bit_offset(*owner, m);
		w->cost++;
		if (m->name_off)
			return m;
		inner = resolved(m->type);
		if (has_members(inner) && w->depth + 1 < MAX_NESTED)
			enter(w, inner, *bits);
	}
	return NULL;
}

/* Bits of a bit-field, and in @bits where it begins; 0: it is none. */
static u32 field_bits(const struct btf_type *owner, const struct btf_member *m, u32 *bits)
{
	const struct btf_type *t = resolved(m->type);
	u32 n;

	if (btf_type_kflag(owner))
		return BTF_MEMBER_BITFIELD_SIZE(m->offset);
	if (!t || btf_kind(t) != BTF_KIND_INT)
		return 0;
	/* As it was before structures had the flag. */
	n = BTF_INT_BITS(int_data(t));
	if (n == t->size * 8 && !BTF_INT_OFFSET(int_data(t)))
		return 0;
	*bits += BTF_INT_OFFSET(int_data(t));
	return n;
}

static void load_member(const struct btf_type *owner, const struct btf_member *m, u32 bits,
			struct ktap_load *load)
{
	u32 n = field_bits(owner, m, &bits);

	ktap_btf_load(m->type, load);
	load->offset = bits / 8;
	if (!n)
		return;
	load->shift = bits % 8;
	load->bits = n;
	load->size = DIV_ROUND_UP(load->shift + n, 8);
	if (load->size > sizeof(u64))
		load->kind = KTAP_LOAD_NONE;
}

int ktap_btf_member(u32 type, const char *name, struct ktap_load *load, u32 *cost)
{
	const struct btf_type *t = resolved(type), *owner;
	const struct btf_member *m;
	struct walk w;
	u32 bits;

	*cost = 0;
	if (!has_members(t))
		return -EINVAL;
	begin_walk(&w, t);
	do {
		m = next_member(&w, &bits, &owner);
	} while (m && strcmp(name_of(m->name_off), name));
	*cost = w.cost;
	if (!m)
		return -ENOENT;
	load_member(owner, m, bits, load);
	return 0;
}

s64 ktap_btf_element(u32 type, struct ktap_load *load, u32 *step)
{
	const struct btf_type *t = resolve(&type);
	s64 n = 0;

	if (t && btf_kind(t) == BTF_KIND_ARRAY) {
		n = is_open(array_of(t)) ? 0 : array_of(t)->nelems;
		type = array_of(t)->type;
	}
	*step = ktap_btf_size(type);
	if (!*step)
		return -EINVAL;
	ktap_btf_load(type, load);
	return n;
}

/**
 * struct near - the name that is most like another
 * @name: the other
 * @len: bytes of it
 * @limit: steps that are too many
 * @best: the name, or NULL
 */
struct near {
	const char *name;
	size_t len;
	u32 limit;
	const char *best;
};

static void begin_near(struct near *n, const char *name)
{
	n->name = name;
	n->len = strlen(name);
	n->limit = n->len < 3 ? 2 : n->len < 6 ? 3 : 4;
	n->best = NULL;
}

static void look_near(struct near *n, const char *name)
{
	size_t len = strlen(name);
	u32 steps;

	if (len >= n->len + n->limit || n->len >= len + n->limit)
		return;
	steps = ktap_distance(n->name, name);
	if (steps >= n->limit)
		return;
	n->limit = steps;
	n->best = name;
}

const char *ktap_btf_near_member(u32 type, const char *name)
{
	const struct btf_type *t = resolved(type), *owner;
	const struct btf_member *m;
	struct near near;
	struct walk w;
	u32 bits;

	if (!has_members(t))
		return NULL;
	begin_near(&near, name);
	begin_walk(&w, t);
	while ((m = next_member(&w, &bits, &owner)))
		look_near(&near, name_of(m->name_off));
	return near.best;
}

/* Names of types: what may stand in front, and the kinds that it is for. */
static const struct {
	const char *prefix;
	u8 kinds[2];
} spellings[] = {
	{ "struct ",	{ BTF_KIND_STRUCT } },
	{ "union ",	{ BTF_KIND_UNION } },
	{ "enum ",	{ BTF_KIND_ENUM, BTF_KIND_ENUM64 } },
	{ "",		{ BTF_KIND_TYPEDEF, BTF_KIND_INT } },
};

/* The compiler has names of its own for these. */
static const char * const synonyms[][2] = {
	{ "short", "short int" },
	{ "unsigned short", "short unsigned int" },
	{ "unsigned", "unsigned int" },
	{ "long", "long int" },
	{ "unsigned long", "long unsigned int" },
	{ "long long", "long long int" },
	{ "unsigned long long", "long long unsigned int" },
};

/* What stands behind the prefix; @i gets which one it is. */
static const char *split_name(const char *name, unsigned int *i)
{
	size_t len;

	for (*i = 0;; ++*i) {
		len = strlen(spellings[*i].prefix);
		if (!strncmp(name, spellings[*i].prefix, len))
			return name + len;
	}
}

int ktap_btf_find(const char *name, u32 *type)
{
	unsigned int i, k;
	s32 id = -ENOENT;

	if (strchr(name, '*'))
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(synonyms); i++) {
		if (!strcmp(name, synonyms[i][0]))
			name = synonyms[i][1];
	}
	name = split_name(name, &i);
	for (k = 0; k < ARRAY_SIZE(spellings[i].kinds) && id < 0; k++) {
		if (*name && spellings[i].kinds[k])
			id = btf_find_by_name_kind(types, name, spellings[i].kinds[k]);
	}
	if (id < 0)
		return -ENOENT;
	*type = id;
	/* void is there by no name. */
	return resolve(type) ? 0 : -ENOENT;
}

static const char *prefix_of(const struct btf_type *t)
{
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(spellings); i++) {
		for (k = 0; k < ARRAY_SIZE(spellings[i].kinds); k++) {
			if (btf_kind(t) == spellings[i].kinds[k])
				return spellings[i].prefix;
		}
	}
	return NULL;
}

const char *ktap_btf_near_type(const char *name, char *text)
{
	u32 id, n = btf_nr_types(types);
	const struct btf_type *t;
	const char *prefix = "";
	struct near near;
	unsigned int i;

	begin_near(&near, split_name(name, &i));
	for (id = 1; id < n; id++) {
		t = type_at(id);
		if (t && t->name_off && prefix_of(t)) {
			const char *best = near.best;

			look_near(&near, name_of(t->name_off));
			if (near.best != best)
				prefix = prefix_of(t);
		}
		cond_resched();
	}
	if (!near.best)
		return NULL;
	scnprintf(text, KTAP_TYPE_TEXT, "%s%s", prefix, near.best);
	return text;
}

const char *ktap_btf_text(u32 type, char *text)
{
	const struct btf_type *t = resolve(&type);
	const char *name, *prefix;

	if (!t)
		return "void";
	switch (btf_kind(t)) {
	case BTF_KIND_ARRAY:
		return "an array";
	case BTF_KIND_PTR:
		return "a pointer";
	case BTF_KIND_FWD:
		prefix = btf_type_kflag(t) ? "union " : "struct ";
		break;
	default:
		prefix = prefix_of(t) ?: "";
	}
	name = name_of(t->name_off);
	scnprintf(text, KTAP_TYPE_TEXT, "%s%s", prefix, *name ? name : "without a name");
	return text;
}

static bool find_enumerator(const struct btf_type *t, const char *name, s64 *value)
{
	const struct btf_enum64 *wide = (const void *)(t + 1);
	const struct btf_enum *narrow = (const void *)(t + 1);
	u32 i, n = BTF_INFO_VLEN(t->info);

	for (i = 0; i < n; i++) {
		if (btf_kind(t) == BTF_KIND_ENUM && !strcmp(name_of(narrow[i].name_off), name)) {
			*value = btf_type_kflag(t) ? narrow[i].val : (s64)(u32)narrow[i].val;
			return true;
		}
		if (btf_kind(t) == BTF_KIND_ENUM64 && !strcmp(name_of(wide[i].name_off), name)) {
			*value = (u64)wide[i].val_hi32 << 32 | wide[i].val_lo32;
			return true;
		}
	}
	return false;
}

int ktap_btf_enumerator(const char *name, s64 *value)
{
	const struct btf_type *t;
	u32 id, n;

	if (ktap_btf_begin())
		return -ENOENT;
	n = btf_nr_types(types);
	for (id = 1; id < n; id++) {
		t = type_at(id);
		if (t && (btf_kind(t) == BTF_KIND_ENUM || btf_kind(t) == BTF_KIND_ENUM64) &&
		    find_enumerator(t, name, value))
			return 0;
		if (fatal_signal_pending(current))
			break;
		cond_resched();
	}
	return -ENOENT;
}

u32 ktap_btf_function(const char *name)
{
	const struct btf_type *t;
	s32 id;

	id = btf_find_by_name_kind(types, name, BTF_KIND_FUNC);
	if (id < 0)
		return 0;
	t = type_at(id);
	return t ? t->type : 0;
}

int ktap_btf_param(u32 proto, const char *name, struct ktap_load *load)
{
	const struct btf_type *t = type_at(proto);
	const struct btf_param *param;
	u32 i, n;

	if (!t || btf_kind(t) != BTF_KIND_FUNC_PROTO)
		return -ENOENT;
	param = (const struct btf_param *)(t + 1);
	n = BTF_INFO_VLEN(t->info);
	for (i = 0; i < n; i++) {
		ktap_btf_load(param[i].type, load);
		if (load->kind == KTAP_LOAD_NONE || load->kind == KTAP_LOAD_PLACE ||
		    load->kind == KTAP_LOAD_CHARS || load->size > sizeof(long))
			break;
		if (!strcmp(name_of(param[i].name_off), name))
			return i;
	}
	return -ENOENT;
}
