/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The NUL in a word of a string.
 */
#ifndef _KTAP_WORD_H
#define _KTAP_WORD_H

#include <linux/types.h>

#include <asm/word-at-a-time.h>

/* Find the first NUL in @word.  Return false if there is none. */
static __always_inline bool ktap_find_nul(unsigned long word, u32 *n)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long zeros;

	if (!has_zero(word, &zeros, &constants))
		return false;
	*n = find_zero(create_zero_mask(prep_zero_mask(word, zeros, &constants)));
	return true;
}

#endif /* _KTAP_WORD_H */
