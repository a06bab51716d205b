/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The parts of most compound keys.
 */
#ifndef _KTAP_SIMPLE_PART_H
#define _KTAP_SIMPLE_PART_H

#include <linux/align.h>
#include <linux/compiler.h>
#include <linux/types.h>

#include "vm/bytes.h"
#include "vm/value.h"

/* Bytes of the largest part that ktap_put_simple_part() writes */
#define KTAP_SIMPLE_PART	(sizeof(struct ktap_tuple_item) + 2 * sizeof(u64))

/*
 * As ktap_tuple_put(), for a part that is simple: an integer, boolean or pointer, or a
 * string of at most 16 bytes.  *@end is the place and becomes the end of the part.  Return
 * false if it is not simple.
 */
static __always_inline bool ktap_put_simple_part(void **end, const struct ktap_value *v)
{
	struct ktap_tuple_item *item = *end;
	u32 tag = v->tag, len;

	if (likely(tag - KTAP_BOOL <= KTAP_PTR - KTAP_BOOL)) {
		*item = (struct ktap_tuple_item){ .tag = tag };
		*(u64 *)item->data = v->u;
		*end += sizeof(*item) + sizeof(u64);
		return true;
	}
	len = v->len;
	if (unlikely(tag != KTAP_STR || len > 2 * sizeof(u64)))
		return false;
	*item = (struct ktap_tuple_item){ .tag = KTAP_STR, .len = len };
	ktap_copy_padded(item->data, ktap_blob_of(v), len);
	*end += ALIGN(sizeof(*item) + len, 8);
	return true;
}

#endif /* _KTAP_SIMPLE_PART_H */
