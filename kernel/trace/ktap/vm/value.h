/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Values: the contents of registers, globals and table slots.
 */
#ifndef _KTAP_VALUE_H
#define _KTAP_VALUE_H

#include <linux/align.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/nospec.h>
#include <linux/types.h>

struct ktap_agg;
struct ktap_object;
struct ktap_table;

/*
 * Type of a value.
 *
 * Blobs (from STR on) are a pointer and a length.  The owner of the memory
 * depends on the holder of the value: that of a register belongs to the chunk,
 * to the activation's arena or to the event; a global or a table slot owns a
 * copy.
 */
enum ktap_tag {
	KTAP_NIL,
	KTAP_BOOL,
	KTAP_INT,
	KTAP_PTR,		/* an address; reads of it must be fault-safe */
	KTAP_FUNC,		/* index of a function of the chunk */
	KTAP_TABLE,
	KTAP_AGG,		/* an aggregation */
	KTAP_EVENT,		/* the event being handled; valid in its handler only */
	KTAP_ARGSTR,		/* its text, not yet formatted */
	KTAP_STR,		/* bytes, any; not NUL-terminated */
	KTAP_TUPLE,		/* compound key, see ktap_tuple_* */
	KTAP_KSTACK,		/* array of unsigned long */
	KTAP_USTACK,		/* array of u64, see data/ustack_file.h */
	KTAP_USYM,		/* the same for one frame: a symbol of user code */
	KTAP_ARRAY,		/* array of s64; read-only */
	KTAP_NR_TAGS
};

/**
 * struct ktap_value - a value, 16 bytes on every machine
 * @i: KTAP_BOOL (0 or 1), KTAP_INT
 * @u: the same bits; KTAP_PTR, KTAP_FUNC
 * @blob: first byte of a blob
 * @object: KTAP_TABLE, KTAP_AGG: their common head
 * @table: KTAP_TABLE
 * @agg: KTAP_AGG
 * @tag: enum ktap_tag
 * @len: bytes of a blob
 * @type: KTAP_PTR: type of the target (btf/btf.h), 0 if unknown; ignored when
 *	pointers are compared
 * @lost: KTAP_NIL: placeholder for a table or an aggregation that could not be
 *	allocated, see ktap_is_lost()
 */
struct ktap_value {
	union {
		s64 i;
		u64 u;
		const void *blob;
		struct ktap_object *object;
		struct ktap_table *table;
		struct ktap_agg *agg;
	};
	u32 tag;
	union {
		u32 len;
		u32 type;
		u32 lost;
	};
};

static_assert(sizeof(struct ktap_value) == 16);

#define KTAP_VALUE_NIL		((struct ktap_value){ .tag = KTAP_NIL })
#define KTAP_VALUE_LOST		((struct ktap_value){ .tag = KTAP_NIL, .lost = 1 })
/* The compiler merges the stores of .tag and .len only if both are given. */
#define KTAP_VALUE_BOOL(x)	((struct ktap_value){ .i = !!(x), .tag = KTAP_BOOL, .len = 0 })
#define KTAP_VALUE_INT(x)	((struct ktap_value){ .i = (x), .tag = KTAP_INT, .len = 0 })
#define KTAP_VALUE_PTR(x)	((struct ktap_value){ .u = (x), .tag = KTAP_PTR, .len = 0 })
#define KTAP_VALUE_TYPED(x, t)	((struct ktap_value){ .u = (x), .tag = KTAP_PTR, .type = (t) })
#define KTAP_VALUE_ARRAY(p, n) \
	((struct ktap_value){ .blob = (p), .tag = KTAP_ARRAY, .len = (n) * sizeof(s64) })
#define KTAP_VALUE_STR(s, n)	((struct ktap_value){ .blob = (s), .tag = KTAP_STR, .len = (n) })

/* Elements of an array of an event; further ones are cut off. */
#define KTAP_MAX_ARRAY		256

/* Copy the tag and what belongs to it, the length or the type, at once where a long has 64 bits. */
static __always_inline void ktap_copy_tag(struct ktap_value *to, const struct ktap_value *v)
{
	WRITE_ONCE(*(u64 *)&to->tag, *(const u64 *)&v->tag);
}

static inline bool ktap_is_blob(const struct ktap_value *v)
{
	return v->tag >= KTAP_STR;
}

/* Is it a reference to a shared object (data/object.h)? */
static inline bool ktap_is_object(const struct ktap_value *v)
{
	return v->tag == KTAP_TABLE || v->tag == KTAP_AGG;
}

