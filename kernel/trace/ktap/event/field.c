// SPDX-License-Identifier: GPL-2.0
/*
 * Fields of the records of trace events: find out their types, which the tracing
 * code keeps as text, and read them.
 */
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>

#include "../../trace.h"
#include "event/field.h"
#include "host/read_memory.h"
#include "host/word.h"
#include "vm/env.h"
#include "vm/vm.h"

/* Bytes to read, with the NUL, of a string that the record only points to */
#define MAX_POINTED	256

/* Units of budget for such a string */
#define POINTED_COST	8

/*
 * Return the bytes of an element of "TYPE[]", 0 if the type is unknown.  If the length
 * of an array is not in the record's format, only the type tells the element's size.
 */
static u8 field_size_of(const char *type)
{
	static const struct {
		const char *name;
		u8 size;
	} types[] = {
		{ "cpumask_t",		sizeof(long) },
		{ "unsigned long[",	sizeof(long) },
		{ "long[",		sizeof(long) },
		{ "unsigned long long[", 8 },
		{ "long long[",		8 },
		{ "unsigned int[",	sizeof(int) },
		{ "int[",		sizeof(int) },
		{ "unsigned short[",	sizeof(short) },
		{ "short[",		sizeof(short) },
		{ "u64[", 8 }, { "s64[", 8 }, { "__u64[", 8 }, { "__s64[", 8 },
		{ "u32[", 4 }, { "s32[", 4 }, { "__u32[", 4 }, { "__s32[", 4 },
		{ "u16[", 2 }, { "s16[", 2 }, { "__u16[", 2 }, { "__s16[", 2 },
		{ "s8[", 1 },  { "__s8[", 1 },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		if (str_has_prefix(type, types[i].name))
			return types[i].size;
	}
	return 0;
}

static bool field_is_bytes(const char *type)
{
	return str_has_prefix(type, "u8[") || str_has_prefix(type, "__u8[") ||
	       str_has_prefix(type, "unsigned char[");
}

/* Skip words of the type that do not belong to the element's type. */
static const char *field_bare_type(const char *type, u8 *location)
{
	size_t len;

	*location = KTAP_FIELD_HERE;
	len = str_has_prefix(type, "__data_loc ");
	if (len) {
		*location = KTAP_FIELD_DATA_LOC;
		type += len;
	}
	len = str_has_prefix(type, "__rel_loc ");
	if (len) {
		*location = KTAP_FIELD_REL_LOC;
		type += len;
	}
	return type + str_has_prefix(type, "const ");
}

static u8 field_quick_integer(const struct ktap_field *f)
{
	if (f->size == 4)
		return f->is_signed ? KTAP_FIELD_S32 : KTAP_FIELD_U32;
	return f->size == 8 ? KTAP_FIELD_64 : KTAP_FIELD_OTHER;
}

/* KMSAN does not know that the bytes after the NUL do not matter. */
static u8 field_quick_string(const struct ktap_field *f)
{
	if (f->kind != KTAP_FIELD_CHARS || f->location != KTAP_FIELD_HERE ||
	    f->size < sizeof(unsigned long) || IS_ENABLED(CONFIG_KMSAN))
		return KTAP_FIELD_OTHER;
	return KTAP_FIELD_STRING;
}

static bool field_is_integer(size_t size)
{
	return size == 1 || size == 2 || size == 4 || size == 8;
}

static void field_init_array(struct ktap_field *f, const struct ftrace_event_field *field,
			     const char *type)
{
	if (field_is_bytes(type)) {
		f->kind = KTAP_FIELD_BYTES;
		return;
	}
	f->element = field_size_of(type);
	if (!f->element && f->location == KTAP_FIELD_HERE && field->len > 0 &&
	    field_is_integer(field->size / field->len))
		f->element = field->size / field->len;
	if (f->element)
		f->kind = KTAP_FIELD_INTS;
}

/**
 * ktap_field_init() - Find out how to read a field
 * @f: gets the kind, location and size
 * @field: the field; one that exists only for filters becomes KTAP_FIELD_NONE
 */
void ktap_field_init(struct ktap_field *f, const struct ftrace_event_field *field)
{
	u8 location;
	const char *type = field_bare_type(field->type, &location);

	f->location = location;
	f->kind = KTAP_FIELD_NONE;
	f->quick = KTAP_FIELD_OTHER;
	f->offset = field->offset;
	f->size = field->size;
	f->is_signed = field->is_signed;

	switch (field->filter_type) {
	case FILTER_STATIC_STRING:
	case FILTER_DYN_STRING:
	case FILTER_RDYN_STRING:
		f->kind = field_is_bytes(type) ? KTAP_FIELD_BYTES : KTAP_FIELD_CHARS;
		f->quick = field_quick_string(f);
		return;
	case FILTER_PTR_STRING:
		f->kind = KTAP_FIELD_POINTED;
		return;
	case FILTER_CPUMASK:
		/* The generic field for filters is not in the record. */
		if (f->location == KTAP_FIELD_HERE)
			return;
		break;
	case FILTER_OTHER:
	case FILTER_TRACE_FN:
		break;
	default:
		/* A generic field for filters, not in the record. */
		return;
	}

	if (f->location != KTAP_FIELD_HERE || strchr(type, '[')) {
		field_init_array(f, field, type);
	} else if (field_is_integer(f->size)) {
		f->kind = KTAP_FIELD_INT;
		f->element = f->size;
		f->quick = field_quick_integer(f);
	}
}

