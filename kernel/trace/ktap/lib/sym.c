// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions about symbols of the kernel.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "btf/ksym.h"
#include "data/ustack_file.h"
#include "vm/builtin.h"

/* Units of a search in the list of symbols. */
#define SYMBOL_COST	64

/* Frames of a stack, if the script does not pass a depth */
#define SYMBOL_DEFAULT_DEPTH	16

int ktap_stack_range(struct ktap_vm *vm, const struct ktap_value *r, unsigned int n,
		     unsigned int *depth, unsigned int *skip)
{
	s64 wanted = n > 0 ? r[0].i : SYMBOL_DEFAULT_DEPTH, skipped = n > 1 ? r[1].i : 0;

	if (wanted < 1 || wanted > KTAP_MAX_FRAMES)
		return ktap_vm_error(vm, -EINVAL, "the depth of a stack is 1 to %d",
				     KTAP_MAX_FRAMES);
	if (skipped < 0 || skipped > KTAP_MAX_FRAMES)
		return ktap_vm_error(vm, -EINVAL, "a stack can skip 0 to %d frames",
				     KTAP_MAX_FRAMES);
	*depth = wanted;
	*skip = skipped;
	return 0;
}

u32 ktap_stack_depth(const struct ktap_value *v)
{
	const u64 *frames = ktap_blob_of(v);
	u32 n;

	if (v->tag == KTAP_KSTACK)
		return v->len / sizeof(unsigned long);
	n = v->len / sizeof(*frames);
	/* The last word may be the process of the addresses, which is no frame. */
	if (n && !ktap_frame_is_address(frames[n - 1]) && !ktap_frame_is_file(frames[n - 1]))
		n--;
	return n;
}

static bool sym_is_address(const struct ktap_value *v)
{
	return v->tag == KTAP_INT || v->tag == KTAP_PTR;
}

int ktap_fn_ksym(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u64 address = r[0].u;
	char *buf;
	size_t len;
	int err;

	if (r[0].tag == KTAP_NIL)
		return 0;
	err = ktap_vm_charge(vm, SYMBOL_COST + ktap_symbol_cost(address));
	if (err)
		return err;
	buf = ktap_arena_alloc(vm, KTAP_MAX_SYMBOL);
	if (!buf)
		return vm->error;
	len = ktap_symbol_text(address, buf);
	ktap_arena_trim(vm, buf, len);
	r[0] = KTAP_VALUE_STR(buf, len);
	return 0;
}

/* In process context only: the symbols of modules are compared one by one. */
int ktap_fn_kaddr(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u64 address;
	char *name;
	int err;

	err = ktap_make_text(vm, &r[0]) ?: ktap_vm_charge(vm, SYMBOL_COST);
	if (err)
		return err;
	/* No symbol is that long, and no symbol contains a NUL. */
	if (r[0].len >= KTAP_MAX_SYMBOL || strnlen(ktap_blob_of(&r[0]), r[0].len) != r[0].len) {
		r[0] = KTAP_VALUE_NIL;
		return 0;
	}
	name = ktap_arena_alloc(vm, r[0].len + 1);
	if (!name)
		return vm->error;
	memcpy(name, ktap_blob_of(&r[0]), r[0].len);
	name[r[0].len] = '\0';
	address = ktap_symbol_address(name);
	r[0] = address ? KTAP_VALUE_INT((s64)address) : KTAP_VALUE_NIL;
	return 0;
}

int ktap_fn_stringof(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	if (r[0].tag == KTAP_NIL || sym_is_address(&r[0]))
		return ktap_fn_ksym(vm, r, n);
	return ktap_fn_tostring(vm, r, n);
}

int ktap_fn_ipof(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	const unsigned long *kernel = ktap_blob_of(&r[0]);
	const u64 *user = ktap_blob_of(&r[0]);

	if (sym_is_address(&r[0]))
		r[0] = KTAP_VALUE_INT((s64)r[0].u);
	else if (r[0].tag == KTAP_NIL || !r[0].len)
		r[0] = KTAP_VALUE_NIL;
	else if (r[0].tag == KTAP_KSTACK)
		r[0] = KTAP_VALUE_INT((s64)kernel[0]);
	else if (ktap_frame_is_address(user[0]))
		r[0] = KTAP_VALUE_INT((s64)user[0]);
	else
		r[0] = KTAP_VALUE_NIL;
	return 0;
}

/* A return address may be just after the end of a function that calls one which never returns. */
static bool sym_is_frame_in(const unsigned long *frames, u32 i, unsigned long start,
			    unsigned long size)
{
	return frames[i] - (i ? 1 : 0) - start < size;
}

int ktap_fn_called_from(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	struct ktap_value stack = KTAP_VALUE_INT(KTAP_MAX_FRAMES);
	unsigned long start = 0, size;
	const unsigned long *frames;
	u32 i, depth;
	int err;

	err = ktap_vm_charge(vm, SYMBOL_COST + ktap_symbol_cost(r[0].u));
	if (err)
		return err;
	size = ktap_symbol_range(r[0].u, &start);
	r[0] = KTAP_VALUE_BOOL(false);
	if (!size)
		return 0;
	err = ktap_fn_kstack(vm, &stack, 1);
	if (err)
		return err;
	frames = ktap_blob_of(&stack);
	depth = ktap_stack_depth(&stack);
	for (i = 0; i < depth && !r[0].i; i++)
		r[0].i = sym_is_frame_in(frames, i, start, size);
	/* Nothing refers to the stack any more. */
	if (depth)
		ktap_arena_trim(vm, (void *)stack.blob, 0);
	return 0;
}