/*
 * Pointer in a value whose tag was checked.  If the CPU mispredicts that check,
 * speculative execution sees NULL, and not an address chosen by a script.  READ_ONCE():
 * otherwise the compiler uses the result of the check, and the mask is a constant.
 */
static inline struct ktap_table *ktap_table_of(const struct ktap_value *v)
{
	u32 other = READ_ONCE(v->tag) ^ KTAP_TABLE;

	return (void *)((unsigned long)v->table & array_index_mask_nospec(other, 1));
}

/* The copy of an event whose text it is: only records have values with one. */
static inline const void *ktap_argstr_of(const struct ktap_value *v)
{
	u32 other = READ_ONCE(v->tag) ^ KTAP_ARGSTR;

	return (const void *)((unsigned long)v->blob & array_index_mask_nospec(other, 1));
}

static inline struct ktap_agg *ktap_agg_of(const struct ktap_value *v)
{
	u32 other = READ_ONCE(v->tag) ^ KTAP_AGG;

	return (void *)((unsigned long)v->agg & array_index_mask_nospec(other, 1));
}

static inline struct ktap_object *ktap_object_of(const struct ktap_value *v)
{
	u32 kind = READ_ONCE(v->tag) - KTAP_TABLE;

	return (void *)((unsigned long)v->object &
			array_index_mask_nospec(kind, KTAP_AGG - KTAP_TABLE + 1));
}

/* All bits if it is a blob, otherwise none */
static inline u64 ktap_blob_mask(const struct ktap_value *v)
{
	u32 kind = READ_ONCE(v->tag) - KTAP_STR;

	return (s64)(long)array_index_mask_nospec(kind, KTAP_NR_TAGS - KTAP_STR);
}

/* The first byte of a blob */
static inline const void *ktap_blob_of(const struct ktap_value *v)
{
	return (const void *)((unsigned long)v->blob & (unsigned long)ktap_blob_mask(v));
}

/*
 * Is this nil a placeholder for an object that could not be allocated?  The
 * handler continues: writes to it are dropped and counted, as with a full table.
 */
static inline bool ktap_is_lost(const struct ktap_value *v)
{
	return v->tag == KTAP_NIL && v->lost;
}

static inline bool ktap_is_true(const struct ktap_value *v)
{
	switch (v->tag) {
	case KTAP_NIL:
		return false;
	case KTAP_BOOL:
	case KTAP_INT:
		return v->i != 0;
	default:
		return true;
	}
}

/* Nil counts as 0. */
static inline bool ktap_is_number(const struct ktap_value *v)
{
	return v->tag == KTAP_INT || v->tag == KTAP_NIL;
}

static inline s64 ktap_number(const struct ktap_value *v)
{
	return v->tag == KTAP_INT ? v->i : 0;
}

#define KTAP_BIG_END_FIRST	(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* The integer in the first @size bytes of @x; the other bytes are 0. */
static inline u64 ktap_unsigned(u64 x, unsigned int size)
{
	return KTAP_BIG_END_FIRST ? x >> (64 - size * 8) : x;
}

/**
 * struct ktap_tuple_item - a part of the blob of a KTAP_TUPLE
 * @tag: enum ktap_tag; never KTAP_TUPLE
 * @len: bytes of a blob; 0 otherwise
 * @data: 8 bytes of payload, or a blob padded with zeroes to a multiple of 8
 *	bytes; empty for nil
 *
 * Equal keys have equal bytes.
 */
struct ktap_tuple_item {
	u32 tag;
	u32 len;
	u8 data[];
};

#define ktap_bit(name)		BIT(KTAP_##name)

/* Bytes of a part. */
static inline size_t ktap_tuple_item_size(const struct ktap_value *v)
{
	if (v->tag == KTAP_TUPLE)
		return v->len;
	if (ktap_is_blob(v))
		return sizeof(struct ktap_tuple_item) + ALIGN((size_t)v->len, 8);
	return sizeof(struct ktap_tuple_item) + (v->tag == KTAP_NIL ? 0 : sizeof(u64));
}

/* Append a part, or the parts of a tuple, at @p; returns the end. */
void *ktap_tuple_put(void *p, const struct ktap_value *v);
/* Get the part at *@pos and advance; false at the end. */
bool ktap_tuple_next(const struct ktap_value *tuple, size_t *pos, struct ktap_value *v);

/* Negative, 0 or positive, as ktap_order's KTAP_BY_KEY says. */
int ktap_compare(const struct ktap_value *x, const struct ktap_value *y);

#endif /* _KTAP_VALUE_H */
