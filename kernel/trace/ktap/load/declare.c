// SPDX-License-Identifier: GPL-2.0
/*
 * Types that a script declares: check them, and lay them out as the C compiler does that
 * has compiled this kernel.
 *
 * A type contains only types before it, and each type is laid out once.  So the work is
 * linear in the number of types and members, and nothing here recurses.  The members of
 * unnamed structures are copied to the structure around them: their number is limited.
 *
 * The first pass over the types checks and numbers them, and counts the members; the second
 * one lays them out.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <asm/byteorder.h>

#include "btf/type.h"
#include "data/heap.h"
#include "load/declare.h"

/*
 * Members of all structures, those of unnamed ones counted for each structure around them.
 * A handler that has the name of a member as a value compares it with all those of the
 * structure: so KTAP_MAX_TYPE_MEMBERS and KTAP_MAX_TYPE_NAME limit them.
 */
#define DECLARE_MAX_MEMBERS	(4 * KTAP_MAX_MEMBERS)

/* In a structure: the alignment there may be less than that of a variable. */
#define DECLARE_ALIGN(_type)	offsetof(struct { char before; _type x; }, x)

/* On some machines the type of padding bits aligns the structure, on others it does not. */
struct declare_padded {
	char before;
	int:1;
};

#define DECLARE_ALIGNS_PADDING	(__alignof__(struct declare_padded) > 1)

static_assert(sizeof(struct ktap_type) == 16);
static_assert(sizeof(struct ktap_member) == 12);

/**
 * struct declare_state - declarations being laid out
 * @prog: the program
 * @diag: gets the error
 * @d: the declarations
 * @out: the types
 * @next: index of the first member in @d of the next structure
 * @nmembers: number of members of @out
 * @i: index of the current type
 */
struct declare_state {
	struct ktap_program *prog;
	struct ktap_diag *diag;
	const struct ktap_declarations *d;
	struct ktap_declared *out;
	u32 next;
	u32 nmembers;
	u32 i;
};

