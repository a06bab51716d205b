// SPDX-License-Identifier: GPL-2.0
/*
 * Members and elements that typed pointers point to.
 *
 * If the verifier knows the type of a pointer in a register, it has already found the
 * member.  A pointer from a table, a global or a parameter has its type with it.  The
 * member is looked up by its name when it is first read; the result is kept by type and
 * name.
 */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "btf/btf_read.h"
#include "btf/type.h"
#include "host/read_memory.h"
#include "vm/builtin.h"
#include "vm/env.h"
#include "vm/ops.h"

/* Results that are kept; without a free slot a member is looked up each time. */
#define NR_FOUND	256
#define MAX_PROBES	4

enum found_state {
	FOUND_NONE,
	FOUND_BUSY,	/* being written */
	FOUND_READY,	/* does not change any more */
};

/**
 * struct ktap_found - kept result of looking up a member
 * @state: enum found_state.  The event that changes it from NONE to BUSY, by cmpxchg(),
 *	writes the rest and sets READY, with release.  A reader that finds READY, with
 *	acquire, reads the rest.  Nothing waits: an event that finds BUSY looks up its
 *	member itself
 * @type: structure
 * @string: name, a string constant
 * @load: how to read it
 */
struct ktap_found {
	u32 state;
	u32 type;
	u32 string;
	struct ktap_load load;
};

/* Members that are visited for a unit, and units of a read of memory */
#define MEMBERS_A_UNIT	4
#define READ_COST	1

int ktap_members_init(struct ktap_env *env)
{
	if (env->found)
		return 0;
	env->found = kvcalloc(NR_FOUND, sizeof(*env->found), KTAP_GFP);
	return env->found ? 0 : -ENOMEM;
}

void ktap_members_destroy(struct ktap_env *env)
{
	kvfree(env->found);
	env->found = NULL;
}

/* Reading */

static int btf_read_load_chars(struct ktap_vm *vm, struct ktap_value *dst, u64 address, u32 size)
{
	u32 most = size ? min_t(u32, size, KTAP_MAX_STRLEN - 1) : KTAP_MAX_STRLEN - 1;
	char *buf, next;
	int len, err;

	err = ktap_vm_charge(vm, most / KTAP_KERNEL_CHARS);
	if (err)
		return err;
	buf = ktap_arena_alloc(vm, most);
	if (!buf)
		return vm->error;
	len = ktap_read_string(buf, address, most);
	/* The NUL may be in the place of the last byte.  After a full array memory may end. */
	if (len == (int)most - 1 && !ktap_read_memory(&next, address + len, 1) && next)
		buf[len++] = next;
	ktap_arena_trim(vm, buf, max(len, 0));
	/* Is it longer than a string may be? */
	if (len == (int)most && size != most && !ktap_read_memory(&next, address + len, 1) && next)
		atomic_long_inc(&vm->env->counters.cut_strings);
	if (len < 0)
		return ktap_bad_read(vm, dst);
	*dst = KTAP_VALUE_STR(buf, len);
	return 0;
}

/* On big-endian machines the bits of a bit-field count from the most significant one. */
static u64 btf_read_cut_bits(u64 x, const struct ktap_load *load)
{
	x >>= KTAP_BIG_END_FIRST ? load->size * 8 - load->shift - load->bits : load->shift;
	return load->bits < 64 ? x & ((1ULL << load->bits) - 1) : x;
}

static struct ktap_value btf_read_make_value(u64 x, unsigned int bits, const struct ktap_load *load)
{
	unsigned int unused = 64 - bits;

	switch (load->kind) {
	case KTAP_LOAD_SIGNED:
		return KTAP_VALUE_INT((s64)(x << unused) >> unused);
	case KTAP_LOAD_UNSIGNED:
		return KTAP_VALUE_INT(x);
	case KTAP_LOAD_POINTER:
		return x ? KTAP_VALUE_TYPED(x, load->type) : KTAP_VALUE_NIL;
	default:
		return KTAP_VALUE_NIL;
	}
}

static int btf_read_load_number(struct ktap_vm *vm, struct ktap_value *dst, u64 address,
				const struct ktap_load *load)
{
	unsigned int bits = load->bits ?: load->size * 8;
	u64 x = 0;

	if (ktap_read_memory(&x, address, load->size))
		return ktap_bad_read(vm, dst);
	x = ktap_unsigned(x, load->size);
	if (load->bits)
		x = btf_read_cut_bits(x, load);
	*dst = btf_read_make_value(x, bits, load);
	return 0;
}

int ktap_load_value(struct ktap_vm *vm, struct ktap_value *dst, u64 base,
		    const struct ktap_load *load)
{
	u64 address = base + load->offset;
	int err;

	err = ktap_vm_charge(vm, READ_COST);
	if (err)
		return err;
	switch (load->kind) {
	case KTAP_LOAD_ADDRESS:
		*dst = KTAP_VALUE_TYPED(address, load->type);
		return 0;
	case KTAP_LOAD_CHARS:
		return btf_read_load_chars(vm, dst, address, load->size);
	case KTAP_LOAD_NONE:
		*dst = KTAP_VALUE_NIL;
		return 0;
	default:
		return btf_read_load_number(vm, dst, address, load);
	}
}

void ktap_load_register(struct ktap_value *dst, unsigned long value, const struct ktap_load *load)
{
	unsigned int bits = load->size * 8;
	u64 x = value;

	/* The other bits of the register are not part of the parameter. */
	if (bits < 64)
		x &= (1ULL << bits) - 1;
	*dst = btf_read_make_value(x, bits, load);
}

/* Members by name */

