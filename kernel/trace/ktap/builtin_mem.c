// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions that read the memory of the current process.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "builtin.h"

/* Strings of an argv that are looked at. */
#define MAX_JOINED	32

/* A string takes longer to read than an instruction. */
#define STRING_COST	8

/* The string's address from the array; 0 at its end, negative if it cannot be read. */
static int read_pointer(u64 array, unsigned int i, unsigned int size, u64 *string)
{
	u32 half;
	int err;

	if (size == sizeof(*string))
		return ktap_read_user(string, array + i * size, size);
	err = ktap_read_user(&half, array + i * size, size);
	*string = half;
	return err;
}

/* Bytes of text; one more tells that there would be more, and the NUL follows. */
#define JOINED_SIZE	((int)KTAP_MAX_STRLEN - 2)

/*
 * Appends the string to the text, and a blank in front of all but the first.
 * Gives the bytes there are then, more than JOINED_SIZE if some are missing.
 */
static int append(char *buf, int len, u64 string, bool first)
{
	int n;

	if (!first) {
		if (len == JOINED_SIZE)
			return len + 1;
		buf[len++] = ' ';
	}
	n = ktap_read_user_string(buf + len, string, JOINED_SIZE - len + 2);
	return n < 0 ? n : len + n;
}

static int join(struct ktap_vm *vm, char *buf, u64 array)
{
	unsigned int i, pointer = ktap_user_pointer_size();
	int len = 0, err;
	u64 string;

	for (i = 0; i < MAX_JOINED && len >= 0 && len <= JOINED_SIZE; i++) {
		err = ktap_vm_charge(vm, STRING_COST) ?: read_pointer(array, i, pointer, &string);
		if (err)
			return err;
		if (!string)
			break;
		len = append(buf, len, string, !i);
	}
	return len;
}

int ktap_fn_join(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u64 array = r[0].u;
	char *buf;
	int len;

	if (r[0].tag == KTAP_NIL)
		return 0;
	buf = ktap_arena_alloc(vm, KTAP_MAX_STRLEN);
	if (!buf)
		return vm->error;
	len = join(vm, buf, array);
	if (len > JOINED_SIZE) {
		len = JOINED_SIZE;
		atomic_long_inc(&vm->env->counters.cut_strings);
	}
	ktap_arena_trim(vm, buf, max(len, 0));
	r[0] = len < 0 ? KTAP_VALUE_NIL : KTAP_VALUE_STR(buf, len);
	return vm->error;
}