static s64 field_read_int(const void *p, u8 size, bool is_signed)
{
	switch (size) {
	case 1:
		return is_signed ? *(const s8 *)p : (s64)*(const u8 *)p;
	case 2:
		return is_signed ? get_unaligned((const s16 *)p) :
				   (s64)get_unaligned((const u16 *)p);
	case 4:
		return is_signed ? get_unaligned((const s32 *)p) :
				   (s64)get_unaligned((const u32 *)p);
	}
	return get_unaligned((const s64 *)p);
}

/* Convert the elements to s64: an array value has no element size. */
static noinline void field_get_ints(struct ktap_vm *vm, const struct ktap_field *f, const void *p,
				    u32 size, struct ktap_value *v)
{
	u32 n = size / f->element, i;
	s64 *ints;

	if (n > KTAP_MAX_ARRAY) {
		n = KTAP_MAX_ARRAY;
		atomic_long_inc(&vm->env->counters.cut_strings);
	}
	if (ktap_vm_charge(vm, n / 16))
		return;
	ints = ktap_arena_alloc(vm, n * sizeof(*ints));
	if (!ints)
		return;
	for (i = 0; i < n; i++)
		ints[i] = field_read_int(p + i * f->element, f->element, f->is_signed);
	*v = KTAP_VALUE_ARRAY(ints, n);
}

static __always_inline void field_get_bytes(struct ktap_vm *vm, const void *p, u32 size,
					    struct ktap_value *v)
{
	if (unlikely(size > KTAP_MAX_STRLEN)) {
		size = KTAP_MAX_STRLEN;
		atomic_long_inc(&vm->env->counters.cut_strings);
	}
	*v = KTAP_VALUE_STR(p, size);
}

/* strnlen() by words: most strings are names of tasks, in arrays of two words. */
static __always_inline u32 field_strnlen(const char *p, u32 size)
{
	unsigned long word;
	u32 len = 0, n;

	/* KMSAN does not know that the bytes after the NUL do not matter. */
	while (!IS_ENABLED(CONFIG_KMSAN) && size - len >= sizeof(word)) {
		word = get_unaligned((const unsigned long *)(p + len));
		if (ktap_find_nul(word, &n))
			return len + n;
		len += sizeof(word);
	}
	return len == size ? len : len + strnlen(p + len, size - len);
}

/* Read an array of char: a string up to its NUL or its end. */
static __always_inline void field_get_chars(struct ktap_vm *vm, const char *p, u32 size,
					    struct ktap_value *v)
{
	u32 len = field_strnlen(p, size);

	if (len < 64 || !ktap_vm_charge(vm, len / 64))
		field_get_bytes(vm, p, len, v);
}

/* Read a string by address.  The address may be invalid. */
static noinline void field_get_pointed(struct ktap_vm *vm, const char *s, struct ktap_value *v)
{
	char *copy, last;
	long len;

	/* Events use NULL for "no string". */
	if (!s || ktap_vm_charge(vm, POINTED_COST))
		return;
	copy = ktap_arena_alloc(vm, MAX_POINTED);
	if (!copy)
		return;
	len = strncpy_from_kernel_nofault(copy, s, MAX_POINTED);
	ktap_arena_trim(vm, copy, max(len, 0L));
	if (len < 0) {
		ktap_bad_read(vm, v);
		return;
	}
	/* The copy always ends with a NUL: it is cut if the source does not. */
	if (len == MAX_POINTED && !get_kernel_nofault(last, s + len - 1) && last)
		atomic_long_inc(&vm->env->counters.cut_strings);
	field_get_bytes(vm, copy, strnlen(copy, len), v);
}

/**
 * ktap_field_get() - Read a field
 * @vm: activation; the value is valid as long as its event
 * @f: the field
 * @rec: the record
 * @v: gets the value; nil if the field has none, or after an error of @vm
 *
 * Context: any.
 */
void ktap_field_get(struct ktap_vm *vm, const struct ktap_field *f, const void *rec,
		    struct ktap_value *v)
{
	const void *p = rec + f->offset;
	u32 size = f->size, loc;

	*v = KTAP_VALUE_NIL;
	if (f->kind == KTAP_FIELD_NONE)
		return;
	if (f->location != KTAP_FIELD_HERE) {
		loc = get_unaligned((const u32 *)p);
		p = f->location == KTAP_FIELD_DATA_LOC ? rec : p + sizeof(loc);
		p += loc & 0xffff;
		size = loc >> 16;
	}

	switch ((enum ktap_field_kind)f->kind) {
	case KTAP_FIELD_NONE:
	case KTAP_FIELD_NAME:
		break;
	case KTAP_FIELD_INT:
		*v = KTAP_VALUE_INT(field_read_int(p, f->element, f->is_signed));
		break;
	case KTAP_FIELD_INTS:
		field_get_ints(vm, f, p, size, v);
		break;
	case KTAP_FIELD_CHARS:
		field_get_chars(vm, p, size, v);
		break;
	case KTAP_FIELD_BYTES:
		field_get_bytes(vm, p, size, v);
		break;
	case KTAP_FIELD_POINTED:
		field_get_pointed(vm, (const char *)get_unaligned((const unsigned long *)p), v);
		break;
	}
}
