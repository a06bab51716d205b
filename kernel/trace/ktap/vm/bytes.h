/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The bytes of a blob, eight at a time.  Nearly all have a few bytes: a call of memcmp()
 * costs more than their comparison.
 */
#ifndef _KTAP_BYTES_H
#define _KTAP_BYTES_H

#include <linux/compiler.h>
#include <linux/types.h>
#include <linux/unaligned.h>

static inline u64 ktap_word(const void *p)
{
	return get_unaligned((const u64 *)p);
}

/* Return at most 7 bytes as a word.  Different bytes of one length give different words. */
static inline u64 ktap_short_word(const u8 *p, size_t len)
{
	if (len >= 4)
		return (u64)get_unaligned((const u32 *)p) << 32 |
		       get_unaligned((const u32 *)(p + len - 4));
	return len ? p[0] << 16 | p[len / 2] << 8 | p[len - 1] : 0;
}

/* The last word may overlap the one before it. */
static inline bool ktap_same_bytes(const void *x, const void *y, size_t len)
{
	size_t i, last = len - sizeof(u64);

	if (len < sizeof(u64))
		return ktap_short_word(x, len) == ktap_short_word(y, len);
	for (i = 0; i < last; i += sizeof(u64)) {
		if (ktap_word(x + i) != ktap_word(y + i))
			return false;
	}
	return ktap_word(x + last) == ktap_word(y + last);
}

/* memcpy() without a call.  Parts that are copied twice overlap. */
static inline void ktap_copy_bytes(void *to, const void *from, size_t len)
{
	size_t i;

	if (len >= sizeof(u64)) {
		for (i = 0; i < len - sizeof(u64); i += sizeof(u64))
			put_unaligned(ktap_word(from + i), (u64 *)(to + i));
		i = len - sizeof(u64);
		put_unaligned(ktap_word(from + i), (u64 *)(to + i));
	} else if (len >= sizeof(u32)) {
		i = len - sizeof(u32);
		put_unaligned(get_unaligned((const u32 *)from), (u32 *)to);
		put_unaligned(get_unaligned((const u32 *)(from + i)), (u32 *)(to + i));
	} else {
		for (i = 0; i < len; i++)
			((u8 *)to)[i] = ((const u8 *)from)[i];
	}
}

/*
 * Copy 0 to 16 bytes without a loop, and zero the rest of the last word.  @to has 16 bytes, of
 * which those after that word may be written, too.
 */
static __always_inline void ktap_copy_padded(void *to, const void *from, size_t len)
{
	u64 *words = to;

	if (len >= sizeof(u64)) {
		words[0] = ktap_word(from);
		words[1] = 0;
		put_unaligned(ktap_word(from + len - sizeof(u64)), (u64 *)(to + len - sizeof(u64)));
		return;
	}
	words[0] = 0;
	if (len >= sizeof(u32)) {
		put_unaligned(get_unaligned((const u32 *)from), (u32 *)to);
		put_unaligned(get_unaligned((const u32 *)(from + len - sizeof(u32))),
			      (u32 *)(to + len - sizeof(u32)));
	} else if (len) {
		((u8 *)to)[0] = ((const u8 *)from)[0];
		((u8 *)to)[len / 2] = ((const u8 *)from)[len / 2];
		((u8 *)to)[len - 1] = ((const u8 *)from)[len - 1];
	}
}

#endif /* _KTAP_BYTES_H */
