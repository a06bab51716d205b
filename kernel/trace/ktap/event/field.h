/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Fields of the records of trace events.
 */
#ifndef _KTAP_FIELD_H
#define _KTAP_FIELD_H

#include <linux/types.h>
#include <linux/unaligned.h>

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
 * enum ktap_field_number - the most frequent integers
 * @KTAP_FIELD_NO_NUMBER: none of them
 * @KTAP_FIELD_S32: a signed one of 4 bytes
 * @KTAP_FIELD_U32: an unsigned one of 4 bytes
 * @KTAP_FIELD_64: 8 bytes
 */
enum ktap_field_number {
	KTAP_FIELD_NO_NUMBER,
	KTAP_FIELD_S32,
	KTAP_FIELD_U32,
	KTAP_FIELD_64,
};

/**
 * struct ktap_field - a field of the records of one event
 * @kind: enum ktap_field_kind
 * @location: enum ktap_field_location
 * @is_signed: its integers are signed
 * @element: bytes of each integer
 * @number: enum ktap_field_number, for ktap_field_get_number()
 * @offset: offset of the field from the start of the record
 * @size: bytes of the data, if @location is KTAP_FIELD_HERE
 */
struct ktap_field {
	u8 kind;
	u8 location : 7;
	u8 is_signed : 1;
	u8 element;
	u8 number;
	u16 offset;
	u16 size;
};

void ktap_field_init(struct ktap_field *f, const struct ftrace_event_field *field);
void ktap_field_get(struct ktap_vm *vm, const struct ktap_field *f, const void *rec,
		    struct ktap_value *v);

/* Read a frequent integer.  Return false if the field is another one. */
static __always_inline bool ktap_field_get_number(const struct ktap_field *f, const void *rec,
						  struct ktap_value *v)
{
	const void *p = rec + f->offset;

	if (f->number == KTAP_FIELD_S32)
		*v = KTAP_VALUE_INT(get_unaligned((const s32 *)p));
	else if (f->number == KTAP_FIELD_64)
		*v = KTAP_VALUE_INT(get_unaligned((const s64 *)p));
	else if (f->number == KTAP_FIELD_U32)
		*v = KTAP_VALUE_INT((s64)get_unaligned((const u32 *)p));
	else
		return false;
	return true;
}

#endif /* _KTAP_FIELD_H */