static int btf_read_no_member(struct ktap_vm *vm, const struct ktap_value *object, const char *name)
{
	char text[KTAP_TYPE_TEXT];

	return ktap_vm_error(vm, -ENOENT, "%s has no member '%s'",
			     ktap_type_text(vm->env->prog->declared, object->type, text), name);
}

static int btf_read_no_members(struct ktap_vm *vm, const struct ktap_value *object,
			       const char *what)
{
	char text[KTAP_TYPE_TEXT];

	if (!object->type)
		return ktap_vm_error(vm, -EINVAL,
				     "a pointer without a type has no %s: cast(\"struct NAME\", p) gives it one",
				     what);
	return ktap_vm_error(vm, -EINVAL, "%s has no %s",
			     ktap_type_text(vm->env->prog->declared, object->type, text), what);
}

static struct ktap_found *btf_read_slot_for(struct ktap_vm *vm, u32 type, u32 string,
					    unsigned int i)
{
	return &vm->env->found[((type * 31 + string) * 7 + i) % NR_FOUND];
}

static const struct ktap_load *btf_read_kept(struct ktap_vm *vm, u32 type, u32 string)
{
	struct ktap_found *found;
	unsigned int i;

	for (i = 0; vm->env->found && i < MAX_PROBES; i++) {
		found = btf_read_slot_for(vm, type, string, i);
		/* Pairs with btf_read_keep(). */
		if (smp_load_acquire(&found->state) == FOUND_READY && found->type == type &&
		    found->string == string)
			return &found->load;
	}
	return NULL;
}

static void btf_read_keep(struct ktap_vm *vm, u32 type, u32 string, const struct ktap_load *load)
{
	struct ktap_found *found;
	unsigned int i;

	for (i = 0; vm->env->found && i < MAX_PROBES; i++) {
		found = btf_read_slot_for(vm, type, string, i);
		if (cmpxchg(&found->state, FOUND_NONE, FOUND_BUSY) != FOUND_NONE)
			continue;
		found->type = type;
		found->string = string;
		found->load = *load;
		/* Pairs with btf_read_kept(). */
		smp_store_release(&found->state, FOUND_READY);
		return;
	}
}

int ktap_member_by_name(struct ktap_vm *vm, struct ktap_value *dst,
			const struct ktap_value *object, u32 string)
{
	const char *name = vm->env->prog->strings[string].blob;
	const struct ktap_load *load;
	struct ktap_load found;
	u32 cost;
	int err;

	if (!object->type)
		return btf_read_no_members(vm, object, "members");
	load = btf_read_kept(vm, object->type, string);
	if (load)
		return ktap_load_value(vm, dst, object->u, load);

	err = ktap_type_member(vm->env->prog->declared, object->type, name, &found, &cost);
	if (ktap_vm_charge(vm, cost / MEMBERS_A_UNIT))
		return vm->error;
	if (err == -ENOENT)
		return btf_read_no_member(vm, object, name);
	if (err)
		return btf_read_no_members(vm, object, "members");
	btf_read_keep(vm, object->type, string, &found);
	return ktap_load_value(vm, dst, object->u, &found);
}

int ktap_element_get(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *object,
		     const struct ktap_value *key)
{
	struct ktap_load load;
	u32 step;
	s64 n;

	if (key->tag != KTAP_INT)
		return ktap_vm_error(vm, -EINVAL,
				     "elements of a pointer have integers as keys, not %s",
				     ktap_type_name(key));
	n = object->type ? ktap_type_element(vm->env->prog->declared, object->type, &load, &step) :
			   -EINVAL;
	if (n < 0)
		return btf_read_no_members(vm, object, "elements");
	if (n && (key->i < 0 || key->i >= n))
		return ktap_vm_error(vm, -ERANGE, "element %lld of an array of %lld", key->i, n);
	return ktap_load_value(vm, dst, object->u + key->u * step, &load);
}

/* Instructions that the verifier makes */

int ktap_op_member(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *object,
		   u32 access)
{
	const struct ktap_access *x = &vm->env->prog->accesses[access];

	if (likely(object->tag == KTAP_PTR && object->type == x->of))
		return ktap_load_value(vm, dst, object->u, &x->load);
	if (object->tag != KTAP_NIL)
		return ktap_op_get_name(vm, dst, object, x->string);
	*dst = KTAP_VALUE_NIL;
	return 0;
}

int ktap_op_element(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *object,
		    struct ktap_value *key)
{
	if (object->tag != KTAP_NIL)
		return ktap_op_get(vm, dst, object, key);
	*dst = KTAP_VALUE_NIL;
	return 0;
}

int ktap_op_cast(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *v,
		 u32 type)
{
	bool address = v->tag == KTAP_INT || v->tag == KTAP_PTR;

	if (unlikely(!address && v->tag != KTAP_NIL))
		return ktap_vm_error(vm, -EINVAL, "cast: argument 2 is %s, which it does not take",
				     ktap_type_name(v));
	*dst = address && v->u ? KTAP_VALUE_TYPED(v->u, type) : KTAP_VALUE_NIL;
	return 0;
}

/* The verifier replaces calls with a constant name by other instructions. */
static int btf_read_not_found(struct ktap_vm *vm, const char *name)
{
	return ktap_vm_error(vm, -EINVAL, "%s: the name of the type must be a constant", name);
}

int ktap_fn_cast(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return btf_read_not_found(vm, "cast");
}

int ktap_fn_sizeof(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return btf_read_not_found(vm, "sizeof");
}

int ktap_fn_offsetof(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return btf_read_not_found(vm, "offsetof");
}
