// SPDX-License-Identifier: GPL-2.0
/*
 * Types of the kernel and its modules, from their BTF.
 *
 * The kernel checks BTF when it parses it: every type that is referred to exists,
 * and no type contains or renames itself.  BTF does not change, and is not freed
 * while a program holds it.  So handlers can read it in any context.
 */
#include <linux/bitmap.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/security.h>
#include <linux/string.h>

#include "btf/btf.h"
#include "btf/btf_priv.h"
#include "data/suggest.h"

/* Levels of a structure and of unnamed structures inside it */
#define BTF_MAX_NESTED	8

/*
 * The ids of each module start after the last id of the kernel, so modules use the
 * same ids.  A type has such an id, and above it the index of the BTF in owners[].
 */
#define ID_BITS		24

static_assert(BTF_MAX_TYPE < BIT(ID_BITS) && KTAP_BTF_OWNERS <= KTAP_DECLARED >> ID_BITS);

/**
 * struct owner - BTF of the kernel or of a module
 * @btf: a reference to it.  owners[0] is the kernel's, and is not NULL once a program
 *	has a type.  It is changed with owners_mutex held.  A reader needs no lock if
 *	its program holds the BTF, or if the type is from a program that does
 * @users: programs that hold it
 */
static struct owner {
	struct btf *btf;
	unsigned int users;
} owners[KTAP_BTF_OWNERS];

static DEFINE_MUTEX(owners_mutex);
static u32 task;
static struct ktap_btf_mount btf_mount;
static bool btf_mount_known;

/* Return the offset of a member of a structure of the kernel. */
static bool btf_offset_of(u32 type, const char *name, u32 *offset)
{
	struct ktap_load load;
	u32 cost;

	if (ktap_btf_member(type, name, &load, &cost))
		return false;
	*offset = load.offset;
	return true;
}

static void btf_find_mount(const struct btf *btf)
{
	s32 id = btf_find_by_name_kind(btf, "mount", BTF_KIND_STRUCT);

	lockdep_assert_held(&owners_mutex);
	if (id <= 0 || btf_mount_known)
		return;
	btf_mount_known = btf_offset_of(id, "mnt_parent", &btf_mount.parent) &&
			  btf_offset_of(id, "mnt_mountpoint", &btf_mount.mountpoint) &&
			  btf_offset_of(id, "mnt", &btf_mount.mnt);
}

int ktap_btf_begin(void)
{
	struct btf *btf;
	s32 id;

	if (security_locked_down(LOCKDOWN_BPF_READ_KERNEL))
		return -EPERM;
	btf = bpf_get_btf_vmlinux();
	if (IS_ERR_OR_NULL(btf))
		return -EOPNOTSUPP;
	WRITE_ONCE(owners[0].btf, btf);
	guard(mutex)(&owners_mutex);
	if (!task) {
		btf_find_mount(btf);
		id = btf_find_by_name_kind(btf, "task_struct", BTF_KIND_STRUCT);
		WRITE_ONCE(task, max(id, 0));
	}
	return 0;
}

/* The caller's program has called ktap_btf_begin(): they do not change any more. */
bool ktap_btf_mount(struct ktap_btf_mount *layout)
{
	*layout = btf_mount;
	return btf_mount_known;
}

u32 ktap_btf_task(void)
{
	return READ_ONCE(task);
}

/* Let the program hold @btf.  Return its index in owners[], 0 if that is full. */
static u32 btf_hold(struct btf *btf, struct ktap_btf_set *set)
{
	u32 i, index = 0;

	lockdep_assert_held(&owners_mutex);
	for (i = KTAP_BTF_OWNERS - 1; i; i--) {
		if (owners[i].btf == btf)
			break;
		if (!owners[i].btf)
			index = i;
	}
	index = i ?: index;
	if (!index)
		return 0;
	if (!i) {
		btf_get(btf);
		WRITE_ONCE(owners[index].btf, btf);
	}
	if (!__test_and_set_bit(index, set->owners))
		owners[index].users++;
	return index;
}

u32 ktap_btf_type(struct btf *btf, u32 id, struct ktap_btf_set *set)
{
	u32 index;

	if (!btf_is_module(btf) || id < btf_nr_types(READ_ONCE(owners[0].btf)))
		return id;
	guard(mutex)(&owners_mutex);
	index = btf_hold(btf, set);
	return index ? index << ID_BITS | id : 0;
}

void ktap_btf_release(struct ktap_btf_set *set)
{
	u32 i;

	guard(mutex)(&owners_mutex);
	for_each_set_bit(i, set->owners, KTAP_BTF_OWNERS) {
		if (--owners[i].users)
			continue;
		btf_put(owners[i].btf);
		WRITE_ONCE(owners[i].btf, NULL);
	}
	bitmap_zero(set->owners, KTAP_BTF_OWNERS);
}

