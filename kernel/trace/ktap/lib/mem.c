// SPDX-License-Identifier: GPL-2.0
/*
 * Built-in functions that read memory of the current process and of the kernel.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "btf/btf_read.h"
#include "btf/ksym.h"
#include "host/read_memory.h"
#include "vm/builtin.h"
#include "vm/env.h"

/* Units of a string, in addition to those of its bytes */
#define STRING_COST	8

/* Bytes of a string of the process that are read for a unit */
#define USER_CHARS	64

/* Units of a read that faults: an exception is expensive. */
#define FAULT_COST	32

int ktap_bad_read(struct ktap_vm *vm, struct ktap_value *v)
{
	atomic_long_inc(&vm->env->counters.bad_reads);
	*v = KTAP_VALUE_NIL;
	return ktap_vm_charge(vm, FAULT_COST);
}

/* Read element @i of an array of pointers, which ends with 0.  Return 0 or a negative errno. */
static int mem_read_pointer(u64 array, unsigned int i, unsigned int size, u64 *string)
{
	u32 half;
	int err;

	if (size == sizeof(*string))
		return ktap_read_user(string, array + i * size, size);
	err = ktap_read_user(&half, array + i * size, size);
	*string = half;
	return err;
}

/* Limit of the text.  The buffer has room for one byte more, if the text is cut, and a NUL. */
#define JOINED_SIZE	((int)KTAP_MAX_STRLEN - 2)

/*
 * Append the string to the text, after a blank if it is not the first one.  Return the new
 * length, more than JOINED_SIZE if the text is cut, or a negative errno.
 */
static int mem_append(char *buf, int len, u64 string, bool first)
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

