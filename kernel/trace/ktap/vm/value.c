// SPDX-License-Identifier: GPL-2.0
/*
 * Values: their type names, equality, order, and compound keys.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "vm/bytes.h"
#include "vm/vm.h"

const char *ktap_type_name(const struct ktap_value *v)
{
	static const char * const names[KTAP_NR_TAGS] = {
		[KTAP_NIL]	= "nil",
		[KTAP_BOOL]	= "a boolean",
		[KTAP_INT]	= "an integer",
		[KTAP_PTR]	= "a pointer",
		[KTAP_FUNC]	= "a function",
		[KTAP_TABLE]	= "a table",
		[KTAP_AGG]	= "an aggregation",
		[KTAP_EVENT]	= "an event",
		[KTAP_ARGSTR]	= "a string",
		[KTAP_STR]	= "a string",
		[KTAP_TUPLE]	= "a compound key",
		[KTAP_KSTACK]	= "a kernel stack",
		[KTAP_USTACK]	= "a user stack",
		[KTAP_ARRAY]	= "an array",
		[KTAP_USYM]	= "a user symbol",
	};

	return v->tag < KTAP_NR_TAGS ? names[v->tag] : "a broken value";
}

void ktap_name_types(u16 set, char *buf, size_t size)
{
	size_t len = 0;

	/* A script sees both as strings. */
	if (set & ktap_bit(STR))
		set &= ~ktap_bit(ARGSTR);
	while (set) {
		const struct ktap_value any = { .tag = __ffs(set) };

		set &= set - 1;
		len += scnprintf(buf + len, size - len, "%s%s",
				 !len ? "" : set ? ", " : " or ", ktap_type_name(&any));
	}
}

bool ktap_equal(const struct ktap_value *x, const struct ktap_value *y)
{
	if (x->tag != y->tag)
		return false;
	switch (x->tag) {
	case KTAP_NIL:
	case KTAP_EVENT:
	case KTAP_ARGSTR:
		return true;
	case KTAP_TABLE:
	case KTAP_AGG:
		return x->object == y->object;
	case KTAP_BOOL:
	case KTAP_INT:
	case KTAP_PTR:
	case KTAP_FUNC:
		return x->u == y->u;
	default:
		return x->len == y->len &&
		       ktap_same_bytes(ktap_blob_of(x), ktap_blob_of(y), x->len);
	}
}

static int value_compare_bytes(const struct ktap_value *x, const struct ktap_value *y)
{
	int c = memcmp(ktap_blob_of(x), ktap_blob_of(y), min(x->len, y->len));

	return c ?: (x->len > y->len) - (x->len < y->len);
}

static int value_compare_tuples(const struct ktap_value *x, const struct ktap_value *y)
{
	struct ktap_value xi, yi;
	size_t xpos = 0, ypos = 0;
	bool more_x, more_y;
	int c = 0;

	do {
		more_x = ktap_tuple_next(x, &xpos, &xi);
		more_y = ktap_tuple_next(y, &ypos, &yi);
		if (!more_x || !more_y)
			return more_x - more_y;
		c = ktap_compare(&xi, &yi);
	} while (!c);
	return c;
}

/* Integers sort before strings, and these before all other types. */
static unsigned int value_rank(const struct ktap_value *v)
{
	switch (v->tag) {
	case KTAP_INT:
		return 0;
	case KTAP_STR:
		return 1;
	default:
		return 2 + v->tag;
	}
}

int ktap_compare(const struct ktap_value *x, const struct ktap_value *y)
{
	unsigned int rx = value_rank(x), ry = value_rank(y);

	if (rx != ry)
		return rx < ry ? -1 : 1;
	switch (x->tag) {
	case KTAP_BOOL:
	case KTAP_INT:
		return (x->i > y->i) - (x->i < y->i);
	case KTAP_PTR:
	case KTAP_FUNC:
		return (x->u > y->u) - (x->u < y->u);
	case KTAP_TUPLE:
		return value_compare_tuples(x, y);
	case KTAP_STR:
	case KTAP_KSTACK:
	case KTAP_USTACK:
	case KTAP_ARRAY:
	case KTAP_USYM:
		return value_compare_bytes(x, y);
	default:
		return 0;
	}
}

void *ktap_tuple_put(void *p, const struct ktap_value *v)
{
	struct ktap_tuple_item *item = p;
	void *end = p + ktap_tuple_item_size(v);

	if (v->tag == KTAP_TUPLE) {
		memcpy(p, ktap_blob_of(v), v->len);
		return end;
	}
	item->tag = v->tag;
	item->len = 0;
	if (ktap_is_blob(v)) {
		item->len = v->len;
		/* The bytes overwrite all of the last word except its padding. */
		if (v->len)
			memset(end - sizeof(u64), 0, sizeof(u64));
		ktap_copy_bytes(item->data, ktap_blob_of(v), v->len);
	} else if (v->tag != KTAP_NIL) {
		memcpy(item->data, &v->u, sizeof(v->u));
	}
	return end;
}

bool ktap_tuple_next(const struct ktap_value *tuple, size_t *pos, struct ktap_value *v)
{
	const struct ktap_tuple_item *item = ktap_blob_of(tuple) + *pos;

	if (*pos >= tuple->len)
		return false;
	*v = (struct ktap_value){ .tag = item->tag, .len = item->len };
	if (ktap_is_blob(v))
		v->blob = item->data;
	else if (v->tag != KTAP_NIL)
		v->u = get_unaligned((const u64 *)item->data) & ~ktap_blob_mask(v);
	*pos += ktap_tuple_item_size(v);
	return true;
}