static const struct btf *btf_owner_of(u32 type)
{
	return READ_ONCE(owners[type >> ID_BITS].btf);
}

const struct btf_type *ktap_btf_at(u32 type)
{
	return btf_type_by_id(btf_owner_of(type), type & (BIT(ID_BITS) - 1));
}

/* Return the string at @offset in the BTF of @type. */
const char *ktap_btf_string(u32 type, u32 offset)
{
	return btf_name_by_offset(btf_owner_of(type), offset) ?: "";
}

u32 ktap_btf_other(u32 type, u32 id)
{
	/* Modules refer to types of the kernel by the kernel's ids. */
	if (id < btf_nr_types(READ_ONCE(owners[0].btf)))
		return id;
	return (type & ~(BIT(ID_BITS) - 1)) | id;
}

/* Skip typedefs, qualifiers and type tags: update @id.  NULL: void. */
const struct btf_type *ktap_btf_resolve(u32 *id)
{
	const struct btf_type *t = ktap_btf_at(*id);

	for (; t; t = ktap_btf_at(*id)) {
		switch (btf_kind(t)) {
		case BTF_KIND_TYPEDEF:
		case BTF_KIND_CONST:
		case BTF_KIND_VOLATILE:
		case BTF_KIND_RESTRICT:
		case BTF_KIND_TYPE_TAG:
			*id = ktap_btf_other(*id, t->type);
			break;
		default:
			return t;
		}
	}
	return NULL;
}

static bool btf_has_members(const struct btf_type *t)
{
	return t && (btf_kind(t) == BTF_KIND_STRUCT || btf_kind(t) == BTF_KIND_UNION);
}

static u32 btf_int_data(const struct btf_type *t)
{
	return *(const u32 *)(t + 1);
}

u64 ktap_btf_size(u32 type)
{
	const struct btf_type *t;
	u64 n = 1;

	for (;; type = ktap_btf_other(type, btf_array_of(t)->type)) {
		t = ktap_btf_resolve(&type);
		if (!t || btf_kind(t) != BTF_KIND_ARRAY)
			break;
		n = min_t(u64, n * btf_array_of(t)->nelems, KTAP_TYPE_TOO_LARGE);
	}
	if (!t)
		return 0;
	switch (btf_kind(t)) {
	case BTF_KIND_PTR:
		return n * sizeof(long);
	case BTF_KIND_INT:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FLOAT:
		return n * t->size;
	default:
		return 0;
	}
}

/* The types of u8 and s8 have other names than "char". */
static bool btf_is_char(u32 type)
{
	const struct btf_type *t = ktap_btf_resolve(&type);

	return t && btf_kind(t) == BTF_KIND_INT && t->size == 1 &&
	       !strcmp(ktap_btf_string(type, t->name_off), "char");
}

static void btf_load_array(u32 id, const struct btf_array *array, struct ktap_load *load)
{
	load->kind = KTAP_LOAD_ADDRESS;
	load->type = id;
	load->size = min_t(u64, ktap_btf_size(id), U32_MAX);
	if (!btf_is_char(ktap_btf_other(id, array->type)))
		return;
	load->kind = KTAP_LOAD_CHARS;
	load->size = ktap_is_open_array(array->nelems) ? 0 : array->nelems;
}

static u8 btf_int_kind(const struct btf_type *t)
{
	if (t->size > sizeof(u64))
		return KTAP_LOAD_NONE;
	return BTF_INT_ENCODING(btf_int_data(t)) & BTF_INT_SIGNED ? KTAP_LOAD_SIGNED :
								KTAP_LOAD_UNSIGNED;
}

/* Return the type that a pointer points to, 0 for void and for functions. */
static u32 btf_target_of(u32 id)
{
	const struct btf_type *t = ktap_btf_resolve(&id);

	return t && btf_kind(t) != BTF_KIND_FUNC_PROTO ? id : 0;
}

void ktap_btf_load(u32 type, struct ktap_load *load)
{
	const struct btf_type *t = ktap_btf_resolve(&type);

	*load = (struct ktap_load){ .type = type };
	if (!t)
		return;
	switch (btf_kind(t)) {
	case BTF_KIND_INT:
		load->kind = btf_int_kind(t);
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
		load->type = btf_target_of(ktap_btf_other(type, t->type));
		break;
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		load->kind = KTAP_LOAD_ADDRESS;
		load->size = t->size;
		break;
	case BTF_KIND_ARRAY:
		btf_load_array(type, btf_array_of(t), load);
		break;
	}
}

/**
 * struct btf_walk - a walk over the members of a structure and its unnamed members
 * @type: by level: the structure
 * @t: by level: its BTF entry
 * @next: by level: its next member
 * @bits: by level: its offset in the outermost structure, in bits
 * @depth: current level; -1: the end
 * @cost: number of members that were visited
 */
