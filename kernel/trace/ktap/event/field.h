/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields of the records of trace events.
 */
#ifndef _KTAP_FIELD_H
#define _KTAP_FIELD_H

#include <linux/types.h>
#include <linux/unaligned.h>

#include "host/word.h"
#include "vm/value.h"

struct ftrace_event_field;
struct ktap_vm;

/**
 * enum ktap_field_kind - type of a field in a script
 * @KTAP_FIELD_NONE: the field does not exist, or scripts cannot hold its type
 * @KTAP_FIELD_INT: an integer or an address
 * @KTAP_FIELD_INTS: an array of integers; a bit mask is an array of unsigned long
 * @KTAP_FIELD_CHARS: a string, up to its NUL or its end
 * @KTAP_FIELD_BYTES: all bytes of an array of u8, mostly a network address
 * @KTAP_FIELD_POINTED: a pointer to a string
 * @KTAP_FIELD_NAME: the event's name, which is not in the record
 */
enum ktap_field_kind {
	KTAP_FIELD_NONE,
	KTAP_FIELD_INT,
	KTAP_FIELD_INTS,
	KTAP_FIELD_CHARS,
	KTAP_FIELD_BYTES,
	KTAP_FIELD_POINTED,
	KTAP_FIELD_NAME,
};

/**
 * enum ktap_field_location - location of a field's data in the record
 * @KTAP_FIELD_HERE: at the field's offset
 * @KTAP_FIELD_DATA_LOC: the field is a u32: the lower half is the offset from the start
 *	of the record, the upper half is the length
 * @KTAP_FIELD_REL_LOC: likewise, but the offset counts from the end of the u32
 */
enum ktap_field_location {
	KTAP_FIELD_HERE,
	KTAP_FIELD_DATA_LOC,
	KTAP_FIELD_REL_LOC,
};

/**
 * enum ktap_field_quick - the most frequent fields
 * @KTAP_FIELD_OTHER: none of them
 * @KTAP_FIELD_S32: a signed integer of 4 bytes
 * @KTAP_FIELD_U32: an unsigned one of 4 bytes
 * @KTAP_FIELD_64: an integer of 8 bytes
 * @KTAP_FIELD_STRING: a string in an array of at least a word
 */
enum ktap_field_quick {
	KTAP_FIELD_OTHER,
	KTAP_FIELD_S32,
	KTAP_FIELD_U32,
	KTAP_FIELD_64,
	KTAP_FIELD_STRING,
};

/**
 * struct ktap_field - a field of the records of one event
 * @kind: enum ktap_field_kind
 * @location: enum ktap_field_location
 * @is_signed: its integers are signed
 * @element: bytes of each integer
 * @quick: enum ktap_field_quick, for ktap_field_get_quickly()
 * @offset: offset of the field from the start of the record
 * @size: bytes of the data, if @location is KTAP_FIELD_HERE
 */
struct ktap_field {
	u8 kind;
	u8 location : 7;
	u8 is_signed : 1;
	u8 element;
	u8 quick;
	u16 offset;
	u16 size;
};

void ktap_field_init(struct ktap_field *f, const struct ftrace_event_field *field);
void ktap_field_get(struct ktap_vm *vm, const struct ktap_field *f, const void *rec,
		    struct ktap_value *v);

/* A string that ends within the first two words of its array, which has one or more */
static __always_inline bool ktap_field_get_short(const unsigned long *p, u32 size,
						 struct ktap_value *v)
{
	u32 len, words = 0;

	if (unlikely(!ktap_find_nul(get_unaligned(p), &len))) {
		words = sizeof(*p);
		if (size < 2 * words || !ktap_find_nul(get_unaligned(p + 1), &len))
			return false;
	}
	*v = KTAP_VALUE_STR(p, words + len);
	return true;
}

/* Read a frequent field.  Return false if the field is another one. */
static __always_inline bool ktap_field_get_quickly(const struct ktap_field *f, const void *rec,
						   struct ktap_value *v)
{
	const void *p = rec + f->offset;

	if (f->quick == KTAP_FIELD_S32)
		*v = KTAP_VALUE_INT(get_unaligned((const s32 *)p));
	else if (f->quick == KTAP_FIELD_64)
		*v = KTAP_VALUE_INT(get_unaligned((const s64 *)p));
	else if (f->quick == KTAP_FIELD_U32)
		*v = KTAP_VALUE_INT((s64)get_unaligned((const u32 *)p));
	else
		return f->quick == KTAP_FIELD_STRING && ktap_field_get_short(p, f->size, v);
	return true;
}

#endif /* _KTAP_FIELD_H */