static int mem_join(struct ktap_vm *vm, char *buf, u64 array)
{
	unsigned int i, pointer = ktap_user_pointer_size();
	int len = 0, err;
	u64 string;

	for (i = 0; i < KTAP_MAX_JOINED && len >= 0 && len <= JOINED_SIZE; i++) {
		err = ktap_vm_charge(vm, STRING_COST) ?:
		      mem_read_pointer(array, i, pointer, &string);
		if (err)
			return err;
		if (!string)
			break;
		len = mem_append(buf, len, string, !i);
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
	len = mem_join(vm, buf, array);
	if (len > JOINED_SIZE) {
		len = JOINED_SIZE;
		atomic_long_inc(&vm->env->counters.cut_strings);
	}
	ktap_arena_trim(vm, buf, max(len, 0));
	if (vm->error)
		return vm->error;
	if (len < 0)
		return ktap_bad_read(vm, &r[0]);
	r[0] = KTAP_VALUE_STR(buf, len);
	return 0;
}

/* The memory that an address belongs to */
enum mem_owner {
	PROCESS,
	KERNEL,
	EITHER,		/* the address decides */
};

static bool mem_is_of_process(enum mem_owner owner, u64 address)
{
	return owner == PROCESS || (owner == EITHER && ktap_reads_process(address));
}

static int mem_read_bytes(enum mem_owner owner, void *to, u64 from, size_t size)
{
	if (mem_is_of_process(owner, from))
		return ktap_read_user(to, from, size);
	return ktap_read_kernel(to, from, size);
}

static bool mem_another_byte(enum mem_owner owner, u64 from, char *c)
{
	return !mem_read_bytes(owner, c, from, 1) && *c;
}

/*
 * Read a string of at most @size bytes, without its NUL.  Return its length or a negative
 * errno, and in @more whether the string is longer.
 */
static int mem_read_string(enum mem_owner owner, char *to, u64 from, u32 size, bool *more)
{
	int len;
	char c;

	if (mem_is_of_process(owner, from))
		len = ktap_read_user_string(to, from, size);
	else
		len = ktap_read_kernel_string(to, from, size);
	/* The last byte was used for a NUL: replace it by the byte of the string, if any. */
	if (len == (int)size - 1 && mem_another_byte(owner, from + len, &to[len]))
		len++;
	*more = len == (int)size && mem_another_byte(owner, from + len, &c);
	return len;
}

/* Get the size that the script asks for; return false if it is wrong, with the error set. */
static bool mem_size_arg(struct ktap_vm *vm, const char *name, const struct ktap_value *v,
			 u32 *size)
{
	if (v->i < 0) {
		ktap_vm_error(vm, -EINVAL, "%s: a string of %lld bytes", name, v->i);
		return false;
	}
	*size = min_t(u64, v->i, KTAP_MAX_STRLEN);
	return true;
}

static int mem_get_string(struct ktap_vm *vm, const char *name, enum mem_owner owner,
			  struct ktap_value *r, unsigned int n)
{
	u64 address = r[0].u;
	u32 size = KTAP_MAX_STRLEN, chars;
	bool more = false;
	char *buf;
	int len, err;

	err = ktap_make_text(vm, &r[0]);
	if (err)
		return err;
	if (n > 1 && !mem_size_arg(vm, name, &r[1], &size))
		return vm->error;
	/* The event has already read the string. */
	if (r[0].tag == KTAP_STR)
		r[0].len = min(r[0].len, size);
	if (r[0].tag == KTAP_STR || r[0].tag == KTAP_NIL)
		return 0;

	buf = ktap_arena_alloc(vm, max(size, 1));
	if (!buf)
		return vm->error;
	len = size ? mem_read_string(owner, buf, address, size, &more) : 0;
	ktap_arena_trim(vm, buf, max(len, 0));
	/* A limit that the script has set is not a loss. */
	if (more && size == KTAP_MAX_STRLEN)
		atomic_long_inc(&vm->env->counters.cut_strings);
	if (len < 0)
		return ktap_bad_read(vm, &r[0]);
	chars = mem_is_of_process(owner, address) ? USER_CHARS : KTAP_KERNEL_CHARS;
	r[0] = KTAP_VALUE_STR(buf, len);
	return ktap_vm_charge(vm, STRING_COST + len / chars);
}

int ktap_fn_str(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return mem_get_string(vm, "str", EITHER, r, n);
}

int ktap_fn_user_string(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return mem_get_string(vm, "user_string", PROCESS, r, n);
}

int ktap_fn_kernel_string(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	return mem_get_string(vm, "kernel_string", KERNEL, r, n);
}

int ktap_fn_buf(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u64 address = r[0].u;
	char *buf;
	u32 size;
	int err;

	if (!mem_size_arg(vm, "buf", &r[1], &size))
		return vm->error;
	if (r[0].tag == KTAP_NIL)
		return 0;
	buf = ktap_arena_alloc(vm, max(size, 1));
	if (!buf)
		return vm->error;
	err = size ? mem_read_bytes(EITHER, buf, address, size) : 0;
	ktap_arena_trim(vm, buf, err ? 0 : size);
	if (err)
		return ktap_bad_read(vm, &r[0]);
	if (r[1].i > size)
		atomic_long_inc(&vm->env->counters.cut_strings);
	r[0] = KTAP_VALUE_STR(buf, size);
	return ktap_vm_charge(vm, STRING_COST + size / 64);
}

/* A negative size is that of a signed integer. */
int ktap_fn_read(struct ktap_vm *vm, struct ktap_value *r, unsigned int n)
{
	u64 size = r[1].i < 0 ? -r[1].u : r[1].u, x = 0;
	unsigned int unused;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return ktap_vm_error(vm, -EINVAL,
				     "read: an integer has 1, 2, 4 or 8 bytes, not %lld",
				     r[1].i);
	if (r[0].tag == KTAP_NIL)
		return 0;
	if (mem_read_bytes(EITHER, &x, r[0].u, size))
		return ktap_bad_read(vm, &r[0]);
	x = ktap_unsigned(x, size);
	unused = 64 - 8 * size;
	r[0] = KTAP_VALUE_INT(r[1].i < 0 ? (s64)(x << unused) >> unused : (s64)x);
	return 0;
}

int ktap_symbol_get(struct ktap_vm *vm, const struct ktap_symbol *sym, struct ktap_value *v)
{
	if (sym->load.kind != KTAP_LOAD_NONE)
		return ktap_load_value(vm, v, ktap_symbol_here(sym), &sym->load);
	*v = KTAP_VALUE_INT((s64)sym->address);
	return 0;
}