struct btf_walk {
	u32 type[BTF_MAX_NESTED];
	const struct btf_type *t[BTF_MAX_NESTED];
	u32 next[BTF_MAX_NESTED];
	u32 bits[BTF_MAX_NESTED];
	int depth;
	u32 cost;
};

static void btf_enter(struct btf_walk *w, u32 type, const struct btf_type *t, u32 bits)
{
	w->depth++;
	w->type[w->depth] = type;
	w->t[w->depth] = t;
	w->next[w->depth] = 0;
	w->bits[w->depth] = bits;
}

static void btf_begin_walk(struct btf_walk *w, u32 type, const struct btf_type *t)
{
	w->depth = -1;
	w->cost = 0;
	btf_enter(w, type, t, 0);
}

/* Return the next named member, its offset in @bits, and its structure in @owner. */
static const struct btf_member *btf_next_member(struct btf_walk *w, u32 *bits, u32 *owner)
{
	const struct btf_type *t, *inner;
	const struct btf_member *m;
	u32 type;

	while (w->depth >= 0) {
		*owner = w->type[w->depth];
		t = w->t[w->depth];
		if (w->next[w->depth] == BTF_INFO_VLEN(t->info)) {
			w->depth--;
			continue;
		}
		m = (const struct btf_member *)(t + 1) + w->next[w->depth]++;
		*bits = w->bits[w->depth] + btf_bit_offset(t, m);
		w->cost++;
		if (m->name_off)
			return m;
		type = ktap_btf_other(*owner, m->type);
		inner = ktap_btf_resolve(&type);
		if (btf_has_members(inner) && w->depth + 1 < BTF_MAX_NESTED)
			btf_enter(w, type, inner, *bits);
	}
	return NULL;
}

/* Return the width of a bit-field, 0 if it is none, and correct its offset @bits. */
static u32 btf_field_bits(u32 owner, const struct btf_member *m, u32 *bits)
{
	u32 type = ktap_btf_other(owner, m->type), n;
	const struct btf_type *t = ktap_btf_resolve(&type);

	if (btf_type_kflag(ktap_btf_at(owner)))
		return BTF_MEMBER_BITFIELD_SIZE(m->offset);
	if (!t || btf_kind(t) != BTF_KIND_INT)
		return 0;
	/* The structure has no kind_flag: the integer type has width and offset. */
	n = BTF_INT_BITS(btf_int_data(t));
	if (n == t->size * 8 && !BTF_INT_OFFSET(btf_int_data(t)))
		return 0;
	*bits += BTF_INT_OFFSET(btf_int_data(t));
	return n;
}

static void btf_load_member(u32 owner, const struct btf_member *m, u32 bits, struct ktap_load *load)
{
	u32 n = btf_field_bits(owner, m, &bits);

	ktap_btf_load(ktap_btf_other(owner, m->type), load);
	load->offset = bits / 8;
	if (n)
		ktap_load_bits(load, bits, n);
}

int ktap_btf_member(u32 type, const char *name, struct ktap_load *load, u32 *cost)
{
	const struct btf_type *t = ktap_btf_resolve(&type);
	const struct btf_member *m;
	struct btf_walk w;
	u32 bits, owner;

	*cost = 0;
	if (!btf_has_members(t))
		return -EINVAL;
	btf_begin_walk(&w, type, t);
	do {
		m = btf_next_member(&w, &bits, &owner);
	} while (m && strcmp(ktap_btf_string(owner, m->name_off), name));
	*cost = w.cost;
	if (!m)
		return -ENOENT;
	btf_load_member(owner, m, bits, load);
	return 0;
}

s64 ktap_btf_element(u32 type, struct ktap_load *load, u32 *step)
{
	const struct btf_type *t = ktap_btf_resolve(&type);
	s64 n = 0;
	u64 size;

	if (t && btf_kind(t) == BTF_KIND_ARRAY) {
		n = ktap_is_open_array(btf_array_of(t)->nelems) ? 0 : btf_array_of(t)->nelems;
		type = ktap_btf_other(type, btf_array_of(t)->type);
	}
	size = ktap_btf_size(type);
	if (!size || size >= KTAP_TYPE_TOO_LARGE)
		return -EINVAL;
	*step = size;
	ktap_btf_load(type, load);
	return n;
}

const char *ktap_btf_near_member(u32 type, const char *name)
{
	const struct btf_type *t = ktap_btf_resolve(&type);
	const struct btf_member *m;
	struct ktap_suggest near;
	struct btf_walk w;
	u32 bits, owner;

	if (!btf_has_members(t))
		return NULL;
	ktap_suggest_begin(&near, name);
	btf_begin_walk(&w, type, t);
	while ((m = btf_next_member(&w, &bits, &owner)))
		ktap_suggest_look(&near, ktap_btf_string(owner, m->name_off));
	return near.best;
}
