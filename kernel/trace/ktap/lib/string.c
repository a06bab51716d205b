// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions on strings.
 *
 * A string in the arena may move when another one is made: read the pointers from the
 * registers again after that.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/nospec.h>
#include <linux/overflow.h>
#include <linux/string.h>

#include "vm/builtin.h"
#include "vm/ops.h"

/* The text of an event is a string, too. */
static int string_make_strings(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	unsigned int i;
	int err = 0;

	for (i = 0; i < n && !err; i++)
		err = ktap_make_text(vm, &r[i]);
	return err;
}

int ktap_fn_strlen(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err;

	err = ktap_make_text(vm, &r[0]);
	if (!err)
		r[0] = KTAP_VALUE_INT(r[0].len);
	return err;
}

/* Replace r[0] by @len bytes of its string, from @first on. */
static int string_copy_part(struct ktap_vm *vm, struct ktap_value *r, u32 first, u32 len)
{
	char *p;
	int err;

	err = ktap_vm_charge(vm, len / 64);
	if (err)
		return err;
	p = ktap_arena_alloc(vm, len);
	if (!p)
		return vm->error;
	first = array_index_nospec(first, r[0].len + 1);
	len = array_index_nospec(len, r[0].len - first + 1);
	memcpy(p, ktap_blob_of(&r[0]) + first, len);
	r[0] = KTAP_VALUE_STR(p, len);
	return 0;
}

/* A part that begins before the string is cut to what exists. */
int ktap_fn_substr(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	s64 first, end, size;
	int err;

	err = ktap_make_text(vm, &r[0]);
	if (err)
		return err;
	if (n > 2 && r[2].i < 0)
		return ktap_vm_error(vm, -EINVAL, "substr: a part of %lld bytes", r[2].i);
	size = r[0].len;
	first = r[1].i < 0 ? r[1].i + size : r[1].i;
	if (n < 3 || check_add_overflow(first, r[2].i, &end) || end > size)
		end = size;
	first = max_t(s64, first, 0);
	if (first >= end) {
		r[0] = KTAP_VALUE_STR("", 0);
		return 0;
	}
	return string_copy_part(vm, r, first, end - first);
}

/* Find the first @part in @s: set *@at to its offset, or to the length of @s if there is none. */
static int string_find(struct ktap_vm *vm, const struct ktap_value *s,
		       const struct ktap_value *part, u32 *at)
{
	const char *text = ktap_blob_of(s), *p = text;
	u32 last = s->len - part->len;
	int err;

	*at = s->len;
	if (part->len > s->len)
		return 0;
	err = ktap_vm_charge(vm, s->len / 64);
	while (!err && part->len && p <= text + last) {
		p = memchr(p, *(const u8 *)ktap_blob_of(part), text + last - p + 1);
		if (!p)
			return 0;
		/* Each comparison may look at all bytes of @part. */
		err = ktap_vm_charge(vm, 1 + part->len / 64);
		if (!memcmp(p, ktap_blob_of(part), part->len))
			break;
		p++;
	}
	if (p <= text + last)
		*at = p - text;
	return err;
}

int ktap_fn_strstr(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u32 at;
	int err;

	err = string_make_strings(vm, r, 2);
	if (!err)
		err = string_find(vm, &r[0], &r[1], &at);
	if (err)
		return err;
	if (at == r[0].len && r[1].len) {
		r[0] = KTAP_VALUE_NIL;
		return 0;
	}
	return at ? string_copy_part(vm, r, at, r[0].len - at) : 0;
}

int ktap_fn_strcmp(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err, c;

	err = string_make_strings(vm, r, 2);
	if (!err)
		err = ktap_vm_charge(vm, min(r[0].len, r[1].len) / 64);
	if (err)
		return err;
	c = ktap_compare(&r[0], &r[1]);
	r[0] = KTAP_VALUE_INT((c > 0) - (c < 0));
	return 0;
}

/* Make a copy in which the 26 ASCII letters from @first on have the other case. */
static int string_change_case(struct ktap_vm *vm, struct ktap_value *r, char first)
{
	char *p;
	int err;
	u32 i;

	err = ktap_make_text(vm, &r[0]);
	if (!err)
		err = ktap_vm_charge(vm, r[0].len / 16);
	if (!err)
		err = string_copy_part(vm, r, 0, r[0].len);
	if (err)
		return err;
	p = (char *)ktap_blob_of(&r[0]);
	for (i = 0; i < r[0].len; i++) {
		if (p[i] >= first && p[i] <= first + ('z' - 'a'))
			p[i] ^= 'a' ^ 'A';
	}
	return 0;
}

int ktap_fn_toupper(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return string_change_case(vm, r, 'a');
}

int ktap_fn_tolower(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return string_change_case(vm, r, 'A');
}

/* The argument is converted to a string as `..` does. */
int ktap_fn_error(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	int err;

	err = ktap_op_concat(vm, &r[0], &r[0], 1);
	if (err)
		return err;
	return ktap_vm_error(vm, -EINVAL, "%.*s", (int)r[0].len, (const char *)ktap_blob_of(&r[0]));
}