/* Refuse declarations that no compiler writes. */
#define declare_malformed(s, fmt, ...)					\
	({								\
		ktap_diag((s)->diag, "malformed chunk: " fmt, ##__VA_ARGS__);	\
		-EINVAL;						\
	})

static int declare_name(struct declare_state *s, const char *what, u32 owner, __le32 raw,
			const char **name)
{
	u32 string = le32_to_cpu(raw);

	*name = NULL;
	if (string == KTAP_NONE)
		return 0;
	if (!ktap_index(&string, s->prog->nstrings))
		return declare_malformed(s, "%s %u: its name is string %u of %u", what, owner,
					 string, s->prog->nstrings);
	if (s->prog->strings[string].len > KTAP_MAX_TYPE_NAME)
		return declare_malformed(s, "%s %u: its name has %u bytes", what, owner,
					 s->prog->strings[string].len);
	*name = s->prog->strings[string].blob;
	return 0;
}

/* The flags that each kind of types may have; whether it has a size and a count. */
static const struct {
	u16 flags;
	bool size;
	bool count;
} declare_kinds[] = {
	[KTAP_TYPE_INT] = { KTAP_TYPE_SIGNED | KTAP_TYPE_CHAR | KTAP_TYPE_LONG, true, false },
	[KTAP_TYPE_POINTER] = { 0, false, false },
	[KTAP_TYPE_ARRAY] = { 0, false, true },
	[KTAP_TYPE_STRUCT] = { KTAP_TYPE_PACKED | KTAP_TYPE_INCOMPLETE, true, true },
	[KTAP_TYPE_UNION] = { KTAP_TYPE_PACKED | KTAP_TYPE_INCOMPLETE, true, true },
	[KTAP_TYPE_TYPEDEF] = { 0, true, false },
};

static bool declare_is_align(u8 align)
{
	return !align || is_power_of_2(align);
}

static bool declare_has_int_size(const struct ktap_type *raw)
{
	u16 flags = le16_to_cpu(raw->flags);

	if (flags & KTAP_TYPE_LONG)
		return !raw->size && !raw->type && !(flags & KTAP_TYPE_CHAR);
	if (flags & KTAP_TYPE_CHAR && raw->size != 1)
		return false;
	return raw->size && raw->size <= sizeof(u64) && is_power_of_2(raw->size) && !raw->type;
}

/* Check what is said of the type, except for the types that it refers to. */
static int declare_check(struct declare_state *s, const struct ktap_type *raw)
{
	u8 kind = raw->kind;
	bool fits;

	if (!kind || kind >= ARRAY_SIZE(declare_kinds))
		return declare_malformed(s, "type %u has the unknown kind %u", s->i, kind);
	kind = array_index_nospec(kind, ARRAY_SIZE(declare_kinds));
	if (le16_to_cpu(raw->flags) & ~declare_kinds[kind].flags)
		return declare_malformed(s, "type %u has unknown flags", s->i);
	if (kind == KTAP_TYPE_INT)
		fits = declare_has_int_size(raw);
	else
		fits = declare_kinds[kind].size ? declare_is_align(raw->size) : !raw->size;
	if (!fits || (!declare_kinds[kind].count && raw->count))
		return declare_malformed(s, "type %u has a wrong size or count", s->i);
	return 0;
}

/* Get the index of a type that type @s->i contains. */
static int declare_part(struct declare_state *s, u32 part, const struct ktap_declared_type **t)
{
	if (!ktap_index(&part, s->i))
		return declare_malformed(s, "type %u contains type %u, which is not before it",
					 s->i, part);
	*t = &s->out->types[part];
	return 0;
}

static bool declare_has_members(const struct ktap_declared_type *t)
{
	return t->kind == KTAP_TYPE_STRUCT || t->kind == KTAP_TYPE_UNION;
}

static int declare_too_many(struct declare_state *s, u32 most)
{
	ktap_diag(s->diag,
		  "too many members, those of unnamed structures included; %u is the most", most);
	return -E2BIG;
}

/* The members of all structures follow one another: each belongs to one structure. */
static int declare_count(struct declare_state *s, const struct ktap_type *raw)
{
	u32 first = le32_to_cpu(raw->type), n = le32_to_cpu(raw->count), i, total = 0;
	struct ktap_declared_type *t = &s->out->types[s->i];
	const struct ktap_declared_type *part;
	int err;

	if (first != s->next || n > s->d->nmembers - s->next)
		return declare_malformed(s, "type %u has members %u to %u of %u, not from %u on",
					 s->i, first, first + n, s->d->nmembers, s->next);
	if (t->incomplete && n)
		return declare_malformed(s, "type %u has a wrong size or count", s->i);
	n = array_index_nospec(n, s->d->nmembers - s->next + 1);
	s->next += n;
	for (i = first; i < first + n && total <= KTAP_MAX_TYPE_MEMBERS; i++) {
		err = declare_part(s, le32_to_cpu(s->d->members[i].type), &part);
		if (err)
			return err;
		if (le32_to_cpu(s->d->members[i].name) != KTAP_NONE)
			total++;
		else if (declare_has_members(part))
			total += part->count;
	}
	if (total > KTAP_MAX_TYPE_MEMBERS)
		return declare_too_many(s, KTAP_MAX_TYPE_MEMBERS);
	if (total > DECLARE_MAX_MEMBERS - s->nmembers)
		return declare_too_many(s, DECLARE_MAX_MEMBERS);
	t->count = total;
	s->nmembers += total;
	return 0;
}

/*
 * Number the types.  An incomplete structure is that of the kernel of this name, if there is
 * one.
 */
static int declare_number(struct declare_state *s, const struct ktap_type *raw)
{
	struct ktap_declared_type *t = &s->out->types[s->i];
	const struct ktap_declared_type *part;
	int err;

	err = declare_check(s, raw) ?: declare_name(s, "type", s->i, raw->name, &t->name);
	if (err)
		return err;
	if (raw->kind == KTAP_TYPE_TYPEDEF) {
		/* void */
		if (le32_to_cpu(raw->type) == KTAP_NONE)
			return 0;
		err = declare_part(s, le32_to_cpu(raw->type), &part);
		if (err)
			return err;
		/* declare_count() needs them. */
		t->kind = part->kind;
		t->count = part->count;
		t->type = part->type;
		return 0;
	}
	t->kind = raw->kind;
	t->type = KTAP_DECLARED | s->i;
	t->incomplete = le16_to_cpu(raw->flags) & KTAP_TYPE_INCOMPLETE;
	if (declare_has_members(t))
		err = declare_count(s, raw);
	if (err || !t->incomplete || !t->name || ktap_btf_begin())
		return err;
	/* A search for a name takes long, and there may be many. */
	if (fatal_signal_pending(current))
		return -EINTR;
	if (ktap_btf_find(t->name, &s->prog->types, &t->type))
		t->type = KTAP_DECLARED | s->i;
	return 0;
}

static u32 declare_int_align(u32 size)
{
	switch (size) {
	case 2:
		return DECLARE_ALIGN(u16);
	case 4:
		return DECLARE_ALIGN(u32);
	case 8:
		return DECLARE_ALIGN(u64);
	default:
		return 1;
	}
}

static void declare_int(struct ktap_declared_type *t, const struct ktap_type *raw)
{
	u16 flags = le16_to_cpu(raw->flags);

	t->size = flags & KTAP_TYPE_LONG ? sizeof(long) : raw->size;
	t->align = declare_int_align(t->size);
	t->is_char = flags & KTAP_TYPE_CHAR;
	t->load.kind = flags & KTAP_TYPE_SIGNED ? KTAP_LOAD_SIGNED : KTAP_LOAD_UNSIGNED;
	t->load.size = t->size;
}

static int declare_pointer(struct declare_state *s, struct ktap_declared_type *t,
			   const struct ktap_type *raw)
{
	u32 target = le32_to_cpu(raw->type);

	t->size = sizeof(void *);
	t->align = DECLARE_ALIGN(void *);
	t->load.kind = KTAP_LOAD_POINTER;
	t->load.size = t->size;
	t->load.type = 0;
	if (target == KTAP_NONE)
		return 0;
	if (!ktap_index(&target, s->out->ntypes))
		return declare_malformed(s, "type %u points to type %u of %u", s->i, target,
					 s->out->ntypes);
	t->load.type = s->out->types[target].type;
	return 0;
}

static int declare_too_large(struct declare_state *s, const struct ktap_declared_type *t)
{
	ktap_diag(s->diag, "%s is larger than %u bytes", t->name ?: "a declared type",
		  KTAP_MAX_TYPE_SIZE);
	return -E2BIG;
}

static int declare_array(struct declare_state *s, struct ktap_declared_type *t,
			 const struct ktap_type *raw)
{
	const struct ktap_declared_type *element;
	u64 size;
	int err;

	err = declare_part(s, le32_to_cpu(raw->type), &element);
	if (err)
		return err;
	if (!element->kind || element->incomplete)
		return declare_malformed(s, "type %u contains an incomplete type", s->i);
	t->count = le32_to_cpu(raw->count);
	size = (u64)t->count * element->size;
	if (size > KTAP_MAX_TYPE_SIZE)
		return declare_too_large(s, t);
	t->size = size;
	t->align = element->align;
	t->element = element->type;
	t->load.kind = KTAP_LOAD_ADDRESS;
	t->load.size = size;
	if (element->is_char) {
		t->load.kind = KTAP_LOAD_CHARS;
		t->load.size = ktap_is_open_array(t->count) ? 0 : t->count;
	}
	return 0;
}

static void declare_typedef(struct declare_state *s, struct ktap_declared_type *t,
			    const struct ktap_type *raw)
{
	const struct ktap_declared_type *part;
	const char *name = t->name;

	/* void; declare_number() has checked the index */
	if (le32_to_cpu(raw->type) == KTAP_NONE ||
	    declare_part(s, le32_to_cpu(raw->type), &part)) {
		t->kind = 0;
		return;
	}
	*t = *part;
	t->name = name;
	t->align = max_t(u32, t->align, raw->size);
}

/**
 * struct declare_layout - a structure or union being laid out
 * @s: the declarations
 * @t: the type
 * @is_union: its members begin at its beginning
 * @packed: its members are not aligned
 * @bits: end of the last member, in bits
 * @size: end of the longest member, in bits
 */
struct declare_layout {
	struct declare_state *s;
	struct ktap_declared_type *t;
	bool is_union;
	bool packed;
	u64 bits;
	u64 size;
};

/* Add a member, or those of an unnamed structure.  declare_count() has made room. */
static void declare_add(struct declare_layout *l, const char *name,
			const struct ktap_declared_type *type, const struct ktap_load *load)
{
	struct ktap_declared_member *to = l->t->members + l->t->count;
	u32 i;

	if (name) {
		*to = (struct ktap_declared_member){ .name = name, .load = *load };
		l->t->count++;
		return;
	}
	if (!declare_has_members(type))
		return;
	for (i = 0; i < type->count; i++) {
		to[i] = type->members[i];
		to[i].load.offset += load->offset;
	}
	l->t->count += type->count;
}

/* Does a bit-field lie in more units of its type than a variable of the type would? */
static bool declare_crosses(u64 bits, u32 width, const struct ktap_declared_type *type)
{
	u32 unit = 8 * type->align, first = bits & (unit - 1);

	return DIV_ROUND_UP(first + width, unit) > type->size / type->align;
}

static void declare_bits(struct declare_layout *l, const struct ktap_member *raw,
			 const char *name, const struct ktap_declared_type *type, bool packed)
{
	struct ktap_declared_type *t = l->t;
	u32 align = max_t(u32, packed && raw->bits ? 1 : type->align, raw->align);
	struct ktap_load load = type->load;

	if (!raw->bits || (!packed && declare_crosses(l->bits, raw->bits, type)))
		l->bits = round_up(l->bits, 8 * type->align);
	if (raw->align)
		l->bits = round_up(l->bits, 8 * raw->align);
	if (name || DECLARE_ALIGNS_PADDING)
		t->align = max(t->align, align);
	if (raw->bits)
		ktap_load_bits(&load, l->bits, raw->bits);
	l->bits += raw->bits;
	if (name)
		declare_add(l, name, type, &load);
}

static int declare_too_wide(struct declare_layout *l, const char *name, u32 bits,
			    const struct ktap_declared_type *type)
{
	ktap_diag(l->s->diag, "%s: bit-field '%s' has %u bits, its type has %u on this machine",
		  l->t->name ?: "a declared type", name ?: "", bits, 8 * type->size);
	return -EINVAL;
}

static int declare_member(struct declare_layout *l, u32 i, const struct ktap_member *raw)
{
	u16 flags = le16_to_cpu(raw->flags);
	bool packed = l->packed || flags & KTAP_MEMBER_PACKED, bits = flags & KTAP_MEMBER_BITS;
	const struct ktap_declared_type *type;
	struct ktap_load load;
	const char *name;
	u32 align;
	int err;

	err = declare_name(l->s, "member", i, raw->name, &name) ?:
	      declare_part(l->s, le32_to_cpu(raw->type), &type);
	if (err)
		return err;
	if (flags & ~(KTAP_MEMBER_BITS | KTAP_MEMBER_PACKED) || !declare_is_align(raw->align))
		return declare_malformed(l->s, "member %u has unknown flags", i);
	if (!type->kind || type->incomplete)
		return declare_malformed(l->s, "type %u contains an incomplete type", l->s->i);
	if (bits ? type->kind != KTAP_TYPE_INT || (name && !raw->bits) : raw->bits)
		return declare_malformed(l->s, "member %u has a wrong width", i);
	/* A long has 32 or 64 bits. */
	if (bits && raw->bits > 8 * type->size)
		return declare_too_wide(l, name, raw->bits, type);

	if (l->is_union)
		l->bits = 0;
	if (bits) {
		declare_bits(l, raw, name, type, packed);
	} else {
		align = max_t(u32, packed ? 1 : type->align, raw->align);
		l->bits = round_up(l->bits, 8 * align);
		l->t->align = max(l->t->align, align);
		load = type->load;
		load.offset = l->bits / 8;
		l->bits += 8ULL * type->size;
		declare_add(l, name, type, &load);
	}
	l->size = max(l->size, l->bits);
	return l->size / 8 > KTAP_MAX_TYPE_SIZE ? declare_too_large(l->s, l->t) : 0;
}

static int declare_struct(struct declare_state *s, struct ktap_declared_type *t,
			  const struct ktap_type *raw)
{
	struct declare_layout l = {
		.s = s,
		.t = t,
		.is_union = t->kind == KTAP_TYPE_UNION,
		.packed = le16_to_cpu(raw->flags) & KTAP_TYPE_PACKED,
	};
	u32 end = s->next + le32_to_cpu(raw->count);
	int err = 0;

	/* declare_count() has checked them. */
	t->align = 1;
	t->members = s->out->members + s->nmembers;
	s->nmembers += t->count;
	t->count = 0;
	for (; s->next < end && !err; s->next++)
		err = declare_member(&l, s->next, &s->d->members[s->next]);
	if (err)
		return err;
	t->align = max_t(u32, t->align, raw->size);
	t->size = round_up(DIV_ROUND_UP(l.size, 8), t->align);
	t->load.kind = KTAP_LOAD_ADDRESS;
	t->load.size = t->size;
	return t->size > KTAP_MAX_TYPE_SIZE ? declare_too_large(s, t) : 0;
}

static int declare_lay_out(struct declare_state *s, const struct ktap_type *raw)
{
	struct ktap_declared_type *t = &s->out->types[s->i];

	t->load.type = t->type;
	switch (raw->kind) {
	case KTAP_TYPE_INT:
		declare_int(t, raw);
		return 0;
	case KTAP_TYPE_POINTER:
		return declare_pointer(s, t, raw);
	case KTAP_TYPE_ARRAY:
		return declare_array(s, t, raw);
	case KTAP_TYPE_TYPEDEF:
		declare_typedef(s, t, raw);
		return 0;
	default:
		return declare_struct(s, t, raw);
	}
}

static int declare_number_all(struct declare_state *s)
{
	int err = 0;

	for (s->i = 0; s->i < s->d->ntypes && !err; s->i++) {
		err = declare_number(s, &s->d->types[s->i]);
		cond_resched();
	}
	if (!err && s->next < s->d->nmembers)
		err = declare_malformed(s, "member %u belongs to no type", s->next);
	return err;
}

static int declare_lay_out_all(struct declare_state *s)
{
	int err = 0;

	s->out->members = kvcalloc(s->nmembers ?: 1, sizeof(*s->out->members), KTAP_GFP);
	if (!s->out->members)
		return -ENOMEM;
	s->prog->bytes += s->nmembers * sizeof(*s->out->members);
	s->next = 0;
	s->nmembers = 0;
	for (s->i = 0; s->i < s->d->ntypes && !err; s->i++) {
		err = declare_lay_out(s, &s->d->types[s->i]);
		cond_resched();
	}
	return err;
}

int ktap_declare(struct ktap_program *prog, const struct ktap_declarations *d,
		 struct ktap_diag *diag)
{
	struct declare_state s = { .prog = prog, .diag = diag, .d = d };

	if (!d->ntypes && !d->nmembers)
		return 0;
	s.out = kvcalloc(1, sizeof(*s.out), KTAP_GFP);
	if (!s.out)
		return -ENOMEM;
	prog->declared = s.out;
	s.out->ntypes = d->ntypes;
	s.out->types = kvcalloc(d->ntypes ?: 1, sizeof(*s.out->types), KTAP_GFP);
	if (!s.out->types)
		return -ENOMEM;
	prog->bytes += d->ntypes * sizeof(*s.out->types);
	return declare_number_all(&s) ?: declare_lay_out_all(&s);
}

void ktap_declare_free(struct ktap_program *prog)
{
	if (!prog->declared)
		return;
	kvfree(prog->declared->members);
	kvfree(prog->declared->types);
	kvfree(prog->declared);
}
