// SPDX-License-Identifier: GPL-2.0
/*
 * Values that are no tables, and have parts with numbers: an element of an array, a byte of a
 * string, a part of a compound key, the address of a frame of a kernel stack.  Numbers start at
 * 0, as in C; what would be after the end is nil.
 */
#include <linux/errno.h>
#include <linux/minmax.h>
#include <linux/nospec.h>
#include <linux/string.h>

#include "vm/builtin.h"
#include "vm/ops.h"
#include "vm/vm.h"

/* Find part @index of a compound key, nil after its end.  A blob is that in the key. */
static void part_find_in_key(const struct ktap_value *key, u64 index, struct ktap_value *part)
{
	const struct ktap_value whole = *key;
	size_t pos = 0;

	while (ktap_tuple_next(&whole, &pos, part)) {
		if (!index--)
			return;
	}
	*part = KTAP_VALUE_NIL;
}

/*
 * A register refers to the first byte of a block of the arena (arena.c), so a blob must be
 * copied.  The allocation may move the key, which is in a register.
 */
static int part_of_key(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *key,
		       u64 index)
{
	struct ktap_value part;
	void *copy;
	int err;

	err = ktap_vm_charge(vm, min_t(u64, index, KTAP_MAX_ARGS) / 8);
	if (err)
		return err;
	part_find_in_key(key, index, &part);
	if (ktap_is_blob(&part)) {
		if (ktap_vm_charge(vm, part.len / 64))
			return vm->error;
		copy = ktap_arena_alloc(vm, part.len);
		if (!copy)
			return vm->error;
		part_find_in_key(key, index, &part);
		memcpy(copy, part.blob, part.len);
		part.blob = copy;
	}
	*dst = part;
	return 0;
}

/* The number of parts that have one size each */
static u32 part_count(const struct ktap_value *of)
{
	switch (of->tag) {
	case KTAP_ARRAY:
		return of->len / sizeof(s64);
	case KTAP_KSTACK:
		return ktap_stack_depth(of);
	default:
		return of->len;
	}
}

static s64 part_integer(const struct ktap_value *of, u32 n)
{
	switch (of->tag) {
	case KTAP_ARRAY:
		return ((const s64 *)ktap_blob_of(of))[n];
	case KTAP_KSTACK:
		return ((const unsigned long *)ktap_blob_of(of))[n];
	default:
		return ((const u8 *)ktap_blob_of(of))[n];
	}
}

int ktap_part_get(struct ktap_vm *vm, struct ktap_value *dst, const struct ktap_value *of,
		  const struct ktap_value *index)
{
	u64 i = index->u;
	int err;
	u32 n;

	if (index->tag != KTAP_INT)
		return ktap_vm_error(vm, -EINVAL, "the index of %s is an integer, not %s",
				     ktap_type_name(of), ktap_type_name(index));
	if (of->tag == KTAP_TUPLE)
		return part_of_key(vm, dst, of, i);
	if (of->tag == KTAP_ARGSTR) {
		*dst = *of;
		err = ktap_make_text(vm, dst);
		if (err)
			return err;
		of = dst;
	}
	n = part_count(of);
	if (i < n)
		*dst = KTAP_VALUE_INT(part_integer(of, array_index_nospec((u32)i, n)));
	else
		*dst = KTAP_VALUE_NIL;
	return 0;
}
